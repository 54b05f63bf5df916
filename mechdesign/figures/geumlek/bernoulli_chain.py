"""Bernoulli-Chain-n: the probability of an output 1 for each profile, under the baseline and the smooth mechanism."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mechdesign.designing.entry import design
from mechdesign.figures.certified import best, bound
from mechdesign.figures.conclusions import left
from mechdesign.figures.figure import Curve, PaperFigure
from mechdesign.figures.privacy import private
from mechdesign.notions import ProfileDP
from mechdesign.objectives import MaxOffDiagonal
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.theorems.geumlek.programs import bernoulli, chain, flipping, least, smooth_flips

EPSILONS = np.array([0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 4.0, 5.0])
#: The epsilon at which the paper draws a vertical line.
MARKED = 0.2
#: Up to so many profiles all are drawn; of more, every second one.
SEVERAL = 11
LEAST_FLIP = "least largest flip (certified)"
Flips = Callable[[int, float], Array]


def ones(n: int) -> Array:
    """Return the profiles' probabilities of a one, evenly from 0 to 1."""
    return np.arange(n) / (n - 1.0)


def baseline_flips(n: int, epsilon: float) -> Array:
    """Return the flips of randomised response, ``1/(1 + e^epsilon)`` for each profile."""
    return np.full(n, 1.0 / (1.0 + np.exp(epsilon)))


def method_flips(n: int, epsilon: float) -> Array:
    """Return the flips of the Smooth One Bit mechanism: an optimum of program (5)."""
    return smooth_flips(ones(n), chain(n), epsilon)


def shares(n: int, flips: Array) -> Array:
    """Return for each profile the probability of an output 1."""
    return np.asarray(ones(n) + (1.0 - 2.0 * ones(n)) * flips)


def notion(n: int, epsilon: float) -> ProfileDP:
    """Return profile-based privacy of the chain."""
    return ProfileDP(epsilon, bernoulli(ones(n)), chain(n))


def is_private(n: int, epsilon: float, flips: Array) -> bool:
    """Return whether flips with these probabilities keep profile-based privacy."""
    asked = notion(n, epsilon)
    return private(flipping(flips), asked, asked.inputs(Problem(n=2)))


def widest(n: int, epsilon: float) -> float:
    """Return the largest spread of outputs of any private mechanism: the spread of the best q, edge by edge.

    With the profile seen, reports may have any distribution; those of neighbours are within ``e^epsilon``.
    """
    low, rows, limits = float(np.exp(-epsilon)), [], []
    for edge in chain(n):
        for i, j in (edge, edge[::-1]):
            row = low * np.eye(n)[i] - np.eye(n)[j]
            rows += [row, -row]
            limits += [0.0, 1.0 - low]
    cost = np.eye(n)[0] - np.eye(n)[-1]
    at_most_one = [*rows, *np.eye(n)]
    return -float(cost @ least(cost, np.array(at_most_one), np.array([*limits, *np.ones(n)])))


def spread(n: int, epsilon: float, flips: Flips) -> float:
    """Return the largest less the least probability of an output 1."""
    return float(np.ptp(shares(n, flips(n, epsilon))))


def chain_figure(key: str, n: int, flips: Flips, method: str) -> PaperFigure:
    """Return the curves of n profiles, the certified least flip, and the widest spread that is possible."""
    levels = EPSILONS.tolist()
    made = [flips(n, e) for e in levels]
    flags = np.array([is_private(n, e, of) for e, of in zip(levels, made, strict=True)])
    heights = np.array([shares(n, of) for of in made])
    profiles = tuple(
        Curve(f"p = {i}/{n - 1}", "published", EPSILONS, heights[:, i], flags, "" if i else LEAST_FLIP)
        for i in range(0, n, 1 if n <= SEVERAL else 2)
    )
    designs = [design(Problem(n=2), notion(n, e), MaxOffDiagonal()) for e in levels]
    reach = np.array([widest(n, e) for e in levels])
    sure = np.ones(len(levels), dtype=bool)
    further = (
        best(EPSILONS, designs, LEAST_FLIP),
        bound(EPSILONS, designs, "bound on the largest flip", LEAST_FLIP),
        Curve("widest spread, p = 0", "bound", EPSILONS, (1.0 - reach) / 2.0, sure),
        Curve("widest spread, p = 1", "bound", EPSILONS, (1.0 + reach) / 2.0, sure),
    )
    local = np.array([spread(n, e, baseline_flips) for e in levels])
    ours = np.array([spread(n, e, method_flips) for e in levels])
    grows = np.diff(np.ptp(heights, axis=1), prepend=0.0) > 0.0
    curves = (*profiles, *further)
    return PaperFigure(
        key,
        f"The probability of an output 1 for each of {n} profiles: {method}",
        ("epsilon (nats)", "probability of an output 1"),
        curves,
        left(grows & (ours > local), curves),
        _because(n, made, designs[levels.index(MARKED)].value, int((ours > local).sum())),
        f"n = 2 values, no prior; Bernoulli-Chain-{n}: profiles p = 0, 1/{n - 1}, ..., 1"
        + (", every second one drawn" if n > SEVERAL else ""),
    )


def _because(n: int, made: list[Array], optimum: float, wider: int) -> str:
    of_local, of_smooth = spread(n, MARKED, baseline_flips), spread(n, MARKED, method_flips)
    flip = float(made[EPSILONS.tolist().index(MARKED)].max())
    return (
        f"At epsilon = {MARKED} the outputs of randomised response spread over {of_local:.4f}, those of the smooth "
        f"mechanism over {of_smooth:.4f}, and no private mechanism's over more than {widest(n, MARKED):.4f}. The "
        f"largest flip is {flip:.4f} here, and {optimum:.4f} suffices. The smooth mechanism spreads them more than "
        f"randomised response at {wider} of {len(EPSILONS)} levels."
    )
