"""The estimate of a mechanism without a matrix, as the command prints it and writes it as JSON."""

from __future__ import annotations

import dataclasses
from typing import Any

from mechdesign.cli import printing
from mechdesign.displays import Block, Lines
from mechdesign.displays.text import show
from mechdesign.estimation.cover_estimate import CoverEstimate
from mechdesign.mechanism import Mechanism


def show_covers(mechanism: Mechanism, found: CoverEstimate, level: float, size: int | None, *, as_json: bool) -> None:
    """Print the frequencies, of many inputs the most frequent ones, and the mean and total if inputs have values."""
    if as_json:
        printing.show_json(_data(found, level, size))
        return
    said: list[Block] = [mechanism.display()[0], *found.shown(level)]
    if found.problem.values is not None:
        lines = [f"mean {found.mean().written(level)}"]
        lines += [] if size is None else [f"total of {size:.15g} people {found.total(size).written(level)}"]
        said.append(Lines("", tuple(lines)))
    show(printing.console(False), tuple(said))


def _data(found: CoverEstimate, level: float, size: int | None) -> dict[str, Any]:
    """Return the estimate as plain data: every input's row, the fit, and the mean and total if inputs have values."""
    data: dict[str, Any] = {"reports": found.reports, "level": level, "method": found.method}
    data |= {"frequencies": found.rows(level), "fit": dataclasses.asdict(found.fit)}
    if found.problem.values is not None:
        figures = {"mean": found.mean(), **({} if size is None else {"total": found.total(size)})}
        for name, one in figures.items():
            low, high = one.interval(level)
            data[name] = {"estimate": one.value, "standard_error": one.standard_error, "low": low, "high": high}
    return data
