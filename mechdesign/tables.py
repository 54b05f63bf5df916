"""Results that are rows; rows of plain values as pandas, polars and CSV, libraries being loaded when asked for."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from mechdesign.errors import UnsupportedError

Rows = Sequence[Mapping[str, Any]]
Row = TypeVar("Row")


class OfRows(Sequence[Row]):
    """A result that is a sequence of its `rows`; a subclass is a dataclass that holds them."""

    rows: tuple[Row, ...]

    def __getitem__(self, index: int) -> Row:  # type: ignore[override] # slices are not offered
        return self.rows[index]

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)


def as_pandas(rows: Rows, columns: Sequence[str]) -> Any:
    """Return a pandas DataFrame with those columns in that order."""
    return _library("pandas").DataFrame(list(rows), columns=list(columns))


def as_polars(rows: Rows, columns: Sequence[str]) -> Any:
    """Return a polars DataFrame with those columns in that order."""
    data = {name: [row[name] for row in rows] for name in columns}
    return _library("polars").DataFrame(data, strict=False)


def save_csv(rows: Rows, columns: Sequence[str], path: str | Path) -> Path:
    """Write the rows with a header, floats so that they read back to the last bit, and return the path."""
    target = Path(path)
    with target.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(columns))
        writer.writeheader()
        writer.writerows(rows)
    return target


def _library(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise UnsupportedError(f"{name} is not installed: pip install 'mechdesign[tables]', or save as CSV.") from None
