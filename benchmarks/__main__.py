"""Run with ``python -m benchmarks``: print what was promised and what was measured."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks.spine import measure


def main() -> int:
    """Print the report; 1 where a promise is not kept."""
    table = Table(title="mechdesign, ratios in one run")
    for heading in ("work", "measured", "at most", "", "note"):
        table.add_column(heading, overflow="fold")
    rows = measure()
    for row in rows:
        said = f"{row.number:.3g} {row.unit}", f"{row.at_most:g} {row.unit}"
        table.add_row(row.what, *said, "reached" if row.reached else "NOT REACHED", row.note)
    Console(width=140).print(table)
    return 0 if all(row.reached for row in rows) else 1


if __name__ == "__main__":
    raise SystemExit(main())
