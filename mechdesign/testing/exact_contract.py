"""What exact faces must satisfy: they agree with the floating-point ones, and nothing that is wrong passes them."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Final

import numpy as np

from mechdesign.exact import ONE, Integers, dyadic, fractions, round_rows
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.exact_convex import ConvexOfColumn, TraceOfCovariance
from mechdesign.objectives.exact_form import ConvexOfRatio, ExactForm, LargestPiece
from mechdesign.objectives.exact_worst_case import LargestInBox
from mechdesign.objectives.frequency_covariance import covariance_of
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.proofs.checking import shown_by
from mechdesign.proofs.extreme_columns import extreme_columns
from mechdesign.proofs.witnesses import own_numbers
from mechdesign.solve.pricing.support import support
from mechdesign.testing.contract import Clause, require
from mechdesign.testing.exact_utility import private_integers
from mechdesign.testing.utility_contract import MANY, near, some_matrix

#: Functionals are integers up to this size, and are lowered or raised by this share of it; numbers that show them more.
LARGE, SHARE, LITTLE = 10**6, 1e-9, 1e-5
#: Ends of chords, and by how much a functional may be below the utility: rounding of the latter.
ENDS, ROUNDING = 9, Fraction(1, 10**9)
#: Enclosures are narrower than this; than this share where lines of floating point make them.
NARROW: Final = Fraction(1, 10**40)
WITH_LINES: Final = Fraction(1, 10**12)
#: Inputs up to which all extreme columns are made.
FEW = 6


def dual_is_sound(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """No functional passes the exact test that is negative on a private column, by however little."""
    inputs = notion.inputs(problem)
    for column in _private_columns(notion, inputs, rng) if _has_test(notion, inputs) else ():
        total = int(column.sum())
        for _ in range(3):
            free = rng.integers(-LARGE, LARGE, size=len(column)).astype(object)
            # Zero on the column, and then less than that by a part in 1e12 of its size.
            level = free * total - int(free @ column)
            lowered = level * LARGE**2 - abs(level).max() - 1
            shown = notion.columns(inputs).nonnegative(lowered[None, :])
            require(
                shown is not None and not shown[0], f"a functional negative on {column.tolist()} passes the exact test"
            )


def dual_is_tight(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """What floating point finds positive on the cone by a part in 1e9 passes the exact test; negative, it does not.

    Budgets count, and a notion's own numbers are given; no others show what is negative.
    """
    # What is shown is a functional of the secrets: the question is that of secrets that are seen.
    whole = notion.inputs(problem)
    inputs = whole.of_secrets()
    if not _has_test(notion, inputs):
        return
    simple, over = plain(notion, inputs) if inputs is whole else (notion, inputs)
    normal, budgets = simple.columns(over).normal, len(notion.columns(inputs).budget())
    for _ in range(MANY):
        free = rng.integers(-LARGE, LARGE, size=inputs.n).astype(float)
        nu = rng.integers(0, LARGE, size=budgets).astype(float)
        least = -float(support(simple, over, -free[None, :], nu).values[0])
        apart = SHARE * LARGE * inputs.n * (1 + budgets)
        positive, negative = (free + (sign * apart - least) * normal for sign in (1.0, -1.0))
        own = _numbers_shown(notion, inputs, positive, nu)
        require(_is_shown(notion, inputs, positive, nu, own), f"{positive.tolist()} is positive, and is not shown")
        for given in (own, *_altered(own)):
            passes = _is_shown(notion, inputs, negative, nu, given)
            require(not passes, f"{negative.tolist()} is negative on a column, and {given} shows it")


def exact_rows(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """Rows of fractions hold on every private column, and on no others but for a part in 1e9."""
    inputs = notion.inputs(problem)
    rows = notion.columns(inputs).exact_rows()
    if rows is None:
        return
    for column in _private_columns(notion, inputs, rng):
        reveals = np.count_nonzero(column) == 1 and bool(notion.columns(inputs).revealed)
        holds = reveals or min(rows @ column, default=0) >= 0
        require(holds, f"a row is negative on the private column {column.tolist()}")
    columns = extreme_columns(notion, inputs, False) if inputs.n <= FEW else None
    simple, over = plain(notion, inputs)
    if columns is None or len(simple.columns(over).budget()):
        return
    floats = (columns / columns.max(axis=1, keepdims=True)).astype(float)
    for functional in rng.integers(-LARGE, LARGE, size=(MANY, inputs.n)).astype(float):
        most = float((floats @ functional / (floats @ simple.columns(over).normal)).max())
        reached = float(support(simple, over, functional[None, :], np.zeros(0)).values[0])
        apart = SHARE * LARGE * inputs.n / float(simple.columns(over).normal.min())
        require(abs(most - reached) <= apart, f"{functional.tolist()} is at most {most!r} by rows, and {reached!r}")


def exact_value(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """Exact utility and value enclose one number, which is the one in floating point."""
    form = objective.exact_form(problem)
    for _ in range(MANY if form is not None else 0):
        assert form is not None
        matrix = np.ldexp(round_rows(some_matrix(objective, problem, rng)).astype(float), -53)
        numerators = dyadic(matrix)
        assert numerators is not None
        form = form.along(_lines(form, matrix))
        utility = [end / ONE for end in form.utility(numerators)]
        ends = [end for each in utility for end in form.value(each)]
        value = objective.value(matrix, problem)
        width = NARROW if not form.lined else WITH_LINES * abs(utility[0])
        require(utility[1] - utility[0] <= width, f"the enclosure of the utility is wider than {float(width):.0e}")
        if not form.lined:
            near(float(utility[0]), objective.to_utility(value, problem), "the exact utility", "value")
        near(float(min(ends)), value, "the exact value", "value")
        near(float(max(ends)), value, "the exact value", "value")
        idle = form.idle()
        least = math.inf if idle is None else float(form.value(idle[0])[0])
        near(least, objective.uninformative(problem), "the exact idle value", "uninformative")


def exact_functionals(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """One of the functionals is at least the utility of each column; ends that leave ratios out are refused.

    For a maximum of functionals of the matrix their mean is at least the utility, and the least is.
    """
    form = objective.exact_form(problem)
    if isinstance(form, LargestPiece) and problem.n <= FEW:
        _exact_mean(form, objective, problem, rng)
    if form is None or not is_separable(objective) or isinstance(form, ConvexOfColumn):
        return
    ends = _ends(form)
    functionals = form.functionals(ends)
    require(functionals is not None, "ends that cover all ratios are refused")
    assert functionals is not None
    for _ in range(MANY):
        # Columns at the edge of the cone of all, too.
        column = rng.integers(0, 5, size=problem.n).astype(object) ** int(rng.integers(1, 9))
        if not column.any():
            continue
        most = max(functional @ column for functional in functionals)
        reached = Fraction(float(objective.column_utility(column.astype(float)[:, None], problem)[0]))
        least = reached - ROUNDING * (abs(reached) + Fraction(int(column.sum())))
        require(most >= least, f"no functional is above the utility of the column {column.tolist()}")
    for wrong in (ends[1:], ends[:-1], ends[::-1]) if len(ends) else ():
        require(form.functionals(wrong) is None, "ends that do not cover all ratios are taken")


def exact_columns(objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    """A utility that proofs compare column by column equals the column's, and lines of any kind bound the value."""
    form = objective.exact_form(problem)
    for _ in range(MANY if isinstance(form, ConvexOfColumn) else 0):
        assert isinstance(form, ConvexOfColumn)
        columns = rng.integers(0, 5, size=(problem.n, 4)).astype(object) ** int(rng.integers(1, 9))
        if is_separable(objective):
            for column in columns.T[columns.any(axis=0)]:
                reached = float(objective.column_utility(column.astype(float)[:, None], problem)[0])
                near(float(form.mu(column)[0]), reached, f"mu of {column.tolist()}", "column_utility")
        matrix = np.ldexp(round_rows(some_matrix(objective, problem, rng)).astype(float), -53)
        _lines_bound(form, objective.value(matrix, problem), matrix, objective.sense == "minimise", rng)
        if isinstance(form, TraceOfCovariance):
            # Of inputs that are alike, the mean of lines over all their orders bounds besides.
            even = np.full(problem.n, Fraction(1, problem.n), dtype=object)
            alike = replace(form, theta=even, weights=even, alike=True)
            exact, numerators = alike.along(_lines(alike, matrix)), dyadic(matrix)
            assert numerators is not None
            value = max(exact.value(exact.utility(numerators)[0] / ONE))
            _lines_bound(alike, float(value), matrix, True, rng)


