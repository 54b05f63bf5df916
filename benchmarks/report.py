"""JSON, plots, and the table of the site: what a run leaves behind."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from benchmarks.measuring import ROOT, Part, machine
from benchmarks.plots import drawn
from mechdesign.files.atomic_writes import write

#: Where runs are written; not kept in the repository.
RESULTS = ROOT / "benchmarks" / "results"
#: The run that the table is made of; kept.
RECORDED = ROOT / "benchmarks" / "recorded.json"
#: The page with the table.
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- measured by: python -m benchmarks {mode} -->", "<!-- end of what was measured -->"
BLOCK = re.compile(re.escape(BEGIN).replace(r"\{mode\}", r"[\w -]+") + r"\n.*?" + re.escape(END), flags=re.DOTALL)
HEADINGS = ("work", "measured", "at most", "")
#: The parts whose rows are promises.
PROMISED = ("targets",)


def written(parts: Iterable[Part], mode: str, folder: Path) -> tuple[dict[str, Any], list[str]]:
    """Write one JSON file and the plots of each part; return the whole run, and what could not be drawn."""
    folder.mkdir(parents=True, exist_ok=True)
    run: dict[str, Any] = {"mode": mode, "machine": machine(), "parts": []}
    missing = []
    for part in parts:
        run["parts"].append(part.to_dict())
        text = json.dumps({**run, "parts": [part.to_dict()]}, indent=1)
        write(folder / f"{part.name}.json", text + "\n")
        try:
            drawn(part, folder)
        except ImportError as error:
            missing.append(f"no plot of {part.name}: {error}; pip install '.[bench]'")
    return run, missing


def table(run: dict[str, Any]) -> str:
    """Return the promises of a run in Markdown between their markers."""
    found = run["machine"]
    rows = [row for part in run["parts"] if part["part"] in PROMISED for row in part["rows"]]
    lines = [BEGIN.format(mode=run["mode"]), line(HEADINGS), "|---|---|---|---|"]
    for row in rows:
        number = "-" if row["number"] is None else f"{row['number']:.3g} {row['unit']}"
        lines.append(line((row["work"], number, f"{row['at_most']:g} {row['unit']}", row["verdict"])))
    place = f"{found['machine']}, Python {found['python']}, numpy {found['numpy']}, HiGHS {found['highspy']}"
    unit = "`x`: times the linear program over all 2^15 columns (HiGHS, about a second) or what the row names"
    lines += ["", f"{unit}; one thread, one run on {place}.", END]
    return "\n".join(lines)


def recorded(run: dict[str, Any]) -> None:
    """Keep what the table needs of the run, and put it into the site's page."""
    kept = {**run, "parts": [{**part, "data": {}} for part in run["parts"] if part["part"] in PROMISED]}
    write(RECORDED, json.dumps(kept, indent=1) + "\n")
    put(PAGE, table(kept))


def put(path: Path, made: str) -> None:
    """Replace the one block between the markers."""
    text, count = BLOCK.subn(lambda _: made, path.read_text(encoding="utf-8"))
    if count != 1:
        raise ValueError(f"{path} has {count} blocks between {BEGIN} and {END}, not 1; put the markers back.")
    write(path, text)


def line(cells: Iterable[str]) -> str:
    """Return a line of a table in Markdown."""
    return "| " + " | ".join(cells) + " |"
