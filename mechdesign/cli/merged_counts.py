"""Rows of a table of counts: rows of one label are added up, and a count of 0 is refused with its line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from mechdesign.cli.printing import complain
from mechdesign.errors import DomainError
from mechdesign.parameters.checks import one_form


@dataclass(frozen=True)
class Counted:
    """A row of a table of counts: its line, its label and value where it has some, and its count."""

    line: int
    label: str | None
    count: float
    value: float | None


def cells_of(
    labels: list[str] | None, counts: list[float], values: list[float] | None
) -> Iterator[tuple[str | None, float, float | None]]:
    """Yield the label, the count and the value of each row; None where there is no such column."""
    missing = [None] * len(counts)
    return zip(labels or missing, counts, values or missing, strict=True)


def merged_rows(path: Path, rows: Sequence[Counted], value: str | None) -> list[Counted]:
    """Return one row for each label, with the sum of its counts; sums are reported on stderr."""
    found: dict[object, Counted] = {}
    added: list[tuple[Counted, int]] = []
    for row in rows:
        key = row.line if row.label is None else one_form(row.label)
        first = found.get(key)
        if first is None:
            found[key] = row
            continue
        if first.value != row.value:
            rule = f'line {first.line} has the label "{row.label}" with the value {first.value:g}'
            raise DomainError(
                f"{path.name} line {row.line}, {value}", f"{row.value:g}", rule, "rename one, or correct it"
            )
        added.append((row, first.line))
        found[key] = replace(first, count=first.count + row.count)
    if added:
        row, first_line = added[0]
        more = f", and {len(added) - 1} more rows" if len(added) > 1 else ""
        complain(
            f'{path.name}: lines {first_line} and {row.line} have the label "{row.label}"{more}: counts are added up.'
        )
    return list(found.values())


def refuse_zero(path: Path, column: str, rows: Sequence[Counted]) -> None:
    """Raise where a label has no count."""
    for row in rows:
        if row.count == 0:
            rule = "every symbol has to have a positive count"
            remedy = "drop the symbol's row, or add smoothing = 0.5 to [problem], which is added to every count"
            raise DomainError(f"{path.name} line {row.line}, {column}", "0", rule, remedy)
