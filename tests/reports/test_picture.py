"""The picture of a mechanism: all probabilities are in it, nothing of it is cut, and it says in words what it is."""

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

import mechdesign as md
from mechdesign.reports import picture as drawn
from mechdesign.reports.picture import BAR, COLOURS, DARK, MOST_BARS, MOST_CELLS, WIDTH, picture
from tests.displays.test_displays import large
from tests.helpers.hostile import TEXTS, mechanism

PATH = r"(?:M\d+ \d+h1v1h-1z)+"


def tree(made):
    """Return a picture as XML, which its attributes and names have to be."""
    return ET.fromstring(str(picture(made)))


def uniform(n, m):
    """Return a mechanism with so many inputs and outputs, whose rows differ."""
    rows = np.zeros((n, m))
    for x in range(n):
        rows[x, x % m] += 0.5
        rows[x, (x + 1) % m] += 0.25
        rows[x, (2 * x + 2) % m] += 0.25
    return md.Mechanism(rows, [f"r{y}" for y in range(m)])


def check_bars(root, made):
    """The parts of a bar are as wide as their probabilities, in the order of the outputs, and none is missing."""
    bars = {}
    for each in root.iter("rect"):
        if float(each.get("height")) == BAR:
            bars.setdefault(float(each.get("y")), []).append(each)
    assert len(bars) == len(made.matrix), "a bar is missing"
    for row, parts in zip(made.matrix, bars.values(), strict=True):
        wide = [float(part.get("width")) / WIDTH for part in parts]
        assert np.allclose(wide, row[row > 0], atol=1e-4), f"a bar has {wide} for {row}"
        named = [part.find("title").text.rpartition(":")[0] for part in parts]
        assert named == [name for name, entry in zip(made.outputs, row, strict=True) if entry]


@pytest.mark.parametrize("size", [(2, 2), (3, 5), (MOST_BARS, MOST_BARS), (5, 1)])
def test_bars_show_all_probabilities(size):
    made = uniform(*size)
    root = tree(made)
    check_bars(root, made)
    svg = root.find("svg")
    assert svg.get("role") == "img" and svg.find("title").text and svg.find("desc").text
    assert {svg.find("title").get("id"), svg.find("desc").get("id")} == set(svg.get("aria-labelledby").split())
    words = [text.text for text in root.iter("text")]
    assert all(name in words for name in made.outputs) and all(made.inputs.named(x) in words for x in range(size[0]))


def test_planted_a_bar_of_another_width_is_caught(monkeypatch):
    made = uniform(3, 5)
    sound = drawn._part
    monkeypatch.setattr(drawn, "_part", lambda left, top, width, *rest: sound(left, top, width / 2, *rest))
    with pytest.raises(AssertionError, match="a bar has"):
        check_bars(tree(made), made)


def check_grid(root, made):
    """Every probability that is not zero has a cell, and no path is cut."""
    paths = [each.get("d") for each in root.iter("path")]
    assert all(re.fullmatch(PATH, path) for path in paths), "a path is cut"
    cells = {tuple(map(int, place)) for path in paths for place in re.findall(r"M(\d+) (\d+)h", path)}
    if max(made.matrix.shape) <= MOST_CELLS:
        assert cells == {(y, x) for x, y in np.argwhere(made.matrix > 0).tolist()}, "a cell is missing"
    return cells


@pytest.mark.parametrize("size", [(13, 4), (4, 13), (MOST_CELLS, MOST_CELLS)])
def test_a_grid_has_a_cell_for_each_probability(size):
    made = uniform(*size)
    check_grid(tree(made), made)


def test_neighbours_share_a_cell_where_there_are_many():
    made = large(600).mechanism
    markup = picture(made)
    assert max(max(cell) for cell in check_grid(tree(made), made)) < MOST_CELLS
    assert "neighbours share a cell" in markup and len(markup) < 50_000


def test_planted_a_path_that_is_cut_is_caught(monkeypatch):
    made = uniform(MOST_CELLS, MOST_CELLS)
    monkeypatch.setattr(drawn, "SHADES", 2)
    monkeypatch.setattr(drawn, "Html", str)
    made = large(600).mechanism
    with pytest.raises(AssertionError, match="a path is cut"):
        check_grid(tree(made), made)


@pytest.mark.parametrize("kind", [kind for kind in TEXTS if kind != "surrogate"])
def test_names_are_texts_and_no_markup(kind):
    root = tree(mechanism(TEXTS[kind]))
    assert {each.tag for each in root.iter()} <= {*("figure", "figcaption", "svg", "title", "desc", "rect", "text")}
    assert all(len(each.text) <= drawn.MOST_LETTERS for each in root.iter("text") if each.get("fill") is None)


def test_percentages_are_never_more_sure_than_they_are():
    said = [drawn._percent(entry) for entry in (1.0, 0.9999, 0.5, 0.001, 0.255)]
    assert said == ["100 %", ">99 %", "50 %", "<1 %", "26 %"]


def luminance(colour):
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.03928 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_names_on_a_bar_can_be_read():
    assert len(set(COLOURS)) == MOST_BARS
    for colour in COLOURS:
        one, other = sorted((luminance(colour), luminance("#ffffff" if colour in DARK else "#1b2733")))
        assert (other + 0.05) / (one + 0.05) >= 4.5, colour
