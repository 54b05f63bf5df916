"""Route `known`: the best of some known private mechanisms, with a bound from the best of a few cheap multipliers.

Constant mechanisms, full disclosure where that is private, k-ary randomised response and randomised response on two
intervals, at the strongest level that the notion allows. No solver is called. `auto` takes it only where every other
route failed, and designs that miss the gap are compared with these mechanisms and bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from mechdesign.baselines.interval_partition import by_ratio
from mechdesign.baselines.response_matrix import strongest_on_cells
from mechdesign.errors import DomainError, SolverError, UnsupportedError
from mechdesign.exact import dyadic, round_rows
from mechdesign.mechanism import Multipliers
from mechdesign.objectives import InformationDesign, PiecewiseLinear, RatioType
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.decisions import datum_of_input
from mechdesign.objectives.exponent import Exponent
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.certificate.bound import no_certificate, utility_bound
from mechdesign.solve.pricing.all_rays import without_list
from mechdesign.solve.pricing.revealing_outputs import best_decisions, decided
from mechdesign.solve.pricing.subset_quadratic import by_subsets
from mechdesign.solve.repair.all_or_nothing import all_told
from mechdesign.solve.solvers.backends import SolverStats
from mechdesign.solve.task import Candidate, Route, Stages, Task, used
from mechdesign.tolerances import DENOMINATOR_BITS

#: Places at which the inputs are cut in two.
CUTS = 7
#: Entries of a matrix whose strongest level is sought, and where columns have a curved side, whose check is slow.
MOST_ENTRIES, MOST_CURVED = 1 << 14, 1 << 10
#: Entries up to which that level is sought to the last bit, and the same; by what share it may be missed beyond.
TO_LAST_BIT, TO_LAST_CURVED, COARSE = 1 << 10, 1 << 6, 2.0**-12
#: Pieces that lie so near to the largest, as a share, have it.
NEAR_LARGEST = 1e-9


def refusal(task: Task) -> str | None:
    """Return why the route cannot answer, or None."""
    if task.subject_to is not None:
        return "constraints of your own need the convex route"
    objective, problem = task.objective, task.problem
    if isinstance(objective, Exponent) or (
        isinstance(objective, InformationDesign) and not by_subsets(task.notion, problem)
    ):
        # Their certificates are over the extreme rays.
        return without_list(task.notion, problem)
    return no_certificate(task.notion, objective, problem)


def solve(task: Task) -> Candidate:
    """Return the best of the mechanisms, with the multipliers of the least bound; raise where none has a value."""
    stages = Stages()
    name, matrix = best(task)
    stages.lap("solve")
    multipliers = best_guess(task, matrix)
    stages.lap("price")
    stats = SolverStats(ROUTE.solvers[0], "not needed", stages.timings["solve"], 0)
    return Candidate(matrix, multipliers, stats, stages.timings, name)


def best(task: Task) -> tuple[str, Array]:
    """Return the name and the matrix of the best known mechanism.

    Raises
    ------
    SolverError
        None has a finite value.
    """
    found: tuple[str, Array] | None = None
    reached = -np.inf
    for name, matrix in mechanisms(task):
        utility = utility_of(task, matrix)
        if utility > reached:
            found, reached = (name, matrix), utility
    if found is None:
        raise SolverError(f"No known mechanism has a finite value of {task.objective}.", status="no mechanism")
    return found


def utility_of(task: Task, matrix: Array) -> float:
    """Return the utility that the matrix reaches, minus infinity where it has none that is finite."""
    objective, problem = task.objective, task.problem
    try:
        with np.errstate(all="ignore"):
            utility = objective.to_utility(objective.value(decided(matrix, objective, problem), problem), problem)
    except DomainError:
        return -np.inf
    return utility if np.isfinite(utility) else -np.inf


def mechanisms(task: Task) -> Iterator[tuple[str, Array]]:
    """Yield the known mechanisms with their names: exactly private, of no more outputs than are allowed.

    The quickest come first, and where the deadline passes no others.
    """
    if task.subject_to is not None:
        return
    for name, matrix in _all_mechanisms(task):
        if task.outputs is not None and used(matrix).shape[1] > task.outputs:
            continue
        numerators = dyadic(matrix)
        if numerators is not None and task.notion.holds_exactly(numerators, task.problem):
            yield name, matrix


def _all_mechanisms(task: Task) -> Iterator[tuple[str, Array]]:
    problem, objective = task.problem, task.objective
    for row in _constant_rows(task):
        yield "constant mechanism", np.tile(row, (problem.n, 1))
    told = all_told(task)
    if told is not None:
        yield "full disclosure", told
    if len(task.notion.revealed(problem)) and objective.outputs(problem) is not None:
        # Which outputs reveal an input would be lost where they are taken as decisions.
        return
    for name, cells in _partitions(task):
        if is_late():
            return
        count = int(cells.max()) + 1
        entries = problem.n * count
        if entries <= (MOST_ENTRIES if task.notion.polyhedral else MOST_CURVED):
            exact = entries <= (TO_LAST_BIT if task.notion.polyhedral else TO_LAST_CURVED)
            response = strongest_on_cells(task.notion, problem, cells, 0.0 if exact else COARSE)
            yield name, _as_decisions(task, response)


def _constant_rows(task: Task) -> Iterator[Array]:
    """Yield the rows of constant mechanisms: one output, or each single decision and all of them alike."""
    objective, count = task.objective, task.objective.outputs(task.problem)
    if count is None:
        yield np.ones(1)
        return
    singles: Sequence[int] = range(count)
    if is_separable(objective):
        singles = [int(best_decisions(objective, np.ones((task.problem.n, 1)), task.problem)[0])]
    for decision in singles:
        yield np.eye(count)[decision]
    if is_convex(objective):
        even = round_rows(np.full((1, count), 1.0 / count))
        yield np.ldexp(even.astype(float), -DENOMINATOR_BITS)[0]


def _partitions(task: Task) -> Iterator[tuple[str, npt.NDArray[np.intp]]]:
    """Yield the cells of each response: one for each datum, and two or as many as are allowed of neighbours."""
    problem, datum = task.problem, np.asarray(datum_of_input(task.problem), dtype=np.intp)
    data = int(datum.max()) + 1
    yield "k-ary randomised response", datum
    places = np.empty(problem.n, dtype=np.intp)
    places[np.argsort(_line(task), kind="stable")] = np.arange(problem.n)
    if task.outputs is not None and 2 < task.outputs < data:
        yield f"randomised response on {task.outputs} intervals", places * task.outputs // problem.n
    if data > 2:
        for cut in np.unique(np.linspace(1, problem.n - 1, CUTS).astype(np.intp)):
            yield "randomised response on two intervals", (places >= cut).astype(np.intp)


def _line(task: Task) -> Array:
    """Return a number for each input: those that are best told alike are next to each other."""
    objective, problem = task.objective, task.problem
    if isinstance(objective, RatioType):
        return by_ratio(objective.ratio(problem))
    if isinstance(objective, Exponent):
        p, s = objective.pair(np.eye(problem.n))
        return np.asarray(p / (p + s + np.finfo(float).tiny))
    values, datum = problem.values, datum_of_input(problem)
    return np.arange(problem.n, dtype=float) if values is None else np.asarray(values[datum], dtype=float)


def _as_decisions(task: Task, response: Array) -> Array:
    """Return the response with each output taken as its best decision, where outputs are decisions."""
    count = task.objective.outputs(task.problem)
    if count is None:
        return response
    return np.asarray(response @ np.eye(count)[best_decisions(task.objective, response, task.problem)])


def best_guess(task: Task, matrix: Array) -> Multipliers:
    """Return the multipliers of least bound among the guesses, or the first where the deadline passes."""
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
    """Yield multipliers that any sound bound takes: none, the slopes at a constant column, and what fits the matrix."""
    objective, problem = task.objective, task.problem
    yield Multipliers(np.zeros(problem.n))
    constant = np.ones((problem.n, 1))
    if isinstance(objective, Exponent | InformationDesign):
        return
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
    mass = task.notion.normal(task.problem) @ matrix
    budget = task.notion.budget(task.problem)
    left = np.hstack([matrix.T, budget.cost(matrix).T]) / mass[:, None]
    found = np.asarray(np.linalg.lstsq(left, utility / mass, rcond=None)[0], dtype=float)
    return Multipliers(found[:n], np.maximum(found[n:], 0.0))


ROUTE = Route("known", ("FORMULA",), refusal, solve, is_exact=False)
