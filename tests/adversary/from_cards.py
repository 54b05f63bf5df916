"""Questions drawn from the cards of notions and objectives that the adversary has no arithmetic of its own for.

A notion or an objective in one file is drawn as soon as it has a card: the instances are those of its examples and of
`sized`, at random levels. Here alone the package's own exact check says what is private; values and bounds are held
against private mechanisms in integers.
"""

from __future__ import annotations

import random
import warnings
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

import mechdesign as md
from mechdesign.catalogue import card_of
from mechdesign.exact import dyadic
from mechdesign.testing.catalogue import all_notions, all_objectives, forgotten
from mechdesign.testing.exact_utility import exact_utility, private_integers
from mechdesign.testing.examples import drawn_example
from mechdesign.testing.manners import forget
from mechdesign.testing.sized import as_asked, sized_of, sized_problem
from tests.adversary.draw_notion import NOTIONS, level
from tests.adversary.draw_objective import OBJECTIVES

#: A value in floats may differ from its exact utility by this share of the size of the bound.
ROUNDING = 1e-9
#: However small value and bound are: they are sums of terms of order one.
LEAST = 2.0**-53
#: The share of questions of an example, which has a problem of its own.
OF_EXAMPLES = 0.5
MOST_INPUTS = 5


@dataclass(frozen=True)
class CardVerdict:
    """What was asked of a member, and what is wrong with the answer."""

    member: str
    seed: str
    asked: str
    failures: tuple[str, ...] = ()
    refused: str = ""


def without_arithmetic() -> list[type]:
    """Return the members of the catalogue that the tables of `draw_notion` and `draw_objective` do not have."""
    tables = {*NOTIONS, *OBJECTIVES, "Intersection"}
    return [member for name, member in {**all_notions(), **all_objectives()}.items() if name not in tables]


def question(member: type, seed: str) -> tuple[md.Problem, md.Notion, md.Objective]:
    """Return the question of a seed, the same on every machine."""
    rng = random.Random(f"{member.__name__}-{seed}")
    drawn = np.random.default_rng(rng.randrange(2**32))
    if issubclass(member, md.Notion):
        notion, problem = _instance(member, rng, drawn)
        problem = replace(problem, values=drawn.normal(size=problem.n)) if problem.values is None else problem
        for _ in range(20):
            name = rng.choice(sorted(OBJECTIVES))
            objective = sized_of(getattr(md, name))(notion.inputs(problem), drawn)
            if objective is not None and _fits(objective, notion.inputs(problem)):
                return problem, notion, objective
        raise LookupError(f"no objective of the catalogue can be asked under {notion}")
    objective, problem = _instance(member, rng, drawn)
    asked = [md.LDP(level(rng)), md.MaxLift(level(rng)), md.MaximalLeakage(level(rng))]
    return problem, rng.choice(asked if problem.prior is not None else asked[:1]), objective


def _instance(member: type, rng: random.Random, drawn: np.random.Generator) -> tuple[Any, md.Problem]:
    examples = card_of(member).examples
    problem = sized_problem(rng.randint(2, MOST_INPUTS), drawn)
    made = None if examples and rng.random() < OF_EXAMPLES else sized_of(member)(problem, drawn)
    if made is None:
        if not examples:
            raise md.DomainError("examples", examples, "nothing can be drawn", forgotten(member, "examples"))
        made, problem = drawn_example(member, rng.choice(examples), drawn)
    elif isinstance(made, md.Notion):
        problem = as_asked(made, problem)
    if not isinstance(made, md.Notion):
        return made, problem
    try:
        return (made.at(level(rng)) if len(made.parts()) == 1 else made), problem
    except md.DomainError:
        return made, problem


def _fits(objective: md.Objective, inputs: md.Problem) -> bool:
    try:
        objective.check(inputs)
    except md.MechdesignError:
        return False
    return True


def verdict(member: type, seed: str) -> CardVerdict:
    """Ask one question and judge the answer."""
    try:
        problem, notion, objective = question(member, seed)
    except md.MechdesignError as error:
        return CardVerdict(member.__name__, seed, "", refused=str(error))
    forget()
    asked = f"{objective} under {notion}, n = {problem.n}"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.GapWarning)
            made = md.design(problem, notion, objective)
    except md.MechdesignError as error:
        return CardVerdict(member.__name__, seed, asked, refused=str(error))
    except Exception as error:  # noqa: BLE001 # whatever is raised is what is looked for
        return CardVerdict(member.__name__, seed, asked, (f"raw exception: {type(error).__name__}: {error}",))
    return CardVerdict(member.__name__, seed, asked, tuple(faults(made, np.random.default_rng(0))))


def faults(made: md.Design, rng: np.random.Generator) -> list[str]:
    """Return what is wrong with a design: the matrix, its value, or a bound that a private mechanism passes."""
    asked = made.mechanism.asked
    notion, objective, inputs = asked.notion, asked.objective, asked.notion.inputs(asked.problem)
    numerators = dyadic(made.by_decision)
    if numerators is None or any(sum(map(Fraction, row)) != 1 for row in made.by_decision.tolist()):
        return ["rows do not sum to one"]
    found = [] if notion.holds_exactly(numerators, inputs) else ["not private"]
    reached, bound = (objective.to_utility(number, inputs) for number in (made.value, made.bound))
    room = max(ROUNDING * max(map(abs, (made.value, made.bound, reached, bound))), LEAST)
    own = exact_utility(objective, inputs, numerators)
    if own is not None and abs(float(own) - reached) > room:
        found.append("value wrong")
    if own is not None and float(own) > bound + room:
        found.append("own bound passed")
    rivals = (exact_utility(objective, inputs, rival) for rival in private_integers(notion, inputs, rng))
    if any(utility is not None and float(utility) > bound + room for utility in rivals):
        found.append("bound beaten")
    return found


def listing(found: list[CardVerdict]) -> str:
    """Return a line for each member, and one for each failure."""
    lines = []
    for name in dict.fromkeys(one.member for one in found):
        own = [one for one in found if one.member == name]
        refused, failed = sum(bool(one.refused) for one in own), sum(bool(one.failures) for one in own)
        lines.append(f"{name}: {len(own)} questions, {refused} refused, {failed} failed")
        if refused == len(own):
            lines.append(f"  {own[0].refused}")
        lines += [f"  {one.seed}: {'; '.join(one.failures)} ({one.asked})" for one in own if one.failures]
    return "\n".join(lines)


def verdicts(members: list[type], designs: int, seed: int | str) -> list[CardVerdict]:
    """Return the verdicts on so many random questions of each member."""
    return [verdict(member, f"{seed}-{i}") for member in members for i in range(designs)]
