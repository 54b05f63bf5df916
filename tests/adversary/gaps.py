"""What a design says of its own gap: never less than it is, and never silent where much is missing."""

from __future__ import annotations

import math

from flint import arb, fmpq

from tests.adversary.ask import Answer
from tests.adversary.numbers import ONE, ZERO, exact
from tests.adversary.value import DECIDING, best_decision, worth
from tests.adversary.world import Question, World

#: A gap that was asked for, and the share of what is gained that may be missing without a word.
ASKED, OF_GAIN = 1e-6, 1e-3
#: The share of the span that the divisor of the gap is at least.
FLOOR = fmpq(1, 10**6)
#: A gain of so many last places of the value is none that floats can state.
PLACES = 4096


def of_gaps(answer: Answer, question: Question, world: World) -> dict[str, float]:
    """Return the failures of the gaps: understated, or wide without a warning."""
    failures = {}
    if answer.gap > ASKED and not answer.warned:
        failures["silent gap"] = answer.gap
    if not math.isfinite(answer.bound) or not math.isfinite(answer.value):
        return failures
    apart = abs(exact(answer.value) - exact(answer.bound))
    nothing = _uninformative(question, world)
    span = _span(question, world, nothing)
    size = arb(max(abs(exact(answer.value)), abs(exact(answer.bound))))
    floor = arb(0) if span is None else (arb(FLOOR) * span).upper()
    # Where the span is not known here the divisor may be larger, and nothing is said of the gap.
    divisor = max(size, floor)
    if span is not None and apart != 0 and divisor > 0:
        least = arb(apart) / divisor
        if least * (1 - arb(2) ** -40) > arb(answer.gap):
            failures["gap understated"] = float(least.mid()) - answer.gap
    missing = _of_gain(apart, answer, nothing)
    hidden = size < floor and not _no_information(question)
    if missing > OF_GAIN and hidden and not answer.warned:
        failures["silent gap of gain"] = missing
    return failures


def _no_information(question: Question) -> bool:
    """Tell whether a level is 0: what a bound is off is then rounding."""
    levels = ("epsilon", "lower", "upper", "scale")
    return any(0.0 in map(given.get, levels) for _, given in question.notions)


def _uninformative(question: Question, world: World) -> arb:
    """Return the value of the mechanism that ignores its input, with the best single decision."""
    name, given = question.objective
    everything = [[ONE] * world.n]
    if name in {"MaxOffDiagonal", "WorstCaseLoss"}:
        decisions = len(given["loss"][0]) if name == "WorstCaseLoss" else world.data
        every = (worth(everything, question.objective, world, [d])[0] for d in range(decisions))
        return min(every, key=lambda ball: float(ball.mid()))
    names = [best_decision(everything[0], name, given, world)] if name in DECIDING else None
    return worth(everything, question.objective, world, names)[0]


def _span(question: Question, world: World, nothing: arb) -> arb | None:
    """Return how far the uninformative mechanism is from no privacy, 0 where that is infinite, None where not known."""
    if question.objective[0] in DECIDING or question.objective[0] == "InformationDesign":
        return None
    told = [[ONE * (x == y) + ZERO for x in range(world.n)] for y in range(world.n)]
    span = abs(nothing - worth(told, question.objective, world)[0])
    return span if span.is_finite() else arb(0)


def _of_gain(apart: fmpq, answer: Answer, nothing: arb) -> float:
    """Return the gap relative to what is gained: the package's word, or where it has none our own."""
    if answer.gap_of_gain is not None:
        return answer.gap_of_gain
    limit = arb(exact(answer.bound))
    gained = abs(limit - nothing)
    if not nothing.is_finite() or not gained > PLACES * arb(2) ** -53 * abs(limit):
        return 0.0
    return float((arb(apart) / gained).mid())
