"""Known private mechanisms of a question: constant, disclosing, randomised responses, and the published ones of LDP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from mechdesign.baselines.interval_partition import by_ratio
from mechdesign.baselines.published import published
from mechdesign.baselines.response_matrix import strongest_on_cells
from mechdesign.baselines.stochastic_rounding import strongest_rounding
from mechdesign.baselines.strongest import has_own_epsilon, strongest_known
from mechdesign.errors import DomainError, SolverError
from mechdesign.exact import dyadic, round_rows
from mechdesign.objectives import RatioType
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.objectives.decisions import datum_of_input
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.exponent import Exponent
from mechdesign.objectives.information_design import is_of_one_figure
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late, until
from mechdesign.solve.pricing.revealing_outputs import best_decisions, decided
from mechdesign.solve.repair.all_or_nothing import full_disclosure
from mechdesign.solve.task import Task, used
from mechdesign.tolerances import DENOMINATOR_BITS

#: Places at which the inputs are cut in two.
CUTS = 7
#: Entries of a matrix whose strongest level is sought, and where columns have a curved side, whose check is slow.
MOST_ENTRIES, MOST_CURVED = 1 << 14, 1 << 10
#: Entries up to which a matrix is checked where columns have a curved side, of which exact sums are taken one by one.
MOST_CHECKED = 1 << 16
#: Entries up to which that level is sought to the last bit, and the same; by what share it may be missed beyond.
TO_LAST_BIT, TO_LAST_CURVED, COARSE = 1 << 10, 1 << 6, 2.0**-12


def best(task: Task) -> tuple[str, Array]:
    """Return the name and the matrix of the best known mechanism; the first of a finite value where time is over.

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
    if found is None and is_late():
        # A time limit makes values worse, but not infinite.
        with until(None):
            found = next((one for one in mechanisms(task) if utility_of(task, one[1]) > -np.inf), None)
    if found is None:
        raise SolverError(f"No known mechanism has a finite value of {task.objective}.", status="no mechanism")
    return found


def is_known_to_be_finite(task: Task) -> bool:
    """Return whether a known mechanism has a finite value: no bound may then be infinite."""
    try:
        best(task)
    except SolverError:
        return False
    return True


def utility_of(task: Task, matrix: Array) -> float:
    """Return the utility of the matrix, shape (n, m), minus infinity where it has none that is finite."""
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
    yield from _admitted(task, _at_once(task))
    yield from _admitted(task, _responses(task))


def quick_mechanisms(task: Task) -> Iterator[tuple[str, Array]]:
    """Yield the mechanisms whose level need not be searched for: a design is compared with them whatever its gap."""
    return _admitted(task, _at_once(task))


def _admitted(task: Task, offered: Iterator[tuple[str, Array]]) -> Iterator[tuple[str, Array]]:
    """Yield those that have no more outputs than are allowed and are exactly private."""
    if task.subject_to is not None:
        return
    for name, matrix in offered:
        made = used(matrix)
        if task.outputs is not None and made.shape[1] > task.outputs:
            continue
        if not task.notion.polyhedral and made.size > MOST_CHECKED:
            continue
        numerators = dyadic(made)
        if numerators is not None and task.notion.holds_exactly(numerators, task.problem):
            yield name, matrix


def _at_once(task: Task) -> Iterator[tuple[str, Array]]:
    """Yield what no level is sought for: constant mechanisms, full disclosure, and what is published for LDP."""
    problem = task.problem
    for row in _constant_rows(task):
        yield "constant mechanism", np.tile(row, (problem.n, 1))
    disclosed = full_disclosure(task)
    if disclosed is not None:
        yield "full disclosure", disclosed
    # Which outputs reveal an input would be lost where they are taken as decisions.
    if len(task.notion.columns(problem).revealed) and task.objective.outputs(problem) is not None:
        return
    if not task.notion.polyhedral and problem.n**2 > MOST_ENTRIES:
        return
    for name, matrix in published(task.notion, problem):
        yield name, _as_decisions(task, matrix)
        if is_late():
            return


def _responses(task: Task) -> Iterator[tuple[str, Array]]:
    """Yield mechanisms at the largest level that is private: known ones of LDP, responses on the data and intervals."""
    problem, objective = task.problem, task.objective
    if len(task.notion.columns(problem).revealed) and objective.outputs(problem) is not None:
        return
    if is_of_one_figure(objective) or isinstance(objective, EstimatorVariance):
        yield "stochastic rounding", strongest_rounding(task.notion, problem, objective.figure(problem))
    if problem.data_of_input is None and not has_own_epsilon(task.notion, problem):
        for name, made, _ in strongest_known(task.notion, problem, objective):
            yield name, _as_decisions(task, made.matrix)
            if is_late():
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
    """Yield the cells of each response: one for each datum, and two or more, up to the limit, of neighbours."""
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
    """Return a number for each input: inputs that are best reported alike have neighbouring numbers."""
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
