"""Audit of anyone's matrix: the smallest level at which a notion holds, in exact arithmetic, with a witness."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.domains import Array, beyond_floats
from mechdesign.errors import DomainError, InfeasibleError
from mechdesign.exact import Integers, dyadic, integer_rows, scaled_rows
from mechdesign.mechanism import Mechanism
from mechdesign.notions import Level, Notion
from mechdesign.problem import Problem
from mechdesign.tolerances import SUM_TO_ONE


@dataclass(frozen=True)
class Audit:
    """The exact level of a matrix under a notion; ``float(audit)`` is the level, the largest one of several.

    Attributes
    ----------
    level : float or tuple of float
        The smallest parameter at which the notion holds, rounded up (the notion's `level_name`, mostly nats); one for
        each of ``notion.parts()`` where there are several.
    holds : bool
        Whether the notion holds at its own parameter, in exact rational arithmetic.
    inputs, output
        The inputs (or secrets) and the output that show the level.
    """

    level: float | tuple[float, ...]
    holds: bool
    inputs: tuple[int, ...]
    output: int | None
    notion: Notion
    prior_source: str | None
    sentence: str

    def __float__(self) -> float:
        return max(self.levels)

    @property
    def levels(self) -> tuple[float, ...]:
        """The level of each part of the notion."""
        return self.level if isinstance(self.level, tuple) else (self.level,)

    def __str__(self) -> str:
        verdict = "holds exactly" if self.holds else "does NOT hold"
        shown = " and ".join(f"{level:.12g}" for level in self.levels)
        return f"{self.notion} {verdict}: its level is {shown}. {self.sentence}"


def audit(matrix_or_mechanism: Any, notion: Notion | None = None, problem: Problem | None = None) -> Audit:
    """Return the exact level of a matrix or mechanism.

    Parameters
    ----------
    matrix_or_mechanism : Mechanism, Design or array_like of shape (n, m)
        Floats, fractions or strings of fractions; rows sum to one within 1e-9 and are normalised exactly.
    notion : Notion, optional
        The mechanism's own by default; a bare matrix needs one.
    problem : Problem, optional
        The mechanism's own by default; a bare matrix needs one where the notion knows the prior.

    Returns
    -------
    Audit
        Level, verdict and witness.

    Raises
    ------
    DomainError
        No notion, a negative entry, a row that does not sum to one, another number of rows than inputs.

    Notes
    -----
    Rows of an array of floats that sum to one within 1e-9 by sums so different that to normalise them exactly takes
    integers of more than 4096 bits are normalised within a share of ``2**-128`` of each entry.

    Examples
    --------
    >>> import mechdesign as md
    >>> report = md.audit([["3/4", "1/4"], ["1/4", "3/4"]], md.LDP(1.0))
    >>> float(report), report.holds
    (1.0986122886681098, False)
    """
    mechanism = getattr(matrix_or_mechanism, "mechanism", matrix_or_mechanism)
    if isinstance(mechanism, Mechanism):
        floats, question = mechanism.matrix, mechanism.question
        if question is None:
            problem, numerators = problem or mechanism.problem, mechanism.numerators
        else:
            notion, problem = notion or question.notion, problem or question.problem
            known = dyadic(floats)
            numerators, floats = _exact(floats) if known is None else (known, floats)
    else:
        # A table of pandas or polars, whose own iteration gives the names of its columns.
        rows = mechanism.to_numpy() if hasattr(mechanism, "to_numpy") else mechanism
        numerators, floats = _exact(rows)
    if notion is None:
        raise DomainError("notion", None, "a bare matrix does not say what it is to be held against", "give a notion")
    _require(notion, problem)
    inputs = _inputs(notion, problem if problem is not None else Problem(n=len(floats)))
    if len(floats) != inputs.n:
        raise DomainError(
            "matrix",
            f"of shape {floats.shape}",
            f"it has to have one row for each of {inputs.n} inputs",
            "transpose it",
        )
    found = notion.level(floats, inputs)
    parts = notion.parts()
    levels = tuple(exact_level(part, numerators, inputs, near) for part, near in zip(parts, found.values, strict=True))
    return Audit(
        levels if len(levels) > 1 else levels[0],
        notion.holds_exactly(numerators, inputs),
        found.inputs,
        found.output,
        notion,
        inputs.prior_source,
        _sentence(found, floats, inputs, notion),
    )


def exact_level(notion: Notion, numerators: Integers, problem: Problem, near: float) -> float:
    """Return the smallest float at which the exact check passes, searched by units in the last place from `near`."""
    if math.isinf(near):
        return near
    least, most = notion.least_level(problem), notion.most_level

    holds = notion.exactly(numerators, problem)
    if near < 1e-9 + least and holds(least):
        return least
    near = min(max(near, least), most)
    low, high, step = near, near, math.ulp(max(near, 1e-300))
    while high < most and not holds(high):
        low, high, step = high, min(high + step, most), 2 * step
    step = math.ulp(low)
    while low > least and holds(low):
        low, high, step = max(low - step, least), low, 2 * step
    while math.nextafter(low, math.inf) < high:
        middle = low + (high - low) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _exact(matrix: Any) -> tuple[Integers, Array]:
    known = _quickly(matrix)
    if known is not None:
        return known, np.asarray(matrix)
    try:
        rows: list[list[Fraction]] = [
            [_fraction(entry, f"matrix[{x}, {y}]") for y, entry in enumerate(row)] for x, row in enumerate(matrix)
        ]
    except DomainError:
        raise
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        raise DomainError(
            "matrix", type(matrix).__name__, "it has to be a matrix of finite numbers", "give floats or fractions"
        ) from None
    if not rows or not rows[0] or len({len(row) for row in rows}) != 1:
        raise DomainError("matrix", "empty or ragged", "rows have to be of one length", "give an (n, m) matrix")
    for x, row in enumerate(rows):
        for y, entry in enumerate(row):
            if entry < 0:
                raise DomainError(f"matrix[{x}, {y}]", float(entry), "probabilities are not negative", "correct it")
        total = sum(row, Fraction())
        if abs(total - 1) > Fraction(SUM_TO_ONE):
            raise DomainError(
                f"matrix[{x}]",
                f"a row that sums to {float(total)!r}" if total < 10**300 else "a row that sums to more than 1e300",
                "it has to sum to 1 within 1e-9",
                "correct it",
            )
    return integer_rows(rows), np.array([[float(entry) for entry in row] for row in rows])


def _quickly(matrix: Any) -> Integers | None:
    """Return the integers of an array of floats that is clearly stochastic, all at once; None for anything else."""
    if not isinstance(matrix, np.ndarray) or matrix.dtype != np.float64 or matrix.ndim != 2 or not matrix.size:
        return None
    known = dyadic(matrix)
    return scaled_rows(matrix) if known is None else known


def _inputs(notion: Notion, problem: Problem) -> Problem:
    try:
        return notion.inputs(problem)
    except InfeasibleError:
        # No mechanism satisfies the notion at its own level; a matrix has a level all the same.
        return notion.at(notion.most_level).inputs(problem)


def _require(notion: Any, problem: Any) -> None:
    if not isinstance(notion, Notion):
        hint = "call it with its level" if isinstance(notion, type) else "give a notion such as LDP(1.0)"
        raise DomainError("notion", str(notion), "it has to be a Notion", hint)
    if problem is not None and not isinstance(problem, Problem):
        raise DomainError("problem", problem, "it has to be a Problem", "give Problem(prior=...)")


def _fraction(entry: Any, place: str) -> Fraction:
    # Before it is made: of an exponent of nine digits Fraction writes out as many.
    written = str(entry) if isinstance(entry, str | Decimal) else ""
    lost = any(beyond_floats(part) for part in written.split("/"))
    # numpy's scalars are no numbers to Fraction; those wider than a float are refused rather than rounded.
    given = Fraction(0 if lost else entry.item() if isinstance(entry, np.generic) else entry)
    if lost or (given and float(given) == 0):
        rule = "the level is searched in floats, which hold sizes from 5e-324 to 1.8e308, and 0"
        raise DomainError(place, str(entry), rule, "give 0, or a larger probability")
    return given


def _sentence(found: Level, matrix: Array, problem: Problem, notion: Notion) -> str:
    if found.output is None:
        return "No single output shows it."
    y = found.output
    parts = zip(found.values, notion.parts(), strict=True)
    # The witness is that of the part furthest above what it asks for.
    taken = max(parts, key=lambda pair: pair[0] - pair[1].parameter)[1].most_taken(matrix[:, y], problem)
    if taken is not None:
        return f"Output {y} takes most of it, {taken:.3g}."
    seen = problem.seen_by_secret(matrix)[:, y]
    what = "s" if problem.is_hidden else "x"
    names = [str(i) if problem.is_hidden else problem.named(i) for i in found.inputs]
    if len(names) == 2 and seen[found.inputs[1]] > 0:
        ratio = seen[found.inputs[0]] / seen[found.inputs[1]]
        return f"Pr(y={y} | {what}={names[0]}) is {ratio:.3g} times Pr(y={y} | {what}={names[1]})."
    if len(names) == 1 and problem.prior_of_secret is not None and seen.max() > 0:
        ratio = seen[found.inputs[0]] / (problem.prior_of_secret @ seen)
        return f"Pr(y={y} | {what}={names[0]}) is {ratio:.3g} times Pr(y={y})."
    return f"Output {y} shows it."
