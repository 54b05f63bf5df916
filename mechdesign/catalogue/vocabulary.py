"""Search terms for notions, objectives and mechanisms: the words of their cards, and the terms of the field."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache

from mechdesign.catalogue.card import card_of
from mechdesign.catalogue.formula import formula_of
from mechdesign.errors import DomainError
from mechdesign.literature import Work, cited, terms

#: Shorter terms are taken for a word of the field only if they are one of its names.
SHORTEST = 3


@dataclass(frozen=True)
class Word:
    """A notion, an objective or a term of the field, and what this package has for it.

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
        Its page in the documentation, without an ending; empty of what is not in the catalogue.
    works : tuple of Work or str
        Where it was published.
    example : str
        Python that shows it, given ``import mechdesign as md``; of what is not in the catalogue it may be empty.
    """

    names: tuple[str, ...]
    means: str
    members: tuple[str, ...]
    page: str
    works: tuple[Work | str, ...]
    example: str

    def matches(self, sought: str) -> bool:
        """Return whether `sought`, in any case, is part of one of its names, of a member's name, or of an author's."""
        authors = (name for work in self.works for name in (work.authors if isinstance(work, Work) else (work,)))
        return any(_folded(sought) in _folded(name) for name in (*self.names, *self.members, *authors))


def vocabulary(known: Mapping[str, type]) -> tuple[Word, ...]:
    """Return the search terms of some classes, from their cards, and the terms of the field.

    Examples
    --------
    >>> import mechdesign as md
    >>> vocabulary({"LDP": md.LDP})[0].names
    ('local differential privacy', 'local privacy', 'local model')
    """
    return _words(tuple(known.values()))


def search(sought: str, known: Mapping[str, type]) -> tuple[Word, ...]:
    """Return the words that match, the ones that are called exactly so first.

    Parameters
    ----------
    sought : str
        A name or a term.
    known : mapping
        Classes by name.

    Raises
    ------
    DomainError
        `sought` is no text, or empty.

    Examples
    --------
    >>> import mechdesign as md
    >>> [word.names[0] for word in search("PML", {"MaxLift": md.MaxLift})]
    ['pointwise maximal leakage, or maximal lift']
    >>> search("pram", {"LDP": md.LDP})[0].page
    'how-to/post-randomisation'
    """
    if not isinstance(sought, str) or not _folded(sought):
        raise DomainError("sought", sought, "it has to be a word to look for", 'give a text, "histogram" say')
    found = [word for word in vocabulary(known) if word.matches(sought)]
    exact = [word for word in found if _folded(sought) in map(_folded, (*word.names, *word.members[:1]))]
    return (*exact, *(word for word in found if word not in exact))


def meant(sought: str, known: Mapping[str, type]) -> tuple[str, ...]:
    """Return which of `known` are called so, in any case, or are what a word of the field or of their cards says.

    Parameters
    ----------
    sought : str
        A name or a term.
    known : mapping
        Classes by name.

    Returns
    -------
    tuple of str
        Names, the likeliest first; none if nothing is meant by it.

    Examples
    --------
    >>> import mechdesign as md
    >>> meant("local differential privacy", {"LDP": md.LDP, "LIP": md.LIP}), meant("ldp", {"LDP": md.LDP})
    (('LDP',), ('LDP',))
    >>> meant("mean squared error", {"MMSE": md.MMSE, "HammingLoss": md.HammingLoss})
    ('MMSE',)
    """
    folded = _folded(sought)
    named = [name for name in known if _folded(name) == folded]
    if named or len(folded) < SHORTEST:
        return tuple(named)
    words = vocabulary(known)
    exact = [word for word in words if folded in map(_folded, word.names)]
    near = [word for word in words if any(_within(folded, _folded(name)) for name in word.names)]
    for found in (exact, near):
        answers = dict.fromkeys(name for word in found for name in word.members if name in known)
        if answers:
            return tuple(answers)
    spoken = set(sought.casefold().split())
    return tuple(name for name, member in known.items() if spoken <= set(card_of(member).full_name.casefold().split()))


@cache
def _words(classes: tuple[type, ...]) -> tuple[Word, ...]:
    titles = {_folded(title) for member in classes for title in (card_of(member).full_name, member.__name__)}
    taken = titles | {_folded(name) for term in terms() for name in term.names}
    of_field = (Word(term.names, term.means, term.functions, term.page, term.works, term.example) for term in terms())
    own = (word for member in classes if (word := _of_member(member, taken)).names)
    answers = {member.__name__: {_folded(word) for word in card_of(member).search} for member in classes}
    return tuple(_answered(word, answers) for word in (*own, *of_field))


def _answered(word: Word, answers: Mapping[str, set[str]]) -> Word:
    """Return a word with the members whose cards name it among what they are looked for by."""
    names = {_folded(name) for name in word.names}
    found = (name for name, searched in answers.items() if searched & names)
    return replace(word, members=tuple(dict.fromkeys((*word.members, *found))))


def _of_member(member: type, taken: set[str]) -> Word:
    """Return the word that a member is itself; what others are called, and terms of the field, are words of theirs."""
    card, doc = card_of(member), inspect.getdoc(member) or ""
    further = [name for name in card.search if _folded(name) not in taken]
    names = [name for name in (card.full_name, *further) if name]
    return Word(
        tuple({_folded(name): name for name in reversed(names)}.values())[::-1],
        card.means or formula_of(member),
        (member.__name__,),
        card.page or _page(member),
        tuple(cited(work) if re.fullmatch(r"\w+", work) else work for work in card.works),
        _example(doc),
    )


def _page(member: type) -> str:
    """Return the page of a member of the catalogue, by the package that it is in; empty for one's own."""
    package, _, rest = member.__module__.partition(".")
    return f"catalogue/{rest.partition('.')[0]}/{member.__name__}" if package == "mechdesign" else ""


def _example(doc: str) -> str:
    """Return the code of a docstring's examples."""
    lines = doc.partition("\nExamples\n--------\n")[2].splitlines()
    return "\n".join(line[4:] for line in lines if line.startswith((">>> ", "... ")))


def _within(one: str, other: str) -> bool:
    return min(len(one), len(other)) > SHORTEST and (one in other or other in one)


def _folded(name: str) -> str:
    """Return the name without case, hyphens and the two spellings of -ise."""
    return "".join(name.casefold().replace("iz", "is").replace("-", " ").split())
