"""What every member has on its card, by name: examples, edges and anchors of the whole catalogue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mechdesign.catalogue import card_of
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.asked import asked, of_type, wrong
from mechdesign.catalogue.card import Example
from mechdesign.catalogue.drawn import Rng
from mechdesign.catalogue.edge import Edge
from mechdesign.errors import written
from mechdesign.problem import Problem
from mechdesign.testing.catalogue import all_notions, all_objectives


def drawn_example(member: type, example: Example, rng: Rng) -> tuple[Any, Problem]:
    """Return the instance and the problem of an example on a member's card.

    Raises
    ------
    DomainError
        The example raises, or returns something else.
    """
    found = asked(member, "examples", example, rng)
    pair: tuple[Any, Problem] = of_type(member, "examples", found, tuple, "an instance and a problem")
    if len(pair) != 2 or not isinstance(pair[1], Problem):
        raise wrong(member, "examples", f"it returned {written(pair)}", "let it return an instance and a problem")
    require_own(member, "examples", "its instance", pair[0])
    return pair


def require_own(member: type, field: str, what: str, made: Any) -> None:
    """Raise if what a function of a card returned is of another class than the one that has the card."""
    if type(made) is not member:
        rule = f"{what} is {written(made)}, which is no instance of {member.__name__}"
        raise wrong(member, field, rule, "take the class that has the card")


def _examples(members: dict[str, type]) -> dict[str, tuple[Example, ...]]:
    found = {name: card_of(member).examples for name, member in sorted(members.items())}
    return {name: examples for name, examples in found.items() if examples}


#: Notion and problem as a user gives them; few inputs, since the clauses enumerate rays.
NOTIONS = _examples(all_notions())
#: Objective and problem over the mechanism's inputs.
OBJECTIVES = _examples(all_objectives())
#: Matrices closer to the edge of the notion than floats can resolve.
EDGES: dict[str, Callable[[], Edge]] = {
    name: edge for name, member in sorted(all_notions().items()) if (edge := card_of(member).edge)
}
#: A known value of each objective, which fixes its unit.
ANCHORS: dict[str, Anchor] = {
    name: anchor() for name, member in sorted(all_objectives().items()) if (anchor := card_of(member).anchor)
}
