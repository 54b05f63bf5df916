"""What every member has on its card, by name: examples, edges and anchors of the whole catalogue."""

from __future__ import annotations

from collections.abc import Callable

from mechdesign.catalogue import card_of
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.card import Example
from mechdesign.catalogue.edge import Edge
from mechdesign.testing.catalogue import all_notions, all_objectives


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
