"""What an answer is worth: privacy as it comes, the mechanism after repair, its multipliers, and its status."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.bench.answer import Answer
from mechdesign.bench.instance import Instance
from mechdesign.bench.judging.privacy import PrivacyScore, privacy_of
from mechdesign.errors import MechdesignError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import Linear
from mechdesign.parameters.checks import Array
from mechdesign.solve.certificate.claims import derive
from mechdesign.solve.repair.exactly_private import repair

#: An answer that is called optimal and misses the optimum, or its constraints, by more than so many times the tolerance
#: that was asked for is not; nor is less than the second a miss.
TIMES, OPTIMAL = 100.0, 1e-4
#: Sums of larger entries would overflow: where a solver diverged, nothing is made of its point.
LARGEST = 1e100
#: Multipliers whose bound is further than this from the optimum prove nothing of a point that is better than `GOOD`.
LOOSE, GOOD = 1e-2, 1e-5
#: Why multipliers prove nothing.
OPPOSITE, UNRELATED = "have the opposite sign", "belong to no optimum"


@dataclass(frozen=True)
class Score:
    """What an answer is worth, found from its numbers alone.

    Attributes
    ----------
    privacy : PrivacyScore or None
        How private the matrix is as it comes; None where there is no point.
    infeasibility : float
        The largest violation of a bound, a row or a cone of the program, in its units; infinite without a point.
    error : float
        By how much the repaired, exactly private mechanism is worse than the certified optimum, relatively.
    bound_error : float
        By how much the bound from the answer's multipliers is further than the certified bound, relatively; infinite
        without multipliers.
    gap : float
        The gap that the answer proves by itself: between the repaired mechanism and the bound from its multipliers.
    faults : tuple of str
        What is wrong with the answer, in sentences.
    """

    privacy: PrivacyScore | None
    infeasibility: float
    error: float
    bound_error: float
    gap: float
    faults: tuple[str, ...]


def judged(instance: Instance, answer: Answer, accuracy: float = 1e-6) -> Score:
    """Return the score of an answer to an instance at an accuracy: privacy, errors and faults."""
    if answer.x is None:
        return Score(None, math.inf, math.inf, math.inf, math.inf, _without_point(answer))
    if not np.all(np.abs(answer.x) <= LARGEST):
        return Score(None, math.inf, math.inf, math.inf, math.inf, ("its point is not finite, or next to it",))
    posed = instance.posed
    matrix = posed.matrix(answer.x)
    # Nothing follows from multipliers that are no numbers.
    duals = answer.row_duals if answer.row_duals is not None and np.all(np.isfinite(answer.row_duals)) else None
    found = judged_matrix(instance, matrix, None if duals is None else posed.multipliers(duals))
    infeasibility = posed.program.violation(answer.x)
    allowed = max(OPTIMAL, TIMES * accuracy)
    faults = [*_of_status(answer.status, infeasibility, found.error, allowed), *found.faults]
    if duals is not None and found.error <= GOOD and found.bound_error > LOOSE:
        opposite = judged_matrix(instance, matrix, posed.multipliers(-duals))
        sign = opposite.bound_error <= LOOSE
        why = OPPOSITE if sign else UNRELATED
        faults.append(f"its multipliers {why}: their bound is off by {_share(found.bound_error)}")
    return Score(found.privacy, infeasibility, found.error, found.bound_error, found.gap, tuple(faults))


def judged_matrix(instance: Instance, matrix: Array, multipliers: Multipliers | None) -> Score:
    """Return the score of a matrix and its multipliers on an instance, without its conic program."""
    question = instance.question
    privacy = privacy_of(matrix, question)
    keeps = matrix.shape[1] == question.objective.outputs(question.problem)
    repaired = repair(matrix, question.notion, question.problem, keep_outputs=keeps).matrix
    if not keeps and isinstance(question.objective, Linear):
        # Each ray recommends what is best after it.
        repaired = question.objective.by_decision(repaired, question.problem)
    error = instance.error(question.objective.value(repaired, question.problem))
    gap = bound_error = math.inf
    if multipliers is not None:
        try:
            proved = derive(question, question.problem, repaired, multipliers, "an answer of the benchmark")
            gap = proved.gap
            bound_error = _bound_error(instance, proved.bound)
        except MechdesignError:
            # Nothing follows from such multipliers.
            gap = bound_error = math.inf
    return Score(privacy, math.nan, error, bound_error, gap, _of_privacy(privacy))


def _bound_error(instance: Instance, bound: float) -> float:
    """Return how far a bound is from the certified value, as `Instance.error` measures a value from the bound."""
    if not np.isfinite(bound):
        return math.inf
    apart = abs(bound - instance.optimum.value)
    return apart / max(abs(bound), abs(instance.optimum.value), np.finfo(float).tiny)


def _without_point(answer: Answer) -> tuple[str, ...]:
    if answer.status in ("infeasible", "unbounded"):
        return (f"it says {answer.status}, and there is an optimum",)
    return ("it says optimal, and gives no point",) if answer.status == "optimal" else ()


def _of_status(status: str, infeasibility: float, error: float, allowed: float) -> list[str]:
    if status in ("infeasible", "unbounded"):
        return [f"it says {status}, and there is an optimum"]
    if status != "optimal":
        return []
    if infeasibility > allowed:
        return [f"it says optimal, and violates a constraint by {infeasibility:.1e}"]
    return [f"it says optimal, and its mechanism is worse by {_share(error)}"] if error > allowed else []


def _of_privacy(privacy: PrivacyScore) -> tuple[str, ...]:
    found = []
    if privacy.violated:
        of = f"{privacy.violated} of {privacy.comparisons} comparisons fail"
        found.append(f"its matrix is not private: {of}, and deployed it would have level {privacy.level:.9g}")
    if privacy.row_error > GOOD:
        found.append(f"its rows do not sum to 1: one is off by {privacy.row_error:.1e}")
    return tuple(found)


def _share(part: float) -> str:
    return f"{100.0 * part:.2g} %" if math.isfinite(part) else "infinitely much"
