"""What a picture has to show, read from its artists and computed anew: each raises AssertionError for a wrong one."""

import itertools
import math

import numpy as np
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.text import Text


def line(axes, label):
    """The coordinates of the one line of that label, shape (k, 2)."""
    found = [each for each in axes.lines if each.get_label() == label]
    assert len(found) == 1, f"one line is called {label}, not {len(found)}"
    return np.asarray(found[0].get_xydata(), dtype=float)


def names(axes, which):
    return [text.get_text() for text in (axes.get_yticklabels() if which == "y" else axes.get_xticklabels())]


def texts(figure):
    """All texts of a figure that are seen."""
    return [each for each in figure.findobj(lambda artist: isinstance(artist, Text)) if each.get_text()]


def shows_matrix(figure, matrix, inputs, outputs):
    """Row x is input x from above, column y output y from the left, and numbers stand where they belong."""
    axes = figure.axes[0]
    drawn = np.asarray(axes.images[0].get_array())
    assert drawn.shape == matrix.shape
    assert np.array_equal(drawn, matrix), "the image is the matrix, not its transpose"
    assert axes.get_ylim()[0] > axes.get_ylim()[1], "the first input is on top"
    assert (names(axes, "y"), names(axes, "x")) == (list(inputs), list(outputs))
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("input x", "output y")
    assert axes.images[0].get_clim() == (0.0, matrix.max()), "0 has one colour in every picture"
    for text in axes.texts:
        y, x = map(round, text.get_position())
        assert abs(float(text.get_text()) - matrix[x, y]) <= 0.0005


def shows_lifts(figure, matrix, prior, witness, limits):
    """A dot at ln(Q[x, y] / (prior Q)_y) for each x and y, a ring around the witness, and lines at the limits."""
    axes = figure.axes[0]
    lifts = np.log(matrix / (prior @ matrix))
    wanted = {(y, round(lifts[x, y], 9)) for x, y in np.ndindex(*matrix.shape)}
    assert {(int(y), round(number, 9)) for y, number in line(axes, "each secret")} == wanted
    x, y = witness
    assert np.allclose(line(axes, "witness of the level"), [[y, lifts[x, y]]], rtol=0, atol=1e-12), "the ring's place"
    assert math.isclose(abs(lifts[x, y]), np.abs(lifts).max(), rel_tol=1e-12), "the witness is where the level is"
    for limit, label in zip(limits, ("asked at least", "asked at most"), strict=True):
        assert np.allclose(line(axes, f"{label} {limit:.6g}")[:, 1], limit)


def shows_frontier(figure, levels, values, bounds, label):
    """The values in the order of the levels, and a band that reaches from each value to its bound."""
    axes = figure.axes[0]
    order = np.argsort(levels)
    drawn = line(axes, label)
    assert np.array_equal(drawn, np.column_stack([levels, values])[order])
    (band,) = [each for each in axes.collections if isinstance(each, PolyCollection)]
    corners = np.concatenate([path.vertices for path in band.get_paths()])
    for level, value, bound in zip(levels, values, bounds, strict=True):
        ends = corners[corners[:, 0] == level, 1]
        assert {ends.min(), ends.max()} == {min(value, bound), max(value, bound)}, "the band ends at the bound"


def shows_estimate(figure, frequencies, intervals, truth=None):
    """Each interval from its lower to its upper end, the estimate as a dot on the same line, and the truth beside."""
    axes = figure.axes[0]
    (bars,) = [each for each in axes.collections if isinstance(each, LineCollection)]
    segments = np.array(bars.get_segments())
    assert np.array_equal(segments[:, :, 0], intervals), "each interval starts at its lower end"
    assert (segments[:, 0, 0] <= segments[:, 1, 0]).all()
    down = np.arange(len(frequencies))
    assert np.array_equal(segments[:, :, 1], np.column_stack([down, down]))
    assert np.array_equal(line(axes, "estimate"), np.column_stack([frequencies, down]))
    if truth is not None:
        assert np.array_equal(line(axes, "truth"), np.column_stack([truth, down]))


def shows_prices(figure, price, touched):
    """A curve that is nowhere above 0, agrees with `price`, and touches 0 at the decisions that are made."""
    axes = figure.axes[0]
    curve, made = line(axes, "every decision"), line(axes, "decisions that are made")
    assert curve[:, 1].max() <= touched, "the curve is a proof: it is nowhere above 0"
    assert np.abs(made[:, 1]).max() <= touched, "it touches 0 where decisions are made"
    assert np.allclose(curve[:, 1], [price(t) for t in curve[:, 0]], rtol=1e-9, atol=1e-9)
    assert len(made) >= 2


def ldp_price(prior, values, epsilon, rows, rho):
    """The largest (g_t - rows) . v - rho over all two-valued columns v of mean 1: LDP's extreme rays, one by one."""
    mean = prior @ values
    members = np.array(list(itertools.product([False, True], repeat=len(prior))))
    rays = np.where(members, math.exp(epsilon), 1.0)
    rays /= rays.mean(axis=1, keepdims=True)

    def price(decision):
        t = decision - mean
        return float(np.max(rays @ (prior * (2 * t * (values - mean) - t * t) - rows))) - rho

    return price


def shows_region(figure, edge):
    """The edge of the region lies on `edge(x, y) = 0`, and the region is filled where it is positive."""
    axes = figure.axes[0]
    (filled,) = [each for each in axes.collections if each.get_label() == "holds"]
    (border,) = [
        each
        for each in axes.collections
        if each.get_label() not in {"holds", "claimed, but fails"} and len(each.get_paths()[0].vertices)
    ]
    corners = np.concatenate([path.vertices for path in border.get_paths()])
    assert len(corners) > 20
    assert max(abs(edge(x, y)) for x, y in corners) <= 0.01
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    for x, y in itertools.product(np.linspace(left, right, 13)[1:-1], np.linspace(low, high, 13)[1:-1]):
        inside = any(path.contains_point((x, y)) for path in filled.get_paths())
        assert abs(edge(x, y)) < 0.02 or inside == (edge(x, y) > 0), f"at {x:.3g}, {y:.3g}"
