"""The numbers of a page, with equally many digits everywhere: rounded outward, and in full in one table."""

from __future__ import annotations

from mechdesign.displays import Table
from mechdesign.displays.numbers import outward, rounded_down, rounded_up
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import Audit

#: Digits of a level, a value and a bound.
DIGITS = 6


def level_of(number: float) -> str:
    """Return a measured level as it stands everywhere on a page: rounded up."""
    return rounded_up(number, DIGITS)


def value_and_bound(mechanism: Mechanism) -> tuple[str, str]:
    """Return the value and its bound as they stand everywhere on a page: each on the side on which it stays true."""
    proof = mechanism.claimed
    return outward(proof.value, proof.bound, mechanism.asked.objective.sense, DIGITS)


def value_of(number: float, sense: str) -> str:
    """Return the value of a known mechanism, rounded like the page's own value, so that equal values look equal."""
    return rounded_up(number, DIGITS) if sense == "minimise" else rounded_down(number, DIGITS)


def all_digits(mechanism: Mechanism, found: Audit) -> Table:
    """Return the table of the levels, the value and the bound with all their digits, and what a page shows of them."""
    rows = [
        (f"level measured, {part.level_name} of {part.name}", level_of(level), repr(level))
        for part, level in zip(found.notion.parts(), found.levels, strict=True)
    ]
    if mechanism.question is not None and mechanism.certificate is not None:
        proof, shown = mechanism.claimed, value_and_bound(mechanism)
        rows += [("value", shown[0], repr(proof.value)), ("bound", shown[1], repr(proof.bound))]
    return Table("", ("number", "elsewhere on this page", "all digits"), tuple(rows), ("number",))
