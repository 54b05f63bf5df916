"""The table of figures, in Markdown: what each shows, whether the published mechanism is private, and what follows."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path

from mechdesign.figures import PaperFigure, keys, recomputed

#: A smaller difference is one of rounding, which differs between machines.
ROUNDING = 1e-9
HEAD = """# Notebooks

Every figure and table of the five papers that has numbers, recomputed with mechanisms that are private. The table is
written by `python -m mechdesign.figures notebooks/README.md`; "difference" is the largest one between a published curve
and the feasible one beside it, relative to the latter. A conclusion is kept where it holds between private mechanisms
at every point and what is published is private or within 1 % of the best, reversed where it holds at none, weakened
otherwise. Beside the papers there are [a survey](survey.ipynb), from a column of answers to an estimate; [your own
theorem](your_theorem.ipynb), and a misprint followed to its counterexample; [which solver](which_solver.ipynb), and
what each violates; [LDP or LIP](ldp_or_lip.ipynb), what knowing the prior buys; [the privacy
funnel](privacy_funnel.ipynb), how much local methods miss; and [locations](locations.ipynb), the best report of where
one is, beside those in use.

    python -m pip install '.[notebooks]' && jupyter lab notebooks
    python -m pytest --nbmake notebooks

| figure | what it shows | published mechanism private | difference | conclusion | because | notebook |
|---|---|---|---|---|---|---|
"""


def page(only: Sequence[str] | None = None, notebooks: Path | None = None) -> str:
    """Return the page with a row for each figure, or for each one in `only`, and the cell of its notebook."""
    wanted = keys() if only is None else only
    return HEAD + "\n".join(row(recomputed(key), cell_of(key, notebooks)) for key in wanted) + "\n"


def cell_of(key: str, notebooks: Path | None) -> int | None:
    """Return the place of the cell, from 1, that shows the figure in its paper's notebook; None where none does."""
    path = None if notebooks is None else notebooks / f"{key.partition('/')[0]}.ipynb"
    if path is None or not path.exists():
        return None
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    return next((place for place, cell in enumerate(cells, 1) if f'"{key}"' in "".join(cell["source"])), None)


def row(figure: PaperFigure, cell: int | None = None) -> str:
    """Return the figure's line of the table."""
    paper = figure.key.partition("/")[0]
    difference = "-" if math.isnan(figure.difference) else f"{100.0 * figure.difference:.3g} %"
    if figure.difference < ROUNDING:
        difference = "0 %"
    cells = (
        figure.key,
        figure.shows,
        figure.published_is_private,
        difference,
        figure.conclusion,
        figure.because,
        f"[{paper}]({paper}.ipynb)" + ("" if cell is None else f", cell {cell}"),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
