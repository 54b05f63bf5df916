"""Local information privacy with any prior: a linear program over the vertices of a knapsack.

A mechanism is private iff each posterior is ``p = P/E + (1 - 1/E) r`` with ``E = e^epsilon`` and a distribution r that
is at most ``P/tau``, ``tau = 1/(1 + E)``. The mean of the posteriors is P, and so is that of the r. A vertex of these r
is at ``P/tau`` on a set, puts what is left on one input, and is 0 elsewhere. A utility is a mean of a convex function
of the posterior, so the best mixture of vertices with mean P is the best of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from math import comb

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, ErrorProbability, HistogramMMSE, MutualInformation
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, OnRays, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.ours.published_lip import asked
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole

#: An epsilon at which 1/(1 + e^epsilon) is next to one half.
NEXT_TO_NONE = 0.01


def levels(question: Question) -> tuple[Array, float, float]:
    """Return the prior, ``e^-epsilon`` and ``tau = 1/(1 + e^epsilon)``."""
    prior, low = question.problem.required_prior_of_secret, float(np.exp(-question.notion.parameter))
    return prior / prior.sum(), low, low / (1.0 + low)


def columns(question: Question, parts: Array) -> Array:
    """Return ``Pr(y | x)/Pr(y) = 1/E + (1 - 1/E) r_x/P_x`` for each column r of `parts`."""
    prior, low, _ = levels(question)
    return np.asarray(low + (1.0 - low) * parts / prior[:, None])


def mechanism(question: Question, parts: Array, masses: Array) -> Array:
    """Return the mechanism whose outputs have these masses and posteriors ``P/E + (1 - 1/E) r``, r the parts."""
    # Outside its domain a formula may ask for less than nothing.
    return np.maximum(masses * columns(question, parts), 0.0)


def utilities(question: Question, parts: Array) -> Array:
    """Return the utility of an output of mass one for each column r of `parts`."""
    assert is_separable(question.objective), "the form is about utilities that are sums over outputs"
    return question.objective.column_utility(columns(question, parts), question.problem)


def vertices(prior: Array, tau: float) -> Array:
    """Return the vertices of ``{0 <= r <= P/tau, sum r = 1}``, one in each column."""
    n = len(prior)
    found = []
    for chosen in (set(some) for size in range(n) for some in combinations(range(n), size)):
        left = 1.0 - prior[list(chosen)].sum() / tau
        for part in (x for x in range(n) if x not in chosen and 0.0 <= left <= prior[x] / tau):
            vertex = np.array([prior[x] / tau if x in chosen else 0.0 for x in range(n)])
            vertex[part] = left
            found.append(vertex)
    return np.stack(found, axis=1)


def best_mixture(question: Question) -> float:
    """Return the value of the best masses of the vertices."""
    from scipy.optimize import linprog

    prior, _, tau = levels(question)
    parts = vertices(prior, tau)
    found = linprog(-utilities(question, parts), A_eq=parts, b_eq=prior, method="highs-ds")
    utility = float("nan") if found.x is None else -float(found.fun)
    return question.objective.from_utility(utility, question.problem)


def most_vertices(n: int) -> int:
    """Return ``n C(n-1, floor((n-1)/2))``."""
    return n * comb(n - 1, (n - 1) // 2)


def best_price(at: Point) -> float:
    """Return the largest ``(a . p)^2 - nu . p`` over one knapsack between any two angles where inputs swap.

    The square is the largest of its tangents ``2 theta a . p - theta^2``, and for each theta the inputs are filled in
    the order of ``2 theta a_x - nu_x``.
    """
    prior, low, tau = levels(asked(at))
    values, nu = at.values, at.multipliers
    pairs = [(x, other) for x, other in combinations(range(at.n), 2) if values[x] != values[other]]
    turns = sorted(float((nu[x] - nu[other]) / (2.0 * (values[x] - values[other]))) for x, other in pairs) or [0.0]
    angles = [(before + after) / 2.0 for before, after in pairwise([turns[0] - 2.0, *turns, turns[-1] + 2.0])]
    prices = []
    for angle in angles:
        order = np.argsort(nu - 2.0 * angle * values)
        sizes = prior[order] / tau
        part = np.empty(at.n)
        part[order] = np.clip(1.0 - (sizes.cumsum() - sizes), 0.0, sizes)
        posterior = low * prior + (1.0 - low) * part
        prices.append(float((values @ posterior) ** 2 - nu @ posterior))
    return max(prices)


def _programmed(at: Point) -> tuple[float, int, float]:
    return best_mixture(asked(at)), most_vertices(at.n), best_price(at)


def _count(rays: Array) -> Array:
    return np.full(rays.shape[1], rays.shape[1])


def _is_program(at: Point, given: tuple[float, int, float]) -> Iterator[Check]:
    question = asked(at)
    value, most, price = given
    yield Equal(value, Optimum(question), "the best mixture of vertices is the optimum")
    yield AtMost(OnRays(question.notion, question.problem, _count), most, "the number of vertices")
    even = Problem(prior=np.full(at.n, 1.0 / at.n))
    yield Equal(OnRays(LIP(NEXT_TO_NONE), even, _count), most, "it is reached by equal priors")

    def prices(rays: Array) -> Array:
        joint = at.prior[:, None] * rays
        posterior = joint / joint.sum(axis=0)
        return np.asarray((at.values @ posterior) ** 2 - at.multipliers @ posterior)

    yield Equal(price, OnRays(question.notion, question.problem, prices), "no vertex has a larger reduced utility")


# Along a chain of sets, each with one input more than the last, the prior passes tau at one step, so each of the n!
# chains holds one vertex; one that fills k inputs lies on k! (n-1-k)! chains, at least n!/(n C(n-1, floor((n-1)/2))).
# For the squared error, between two neighbours of the n(n-1)/2 angles at which two inputs change places, one vertex is
# the best.
M9 = Theorem(
    key="ours/M9",
    place="linear program of LIP",
    origin="not published, as far as we know; a vertex is a fractional knapsack, which is standard",
    kind="exact optimum",
    words=(
        "For every prior the optimum of a sublinear utility is that of a linear program over the vertices of the "
        "posteriors, a full set and one input that takes what is left: at most n C(n-1, floor((n-1)/2)) of them, which "
        "is less than n 2^(n-1). For the squared error the vertex of largest reduced utility is among n(n-1)/2 + 1 "
        "fractional knapsacks, so that columns can be generated exactly."
    ),
    latex=(
        r"\max \sum_v \lambda_v h(v), \quad \sum_v \lambda_v v = P, \quad "
        r"\theta = \frac{\nu_x - \nu_{x'}}{2 (a_x - a_{x'})}"
    ),
    family=Family(
        {
            "n": Whole(2, 5),
            "epsilon": Real(0.05, 4.0),
            "prior": Distribution("n", least=0.01),
            "values": Vector("n", 0.0, 5.0),
            "multipliers": Vector("n", -5.0, 5.0),
            "objective": Choice((MMSE(), HistogramMMSE(), MutualInformation(), ErrorProbability())),
        }
    ),
    printed=_programmed,
    test=_is_program,
)
