"""Kinds of files: how each starts, how its name may end, and which files it may replace."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mechdesign.errors import DomainError

#: Endings of names that promise a format; any other ending, and none, promises nothing.
FORMATS = frozenset(
    f".{name}"
    for names in (
        "csv tsv json jsonl ndjson html htm xhtml xml md rst tex bib pdf ps eps svg pgf png jpg jpeg gif webp",
        "toml yaml yml ini cfg py pyi ipynb js mjs ts sh r jl c cpp h rs java sql",
        "npy npz mat pkl pickle joblib parquet feather arrow h5 hdf5 xlsx xls ods docx doc odt pptx sqlite db log",
        "zip gz bz2 xz zst tar tgz 7z whl lock",
    )
    for name in names.split()
)
#: A file is looked at no further than this.
FIRST_BYTES = 500


@dataclass(frozen=True)
class FileKind:
    """What is written to a file of one kind, and how such a file is known again.

    Parameters
    ----------
    what : str
        What is written, as a sentence names it: "the mechanism".
    suffixes : tuple of str
        How the file's name may end, the usual ending first.
    starts : tuple of str
        Regular expressions, of which one matches the start of every file of the kind. That words of ours occur
        somewhere is no sign: scripts and notes name the command, too.
    another : str
        What a file of the kind with other content holds that would be lost, as a clause.
    also : tuple of str
        Further endings that a remedy names: with them the same content is written as a file of another kind.
    """

    what: str
    suffixes: tuple[str, ...]
    starts: tuple[str, ...]
    another: str = "that file holds another one"
    also: tuple[str, ...] = ()

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(start) for start in self.starts)

    def require_place(self, path: object, *, overwrite: object = False, argument: str = "path") -> None:
        """Raise where a file of this kind may not be written to `path`.

        Nothing is asked of what is no regular file (a pipe, a terminal), nor of a path that no file can have: whoever
        writes it says why.

        Parameters
        ----------
        path : str or Path
            Where it would go.
        overwrite : bool
            Whether a file of another kind may be replaced.
        argument : str
            What the path is called in the message.

        Raises
        ------
        DomainError
            The name promises another format; a file of another kind is there, or one that cannot be read.
        """
        if not isinstance(overwrite, bool):
            raise DomainError("overwrite", overwrite, "it has to be true or false", "give a bool")
        if not isinstance(path, str | Path):
            return
        path = Path(path)
        self._require_suffix(path, argument)
        held = b"" if overwrite else self._held(path, argument)
        text = held.decode("utf-8", errors="replace")
        if held and not any(pattern.match(text) for pattern in self._patterns):
            remedy = "choose another path, or give overwrite=True"
            raise self._refused(path, argument, "that file holds something else, which would be lost", remedy)

    def require_same(self, path: object, text: str, *, overwrite: bool = False) -> None:
        """Raise where the file at `path` holds anything but `text`: for files that others depend on.

        Parameters
        ----------
        path : str or Path
            Where it would go.
        text : str
            What would be written.
        overwrite : bool
            Whether whatever is there may be replaced.

        Raises
        ------
        DomainError
            Another file of this kind is there.
        """
        if overwrite or not isinstance(path, str | Path) or not self._held(Path(path), "path"):
            return
        # Where it cannot be read, `require_place` has said so.
        if Path(path).read_bytes() != text.encode():
            remedy = "choose another path, or give overwrite=True"
            raise self._refused(Path(path), "path", self.another, remedy)

    def _require_suffix(self, path: Path, argument: str) -> None:
        suffix = path.suffix.casefold()
        if suffix in FORMATS and suffix not in self.suffixes:
            printed = "; a browser prints the page as PDF" if suffix == ".pdf" and ".html" in self.suffixes else ""
            remedy = f"end the name in {' or '.join((*self.suffixes, *self.also))}{printed}"
            raise self._refused(path, argument, f"its name promises {suffix.removeprefix('.').upper()}", remedy)

    def _held(self, path: Path, argument: str) -> bytes:
        """Return the first bytes of the file; none where there is no regular file."""
        try:
            if not path.is_file():
                return b""
        except (OSError, ValueError):
            # No file has such a name: whoever writes it says so.
            return b""
        try:
            with path.open("rb") as file:
                return file.read(FIRST_BYTES)
        except OSError as error:
            why = f"what it holds cannot be read: {error.strerror}"
            raise self._refused(path, argument, why, "choose another path") from None

    def _refused(self, path: Path, argument: str, why: str, remedy: str) -> DomainError:
        return DomainError(argument, str(path), f"{self.what} cannot be written there ({why})", remedy)
