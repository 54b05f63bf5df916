"""What is printed of an estimate: a head with what to know, the table of frequencies, the mean and totals."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mechdesign.displays import Block, Lines, Table
from mechdesign.displays.blocks import MOST_ROWS, chosen
from mechdesign.estimation.remarks import remarks

if TYPE_CHECKING:
    from mechdesign.estimation.estimating import Estimate

#: Weights whose design effect is above 1 by no more than this are equal, up to rounding.
EQUAL = 1e-12

#: The columns of numbers that a table of inputs has.
NUMBERS = ("estimate", "standard_error", "low", "high")


def blocks(estimate: Estimate, level: float, size: float | None) -> tuple[Block, ...]:
    """Return what is printed of an estimate: frequencies, mean and, for a population of `size`, totals."""
    head = Lines("Estimate", (*_head(estimate), *remarks(estimate, level)))
    if not estimate.identifiable.all():
        return (head,)
    n = estimate.problem.n
    shown = chosen(n, MOST_ROWS)
    rows = dict(zip(shown, estimate.rows(level, shown), strict=True))
    ends = ("standard error", f"{100 * level:.4g} % from", "to")
    table = Table.of("", ("input", "frequency", *ends), n, _row(rows, "z.6f"), ("input",), "inputs")
    made: list[Block] = [head, table]
    if estimate.problem.values is not None:
        said = [f"mean {estimate.mean().written(level)}"]
        said += [] if size is None else [f"total of {size:.15g} people {estimate.total(size).written(level)}"]
        made.append(Lines("", tuple(said)))
    if size is not None:
        totals = dict(enumerate(estimate.totals(size, level)))
        title = f"Of {size:.15g} people"
        made.append(Table.of(title, ("input", "people", *ends), n, _row(totals, "z.6g"), ("input",), "inputs"))
    return tuple(made)


def _head(estimate: Estimate) -> tuple[str, ...]:
    """Return how many reports there are, and in a survey what they are worth and how people were drawn."""
    survey = estimate.survey
    if survey is None:
        return (f"{estimate.reports} reports, method {estimate.method}.",)
    worth = (
        f"they are worth {estimate.effective_reports:.1f} of equal weights (design effect {estimate.design_effect:.4g})"
    )
    drawn = [f"Drawn from {survey.words}."] if survey.words else []
    if drawn and estimate.design_effect <= 1.0 + EQUAL:
        return (f"{estimate.reports} reports of equal weights.", *drawn)
    return (f"{estimate.reports} weighted reports: {worth}.", *drawn)


def _row(rows: Mapping[int, Mapping[str, Any]], form: str) -> Callable[[int], tuple[str, ...]]:
    return lambda x: (str(rows[x]["label"]), *(format(rows[x][name], form) for name in NUMBERS))
