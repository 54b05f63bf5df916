"""Route `subsets`: mutual information and histogram MMSE under LDP, over windows of inputs and sets that are priced.

Where LDP is asked on blocks of inputs, each block by itself; outputs that reveal an input may come besides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import LDP
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import in_share, time_left
from mechdesign.solve.pricing.oracles import SETS
from mechdesign.solve.pricing.sets_in_blocks import Block
from mechdesign.solve.pricing.subset_relaxation import Indices, Members, Relaxation
from mechdesign.solve.pricing.subset_utility import relaxation
from mechdesign.solve.programs.over_subsets import SetProgram
from mechdesign.solve.programs.windows_of_inputs import even_cover, first_sets
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.search.bracket import Start, bracket
from mechdesign.solve.search.incumbent import Incumbent, incumbent
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Plan, Refusal, Route, Size, Stages, Task

#: Rounds before the route returns what it has, and how many of them may pass without the gap getting narrower.
MOST_ROUNDS, PATIENCE = 60, 8
#: Points on the way from the best multipliers to the program's that are priced where its own bound badly.
NEAR_BEST = (0.3, 0.05)
#: Share of the last width above which smoother multipliers are tried too.
QUICK = 0.5
#: Random orders of the inputs, up to so many inputs; beyond it fewer sets are a program of some seconds.
ORDERS, MANY_INPUTS = 2, 400
#: Masses of the first sets, in units of the best, where that depends on which inputs a set holds.
SPREAD = np.array([0.5, 1.0, 1.6])
#: Share of the time allowed that the route takes itself: repair and certificate come after it.
OWN_TIME = 0.6


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    notion, objective, known = task.notion, task.objective, task.columns.ratio_in_blocks
    if known is not None and is_separable(objective) and SETS.applies(notion, objective, task.problem):
        return Plan(partial(_over_sets, objective, *known))
    return Refusal(
        "it answers mutual information and histogram MMSE under LDP of all inputs or of blocks of them, where the "
        "secret is the input itself"
    )


def _over_sets(
    objective: Separable, epsilon: float, blocks: Sequence[Sequence[int]], task: Task, solver: str
) -> Candidate:
    """Weigh windows and priced sets in rounds, until no set exceeds the multipliers by more than is asked."""
    with in_share(OWN_TIME):
        if len(blocks) == 1:
            return _in_rounds(LDP(epsilon), objective, task, solver)
        return _block_by_block(LDP(epsilon), blocks, objective, task, solver)


def _block_by_block(
    notion: LDP, blocks: Sequence[Sequence[int]], objective: Separable, task: Task, solver: str
) -> Candidate:
    """Design for each block as if the input were known to be in it: outputs may reveal the block."""
    n, stages, stats = task.problem.n, Stages(), SolverStats(solver, "not needed", 0.0, 0)
    columns, rows, interrupted = [], np.zeros(n), False
    left = sum(len(inputs) ** 2 for inputs in blocks)
    for inputs in sorted(blocks, key=len):
        own = np.eye(n)[:, list(inputs)]
        if len(inputs) == 1:
            columns.append(own)
            rows += objective.supporting(own, task.problem)[:, 0] * own[:, 0]
            continue
        block = Block.of(inputs, objective, task.problem)
        inner = replace(task, notion=notion, problem=block.problem, warm_start=None, say=None)
        with in_share(len(inputs) ** 2 / left):
            found = _in_rounds(notion, objective, inner, solver)
        left -= len(inputs) ** 2
        columns.append(own @ found.matrix)
        rows += own @ block.of_all(found.multipliers.rows)
        seconds, iterations = stats.seconds + found.stats.seconds, stats.iterations + found.stats.iterations
        stats = replace(found.stats, seconds=seconds, iterations=iterations)
        interrupted |= found.interrupted
    stages.lap("solve")
    note = f"over sets in {len(blocks)} blocks"
    return Candidate(np.hstack(columns), Multipliers(rows), stats, stages.timings, note, interrupted)


def _in_rounds(notion: LDP, objective: Separable, task: Task, solver: str) -> Candidate:
    best = incumbent(task, MOST_ROUNDS, PATIENCE)
    relax, order = relaxation(notion, objective, task.problem)
    if task.problem.n == 1 or relax.rise == 0.0:
        stats = SolverStats(solver, "not needed", 0.0, 0)
        return Candidate(best.found, best.shown, stats, {}, "nothing may be disclosed")
    program = SetProgram(task, objective, relax, solver, partial(seconds_of, "program over sets"))
    starts = _starts(best, objective, relax, order)
    return bracket(best, program, SETS, starts, between=partial(_trials, objective, relax, order, program))


def _starts(
    best: Incumbent[Array, Multipliers], objective: Separable, relax: Relaxation, order: Indices
) -> Iterator[Start]:
    """Yield windows of one size, guessed multipliers, and the columns of the first sets."""
    problem = best.task.problem
    yield from (Start(matrix) for matrix in (best.found, *_even(relax, problem.n)))
    if relax.even(0):
        # Every order of the inputs is alike, so that equal multipliers are best.
        yield Start(multipliers=Multipliers(np.full(problem.n, best.reached / problem.n)))
    guess = relax.first_multipliers()
    if guess is not None:
        yield Start(multipliers=Multipliers(guess[np.argsort(order)]))
    revealed = list(best.task.notion.columns(problem).revealed)
    prior, wanted = problem.required_prior, np.minimum(relax.best_mass * (1.0 if relax.mass_is_known else SPREAD), 0.9)
    orders = ORDERS if problem.n <= MANY_INPUTS else 0
    if not _has_time(problem.n, wanted.size, orders):
        yield Start(columns=np.ones((problem.n, 1)))
        return
    yield Start(columns=relax.columns(_first(prior, np.atleast_1d(wanted), orders)))
    if revealed:
        # The best sets have no inputs that an output may reveal.
        hidden = np.setdiff1d(np.arange(problem.n), revealed)
        if prior[hidden].any():
            own = _first(prior[hidden], np.atleast_1d(wanted), orders)
            sets = np.zeros((len(own), problem.n), dtype=bool)
            sets[:, hidden] = own
            yield Start(columns=relax.columns(sets))


def _first(masses: Array, wanted: Array, orders: int) -> Members:
    """Return windows of these masses in some orders of the inputs, shape (k, inputs)."""
    return first_sets(masses / masses.sum(), wanted, orders) if len(masses) > 1 else np.ones((1, 1), dtype=bool)


def _has_time(n: int, masses: int, orders: int) -> bool:
    """Return whether the first sets, of which each circle has three for each input and mass, can be made in time."""
    left = time_left()
    return left is None or seconds_of("first sets", n * n * (2 + 3 * masses * (2 + orders))) < left


def _trials(
    objective: Separable,
    relax: Relaxation,
    order: Indices,
    program: SetProgram,
    best: Incumbent[Array, Multipliers],
    found: Multipliers,
) -> Iterator[Multipliers]:
    """Yield the program's multipliers, and where they do not halve the gap smoother ones, and some nearer to the best.

    Equal inputs have equal multipliers at some optimum; those of a vertex jump about, and bound next to nothing.
    """
    problem, revealed = best.task.problem, list(best.task.columns.revealed)
    lam, before = found.rows.copy(), best.shown
    # A revealed input's is at least what it gains: no column of another mass makes up for less.
    gained = objective.column_utility(np.eye(problem.n)[:, revealed], problem)
    lam[revealed] = np.maximum(lam[revealed], gained)
    yield Multipliers(lam)
    if program.lasting and best.width <= QUICK * best.narrowest:
        return
    basis = relax.basis()
    for count in 2 ** np.arange(int(np.ceil(np.log2(problem.n)))):
        smooth, small = lam[order], slice(count, None)
        scaled = basis[:, small] / np.sqrt(relax.masses[small])
        fitted = np.linalg.lstsq(scaled.T, smooth[small] / np.sqrt(relax.masses[small]), rcond=None)[0]
        smooth[small] = fitted @ basis[:, small]
        yield Multipliers(smooth[np.argsort(order)])
    yield from (Multipliers(before.rows + share * (lam - before.rows)) for share in NEAR_BEST)


def _even(relax: Relaxation, n: int) -> Iterator[Array]:
    """Yield the mechanisms whose outputs are windows of one size, each input in equally many."""
    near = relax.best_mass * n
    sizes = np.clip([np.floor(near), np.ceil(near), near - 1, np.floor(near) + 2, 1], 1, n - 1)
    for size in dict.fromkeys(int(size) for size in sizes):
        columns = relax.columns(even_cover(n, size))
        yield columns / columns[0].sum()


def size(task: Task) -> Size:
    """Return the size of windows of one size at equal masses, of sets otherwise."""
    pairs, prior = task.problem.n**2, task.problem.prior
    even = prior is not None and float(np.ptp(prior)) == 0.0
    return Size(bytes_of("windows" if even else "sets", pairs), before=seconds_of("sets", pairs))


ROUTE = Route("subsets", of_linear_programs, plan, size)
