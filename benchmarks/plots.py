"""The plots of a run, with matplotlib where it is installed (the `bench` extra)."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.growth import FROM, slope
from benchmarks.measuring import Part
from mechdesign.plotting import performance_profile

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def drawn(part: Part, folder: Path) -> list[Path]:
    """Draw what there is to draw of `part`, and return the files.

    Raises
    ------
    ImportError
        matplotlib is not installed.
    """
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 4.5), layout="constrained")
    if part.name == "solvers" and part.data:
        performance_profile(part.data["times"], figure, solved="certified to 1e-6")
    elif part.name == "growth" and part.data:
        _growth(part, figure)
    elif any(row.number is not None and row.unit == "x" for row in part.rows):
        _ratios(part, figure)
    else:
        return []
    path = folder / f"{part.name}.png"
    figure.savefig(path, dpi=120)
    return [path]


def _growth(part: Part, figure: Figure) -> None:
    for axes, key, unit in zip(figure.subplots(1, 2), ("seconds", "megabytes"), ("s", "MB"), strict=True):
        for series, found in part.data.items():
            points = [(point["n"], point[key]) for point in found if point.get(key, 0) > 0]
            if not points:
                continue
            sizes, numbers = zip(*points, strict=True)
            large = [(n, number) for n, number in points if n >= FROM]
            fitted = slope(*map(list, zip(*(large if len(large) > 1 else points), strict=True)))
            label = series if math.isnan(fitted) else f"{series}: n^{fitted:.2f}"
            axes.plot(sizes, numbers, marker="o", label=label)
        axes.set(xscale="log", yscale="log", xlabel="inputs n", ylabel=unit)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize="x-small")


def _ratios(part: Part, figure: Figure) -> None:
    axes = figure.add_subplot()
    rows = [row for row in part.rows if row.number is not None and row.unit == "x"]
    places = np.arange(len(rows))[::-1]
    missed = [row.verdict == "NOT REACHED" for row in rows]
    axes.barh(places, [row.number or 0.0 for row in rows], color=["tab:red" if bad else "tab:blue" for bad in missed])
    promised = [(row.at_most, place) for row, place in zip(rows, places, strict=True) if row.at_most is not None]
    if promised:
        axes.plot(*zip(*promised, strict=True), "k|", markersize=12, label="at most")
        axes.legend(fontsize="small")
    axes.set_yticks(places, [row.work for row in rows], fontsize="x-small")
    axes.set(xscale="log", xlabel="ratio")
    figure.set_size_inches(11.0, 1.0 + 0.25 * len(rows))
