"""Multipliers of a bound without a solver: zeros, slopes at a constant column, least squares at a matrix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mechdesign.errors import UnsupportedError
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import PiecewiseLinear
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.exponent import Exponent
from mechdesign.objectives.information_design import is_design
from mechdesign.objectives.information_over_priors import InformationOverPriors, is_least, is_mean
from mechdesign.objectives.label_information import INFORMATION
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing.label_space import guess_for_label
from mechdesign.solve.pricing.leaked_information import is_of_leakage, leakage_multipliers
from mechdesign.solve.pricing.mixture_of_priors import at_mixture
from mechdesign.solve.task import Task

#: Pieces that lie so near to the largest, as a share, have it.
NEAR_LARGEST = 1e-9


def best_guess(task: Task, matrix: Array) -> Multipliers:
    """Return the multipliers of least bound among the guesses for a matrix, shape (n, m); the first when late."""
    offered = list(guesses(task, matrix))
    best_of, least = offered[0], np.inf
    for multipliers in offered:
        if is_late():
            break
        try:
            bound = utility_bound(task.notion, task.objective, task.problem, multipliers, 0.0, task.outputs).utility
        except UnsupportedError:
            break
        if bound < least:
            best_of, least = multipliers, bound
    return best_of


def guesses(task: Task, matrix: Array) -> Iterator[Multipliers]:
    """Yield multipliers for a bound: none, slopes at a constant column, and what fits the matrix, shape (n, m)."""
    objective, problem = task.objective, task.problem
    yield Multipliers(np.zeros(problem.n))
    constant = np.ones((problem.n, 1))
    peaks = task.notion.columns(problem).sum_of_peaks
    if peaks is not None and is_of_leakage(task.notion, objective, problem):
        yield leakage_multipliers(peaks, problem)
    of_label = guess_for_label(task.notion, objective, problem)
    if of_label is not None:
        yield of_label
    if isinstance(objective, Exponent) or is_design(objective):
        return
    if is_mean(objective):
        yield from _at_mixture(task, objective, matrix)
    if is_least(objective):
        yield from _for_priors(task, objective, matrix)
    if is_separable(objective):
        yield Multipliers(objective.supporting(constant, problem)[:, 0])
        gains = objective.gains(problem)
        decided_columns = gains is not None and matrix.shape[1] == len(gains)
        made = matrix.max(axis=0) > 0
        utility = np.einsum("yx,xy->y", gains, matrix)[made] if decided_columns and gains is not None else None
        columns = matrix[:, made]
        yield by_slackness(task, columns, objective.column_utility(columns, problem) if utility is None else utility)
    elif is_convex(objective):
        made = matrix.max(axis=0) > 0
        for weights in _weights(task, matrix):
            cost = objective.minorant(weights, problem)
            yield Multipliers(-cost[:, int(cost.sum(axis=0).argmin())], weights=weights)
            if matrix.shape[1] == cost.shape[1]:
                found = by_slackness(task, matrix[:, made], -np.einsum("xy,xy->y", cost, matrix)[made])
                yield replace(found, weights=weights)


def _for_priors(task: Task, objective: InformationOverPriors, matrix: Array) -> Iterator[Multipliers]:
    """Yield the guesses at equal weights of the priors, and at the one that is least favourable for the matrix."""
    worst = np.zeros(len(objective.priors))
    worst[objective.of_each(matrix, task.problem).argmin()] = 1.0
    for weights in (None, worst):
        at_weights = _at_mixture(task, objective.at(weights), matrix)
        yield from (replace(guess, weights=weights) for guess in at_weights)


def _at_mixture(task: Task, mean: InformationOverPriors, matrix: Array) -> Iterator[Multipliers]:
    """Yield the guesses for the information at the mixture of the priors, which bounds the mean."""
    mixed = at_mixture(task.notion, mean, task.problem)
    if mixed is not None:
        yield from guesses(replace(task, problem=mixed[0], objective=INFORMATION), matrix)


def _weights(task: Task, matrix: Array) -> Iterator[Array | None]:
    """Yield weights of the pieces: equal ones, and equal ones of those that are largest at the matrix."""
    yield None
    if isinstance(task.objective, PiecewiseLinear) and task.objective.outputs(task.problem) == matrix.shape[1]:
        values = np.asarray(task.objective.pieces(task.problem) @ matrix.ravel())
        largest = float(values.max())
        yield (values >= largest - NEAR_LARGEST * max(abs(largest), float(np.abs(values).max()))).astype(float)


def by_slackness(task: Task, matrix: Array, utility: Array) -> Multipliers:
    """Return least squares for ``lam . q_y + nu beta(q_y) = utility_y`` over the columns, each at mass one.

    Parameters
    ----------
    matrix : ndarray, shape (n, m)
        Columns of positive mass.
    utility : ndarray, shape (m,)
        What each adds to the utility.
    """
    n = task.problem.n
    mass = task.columns.normal @ matrix
    budget = task.columns.budget()
    left = np.hstack([matrix.T, budget.cost(matrix).T]) / mass[:, None]
    found = np.asarray(np.linalg.lstsq(left, utility / mass, rcond=None)[0], dtype=float)
    return Multipliers(found[:n], np.maximum(found[n:], 0.0))
