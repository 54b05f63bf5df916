"""Figure 5: both approximations, the value under the strong chi-square criterion, and the optimum, against epsilon."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign.designing.entry import design
from mechdesign.figures.certified import OPTIMUM, best, bound
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Curve, PaperFigure
from mechdesign.figures.zamani.example_1 import LARGEST, SETTING, example, keeps_lip, scaled
from mechdesign.notions import LIP, StrongChiSquare
from mechdesign.objectives import MutualInformation
from mechdesign.parameters.checks import Array
from mechdesign.studies.frontier import frontier
from mechdesign.theorems.zamani.setting import Setting, second
from mechdesign.theorems.zamani.vertices import divergence
from mechdesign.theorems.zamani.worked_example import as_printed, rows

KEY = "zamani/fig5"

EPSILONS = np.linspace(0.0025, LARGEST, 20)

#: A value this near to the certified optimum, relative to it, is the optimum up to rounding.
NEAR = 1e-9
#: Weights, columns ``P_{Y|U=u}``, and the height of the curve.
Point = tuple[Array, Array, float]


def weights_of_second(epsilon: float) -> Array:
    """Return ``P_U`` of the second approach, ``lambda_2 / (lambda_1 + lambda_2)`` and the rest."""
    return np.asarray(np.array([1.0, np.exp(epsilon)]) / (1.0 + np.exp(epsilon)))


def information(made: Setting, weights: Array, posteriors: Array) -> float:
    """Return ``sum_u P_U(u) D(P_{Y|U=u} | P_Y)``, which is I(U; Y) where the mean of the columns is P_Y."""
    return float(weights @ divergence(posteriors.T, made.data_prior))


def lower(made: Setting) -> Point:
    """Return P1, (58), with the mechanism that is printed for it."""
    printed = as_printed(made)
    weights = np.array([1.0, 1.0 + made.epsilon]) / (2.0 + made.epsilon)
    return weights, printed.first_rows.T, printed.constant * made.epsilon**2 / (1.0 + made.epsilon)


def direct(made: Setting) -> Point:
    """Return P2, (60), with the mechanism of the factors lambda_1 and lambda_2, unrounded."""
    value = as_printed(made).constant * (2.0 * np.cosh(made.epsilon) - 2.0)
    return *scaled(made, second(made.epsilon)), float(value)


def chi_square(made: Setting) -> Point:
    """Return the value under the strong chi-square criterion, with the outputs L* and -L* that it is of."""
    directions = np.array([[1.0], [-1.0]]) * (np.sqrt(made.secret_prior) * made.L)
    return np.full(2, 0.5), made.moved(directions).T, as_printed(made).chi_square * made.epsilon**2


def digits(made: Setting) -> Point:
    """Return the second approach's mechanism in the printed digits, with ``1 - e^-epsilon`` in its second column."""
    up, down = float(np.expm1(made.epsilon)), -float(np.expm1(-made.epsilon))
    columns = rows(2.4169, up, down).T
    weights = weights_of_second(made.epsilon)
    return weights, columns, information(made, weights, columns)


def as_it_stands(made: Setting) -> Point:
    """Return the second approach's mechanism as it stands in the text, with ``1 - e^epsilon`` in its second column."""
    columns, weights = as_printed(made).second_rows.T, weights_of_second(made.epsilon)
    return weights, columns, information(made, weights, columns)


def _curve(name: str, of: Callable[[Setting], Point], beside: str = "") -> Curve:
    heights, flags = [], []
    for epsilon in EPSILONS.tolist():
        made = example(epsilon)
        weights, columns, height = of(made)
        heights.append(height)
        flags.append(keeps_lip(made, weights, columns))
    return Curve(name, "published", EPSILONS, np.array(heights), np.array(flags), beside)


def make() -> PaperFigure:
    """Return the curves, the printed mechanism in both readings of its sign, and the certified optimum."""
    found = frontier(example(LARGEST).problem(), LIP, MutualInformation(), EPSILONS.tolist())
    optimum = best(EPSILONS, found.designs)
    one, two = _curve("P1, (58)", lower, OPTIMUM), _curve("P2, (60)", direct, OPTIMUM)
    square = _curve("strong chi-square", chi_square)
    rounded, stands = (
        _curve("printed P_Y|U, 1 - e^-eps", digits, OPTIMUM),
        _curve("printed P_Y|U, 1 - e^eps", as_it_stands),
    )
    ordered = (two.y > one.y) & (square.y > optimum.y) & (abs(two.y - optimum.y) < abs(one.y - optimum.y))
    curves = (one, two, square, rounded, stands, optimum, bound(EPSILONS, found.designs))
    return PaperFigure(
        KEY,
        "The information of the two approaches about the data, against the optimum",
        ("epsilon (nats)", "information about the data (nats)"),
        curves,
        left(ordered, curves),
        f"The curves are in the paper's order at {int(ordered.sum())} of {len(ordered)} levels. "
        + _because(one, two, square, rounded, optimum),
        SETTING,
    )


def _because(one: Curve, two: Curve, square: Curve, rounded: Curve, optimum: Curve) -> str:
    off_one, off_two, above = (100.0 * (curve.y[-1] / optimum.y[-1] - 1.0) for curve in (one, two, square))
    made = example(LARGEST)
    reached = information(made, *scaled(made, second(LARGEST)))
    same = abs(reached / optimum.y[-1] - 1.0) < NEAR
    under_chi = design(made.problem(), StrongChiSquare(LARGEST), MutualInformation())
    level = "not private" if not rounded.private.any() else "private in part"
    return (
        f"At epsilon = {LARGEST} the optimum is {optimum.y[-1]:.6f}; P2 is {off_two:+.2f} % off, P1 {off_one:+.2f} %, "
        f"and the chi-square value lies {above:.1f} % above it. The second approach's own mechanism, with 29/12, "
        f"has {reached:.6f}: it is {'' if same else 'not '}the optimum. In the printed digits, 2.4169, it is "
        f"{level}, and with the sign that stands in the text it is no mechanism. The chi-square curve is itself an "
        "approximation: the optimum under that criterion is "
        f"{under_chi.value:.5f}, {100.0 * (under_chi.value / square.y[-1] - 1.0):.1f} % above it."
    )
