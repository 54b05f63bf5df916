"""Decides one check: held, failed, or undecided where the certified intervals are too wide to decide it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatchmethod
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from mechdesign.designing.answer import answered
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import CertificateError, DomainError, InfeasibleError, SolverError, UnsupportedError
from mechdesign.question import Question
from mechdesign.referee.intervals import Interval, both_exact, distance, has_value, scale_of, width, written
from mechdesign.solve.choose import ROUTES, preference
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.task import Task
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds, OnRays, Operand, Optimum, Private, Remainder
from mechdesign.tolerances import BOUNDARY, REFEREE_GAP, REFEREE_ROUNDING, REFEREE_SLOPE, REFEREE_WIDTH, ROUNDING

Status = Literal["held", "failed", "undecided"]

#: What is said of a formula without a value at a point, that its author may have overlooked.
WITHOUT_VALUE = "nan is no number: correct the formula, or leave such points out of `claimed`"


@dataclass(frozen=True)
class Finding:
    """What became of one check."""

    status: Status
    #: By how much, relative to the size of the sides: the violation, or what rounding left.
    excess: float
    what: str

    @property
    def failed(self) -> bool:
        """Whether the check failed."""
        return self.status == "failed"


class Judge:
    """Decides checks; optima are designed once for each question."""

    def __init__(self) -> None:
        self._optima: dict[tuple[Question, int | None], Interval] = {}

    def findings(self, checks: Iterable[Check]) -> tuple[Finding, ...]:
        """Return the finding of each check: held, failed or undecided."""
        with np.errstate(all="ignore"):
            return tuple(self.decide(check) for check in checks)

    @singledispatchmethod
    def decide(self, check: Any) -> Finding:
        """Return the finding of one check: held, failed or undecided."""
        raise TypeError(f"{check!r} is no check.")

    @decide.register
    def _(self, check: Holds) -> Finding:
        return Finding("held" if check.true else "failed", 0.0 if check.true else 1.0, check.what)

    @decide.register
    def _(self, check: Private) -> Finding:
        matrix, notion, problem = np.asarray(check.matrix, dtype=float), check.notion, check.problem
        what = check.what or f"the mechanism satisfies {notion}"
        stochastic = matrix.min() >= -ROUNDING and np.abs(matrix.sum(axis=1) - 1).max() <= ROUNDING
        if not stochastic:
            return Finding("failed", 1.0, f"{what}: it is no stochastic matrix")
        matrix = np.maximum(matrix, 0.0)
        masses = notion.columns(problem).normal @ matrix
        level = np.atleast_1d(np.asarray(notion.level(matrix, problem).value, dtype=float))
        asked = np.atleast_1d(np.asarray(notion.parameter, dtype=float))
        # At a point that counts as on the edge of a domain an entry misses by so much of 1, and a private one is at
        # least e^-parameter times the mass of its output.
        room = ROUNDING + 2 * BOUNDARY * math.exp(min(asked.max(), 50.0)) / float(masses[masses > 0].min())
        over = float(np.max(level - asked))
        message = f"{what}: its {notion.level_name} is {level.max():.6g}, asked {asked.max():.6g}"
        return Finding("held" if over <= room else "failed", _number_or_more(over), message)

    @decide.register
    def _(self, check: Equal) -> Finding:
        left, right = self.value(check.left), self.value(check.right)
        if left is None or right is None:
            return Finding("undecided", 0.0, f"{check.what}: what it is held against was not found")
        if both_exact(left, right):
            same = bool(np.all(np.asarray(left.low == right.low)))
            return Finding(
                "held" if same else "failed", distance(left, right, check.scale), _detail(check, left, right)
            )
        wide = max(width(left, right, check.scale), width(right, left, check.scale))
        return _decided(distance(left, right, check.scale), wide, _detail(check, left, right))

    @decide.register
    def _(self, check: AtMost) -> Finding:
        left, right = self.value(check.left), self.value(check.right)
        if left is None or right is None:
            return Finding("undecided", 0.0, f"{check.what}: what it is held against was not found")
        message = _detail(check, left, right, "less than" if check.strictly else "at most")
        scale = scale_of(left, right, check.scale)
        over = float(np.max((left.low - right.high) / scale))
        unsure = float(np.max((left.high - right.low) / scale))
        excess = _number_or_more(over)
        if math.isnan(over) or over > (0.0 if both_exact(left, right) else REFEREE_ROUNDING):
            return Finding("failed", excess, message)
        if not check.strictly:
            return Finding("held" if unsure <= REFEREE_WIDTH else "undecided", excess, message)
        least = 0.0 if both_exact(left, right) else -REFEREE_ROUNDING
        if unsure < least or unsure == least < 0.0:
            return Finding("held", 0.0, message)
        return Finding("failed" if over > least or over == least == 0.0 else "undecided", excess, message)

    @decide.register
    def _(self, check: Remainder) -> Finding:
        sizes, widest = [], 0.0
        for step in check.start * 0.5 ** np.arange(6):
            left, right = (self.value(side) for side in check.sides(float(step)))
            if left is None or right is None:
                return Finding("undecided", 0.0, f"{check.what}: what it is held against was not found")
            scale = scale_of(left, right, 0.0)
            apart = distance(left, right, 0.0) * scale
            # What rounding and the certificate leave says nothing of the order.
            unsure = width(left, right, 0.0) + width(right, left, 0.0)
            widest = max(widest, unsure)
            noise = 30 * scale * (1e-15 + unsure)
            sizes.append(apart if apart > noise else math.nan)
        known = [size for size in sizes if not math.isnan(size)]
        if len(known) < 2:
            # Under a wide certificate, that none is seen says nothing.
            undecided = bool(known) or widest > REFEREE_WIDTH
            return Finding("undecided" if undecided else "held", 0.0, f"{check.what}: no remainder is seen")
        # The larger of two neighbours: a difference that crosses zero on the ladder looks small at one step.
        wide = [max(pair) for pair in pairwise(known)]
        order = math.log2(wide[-3] / wide[-1]) / 2 if len(wide) >= 3 else math.log2(known[-2] / known[-1])
        message = f"{check.what}: the remainder is of order {order:.2f}, claimed {check.order:g}"
        missing = check.order - order
        # An order that is measured is no deviation of the claim.
        return Finding("held", 0.0, message) if missing <= REFEREE_SLOPE else Finding("failed", missing, message)

    def value(self, operand: Operand) -> Interval | None:
        """Return an interval that contains one side of a check; None where no solver answered."""
        if isinstance(operand, Optimum):
            return self._optimum(operand)
        if isinstance(operand, OnRays):
            found = all_rays(operand.notion, operand.problem)
            if found is None:
                return None
            top = float(np.max(operand.measure(found.columns)))
            return Interval(top, top)
        if isinstance(operand, Fraction):
            return Interval(operand, operand)
        array = np.asarray(operand)
        if array.dtype.kind not in "biufO":
            rule = "it has to be a number, an array, or what is computed"
            raise DomainError("a side of a check", operand, rule, "the words come last: Equal(left, right, words)")
        if array.dtype != object:
            array = array.astype(float)
        return Interval(array, array)

    def _optimum(self, asked: Optimum) -> Interval | None:
        key = (asked.question, asked.outputs)
        if key not in self._optima:
            question = asked.question
            try:
                made = _designed(question, asked.outputs)
            except (SolverError, CertificateError, UnsupportedError):
                return None
            except InfeasibleError:
                self._optima[key] = Interval(math.nan, math.nan)
            else:
                low, high = sorted((made.value, made.bound))
                self._optima[key] = Interval(low, high)
        return self._optima[key]


def _designed(question: Question, outputs: int | None) -> Design:
    """Return the design of a numeric route: a theorem cannot vouch for itself."""
    inputs = question.notion.inputs(question.problem)
    task = Task(inputs, question.notion, question.objective, outputs=outputs, gap=REFEREE_GAP)
    numeric = [name for name, _ in preference(task) if name != "closed_form"]
    route = next((name for name in numeric if ROUTES[name].refusal(task) is None), "auto")
    settings = Settings(route=route, outputs=outputs, gap=REFEREE_GAP)
    made = answered(inputs, question.notion, question.objective, settings)
    assert made.route != "closed_form", "auto takes a theorem only where it is asked for by name"
    return made


def _number_or_more(excess: float) -> float:
    """Return the excess, at least 0: what is no number is as far off as can be."""
    return math.inf if math.isnan(excess) else max(excess, 0.0)


def _decided(apart: float, wide: float, message: str) -> Finding:
    if apart > REFEREE_ROUNDING:
        return Finding("failed", apart, message)
    return Finding("held" if wide <= REFEREE_WIDTH else "undecided", max(apart, wide), message)


def _detail(check: Equal | AtMost, left: Interval, right: Interval, relation: str = "against") -> str:
    """Return the comparison in words and numbers; where one side is computed by solving, both are named."""
    numbers = written(left), written(right)
    # Six digits may hide a difference that decides.
    if numbers[0] == numbers[1] and relation == "less than":
        return f"{check.what}: both are {numbers[0]}".removeprefix(": ")
    given = [side for side, of in ((left, check.left), (right, check.right)) if not isinstance(of, Optimum | OnRays)]
    valued = "" if all(map(has_value, given)) else f" ({WITHOUT_VALUE})"
    solved = [isinstance(side, Optimum | OnRays) for side in (check.left, check.right)]
    first, second = (
        f"{number}{_whose(side) if solved[0] != solved[1] else ''}"
        for number, side in zip(numbers, (check.left, check.right), strict=True)
    )
    return f"{check.what}: {first} {relation} {second}{valued}".removeprefix(": ")


def _whose(side: Operand) -> str:
    if isinstance(side, Optimum):
        return " (certified optimum)"
    return " (largest over the extreme rays)" if isinstance(side, OnRays) else " (the claim)"
