"""Section V-D: one order more of the information."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.objectives import MutualInformation
from mechdesign.parameters.checks import Array
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Check, Equal, Remainder
from mechdesign.theorems.family import Family
from mechdesign.theorems.variables import Seed
from mechdesign.theorems.zamani.families import DATA
from mechdesign.theorems.zamani.local_approximation import Outputs, curvature, outputs
from mechdesign.theorems.zamani.vertices import divergence

#: Below it no probability of the data changes by more than a fiftieth.
START = 0.02


def images(asked: Outputs) -> Array:
    """Return ``W L_u`` as rows."""
    return np.asarray(asked.directions / np.sqrt(asked.made.secret_prior) @ asked.made.W.T)


def with_norm(asked: Outputs) -> tuple[float, float]:
    """Return the coefficients of epsilon^2 and ``-epsilon^3``, the second ``sum_u P_U |W L_u|_3^2 / 6``."""
    norms = np.cbrt((np.abs(images(asked)) ** 3).sum(axis=1))
    return curvature(asked), float(asked.weights @ norms**2) / 6.0


def with_cubes(asked: Outputs) -> tuple[float, float]:
    """Return the coefficients of epsilon^2 and ``-epsilon^3``, the latter from cubes instead of the squared norm.

    It is ``sum_u P_U(u) sum_y (W L_u)_y^3 / (6 sqrt(P_Y(y)))``.
    """
    cubes = (images(asked) ** 3 / np.sqrt(asked.made.data_prior)).sum(axis=1)
    return curvature(asked), float(asked.weights @ cubes) / 6.0


def follows_to_the_fourth(asked: Outputs, given: tuple[float, float]) -> Iterator[Check]:
    """Check that the information differs from the two terms by the fourth order."""
    made, weights, directions = asked

    def information(step: float) -> float:
        return float(weights @ divergence(made.at(step).moved(directions), made.data_prior))

    def sides(step: float) -> tuple[float, float]:
        return information(step), given[0] * step**2 - given[1] * step**3

    matrix = made.mechanism(weights, made.at(START).moved(directions).T)
    yield Equal(MutualInformation().value(matrix, made.problem()), information(START), "I(U; Y)")
    yield Remainder(sides, 4.0, START, "I(U; Y) and its approximation of third order")


VD = Theorem(
    key="zamani/VD",
    place="Section V-D, third-order approximation",
    kind="identity",
    words=(
        "I(U; Y) is the mean over outputs of epsilon^2/2 |W L_u|^2 - epsilon^3/6 |W L_u|_3^2, with the l3-norm, up to "
        "a remainder o(epsilon^3)."
    ),
    latex=(
        r"I(U;Y) = \sum_u P_U \left(\frac{1}{2} \epsilon^2 \|W L_u\|^2 - \frac{1}{6} \epsilon^3 \|W L_u\|_3^2\right) "
        r"+ o(\epsilon^3)"
    ),
    family=Family({**DATA, "seed": Seed()}, subject=outputs),
    printed=with_norm,
    test=follows_to_the_fourth,
    corrected=with_cubes,
    correction=(
        "the sum over y of (W L_u)_y^3 / sqrt(P_Y(y)), signs kept, in the place of |W L_u|_3^2; the two lines before "
        "it print other factors"
    ),
)
