"""Figure 4: the error of one bit when the prior is known, known to a range, and unknown."""

from __future__ import annotations

import numpy as np

from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import PaperFigure
from mechdesign.figures.jiang_bounded_prior.one_bit import Bits, best, named, printed
from mechdesign.figures.sentences import at, share_private
from mechdesign.parameters.checks import Array

KEY = "jiang_bounded_prior/fig4"
EPSILONS = np.array([0.5, 1.0, 2.0, 3.0, 4.0])
#: The paper averages over 5000.
DRAWS = 60
CASES = ("eps-LIP", "eps-BP-LIP, b - a = 0.1", "eps-BP-LIP, b - a = 0.5", "eps-WC-LIP")


def _range(true: Array, shares: Array, width: float) -> Bits:
    """Return ranges of a width that hold the true probability, each at a share of the way up to where it can begin."""
    low, high = np.maximum(0.0, true - width), np.minimum(true, 1.0 - width)
    lower = low + shares * (high - low)
    return Bits(true, lower, np.minimum(lower + width, 1.0), np.ones(len(true)))


def people() -> dict[str, Bits]:
    """Return the people of each case: the same true probabilities in all."""
    true, shares = np.random.default_rng(4).uniform(size=(2, DRAWS))
    one = np.ones(DRAWS)
    return {
        CASES[0]: Bits(true, true, true, one, exact=True),
        CASES[1]: _range(true, shares, 0.1),
        CASES[2]: _range(true, shares, 0.5),
        CASES[3]: Bits(true, 0.0 * one, one, one),
    }


def make() -> PaperFigure:
    """Return the curves of the four cases."""
    curves = []
    for name, bits in people().items():
        curves += [printed(name, EPSILONS, bits, f"best {name}"), *best(f"best {name}", EPSILONS, bits)]
    y = named(curves)
    order = np.array([y[f"best {name}"] for name in CASES])
    sorted_ = (np.diff(order, axis=0) >= -1e-12).all(axis=0)
    because = (
        f"The order LIP, narrow range, wide range, no prior holds at {sorted_.sum()} of {len(EPSILONS)} levels "
        f"between private mechanisms. At epsilon = 1 LIP is plotted at {at(curves, CASES[0], 1.0)}, the least private "
        f"error is {at(curves, f'best {CASES[0]}', 1.0)}; for b - a = 0.1 {at(curves, CASES[1], 1.0)} and "
        f"{at(curves, f'best {CASES[1]}', 1.0)}; without a prior {at(curves, CASES[3], 1.0)}. "
        f"{share_private(curves, CASES[0])} {share_private(curves, CASES[1])} {share_private(curves, CASES[2])}"
    )
    return PaperFigure(
        KEY,
        "Error of one bit whose prior is known, known to lie in a range, and unknown",
        ("epsilon, nats", "mean squared error"),
        tuple(curves),
        left(sorted_, curves),
        because,
        f"n = 2, prior P1 uniform in [0, 1], a uniform where [a, b] holds P1: {DRAWS} draws in place of 5000; the "
        "estimate assumes the middle of the range (Theorem 5), 1/2 without a prior; epsilon = 0.5 to 4",
        better="lower",
    )
