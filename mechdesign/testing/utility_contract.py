"""What every column utility must satisfy: homogeneous, sublinear, bounded below by its functionals, and the value."""

from __future__ import annotations

from typing import Final

import numpy as np

from mechdesign.catalogue.drawn import random_channel
from mechdesign.objectives import Linear, Objective, RatioType, Separable
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.contract import Clause, require
from mechdesign.testing.random_problems import random_columns, random_postprocessing

#: Two formulas of one number, relative to one plus its size.
ROUNDING: Final = 1e-9
#: What a subtraction of nearly equal numbers may leave of an inequality.
SLACK: Final = 1e-11
MANY: Final = 20


def utility_is_value(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """The column utilities add up to the value, each column being used for its best decision."""
    if not is_separable(objective):
        return
    for _ in range(MANY):
        columns = random_channel(problem.n, 5, rng, 0.0)
        total = float(objective.column_utility(columns, problem).sum())
        matrix = best_used(objective, columns, problem)
        near(objective.from_utility(total, problem), objective.value(matrix, problem), "the utility", "value")
        given = some_matrix(objective, problem, rng)
        most = float(objective.column_utility(given, problem).sum())
        reached = objective.to_utility(objective.value(given, problem), problem)
        require(reached <= most + ROUNDING * (1 + abs(most)), f"a value has the utility {reached!r}, above {most!r}")


def utility_is_sublinear(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """The column utility is homogeneous, and no larger for a sum than in sum."""
    if not is_separable(objective):
        return
    first, second = (random_columns(problem.n, MANY, rng) for _ in range(2))
    mu = objective.column_utility
    factor = 10.0 ** rng.uniform(-3, 3)
    far = np.abs(mu(factor * first, problem) - factor * mu(first, problem))
    scale = factor * (np.abs(mu(first, problem)) + first.sum(axis=0))
    require(np.all(far <= ROUNDING * scale), "the column utility is not homogeneous of degree one")
    together, apart = mu(first + second, problem), mu(first, problem) + mu(second, problem)
    scale = np.abs(apart) + (first + second).sum(axis=0)
    require(np.all(together <= apart + ROUNDING * scale), "the utility of a sum of columns exceeds the sum of theirs")


def zero_columns(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """An output that never happens changes nothing."""
    if not is_separable(objective):
        return
    matrix = random_channel(problem.n, 3, rng, 0.0)
    padded = np.insert(matrix, 1, 0.0, axis=1)
    with np.errstate(all="ignore"):
        alone = objective.column_utility(np.zeros((problem.n, 1)), problem)[0]
    require(alone == 0, f"a column of zeros has the utility {alone!r}")
    if objective.outputs(problem) is None:
        near(objective.value(padded, problem), objective.value(matrix, problem), "with a column of zeros", "without")


def post_processing(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """Nothing that is computed from the output is more useful; renaming outputs changes nothing."""
    if not is_separable(objective):
        return
    for _ in range(MANY):
        matrix = random_channel(problem.n, 4, rng, 0.0)
        before = best_value(objective, matrix, problem)
        renamed = best_value(objective, matrix[:, rng.permutation(4)], problem)
        near(renamed, before, "the value with outputs renamed", "the value")
        after = best_value(objective, matrix @ random_postprocessing(4, int(rng.integers(1, 6)), rng), problem)
        gain = objective.to_utility(after, problem) - objective.to_utility(before, problem)
        require(gain <= SLACK * (1 + abs(before)), f"post-processing improves the value from {before!r} to {after!r}")


def supporting(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """The supporting functionals lie below the utility everywhere, and touch it at their column."""
    if not is_separable(objective):
        return
    columns = random_columns(problem.n, MANY, rng)
    functionals = objective.supporting(columns, problem)
    require(functionals.shape == columns.shape, f"the functionals have the shape {functionals.shape}")
    utility, scale = objective.column_utility(columns, problem), columns.sum(axis=0)
    at_own = np.einsum("xy,xy->y", functionals, columns)
    size = np.einsum("xy,xy->y", np.abs(functionals), columns)
    far = np.abs(at_own - utility) / (size + scale)
    require(np.all(far <= ROUNDING), f"a functional misses the utility of its own column by {far.max():.2g}")
    others = np.hstack([columns, random_columns(problem.n, MANY, rng), np.eye(problem.n)])
    with np.errstate(all="ignore"):
        room = objective.column_utility(others, problem)[None, :] - functionals.T @ others
    size = np.abs(functionals).T @ others + others.sum(axis=0)
    far = float((-room / size).max())
    require(far <= ROUNDING, f"a functional exceeds the utility of another column by {far:.2g}")


def ratio_supports(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """The functionals of every decision t lie below the utility, and under f's chord between their neighbours."""
    if not isinstance(objective, RatioType):
        return
    ratio, columns = objective.ratio(problem), random_columns(problem.n, MANY, rng)
    require(np.all(ratio.b >= 0) and ratio.b.sum() > 0, "the ratio's denominator is not positive")
    # Half of the columns give decisions, the other half lies between them.
    means = np.unique(ratio.at(columns[:, ::2]))
    utility = objective.column_utility(columns, problem)
    reached = ratio.functionals(means) @ columns
    size = np.abs(ratio.functionals(means)) @ columns + columns.sum(axis=0)
    require(np.all(reached <= utility + ROUNDING * size), "the functional of a decision exceeds the utility")
    # Between two decisions no tangent passes both of theirs and the functional of f's chord.
    low, high = means[:-1], means[1:]
    inside = ratio.functionals(low + rng.random(len(low)) * (high - low)) @ columns
    ends = np.maximum(ratio.functionals(low) @ columns, ratio.functionals(high) @ columns)
    over = inside - np.maximum(ends, ratio.chords(low, high) @ columns)
    far = float(over.max() / size.max())
    require(far <= ROUNDING, f"a tangent inside an interval exceeds its triangle by {far:.2g}")


def some_matrix(objective: Objective, problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random matrix with the number of outputs that the objective asks for."""
    return random_channel(problem.n, objective.outputs(problem) or 4, rng, 0.0)


def best_used(objective: Separable, columns: Array, problem: Problem) -> Array:
    """Return the matrix in which every column is put to its best use."""
    if not isinstance(objective, Linear):
        return columns
    matrix = np.zeros(objective.cost(problem).shape)
    for column, decision in zip(columns.T, objective.best_decision(columns, problem), strict=True):
        matrix[:, decision] += column
    return matrix


def best_value(objective: Separable, columns: Array, problem: Problem) -> float:
    """Return the value when every column is put to its best use."""
    return objective.value(best_used(objective, columns, problem), problem)


def near(found: float, expected: float, what: str, against: str) -> None:
    """Raise unless both numbers agree, relative to one plus their size."""
    far = 0.0 if found == expected else abs(found - expected) / (1 + abs(expected))
    require(far <= ROUNDING, f"{what} gives {found!r}, {against} gives {expected!r}")


#: The part of the contract of objectives that is about column utilities.
UTILITY_CLAUSES: dict[str, Clause] = {
    "utility": utility_is_value,
    "sublinear": utility_is_sublinear,
    "zero columns": zero_columns,
    "post-processing": post_processing,
    "supporting": supporting,
    "ratio": ratio_supports,
}
