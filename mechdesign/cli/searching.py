"""What the command says to a word that somebody looks for."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from mechdesign.catalogue.vocabulary import Word, search, vocabulary
from mechdesign.cli import json_reports
from mechdesign.errors import DomainError, nearest
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.question.members_by_name import members as known_members

#: The least similarity of a suggested word to the one sought, and how many are suggested.
ALIKE, SHOWN = 0.65, 8
#: Words that are suggested where none is similar.
USUAL = ("LDP", "PML", "histogram", "PRAM", "Blowfish", "privacy funnel")


def found(sought: str, own: tuple[type, ...] = ()) -> tuple[tuple[Word, ...], list[dict[str, Any]]]:
    """Return the words that match, and the members of the catalogue and of `own` whose name or formula has the word.

    Raises
    ------
    DomainError
        Nothing has it.
    """
    known = known_members(Notion, own) | known_members(Objective, own)
    words = search(sought, known)
    entries = [entry for kind in (Notion, Objective) for entry in json_reports.catalogue(kind, own)]
    folded = sought.casefold()
    members = [entry for entry in entries if folded in f"{entry['name']} {entry['formula']}".casefold()]
    if not words and not members:
        names = dict.fromkeys(name for word in vocabulary(known) for name in (*word.names, *word.members))
        raise DomainError("--search", sought, "nothing here is called so", _remedy(sought, list(names)))
    return words, members


def _remedy(sought: str, names: list[str]) -> str:
    """Return a suggestion of other words to search for: names that are similar, or a few common ones."""
    close = get_close_matches(sought.casefold(), {name.casefold(): name for name in names}, SHOWN, ALIKE)
    if close:
        return nearest(sought, [name for name in names if name.casefold() in close], ALIKE)
    return f"look for another word, such as {', '.join(USUAL)}; mechdesign notions and objectives list everything"


def show(console: Console, words: tuple[Word, ...], members: list[dict[str, Any]]) -> None:
    """Print each word with its meaning, its members, an example and where it was published; then other members."""
    for word in words:
        console.print(Text(", ".join(word.names), style="bold"), soft_wrap=True)
        here = f"Here: {', '.join(word.members)}." if word.members else ""
        page = f"In the documentation: {word.page}." if word.page else ""
        lines = [word.means, " ".join(filter(None, (here, page)))]
        lines += [f"{work}." for work in word.works]
        for line in filter(None, lines):
            console.print(Padding(Text(line), (0, 0, 0, 2)))
        if word.example:
            console.print(Padding(Text(f"\n{word.example}\n"), (0, 0, 0, 4)))
    named = {name for word in words for name in word.members}
    for entry in members:
        if entry["name"] not in named:
            console.print(Text(f"{entry['name']}({', '.join(entry['parameters'])})", style="bold"), soft_wrap=True)
            console.print(Padding(Text(entry["formula"]), (0, 0, 0, 2)))


def in_json(words: tuple[Word, ...], members: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the found words and members as data for JSON."""
    return {
        "words": [
            {
                "names": list(word.names),
                "means": word.means,
                "members": list(word.members),
                "page": word.page,
                "works": [str(work) for work in word.works],
                "example": word.example,
            }
            for word in words
        ],
        "members": members,
    }
