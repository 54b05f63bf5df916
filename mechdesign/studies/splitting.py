"""A budget of LDP split between several questions of one person by branch and bound over their levels."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from mechdesign.designing.answer import answered
from mechdesign.designing.fewest_outputs import with_fewest_outputs
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings, all_but
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.notions import LDP
from mechdesign.objectives import Objective
from mechdesign.parameters import Real
from mechdesign.parameters.checks import entries
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.runtime.deadline import now
from mechdesign.studies.budget_split import BudgetSplit
from mechdesign.tolerances import GAP as DESIGN_GAP

#: Levels are multiples of the budget's so many parts, and of so many bits: products and sums of them are exact.
PARTS, BITS = 1 << 12, 40
#: Questions of one person at most, and designs that a search makes at most.
MOST_QUESTIONS, MOST_DESIGNS = 6, 600
#: The gap that is asked for: it takes some dozens of designs of each question.
GAP = 1e-2
#: The share of that gap which the designs of the search may have.
OF_DESIGNS = 0.05
#: The keywords of `design`, which each design is asked with.
KEYWORDS = all_but("gap", "within", "time_limit", "subject_to", "theorems", "proof")
WEIGHT = Real(low=0.0, open_low=True)


def split_budget(
    problems: Sequence[Problem],
    notion: LDP,
    objective: Objective | Sequence[Objective],
    *,
    weights: Sequence[float] | None = None,
    gap: float = GAP,
    within: float | None = None,
    time_limit: float | None = None,
    **keywords: Any,
) -> BudgetSplit:
    """Return designs of several questions of one person under one budget of LDP, split so that the sum is best.

    One person answers all questions, and each answer is reported by a mechanism of its own. The levels of LDP add up:
    all reports together satisfy the notion. The split is searched by branch and bound over the levels; since a design
    is the better the higher its level, the bounds of designs at the upper ends of intervals bound every split between.

    Parameters
    ----------
    problems : sequence of Problem
        One for each question, 2 to 6.
    notion : LDP
        What all reports of a person satisfy together.
    objective : Objective or sequence of Objective
        What has to stay useful in each question: one for all, or one for each, of the same sense.
    weights : sequence of float, optional
        Positive, one for each question: what its value counts in the sum; ones by default.
    gap : float
        The relative gap that is asked for, in (0, 1].
    within : float, optional
        The share of each question's optimum that may be given up for fewer outputs, as in `design`.
    time_limit : float, optional
        Seconds for the whole search.
    **keywords
        The others of `design`, for each design.

    Returns
    -------
    BudgetSplit
        The designs, with the sum of their values and a bound on that of every split.

    Raises
    ------
    DomainError
        Another number of problems, another notion than LDP or one at level 0, objectives or weights that do not fit, a
        keyword that `design` does not have.
    UnsupportedError
        A problem with a hidden secret.

    Examples
    --------
    >>> import mechdesign as md
    >>> age, smokes = md.Problem(n=6), md.Problem(labels=["no", "yes"])
    >>> both = md.split_budget([age, smokes], md.LDP(2.0), md.InformationDesign("A"), gap=0.05)
    >>> bool(both.levels[0] > both.levels[1]), both.gap <= 0.05, both.value < both.equal
    (True, True, True)
    >>> both.sample([[0, 5, 3], ["no", "yes", "no"]]).shape
    (3, 2)
    """
    given = entries("problems", problems, "it has to be a sequence of problems", "give a list")
    if not 2 <= len(given) <= MOST_QUESTIONS:
        rule = f"a budget is split between 2 to {MOST_QUESTIONS} questions"
        raise DomainError("problems", f"{len(given)} of them", rule, "give one problem for each question")
    for k, problem in enumerate(given):
        required(f"problems[{k}]", problem, Problem)
        if problem.is_hidden:
            raise UnsupportedError(
                f"problems[{k}] has a hidden secret: levels of LDP add up where it is the answers that are protected."
            )
    if type(notion) is not LDP or not 0.0 < notion.epsilon < math.inf:
        rule = "levels add up, and can be split, under LDP at a positive level"
        raise DomainError("notion", str(notion), rule, "give md.LDP(epsilon) with what all reports may have together")
    settings = replace(Settings.of(keywords, KEYWORDS, "a split"), gap=gap, within=within, time_limit=time_limit)
    search = _Search(
        tuple(given),
        notion.epsilon,
        _objectives(objective, len(given)),
        _weights(weights, len(given)),
        replace(settings, gap=OF_DESIGNS * settings.gap, time_limit=None),
    )
    limit = settings.time_limit
    return search.found(settings.gap, None if limit is None else now() + limit)


def _objectives(given: Any, count: int) -> tuple[Objective, ...]:
    found = (given,) * count if isinstance(given, Objective) else entries("objective", given, "it has to be one", "")
    for k, each in enumerate(found):
        required(f"objective[{k}]", each, Objective)
    if len(found) != count or len({each.sense for each in found}) > 1:
        rule = f"it has to be one for all, or {count} that are all minimised or all maximised"
        raise DomainError("objective", f"{len(found)} of them", rule, "give one objective")
    return tuple(found)


def _weights(given: Any, count: int) -> tuple[float, ...]:
    if given is None:
        return (1.0,) * count
    found = entries("weights", given, "it has to be a sequence of numbers", "give a list")
    if len(found) != count:
        raise DomainError("weights", f"{len(found)} of them", f"there are {count} questions", "give one for each")
    return tuple(WEIGHT.check(f"weights[{k}]", each) for k, each in enumerate(found))


#: The parts of the budget that each question has at least, and at most.
Box = tuple[tuple[int, ...], tuple[int, ...]]


@dataclass
class _Search:
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
        bound = min([closed, *(known for known, _ in boxes[:1])])
        return self._answer(best, bound, complete=self._is_near(least, bound, gap) or not boxes)

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
        """Return the design of a question with so many parts of the budget; None where none has a finite value."""
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
    """Return so many parts of the budget, exactly, where the budget is rounded to 40 bits: up or down.

    Examples
    --------
    >>> _level(1.0, 1024, up=True), _level(0.1, PARTS, up=True) >= 0.1 >= _level(0.1, PARTS, up=False)
    (0.25, True)
    """
    mantissa, exponent = math.frexp(budget)
    scaled = mantissa * 2.0**BITS
    whole = math.ceil(scaled) if up else math.floor(scaled)
    return math.ldexp(whole * part, exponent - BITS - PARTS.bit_length() + 1)
