"""What every objective must satisfy: value, expression and column utility are one function, of the kind it says."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from mechdesign.domains import Array
from mechdesign.errors import UnsupportedError
from mechdesign.objectives import InformationDesign, Linear, Objective, PiecewiseLinear, RatioType, Separable
from mechdesign.objectives.base import Convex, is_convex, is_separable
from mechdesign.problem import Problem
from mechdesign.testing.contract import Clause, require, run
from mechdesign.testing.design_contract import design_is_convex
from mechdesign.testing.generators import random_channel, random_columns, random_postprocessing
from mechdesign.testing.parameter_contract import PARAMETER_CLAUSES
from mechdesign.testing.programs import expression_value

#: Two formulas of one number, relative to one plus its size.
ROUNDING: Final = 1e-9
#: What a subtraction of nearly equal numbers may leave of an inequality.
SLACK: Final = 1e-11
MANY: Final = 20
#: Half the width of a difference quotient.
STEP: Final = 1e-4


def check_objective(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """Check every clause of the contract of objectives.

    Parameters
    ----------
    objective : Objective
        The member.
    problem : Problem
        A problem over the mechanism's inputs that the member accepts.
    rng : numpy.random.Generator
        Where the random matrices come from.

    Raises
    ------
    BrokenContractError
        With the member, the clause and what was found.

    Examples
    --------
    >>> from mechdesign.objectives import MMSE
    >>> check_objective(MMSE(), Problem(prior=[0.5, 0.5], values=[0, 1]), np.random.default_rng(0))
    """
    objective.check(problem)
    run(OBJECTIVE_CLAUSES, objective, objective, problem, rng)


def expression_is_value(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """The cvxpy expression has the numpy value at every matrix; where there is none, it says so."""
    if not objective.has_expression:
        refuses_expression(objective, problem, rng)
        return
    for _ in range(5):
        matrix = some_matrix(objective, problem, rng)
        value, expressed = objective.value(matrix, problem), expression_value(objective, matrix, problem)
        near(expressed, value, "the expression", "value")


def refuses_expression(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """An objective without a cvxpy expression raises UnsupportedError, with a sentence."""
    import cvxpy as cp

    try:
        objective.expression(cp.Variable(some_matrix(objective, problem, rng).shape), problem)
    except UnsupportedError as error:
        require(len(str(error).split()) >= 4, f"the refusal is {str(error)!r}, which is no sentence")
        return
    require(False, "has_expression is False, but there is an expression")


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


def units_convert(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """to_utility inverts from_utility, and a better value is a larger utility."""
    # A transformed value may be bounded on one side; those above 0 are in the range of each.
    values = np.abs(rng.normal(size=5)) if objective.is_transformed else rng.normal(size=5)
    for value in values:
        there = objective.to_utility(float(value), problem)
        near(objective.from_utility(there, problem), float(value), "from_utility(to_utility(v))", "v")
    better = -1.0 if objective.sense == "minimise" else 1.0
    if not objective.is_transformed:
        gained = objective.to_utility(better, problem) - objective.to_utility(0.0, problem)
        require(abs(gained - 1.0) <= ROUNDING, f"a value better by 1 changes the utility by {gained!r}")
    for value in values:
        ends = [objective.to_utility(float(value) + side * better * STEP, problem) for side in (-1.0, 1.0)]
        slope, said = (ends[1] - ends[0]) / (2 * STEP), objective.steepness(float(value), problem)
        require(slope > 0 and abs(slope - said) <= 1e-6 * said, f"the utility has the slope {slope!r}, not {said!r}")


def curvature(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """The expression and the value curve as the kind says: linear, convex to minimise, or convex to be maximised."""
    import cvxpy as cp

    if not objective.has_expression:
        return
    shape = some_matrix(objective, problem, rng).shape
    expression = objective.expression(cp.Variable(shape), problem)
    up = objective.kind == "convex" or objective.sense == "maximise"
    said = (
        expression.is_affine()
        if objective.kind == "linear"
        else (expression.is_convex() if up else expression.is_concave())
    )
    if objective.is_transformed:
        said = expression.is_quasiconvex() if up else expression.is_quasiconcave()
    require(said, f"cvxpy finds the expression {expression.curvature.lower()}, the kind is {objective.kind}")
    signs = (1.0, -1.0) if objective.kind == "linear" else (1.0,) if up else (-1.0,)
    for _ in range(MANY):
        first, second = (random_channel(shape[0], shape[1], rng, 0.0) for _ in range(2))
        share = rng.random()
        both = objective.value(first, problem), objective.value(second, problem)
        ends = share * both[0] + (1 - share) * both[1]
        if objective.is_transformed:
            ends = max(both) if up else min(both)
        middle = objective.value(share * first + (1 - share) * second, problem)
        for sign in signs:
            above = sign * (middle - ends)
            require(above <= SLACK * (1 + abs(ends)), f"the value lies {above:.2g} on the wrong side of a chord")


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


def extremes(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """`uninformative` and `no_privacy` are the values of a constant mechanism and of reporting the input."""
    if is_separable(objective) or isinstance(objective, InformationDesign):
        constant = random_channel(1, 3, rng).repeat(problem.n, axis=0)
        matrices = {"uninformative": constant, "no_privacy": np.eye(problem.n)}
        value_of = partial(best_value, objective) if is_separable(objective) else objective.value
        values = {name: value_of(matrix, problem) for name, matrix in matrices.items()}
    else:
        count = objective.outputs(problem) or problem.n
        decided = np.eye(count)[:, None, :].repeat(problem.n, axis=1)
        values = {"uninformative": min(objective.value(matrix, problem) for matrix in decided)}
    for name, value in values.items():
        near(getattr(objective, name)(problem), value, name, "the value of that mechanism")
    low, high = (objective.to_utility(f(problem), problem) for f in (objective.uninformative, objective.no_privacy))
    if objective.measures_leakage:
        low, high = high, low
    require(low <= high + ROUNDING * (1 + abs(low)), f"without privacy the utility is {high!r}, uninformed {low!r}")
    if is_separable(objective):
        for _ in range(MANY):
            inside = float(objective.column_utility(random_channel(problem.n, 4, rng, 0.0), problem).sum())
            fits = low - ROUNDING * (1 + abs(low)) <= inside <= high + ROUNDING * (1 + abs(high))
            require(fits, f"a mechanism has the utility {inside!r}, outside [{low!r}, {high!r}]")


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


def minorants(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """For any weights the minorant's cost is at most minus the utility, and those asked for a cost come up to it."""
    if not is_convex(objective):
        return
    for _ in range(MANY):
        matrix = some_matrix(objective, problem, rng)
        least = -objective.to_utility(objective.value(matrix, problem), problem)
        for weights in some_weights(objective, problem, rng):
            cost = objective.minorant(weights, problem)
            below = float((cost * matrix).sum())
            require(below <= least + ROUNDING * (1 + abs(least)), f"a minorant is {below!r}, above {least!r}")
        room = objective.minorant(some_weights(objective, problem, rng)[1], problem)
        found = objective.weights_for(room, problem)
        if found is not None:
            lack = float((room - objective.minorant(found, problem)).max())
            require(lack <= ROUNDING * (1 + np.abs(room).max()), f"weights for a minorant give one lower by {lack:.2g}")


