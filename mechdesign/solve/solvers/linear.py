"""Linear programs as arrays, handed to a solver by name, whose answer is looked at before it is returned."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import partial

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import OutOfTime, is_late, solver_limit, time_left
from mechdesign.runtime.native_call import called
from mechdesign.solve.solvers import highs
from mechdesign.solve.solvers.catalogue import SOLVERS, of_linear_programs, solver_name
from mechdesign.solve.solvers.claimed_numbers import real_numbers, usable
from mechdesign.solve.solvers.linear_program import LinearProgram, LinearSolution

#: Programs of fewer nonzeros are over within milliseconds.
SMALL = 10_000


def solve_linear(
    program: LinearProgram,
    solver: str = "HIGHS",
    *,
    interior: bool = False,
    time_limit: float | None = None,
    verbose: bool = False,
) -> LinearSolution:
    """Solve `program`, by interior point without crossover where `interior`; raise SolverError where it fails."""
    name = solver_name(solver)
    solve = SOLVERS[name].linear
    if solve is None:
        raise SolverError(
            f"{name} takes no linear programs as arrays here: choose one of {', '.join(of_linear_programs())}.",
            status="not offered",
        )
    run = partial(solve, program, interior=interior, time_limit=time_limit, verbose=verbose)
    return _checked(name, program, called(name, run, small=program.rows.nnz < SMALL))


def _checked(name: str, program: LinearProgram, solution: LinearSolution) -> LinearSolution:
    """Return the solution as floats; raise SolverError where the numbers cannot be an answer to `program` at all."""
    given = (
        ("values", solution.point, len(program.cost)),
        ("multipliers", solution.multipliers, program.rows.shape[0]),
    )
    found: list[Array] = []
    for what, claimed, wanted in given:
        status = solution.stats.status
        numbers = real_numbers(claimed)
        if numbers is None:
            raise SolverError(f"{name} returned {what} that are no real numbers.", status=status, iterate=claimed)
        if numbers.shape != (wanted,):
            raise SolverError(
                f"{name} returned {numbers.size} {what}, not {wanted}.", status=status, iterate=solution.point
            )
        if not usable(numbers):
            raise SolverError(f"{name} returned {what} that are not finite.", status=status, iterate=solution.point)
        found.append(numbers)
    return replace(solution, point=found[0], multipliers=found[1])


def solve_costs(program: LinearProgram, costs: Array) -> list[LinearSolution]:
    """Solve `program` for each of the costs, shape (programs, variables), from the basis of the one before.

    Only for the first ones where the deadline passes meanwhile.
    """
    found: list[LinearSolution] = []
    run = partial(_in_turn, program, costs, found)
    # Where it is left at the time limit, what was found counts; the list is its own.
    with suppress(OutOfTime):
        called("HIGHS", run, small=program.rows.nnz * len(costs) < SMALL)
    return list(found)


def _in_turn(program: LinearProgram, costs: Array, found: list[LinearSolution]) -> None:
    """Append the solution for each row of `costs` to `found`, while there is time."""
    engine = highs.engine_of(program)
    for cost in costs:
        left = time_left()
        if left is not None:
            if left <= 0:
                break
            engine.setOptionValue("time_limit", engine.getRunTime() + solver_limit(left))
        asked = replace(program, cost=cost)
        try:
            engine.changeColsCost(len(cost), np.arange(len(cost), dtype=np.int32), cost)
            solution = _checked("HIGHS", asked, highs.answer_of(engine, asked, False))
        except Exception:  # noqa: BLE001 - a binding may raise anything
            if is_late():
                break
            # A basis that it cannot go on from: once more, from nothing.
            try:
                solution = solve_linear(asked)
            except SolverError:
                # A cone that is next to a line is empty to the simplex method's tolerance.
                solution = solve_linear(asked, "CLARABEL")
        found.append(solution)
