"""How many people known mechanisms need for one error, in units of ours: means, numbers, prefix sums, marginals."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import mechdesign as md
from benchmarks.measuring import Part, Row

Array = npt.NDArray[np.float64]
#: The mean of [-1, 1]: epsilon, the gap that is promised, and how many people the best published mechanism needs.
MEANS = (
    (0.5, 1e-3, 1.04),
    (1.0, 1e-3, 1.07),
    (2.0, 1e-3, 1.16),
    (3.0, 1e-3, 1.28),
    (4.0, 1e-3, 1.305),
    (6.0, 3e-3, 1.31),
)
#: One number of [0, 1]: epsilon, the gap that is promised, and the share of the published largest errors, by the loss.
NUMBERS = ((2.0, 1e-2, {"absolute": 0.76, "squared": 0.79}), (4.0, 1e-2, {"absolute": 0.67, "squared": 0.54}))
#: Workloads of ordered inputs: how many, which, epsilon, and the gap that is promised.
ORDERED = (
    (64, "prefix", 0.5, 0.015),
    (64, "prefix", 1.0, 0.015),
    (64, "prefix", 2.0, 0.04),
    (64, "ranges", 1.0, 0.015),
)
#: The largest variance for fixed people of all prefix sums of 128 inputs, added up, at epsilon 1: R. McKenna, R. K.
#: Maity, A. Mazumdar, G. Miklau, "A Workload-Adaptive Mechanism for Linear Queries under Local Differential Privacy",
#: PVLDB 13 (2020).
MCKENNA, AT_MOST = 1910.87, 1600.0
#: Binary attributes, epsilon, and the gap that is promised of all one- and two-way marginals.
MARGINALS = ((4, 1.0, 2.4e-3), (6, 1.0, 2.5e-3), (8, 1.0, 2.5e-3), (10, 1.0, 2.5e-3), (6, 0.5, 0.065), (6, 2.0, 0.18))


def of_mean(epsilon: float, gap: float, more: float) -> Row:
    """Compare the best published mechanism for the mean of an interval with ours."""
    made = md.design(md.Problem.from_interval(-1.0, 1.0), md.LDP(epsilon), md.UnbiasedMean(), gap=gap, time_limit=60.0)
    known = md.baselines.numeric_variances(-1.0, 1.0, epsilon)
    best = min(known, key=lambda name: known[name])
    # What is promised is that ours needs fewer.
    ratio = made.value / known[best]
    note = f"{best}; {100 * (1 / ratio - 1):.1f} % more people, gap {made.gap:.1e}"
    return Row(f"mean of [-1, 1], eps {epsilon:g}: ours / best published", ratio, "x", 1 / more, made.gap <= gap, note)


def of_number(epsilon: float, gap: float, word: str, at_most: float) -> Row:
    """Compare the largest error of the optimal piecewise mechanism for one number of an interval with ours."""
    made = md.design(md.Problem.from_interval(0.0, 1.0), md.LDP(epsilon), md.WorstCaseLoss(word), gap=gap)
    published = md.baselines.numeric_errors(0.0, 1.0, epsilon)[word]
    note = f"ours {made.value:.4f}, the optimal piecewise mechanism {published:.4f}, gap {made.gap:.1e}"
    what = f"largest {word} error of a number of [0, 1], eps {epsilon:g}: ours / best published"
    return Row(what, made.value / published, "x", at_most, made.gap <= gap, note)


def designed(problem: md.Problem, epsilon: float, queries: Any, gap: float) -> tuple[md.Design, md.InformationDesign]:
    """Return the design for a workload, and its objective."""
    objective = md.InformationDesign("A", queries=queries)
    return md.design(problem, md.LDP(epsilon), objective, gap=gap / 5.0), objective


def of_workload(what: str, n: int, epsilon: float, queries: Any, gap: float) -> Row:
    """Compare the design for all frequencies and k-ary response with ours, and report the gap."""
    problem = md.Problem(n=n)
    made, objective = designed(problem, epsilon, queries, gap)
    frequencies = md.design(problem, md.LDP(epsilon), md.InformationDesign("A"), gap=0.05)
    others = {
        "design for all frequencies": frequencies.matrix,
        "k-ary response": md.baselines.randomised_response(problem, epsilon).matrix,
    }
    ratios = {name: objective.value(matrix, problem) / made.value for name, matrix in others.items()}
    note = ", ".join(f"{name} needs {ratio:.2f} times as many" for name, ratio in ratios.items())
    return Row(f"{what}, eps {epsilon:g}: certified gap", made.gap, "", gap, note=note)


def largest_for_fixed_people(matrix: Array, queries: Array) -> float:
    """Return the largest over inputs of the sum of all queries' variances per person of that input."""
    mass = matrix.mean(axis=0)
    estimates = np.linalg.inv((matrix / mass) @ matrix.T) @ (matrix / mass)
    gram = queries.T @ queries
    squares = np.einsum("xy,xz,zy->y", estimates, gram, estimates)
    return float((matrix @ squares - np.diag(gram)).max())


def of_published_prefix() -> Row:
    """Compare the published variance of prefix sums with ours, in its own convention."""
    made, _ = designed(md.Problem(n=128), 1.0, "prefix", 0.03)
    found = largest_for_fixed_people(made.matrix, md.queries.prefix(128))
    note = f"published {MCKENNA:g}, ours {found:.5g}; certified gap of the average {made.gap:.1e}"
    work = "128 prefix sums, eps 1, fixed people: ours / published"
    return Row(work, found / MCKENNA, "x", AT_MOST / MCKENNA, made.gap <= 0.03, note)


def rows(quick: bool) -> Iterator[Row]:
    """Yield the rows; a quick run has one of each sort."""
    for mean in MEANS[1:2] if quick else MEANS:
        yield of_mean(*mean)
    for epsilon, gap, shares in NUMBERS[:1] if quick else NUMBERS:
        for word, share in shares.items():
            yield of_number(epsilon, gap, word, share)
    for n, word, epsilon, gap in ORDERED[1:2] if quick else ORDERED:
        yield of_workload(f"{n} inputs, {word}", n, epsilon, word, gap)
    for count, epsilon, gap in MARGINALS[1:2] if quick else MARGINALS:
        queries = md.queries.marginals([2] * count, 2)
        yield of_workload(f"one- and two-way marginals of {count} bits", 1 << count, epsilon, queries, gap)
    if not quick:
        yield of_published_prefix()


def measure(quick: bool) -> Part:
    """Return how many people known mechanisms need, and the gaps that are promised."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        return Part("people", list(rows(quick)))
