"""What a sum of sublinear terms is, and how the security measure adds up over two releases."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Holds
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Choice, Real, Vector


def homogeneous(point: Point, at: Array) -> Any:
    """Return the larger of two linear functions plus a multiple of the smaller of two others: homogeneous."""
    slopes = point.slopes
    larger = max(slopes[0] * at[0] + slopes[1] * at[1], slopes[2] * at[0] + slopes[3] * at[1])
    smaller = min(slopes[4] * at[0] + slopes[5] * at[1], slopes[6] * at[0] + slopes[7] * at[1])
    return larger + point.bend * smaller


def excess_of_mixture(point: Point) -> Array:
    """Return ``psi((1-t) x) + psi(t y) - psi((1-t) x + t y)``: by how much psi is below its sum."""
    x, y = (1 - point.t) * point.x, point.t * point.y
    apart = homogeneous(point, x) + homogeneous(point, y) - homogeneous(point, x + y)
    return np.array([apart], dtype=object)


def is_convexity(point: Point, given: Array) -> Iterator[Check]:
    """Compare with the excess of the mean of the values over the value of the mean."""
    t, mixture = point.t, (1 - point.t) * point.x + point.t * point.y
    mean = (1 - t) * homogeneous(point, point.x) + t * homogeneous(point, point.y)
    yield Equal(given, np.array([mean - homogeneous(point, mixture)], dtype=object), "it is the excess of convexity")
    if point.bend <= 0:
        yield Holds(bool(given[0] >= 0), "a sum of maxima is sublinear")
    yield Holds(homogeneous(point, 0 * point.x) == 0, "it is 0 at 0")


D1 = Theorem(
    key="yoshida/D1",
    place="Definition 1, and the remark after it",
    kind="definition",
    words=(
        "Among positively homogeneous functions the sublinear ones, psi(x + y) <= psi(x) + psi(y), are the convex ones."
    ),
    latex=r"\psi((1-t) x) + \psi(t y) - \psi((1-t) x + t y) = (1-t) \psi(x) + t \psi(y) - \psi((1-t) x + t y)",
    family=Family(
        {
            "t": Real(0.05, 0.95),
            "bend": Real(-2.0, 2.0),
            "slopes": Vector(8, -2.0, 2.0),
            "x": Vector(2, 0.0, 3.0),
            "y": Vector(2, 0.0, 3.0),
        },
        exact=True,
    ),
    printed=excess_of_mixture,
    test=is_convexity,
)


def distance(first: Array, second: Array) -> Any:
    """Return the total variation between two distributions."""
    return sum(abs(p - q) for p, q in zip(first, second, strict=True)) / 2


def releases(point: Point) -> tuple[Array, list[Array]]:
    """Return the first release's two distributions, and the second's for each output of the first.

    Two erasures with probabilities 1 - d, 1 - d', or two random ones, each mixed with a constant one.
    """
    d, e = point.d, point.e
    if point.form == "erasures":
        return _blank(d), [_blank(e)] * 3
    second = [_dulled(pair, e) for pair in (point.second, point.second[::-1], point.third)]
    return _dulled(point.first, d), second


def _blank(share: Any) -> Array:
    return np.array([[share, 0, 1 - share], [0, share, 1 - share]], dtype=object)


def _dulled(pair: Array, share: Any) -> Array:
    return np.asarray(share * pair + (1 - share) * pair.sum(axis=0) / 2)


def sum_of_measures(point: Point) -> Array:
    """Return the sum of the measures of both releases, the second's the largest over the outputs of the first."""
    first, second = releases(point)
    return np.array([distance(*first) + max(distance(*pair) for pair in second)], dtype=object)


def adds_up(point: Point, given: Array) -> Iterator[Check]:
    """Compare with the measure of both outputs together."""
    first, second = releases(point)
    joint = [np.concatenate([first[x][y] * second[y][x] for y in range(3)]) for x in (0, 1)]
    together = np.array([distance(*joint)], dtype=object)
    yield AtMost(together, given, "both together have at most the sum")
    if point.form == "erasures":
        # All but the product: it is lost where both releases betray the secret.
        yield Equal(together + point.d * point.e, given, "two erasures have nearly the sum")


UC = Theorem(
    key="yoshida/UC",
    place="Section I, universal composability",
    kind="upper bound",
    words=(
        "Two releases about the same secret with measures delta and delta' have together at most delta + delta', also "
        "where the second depends on what the first released. (A chain rule of total variation; that protocols compose "
        "says more.)"
    ),
    latex=r"\delta + \delta'",
    family=Family(
        {
            "form": Choice(("drawn", "erasures")),
            "d": Real(0.002, 0.9),
            "e": Real(0.002, 0.9),
            "first": Channel(2, 3),
            "second": Channel(2, 3),
            "third": Channel(2, 3),
        },
        exact=True,
    ),
    printed=sum_of_measures,
    test=adds_up,
)