def _lines_bound(form: ConvexOfColumn, value: float, matrix: Array, minimised: bool, rng: np.random.Generator) -> None:
    """Require that what lines of any kind show of a matrix is no better than its value."""
    numerators = dyadic(matrix)
    assert numerators is not None
    for lines in (rng.normal(size=(form.lined, form.lined)), _lines(form, matrix)):
        drawn = form.along(lines)
        for each in (drawn, drawn.averaged()) if form.alike else (drawn,):
            shown = sum((each.mu(column)[1] for column in numerators.astype(object).T if column.any()), Fraction(0))
            ends = each.value(shown / ONE)
            better, reached = (min(ends), value) if minimised else (-max(ends), -value)
            require(better <= reached + 1e-9 * abs(value), f"lines show {float(ends[0])!r} of a matrix of {value!r}")


def _lines(form: ExactForm, matrix: Array) -> Array:
    """Return the covariance of the matrix, where a proof gives lines."""
    if not isinstance(form, TraceOfCovariance):
        return np.zeros((0, 0))
    return covariance_of(matrix, form.theta.astype(float))


def _exact_mean(form: LargestPiece, objective: Objective, problem: Problem, rng: np.random.Generator) -> None:
    numerators = dyadic(np.ldexp(round_rows(some_matrix(objective, problem, rng)).astype(float), -53))
    assert numerators is not None
    columns, utility, count = numerators.astype(object).T, form.utility(numerators)[0], form.weighed

    def mean(weights: Array) -> Fraction:
        functionals = form.functionals([], weights.tolist())
        require(functionals is not None, f"the weights {weights.tolist()} are refused")
        assert functionals is not None
        return sum((each @ column for each, column in zip(functionals, columns, strict=True)), Fraction(0))

    if isinstance(form, LargestInBox):
        least = min(map(mean, _filled(form.lower.astype(float), form.upper.astype(float))))
        require(abs(least - utility) <= SHARE * abs(utility), "no vertex of the box has the utility")
    else:
        require(min(map(mean, np.eye(count))) == utility, "the least of the functionals is not the utility")
    require(mean(rng.integers(1, 9, size=count) / 7.0) >= utility, "a mean of the functionals is below the utility")
    for wrong in (np.ones(count + 1), np.zeros(count), np.append(np.ones(count - 1), -0.5)):
        require(form.functionals([], wrong.tolist()) is None, f"{wrong.tolist()} are taken for weights")


