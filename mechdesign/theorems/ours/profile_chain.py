"""The optimum of profile-based privacy for the three profiles of Table 1 of Geumlek and Chaudhuri, a chain."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Equal, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.categories import TABLE, in_the_chain
from mechdesign.theorems.variables import Real


def chain_optimum(point: Point) -> tuple[Array, float]:
    """Return the profiles and the optimum."""
    # Category 3 decides: its excess over one edge, and over the two of the chain.
    grown = np.exp(point.epsilon)
    over_one = (0.3 - 0.1 * grown) / (0.9 * (1.0 + grown))
    over_two = (0.4 - 0.1 * grown**2) / (1.2 + 0.9 * grown**2)
    return TABLE, float(max(0.0, over_one, over_two))


CHAIN = Theorem(
    key="ours/profile-chain",
    place="a chain of three profiles",
    origin="what the numbers of Table 1 of Geumlek, Chaudhuri 2019 come to; not published, as far as we know",
    kind="exact optimum",
    words=(
        "For the chain of the profiles (.2, .3, .4, .1), (.3, .3, .3, .1), (.4, .4, .1, .1) the least largest "
        "off-diagonal entry is the largest of 0 and two fractions, of category 3 over one edge and over both."
    ),
    latex=(
        r"\max\left(0, \frac{0.3 - 0.1 e^{\epsilon}}{0.9(1 + e^{\epsilon})}, "
        r"\frac{0.4 - 0.1 e^{2\epsilon}}{1.2 + 0.9 e^{2\epsilon}}\right)"
    ),
    family=Family({"epsilon": Real(0.05, 1.5)}),
    printed=chain_optimum,
    test=lambda point, given: [
        Equal(given[0].sum(axis=1), np.ones(3), "the rows' sums"),
        Equal(given[1], Optimum(in_the_chain(point, given[0])), "the least largest off-diagonal entry", scale=0.1),
    ],
)
