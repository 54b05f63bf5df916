"""The verdict on one answer: what of it is wrong, with numbers that are exact."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

from flint import arb

from tests.adversary.ask import Answer
from tests.adversary.gaps import of_gaps
from tests.adversary.numbers import Column, exact
from tests.adversary.privacy import Matrix, private, stochastic
from tests.adversary.rivals import named, rivals
from tests.adversary.value import DECIDING, best_decision, maximised, worth
from tests.adversary.world import Question, World, world_of

#: A value may be wrong by so many last places of the size of its terms.
LAST_PLACES = 512
#: Seconds beyond the limit.
GRACE = 1.0
FAILURES = (
    "not private",
    "rows do not sum to one",
    "value wrong",
    "bound is NaN",
    "bound beaten",
    "own bound passed",
    "raw exception",
    "solver failed",
    "certificate refused",
    "not proved",
    "not loaded",
    "late",
    "gap understated",
    "silent gap",
    "silent gap of gain",
    "too many outputs",
    "judge failed",
)


@dataclass(frozen=True)
class Verdict:
    """The failures of one answer, each with a number where it has a size."""

    seed: str
    question: Question
    answer: Answer
    failures: dict[str, float] = field(default_factory=dict)
    refused: bool = False
    #: How many mechanisms the bound was held against.
    rivals: int = 0
    #: How far the best of them is from the bound, relative to it.
    nearest: float = math.nan
    #: How far the design's own value is beyond that of the best of them, relative to it: how weak the rivals are.
    outdone: float = 0.0


def judge(question: Question, answer: Answer, seed: str) -> Verdict:
    """Return the verdict on an answer."""
    if answer.error:
        kind = _of_error(answer)
        return Verdict(seed, question, answer, {kind: math.nan} if kind else {}, refused=not kind)
    assert answer.matrix is not None
    world = world_of(question)
    columns: Matrix = [[exact(row[y]) for row in answer.matrix] for y in range(len(answer.matrix[0]))]
    failures = _of_matrix(columns, question, world) | _of_manner(question, answer)
    upward = maximised(question.objective)
    found, scale = worth(columns, question.objective, world, _names(columns, question, world))
    failures |= _of_value(found, scale, answer)
    bounds = [answer.bound, *(each for each in (answer.loaded_bound, answer.proved_bound) if not math.isnan(each))]
    count, best = best_rival(question, world, columns, seed)
    for reached, kind in ((found, "own bound passed"), (best, "bound beaten")):
        for bound in bounds:
            if reached is not None and passes(reached, bound, upward):
                failures[kind] = max(_excess(reached, bound), failures.get(kind, 0.0))
    failures |= of_gaps(answer, question, world)
    if best is None:
        return Verdict(seed, question, answer, failures)
    nearest = _excess(best, answer.bound) if best.is_finite() else math.nan
    ahead = best.is_finite() and (found > best if upward else found < best)
    outdone = relative(found, best) if ahead else 0.0
    return Verdict(seed, question, answer, failures, rivals=count, nearest=nearest, outdone=outdone)


def _of_error(answer: Answer) -> str:
    """Return the failure that an error is, empty for a refusal in a sentence."""
    own = {"": "raw exception", "CertificateError": "certificate refused"}
    return own.get(answer.own_error, "solver failed" if answer.own_error == "SolverError" else "")


def best_rival(question: Question, world: World, columns: Matrix, seed: str) -> tuple[int, arb | None]:
    """Return the number of rivals and the best value of them."""
    count, best = 0, None
    upward = maximised(question.objective)
    for rival in rivals(question, world, columns, random.Random(seed)):
        matrix, names = named(rival, question, world)
        if question.outputs is not None and len(matrix) > question.outputs:
            continue
        if not (stochastic(matrix) and private(matrix, question.notions, world)):
            # What is not surely private shows nothing.
            continue
        count += 1
        reached = worth(matrix, question.objective, world, names)[0]
        if best is None or (reached > best if upward else reached < best):
            best = reached
    return count, best


def _names(columns: list[Column], question: Question, world: World) -> list[int] | None:
    """Return the decisions of a design's columns: those that reveal an input come last, with the best for it."""
    name, given = question.objective
    if name not in DECIDING or all(notion != "UtilityOptimizedLDP" for notion, _ in question.notions):
        return None
    decisions = len(given["loss"][0]) if "loss" in given else world.data
    own = list(range(min(decisions, len(columns))))
    if name == "MaxOffDiagonal":
        return own + [max(range(world.n), key=lambda x: column[x]) for column in columns[decisions:]]
    return own + [best_decision(column, name, given, world) for column in columns[decisions:]]


def _of_matrix(columns: Matrix, question: Question, world: World) -> dict[str, float]:
    failures = {}
    if not private(columns, question.notions, world):
        failures["not private"] = math.nan
    if not stochastic(columns):
        failures["rows do not sum to one"] = math.nan
    used = sum(any(column) for column in columns)
    if question.outputs is not None and used > question.outputs:
        failures["too many outputs"] = float(used)
    return failures


def _of_manner(question: Question, answer: Answer) -> dict[str, float]:
    failures = {"bound is NaN": math.inf} if math.isnan(answer.bound) else {}
    limit = question.keywords.get("time_limit")
    if limit is not None and answer.seconds > 1.1 * limit + GRACE:
        failures["late"] = answer.seconds / limit
    if answer.loaded != "the same":
        failures["not loaded"] = math.nan
    if answer.proof:
        failures["not proved"] = math.nan
    if answer.refuted:
        failures["certificate refused"] = math.nan
    return failures


def _of_value(found: arb, scale: arb, answer: Answer) -> dict[str, float]:
    if not found.is_finite():
        return {} if math.isinf(answer.value) else {"value wrong": math.inf}
    if not math.isfinite(answer.value):
        return {"value wrong": math.inf}
    wrong = abs(arb(exact(answer.value)) - found)
    if wrong > LAST_PLACES * arb(2) ** -53 * scale.abs_upper() + arb(2) ** -1070:
        return {"value wrong": float((wrong / max(scale.abs_upper(), arb(2) ** -1070)).mid())}
    return {}


def passes(found: arb, bound: float, upward: bool) -> bool:
    """Tell whether an exact value is certainly better than a bound: compared as they are, without tolerance."""
    if math.isnan(bound):
        return False
    if math.isinf(bound):
        return bound < 0 if upward else bound > 0 and found.is_finite()
    limit = arb(exact(bound))
    return bool(found > limit if upward else found < limit)


def _excess(found: arb, bound: float) -> float:
    """Return by how much a value and a bound differ, relative to the larger."""
    if not found.is_finite() or not math.isfinite(bound):
        return math.inf
    return relative(found, arb(exact(bound)))


def relative(one: arb, other: arb) -> float:
    """Return by how much two numbers differ, relative to the larger."""
    larger = max(abs(one), abs(other))
    return 0.0 if larger == 0 else float((abs(one - other) / larger).mid())
