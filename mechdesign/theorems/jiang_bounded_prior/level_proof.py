"""The differences that the proof of Theorem 3 is made of: Appendix A, in exact fractions."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal, Holds
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.binary import PriorRange
from mechdesign.theorems.variables import Real

#: The six displays, in their order; the cases that show them.
PLACES = ("cases 1 and 4", "case 2, first", "case 2, second", "cases 3 and 5", "case 5, second", "case 6")


def _shown(at: Point) -> tuple[bool, ...]:
    """Return whether the point lies in a case that shows each display: by the order of a, 1 - b and e^-epsilon."""
    (a, b), low = at.range, 1 / at.E
    case_2, case_3, case_5, case_6 = a <= low <= 1 - b, a <= 1 - b <= low, 1 - b <= low <= a, 1 - b <= a <= low
    return low <= min(a, 1 - b), case_2, case_2, case_3 or case_5, case_5, case_6


def _quotient(above: Any, below: Any) -> Fraction | None:
    """Return the fraction ``above / below``, or None where the denominator is 0: the case has no bound."""
    return None if below == 0 else Fraction(above) / Fraction(below)


def _bounds(at: Point) -> tuple[Fraction | None, ...]:
    """Return the two bounds of ``Pr(y|0)/Pr(y|1)`` and the two of its inverse, those without e^-epsilon first."""
    (a, b), big = at.range, at.E
    return (
        _quotient(big - a, 1 - a),
        _quotient(b, 1 / big + b - 1),
        _quotient(big + b - 1, b),
        _quotient(1 - a, 1 / big - a),
    )


def _differences(at: Point) -> tuple[Fraction | None, ...]:
    """Return the left sides of the displays."""
    first, second, third, fourth = _bounds(at)
    pairs = ((first, third), (third, fourth), (first, fourth), (first, second), (second, third), (third, fourth))
    return tuple(None if left is None or right is None else left - right for left, right in pairs)


def _printed(at: Point) -> tuple[Fraction | None, ...]:
    (a, b), big = at.range, at.E
    rare, common = 1 / big - a, 1 / big + b - 1
    return (
        _quotient((big - 1) * (a + b - 1), b * (1 - a)),
        _quotient((big - 1) * (a + b - 1), b**2 * rare),
        _quotient(a * (2 - big - 1 / big), (1 - a) * rare),
        _quotient((big - 1) * ((b - 1) * big + a), (1 - a) * common),
        _quotient((1 - b) * (big + 1 / big - 2), b * common),
        _quotient((big - 1) * (1 - b - a * big), b * rare),
    )


def _corrected(at: Point) -> tuple[Fraction | None, ...]:
    found = list(_printed(at))
    (a, b), big = at.range, at.E
    found[1] = _quotient((big - 1) * (1 - b - a * big), big * b * (1 / big - a))
    for index in (3, 5):
        part = found[index]
        found[index] = None if part is None else part / big
    return tuple(found)


def _are_the_differences(at: Point, given: tuple[Fraction | None, ...]) -> Iterator[Check]:
    (a, b), big = at.range, at.E
    known = _differences(at)
    for place, part, difference, shown in zip(PLACES, given, known, _shown(at), strict=True):
        if part is not None and difference is not None and shown:
            yield Equal(part, difference, place)
    # What the proof draws from them: which of the two bounds of a quotient is the smaller one.
    first, second, third, fourth = _bounds(at)
    if fourth is not None and a * big < 1 and third is not None:
        yield Holds((third <= fourth) == (big * a >= 1 - b), "cases 2 and 3: which bound of L_10 is the smaller")
    if second is not None and (1 - b) * big < 1 and first is not None:
        yield Holds((first <= second) == (big * (1 - b) >= a), "cases 5 and 6: which bound of L_01 is the smaller")


APPA = Theorem(
    key="jiang_bounded_prior/AppA",
    place="Appendix A",
    kind="identity",
    words="The differences of the bounds of Pr(y | 0)/Pr(y | 1) and its inverse, by which each case takes the smaller.",
    latex=(
        r"\frac{e^{\epsilon} + b - 1}{b} - \frac{1 - a}{e^{-\epsilon} - a} = "
        r"\frac{(e^{\epsilon} - 1)(a + b - 1)}{b^2 (e^{-\epsilon} - a)}, \ldots"
    ),
    family=Family({"E": Real(1.05, 20.0, log=True), "range": PriorRange(0.01, 0.99)}, exact=True),
    printed=_printed,
    corrected=_corrected,
    correction=(
        "Case 2, first: the numerator is (E - 1)(1 - b - a E), the denominator E b (1/E - a), with E = e^epsilon; "
        "cases 3, 5 and 6: a factor 1/E is missing. In case 2 the print is never positive; the difference is where "
        "a E < 1 - b, and the other bound is then the smaller one."
    ),
    test=_are_the_differences,
)
