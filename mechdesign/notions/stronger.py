"""Which LDP, or bound of the lift, implies a notion: what is private under that is private under it too."""

from __future__ import annotations

from dataclasses import dataclass

from mechdesign.catalogue import card_of
from mechdesign.notions.base import Notion
from mechdesign.notions.ldp import LDP
from mechdesign.problem import Problem


@dataclass(frozen=True)
class Stronger:
    """A notion that implies another one, and what share of full disclosure that one allows besides."""

    notion: Notion
    disclosed: float = 0.0


def stronger(notion: Notion, problem: Problem) -> Stronger | None:
    """Return a notion under which more questions are answered, and that implies the given one; None where none is.

    What a notion's card says; of an intersection LDP at the least level that its members need. A mixture of an LDP
    mechanism with full disclosure, in the shares ``1 - delta`` and ``delta``, satisfies ``ApproximateLDP(epsilon,
    delta)``.

    Examples
    --------
    >>> import mechdesign as md
    >>> stronger(md.LIP(0.5), md.Problem(prior=[0.5, 0.5])).notion
    LDP(epsilon=0.5)
    """
    if problem.is_hidden or problem.data_of_input is not None or isinstance(notion, LDP):
        return None
    mixture = notion.disclosing_mixture(problem)
    if mixture is not None:
        return Stronger(*mixture)
    members = notion.members()
    if members == (notion,):
        found = _by_card(notion, problem)
        return None if found is None else Stronger(found)
    levels = [_ldp_level(member, problem) for member in members]
    known = [level for level in levels if level is not None]
    return Stronger(LDP(min(known))) if len(known) == len(levels) else None


def _by_card(notion: Notion, problem: Problem) -> Notion | None:
    asked = card_of(type(notion)).stronger
    found: Notion | None = None if asked is None else asked(notion, problem)
    return found


def _ldp_level(notion: Notion, problem: Problem) -> float | None:
    """Return an epsilon at which LDP implies the notion, None where none is known."""
    found: Notion | None = notion
    while found is not None and not isinstance(found, LDP):
        found = _by_card(found, problem)
    return None if found is None else found.epsilon
