"""Tables of counts of public data, as they are stored beside the figures; the README there says where they are from."""

from __future__ import annotations

import csv
from importlib.resources import files


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a table by column.

    Examples
    --------
    >>> rows("kosarak-first-36682-clicks")[0]
    {'clicks': '1', 'items': '6384'}
    """
    text = files("mechdesign.figures").joinpath("data", f"{name}.csv").read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))
