"""The bound of one figure's variance: the square of a dual norm, by the Fisher information in one direction.

An unbiased estimate of a number has at least the average variance at any distribution of the inputs, where it is one of
the mean.
"""

from __future__ import annotations

import math

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.objectives import FisherInformation, InformationDesign
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: The weight of all inputs together in a population that is claimed: its bound moves by no more.
REST = 1e-9


def centred(objective: InformationDesign, problem: Problem) -> Array:
    """Return the direction less its mean at theta: what an estimator of expectation zero has to estimate."""
    figure, theta = objective.figure(problem), objective.theta_of(problem)
    return np.asarray(figure - theta @ figure)


def information_along(objective: InformationDesign, problem: Problem, direction: Array | None) -> FisherInformation:
    """Return the Fisher information in a direction; of anything that is no direction, that without privacy is best.

    Parameters
    ----------
    direction : ndarray, shape (n,) or (n, n), or None
        g, or a matrix whose leading eigenvector it is.
    """
    theta = objective.theta_of(problem)
    along = theta * centred(objective, problem)
    if direction is not None and np.size(direction) == problem.n:
        along = np.reshape(direction, problem.n)
    elif direction is not None and np.size(direction) == problem.n**2:
        square = np.reshape(direction, (problem.n, problem.n))
        along = np.linalg.eigh(square + square.T)[1][:, -1]
    along = along - theta * math.fsum(along)
    if not np.any(along):
        return information_along(objective, problem, None)
    # What rounding leaves of the sum is taken from the largest entry, which loses nothing by it.
    along[np.abs(along).argmax()] -= math.fsum(along)
    return FisherInformation(theta, along)


def least_variance(
    objective: InformationDesign, problem: Problem, along: FisherInformation, most: float
) -> tuple[float, float]:
    """Return a lower bound on the variance of every mechanism whose information is at most `most`, and its rounding.

    With h the estimator, ``(g . c)^2 = (sum_y h_y g . q_y)^2 <= sum_y h_y^2 (theta . q_y) sum_y (g . q_y)^2 / (theta .
    q_y)`` by Cauchy and Schwarz, for c less its mean.
    """
    figure, direction = objective.figure(problem), along.direction
    mean = float(objective.theta_of(problem) @ figure)
    reached = abs(math.fsum(direction * (figure - mean)))
    noise = 2.0 * rounding_unit(problem.n) * float(np.abs(direction) @ (np.abs(figure) + abs(mean)))
    if not reached > noise:
        # A direction that the figure does not have bounds nothing, also where it is not identified.
        return 0.0, 0.0
    if not most > 0.0:
        return math.inf, 0.0
    least = (reached - noise) ** 2 / most
    return least * (1.0 - 4.0 * float(np.finfo(float).eps)), reached**2 / most - least


def at_population(
    objective: EstimatorVariance, problem: Problem, claimed: Array | None
) -> tuple[InformationDesign, Array]:
    """Return the variance of the mean at a population of the inputs, and the direction of the multipliers' weights.

    Parameters
    ----------
    claimed : ndarray, shape (2, n), or None
        Weights of the inputs, and a direction; whatever they are is made a population and a direction.
    """
    n = problem.n
    given = claimed if claimed is not None and np.shape(claimed) == (2, n) else np.ones((2, n))
    theta = objective.population(problem)
    if theta is None:
        theta = np.maximum(given[0], 0.0)
        total = math.fsum(theta)
        # A bound holds at every population; where an input has no weight, nothing bounds its scores.
        theta = (1.0 - REST) * theta / total + REST / n if total > 0 else np.full(n, 1.0 / n)
    return InformationDesign("c", theta, direction=objective.figure(problem)), given[1]


def spread(figure: InformationDesign, problem: Problem) -> float:
    """Return at least the variance of the values themselves, which the variance of their mean counts besides."""
    found = float(figure.theta_of(problem) @ centred(figure, problem) ** 2)
    return found * (1.0 + 4.0 * rounding_unit(problem.n))
