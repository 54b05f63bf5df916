"""The words under which people look for a notion, an objective or a mechanism, with an example of each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from mechdesign.errors import DomainError
from mechdesign.literature.works import Work, cited

#: Shorter terms are taken for a word of the field only where they are one of its names.
SHORTEST = 3


@dataclass(frozen=True)
class Word:
    """A term of the field and what this package has for it.

    Attributes
    ----------
    names : tuple of str
        The term and its synonyms, the most usual one first.
    means : str
        What it is, in a sentence.
    members : tuple of str
        The notions, objectives and known mechanisms that answer it, by their names in the package; none for
        what is not here, whose `means` says what to use instead.
    page : str
        Its page in the documentation, without an ending.
    works : tuple of Work
        Where it was published.
    example : str
        Python that shows it, given ``import mechdesign as md``.
    """

    names: tuple[str, ...]
    means: str
    members: tuple[str, ...]
    page: str
    works: tuple[Work, ...]
    example: str

    def matches(self, sought: str) -> bool:
        """Return whether `sought`, in any case, is part of one of its names, of a member's name, or of an author's."""
        authors = (author for work in self.works for author in work.authors)
        return any(_folded(sought) in _folded(name) for name in (*self.names, *self.members, *authors))


@cache
def vocabulary() -> tuple[Word, ...]:
    """Return all words."""
    data = tomllib.loads(files("mechdesign.literature").joinpath("words.toml").read_text(encoding="utf-8"))
    return tuple(
        Word(
            tuple(entry["names"]),
            entry["means"],
            tuple(entry["members"]),
            entry["page"],
            tuple(cited(key) for key in entry["works"]),
            entry["example"].strip(),
        )
        for entry in data["word"]
    )


def search(sought: str) -> tuple[Word, ...]:
    """Return the words that match, the ones that are called exactly so first.

    Raises
    ------
    DomainError
        `sought` is no text, or empty.

    Examples
    --------
    >>> [word.names[0] for word in search("PML")]
    ['pointwise maximal leakage', 'interior pointwise maximal leakage']
    >>> search("pram")[0].page
    'how-to/post-randomisation'
    """
    if not isinstance(sought, str) or not sought.strip():
        raise DomainError("sought", sought, "it has to be a word to look for", 'give a text, "histogram" say')
    found = [word for word in vocabulary() if word.matches(sought)]
    exact = [word for word in found if _folded(sought) in map(_folded, word.names)]
    return (*exact, *(word for word in found if word not in exact))


def meant(sought: str, members: Mapping[str, type]) -> tuple[str, ...]:
    """Return which of `members` are called so, in any case, or are what a word of the field or their own words say.

    Parameters
    ----------
    sought : str
        A name or a term.
    members : mapping
        Classes by name; their attribute ``words``, where they have one, says what they are.

    Returns
    -------
    tuple of str
        Names, the likeliest first; none where nothing is meant by it.

    Examples
    --------
    >>> import mechdesign as md
    >>> meant("local differential privacy", {"LDP": md.LDP, "LIP": md.LIP}), meant("ldp", {"LDP": md.LDP})
    (('LDP',), ('LDP',))
    >>> meant("mean squared error", {"MMSE": md.MMSE, "HammingLoss": md.HammingLoss})
    ('MMSE',)
    """
    folded = _folded(sought)
    named = [name for name in members if _folded(name) == folded]
    if named or len(folded) < SHORTEST:
        return tuple(named)
    exact = [word for word in vocabulary() if folded in map(_folded, word.names)]
    near = [word for word in vocabulary() if any(_within(folded, _folded(name)) for name in word.names)]
    for found in (exact, near):
        answers = dict.fromkeys(name for word in found for name in word.members if name in members)
        if answers:
            return tuple(answers)
    spoken = set(sought.casefold().split())
    return tuple(
        name for name, member in members.items() if spoken <= set(getattr(member, "words", "").casefold().split())
    )


def _within(one: str, other: str) -> bool:
    return min(len(one), len(other)) > SHORTEST and (one in other or other in one)


def _folded(name: str) -> str:
    """Return the name without case, hyphens and the two spellings of -ise."""
    return "".join(name.casefold().replace("iz", "is").replace("-", " ").split())
