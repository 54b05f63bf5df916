"""What an output may say under LIP: a polytope of posteriors, its vertices, and the linear program over them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.objectives import MMSE, ErrorProbability, HistogramMMSE, MutualInformation, Separable
from mechdesign.parameters.checks import Array
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.ours.lip_vertices import vertices
from mechdesign.theorems.ours.published_lip import asked
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole
from mechdesign.theorems.zamani.vertices import best_mixture, extreme_points


def posteriors(prior: Array, epsilon: float) -> Array:
    """Return the extreme ``p - P`` of ``P/E <= p <= E P``, as rows, from all sets of inequalities that fix one."""
    rows, ends = np.concatenate([np.eye(len(prior)), -np.eye(len(prior))]), np.expm1([epsilon, -epsilon])
    return extreme_points(rows, np.concatenate([ends[0] * prior, -ends[1] * prior]))


def over_posteriors(question: Question) -> Published:
    """Return the best mixture of the extreme posteriors, with its value."""
    problem, objective = question.problem, question.objective
    prior = problem.required_prior_of_secret
    assert isinstance(objective, Separable), "the objectives of the family are"
    moves = posteriors(prior, question.notion.parameter)
    columns = ((prior + moves) / prior).T
    weights, utility = best_mixture(moves, objective.column_utility(columns, problem))
    used = weights > 0
    return Published(columns[:, used] * weights[used], objective.from_utility(utility, problem))


def optimal_with_few(question: Question, given: Published) -> Iterator[Check]:
    """Check that the mechanism is optimal, with no more outputs than inputs."""
    yield from is_optimal(question, given)
    yield Holds(given.matrix.shape[1] <= question.problem.n, "it has no more outputs than inputs")


M0 = Theorem(
    key="ours/M0",
    place="linear program of LIP",
    origin=(
        "LIP as a bound on posteriors is in Jiang, Li, Tandon 2018; the linear program over vertices is the "
        "argument of Kairouz, Oh, Viswanath 2014 for LDP, made for LIP here"
    ),
    kind="exact optimum",
    words=(
        "A mechanism satisfies LIP exactly if every posterior p lies between P/E and E P. A utility that is the mean "
        "over outputs of a convex function of the posterior is maximised by the linear program over the vertices of "
        "this polytope, with no more outputs than inputs."
    ),
    latex=(
        r"\max \sum_v \lambda_v h(v), \quad \sum_v \lambda_v v = P, \quad v \text{ a vertex of } "
        r"\left\{p: \frac{P}{E} \le p \le E P, \sum_x p_x = 1\right\}"
    ),
    family=Family(
        {
            "n": Whole(2, 4),
            "epsilon": Real(0.05, 4.0),
            "prior": Distribution("n", least=0.01),
            "values": Vector("n", 0.0, 5.0),
            "objective": Choice((MMSE(), HistogramMMSE(), MutualInformation(), ErrorProbability())),
        },
        subject=asked,
    ),
    # By Bayes' rule q(y|x)/Pr(y) = p_x/P_x. A posterior is a mixture of vertices, and h is no larger at it than that
    # mixture's; the weights have n equations, so that a basic solution has n outputs.
    printed=over_posteriors,
    test=optimal_with_few,
)


def knapsack(point: Point) -> tuple[float, Array]:
    """Return tau, and the extreme t by filling: a set at 1, one fractional, the rest at 0, in the order of the rows."""
    tau = 1.0 / (1.0 + float(np.exp(point.epsilon)))
    return tau, in_order(tau * vertices(point.prior, tau).T / point.prior)


def in_order(rows: Array) -> Array:
    """Return the rows sorted, equal up to rounding taken as equal."""
    return np.asarray(rows[np.lexsort(np.round(rows, 7).T)])


def is_a_knapsack(point: Point, given: tuple[float, Array]) -> Iterator[Check]:
    """Check tau against posteriors of the polytope, and the rows against its vertices."""
    tau, rows = given
    prior, low, high = point.prior, float(np.exp(-point.epsilon)), float(np.exp(point.epsilon))
    moves = posteriors(prior, point.epsilon)
    t = ((prior + moves) / prior - low) / (high - low)
    yield AtMost(np.abs(t - 0.5), 0.5, "t lies between 0 and 1")
    yield Equal(t @ prior, np.full(len(t), tau), "P.t = tau")
    same = rows.shape == t.shape
    yield Holds(same, f"there are {len(rows)} filled sets and {len(t)} vertices")
    if same:
        yield Equal(rows, in_order(t), "the filled sets are the vertices")


M1 = Theorem(
    key="ours/M1",
    place="knapsack of LIP",
    origin="not published, as far as we know",
    kind="identity",
    words=(
        "With p_x = P_x (1/E + t_x (E - 1/E)), the posteriors that LIP allows are the t between 0 and 1 with P.t = tau "
        "= 1/(1 + E); their vertices fill a set of inputs of probability at most tau, and one further input with what "
        "is left."
    ),
    latex=(
        r"\sum_x P_x t_x = \tau = \frac{1}{1 + E}, \quad t_x = 1 \text{ on } S, \quad "
        r"t_j = \frac{\tau - P(S)}{P_j} \le 1"
    ),
    family=Family({"n": Whole(2, 5), "epsilon": Real(0.05, 4.0), "prior": Distribution("n", least=0.01)}),
    # The sum of p is 1/E + (E - 1/E) P.t, which is 1 where P.t = (1 - 1/E)/(E - 1/E).
    printed=knapsack,
    test=is_a_knapsack,
)
