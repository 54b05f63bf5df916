"""The paper's tables and figures: earlier schemes, the curves, and how many outputs each kind of privacy needs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from mechdesign.notions import LDP, WeightedTV
from mechdesign.objectives import FisherInformation, KLDivergence
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds, Optimum, Private
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole
from mechdesign.theorems.yoshida.divergences import BETWEEN, asked_for, largest_renyi, mixtures
from mechdesign.theorems.yoshida.three_outputs import asked, three_outputs
from mechdesign.theorems.yoshida.two_outputs import best_of_two, two_outputs


def warner(share: float) -> Array:
    """Return Warner's scheme: the report is the true answer with that probability, its opposite otherwise."""
    return np.array([[share, 1 - share], [1 - share, share]])


def unrelated(share: float, eta: float) -> Array:
    """Return the scheme that asks the question with that probability, and otherwise one answered yes as eta."""
    other = np.array([1 - eta, eta])
    return share * np.eye(2) + (1 - share) * other


def schemes(point: Point) -> tuple[Array, Array, Array, Array]:
    """Return the four rows of the table at weight 1/2."""
    d, eta, a = point.delta, point.eta, (1 - point.delta) / 2
    holohan = [[1.0, 0.0], [1 - d, d]]
    return (
        np.array([[(1 + d) / 2, (1 - d) / 2], [(1 - d) / 2, (1 + d) / 2]]),
        np.array([[d + (1 - d) * (1 - eta), (1 - d) * eta], [(1 - d) * (1 - eta), d + (1 - d) * eta]]),
        np.array(holohan if point.theta <= 0.5 else holohan[::-1]),
        np.array([[2 * a, 1 - 2 * a, 0.0], [2 * a, 0.0, 1 - 2 * a]]),
    )


#: Shares of truth that are tried for each scheme.
SHARES = np.linspace(0.0, 1.0, 21)


def each_is_best(point: Point, given: tuple[Array, ...]) -> Iterator[Check]:
    """Compare each scheme with the others of its kind that are private, and all with the optimum."""
    question = asked(point)
    objective, problem, notion = question.objective, question.problem, question.notion
    values = [objective.value(np.asarray(matrix), problem) for matrix in given]
    for matrix, value in zip(given, values, strict=True):
        yield Private(matrix, problem, notion, "the scheme is private")
        yield AtMost(value, values[-1], "three outputs have the most information")
        # More would not be private: the norm is what is allowed.
        yield Equal(notion.level(np.asarray(matrix), problem).value, point.delta, "its norm is delta")
    ends = np.append(SHARES, [(1 + point.delta) / 2, point.delta])
    kinds = [
        [warner(share) for share in ends],
        [unrelated(share, point.eta) for share in ends],
    ]
    for matrices, value in zip(kinds, values, strict=False):
        private = [matrix for matrix in matrices if notion.level(matrix, problem).value <= point.delta + 1e-12]
        best = max(objective.value(matrix, problem) for matrix in private)
        yield Equal(value, best, "it has the most information of its kind")
    yield Equal(values[2], best_of_two(question), "it has the most information with two outputs")
    yield Equal(values[3], Optimum(question), "it is the optimum")


TAB2 = Theorem(
    key="yoshida/Tab2",
    place="Table II",
    kind="comparison",
    words=(
        "At weight 1/2, the listed pairs are the best of Warner's scheme, of the scheme with an unrelated question of "
        "the given ratio, of all schemes with two outputs, and of all: the last has the most information."
    ),
    latex=(
        r"p_0 = \left[\frac{1+\delta}{2}, \frac{1-\delta}{2}\right], \quad "
        r"p_0 = [\delta + (1-\delta)(1-\eta), (1-\delta)\eta], \quad p_0 = [1, 0], \quad p_0 = [2a, 1-2a, 0]"
    ),
    # Along both kinds the pair is affine in the share of truth and the information convex: the ends are best.
    family=Family(
        {
            "delta": Real(0.05, 0.95),
            "weight": Choice((0.5,)),
            "theta": Real(0.05, 0.95),
            "eta": Real(0.05, 0.95),
        }
    ),
    printed=schemes,
    test=each_is_best,
)

#: delta and weight of the figures.
DRAWN = ((0.25, 0.5), (0.25, 0.4))


def drawn(point: Point) -> Point:
    """Return the point with the delta and the weight of its figure."""
    delta, weight = point.figure
    return point.changed(delta=delta, weight=weight)


def curves(point: Point) -> Array:
    """Return the heights of both curves of Figure 2: two outputs, and three."""
    two, three = two_outputs(drawn(point)).value, three_outputs(asked(drawn(point))).value
    return np.array([two, three])


