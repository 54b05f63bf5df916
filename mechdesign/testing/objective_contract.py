"""What every objective must satisfy: value and expression are one function, of the kind it says, in its own unit."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

import numpy as np

from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_channel
from mechdesign.errors import UnsupportedError
from mechdesign.objectives import InformationDesign, Linear, Objective, PiecewiseLinear
from mechdesign.objectives.base import Convex, is_convex, is_separable
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.contract import Clause, require, run
from mechdesign.testing.design_contract import design_is_convex
from mechdesign.testing.exact_contract import EXACT_OBJECTIVE_CLAUSES
from mechdesign.testing.label_contract import LABEL_CLAUSES
from mechdesign.testing.parameter_contract import PARAMETER_CLAUSES
from mechdesign.testing.programs import expression_value
from mechdesign.testing.unbiased_contract import unbiased_is_least
from mechdesign.testing.utility_contract import MANY, ROUNDING, SLACK, UTILITY_CLAUSES, best_value, near, some_matrix

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
    """The cvxpy expression has the numpy value at every matrix; without an expression, an error says so."""
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


def extremes(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """`uninformative` and `no_privacy` are the values of a constant mechanism and of reporting the input."""
    if is_separable(objective) or isinstance(objective, InformationDesign | EstimatorVariance):
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
    """The outputs have the number that `outputs` says and distinct names; cost or pieces have that shape and value."""
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


def keeps_unit(anchor: Anchor) -> None:
    """The value of randomised response is the one worked out by hand, in the unit of the docstring."""
    found = anchor.objective.value(np.array([[0.75, 0.25], [0.25, 0.75]]), anchor.problem)
    far = abs(found - anchor.value)
    require(far <= 1e-12 * abs(anchor.value), f"randomised response has the value {found!r}, by hand {anchor.why}")


#: The contract of objectives, by name.
OBJECTIVE_CLAUSES: dict[str, Clause] = {
    "expression": expression_is_value,
    "conversion": units_convert,
    "curvature": curvature,
    "extremes": extremes,
    "minorants": minorants,
    "design": design_is_convex,
    "unbiased": unbiased_is_least,
    "names and shape": names_and_shape,
    **UTILITY_CLAUSES,
    **EXACT_OBJECTIVE_CLAUSES,
    **PARAMETER_CLAUSES,
    **LABEL_CLAUSES,
}
