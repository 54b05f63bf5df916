"""The split of a budget of LDP between questions: branch and bound over boxes of levels."""

from __future__ import annotations

import heapq
import math
from dataclasses import dataclass, field, replace

from mechdesign.designing.answer import answered
from mechdesign.designing.fewest_outputs import with_fewest_outputs
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import DomainError
from mechdesign.notions import LDP
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import now
from mechdesign.runtime.logs import sayer
from mechdesign.studies.budget_split import BudgetSplit
from mechdesign.tolerances import GAP as DESIGN_GAP

#: Levels are multiples of the budget's so many parts, and of so many bits: products and sums of them are exact.
PARTS, BITS = 1 << 12, 40
#: Designs that a search makes at most.
MOST_DESIGNS = 600

#: The parts of the budget that each question has at least, and at most.
Box = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass
class Search:
    """Branch and bound over the parts of the budget."""

    problems: tuple[Problem, ...]
    budget: float
    objectives: tuple[Objective, ...]
    weights: tuple[float, ...]
    settings: Settings
    made: dict[tuple[int, int], Design | None] = field(default_factory=dict)

    def found(self, gap: float, deadline: float | None) -> BudgetSplit:
        """Search until the gap, the deadline or the number of designs, and return the best split."""
        count = len(self.problems)
        best = self._equal()
        for k, part in enumerate(best):
            # What is wrong with a question is wrong with it at every level.
            self.made[k, part] = self._asked(k, _level(self.budget, part, up=True))
        least, whole = self._sum(best, "value"), ((0,) * count, (PARTS,) * count)
        boxes = [(self._bound(self._trimmed(whole)), self._trimmed(whole))]
        closed = math.inf
        while boxes and not self._is_near(least, min(boxes[0][0], closed), gap):
            if len(self.made) > MOST_DESIGNS or (deadline is not None and now() >= deadline):
                break
            bound, box = heapq.heappop(boxes)
            for half in self._halves(box):
                trimmed = self._trimmed(half)
                if any(low > high for low, high in zip(*trimmed, strict=True)):
                    continue
                point = self._point(trimmed)
                reached = self._sum(point, "value")
                if reached < least:
                    least, best = reached, point
                heapq.heappush(boxes, (max(bound, self._bound(trimmed)), trimmed))
            if not self._halves(box):
                closed = min(closed, bound)
            self._report(least, min([closed, *(known for known, _ in boxes[:1])]))
        bound = min([closed, *(known for known, _ in boxes[:1])])
        return self._answer(best, bound, complete=self._is_near(least, bound, gap) or not boxes)

    def _report(self, least: float, bound: float) -> None:
        """Say how far the search has come, where somebody listens."""
        say = sayer(self.settings.verbose)
        if say is not None:
            sums = f"sum {self._sign * least:.6g}, bound {self._sign * bound:.6g}"
            say(f"split: {len(self.made)} designs of at most {MOST_DESIGNS}, {sums}")

    def _answer(self, best: tuple[int, ...], bound: float, *, complete: bool) -> BudgetSplit:
        sign = self._sign
        # The levels of the bounds are no less than the budget's parts, those of the answer no more.
        levels = [_level(self.budget, part, up=False) for part in best]
        final = replace(self.settings, gap=DESIGN_GAP)
        designs = tuple(with_fewest_outputs(self._asked(k, level, final), final) for k, level in enumerate(levels))
        value = math.fsum(weight * made.value for weight, made in zip(self.weights, designs, strict=True))
        bound = sign * min(bound, sign * value)
        size = max(abs(value), abs(bound))
        gap = math.nextafter(abs(value - bound) / size, math.inf) if size and value != bound else 0.0
        equal = sign * self._sum(self._equal(), "value")
        return BudgetSplit(designs, self.weights, self.budget, value, bound, gap, equal, complete)

    @property
    def _sign(self) -> float:
        return 1.0 if self.objectives[0].sense == "minimise" else -1.0

    def _equal(self) -> tuple[int, ...]:
        count = len(self.problems)
        return (*[PARTS // count] * (count - 1), PARTS - PARTS // count * (count - 1))

    def _sum(self, parts: tuple[int, ...], of: str) -> float:
        """Return the weighted sum of values, or of bounds, to be minimised; infinite where a question has none."""
        made = [self._at(k, part) for k, part in enumerate(parts)]
        terms = [
            math.inf if each is None else weight * getattr(each, of)
            for weight, each in zip(self.weights, made, strict=True)
        ]
        return self._sign * math.fsum(terms) if all(map(math.isfinite, terms)) else math.inf

    def _bound(self, box: Box) -> float:
        return self._sum(box[1], "bound")

    def _is_near(self, least: float, bound: float, gap: float) -> bool:
        return math.isfinite(least) and least - bound <= gap * max(abs(least), abs(bound))

    def _trimmed(self, box: Box) -> Box:
        """Return the part of the box in which the whole budget is used: to use less is never better."""
        low, high = (list(ends) for ends in box)
        for k in range(len(low)):
            high[k] = min(high[k], PARTS - sum(low) + low[k])
        for k in range(len(low)):
            low[k] = max(low[k], PARTS - sum(high) + high[k])
        return tuple(low), tuple(high)

    def _halves(self, box: Box) -> tuple[Box, ...]:
        """Return the box cut in two where it is widest as a ratio; none where it is a point, but for one part."""
        low, high = box
        k = max(range(len(low)), key=lambda at: ((high[at] + 1) / (low[at] + 1), at))
        if high[k] - low[k] <= 1:
            return ()
        middle = (low[k] + high[k]) // 2
        return (low, (*high[:k], middle, *high[k + 1 :])), ((*low[:k], middle, *low[k + 1 :]), high)

    def _point(self, box: Box) -> tuple[int, ...]:
        """Return a split within the box: what its lower ends leave is shared by the widths."""
        low, high = box
        left, found = PARTS - sum(low), list(low)
        widths = [top - bottom for bottom, top in zip(low, high, strict=True)]
        whole = max(sum(widths), 1)
        for k, width in enumerate(widths):
            more = min(width, left if k == len(widths) - 1 else width * (PARTS - sum(low)) // whole)
            found[k] += more
            left -= more
        for k, width in enumerate(widths):
            more = min(left, low[k] + width - found[k])
            found[k] += more
            left -= more
        return tuple(found)

    def _at(self, k: int, part: int) -> Design | None:
        """Return the design of a question with a number of parts of the budget; None if none has a finite value."""
        if (k, part) not in self.made:
            try:
                self.made[k, part] = self._asked(k, _level(self.budget, part, up=True))
            except DomainError:
                # At level 0 nothing is estimated; any other refusal is the user's to hear.
                if part:
                    raise
                self.made[k, part] = None
        return self.made[k, part]

    def _asked(self, k: int, level: float, settings: Settings | None = None) -> Design:
        return answered(self.problems[k], LDP(level), self.objectives[k], settings or self.settings)


def _level(budget: float, part: int, *, up: bool) -> float:
    """Return a number of parts of the budget, exactly, if the budget is rounded to 40 bits: up or down.

    Examples
    --------
    >>> _level(1.0, 1024, up=True), _level(0.1, PARTS, up=True) >= 0.1 >= _level(0.1, PARTS, up=False)
    (0.25, True)
    """
    mantissa, exponent = math.frexp(budget)
    scaled = mantissa * 2.0**BITS
    whole = math.ceil(scaled) if up else math.floor(scaled)
    return math.ldexp(whole * part, exponent - BITS - PARTS.bit_length() + 1)
