"""Which LDP, or bound of the lift, implies a notion: what is private under that is private under it too."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mechdesign.catalogue import card_of
from mechdesign.catalogue.asked import asked, of_type, wrong
from mechdesign.errors import MechdesignError
from mechdesign.notions.base import Notion
from mechdesign.notions.ldp import LDP
from mechdesign.problem import Problem

#: Cards may name one notion after the other up to this many: the catalogue's chains have two.
LONGEST = 16


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

    Raises
    ------
    DomainError
        A function of a card raises, or names what is no notion, one over other inputs, or notion after notion without
        an end.

    Examples
    --------
    >>> import mechdesign as md
    >>> stronger(md.LIP(0.5), md.Problem(prior=[0.5, 0.5])).notion
    LDP(epsilon=0.5)
    """
    if not problem.is_about_answers:
        return None
    mixture = notion.columns(problem).mixture
    if mixture is not None:
        return Stronger(LDP(mixture[0]), mixture[1])
    members = notion.members()
    if members == (notion,):
        chain = _by_cards(notion, problem)
        return Stronger(chain[0]) if chain else None
    levels = [_ldp_level(member, problem) for member in members]
    known = [level for level in levels if level is not None]
    return Stronger(LDP(min(known))) if len(known) == len(levels) else None


def _by_cards(notion: Notion, problem: Problem) -> list[Notion]:
    """Return what the notion's card names, what that one's card names, and so on, up to LDP."""
    chain: list[Notion] = []
    last: Notion | None = notion
    while type(last) is not LDP and (last := _by_card(last, problem)) is not None:
        chain.append(last)
        if len(chain) > LONGEST:
            rule = f"it names {chain[0]}, whose card names {chain[1]}, and so on without an end"
            raise wrong(type(notion), "stronger", rule, "let it name LDP or another notion of the catalogue")
    return chain


def _by_card(notion: Any, problem: Problem) -> Notion | None:
    """Return the notion that the card names, None if it names none."""
    member, named = type(notion), card_of(type(notion)).stronger
    if named is None:
        return None
    made = asked(member, "stronger", named, notion, problem)
    found: Notion | None = of_type(member, "stronger", made, (Notion, type(None)), "a notion, or None")
    if found is None:
        return None
    try:
        inputs = found.inputs(problem)
    except MechdesignError:
        # It cannot be asked of this problem: one without a prior, say.
        return None
    if inputs.n != problem.n:
        rule = f"it returned {found} over {inputs.n} inputs for a problem of {problem.n}"
        raise wrong(member, "stronger", rule, "let it return a notion over the same inputs")
    return found


def _ldp_level(notion: Notion, problem: Problem) -> float | None:
    """Return an epsilon at which LDP implies the notion, None where none is known."""
    last = [notion, *_by_cards(notion, problem)][-1]
    return last.epsilon if type(last) is LDP else None
