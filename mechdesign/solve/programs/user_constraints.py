"""Constraints of the user's own on Q: checked, replaced by tangents, and turned into terms of a linear cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_MULTIPLIER

#: Entries of the point of a tangent are at least this: logarithms have none at 0.
POSITIVE = 1e-12


@dataclass(frozen=True)
class Tangent:
    """``jacobian' vec(Q) + constant <= 0`` (or ``== 0``), which a rule implies for every Q; vec is column-major."""

    #: Which rule it belongs to.
    rule: int
    #: Shape (entries of Q, rows of the rule).
    jacobian: Array
    constant: Array
    #: Size of the terms that were added up for `constant`.
    size: Array
    is_equality: bool
    #: The rule is affine, so that this says all of it.
    is_whole: bool


@dataclass(frozen=True)
class OwnTerms:
    """``sum(cost * Q) + constant <= 0`` for every Q that misses no rule by more than the returned matrix does."""

    #: Shape (n, outputs).
    cost: Array
    constant: float


def own_rules(subject_to: Callable[[Any], Any] | None, Q: Any) -> list[Any]:
    """Return the constraints that ``subject_to(Q)`` gives.

    Raises
    ------
    DomainError
        Something else than a list of cvxpy constraints; one that is strict, not convex by cvxpy's rules (DCP), of whole
        numbers, or of numbers that are not given or not finite.
    """
    if subject_to is None:
        return []
    if not callable(subject_to):
        raise DomainError("subject_to", subject_to, "it has to be a function of Q", "write lambda Q: [Q[0, 0] >= 0.5]")
    try:
        given = subject_to(Q)
    except NotImplementedError as error:
        # cvxpy's own for < and >.
        raise DomainError(
            "subject_to(Q)", str(error), "no mechanism is best on an open set", "use <= and >="
        ) from error
    except IndexError as error:
        rule, remedy = f"Q is of shape {Q.shape}, inputs by outputs", "correct its indices"
        raise DomainError("subject_to(Q)", str(error), rule, remedy) from error
    if not isinstance(given, list | tuple):
        raise DomainError("subject_to(Q)", given, "it has to be a list of cvxpy constraints", "put [ ] around it")
    for index, rule in enumerate(given):
        wrong = _wrong(rule)
        if wrong is not None:
            raise DomainError(f"subject_to(Q)[{index}]", str(rule), *wrong)
    return list(given)


def _wrong(rule: Any) -> tuple[str, str] | None:
    """Return why no program has that constraint, and what to do; None if one may."""
    import cvxpy as cp
    from scipy.sparse import issparse

    if not isinstance(rule, cp.constraints.constraint.Constraint):
        return "it has to be a cvxpy constraint", "compare an expression of Q with <=, == or >="
    numbers = [leaf.value for leaf in (*rule.constants(), *rule.parameters())]
    if any(number is None for number in numbers):
        return "its parameter has no value", "set parameter.value before the design"
    if not all(np.all(np.isfinite(number.data if issparse(number) else number)) for number in numbers):
        return "its numbers have to be finite", "leave out a bound that is infinite"
    if any(variable.attributes["integer"] or variable.attributes["boolean"] for variable in rule.variables()):
        return "its variables have to be real numbers", "drop integer=True and boolean=True"
    if not rule.is_dcp():
        return "it has to be convex by the rules of cvxpy (DCP)", "write it as a convex expression <= a concave one"
    return None


def equations(
    rules: list[Any], Q: Any, touching: list[Tangent]
) -> tuple[list[dict[int, float]], list[float], set[int]]:
    """Return the affine equations among the rules that are on Q alone: coefficients by places in ``Q.ravel()``, rights.

    Last come the places of these rules. The numbers are as cvxpy has them, in floats; Q is left at 0.

    Parameters
    ----------
    touching : list of Tangent
        The rules' tangents at any point.
    """
    n, outputs = Q.shape
    # cvxpy counts entries by columns.
    by_rows = np.arange(Q.size).reshape(n, outputs).ravel(order="F")
    rows, right, places = list[dict[int, float]](), list[float](), set[int]()
    Q.value = np.zeros(Q.shape)
    for tangent in touching:
        if tangent.is_equality and tangent.is_whole:
            value = np.asarray(_expression(rules[tangent.rule]).value, dtype=float)
            right += (-np.ravel(value, order="F")).tolist()
            for column in tangent.jacobian.T:
                held = np.flatnonzero(column)
                rows.append(dict(zip(by_rows[held].tolist(), column[held].tolist(), strict=True)))
            places.add(tangent.rule)
    return rows, right, places


