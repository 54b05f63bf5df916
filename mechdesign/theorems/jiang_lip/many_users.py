"""The error of a sum over users who answer on their own: it is the sum of their errors."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mechdesign.objectives import MMSE, HistogramMMSE
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.base import Condition, Theorem
from mechdesign.theorems.checks import Check, Equal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Choice, Distribution, Vector, Whole

USERS = range(3)


def inputs(point: Point) -> Array:
    """Return ``Pr(X_1, X_2, X_3)``: independent, but for a share of the time in which all three are alike."""
    apart = np.einsum("i,j,k->ijk", *(point[f"prior_{user}"] for user in USERS))
    alike = np.zeros_like(apart)
    alike[(np.arange(point.n),) * 3] = point.prior_0
    return np.asarray((1.0 - point.dependence) * apart + point.dependence * alike)


def everything(point: Point) -> Array:
    """Return the joint probabilities of three inputs and three outputs."""
    channels = [point[f"matrix_{user}"] for user in USERS]
    return np.asarray(np.einsum("ijk,ia,jb,kc->ijkabc", inputs(point), *channels))


def global_error(joint: Array, truth: Array) -> float:
    """Return ``E[(S - E[S | Y])^2]`` from the joint probabilities, S as an array over the three inputs."""
    output = joint.sum(axis=(0, 1, 2))
    mean = np.einsum("ijkabc,ijk->abc", joint, truth) / output
    return float(np.sum(joint * (truth[..., None, None, None] - mean) ** 2))


def _priors(point: Point) -> list[Array]:
    """Return each user's own prior."""
    joint = inputs(point)
    return [joint.sum(axis=tuple({0, 1, 2} - {user})) for user in USERS]


def _problems(point: Point) -> list[Problem]:
    """Return each user's own problem: the prior and the values of the user's function."""
    return [Problem(prior=prior, values=point[f"values_{u}"]) for u, prior in enumerate(_priors(point))]


def _sum_of_errors(point: Point) -> float:
    return sum(MMSE().value(point[f"matrix_{u}"], problem) for u, problem in enumerate(_problems(point)))


def _is_global(point: Point, given: float) -> Iterable[Check]:
    truth = sum(np.reshape(point[f"values_{u}"], [-1 if axis == u else 1 for axis in USERS]) for u in USERS)
    yield Equal(given, global_error(everything(point), np.asarray(truth)), "the error of the sum")


_VARIABLES = {
    "n": Whole(2, 3),
    "dependence": Choice((0.0, 0.3)),
    **{f"prior_{user}": Distribution("n", 0.01) for user in USERS},
    **{f"matrix_{user}": Channel("n", "n", 0.01) for user in USERS},
}

_WITH_VALUES = Family({**_VARIABLES, **{f"values_{user}": Vector("n", 0.0, 3.0) for user in USERS}})

#: The inputs are independent of each other.
INDEPENDENT = Condition("0", "dependence", lambda point: (0.0, point.dependence))

P2 = Theorem(
    key="jiang_lip/P2",
    place="Proposition 2, eqs. (9) to (12)",
    kind="identity",
    words=(
        "With independent inputs, and each user's output made from that user's input alone, the error of the best "
        "estimate of a sum of functions of the inputs is the sum of the users' errors."
    ),
    latex=r"\mathcal{E}(q^1, \ldots, q^N) = \sum_i \mathcal{E}_i(q^i)",
    # A sum of functions of separate mechanisms is least where each of them is.
    family=_WITH_VALUES,
    printed=_sum_of_errors,
    test=_is_global,
    claimed=(INDEPENDENT,),
)


def _errors(point: Point) -> list[tuple[float, float]]:
    """Return each user's mean error and mean squared error."""
    found = []
    for u, problem in enumerate(_problems(point)):
        joint = np.asarray(problem.prior)[:, None] * point[f"matrix_{u}"]
        values = np.asarray(problem.values)
        apart = values[:, None] - values @ joint / joint.sum(axis=0)
        found.append((float(np.sum(joint * apart)), float(np.sum(joint * apart**2))))
    return found


def _cross(means: list[float]) -> float:
    return sum(a * b for i, a in enumerate(means) for j, b in enumerate(means) if i != j)


def _squared_means(point: Point) -> float:
    means = [mean for mean, _ in _errors(point)]
    return sum(means) ** 2 - 2.0 * _cross(means)


def _mean_squares(point: Point) -> float:
    return sum(square for _, square in _errors(point)) + _cross([mean for mean, _ in _errors(point)])


P2_PROOF = Theorem(
    key="jiang_lip/P2-proof",
    place="proof of Proposition 2, the display before eq. (13)",
    kind="identity",
    words=(
        "The mean square of the sum of the users' errors is the square of the sum of their means less twice the "
        "products of the means of different users."
    ),
    latex=r"\left(\sum_i E[D_i]\right)^2 - 2 \sum_{j \ne l} E[D_j] E[D_l]",
    family=_WITH_VALUES,
    printed=_squared_means,
    test=_is_global,
    claimed=(INDEPENDENT,),
    # All means are zero, so the print is zero.
    corrected=_mean_squares,
    correction="the first sum is of mean squares, E[D_i^2], and the products are added, once for each ordered pair",
)


def _histogram(point: Point) -> tuple[Array, float]:
    """Return the estimates ``sum_i Pr(X_i = k | Y_i)`` by k and outputs, and the sum of the users' errors."""
    estimate, error = np.zeros((point.n, 1, 1, 1)), 0.0
    for u, prior in enumerate(_priors(point)):
        matrix = point[f"matrix_{u}"]
        joint = prior[:, None] * matrix
        shape = [point.n, *(point.n if axis == u else 1 for axis in USERS)]
        estimate = estimate + (joint / joint.sum(axis=0)).reshape(shape)
        error += HistogramMMSE().value(matrix, Problem(prior=prior))
    return estimate, error


def _is_histogram(point: Point, given: tuple[Array, float]) -> Iterable[Check]:
    joint, total = everything(point), 0.0
    output = joint.sum(axis=(0, 1, 2))
    for k in range(point.n):
        holds = (np.arange(point.n) == k).astype(float)
        count = holds[:, None, None] + holds[:, None] + holds
        mean = np.einsum("ijkabc,ijk->abc", joint, count) / output
        yield Equal(given[0][k], mean, f"the estimate of how many hold {k}")
        total += global_error(joint, count)
    yield Equal(given[1], total, "the squared error, summed over the data")


EQ30 = Theorem(
    key="jiang_lip/eq30",
    place="eqs. (30) and (31)",
    kind="identity",
    words=(
        "The best estimate of a histogram is the sum of the users' posteriors, and its squared error the sum, over "
        "users and data, of the variance of the datum's indicator less that of its estimate."
    ),
    latex=r"\hat{S}_k = \sum_i \Pr(X_i = a_k \mid Y_i)",
    family=Family(_VARIABLES),
    printed=_histogram,
    test=_is_histogram,
    claimed=(INDEPENDENT,),
)