def some_weights(objective: Convex, problem: Problem, rng: np.random.Generator) -> tuple[Array | None, Array]:
    """Return no weights, and random ones of either sign."""
    outputs = objective.outputs(problem) or 4
    asked = objective.weights_for(rng.normal(size=(problem.n, outputs)), problem)
    if asked is None:
        require(isinstance(objective, PiecewiseLinear), "only pieces may leave their weights to a solver")
        return None, np.round(rng.normal(size=objective.pieces(problem).shape[0]), 1)  # type: ignore[attr-defined]
    return None, np.round(rng.normal(size=asked.shape), 1)


def names_and_shape(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """The outputs are as many as `outputs` says, of distinct names; cost or pieces have that shape and that value."""
    matrix = some_matrix(objective, problem, rng)
    names = objective.output_names(matrix, problem)
    require(len(names) == matrix.shape[1] == len(set(names)), f"{matrix.shape[1]} outputs have the names {names}")
    if isinstance(objective, Linear):
        cost = objective.cost(problem)
        require(cost.shape == matrix.shape, f"the cost has the shape {cost.shape} for matrices of {matrix.shape}")
        near(float((cost * matrix).sum()), objective.value(matrix, problem), "the cost", "value")
        require(len(objective.decisions(problem)) == matrix.shape[1], "there is not one decision for each output")
    if isinstance(objective, PiecewiseLinear):
        pieces: Any = objective.pieces(problem)
        largest = largest_mixture(np.asarray(pieces @ matrix.ravel()), objective.weight_box(problem))
        near(largest, objective.value(matrix, problem), "the largest piece", "value")


def largest_mixture(pieces: Array, box: tuple[Array, Array] | None) -> float:
    """Return the largest ``w . pieces`` over convex weights, within the box where there is one, by a linear program."""
    if box is None:
        return float(pieces.max())
    from scipy.optimize import linprog

    found = linprog(-pieces, A_eq=np.ones((1, len(pieces))), b_eq=[1.0], bounds=np.column_stack(box))
    return float(-found.fun)


def some_matrix(objective: Objective, problem: Problem, rng: np.random.Generator) -> Array:
    """Return a random matrix with as many outputs as the objective asks for."""
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


#: The contract of objectives, by name.
OBJECTIVE_CLAUSES: dict[str, Clause] = {
    "expression": expression_is_value,
    "utility": utility_is_value,
    "conversion": units_convert,
    "curvature": curvature,
    "sublinear": utility_is_sublinear,
    "zero columns": zero_columns,
    "post-processing": post_processing,
    "extremes": extremes,
    "supporting": supporting,
    "ratio": ratio_supports,
    "minorants": minorants,
    "design": design_is_convex,
    "names and shape": names_and_shape,
    **PARAMETER_CLAUSES,
}
