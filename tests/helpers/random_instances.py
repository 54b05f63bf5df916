"""One generator of random questions for every route, with the optimum by brute force: skewed, tied, lopsided.

A seed gives a question of two to nine inputs; a route takes of it what it answers. What is true of it is worked out
from lists of vertices and programs written apart, with nothing of the package's but its names for the question.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar

import mechdesign as md
from tests.helpers import brute_force as brute

#: Sizes by seed: mostly small, and some of seven to nine inputs.
SIZES = (2, 3, 4, 5, 2, 3, 4, 6, 3, 7, 5, 2, 4, 3, 8, 6, 2, 5, 3, 9)
RATIOS = ("KLDivergence", "TotalVariation", "ChiSquare", "Hellinger", "JensenShannon")


class Draw:
    """Random numbers of one seed: a level, priors and values, of the kinds that seeds go through in turn."""

    def __init__(self, seed: int, size: int | None = None) -> None:
        self.seed, self.rng = seed, np.random.default_rng(seed)
        # Each round of sizes starts one later than the last, so that whatever else goes by seed meets them all.
        self.n = SIZES[(seed + seed // len(SIZES)) % len(SIZES)] if size is None else size
        self.epsilon = float(np.exp(self.rng.uniform(math.log(0.05), math.log(5.0))))
        self.prior = self.distribution(seed % 5)
        self.values = self._values(seed % 4)

    def distribution(self, kind: int) -> np.ndarray:
        """Return masses: even, skewed by thousands, with ties, with one atom of nearly everything, nearly uniform."""
        n, rng = self.n, self.rng
        masses = (
            lambda: rng.dirichlet(np.ones(n)) + 1e-3,
            lambda: rng.dirichlet(np.ones(n)) ** 3 + 1e-4,
            lambda: rng.integers(1, 4, size=n).astype(float),
            lambda: np.append(50.0 * n, rng.uniform(0.5, 1.0, size=n - 1)),
            lambda: 1.0 + 0.1 * rng.uniform(size=n),
        )[kind]()
        return masses / masses.sum()

    def scores(self) -> np.ndarray:
        """Return a number for each input, of no distribution's."""
        return self.rng.normal(size=self.n)

    def _values(self, kind: int) -> np.ndarray:
        n, rng = self.n, self.rng
        return (
            lambda: rng.normal(size=n),
            lambda: np.append(rng.integers(0, 3, size=n - 1), 3.0).astype(float),
            lambda: np.exp(2.0 * rng.normal(size=n)),
            lambda: np.arange(n, dtype=float),
        )[kind]()

    @property
    def problem(self) -> md.Problem:
        return md.Problem(prior=self.prior, values=self.values)

    def pick(self, options: Any) -> Any:
        """Return one of the options; seeds go through them all."""
        return tuple(options)[self.seed // len(SIZES) % len(options)]


@dataclass(frozen=True)
class Question:
    """A question, and the interval that holds its best utility (the value, or minus it where it is minimised)."""

    problem: md.Problem
    notion: md.Notion
    objective: md.Objective
    #: From a matrix to its utility, by definition.
    utility: Callable[[np.ndarray], float]
    least: float
    most: float
    #: What errors are relative to where the optimum is next to 0: all that information can change.
    span: float
    #: From a matrix to whether it is private, by definition.
    private: Callable[[np.ndarray], bool]
    keywords: dict[str, Any] = field(default_factory=dict)
    #: What an interior point may leave, as a share of the span, of an error that is next to 0; the gap has to say so.
    left: float = 0.0
    #: The gap that is asked for.
    widest: float = 1e-6
    #: From a matrix to a utility that no mechanism passes, where the interval is not known before the design.
    tangent: Callable[[np.ndarray], float] | None = None


# Notions ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cone:
    """A notion with its vertices by brute force, and what each takes of a budget."""

    notion: md.Notion
    columns: np.ndarray
    rows: np.ndarray
    cost: np.ndarray | None = None
    limits: np.ndarray | None = None

    def private(self, matrix: np.ndarray) -> bool:
        """Tell whether each column satisfies the rows, and the largest entries the budget, up to rounding."""
        within = np.all(self.rows @ matrix >= -1e-12 * matrix.max(axis=0))
        return bool(within and (self.limits is None or matrix.max(axis=0).sum() <= self.limits[0] * (1 + 1e-12)))


def ldp(d: Draw, epsilon: float) -> Cone:
    return Cone(md.LDP(epsilon), brute.ldp_vectors(d.n, epsilon), brute.ldp_rows(d.n, epsilon).reshape(-1, d.n))


def _band(d: Draw, notion: md.Notion, low: float, high: float) -> Cone:
    mass, unit = np.tile(d.prior, (d.n, 1)), np.eye(d.n)
    return Cone(notion, brute.band_vectors(d.prior, low, high), np.vstack([unit - low * mass, high * mass - unit]))


def lip(d: Draw, epsilon: float) -> Cone:
    return _band(d, md.LIP(epsilon), math.exp(-epsilon), math.exp(epsilon))


def max_lift(d: Draw, epsilon: float) -> Cone:
    return _band(d, md.MaxLift(epsilon), 0.0, math.exp(epsilon))


def asymmetric(d: Draw, epsilon: float) -> Cone:
    lower, upper = 0.7 * epsilon, 1.3 * epsilon
    return _band(d, md.AsymmetricLIP(lower, upper), math.exp(-lower), math.exp(upper))


def leakage(d: Draw, epsilon: float) -> Cone:
    columns, level = brute.indicators(d.n), min(epsilon, 0.9 * math.log(d.n))
    limit = np.array([math.exp(level)])
    return Cone(md.MaximalLeakage(level), columns, np.eye(d.n), np.ones((1, columns.shape[1])), limit)


BANDS = (lip, max_lift, asymmetric)


# Objectives: each with its utility of columns, by definition --------------------------------------------------------


def mmse(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    return md.MMSE(), lambda q: -brute.squared_error(q, d.prior, d.values)


def fisher(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    theta, score = d.distribution((d.seed + 1) % 5), d.scores()
    direction = theta * (score - theta @ score)
    direction -= direction.mean()
    return md.FisherInformation(theta, direction), lambda q: brute.fisher(q, theta, direction)


def divergence(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    name = RATIOS[d.seed % len(RATIOS)]
    first, second = d.distribution((d.seed + 1) % 5), d.distribution((d.seed + 2) % 5)
    return getattr(md, name)(first, second), lambda q: brute.divergence(name, q, first, second)


def numbers(d: Draw, objective: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return the two functionals of a column that its utility of ratio type is a function of."""
    if isinstance(objective, md.MMSE):
        return d.prior * d.values, d.prior
    if isinstance(objective, md.FisherInformation):
        return objective.direction, objective.theta
    return objective.first, objective.second


def information(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    return md.MutualInformation(), lambda q: brute.information(q, d.prior)


def histogram(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    def less(q: np.ndarray) -> np.ndarray:
        joint = d.prior[:, None] * q
        return (joint**2).sum(axis=0) / joint.sum(axis=0) - joint.sum(axis=0)

    return md.HistogramMMSE(), less


def loss(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    given = d.rng.exponential(size=(d.n, int(d.rng.integers(2, 6))))
    given = np.round(given, 1) if d.seed % 3 == 0 else given
    return md.ExpectedLoss(given), lambda q: -brute.least_loss(q, d.prior, given)


def guess(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    return md.ErrorProbability(), lambda q: -brute.least_loss(q, d.prior, 1.0 - np.eye(d.n))


def absolute(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    distance = np.abs(np.subtract.outer(d.values, d.values))
    return md.AbsoluteError(), lambda q: -brute.least_loss(q, d.prior, distance)


def variation(d: Draw) -> tuple[md.Objective, Callable[[np.ndarray], np.ndarray]]:
    first, second = d.distribution((d.seed + 1) % 5), d.distribution((d.seed + 2) % 5)
    return md.TotalVariation(first, second), lambda q: brute.divergence("TotalVariation", q, first, second)


RATIO_TYPE = (mmse, fisher, divergence)
DECISIONS = (loss, guess, absolute, variation)


def over_vertices(d: Draw, cone: Cone, posed: Any, left: float = 0.0) -> Question:
    """Return the question whose best utility is a linear program over all vertices."""
    objective, utility = posed
    best = brute.optimum(cone.columns, utility(cone.columns), cone.cost, cone.limits)
    return replace(_asked(d, cone, objective, utility, (best, best)), left=left)


def _asked(d: Draw, cone: Cone, objective: Any, utility: Any, best: Any, **keywords: Any) -> Question:
    def total(matrix: np.ndarray) -> float:
        return float(utility(matrix[:, matrix.max(axis=0) > 0]).sum())

    span = abs(total(np.eye(d.n)) - total(np.ones((d.n, 1))))
    return Question(d.problem, cone.notion, objective, total, *best, span, cone.private, keywords)


# What each route answers --------------------------------------------------------------------------------------------


def rays(seed: int) -> Question:
    d = Draw(seed)
    posed = d.pick((mmse, loss, information, fisher, histogram, divergence, guess))(d)
    return over_vertices(d, (ldp, lip, leakage, max_lift, asymmetric)[seed % 5](d, d.epsilon), posed)


def quantised(seed: int) -> Question:
    d = Draw(seed)
    return over_vertices(d, ldp(d, d.epsilon), RATIO_TYPE[seed % 3](d))


def subsets(seed: int) -> Question:
    d = Draw(seed)
    return over_vertices(d, ldp(d, d.epsilon), (information, histogram)[seed % 2](d))


def by_decisions(seed: int) -> Question:
    d = Draw(seed)
    cone = (ldp, lip, max_lift, asymmetric)[seed // 2 % 4](d, d.epsilon)
    return over_vertices(d, cone, d.pick(DECISIONS)(d))


def metric(seed: int) -> Question:
    """Distances on a line or in a plane; decisions by one program over all pairs."""
    d = Draw(seed)
    places = d.rng.normal(size=(d.n, 2)) if seed % 2 else np.arange(float(d.n))[:, None]
    distance = np.abs(places[:, None] - places).sum(axis=2)
    # The judging program's coefficients are e^(epsilon distance).
    epsilon = min(d.epsilon, 8.0 / distance.max())
    cone = Cone(md.MetricDP(epsilon, distance), np.zeros((d.n, 0)), brute.metric_rows(distance, epsilon))
    given = d.rng.exponential(size=(d.n, 4))
    best = -brute.best_matrix(cone.rows, (d.prior[:, None] * given)[None])
    return _asked(d, cone, md.ExpectedLoss(given), lambda q: -brute.least_loss(q, d.prior, given), (best, best))


def continuum(seed: int) -> Question:
    d = Draw(seed)
    return over_vertices(d, BANDS[seed % 3](d, d.epsilon), RATIO_TYPE[seed // 3 % 3](d), left=1e-9)


def budget(seed: int) -> Question:
    """Sums over columns are bounded: largest entries, or what one row has too much beside another."""
    d = Draw(seed)
    if seed % 2:
        return over_vertices(d, leakage(d, d.epsilon), d.pick((loss, guess, absolute))(d))
    epsilon, delta = min(d.epsilon, 2.0), float(d.rng.uniform(0.01, 0.5))
    given = d.rng.exponential(size=(d.n, 3))
    best = brute.best_approximate(-d.prior[:, None] * given, epsilon, delta)

    def private(matrix: np.ndarray) -> bool:
        over = np.maximum(matrix[:, None] - math.exp(epsilon) * matrix, 0.0).sum(axis=2)
        return bool(over.max() <= delta * (1 + 1e-12))

    cone = Cone(md.ApproximateLDP(epsilon, delta), np.zeros((d.n, 0)), np.zeros((0, d.n)))
    asked = _asked(d, cone, md.ExpectedLoss(given), lambda q: -brute.least_loss(q, d.prior, given), (best, best))
    return replace(asked, private=private)


def directions(seed: int) -> Question:
    d = Draw(seed)
    return over_vertices(d, leakage(d, d.epsilon), RATIO_TYPE[seed % 3](d), left=3e-7)


def closed_form(seed: int) -> Question:
    """Two inputs under either notion; more where the prior is even enough for the level."""
    d = Draw(seed)
    posed = d.pick((mmse, loss, divergence, information, variation))
    if d.n == 2:
        return over_vertices(d, (ldp, lip)[seed % 2](d, d.epsilon), posed(d))
    epsilon = float(d.rng.uniform(math.log(d.n - 1) + 0.05, 5.0))
    least = 1.0 / (1.0 + math.exp(epsilon))
    d.prior = least + (1.0 - d.n * least) * d.prior
    return over_vertices(d, lip(d, epsilon), posed(d))


def convex(seed: int) -> Question:
    """The largest of several sums: one program over the matrix, written from the definition."""
    d = Draw(seed)
    cone = (ldp, lip)[seed % 2](d, d.epsilon)
    n, pairs = d.n, [(x, y) for x in range(d.n) for y in range(d.n) if x != y]
    if seed // 2 % 2:
        given = d.rng.exponential(size=(n, 3))
        pieces, objective = np.eye(n)[:, :, None] * given, md.WorstCaseLoss(given)
    else:
        pieces, objective = np.zeros((len(pairs), n, n)), md.MaxOffDiagonal()
        for i, (x, y) in enumerate(pairs):
            pieces[i, x, y] = 1.0
    best = -brute.best_matrix(cone.rows, pieces)

    def total(matrix: np.ndarray) -> float:
        return -float(np.einsum("ixy,xy->i", pieces, matrix).max())

    return Question(d.problem, cone.notion, objective, total, best, best, abs(best), cone.private)


def orders(seed: int) -> Question:
    """Chernoff's exponent: the best mechanism at each of some orders, and at the design's own."""
    d = Draw(seed)
    cone = (ldp, lip)[seed % 2](d, d.epsilon)
    first, second = d.distribution((seed + 1) % 5), d.distribution((seed + 2) % 5)
    p, s = first @ cone.columns, second @ cone.columns

    def at(order: float) -> tuple[float, float]:
        weights = brute.best_weights(cone.columns, -(p ** (1 - order) * s**order))
        found = minimize_scalar(
            lambda t: weights @ (p ** (1 - t) * s**t), bounds=(0, 1), method="bounded", options={"xatol": 1e-9}
        )
        return -math.log(found.fun), float(found.x)

    # From the best of a grid: the mechanism that is best at an order, then the order that is best for it.
    order = max((at(t) for t in np.linspace(0.0, 1.0, 7)[1:-1]), key=lambda reached: reached[0])[1]
    for _ in range(5):
        best, order = at(order)

    def total(matrix: np.ndarray) -> float:
        a, b = first @ matrix, second @ matrix
        found = minimize_scalar(
            lambda t: float((a ** (1 - t) * b**t).sum()), bounds=(0, 1), method="bounded", options={"xatol": 1e-9}
        )
        return -math.log(found.fun)

    whole = total(np.eye(d.n))
    return Question(d.problem, cone.notion, md.ChernoffExponent(first, second), total, best, best, whole, cone.private)


def few_outputs(seed: int) -> Question:
    """Two outputs: the best of all pairs of decisions, or of all vertices of single columns, or of their shadows."""
    d = Draw(seed)
    cone = (ldp, lip)[seed // 2 % 2](d, d.epsilon)
    if seed % 2:
        given = d.rng.exponential(size=(d.n, 4))
        costs = d.prior[:, None] * given
        best = -min(brute.best_matrix(cone.rows, costs[None][:, :, list(kept)]) for kept in combinations(range(4), 2))
        posed = md.ExpectedLoss(given), lambda q: -brute.least_loss(q, d.prior, given)
        return _asked(d, cone, *posed, (best, best), outputs=2)
    objective, utility = RATIO_TYPE[seed // 4 % 3](d)
    if d.n <= 4:
        corners = brute.column_vertices(cone.rows)
    else:
        corners = brute.corners_of_shadow(cone.rows, *numbers(d, objective))
    inner = corners[:, (corners.max(axis=0) > 1e-9) & (corners.min(axis=0) < 1 - 1e-9)]
    alone = float(utility(np.ones((d.n, 1)))[0])
    best = max(alone, float((utility(inner) + utility(1 - inner)).max(initial=-np.inf)))
    return _asked(d, cone, objective, utility, (best, best), outputs=2)


def weights(seed: int) -> Question:
    """Information design: no mechanism passes the tangent of the concave utility at the design's own matrix."""
    d = Draw(seed)
    cone, name = (ldp, lip)[seed % 2](d, d.epsilon), "AD"[seed // 2 % 2]
    around = np.eye(d.n) - 1.0 / d.n

    def parts(matrix: np.ndarray) -> tuple[np.ndarray, float]:
        columns = matrix[:, matrix.max(axis=0) > 0]
        told = around @ columns / np.sqrt(d.prior @ columns)
        covariance = np.linalg.pinv(told @ told.T, rcond=1e-13, hermitian=True)
        sizes = np.linalg.eigvalsh(covariance)[1:]
        return covariance, -float(sizes.sum() if name == "A" else np.log(sizes).sum())

    def most(matrix: np.ndarray) -> float:
        covariance, utility = parts(matrix)
        slope = covariance @ covariance if name == "A" else covariance
        contrasts = around @ cone.columns
        gains = np.einsum("xr,xz,zr->r", contrasts, slope, contrasts) / (d.prior @ cone.columns)
        own = float(np.trace(covariance)) if name == "A" else d.n - 1.0
        return utility + brute.optimum(cone.columns, gains) - own

    objective = md.InformationDesign(name)
    return Question(
        d.problem, cone.notion, objective, lambda q: parts(q)[1], math.nan, math.nan, 1.0, cone.private, tangent=most
    )


def scores(seed: int) -> Question:
    """The variance of one figure: the least over mixtures of the cone's columns, by a program of second-order cones."""
    d = Draw(seed)
    cone, wanted = (ldp, lip)[seed % 2](d, d.epsilon), d.rng.normal(size=d.n)
    around = np.eye(d.n) - 1.0 / d.n
    least = brute.least_variance(cone.columns, d.prior, wanted)

    def variance(matrix: np.ndarray) -> float:
        columns = matrix[:, matrix.max(axis=0) > 0]
        told = around @ columns / np.sqrt(d.prior @ columns)
        # Least squares for scores whose expectation is the figure.
        found, *_ = np.linalg.lstsq(told, around @ wanted, rcond=1e-9)
        assert np.abs(told @ found - around @ wanted).max() < 1e-8
        return float(found @ found)

    return Question(
        d.problem,
        cone.notion,
        md.InformationDesign("c", direction=wanted),
        lambda q: -variance(q),
        # The judging program's own accuracy.
        -least * (1.0 + 1e-7),
        -least * (1.0 - 1e-7),
        1.0,
        cone.private,
    )


#: What is asked of each route, by seed.
QUESTIONS: dict[str, tuple[str, Callable[[int], Question]]] = {
    "rays": ("rays", rays),
    "quantised": ("quantised", quantised),
    "subsets": ("subsets", subsets),
    "columns by decisions": ("columns", by_decisions),
    "columns by decisions of a metric": ("columns", metric),
    "columns over a continuum": ("columns", continuum),
    "columns under a budget": ("columns", budget),
    "directions": ("directions", directions),
    "closed_form": ("closed_form", closed_form),
    "convex": ("convex", convex),
    "orders": ("orders", orders),
    "scores": ("scores", scores),
    "weights": ("weights", weights),
    "few_outputs": ("few_outputs", few_outputs),
}


def held(made: md.Design, asked: Question) -> None:
    """Assert that value and bound bracket the brute force's optimum within the gap, and that the matrix is private."""
    sign = 1.0 if asked.objective.sense == "maximise" else -1.0
    value, bound = sign * made.value, sign * made.bound
    if asked.tangent is not None:
        matrix = np.asarray(made.by_decision)
        asked = replace(asked, least=asked.utility(matrix), most=asked.tangent(matrix), tangent=None)
        # A matrix that misses the optimum by a billionth has a slope, and so a tangent, that is off by the root of it.
        assert asked.most - asked.least <= 100 * asked.widest * max(abs(asked.most), 1.0), "the tangent promises more"
    floor = 1e-6 * asked.span
    scale = max(abs(asked.most), floor)
    assert value >= asked.least - max(2e-6 * scale, asked.left * asked.span), (
        f"utility {value!r}, brute force {asked.least!r}"
    )
    # The brute force's own programs are exact to about 1e-9.
    assert value <= asked.most + 1e-8 * scale, f"utility {value!r} is better than {asked.most!r}"
    assert bound >= asked.least - 1e-8 * scale, f"the bound {bound!r} is passed by {asked.least!r}"
    width, largest = bound - value, max(abs(value), abs(bound), floor)
    assert width <= (max(made.gap * (1 + 1e-9), 2e-7)) * largest, f"gap {made.gap!r}, width {width!r}"
    # Less than the rounding of numbers of order one is left: there is nothing to certify.
    assert made.gap <= asked.widest or width <= max(1e-15, asked.left * asked.span), f"gap {made.gap!r}"
    matrix = np.asarray(made.by_decision)
    assert abs(asked.utility(matrix) - value) <= 1e-9 * abs(value) + 1e-12 * max(asked.span, 1e-3)
    assert np.all(matrix >= 0) and np.all(matrix.sum(axis=1) == 1)
    assert asked.private(matrix) and made.audit.holds
