"""Notebooks are stripped, short, and name their paper; `.ci/full` executes them."""

import json
import re
from pathlib import Path

import pytest

from mechdesign.figures import keys, recomputed
from mechdesign.figures.table import cell_of, page
from mechdesign.literature import cited, works

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
PAPERS = [path for path in NOTEBOOKS if path.stem in works()]
MOST_CELLS = 25
NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def read(path):
    return json.loads(path.read_text(encoding="utf-8"))


def text(cell):
    return "".join(cell["source"])


def wrong(notebook):
    """Return what is wrong with a notebook, in words."""
    found = []
    if (notebook["nbformat"], notebook["nbformat_minor"]) != (4, 5):
        found.append("format")
    if notebook["metadata"].get("kernelspec", {}).get("name") != "python3":
        found.append("kernel")
    if len(notebook["cells"]) > MOST_CELLS:
        found.append("cells")
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    if any(cell["outputs"] or cell["execution_count"] is not None for cell in code):
        found.append("outputs")
    if notebook["cells"][0]["cell_type"] != "markdown" or "you will learn" not in text(notebook["cells"][0]).lower():
        found.append("opening")
    if "pip install" not in text(code[0]) or "matplotlib" not in text(code[0]):
        found.append("first code cell")
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_stripped_and_short(path):
    assert not wrong(read(path))


def test_planted_defects_of_notebooks_are_caught():
    for word, plant in {
        "outputs": lambda made: made["cells"][1].update(outputs=[{"output_type": "stream"}]),
        "cells": lambda made: made.update(cells=made["cells"] * 3),
        "kernel": lambda made: made["metadata"].update(kernelspec={"name": "mine"}),
        "opening": lambda made: made["cells"][0].update(source="# Title"),
        "first code cell": lambda made: made["cells"][1].update(source="import mechdesign"),
        "format": lambda made: made.update(nbformat_minor=2),
    }.items():
        made = read(NOTEBOOKS[0])
        plant(made)
        assert wrong(made) == [word]


def test_there_are_notebooks_of_papers():
    assert {"jiang_lip", "jiang_bounded_prior"} <= {path.stem for path in PAPERS}


@pytest.mark.parametrize("path", PAPERS, ids=lambda path: path.stem)
def test_a_notebook_names_its_paper_and_shows_its_figures(path):
    whole = "\n".join(text(cell) for cell in read(path)["cells"])
    # In words, or printed by the first code.
    assert str(cited(path.stem)) in whole or f'print(cited("{path.stem}"))' in whole
    shown = [key for key in keys() if key.startswith(f"{path.stem}/") and f'"{key}"' in whole]
    left_out = {key for key in keys() if key.startswith(f"{path.stem}/")} - set(shown)
    assert all(recomputed(key).conclusion == "cannot be recomputed" for key in left_out), left_out


def test_the_cell_of_a_figure_is_found_in_its_notebook():
    folder = ROOT / "notebooks"
    cell = cell_of("jiang_lip/fig5", folder)
    assert '"jiang_lip/fig5"' in text(read(folder / "jiang_lip.ipynb")["cells"][cell - 1])
    assert cell_of("jiang_lip/fig999", folder) is None and cell_of("nobody/fig1", folder) is None


@pytest.mark.slow
def test_the_table_of_figures_is_what_the_command_writes():
    folder = ROOT / "notebooks"
    stored, made = (folder / "README.md").read_text(encoding="utf-8"), page(notebooks=folder)
    assert NUMBER.sub("#", stored) == NUMBER.sub("#", made)
    # Solvers of other versions end in other last digits.
    pairs = zip(NUMBER.findall(stored), NUMBER.findall(made), strict=True)
    assert all(float(one) == pytest.approx(float(other), rel=5e-3) for one, other in pairs)
