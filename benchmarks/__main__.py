"""Run with ``python -m benchmarks [quick|full|NAME]``: print ratios measured in one run, write JSON and plots.

`full` (about ten minutes, the default is `quick`) also refreshes the table of the site; `--record` does
so from any run that measures the targets. Both exit with 1 where a promise is not kept.

``python -m benchmarks answers --write FILE`` records what some 560 questions are answered with, and ``--against FILE``
compares; see `benchmarks.answers`.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.measuring import ONE_THREAD

# Before numpy is loaded.
os.environ.update(ONE_THREAD)

from rich.console import Console
from rich.table import Table

from benchmarks import (
    answers,
    growth,
    limits,
    millions,
    pairs,
    peers,
    people,
    proofs,
    report,
    sampling,
    solvers,
    spine,
    targets,
    threads,
)
from benchmarks.measuring import Part

PARTS: dict[str, Callable[[bool], Part]] = {
    "targets": targets.measure,
    "peers": peers.measure,
    "people": people.measure,
    "millions": millions.measure,
    "sampling": sampling.measure,
    "solvers": solvers.measure,
    "growth": growth.measure,
    "limits": limits.measure,
    "pairs": pairs.measure,
    "proofs": proofs.measure,
    "spine": spine.measure,
    "threads": threads.measure,
}


def shown(part: Part, console: Console) -> None:
    """Print a part as a table."""
    table = Table(title=f"mechdesign, {part.name}: ratios in one run")
    for heading in ("work", "measured", "at most", "", "note"):
        table.add_column(heading, overflow="fold")
    for row in part.rows:
        promised = "" if row.at_most is None else f"{row.at_most:g} {row.unit}"
        table.add_row(row.work, row.said, promised, row.verdict, row.note)
    console.print(table)


def measured(names: list[str], quick: bool, console: Console) -> Iterator[Part]:
    """Measure the parts, and print each when it is there."""
    for name in names:
        part = PARTS[name](quick)
        shown(part, console)
        yield part


def main(arguments: list[str]) -> int:
    """Run what was asked for; 1 where a promise is not kept."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("what", nargs="?", default="quick", choices=["quick", "full", "answers", *PARTS])
    parser.add_argument("--quick", action="store_true", help="the short form of a part named")
    parser.add_argument("--record", action="store_true", help="refresh the table of the site")
    parser.add_argument("--out", type=Path, default=report.RESULTS, help="folder for JSON and plots")
    parser.add_argument("--write", type=Path, metavar="FILE", help="answers: where to record them")
    parser.add_argument("--against", type=Path, metavar="FILE", help="answers: the record to compare with")
    asked = parser.parse_args(arguments)
    if sum(file is not None for file in (asked.write, asked.against)) != (asked.what == "answers"):
        parser.error("answers takes either --write FILE or --against FILE, and nothing else takes them")
    if asked.what == "answers":
        return answers.main(asked.write, asked.against, Console(width=150))
    names = [asked.what] if asked.what in PARTS else list(PARTS)
    quick = asked.quick or asked.what == "quick"
    console = Console(width=150)
    parts = list(measured(names, quick, console))
    mode = asked.what + (" --quick" if asked.quick else "")
    run, missing = report.written(parts, mode, asked.out)
    for why in missing:
        console.print(why)
    if "targets" in names and (asked.record or asked.what == "full"):
        report.recorded(run)
    kept = all(row.verdict in {"", "reached"} for part in parts for row in part.rows)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
