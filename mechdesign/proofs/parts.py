"""The notions that a proof is about, each by itself."""

from __future__ import annotations

from mechdesign.notions import Intersection, Notion
from mechdesign.problem import Problem


def joined(notion: Notion) -> tuple[Notion, ...]:
    """Return the notions of an intersection, else the notion alone."""
    return notion.notions if isinstance(notion, Intersection) else (notion,)


def is_direct(notion: Notion, inputs: Problem) -> bool:
    """Return whether a functional of the inputs is one of the secrets of a single notion: a proof need not give it."""
    return len(joined(notion)) == 1 and not inputs.is_hidden
