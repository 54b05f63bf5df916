"""Route `subsets`: mutual information and histogram MMSE under LDP, over windows of inputs and sets that are priced.

Where LDP is asked on blocks of inputs, each block by itself; outputs that reveal an input may come besides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import LDP
from mechdesign.objectives import Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import in_share, is_late, time_left
from mechdesign.solve.pricing.sets_in_blocks import Block
from mechdesign.solve.pricing.subset_relaxation import Indices, Members
from mechdesign.solve.pricing.subset_utility import is_of_subsets, relaxation
from mechdesign.solve.programs.over_subsets import SetProgram
from mechdesign.solve.programs.windows_of_inputs import even_cover, first_sets
from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.search.priced_sets import SetSearch
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Ending, Plan, Refusal, Route, Size, Stages, Task, stopping

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
    notion, objective, known = task.notion, task.objective, task.notion.ldp_on(task.problem)
    if known is not None and is_separable(objective) and is_of_subsets(notion, objective, task.problem):
        return Plan(partial(_over_sets, objective, *known))
    return Refusal(
        "it answers mutual information and histogram MMSE under LDP of all inputs or of blocks of them, where the "
        "secret is the input itself"
    )


def _over_sets(
    objective: Separable, epsilon: float, blocks: Sequence[tuple[int, ...]], task: Task, solver: str
) -> Candidate:
    """Weigh windows and priced sets in rounds, until no set exceeds the multipliers by more than is asked."""
    with in_share(OWN_TIME):
        if len(blocks) == 1:
            return _in_rounds(LDP(epsilon), objective, task, solver)
        return _block_by_block(LDP(epsilon), blocks, objective, task, solver)


def _block_by_block(
    notion: LDP, blocks: Sequence[tuple[int, ...]], objective: Separable, task: Task, solver: str
) -> Candidate:
    """Design for each block as if it were known that the input is one of it: outputs may reveal that."""
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
    stages, problem = Stages(), task.problem
    relax, order = relaxation(notion, objective, problem)
    search = SetSearch(task, notion, objective, relax)
    constant = np.ones((problem.n, 1))
    search.offer(constant)
    stats = SolverStats(solver, "not needed", 0.0, 0)
    if problem.n == 1 or relax.rise == 0.0:
        rows = objective.supporting(constant, problem)[:, 0]
        return Candidate(constant, Multipliers(rows), stats, stages.timings, "nothing may be disclosed")
    ending = Ending()
    # Where the mass of the best sets is unknown, vertices that HiGHS goes on to bound worse: twice the rounds.
    program = SetProgram(task, objective, relax, solver, lasting=relax.mass_is_known)
    _begin(search, program, order)
    stages.lap("build")
    if len(program.sets) and not search.may_stop:
        stats, ending = _rounds(search, program, order, stages)
    if not search.shown.size:
        search.price(objective.supporting(constant, problem)[:, 0])
    note = f"over {len(program.sets)} sets, {search.rounds} rounds" if search.rounds else "over windows of one size"
    found = Multipliers(search.shown)
    return Candidate(search.found, found, stats, stages.timings, f"{note}{ending}", ending.interrupted)


def _begin(search: SetSearch, program: SetProgram, order: Indices) -> None:
    """Offer windows of one size, price first multipliers, and add the first sets where that is too little."""
    problem = search.task.problem
    _offer_even(search)
    if search.relax.even(0):
        # Every order of the inputs is alike, so that equal multipliers are best.
        search.price(np.full(problem.n, search.reached / problem.n))
    guess = None if search.may_stop else search.relax.first_multipliers()
    first = np.zeros((0, problem.n), dtype=bool)
    if guess is not None:
        lam = np.empty(problem.n)
        lam[order] = guess
        first = search.price(lam).sets
    if not search.may_stop and _has_time(search):
        program.add(np.vstack([_first(search, problem.required_prior), first]))
        if search.revealed:
            program.add(_of_others(search, problem.required_prior))


def _first(search: SetSearch, prior: Array) -> Members:
    wanted, orders = _wanted(search)
    return first_sets(prior / prior.sum(), wanted, orders)


def _of_others(search: SetSearch, prior: Array) -> Members:
    """Return first sets of the inputs that no output may reveal: the best sets have no others."""
    hidden = np.setdiff1d(np.arange(len(prior)), search.revealed)
    masses = prior[hidden]
    found = np.zeros((0, len(prior)), dtype=bool)
    if masses.any():
        wanted, orders = _wanted(search)
        own = first_sets(masses / masses.sum(), wanted, orders) if len(hidden) > 1 else np.ones((1, 1), dtype=bool)
        found = np.zeros((len(own), len(prior)), dtype=bool)
        found[:, hidden] = own
    return found


def _wanted(search: SetSearch) -> tuple[Array, int]:
    """Return the masses of the first sets, and in how many random orders windows of them are taken."""
    wanted = search.relax.best_mass * (np.ones(1) if search.relax.mass_is_known else SPREAD)
    return np.minimum(wanted, 0.9), ORDERS if search.task.problem.n <= MANY_INPUTS else 0


def _has_time(search: SetSearch) -> bool:
    """Return whether the first sets, of which each circle has three for each input and mass, can be made in time."""
    (wanted, orders), left, n = _wanted(search), time_left(), search.task.problem.n
    return left is None or seconds_of("first sets", n * n * (2 + 3 * len(wanted) * (2 + orders))) < left


def _rounds(search: SetSearch, program: SetProgram, order: Indices, stages: Stages) -> tuple[SolverStats, Ending]:
    """Solve the program, price its multipliers, add the sets that exceed; return how often.

    Where that does not bring the bound on, smoother multipliers are priced besides.
    """
    stats = SolverStats(program.solver, "not answered in time", 0.0, 0)
    with stopping(search.task, lambda: True) as ending:
        while not (search.is_over or search.may_stop):
            left = time_left()
            if left is not None and seconds_of("program over sets", program.sets.size) > left:
                ending.said = "time limit"
                break
            weights, lam, stats = program.solve()
            search.offer(program.made(weights))
            stages.lap("solve")
            found = [search.price(lam).sets]
            quick = program.lasting and search.is_near(QUICK)
            smooth = [] if quick else _trials(search, lam, order)
            found += [search.price(trial).sets for trial in smooth if not search.may_stop]
            program.add(np.vstack(found))
            stages.lap("price")
            search.end_round()
    return stats, ending


def _trials(search: SetSearch, lam: Array, order: Indices) -> list[Array]:
    """Return the program's multipliers with small inputs' smoothed, and some between them and the best so far.

    Equal inputs have equal multipliers at some optimum; those of a vertex jump about, and bound next to nothing.
    """
    trials = []
    basis = search.relax.basis()
    for count in 2 ** np.arange(int(np.ceil(np.log2(len(lam))))):
        smooth, small = lam[order], slice(count, None)
        scaled = basis[:, small] / np.sqrt(search.relax.masses[small])
        fitted = np.linalg.lstsq(scaled.T, smooth[small] / np.sqrt(search.relax.masses[small]), rcond=None)[0]
        smooth[small] = fitted @ basis[:, small]
        back = np.empty_like(lam)
        back[order] = smooth
        trials.append(back)
    if search.shown.size:
        trials += [0.7 * search.shown + 0.3 * lam, 0.95 * search.shown + 0.05 * lam]
    return trials


def _offer_even(search: SetSearch) -> None:
    """Offer the mechanisms whose outputs are windows of one size, each input in equally many."""
    n, relax = search.task.problem.n, search.relax
    near = relax.best_mass * n
    sizes = np.clip([np.floor(near), np.ceil(near), near - 1, np.floor(near) + 2, 1], 1, n - 1)
    for size in dict.fromkeys(int(size) for size in sizes):
        columns = relax.columns(even_cover(n, size))
        search.offer(columns / columns[0].sum())
        if is_late():
            break


def size(task: Task) -> Size:
    """Return the size of windows of one size at equal masses, of sets otherwise."""
    pairs, prior = task.problem.n**2, task.problem.prior
    even = prior is not None and float(np.ptp(prior)) == 0.0
    return Size(bytes_of("windows" if even else "sets", pairs), before=seconds_of("sets", pairs))


ROUTE = Route("subsets", of_linear_programs, plan, size)
