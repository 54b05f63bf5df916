"""Draw the layers of the package and the way of a question through them, from `pyproject.toml` and a traced design."""

from __future__ import annotations

import importlib
import io
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from matplotlib import rc_context
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

import mechdesign as md

PYPROJECT = Path(__file__).parents[2] / "pyproject.toml"
#: What every step uses: left out of the way of a question.
EVERYWHERE = {"displays", "errors", "exact", "files", "literature", "parameters", "runtime", "tolerances", "version"}

#: What the traced design is asked for.
ASKED = (md.LIP(1.0), md.MMSE())


@dataclass(frozen=True)
class Layers:
    """The layers inside one package, from the top: those of a row may not import each other, nor those above."""

    package: str
    rows: tuple[tuple[str, ...], ...]


def layers() -> list[Layers]:
    """Return the layers of each contract, as `lint-imports` holds them."""
    contracts = tomllib.loads(PYPROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]
    return [
        Layers(contract["containers"][0], tuple(tuple(_names(row)) for row in contract["layers"]))
        for contract in contracts
    ]


def _names(row: str) -> Iterator[str]:
    for name in row.split("|"):
        yield name.strip().strip("()")


def about(module: str) -> str:
    """Return the first sentence of a module's docstring."""
    return (importlib.import_module(module).__doc__ or "").split("\n\n")[0].replace("\n", " ")


def way() -> list[str]:
    """Return the modules that one design passes, in the order in which each is first called."""
    question = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=range(4)), *ASKED

    def ask() -> None:
        md.design(*question)

    # Once before, so that the modules are loaded.
    ask()
    passed: dict[str, None] = {}

    def note(frame: FrameType, event: str, argument: object) -> None:
        name = str(frame.f_globals.get("__name__", ""))
        if event == "call" and name.startswith("mechdesign.") and name.split(".")[1] not in EVERYWHERE:
            passed.setdefault(name)

    sys.setprofile(note)
    try:
        ask()
    finally:
        sys.setprofile(None)
    return list(passed)


def picture(drawn: Layers, passed: list[str]) -> str:
    """Return the layers as an SVG: a box for each room, numbered by the step at which a question first enters it."""
    inside = [name.removeprefix(f"{drawn.package}.").split(".")[0] for name in passed if name.startswith(drawn.package)]
    steps = {name: place + 1 for place, name in enumerate(dict.fromkeys(inside))}
    figure = Figure(figsize=(7.5, 0.42 * len(drawn.rows)))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0, 1), ylim=(-len(drawn.rows), 0))
    axes.axis("off")
    for depth, row in enumerate(drawn.rows):
        width = 1.0 / len(row)
        for place, name in enumerate(row):
            corner, size = (place * width + 0.01, -depth - 0.9), (width - 0.02, 0.8)
            face = "#dbe9f6" if name in steps else "#f4f4f4"
            axes.add_patch(
                FancyBboxPatch(corner, *size, "round,pad=0,rounding_size=0.01", fc=face, ec="#5b6b7a", lw=0.8)
            )
            label = f"{name}   {steps[name]}" if name in steps else name
            axes.text(corner[0] + size[0] / 2, -depth - 0.5, label, ha="center", va="center", fontsize=9)
    held = io.StringIO()
    with rc_context({"svg.hashsalt": "mechdesign", "svg.fonttype": "none"}):
        FigureCanvasSVG(figure).print_svg(held, metadata={"Date": None})
    return held.getvalue()


def page(folder: Path) -> dict[Path, str]:
    """Return the page and its pictures by path."""
    passed, drawn = way(), layers()
    lines = [
        "# Architecture",
        "",
        "A folder is a piece of the mathematics, and imports go one way: a room may import those in the rows below it.",
        "This page is drawn from the layers in `pyproject.toml`, which `lint-imports` checks, and from one design that",
        "is traced while the site is built. Numbers, on blue, say in which order a question first enters the rooms.",
    ]
    files: dict[Path, str] = {}
    for each in drawn:
        name = f"architecture-{each.package.replace('.', '-')}.svg"
        files[folder / name] = picture(each, passed)
        lines += ["", f"## Rooms of `{each.package}`", "", f"![Layers of {each.package}, from the top]({name})", ""]
        lines += ["| room | holds |", "|---|---|"]
        lines += [f"| `{room}` | {about(f'{each.package}.{room}')} |" for row in each.rows for room in row]
    lines += ["", "## The way of a question", ""]
    lines += [f"What `md.design` passes for {ASKED[1]} under {ASKED[0]}, in the order of first calls:", ""]
    lines += [f"1. `{name}`: {about(name)}" for name in passed]
    return {**files, folder / "architecture.md": "\n".join(lines) + "\n"}
