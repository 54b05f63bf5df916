"""Route `attributes`: marginals of binary attributes under LDP, by sets of inputs that depend on few attributes.

All vectors of d bits are the inputs, equally frequent, and the workload stays as it is if bits are flipped or permuted.
So does the best mechanism's information then: it is diagonal in the characters, and the columns may be all images of
few sets. The best ones are found of all sets that depend on up to four attributes.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives.information_design import is_design, is_of_one_figure
from mechdesign.parameters.checks import Array
from mechdesign.solve.resources.measurements import bytes_of
from mechdesign.solve.search.sets_of_attributes import MOST_ATTRIBUTES, best_kinds, degrees, placed
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task, without_solver
from mechdesign.tolerances import LARGEST_EXPONENT

#: Attributes at least and at most; of the least number all sets are found, and all are priced for the bound.
FEWEST, MOST = MOST_ATTRIBUTES, 11
#: What is no difference between entries of a Gram matrix, and no eigenvalue, as a share of the largest.
ALIKE = 1e-9


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    objective, problem = task.objective, task.problem
    if not is_design(objective) or is_of_one_figure(objective) or objective.criterion != "A":
        return Refusal("it is for the sum of the variances of a workload")
    attributes = problem.n.bit_length() - 1
    if objective.queries is None or problem.n != 1 << attributes or not FEWEST <= attributes <= MOST:
        return Refusal(f"it is for workloads over all combinations of {FEWEST} to {MOST} binary attributes")
    if not is_ldp_of_inputs(task.notion, problem) or problem.data_of_input is not None or not task.notion.parameter > 0:
        return Refusal("it is for LDP of the inputs, at a positive epsilon")
    if float(np.ptp(objective.theta_of(problem))) > 0.0:
        return Refusal("it is for equally frequent inputs")
    eigenvalues = symmetric_eigenvalues(objective.gram(problem))
    if eigenvalues is None:
        return Refusal("the workload is not the same if attributes are flipped or permuted")
    if task.outputs is not None:
        return Refusal("its outputs are all images of some sets, and their number cannot be restricted")
    return Plan(partial(_of_few, eigenvalues))


def symmetric_eigenvalues(gram: Array) -> Array | None:
    """Return the eigenvalues of ``W' W`` at the degrees 1 to 4, None where it has others or changes with the bits.

    Parameters
    ----------
    gram : ndarray, shape (2 ** d, 2 ** d)

    Examples
    --------
    >>> import mechdesign as md
    >>> rows = md.queries.marginals([2] * 5, 1)
    >>> symmetric_eigenvalues(rows.T @ rows).tolist()
    [16.0, 0.0, 0.0, 0.0]
    >>> symmetric_eigenvalues(np.diag(np.arange(32.0))) is None
    True
    """
    n = len(gram)
    counted, at = degrees(n.bit_length() - 1), np.arange(n)
    size = float(np.abs(gram).max())
    of_degree = np.array([gram[0, (1 << degree) - 1] for degree in range(counted[-1] + 1)])
    if float(np.abs(gram - of_degree[counted[at[:, None] ^ at]]).max()) > ALIKE * size:
        return None
    # The character of the first i bits stands for all of degree i.
    characters = [1.0 - 2.0 * (counted[at & ((1 << degree) - 1)] % 2) for degree in range(1, counted[-1] + 1)]
    found = np.array(characters) @ gram[0]
    found[np.abs(found) <= ALIKE * size * n] = 0.0
    return None if np.any(found[MOST_ATTRIBUTES:] > 0.0) else np.asarray(found[:MOST_ATTRIBUTES])


def _of_few(eigenvalues: Array, task: Task, solver: str) -> Candidate:
    """Return the matrix of all images of the best kinds of sets."""
    stages, n = Stages(), task.problem.n
    ratio = math.exp(min(task.notion.parameter, LARGEST_EXPONENT))
    kinds, probabilities = best_kinds(eigenvalues, n.bit_length() - 1, ratio)
    parts = []
    for members, share, probability in zip(kinds.members, kinds.share, probabilities, strict=True):
        images = placed(members, n.bit_length() - 1)
        mass = 1.0 / ratio + (1.0 - 1.0 / ratio) * share
        parts.append(np.where(images.T, 1.0, 1.0 / ratio) * (probability / (len(images) * mass)))
    matrix = np.hstack(parts)
    shown = Multipliers(np.zeros(n))
    if n == 1 << FEWEST:
        shown = _of_all_sets(eigenvalues, matrix)
    stages.lap("solve")
    stats = SolverStats(ROUTE.solvers[0], "not needed", stages.timings["solve"], 0)
    note = f"all images of {len(parts)} sets that depend on up to {MOST_ATTRIBUTES} attributes"
    return Candidate(matrix, shown, stats, stages.timings, note)


def _of_all_sets(eigenvalues: Array, matrix: Array) -> Multipliers:
    """Return the slope ``C W' W C`` of a symmetric matrix, and multipliers of its rows, which add up to the value."""
    n, at = len(matrix), np.arange(len(matrix))
    counted = degrees(n.bit_length() - 1)
    characters = 1.0 - 2.0 * (counted[at[:, None] & at] % 2)
    information = ((characters @ matrix) ** 2 / matrix.mean(axis=0)).sum(axis=1) / n
    loads = np.concatenate([[0.0], eigenvalues])[counted]
    slopes = np.divide(loads, information**2, out=np.zeros(n), where=loads > 0.0)
    value = float((slopes * information).sum())
    return Multipliers(np.full(n, value / n), weights=(characters * slopes) @ characters / n)


def size(task: Task) -> Size:
    """Return the size of the Gram matrix."""
    return Size(bytes_of("sets", task.problem.n**2))


def first_of_all(task: Task) -> str | None:
    """Return why it comes before columns that are drawn."""
    if isinstance(plan(task), Refusal):
        return None
    return "the workload is symmetric in the attributes, so that few sets and all their images are the outputs"


ROUTE = Route("attributes", without_solver, plan, size, first_of_all, is_exact=False)
