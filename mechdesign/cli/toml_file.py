"""The TOML of a question file, with the line of each key, so that a complaint can name it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from mechdesign.errors import DomainError
from mechdesign.files.strict_json import MOST_DEPTH, is_deep


class TomlFile:
    """The tables of the file at `path`, and the line of each of their keys.

    Parameters
    ----------
    path : Path
        UTF-8, with or without its mark.

    Raises
    ------
    DomainError
        A file that is missing, unreadable or no TOML.
    """

    def __init__(self, path: Path) -> None:
        self.name = path.name
        self._text = _text(path)
        try:
            self.tables: dict[str, Any] = tomllib.loads(self._text)
        except tomllib.TOMLDecodeError as error:
            raise self._no_toml(error) from None
        except RecursionError:
            raise self._nested() from None
        except ValueError:
            rule = "Python reads no integer of more than some thousand digits"
            raise DomainError(self.name, "no readable TOML", rule, "write the number as a float") from None
        if is_deep(self.tables):
            raise self._nested()

    def place(self, section: str | None, key: str) -> str:
        """Return the place of a key in the file, for a message; with its line where the key starts one."""
        part = re.match(r"parts\[(\d+)\]\.(.+)", key)
        bare = re.split(r"[\[ ]", part[2] if part else key)[0]
        current: str | None = None
        parts = 0
        where = f"[{section}] {key}" if section else key
        for number, line in enumerate(self._text.splitlines(), start=1):
            header = re.match(r"\s*\[\s*([\w-]+)\s*\]", line)
            current = header[1] if header else current
            parts += bool(re.match(r"\s*\[\[\s*notion\s*\.\s*parts\s*\]\]", line))
            if parts != (int(part[1]) + 1 if part else 0) and current == section and (part or parts):
                continue
            starts = re.match(rf"\s*[\"']?{re.escape(bare)}[\"']?\s*=", line)
            if (starts and current == section) or (header and section is None and header[1] == bare):
                return f"{self.name} line {number}, {where}"
        return f"{self.name}, {where}"

    def _nested(self) -> DomainError:
        rule = f"no question nests lists and tables more than {MOST_DEPTH} deep"
        return DomainError(self.name, "nested too deeply", rule, "correct it")

    def _no_toml(self, error: tomllib.TOMLDecodeError) -> DomainError:
        found = re.search(r"^(.*) \(at line (\d+), column (\d+)\)$", str(error))
        if found is None:
            return DomainError(self.name, "no TOML", f"it has to be ({error})", "correct it")
        line = int(found[2])
        rule, shown = f"TOML cannot read column {found[3]} ({found[1].lower()})", self._text.splitlines()[line - 1]
        return DomainError(f"{self.name} line {line}", shown.strip(), rule, "correct it")


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DomainError(str(path), f"not UTF-8 at byte {error.start}", "it has to be text", "save as UTF-8") from None
    except OSError as error:
        raise DomainError(
            str(path), "not readable", f"the question file is needed ({error.strerror})", "check the path"
        ) from None
