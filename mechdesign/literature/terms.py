"""Terms of the field that are no notion or objective: techniques, problems and mechanisms, with an example of each."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mechdesign.literature.works import Work, cited


@dataclass(frozen=True)
class Term:
    """A term of the field, under which the notions and objectives are found whose cards name it.

    Attributes
    ----------
    names : tuple of str
        The term and its synonyms, the most usual one first.
    means : str
        What it is, in a sentence; of what is not here, what to use instead.
    functions : tuple of str
        What of ``md`` or ``md.baselines`` answers it.
    page : str
        Its page in the documentation, without an ending.
    works : tuple of Work
        Where it was published.
    example : str
        Python that shows it, given ``import mechdesign as md``.
    """

    names: tuple[str, ...]
    means: str
    functions: tuple[str, ...]
    page: str
    works: tuple[Work, ...]
    example: str


@cache
def terms() -> tuple[Term, ...]:
    """Return all terms.

    Examples
    --------
    >>> terms()[0].names[0]
    'lift'
    """
    data = tomllib.loads(files("mechdesign.literature").joinpath("words.toml").read_text(encoding="utf-8"))
    return tuple(
        Term(
            tuple(entry["names"]),
            entry["means"],
            tuple(entry.get("functions", ())),
            entry["page"],
            tuple(cited(key) for key in entry["works"]),
            entry["example"].strip(),
        )
        for entry in data["term"]
    )
