"""Mechanisms of sets of inputs and all their cyclic shifts, for estimated frequencies of any number of inputs.

An input in a set is R times as likely to report it as one outside, and every input is in as many sets as any other: so
rows sum to one by themselves. R is e^epsilon under LDP, and sought under other notions. Where frequencies differ under
LDP, the most frequent inputs are in or out of a set by themselves, the others are shifted. Where they are equal and all
sets of one size are few, these are the outputs: subset selection, which is optimal.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from mechdesign.errors import SolverError, UnsupportedError
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives.information_design import is_design, is_of_one_figure
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late, time_left
from mechdesign.runtime.memory import ceiling
from mechdesign.solve.pricing.bounded_lift import lifts
from mechdesign.solve.pricing.input_groups import MOST_ALONE, InputGroups
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.search.block_matrix import block_matrix
from mechdesign.solve.search.counts_of_sets import CountedSets, best_counts
from mechdesign.solve.search.cyclic_blocks import Bits, cyclic_blocks, shifts
from mechdesign.solve.task import Task
from mechdesign.tolerances import LARGEST_EXPONENT

#: Sets whose shifts are the outputs, and from which ratio on there are more: large ones need more to be as near.
FEW, MANY, LARGE = 8, 12, 3.0
#: All sets of one size are the outputs from this many inputs on, below which a program is as quick, and up to so many.
ALL_FROM, MOST_OF_ALL = 12, 20_000
#: Share of the time left that the sets may take.
OF_TIME = 0.7
#: Where frequencies differ: sets more than that, how many inputs are by themselves, and sets at most.
MORE, ALONE, MOST_SETS = 8, (2, 4, 6), 40
#: Matrices that are made, of the groups whose sets promise most.
MADE = 2
#: Groups of the others, fewest inputs by themselves then, and sets more than that for each group.
SEVERAL, FEWEST_ALONE, EACH = (2, 3), 4, 10
#: Sizes of sets that are tried where the ratio depends on them, and halvings of the ratio's logarithm.
SIZES, HALVINGS = 12, 14
#: Largest level at which the sets depend on the frequencies: beyond it squares of ratios of masses leave no digits.
LARGEST_LEVEL = 12.0


def shifted_sets(task: Task) -> tuple[Array, str]:
    """Return a private matrix of sets and their shifts, and its description.

    Raises
    ------
    SolverError
        No set was tried in the time.
    UnsupportedError
        No set that is tried may be distinguished from its complement.
    """
    found = _of_equal(task)
    if not is_design(task.objective) or not is_ldp_of_inputs(task.notion, task.problem) or is_late():
        return found
    theta, level = task.objective.theta_of(task.problem), task.notion.epsilon
    if float(np.ptp(theta)) == 0.0 or not 0.0 < level <= LARGEST_LEVEL:
        return found
    return _of_unequal(task, theta, math.expm1(level), *found)


def _of_equal(task: Task) -> tuple[Array, str]:
    """Return the matrix of all sets of one size, or of shifts of few sets, and its description."""
    if has_all_sets(task):
        size, ratio = _size_and_ratio(task)
        return matrix_of(all_sets(task.problem.n, size), ratio), f"all sets of {size} inputs: subset selection"
    size, ratio = _size_and_ratio(task)
    count = _count(task, MANY if ratio > LARGE else FEW)
    chosen = cyclic_blocks(task.problem.n, size, count)
    if not is_ldp_of_inputs(task.notion, task.problem):
        # Other sets of that size may have other masses.
        ratio = largest_ratio(task, chosen)
    if not ratio > 1.0:
        if is_late():
            raise SolverError("No set of inputs was tried in the time.", status="nothing disclosed")
        raise UnsupportedError(
            f"No set of inputs that is tried may be distinguished from its complement under {task.notion}: inputs that "
            "nobody may distinguish have no frequencies of their own. Merge them, or raise the level."
        )
    return matrix_of(shifts(chosen), ratio), f"{count} sets of {size} inputs and all their cyclic shifts"


def has_all_sets(task: Task) -> bool:
    """Return whether subset selection answers: under LDP, where frequencies are equal and its sets are few enough."""
    objective, problem = task.objective, task.problem
    if not is_design(objective) or is_of_one_figure(objective) or not is_ldp_of_inputs(task.notion, problem):
        return False
    n = problem.n
    if n < ALL_FROM or problem.data_of_input is not None or objective.is_weighted:
        return False
    if float(np.ptp(objective.mass(np.eye(n), problem))) > 0.0 or not task.notion.epsilon > 0.0:
        return False
    count = math.comb(n, _size_and_ratio(task)[0])
    return count <= min(MOST_OF_ALL, task.outputs or MOST_OF_ALL, n * _sets_in_memory(task))


def all_sets(n: int, size: int) -> Bits:
    """Return all sets of `size` of n inputs as columns, shape (n, C(n, size)).

    Examples
    --------
    >>> all_sets(3, 2).astype(int).tolist()
    [[1, 1, 0], [1, 0, 1], [0, 1, 1]]
    """
    sets = np.array(list(combinations(range(n), size)))
    members = np.zeros((n, len(sets)), dtype=bool)
    members[sets, np.arange(len(sets))[:, None]] = True
    return members


def _of_unequal(task: Task, theta: Array, rise: float, matrix: Array, note: str) -> tuple[Array, str]:
    """Return the best of a matrix and those in which few frequent inputs are in or out by themselves."""
    objective, wanted = task.objective, (MANY if rise + 1.0 > LARGE else FEW) + MORE
    best = objective.value(matrix, task.problem)
    for groups, found in sorted(_counted(theta, rise, task), key=lambda pair: pair[1].value)[:MADE]:
        if is_late():
            break
        several = len(groups.others)
        made = block_matrix(groups, found, _count(task, wanted + EACH * (several - 1)))
        value = np.inf if made is None else objective.value(made, task.problem)
        if made is not None and value < best:
            matrix, best = made, value
            count, parted = made.shape[1] // int(groups.others[-1]), f" in {several} groups" if several > 1 else ""
            note = f"{count} sets of the {groups.alone} most frequent inputs, all cyclic shifts of the others{parted}"
    return matrix, note


def _counted(theta: Array, rise: float, task: Task) -> Iterator[tuple[InputGroups, CountedSets]]:
    """Yield groups of inputs with the counts of their best sets, while there is time, room and memory."""
    for sizes in _partitions(theta):
        groups = InputGroups.of_sizes(theta, rise, sizes)
        found = None if groups is None or is_late() else best_counts(groups)
        if groups is not None and found is not None:
            count = len(found.counts)
            if count <= MOST_SETS and not _is_beyond(task, count):
                yield groups, found


def _partitions(theta: Array) -> Iterator[Array]:
    """Yield sizes of groups, from the most frequent: few single inputs, then one or more groups of all others.

    Of several groups each size divides the next, and the roots of the frequencies vary least within the groups.
    """
    roots = np.sqrt(np.sort(theta)[::-1])
    for alone in (alone for alone in ALONE if alone < len(roots) - 3):
        yield np.append(np.ones(alone), len(roots) - alone)
    sums, squares = (np.append(0.0, np.cumsum(each)) for each in (roots, roots**2))

    def spread(sizes: Array) -> float:
        ends = np.append(0, np.cumsum(sizes)).astype(int)
        return float((np.diff(squares[ends]) - np.diff(sums[ends]) ** 2 / sizes).sum())

    for several in SEVERAL:
        singles = range(FEWEST_ALONE, MOST_ALONE + 1)
        found = [
            np.append(np.ones(alone), sizes) for alone in singles for sizes in _nested(len(roots) - alone, several)
        ]
        if found:
            yield min(found, key=spread)


def _nested(total: int, several: int) -> Iterator[list[int]]:
    """Yield sizes that sum to a total, each at least 3 and a proper divisor of the next."""
    if several == 1:
        yield [total]
        return
    for first in range(3, total // 2**several + 1):
        if total % first == 0:
            for rest in _nested(total // first - 1, several - 1) if several > 2 else [[total // first - 1]]:
                yield [first, *(first * each for each in rest)]


def _is_beyond(task: Task, sets: int) -> bool:
    """Return whether a number of sets is more than outputs or memory allow."""
    outputs = task.outputs is not None and sets * task.problem.n > task.outputs
    return outputs or sets > _sets_in_memory(task)


def _sets_in_memory(task: Task) -> int:
    """Return of how many sets the cyclic shifts may be outputs, by memory."""
    return int(ceiling(task.memory_limit).bytes // bytes_of("shifts", task.problem.n**2))


def _count(task: Task, wanted: int) -> int:
    """Return how many sets there is room and time for, at least one."""
    n, left = task.problem.n, time_left()
    room = wanted if task.outputs is None else task.outputs // n
    each = seconds_of("shifts" if task.notion.polyhedral else "shifts on balls", n**2)
    in_time = wanted if left is None else int(OF_TIME * left / each)
    return max(min(wanted, room, in_time, _sets_in_memory(task)), 1)


def matrix_of(sets: Bits, ratio: float) -> Array:
    """Return the matrix whose columns are R on a set and 1 off it, up to one factor: rows sum to one up to rounding.

    Examples
    --------
    >>> (matrix_of(shifts(np.array([[True, False, False]])), 2.0) * 4).tolist()
    [[2.0, 1.0, 1.0], [1.0, 2.0, 1.0], [1.0, 1.0, 2.0]]
    """
    # Divided by R, so that a large one does not overflow.
    low = 1.0 / ratio
    entries = np.where(sets, 1.0, low)
    return np.asarray(entries / entries[0].sum())


def _size_and_ratio(task: Task) -> tuple[int, float]:
    """Return the size of the sets of least variance, and the ratio that they may have."""
    n = task.problem.n
    if is_ldp_of_inputs(task.notion, task.problem):
        ratio = math.exp(min(task.notion.epsilon, LARGEST_EXPONENT))
        return min(range(1, n), key=partial(_spread, n, ratio=ratio)), ratio
    found: dict[int, float] = {}

    def spread(size: int) -> float:
        if size not in found:
            some = np.random.default_rng(size).permutation(n) < size
            found[size] = largest_ratio(task, some[None, :])
        return _spread(n, size, found[size])

    sizes = np.unique(np.geomspace(1, max(n / 2, 1), SIZES).round().astype(int)).tolist()
    place = sizes.index(min(sizes, key=spread))
    low, high = sizes[max(place - 1, 0)], sizes[min(place + 1, len(sizes) - 1)]
    # The spread falls and rises again with the size.
    while high - low > 2:
        left, right = low + (high - low) // 3, high - (high - low) // 3
        low, high = (low, right) if spread(left) <= spread(right) else (left, high)
    best = min((*found, (low + high) // 2), key=spread)
    return best, found[best]


def _spread(n: int, size: int, ratio: float) -> float:
    """Return the variance of sets of that size at equal frequencies, but for what depends on neither."""
    low = 1.0 / ratio
    if not low < 1.0:
        return math.inf
    return (size + (n - size) * low) ** 2 / (size * (n - size) * (1.0 - low) ** 2)


def largest_ratio(task: Task, blocks: Bits) -> float:
    """Return about the largest ratio at which all shifts of the sets satisfy the notion; 1 where none does."""
    known = [_ratio_of(part, task.problem, blocks) for part in task.notion.parts()]
    ends = [ratio for ratio in known if ratio is not None]
    high = math.log(min(ends, default=math.exp(LARGEST_EXPONENT / 2.0)))
    return math.exp(high if len(ends) == len(known) else _sought(task, shifts(blocks), high))


def _ratio_of(part: Notion, problem: Problem, blocks: Bits) -> float | None:
    """Return the largest ratio under LDP or bounds of the lift; None under other notions.

    On a set of mass T the lift is ``R / (1 + (R - 1) T)``, off it ``1 / (1 + (R - 1) T)``.
    """
    if is_ldp_of_inputs(part, problem):
        return math.exp(min(part.epsilon, LARGEST_EXPONENT / 2.0))
    found = lifts(part, problem)
    if found is None:
        return None
    # The masses of all shifts of a set are its circular correlation with the prior.
    transforms = np.fft.rfft(found.prior) * np.conj(np.fft.rfft(blocks.astype(float)))
    masses = np.fft.irfft(transforms, problem.n)
    least, most, high = max(float(masses.min()), 0.0), float(masses.max()), float(found.high.max())
    ends = [math.exp(LARGEST_EXPONENT / 2.0)]
    if high * least < 1.0:
        ends.append(high * (1.0 - least) / (1.0 - high * least))
    if found.low > 0.0:
        ends.append(1.0 + (1.0 / found.low - 1.0) / most)
    return max(min(ends), 1.0)


def _sought(task: Task, sets: Bits, most: float) -> float:
    """Return the logarithm of the largest ratio of at most e^most, by halving."""

    def holds(log_ratio: float) -> bool:
        level = task.notion.level(matrix_of(sets, math.exp(log_ratio)), task.problem)
        return level.excess(task.notion) <= 0.0

    low, high = 0.0, 1.0
    while high < most and holds(high):
        low, high = high, 2.0 * high
    high = min(high, most)
    for _ in range(HALVINGS):
        if is_late():
            break
        middle = 0.5 * (low + high)
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