def tangents(rules: list[Any], Q: Any, point: Array) -> list[Tangent]:
    """Return the tangent of each rule at `point`, of the shape of `Q`, which is left as its value.

    A convex g is at least its tangent, so ``g(Q) <= 0`` implies that the tangent is. Rules without one (of cones, of
    other variables than Q, outside their domain) are left out: a bound without them is sound, only looser.
    """
    Q.value = np.maximum(point, POSITIVE)
    made = (_tangent(index, rule, Q) for index, rule in enumerate(rules))
    return [tangent for tangent in made if tangent is not None]


def tangent_rules(touching: list[Tangent], Q: Any) -> list[Any]:
    """Return the tangents as cvxpy constraints, one each."""
    import cvxpy as cp
    from scipy.sparse import csr_array

    flat = cp.vec(Q, order="F")
    values = [csr_array(tangent.jacobian.T) @ flat + tangent.constant for tangent in touching]
    return [value == 0 if tangent.is_equality else value <= 0 for value, tangent in zip(values, touching, strict=True)]


def violations(rules: list[Any], Q: Any, returned: Array) -> list[Array]:
    """Return by how much `returned`, of the shape of `Q` and left as its value, misses each row of each rule."""
    Q.value = returned
    with np.errstate(all="ignore"):
        missed = [np.abs(np.ravel(np.asarray(rule.residual, dtype=float), order="F")) for rule in rules]
    return [np.where(np.isnan(rows), np.inf, rows) for rows in missed]


def largest(missed: list[Array], found: list[Tangent]) -> float:
    """Return the largest violation, relative to the size of its coefficients where that is known and above one."""
    reach = {tangent.rule: np.abs(tangent.jacobian).sum(axis=0) for tangent in found}
    sizes = [np.maximum(reach.get(index, 1.0), 1.0) for index in range(len(missed))]
    return max(float((rows / size).max(initial=0.0)) for rows, size in zip(missed, sizes, strict=True))


def own_terms(found: list[Tangent], claimed: list[Any], missed: list[Array], shape: tuple[int, int]) -> OwnTerms:
    """Return the sum of the tangents, each times its multipliers (clipped at 0 where it is no equality).

    Parameters
    ----------
    claimed : list of array_like or None
        What a solver says the multipliers of each tangent are; any numbers give terms that are at most 0.
    missed : list of ndarray
        The violation of each rule that is allowed for: a Q that misses the rules by that much still counts.
    """
    cost, constant, size = np.zeros(shape), 0.0, 0.0
    for tangent, numbers in zip(found, claimed, strict=True):
        multipliers = _multipliers(tangent, numbers)
        allowed = missed[tangent.rule]
        cost += (tangent.jacobian @ multipliers).reshape(shape, order="F")
        constant += float(multipliers @ tangent.constant - np.abs(multipliers) @ allowed)
        size += float(np.abs(multipliers) @ (tangent.size + allowed))
    return OwnTerms(cost, constant - 4.0 * np.finfo(float).eps * (cost.size + 8) * size)


def _multipliers(tangent: Tangent, claimed: Any) -> Array:
    if claimed is None or np.size(claimed) != len(tangent.constant):
        return np.zeros(len(tangent.constant))
    numbers = np.ravel(np.asarray(claimed, dtype=float), order="F")
    if not (np.all(np.isfinite(numbers)) and np.all(np.abs(numbers) <= LARGEST_MULTIPLIER)):
        return np.zeros(len(tangent.constant))
    return numbers if tangent.is_equality else np.maximum(numbers, 0.0)


def _expression(rule: Any) -> Any:
    """Return what a rule compares with 0: its one argument, or the difference of its sides."""
    return rule.args[0] if len(rule.args) == 1 else rule.expr


def _tangent(index: int, rule: Any, Q: Any) -> Tangent | None:
    from cvxpy.constraints import Equality, Inequality, NonNeg, Zero

    if not isinstance(rule, Equality | Inequality | NonNeg | Zero):
        return None
    expression = _expression(rule)
    if [variable.id for variable in expression.variables()] != [Q.id]:
        return None
    with np.errstate(all="ignore"):
        gradient, values = expression.grad[Q], expression.value
    if gradient is None or values is None:
        return None
    dense = np.asarray(gradient.toarray() if hasattr(gradient, "toarray") else gradient, dtype=float)
    sign = -1.0 if isinstance(rule, NonNeg) else 1.0
    jacobian = sign * dense.reshape(Q.size, expression.size)
    at = sign * np.ravel(np.asarray(values, dtype=float), order="F")
    point = np.ravel(Q.value, order="F")
    if not (np.all(np.isfinite(at)) and np.all(np.isfinite(jacobian))):
        return None
    size = np.abs(at) + point @ np.abs(jacobian)
    is_equality = isinstance(rule, Equality | Zero)
    return Tangent(index, jacobian, at - point @ jacobian, size, is_equality, expression.is_affine())
