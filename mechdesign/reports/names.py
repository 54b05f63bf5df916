"""Notions by their full names, and the technical words of a page with what they mean."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mechdesign.displays.html import Html
from mechdesign.displays.numbers import in_full
from mechdesign.notions import Notion
from mechdesign.reports.pieces import capital, note

#: By the word: what it means; said in the section where the word first stands.
MEANINGS = {
    "nats": "Nats are the unit of a level: a level of 1 nat is a factor of e, which is 2.72, and 0.69 nats are a "
    "factor of 2.",
    "prior": "A prior is what is believed of the answers before any report: a probability for each of them, such as "
    "the shares of an earlier census.",
}


def in_words(notion: Notion) -> str:
    """Return what a notion is called in full, with its short name in brackets.

    Examples
    --------
    >>> import mechdesign as md
    >>> in_words(md.LDP(1.0)), in_words(md.LDP(2.0) & md.LIP(0.5))
    ('local differential privacy (LDP)', 'local differential privacy (LDP) and local information privacy (LIP)')
    """
    found = [f"{each.card.full_name} ({each.name})" if each.card.full_name else str(each) for each in notion.members()]
    return " and ".join(dict.fromkeys(found))


def with_levels(notion: Notion) -> str:
    """Return what a notion is called in full, with the level that is asked.

    Examples
    --------
    >>> import mechdesign as md
    >>> with_levels(md.LDP(1.0))
    'Local differential privacy (LDP), epsilon = 1'
    """
    said = [
        f"{in_words(each)}, {_levels(each)}" if each.card.full_name else in_words(each) for each in notion.members()
    ]
    return capital(" and ".join(said))


def _levels(notion: Notion) -> str:
    return " and ".join(f"{part.level_name} = {in_full(part.parameter)}" for part in notion.parts())


def explained(sections: Sequence[Html]) -> list[Html]:
    """Return the sections, each with what the technical words mean that stand there and in none before it."""
    left, found = dict(MEANINGS), []
    for each in sections:
        text = re.sub(r"<[^>]*>", " ", each)
        here = [word for word in left if re.search(rf"(?i)\b{word}s?\b", text)]
        said = "".join(note(left.pop(word)) for word in here)
        close = "</section>"
        found.append(
            Html(f"{each.removesuffix(close)}{said}{close}") if each.endswith(close) else Html(f"{each}{said}")
        )
    return found
