"""What a card must satisfy: its functions return what they have to, and what it says of other notions is true."""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mechdesign.catalogue import Rule, card_of
from mechdesign.catalogue.asked import asked, of_type
from mechdesign.catalogue.rule import required_level
from mechdesign.errors import MechdesignError
from mechdesign.exact import Integers
from mechdesign.notions import Notion
from mechdesign.notions.stronger import stronger
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.reports.promises import odds, promises
from mechdesign.testing.catalogue import all_notions
from mechdesign.testing.contract import Clause, require
from mechdesign.testing.exact_utility import private_integers
from mechdesign.testing.sized import sized_of, sized_problem

#: How far a level may lie above what a rule or a stronger notion says, relative and absolute: rounding of both.
ROUNDING: Final = 1e-9
#: Inputs of the problem for which `sized` is called.
INPUTS: Final = 4


def sentences(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """Promise and odds are texts; a promise is not empty."""
    inputs = notion.inputs(problem)
    require(all(said.strip() for said in promises(notion, inputs)), "the card's promise is empty")
    odds(notion, inputs)


def stronger_implies(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """What is private under the notion that a card names as stronger satisfies the notion."""
    inputs = notion.inputs(problem)
    if card_of(type(notion)).stronger is None:
        return
    found = stronger(notion, inputs)
    if found is None or found.disclosed:
        return
    for matrix in _private(found.notion, inputs, rng):
        beyond = notion.level(matrix, inputs).excess(notion)
        said = f"a mechanism of {found.notion}, which the card says is stronger, is {beyond:.3g} above the level"
        require(beyond <= ROUNDING, said)


def rules_hold(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """What is private under a notion that a rule names satisfies this one at the constant of the rule."""
    inputs = notion.inputs(problem)
    for part in notion.parts():
        for rule in card_of(type(part)).implied_by:
            first = sized_of(_named(rule, type(part)))(problem, rng)
            seen = None if first is None or len(first.parts()) > 1 else _inputs(first, problem)
            if seen is None or seen.n != inputs.n:
                continue
            least = required_level(rule, first, part)
            for matrix in _private(first, seen, rng):
                level = part.level(matrix, inputs).value
                said = f"a mechanism of {first} has the level {level:.6g}, and the rule says at most {least:.6g}"
                require(level <= least * (1.0 + ROUNDING) + ROUNDING, said)


def sized_is_an_instance(member: type[Notion] | type[Objective], rng: np.random.Generator) -> None:
    """`sized` returns an instance of the class, or None."""
    function = card_of(member).sized
    if function is not None:
        found = asked(member, "sized", function, sized_problem(INPUTS, rng), rng)
        of_type(member, "sized", found, (member, type(None)), f"an instance of {member.__name__}, or None")


def _named(rule: Rule, member: type) -> Any:
    """Return the notion that a rule names: of the catalogue, or of the module of the member."""
    found = all_notions().get(rule.first, getattr(sys.modules.get(member.__module__), rule.first, None))
    is_notion = isinstance(found, type) and issubclass(found, Notion)
    require(is_notion, f"a rule names {rule.first}, which is no notion of the catalogue or of {member.__module__}")
    return found


def _inputs(notion: Notion, problem: Problem) -> Problem | None:
    """Return the problem over a notion's inputs; None if it cannot be asked, for want of a prior say."""
    try:
        return notion.inputs(problem)
    except MechdesignError:
        return None


def _private(notion: Notion, problem: Problem, rng: np.random.Generator) -> list[Array]:
    """Return matrices of some mechanisms that satisfy a notion exactly, most of them at its edge."""
    return [_floats(numerators) for numerators in private_integers(notion, problem, rng)]


def _floats(numerators: Integers) -> Array:
    whole = int(numerators[0].sum())
    found: Array = np.array([[float(Fraction(int(entry), whole)) for entry in row] for row in numerators])
    return found


#: Of an instance of a notion.
CARD_CLAUSES: dict[str, Clause] = {
    "sentences": sentences,
    "stronger": stronger_implies,
    "implied by": rules_hold,
}
