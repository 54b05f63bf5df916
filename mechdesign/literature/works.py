"""The works that are cited, read from one file of data: documentation, ledger and docstrings show the same text."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mechdesign.errors import DomainError, nearest


@dataclass(frozen=True)
class Work:
    """A published work: its authors, its title, and where and when it appeared.

    Attributes
    ----------
    key : str
        How the code names it, ``"jiang_lip"`` say.
    authors : tuple of str
        Initials and last names, in the order of the title page.
    title, place : str
        The title, and the journal with its volume, the conference, or ``"arXiv"``.
    year : int
    arxiv : str or None
        Its number there, where it has one.

    Examples
    --------
    >>> print(cited("geumlek"))
    J. Geumlek, K. Chaudhuri, "Profile-Based Privacy for Locally Private Computations", IEEE ISIT 2019
    """

    key: str
    authors: tuple[str, ...]
    title: str
    place: str
    year: int
    arxiv: str | None = None

    def __str__(self) -> str:
        """Return authors, title, place and year, as the docstrings cite it."""
        where = f"arXiv {self.arxiv} ({self.year})" if self.place == "arXiv" else f"{self.place} {self._year}"
        return f'{", ".join(self.authors)}, "{self.title}", {where}'

    @property
    def _year(self) -> str:
        """The year: of a journal in parentheses behind its volume."""
        return f"({self.year})" if self.place.rsplit(maxsplit=1)[-1].isdigit() else str(self.year)

    def bibtex(self) -> str:
        """Return it as an entry of BibTeX.

        Examples
        --------
        >>> print(cited("wang2017").bibtex())
        @misc{wang2017,
          author = {T. Wang and J. Blocki and N. Li and S. Jha},
          title = {{Locally Differentially Private Protocols for Frequency Estimation}},
          howpublished = {USENIX Security},
          year = {2017},
        }
        """
        fields = {
            "author": " and ".join(self.authors),
            "title": f"{{{self.title}}}",
            "howpublished": self.place,
            "year": self.year,
        }
        if self.arxiv is not None:
            fields["eprint"], fields["archiveprefix"] = self.arxiv, "arXiv"
        lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items())
        return f"@misc{{{self.key},\n{lines}}}"


@cache
def works() -> dict[str, Work]:
    """Return every work by its key."""
    data = tomllib.loads(files("mechdesign.literature").joinpath("works.toml").read_text(encoding="utf-8"))
    return {key: Work(key, **{**entry, "authors": tuple(entry["authors"])}) for key, entry in data.items()}


def cited(key: str) -> Work:
    """Return the work of a key.

    Raises
    ------
    DomainError
        There is none of that key.
    """
    known = works()
    if key not in known:
        raise DomainError("key", key, "no work has it", nearest(str(key), known))
    return known[key]


def bibtex() -> str:
    """Return all works as a BibTeX file."""
    return "\n\n".join(work.bibtex() for work in works().values()) + "\n"


def source_of(paper: str) -> str:
    """Return the source of the statements whose keys start with `paper`, as a sentence.

    Examples
    --------
    >>> source_of("ours")
    'Statements of this package.'
    """
    if paper in works():
        return f"{cited(paper)}."
    own = {"ours": "Statements of this package.", "found": "Statements that md.conjecture found."}
    return own.get(paper, "Statements of your own.")
