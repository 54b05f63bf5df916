"""Route `likeliest`: histogram MMSE under a bound on the maximal leakage, by a formula for any number of inputs.

The likeliest inputs are revealed and all others share an output; between two whole numbers of inputs the two mechanisms
are mixed. The multipliers have a formula too. Where that is more outputs than are allowed, fewer inputs are revealed,
and the gap says what that may cost.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.likeliest_revealed import is_of_peaks, multipliers
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, without_solver

#: A share of this and less is none, and shares are so much below what the limit allows.
LEAST_SHARE = 1e-14


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    peaks = task.columns.sum_of_peaks
    if peaks is None or not is_of_peaks(task.notion, task.objective, task.problem):
        return Refusal("it answers histogram MMSE under MaximalLeakage, where the secret is the input")
    return Plan(partial(_by_formula, peaks))


def _by_formula(peaks: float, task: Task, solver: str) -> Candidate:
    """Return the mechanism and the multipliers, where the sum of the outputs' peaks may be so large."""
    stages, prior = Stages(), task.problem.required_prior
    revealed, share = _revealed(peaks, task.problem.n)
    found = multipliers(prior, revealed)
    if task.outputs is not None and task.outputs < min(revealed + 1 + 2 * (share > 0.0), task.problem.n):
        # As many as fit: the bound is that of any number of outputs.
        revealed, share = min(revealed, task.outputs - 1), 0.0
    matrix = revealing(prior, revealed, share)
    stages.lap("build")
    stats = SolverStats(ROUTE.solvers[0], "not needed", stages.timings["build"], 0)
    note = f"the {revealed} likeliest inputs are revealed" + (f", and the next with {share:.3g}" if share else "")
    return Candidate(matrix, found, stats, stages.timings, note)


def _revealed(peaks: float, n: int) -> tuple[int, float]:
    """Return how many of n inputs are revealed, and with which probability the next one is."""
    whole = min(math.floor(peaks), n)
    if whole == n:
        return whole, 0.0
    # Rounded down, as the exact check rounds the limit.
    share = peaks * (1.0 - LEAST_SHARE) - whole
    return whole - 1, share if share > LEAST_SHARE else 0.0


def revealing(prior: Array, revealed: int, share: float) -> Array:
    """Return the mechanism that reveals some of the likeliest inputs, and the next one with probability `share`.

    Parameters
    ----------
    prior : ndarray, shape (n,)

    Returns
    -------
    ndarray, shape (n, outputs)

    Examples
    --------
    >>> revealing(np.array([0.5, 0.3, 0.2]), 0, 0.25).tolist()
    [[0.25, 0.0, 0.75], [0.0, 0.25, 0.75], [0.0, 0.25, 0.75]]
    """
    order = np.argsort(-prior, kind="stable")
    units = np.eye(len(prior))[:, order]
    if revealed >= len(prior) - 1:
        return units
    rest, after = units[:, revealed:].sum(axis=1), units[:, revealed + 1 :].sum(axis=1)
    if share == 0.0:
        return np.column_stack([units[:, :revealed], rest])
    return np.column_stack([units[:, :revealed], share * units[:, revealed], share * after, (1.0 - share) * rest])


def first_of_all(task: Task) -> str | None:
    """Return why it is asked first where it answers: its formula holds for any number of inputs."""
    if is_of_peaks(task.notion, task.objective, task.problem):
        return "the best mechanism has a formula, for any number of inputs"
    return None


def size(task: Task) -> Size:
    """Return none: its arrays follow the size of the matrix."""
    return Size()


ROUTE = Route("likeliest", without_solver, plan, size, first_of_all)
