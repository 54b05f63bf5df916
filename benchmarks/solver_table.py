"""The site's table of solvers, from results of the set `small`: ``python -m benchmarks.solver_table RESULTS``.

RESULTS is a file of ``mechdesign bench run --set small``. The numbers are kept in ``benchmarks/solver_table.json``, and
the page on benchmarking solvers shows them.
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT
from benchmarks.report import BEGIN, END, line, put
from mechdesign import bench
from mechdesign.files.atomic_writes import write

#: The numbers of the table, and the page that shows it.
KEPT = ROOT / "benchmarks" / "solver_table.json"
PAGE = ROOT / "docs" / "how-to" / "benchmark-a-solver.md"
MODE = "solver_table"
ACCURACIES = (1e-3, 1e-6, 1e-9)
HEADINGS = (
    "solver",
    "version",
    *(f"solved to {each:.0e}" for each in ACCURACIES),
    "time",
    "not private",
    "false status",
)


def summary(results: bench.Results) -> dict[str, Any]:
    """Return the numbers of the table, times as multiples of the quickest solver's."""
    means = {solver: results.mean_time(solver, 1e-6) for solver in results.solvers}
    quickest = min(means.values())
    rows = [
        {
            "solver": solver,
            "version": next(iter(results.of(solver))).version,
            "solved": [results.solved(accuracy)[solver] for accuracy in ACCURACIES],
            "time": round(means[solver] / quickest, 3) if math.isfinite(means[solver]) else None,
            "answered": len({run.instance for run in results.of(solver) if run.score is not None}),
            "not private": len(results.with_fault(solver, "its matrix is not private")),
            "false status": len(results.with_fault(solver, "it says")),
        }
        for solver in sorted(results.solvers, key=means.__getitem__)
    ]
    sets = sorted({run.set_name for run in results.runs})
    return {
        "sets": sets,
        "instances": len(results.instances),
        "common": len(results.common),
        "accuracies": sorted({run.accuracy for run in results.runs}),
        "limit": results.time_limit,
        "machine": next((run.conditions.machine for run in results.runs if run.conditions is not None), "not stated"),
        "rows": rows,
    }


def table(kept: dict[str, Any]) -> str:
    """Return the table in Markdown between its markers."""
    count = kept["instances"]
    lines = [BEGIN.format(mode=MODE), line(HEADINGS), "|---" * len(HEADINGS) + "|"]
    for row in kept["rows"]:
        solved = [f"{each} of {count}" for each in row["solved"]]
        time = "-" if row["time"] is None else f"{row['time']:.3g} x"
        private = f"{row['not private']} of {row['answered']}"
        lines.append(line((row["solver"], row["version"], *solved, time, private, str(row["false status"]))))
    asked = " and ".join(f"{accuracy:.0e}" for accuracy in kept["accuracies"])
    said = (
        f"Set {', '.join(kept['sets'])}, asked for an accuracy of {asked}. Time: shifted geometric mean of the seconds "
        f"to 1e-06 on the {kept['common']} instances that all take, as a multiple of the least; what is not solved "
        f"counts {kept['limit']:g} s. Not private: of the matrices as they came. One run, {kept['machine']}."
    )
    lines += ["", said, END]
    return "\n".join(lines)


def main() -> None:
    """Read the results, keep the numbers, and put the table into the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", type=Path)
    kept = summary(bench.Results.read(parser.parse_args().results))
    write(KEPT, json.dumps(kept, indent=1) + "\n")
    put(PAGE, table(kept))


if __name__ == "__main__":
    main()