def _filled(lower: Array, upper: Array) -> list[Array]:
    """Return the distributions in a box that are filled in some order: its vertices among them."""
    found = []
    for order in permutations(range(len(lower))):
        prior = lower.copy()
        for x in order:
            prior[x] += min(upper[x] - lower[x], 1.0 - prior.sum())
        found.append(np.maximum(prior, 0.0))
    return found


def _ends(form: ExactForm) -> list[float]:
    """Return ends that cover all ratios with nothing to spare beyond a part in 1e12."""
    if not isinstance(form, ConvexOfRatio):
        return []
    least, most = (float(end) for end in form.range)
    apart = 1e-12 * max(abs(least), abs(most))
    low = max(least - apart, 0.0) if least >= 0 else least - apart
    return [float(end) for end in np.linspace(low, most + apart, ENDS)]


def _has_test(notion: Notion, inputs: Problem) -> bool:
    return notion.columns(inputs).nonnegative(np.zeros((1, inputs.secrets), dtype=object)) is not None


def _private_columns(notion: Notion, inputs: Problem, rng: np.random.Generator) -> list[Integers]:
    """Return columns of private mechanisms as the secrets see them."""
    seen = (inputs.exactly_seen_by_secret(each).astype(object) for each in private_integers(notion, inputs, rng))
    return [column for matrix in seen for column in matrix.T if column.any()]


def _numbers_shown(notion: Notion, inputs: Problem, functional: Array, nu: Array) -> dict[int, float]:
    """Return the numbers of its own by which the notion shows a functional."""
    found = own_numbers(notion, inputs, functional[None, :], nu)
    require(found is not None, f"numbers that show {functional.tolist()} are not found")
    assert found is not None
    return found[0]


def _is_shown(notion: Notion, inputs: Problem, functional: Array, nu: Array, own: dict[int, float]) -> bool:
    return bool(shown_by(notion, inputs, fractions(functional[None, :]), nu, [own])[0])


def _altered(own: dict[int, float]) -> list[dict[int, float]]:
    """Return numbers that are wrong: larger by a little and by much, negative, left out, at another place."""
    altered: list[dict[int, float]] = [{0: -float(LARGE)}]
    altered += [{place: number * times for place, number in own.items()} for times in (1.0 + LITTLE, 2.0)]
    for place, number in own.items():
        others = {other: each for other, each in own.items() if other != place}
        altered += [others, own | {place: -number}, own | {place: number + LARGE}, others | {place + 1: number}]
    return altered


#: The exact part of the contracts of notions and of objectives.
EXACT_NOTION_CLAUSES: dict[str, Clause] = {
    "dual is sound": dual_is_sound,
    "dual is tight": dual_is_tight,
    "exact rows": exact_rows,
}
EXACT_OBJECTIVE_CLAUSES: dict[str, Clause] = {
    "exact value": exact_value,
    "exact functionals": exact_functionals,
    "exact columns": exact_columns,
}
