"""The cvxpy program over Q: built from the question, handed to a solver by name, its answer read back as a rumour."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from mechdesign.errors import InfeasibleError, SolverError
from mechdesign.objectives import Linear, PiecewiseLinear
from mechdesign.objectives.base import gains_of, is_convex, required_gains
from mechdesign.parameters.checks import Array
from mechdesign.runtime.native_call import called
from mechdesign.runtime.threads import alone
from mechdesign.solve.pricing.revealing_outputs import barred, fold, makes_decisions
from mechdesign.solve.programs.cvxpy_problem import problem as silent
from mechdesign.solve.solvers.catalogue import of_cones, solver_name, through_cvxpy
from mechdesign.solve.solvers.claimed_numbers import real_numbers, reshaped
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Task
from mechdesign.tolerances import SOLVER

#: How a solver's answer may end and still be worth a certificate.
WORTH_CERTIFYING = ("optimal", "optimal_inaccurate", "user_limit")
INFEASIBLE = ("infeasible", "infeasible_inaccurate", "infeasible_or_unbounded")


@dataclass(frozen=True)
class Program:
    """The cvxpy problem, its objective divided by `scale`, and the constraints whose multipliers are read."""

    problem: Any
    Q: Any
    scale: float
    rows: Any
    #: ``pieces . vec(Q) <= largest``, or None where the objective is linear.
    pieces: Any
    #: The notion's, in the order of `Notion.constraints`.
    rules: list[Any]
    #: The user's own.
    own: list[Any]
    #: Which entries of Q are zero: of outputs that reveal one input, those at the others; None for no such outputs.
    barred: Any = None


def output_count(task: Task) -> int:
    """Return the number of columns of Q: one for each decision, else the number asked for, else one for each input.

    Those that reveal an input come besides.
    """
    gains = gains_of(task.objective, task.problem)
    decisions = task.objective.outputs(task.problem) if gains is None else len(gains)
    return decisions or task.outputs or task.problem.n


def build(task: Task, own_of: Callable[[Any], list[Any]]) -> Program:
    """Return: minimise the objective over stochastic, private Q that satisfies the rules ``own_of(Q)``."""
    import cvxpy as cp

    objective, problem = task.objective, task.problem
    none = barred(task.notion, problem, output_count(task))
    Q = cp.Variable(none.shape, name="Q")
    decided = Q if (to_decisions := fold_of(task)) is None else Q @ to_decisions
    rows = cp.sum(Q, axis=1) == 1
    rules = task.notion.constraints(Q, problem)
    own = own_of(Q)
    if isinstance(objective, PiecewiseLinear):
        functionals = objective.pieces(problem)
        scale = _scale(functionals.data)
        largest, ceiling = _largest(objective.weight_box(problem))
        # Written out, where cp.max would hide the multipliers of the pieces.
        pieces = (functionals / scale) @ cp.vec(decided, order="C") <= ceiling
        whole = silent(largest, [rows, pieces, *rules, *own])
        return Program(whole, Q, scale, rows, pieces, rules, own, none)
    scale, goal = _goal(task, decided)
    whole = silent(goal / scale, [rows, *rules, *own])
    return Program(whole, Q, scale, rows, None, rules, own, none)


def _largest(box: tuple[Array, Array] | None) -> tuple[Any, Any]:
    """Return what is minimised, and what it keeps the pieces below: by duality their largest sum over weights."""
    import cvxpy as cp

    largest = cp.Variable()
    if box is None:
        return largest, largest
    lower, upper = box
    above, below = cp.Variable(len(upper), nonneg=True), cp.Variable(len(lower), nonneg=True)
    return largest + upper @ above - lower @ below, largest + above - below


def fold_of(task: Task) -> Array | None:
    """Return the matrix that takes the outputs of Q to decisions, or None where they are the decisions already."""
    if not task.columns.revealed or not makes_decisions(task.objective, task.problem):
        return None
    return fold(task.objective, task.notion, task.problem, output_count(task))


def _goal(task: Task, Q: Any) -> tuple[float, Any]:
    """Return the size of the coefficients, and the expression that is minimised."""
    import cvxpy as cp

    objective, problem = task.objective, task.problem
    if isinstance(objective, Linear):
        return _scale(objective.cost(problem)), objective.expression(Q, problem)
    if is_convex(objective):
        return 1.0, -objective.utility_expression(Q, problem)
    gains = required_gains(objective, problem)
    return _scale(gains), -cp.sum(cp.multiply(gains.T, Q))


def _scale(numbers: Array) -> float:
    largest = float(np.abs(numbers).max(initial=0.0))
    return largest if largest > 0 else 1.0


def run(program: Program, task: Task, solver: str) -> SolverStats:
    """Let a solver work on `program`.

    Raises
    ------
    InfeasibleError
        The solver found no mechanism, where that can be true.
    SolverError
        It failed, or says what cannot be true.
    """
    name = solver_name(solver)
    through = through_cvxpy(name)
    if through.linear_only and not _is_linear(program.problem):
        *others, last = of_cones()
        raise SolverError(
            f"{name} failed on the program over Q: it takes linear programs only, so choose "
            f"{', '.join(others)} or {last}.",
            status="not offered",
        )
    options = through.options(through.tolerance_of_leakage if task.objective.measures_leakage else SOLVER)
    status, seconds, iterations = solved(task, program.problem, name, options, "Q")
    if status in INFEASIBLE:
        _infeasible(name, status, task)
    if status not in WORTH_CERTIFYING:
        raise SolverError(f"{name} stopped without a mechanism ({status}).", status=status)
    return SolverStats(name, status, seconds, iterations)


def _is_linear(problem: Any) -> bool:
    """Return whether a cvxpy problem is a linear program (which cvxpy says only from version 1.8 on)."""
    from cvxpy import constraints

    # A cone, of which there are several kinds, is not linear, and has no expression of its own.
    rows = (constraints.Equality, constraints.Inequality, constraints.Zero, constraints.NonNeg, constraints.NonPos)
    own = all(isinstance(constraint, rows) and constraint.expr.is_pwl() for constraint in problem.constraints)
    return own and bool(problem.objective.expr.is_pwl())


def solved(task: Task, problem: Any, name: str, options: Mapping[str, Any], over: str) -> tuple[str, float, int]:
    """Let the solver `name` work on the cvxpy problem over `over`; return how it ended, its seconds and iterations."""
    through = through_cvxpy(name)
    limits = through.limits()

    def run() -> tuple[str, float, int]:
        through.before()
        # cvxpy multiplies infinite bounds by zeros on the way; before numpy 2 each thread has a state of its own.
        with alone(through.handles_interrupts), np.errstate(invalid="ignore"):
            problem.solve(solver=name, verbose=task.solver_verbose, **options, **limits)
        stats = problem.solver_stats
        return str(problem.status), float(stats.solve_time or 0.0), int(stats.num_iters or 0)

    return called(name, run, f"failed on the program over {over}", "failed")


def _infeasible(name: str, status: str, task: Task) -> NoReturn:
    if task.subject_to is not None:
        raise InfeasibleError(
            f"{name} found that no mechanism satisfies {task.notion} together with your own constraints; relax one."
        )
    if task.columns.least_level > task.notion.parameter:
        raise InfeasibleError(f"{name} found that no mechanism satisfies {task.notion}; raise its level.")
    raise SolverError(
        f"{name} says that no mechanism satisfies {task.notion}, but the one that ignores its input does.",
        status=status,
    )


def matrix(program: Program, stats: SolverStats) -> Array:
    """Return the solver's matrix, its entries clipped to probabilities; raise SolverError where it has none."""
    claimed = real_numbers(program.Q.value, program.Q.shape)
    if claimed is None or not np.all(np.isfinite(claimed)):
        raise SolverError(
            f"{stats.name} ended as {stats.status} without a finite matrix of shape {program.Q.shape}.",
            status=stats.status,
            iterate=program.Q.value,
        )
    clipped = np.asarray(np.clip(claimed, 0.0, 1.0))
    return clipped if program.barred is None else np.where(program.barred, 0.0, clipped)


def dual(constraint: Any, shape: tuple[int, ...]) -> Array:
    """Return the multipliers that the solver gives `constraint`; zeros (sound, not tight) where they are no numbers."""
    numbers = None if constraint is None else reshaped(constraint.dual_value, shape)
    return np.zeros(shape) if numbers is None else numbers