def apart(point: Point, given: Array) -> Iterator[Check]:
    """Compare both curves with what they show, and with the earlier schemes of Figure 4."""
    question = asked(drawn(point))
    yield Equal(given[0], best_of_two(question), "the lower curve is the largest value with two outputs")
    yield Equal(given[1], Optimum(question), "the upper curve is the optimum")
    yield AtMost(given[0], given[1], "three outputs have more information at every theta", strictly=True)
    if point.figure == DRAWN[0]:
        earlier = warner((1 + 0.25) / 2), unrelated(0.25, 0.5)
        yield Equal(*earlier, "the unrelated question of even ratio is Warner's scheme")
        value = question.objective.value(earlier[0], question.problem)
        yield AtMost(value, given[0], "Warner's scheme has less information than the best two outputs", strictly=True)


FIG2 = Theorem(
    key="yoshida/Fig2",
    place="Figures 2 and 4",
    kind="comparison",
    words=(
        "At delta = 1/4 and w = 1/2 or 2/5 the largest Fisher information with three outputs lies above that with two "
        "for every theta, and at w = 1/2 both lie above Warner's scheme, which is the unrelated question at eta = 1/2."
    ),
    family=Family({"figure": Choice(DRAWN), "theta": Real(0.01, 0.99)}),
    printed=curves,
    test=apart,
)


def surface(point: Point) -> float:
    """Return the height of the surface of Figure 3."""
    return largest_renyi(drawn(point), 0.0)


def is_relative_entropy(point: Point, given: float) -> Iterator[Check]:
    """Compare with the largest relative entropy; it is 0 on the diagonal alone."""
    at = drawn(point)
    yield Equal(given, Optimum(asked_for(at, KLDivergence(**mixtures(at)))), "it is the largest relative entropy")
    yield AtMost(0.0, given, "it is positive off the diagonal", strictly=True)
    yield Holds(abs(surface(at.changed(theta2=at.theta1))) < 1e-15, "it is 0 on the diagonal")


FIG3 = Theorem(
    key="yoshida/Fig3",
    place="Figure 3",
    kind="exact optimum",
    words="At delta = 1/4 and w = 1/2 or 2/5 the surface over (theta_1, theta_2) is the largest relative entropy.",
    family=Family({"figure": Choice(DRAWN), "theta1": BETWEEN["theta1"], "theta2": BETWEEN["theta2"]}),
    printed=surface,
    test=is_relative_entropy,
)


def few_outputs(question: Question, outputs: int) -> float:
    """Return the largest utility of a number of the notion's extreme rays, all choices tried."""
    rays = question.notion.columns(question.problem).rays()
    assert rays is not None, "there are few inputs"
    utility = question.objective.column_utility(rays.columns, question.problem)  # type: ignore[attr-defined] # Fisher information is a sum over columns
    best = 0.0
    for chosen in map(list, combinations(range(rays.columns.shape[1]), outputs)):
        weights, *_ = np.linalg.lstsq(rays.columns[:, chosen], np.ones(question.problem.n))
        fits = np.abs(rays.columns[:, chosen] @ weights - 1).max() < 1e-9
        if fits and weights.min() >= -1e-12:
            best = max(best, float(weights @ utility[chosen]))
    return best


def of_shares(point: Point) -> Question:
    """Return the question of the Fisher information of n inputs under local differential privacy."""
    return Question(Problem(n=point.n), LDP(point.epsilon), FisherInformation(point.theta, point.direction))


def outputs_needed(question: Question, given: None) -> Iterator[Check]:
    """Compare equally many outputs and inputs, and two secrets under total variation, with the optimum."""
    n = question.problem.n
    yield Equal(few_outputs(question, n), Optimum(question), "as many outputs as inputs reach the optimum")
    if n == 2:
        other = Question(question.problem, WeightedTV(0.3, 0.5), question.objective)
        yield AtMost(best_of_two(other), Optimum(other), "under total variation two outputs do not", strictly=True)


TAB1 = Theorem(
    key="yoshida/Tab1",
    place="Table I",
    kind="comparison",
    words=(
        "Under (epsilon, 0)-differential privacy as many outputs as inputs reach the largest Fisher information; under "
        "(0, delta)-differential privacy two inputs need three."
    ),
    family=Family(
        {
            "n": Whole(2, 3),
            "epsilon": Real(0.1, 3.0),
            "theta": Distribution("n", least=0.05),
            "direction": Vector("n", -1.0, 1.0, balanced=True),
        },
        subject=of_shares,
    ),
    test=outputs_needed,
    loose="It counts outputs; no constant is claimed.",
)
