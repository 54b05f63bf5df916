"""Time and memory against the number of inputs, with the slopes of their logarithms."""

from __future__ import annotations

import math
import time
import warnings
from typing import Any

import numpy as np

import mechdesign as md
from benchmarks.measuring import Memory, Part, Row, apart
from benchmarks.targets import made
from benchmarks.unit import all_columns

SIZES = (10, 20, 50, 100, 200, 300, 500, 1000, 2000, 5000)
QUICK_SIZES = (10, 50, 100, 200, 300)
#: Series: the notion, the objective, the gap that is asked for, and how far it is followed.
SERIES: dict[str, tuple[str, str, float, int]] = {
    "LDP, MMSE": ("LDP", "mmse", 1e-6, 5000),
    "LDP, mutual information": ("LDP", "information", 1e-3, 1000),
    "LIP, MMSE": ("LIP", "mmse", 1e-6, 5000),
    "LDP, expected loss": ("LDP", "absolute", 1e-6, 500),
}
#: The published method, for as long as it lasts.
COLUMNS = "LDP, MMSE by all 2^n columns"
COLUMN_SIZES = (5, 8, 10, 12, 14, 15, 16)
#: Slopes are fitted from this size on: below it fixed costs rule.
FROM = 50


def design(series: str, n: int, limit: float) -> dict[str, Any]:
    """Measure one design: processor seconds, and the memory it takes beyond what was loaded before."""
    notion, objective, gap, _ = SERIES[series]
    problem, kind, goal, _ = made("skewed", n, notion, 1.0, objective, gap)
    with warnings.catch_warnings():
        # The gap is reported beside the number.
        warnings.simplefilter("ignore", md.GapWarning)
        md.design(md.Problem(prior=[0.25, 0.75], values=[0, 1]), kind, md.MMSE())
        memory, started = Memory(), time.process_time()
        found = md.design(problem, kind, goal, gap=gap, time_limit=limit)
        took = time.process_time() - started
    return {"seconds": took, "megabytes": memory(), "gap": found.gap, "asked": gap}


def columns(n: int) -> dict[str, Any]:
    """Measure the published linear program."""
    problem, *_ = made("skewed", n, "LDP", 1.0, "mmse", 1e-6)
    all_columns(np.full(2, 0.5), np.arange(2.0), 1.0)
    memory, started = Memory(), time.process_time()
    all_columns(problem.prior, problem.values, 1.0)
    return {"seconds": time.process_time() - started, "megabytes": memory(), "gap": 0.0, "asked": 0.0}


def slope(sizes: list[int], numbers: list[float]) -> float:
    """Return the least-squares slope of ``ln number`` over ``ln n``; NaN where fewer than two are positive."""
    kept = [(math.log(n), math.log(number)) for n, number in zip(sizes, numbers, strict=True) if number > 0]
    if len(kept) < 2:
        return math.nan
    x, y = (np.array(part) - np.mean(part) for part in zip(*kept, strict=True))
    return float(x @ y / (x @ x))


def measure(quick: bool) -> Part:
    """Return the largest size that each series reaches within the limit, and its slopes."""
    listed, limit = (QUICK_SIZES, 4.0) if quick else (SIZES, 15.0)
    rows: list[Row] = []
    data: dict[str, Any] = {}
    for series, (*_, far) in SERIES.items():
        sizes = [n for n in listed if n <= far]
        found = [_point("design", {"series": series, "n": n, "limit": limit}, n, limit) for n in sizes]
        rows, data = [*rows, _row(series, found, FROM)], {**data, series: found}
    sizes = [n for n in COLUMN_SIZES if n in {5, 10, 14} or not quick]
    data[COLUMNS] = [_point("columns", {"n": n}, n, limit) for n in sizes]
    return Part("growth", [*rows, _row(COLUMNS, data[COLUMNS], 10)], data)


def _point(function: str, arguments: dict[str, Any], n: int, limit: float) -> dict[str, Any]:
    outcome = apart(f"benchmarks.growth:{function}", arguments, 3.0 * limit + 10.0)
    return {"n": n, **(outcome.value or {"why": outcome.why})}


def _row(series: str, found: list[dict[str, Any]], start: int) -> Row:
    """Return the time at the largest size that was solved as asked."""
    reached = [point for point in found if "seconds" in point and point["gap"] <= point["asked"]]
    if not reached:
        return Row(series, None, "s", note=found[-1].get("why", "no size was certified as asked"))
    last, fitted = reached[-1], [point for point in reached if point["n"] >= start]
    sizes = [point["n"] for point in fitted]
    by_time, by_memory = (slope(sizes, [point[key] for point in fitted]) for key in ("seconds", "megabytes"))
    short = [str(point["n"]) for point in found if point not in reached]
    note = f"time n^{by_time:.2f}, memory n^{by_memory:.2f}, {last['megabytes']:.0f} MB"
    if short:
        note += f"; not certified as asked in time at n = {', '.join(short)}"
    return Row(f"{series}, n = {last['n']}", last["seconds"], "s", note=note)
