"""The set `hard`: 30 instances on which solvers fail, chosen among `candidates`.

``python -m benchmarks.hard_instances`` is the search. It asks five solvers for each candidate at an accuracy of 1e-9
and counts as a failure an answer that is worse than 1e-6 after repair, a bound from its duals that is off by more than
1e-6, and a status that is false. Those with most failures are kept. Masses of 1e-12 and values over twelve powers of
ten turned out to be easy, as the relative error of the loss is what counts; large levels, small utilities and norms are
not.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.bench.sets.drafts import Draft, draft, on_a_line
from mechdesign.bench.sets.drawing import distances_between, random_places, skewed_prior, values_of
from mechdesign.bench.sets.small import AUXILIARY, DECISIONS, PAIRS, RAYS
from mechdesign.notions import (
    LDP,
    LIP,
    MetricDP,
    MutualInformationPrivacy,
    StrongChiSquare,
    StrongL1,
)
from mechdesign.objectives import (
    MMSE,
    AbsoluteError,
    ExpectedLoss,
    HammingLoss,
    InformationDesign,
    KLDivergence,
    MutualInformation,
    WorstCaseLoss,
)
from mechdesign.problem import Problem

#: The names of the instances that are kept, most failures first.
KEPT = (
    "ldp-worst-level-17-pairs",
    "ldp-worst-level-14-pairs",
    "ldp-worst-level-11-pairs",
    "ldp-mmse-level-17-rays",
    "lip-level-20.7-auxiliary",
    "lip-level-17-auxiliary",
    "ldp-worst-level-17-auxiliary",
    "ldp-worst-level-14-auxiliary",
    "ldp-level-20.7-pairs",
    "ldp-level-20.7-decisions",
    "ldp-level-20.7-auxiliary",
    "ldp-level-17-decisions",
    "ldp-level-14-decisions",
    "l1-0.01-mass-1e-12-auxiliary",
    "frequencies-level-0.01-rotated",
    "frequencies-level-0.001-rotated",
    "map-cluster-3-pairs",
    "map-cluster-1-pairs",
    "lip-level-8-decisions",
    "lip-level-17-decisions",
    "lip-level-14-auxiliary",
    "lip-information-level-0.0001-rays",
    "ldp-level-14-pairs",
    "l1-0.3-mass-1e-06-auxiliary",
    "ldp-mmse-level-14-rays",
    "ldp-mmse-level-11-rays",
    "mip-level-1e-06-exp",
    "mip-level-0.0001-exp",
    "mip-level-1-exp",
    "ldp-kl-level-1e-06-rays",
)


def hard() -> list[Draft]:
    """Return the drafts of the set, each with the forms that are kept."""
    found = []
    for each in candidates():
        forms = tuple(form for name, form in each.names() if name in KEPT)
        if forms:
            found.append(Draft(each.label, each.question, forms, each.why))
    return found


def candidates() -> Iterator[Draft]:
    """Yield what the search looks at."""
    yield from _large_levels()
    yield from _small_utilities()
    yield from _masses()
    yield from _clusters()
    yield from _degenerate()
    yield from _curved()


def _large_levels() -> Iterator[Draft]:
    error, line, eight = AbsoluteError(), on_a_line(10, 301), on_a_line(8, 302)
    steps = np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))
    for epsilon in (8.0, 11.0, 14.0, 17.0, 20.7):
        why = f"e^epsilon is {np.exp(epsilon):.1e}: coefficients of that size beside ones, and a loss next to 0"
        yield draft(f"ldp-level-{epsilon:g}", line, LDP(epsilon), error, PAIRS, AUXILIARY, DECISIONS, why=why)
        yield draft(f"lip-level-{epsilon:g}", line, LIP(epsilon), error, AUXILIARY, DECISIONS, why=why)
        yield draft(f"ldp-mmse-level-{epsilon:g}", eight, LDP(epsilon), MMSE(), RAYS, why=why)
        yield draft(
            f"ldp-worst-level-{epsilon:g}", eight, LDP(epsilon), WorstCaseLoss(steps), PAIRS, AUXILIARY, why=why
        )


def _small_utilities() -> Iterator[Draft]:
    eight = on_a_line(8, 303)
    first, second = skewed_prior(8, 304, 1e-2), skewed_prior(8, 305, 1e-2)
    for epsilon in (1e-2, 1e-3, 1e-4, 1e-6):
        why = f"utilities of the size of epsilon^2 = {epsilon**2:g}, differences of terms of order 1"
        yield draft(f"ldp-information-level-{epsilon:g}", eight, LDP(epsilon), MutualInformation(), RAYS, why=why)
        yield draft(f"lip-information-level-{epsilon:g}", eight, LIP(epsilon), MutualInformation(), RAYS, why=why)
        yield draft(f"ldp-kl-level-{epsilon:g}", eight, LDP(epsilon), KLDivergence(first, second), RAYS, why=why)


def _masses() -> Iterator[Draft]:
    for mass in (1e-3, 1e-6, 1e-12):
        prior = skewed_prior(10, 311)
        prior[[2, 5, 7]] = mass
        line = Problem(prior=prior / prior.sum(), values=values_of(10, 311))
        why = f"three inputs of mass {mass:g} in a norm: their auxiliary variables cost next to nothing"
        for epsilon in (0.01, 0.3):
            notion = StrongL1(epsilon)
            yield draft(f"l1-{epsilon:g}-mass-{mass:g}", line, notion, AbsoluteError(), AUXILIARY, why=why)
        yield draft(f"ball-mass-{mass:g}", line, StrongChiSquare(0.5), AbsoluteError(), "second-order cones", why=why)


def _clusters() -> Iterator[Draft]:
    """Six places close to each other; distances are shortest ways, so that the triangle inequality holds."""
    places = random_places(12, 322)
    loss, apart = distances_between(places), distances_between(places)
    apart[:6, :6] *= 1e-6
    for z in range(12):
        apart = np.minimum(apart, apart[:, [z]] + apart[[z], :])
    why = "six places within 1e-5 of each other, the others 10 apart: factors from 1 + 1e-6 to e^(10 epsilon)"
    for epsilon in (1.0, 2.0, 3.0):
        problem = Problem(prior=skewed_prior(12, 323))
        yield draft(f"map-cluster-{epsilon:g}", problem, MetricDP(epsilon, apart), ExpectedLoss(loss), PAIRS, why=why)


def _degenerate() -> Iterator[Draft]:
    even = Problem(prior=np.full(12, 1.0 / 12.0), values=np.arange(12.0))
    why = "all inputs alike: very many optima, and as many optimal duals"
    yield draft("ldp-even-hamming", even, LDP(1.0), HammingLoss(), PAIRS, RAYS, why=why)
    yield draft("ldp-even-hamming-12", even, LDP(12.0), HammingLoss(), PAIRS, AUXILIARY, why=why)
    yield draft("both-even", even, LIP(1.0) & LDP(1.0), AbsoluteError(), AUXILIARY, DECISIONS, why=why)


def _curved() -> Iterator[Draft]:
    error, six = AbsoluteError(), on_a_line(6, 331)
    for epsilon in (1e-6, 1e-3, 2.0):
        why = f"second-order cones of width {epsilon:g}"
        yield draft(f"ball-level-{epsilon:g}", six, StrongChiSquare(epsilon), error, "second-order cones", why=why)
    for epsilon in (1e-6, 1e-4, 1e-2, 1.0):
        why = f"{epsilon:g} nats of information: of the size of the square of what a report discloses"
        notion = MutualInformationPrivacy(epsilon)
        yield draft(f"mip-level-{epsilon:g}", six, notion, error, "exponential cones", why=why)
    for epsilon in (1e-3, 1e-2, 4.0, 6.0):
        why = f"variances at epsilon = {epsilon:g}: the inverse of an information of the size of epsilon^2"
        five, ldp = Problem(prior=skewed_prior(5, 332, 1e-2)), LDP(epsilon)
        yield draft(f"frequencies-level-{epsilon:g}", five, ldp, InformationDesign("A"), "rotated cones", why=why)
