"""What a bound must satisfy, whatever the solver claimed, and what the repair of a matrix must give."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

import numpy as np

from mechdesign.catalogue.drawn import random_channel
from mechdesign.errors import MechdesignError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives.base import is_convex, is_separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.task import Task
from mechdesign.testing.contract import Clause, require, run
from mechdesign.testing.exact_utility import dot, exact_columns, exact_utility, private_integers
from mechdesign.testing.objective_contract import some_weights
from mechdesign.testing.programs import optimum
from mechdesign.testing.random_problems import private_channel, random_integers, toward_constant

Bounding = Callable[..., Any]
Repairing = Callable[..., Any]

#: Multipliers of these sizes, beside the optimum's own order of magnitude.
SCALES: Final = (0.0, 1e-3, 1.0, 1e3)
#: Multipliers of these sizes are held against exact arithmetic.
SIZES: Final = (0.0, 1e-12, 1e-6, 1.0, 1e6, 1e12)
#: The rounding error between two bounds on one number, relative to the multipliers.
ROUNDING: Final = 1e-9


def check_bound(bound: Bounding, task: Task, rng: np.random.Generator) -> None:
    """Check that ``bound(notion, objective, problem, multipliers).utility`` is sound for any multipliers.

    Raises
    ------
    BrokenContractError
        With the task, the clause and what was found.
    """
    run(BOUND_CLAUSES, f"the bound of {task.objective} under {task.notion}", bound, task, rng)


def check_repair(repair: Repairing, notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """Check that ``repair(matrix, notion, problem).matrix`` is exactly private, exactly stochastic, and near.

    Raises
    ------
    BrokenContractError
        With the notion, the clause and what was found.
    """
    run(REPAIR_CLAUSES, f"the repair under {notion}", repair, notion, notion.inputs(problem), rng)


def bound_is_sound(bound: Bounding, task: Task, rng: np.random.Generator) -> None:
    """No multipliers give a bound below the optimum."""
    best = optimum(task, np.ones(task.problem.n))
    size = max(abs(best), 1e-3)
    for scale in SCALES:
        for _ in range(6):
            multipliers = some_multipliers(task, size * scale, rng)
            found = bound(task.notion, task.objective, task.problem, multipliers).utility
            require(
                found >= best - 1e-8 * size,
                f"multipliers of size {size * scale:.2g} give the bound {found!r}, below the utility {best!r}",
            )


def bound_ignores_shifts(bound: Bounding, task: Task, rng: np.random.Generator) -> None:
    """Adding a multiple of the slice's normal to the multipliers changes nothing: rho takes it back, of any sign."""
    normal = task.columns.normal
    for _ in range(6):
        multipliers = some_multipliers(task, 1.0, rng)
        shift = float(rng.normal()) * 10.0
        shifted = replace(multipliers, rows=multipliers.rows + shift * normal)
        before, after = (bound(task.notion, task.objective, task.problem, m).utility for m in (multipliers, shifted))
        if before == after == math.inf:
            # The exponents are infinite from a finite sum on: no number to compare.
            continue
        far = abs(after - before) / (1 + abs(shift) + abs(before))
        require(far <= 100 * ROUNDING, f"a shift by {shift:.3g} moves the bound from {before!r} to {after!r}")


def bound_survives_nan(bound: Bounding, task: Task, rng: np.random.Generator) -> None:
    """Multipliers that are not finite give an error of ours, or a bound that is still sound."""
    best = optimum(task, np.ones(task.problem.n))
    for bad in (math.nan, math.inf, -math.inf):
        rows = np.ones(task.problem.n)
        rows[0] = bad
        try:
            found = bound(task.notion, task.objective, task.problem, Multipliers(rows)).utility
        except MechdesignError:
            continue
        sound = found >= best - 1e-8 * max(abs(best), 1e-3)
        require(sound, f"a multiplier {bad} gives the bound {found!r}, where the utility {best!r} is reached")


def bound_is_exactly_sound(bound: Bounding, task: Task, rng: np.random.Generator) -> None:
    """In exact arithmetic, no private mechanism passes a bound, whatever the sizes and signs of its multipliers.

    Nor does a private column by itself where no budget joins it to others: the bound speaks of the whole cone.
    """
    notion, problem = task.notion, task.problem
    mechanisms = private_integers(notion, problem, rng)
    reached = [utility for m in mechanisms if (utility := exact_utility(task.objective, problem, m)) is not None]
    alone = [] if len(notion.columns(problem).budget()) else exact_columns(task.objective, problem, mechanisms)
    normal = notion.columns(problem).normal
    whole = sum((Fraction(float(c)) for c in normal), Fraction(0))
    for multipliers in scattered_multipliers(task, rng):
        above = bound(notion, task.objective, problem, multipliers).utility
        if above == math.inf:
            continue
        total = sum((Fraction(float(row)) for row in multipliers.rows), Fraction(0))
        excesses = [(utility - dot(multipliers.rows, v)) * whole / dot(normal, v) for v, utility in alone]
        most = max([*reached, *(total + excess for excess in excesses)], default=Fraction(above))
        short = most - Fraction(above)
        require(short <= 0, f"rows {multipliers.rows.tolist()} give the bound {above!r}, passed by {float(short):.2g}")


