"""Random objectives of the catalogue, their values by definition, and mechanisms to hold them against."""

import math

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives import Generator

SIZES = (2, 3, 5)


class LeCam(Generator):
    """``f(t) = (t - 1)^2 / (t + 1)``: what a user has to write for a divergence of their own."""

    at_zero = 1.0
    slope_at_infinity = 1.0

    def value(self, t):
        return (t - 1) ** 2 / (t + 1)

    def derivative(self, t):
        return (t - 1) * (t + 3) / (t + 1) ** 2

    def perspective(self, first, second):
        return sum(cp.quad_over_lin(first[y] - second[y], first[y] + second[y]) for y in range(first.shape[0]))


def pair(n, rng):
    return {"first": rng.dirichlet(np.ones(n)), "second": rng.dirichlet(np.ones(n))}


def fisher(n, rng):
    direction = rng.normal(size=n)
    return md.FisherInformation(rng.dirichlet(np.ones(n)), direction - direction.mean())


MAKERS = {
    "MMSE": lambda n, rng: md.MMSE(),
    "ExpectedLoss": lambda n, rng: md.ExpectedLoss(rng.normal(size=(n, n + 1))),
    "HammingLoss": lambda n, rng: md.HammingLoss(),
    "AbsoluteError": lambda n, rng: md.AbsoluteError(),
    "WorstCaseLoss": lambda n, rng: md.WorstCaseLoss(rng.normal(size=(n, n + 1))),
    "MaxOffDiagonal": lambda n, rng: md.MaxOffDiagonal(),
    "FisherInformation": fisher,
    "FDivergence": lambda n, rng: md.FDivergence(LeCam(), **pair(n, rng)),
    "KLDivergence": lambda n, rng: md.KLDivergence(**pair(n, rng)),
    "TotalVariation": lambda n, rng: md.TotalVariation(**pair(n, rng)),
    "ChiSquare": lambda n, rng: md.ChiSquare(**pair(n, rng)),
    "Hellinger": lambda n, rng: md.Hellinger(**pair(n, rng)),
    "MutualInformation": lambda n, rng: md.MutualInformation(),
    "JensenShannon": lambda n, rng: md.JensenShannon(**pair(n, rng)),
}

# Objectives that have a file of tests of their own.
ELSEWHERE = {
    "ChernoffExponent",
    "ErrorProbability",
    "HanKobayashiExponent",
    "HistogramMMSE",
    "HoeffdingExponent",
    "InformationDesign",
    "UnbiasedMean",
    "LabelInformation",
    "LabelMMSE",
    "LeakageLoss",
    "MeanInformation",
    "RenyiDivergence",
    "WorstCaseInformation",
}

DECIDING = ("ExpectedLoss", "HammingLoss", "AbsoluteError")

WORST = ("WorstCaseLoss", "MaxOffDiagonal")

SUBLINEAR = tuple(name for name in MAKERS if name not in DECIDING + WORST)

SEPARABLE = SUBLINEAR + DECIDING

GENERATORS = (
    md.Square(),
    md.KLGenerator(),
    md.TotalVariationGenerator(),
    md.ChiSquareGenerator(),
    md.HellingerGenerator(),
    md.JensenShannonGenerator(),
    LeCam(),
)


def posed(name, n, rng):
    """Return the objective, a random problem and a random matrix of as many outputs as the objective wants."""
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    objective = MAKERS[name](n, rng)
    objective.check(problem)
    return objective, problem, rng.dirichlet(np.ones(objective.outputs(problem) or n + 2), size=n)


def by_definition(objective, problem, Q):
    """Return the value from its definition, in loops."""
    n, m, P, a = *Q.shape, problem.prior, problem.values
    cells = [(x, y) for x in range(n) for y in range(m)]
    if isinstance(objective, md.ExpectedLoss):
        return math.fsum(P[x] * Q[x, d] * objective.loss[x, d] for x, d in cells)
    if isinstance(objective, md.HammingLoss):
        return math.fsum(P[x] * Q[x, d] for x, d in cells if x != d)
    if isinstance(objective, md.AbsoluteError):
        return math.fsum(P[x] * Q[x, d] * abs(a[x] - a[d]) for x, d in cells)
    if isinstance(objective, md.WorstCaseLoss):
        return max(math.fsum(Q[x, d] * objective.loss[x, d] for d in range(m)) for x in range(n))
    if isinstance(objective, md.MaxOffDiagonal):
        return max(Q[x, y] for x, y in cells if x != y)
    if isinstance(objective, md.FisherInformation):
        return math.fsum((objective.direction @ Q[:, y]) ** 2 / (objective.theta @ Q[:, y]) for y in range(m))
    mass = [math.fsum(P[x] * Q[x, y] for x in range(n)) for y in range(m)]
    if isinstance(objective, md.MMSE):
        mean = [math.fsum(P[x] * Q[x, y] * a[x] for x in range(n)) / mass[y] for y in range(m)]
        return math.fsum(P[x] * Q[x, y] * (a[x] - mean[y]) ** 2 for x, y in cells)
    if isinstance(objective, md.MutualInformation):
        return math.fsum(P[x] * Q[x, y] * math.log(Q[x, y] / mass[y]) for x, y in cells)
    term = {
        "JensenShannon": lambda p, s: (p * math.log(2 * p / (p + s)) + s * math.log(2 * s / (p + s))) / 2,
        "KLDivergence": lambda p, s: p * math.log(p / s),
        "TotalVariation": lambda p, s: abs(p - s) / 2,
        "ChiSquare": lambda p, s: p * p / s - 2 * p + s,
        "Hellinger": lambda p, s: (p + s) / 2 - math.sqrt(p * s),
        "FDivergence": lambda p, s: (p - s) ** 2 / (p + s),
    }[objective.name]
    return math.fsum(term(objective.first @ Q[:, y], objective.second @ Q[:, y]) for y in range(m))


def expression_value(objective, problem, Q):
    variable = cp.Variable(Q.shape)
    variable.value = Q
    return float(objective.expression(variable, problem).value)


def close(value, relative=1e-10):
    return pytest.approx(value, rel=relative, abs=1e-14)


def random_columns(n, count, rng):
    """Return random nonnegative columns of any size, a third of the entries zero but no column all zero."""
    columns = rng.exponential(size=(n, count)) * 10.0 ** rng.uniform(-3, 3, size=count)
    columns[rng.random((n, count)) < 1 / 3] = 0.0
    columns[rng.integers(n, size=count), np.arange(count)] += rng.exponential(size=count)
    return columns


def randomised_response(n, epsilon):
    E = math.exp(epsilon)
    return (np.ones((n, n)) + (E - 1) * np.eye(n)) / (n - 1 + E)


def erasure(n, delta):
    return np.hstack([delta * np.eye(n), np.full((n, 1), 1 - delta)])
