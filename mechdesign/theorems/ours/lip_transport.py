"""Local information privacy with a utility of ratio type: a transport program over inputs and decisions.

Keep the decisions t and forget the columns: ``q_t(x) = c_t/E + (1 - 1/E) y_xt`` with ``E = e^epsilon``, c_t the mass of
the output, and y between 0 and ``d_t = (1 + E) c_t``. The rows sum to one if ``sum_t y_xt = 1``, the mass is c_t if
``sum_x P_x y_xt = c_t``, and the notion's two bounds are those of y. The tangent of f at t gives the utility of the
recommended decision, which is the utility itself at the best one; extreme rays are enough, so their ratios are enough
decisions.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import (
    MMSE,
    ChiSquare,
    FisherInformation,
    Hellinger,
    KLDivergence,
    Objective,
    RatioType,
)
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole


def asked(point: Point) -> Question:
    """Return the question of one of the utilities of ratio type."""
    mixtures = {"first": point.first, "second": point.second}
    objectives: dict[str, Objective] = {
        "MMSE": MMSE(),
        "Fisher": FisherInformation(point.second, point.values),
        "KL": KLDivergence(**mixtures),
        "chi-square": ChiSquare(**mixtures),
        "Hellinger": Hellinger(**mixtures),
    }
    values = point.values - point.prior @ point.values
    return Question(Problem(prior=point.prior, values=values), LIP(point.epsilon), objectives[point.useful])


def decisions(question: Question) -> Array:
    """Return the ratios of the extreme rays."""
    rays = question.notion.columns(question.problem).rays()
    assert rays is not None, "there are few inputs"
    assert isinstance(question.objective, RatioType), "the objective is of ratio type"
    return np.unique(np.round(question.objective.ratio(question.problem).at(rays.columns), 13))


def largest(gains: Array, on_mass: Array, kappa: float, prior: Array) -> float:
    """Return the largest ``gains . y + on_mass . d`` with ``sum_t y = 1``, ``P . y_t = kappa d_t``, ``0 <= y <= d``."""
    from scipy.optimize import linprog
    from scipy.sparse import block_array, eye_array, kron

    n, count = gains.shape
    rows = kron(eye_array(n), np.ones((1, count)))
    masses = kron(prior[None, :], eye_array(count))
    equal = block_array([[rows, None], [masses, -kappa * eye_array(count)]], format="csr")
    below = block_array([[eye_array(n * count), -kron(np.ones((n, 1)), eye_array(count))]], format="csr")
    size = float(np.abs(gains).max()) or 1.0
    found = linprog(
        -np.concatenate([gains.ravel(), on_mass]) / size,
        A_ub=below,
        b_ub=np.zeros(n * count),
        A_eq=equal,
        b_eq=np.concatenate([np.ones(n), np.zeros(count)]),
        method="highs-ds",
        options={"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10},
    )
    return float("nan") if found.x is None else -float(found.fun) * size


def transported(question: Question) -> Array:
    """Return the optimum by the program with its bracket and, for the squared error, by that in y alone."""
    problem, objective, low = question.problem, question.objective, float(np.exp(-question.notion.parameter))
    assert isinstance(objective, RatioType), "the objective is of ratio type"
    kappa, t = low / (1 + low), decisions(question)
    # b_x g(r_x, t) = f'(t) a_x + (f(t) - t f'(t)) b_x
    tangents = objective.ratio(problem).functionals(t).T
    utility = largest((1 - low) * tangents, kappa * low * tangents.sum(axis=0), kappa, problem.required_prior)
    values = [objective.from_utility(utility, problem)]
    if isinstance(objective, MMSE):
        wider = t / (1 - low)
        gains = problem.required_prior[:, None] * (2 * wider * problem.required_values[:, None] - wider**2)
        alone = (1 - low) ** 2 * largest(gains, np.zeros(len(t)), kappa, problem.required_prior)
        values.append(objective.from_utility(alone, problem))
    return np.array(values)


def is_optimum(question: Question, given: Array) -> Iterator[Check]:
    """Compare with the optimum over mechanisms."""
    yield Equal(given, Optimum(question), "the program's value is the optimum")


TRANSPORT = Theorem(
    key="ours/lip-transport",
    place="transport program of LIP",
    origin="not published, as far as we know",
    kind="exact optimum",
    words=(
        "For a utility of ratio type the optimum under LIP is a transport program that names a decision t for each "
        "output; for the squared error about the mean it is (1 - 1/E)^2 times the program in y alone."
    ),
    latex=(
        r"\max \sum_{x,t} b_x (f(t) + f'(t)(r_x - t)) \left[ \left(1 - \frac{1}{E}\right) y_{xt} "
        r"+ \frac{\kappa d_t}{E} \right], \quad \sum_t y_{xt} = 1, \quad \sum_x P_x y_{xt} = \kappa d_t, "
        r"\quad 0 \le y_{xt} \le d_t, \quad \kappa = \frac{1}{1 + E}"
    ),
    family=Family(
        {
            "n": Whole(2, 4),
            "epsilon": Real(0.1, 4.0),
            "prior": Distribution("n", least=0.02),
            "first": Distribution("n", least=0.02),
            "second": Distribution("n", least=0.02),
            "values": Vector("n", -1.0, 1.0, balanced=True),
            "useful": Choice(("MMSE", "Fisher", "KL", "chi-square", "Hellinger")),
        },
        subject=asked,
    ),
    printed=transported,
    test=is_optimum,
)