def scattered_multipliers(task: Task, rng: np.random.Generator) -> Iterator[Multipliers]:
    """Yield multipliers of sizes from 1e-12 to 1e12, of both signs, some nearly equal to each other or to good ones."""
    problem, normal = task.problem, task.columns.normal
    budgets = len(task.notion.columns(problem).budget())
    near = np.zeros(problem.n)
    if is_separable(task.objective):
        near = task.objective.supporting(np.ones((problem.n, 1)), problem)[:, 0]

    def sizes(count: int) -> Array:
        return np.asarray(rng.choice([-1.0, 1.0], size=count) * 10.0 ** rng.uniform(-12, 12, size=count))

    for size in SIZES:
        moved = near + size * rng.normal(size=problem.n)
        for rows in (near + size * normal, near - size * normal, moved, sizes(problem.n)):
            yield replace(some_multipliers(task, 1.0, rng), rows=rows, budget=sizes(budgets))


def some_multipliers(task: Task, size: float, rng: np.random.Generator) -> Multipliers:
    """Return random multipliers, the budget's of either sign, weights with negative and zero entries."""
    weights = some_weights(task.objective, task.problem, rng)[1] if is_convex(task.objective) else None
    if task.objective.kind == "design":
        weights = np.round(rng.normal(size=(task.problem.n, task.problem.n)), 1)
    if task.objective.kind == "unbiased":
        weights = np.round(rng.normal(size=(2, task.problem.n)), 1)
    budgets = len(task.columns.budget())
    return Multipliers(size * rng.normal(size=task.problem.n), size * rng.normal(size=budgets), weights)


def repaired_is_stochastic(repair: Repairing, notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """Entries are multiples of 2^-53, none negative, and every row sums to exactly one."""
    for matrix in wild_matrices(notion, problem, rng):
        rows = [[Fraction(float(entry)) for entry in row] for row in repair(matrix, notion, problem).matrix]
        entries = [entry for row in rows for entry in row]
        require(min(entries) >= 0, f"the repaired matrix has the entry {float(min(entries))!r}")
        require(all((2**53 * entry).denominator == 1 for entry in entries), "an entry is no multiple of 2^-53")
        sums = [sum(row, Fraction(0)) for row in rows]
        require(all(total == 1 for total in sums), f"the rows sum to one but for {[float(t - 1) for t in sums]}")


def repaired_is_private(repair: Repairing, notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The repaired matrix passes the exact check, at the least level too."""
    for member in (notion, notion.at(notion.columns(problem).least_level)):
        for matrix in wild_matrices(notion, problem, rng):
            rows = repair(matrix, member, problem).matrix
            # The exact integers of the floats, whatever they sum to.
            exactly = [[int(Fraction(float(entry)) * 2**1074) for entry in row] for row in rows]
            numerators = np.array(exactly, dtype=object)
            require(member.holds_exactly(numerators, problem), f"the repaired matrix does not satisfy {member}")


def repair_is_small(repair: Repairing, notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """A matrix that misses privacy by a solver's tolerance is moved by little more than that."""
    for m in (2, 5):
        private = private_channel(notion, problem, m, rng)
        noisy = private + 1e-9 * rng.normal(size=private.shape)
        found = repair(noisy, notion, problem, keep_outputs=True).matrix
        require(found.shape == private.shape, f"of {private.shape[1]} outputs {found.shape[1]} were kept")
        far = float(np.abs(found - private).max())
        require(far <= 1e-6, f"a matrix that missed privacy by 1e-9 was moved by {far:.2g}")


def repair_leaves_private(repair: Repairing, notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """A matrix that is exactly private and stochastic already is left as it is, to the last bit."""
    numerators = random_integers(problem.n, 3, rng) * 2**30
    numerators[:, 0] += 2**53 - numerators.sum(axis=1)
    matrix = np.ldexp(numerators.astype(float), -53)
    mixed = toward_constant(matrix, np.full(problem.n, 1 / problem.n), 0.9)
    matrix = np.ldexp(np.round(np.ldexp(mixed, 40)), -40)
    matrix[:, 0] = 1.0 - matrix[:, 1:].sum(axis=1)
    level = notion.level(matrix, problem)
    if level.excess(notion) > -1e-9:
        return
    found = repair(matrix, notion, problem).matrix
    same = found.shape == matrix.shape and bool(np.all(found == matrix))
    require(same, f"a matrix of level {level.value:.6g} was changed under {notion}")


def wild_matrices(notion: Notion, problem: Problem, rng: np.random.Generator) -> list[Array]:
    """Return what a solver may hand over: on the edge, far outside, negative, wrong sums, outputs of no mass."""
    n = problem.n
    edge = private_channel(notion, problem, 6, rng)
    rare = np.hstack([edge * (1 - 1e-12), 1e-12 * rng.random((n, 3))])
    silent = np.hstack([np.zeros((n, 1)), random_channel(n, 3, rng)])
    silent[0] = 0.0
    return [
        edge,
        edge + 1e-9 * rng.normal(size=edge.shape),
        random_channel(n, 40, rng, 0.0),
        np.eye(n),
        edge * (1 + 1e-7 * rng.normal(size=(n, 1))) - 1e-10,
        rare,
        silent,
    ]


#: The contracts of bounds and of repair, by name.
BOUND_CLAUSES: dict[str, Clause] = {
    "sound": bound_is_sound,
    "shifts": bound_ignores_shifts,
    "not a number": bound_survives_nan,
    "exactly sound": bound_is_exactly_sound,
}
REPAIR_CLAUSES: dict[str, Clause] = {
    "stochastic": repaired_is_stochastic,
    "private": repaired_is_private,
    "small": repair_is_small,
    "untouched": repair_leaves_private,
}
