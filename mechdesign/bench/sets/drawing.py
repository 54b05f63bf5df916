"""Priors, values and places that are the same in every version of Python and numpy."""

from __future__ import annotations

import math
from random import Random

import numpy as np

from mechdesign.parameters.checks import Array

#: Decimals that are kept: what a library's logarithm rounds otherwise does not reach them.
DECIMALS = 6


def skewed_prior(n: int, seed: int, least: float = 1e-4) -> Array:
    """Return a prior drawn uniformly from all, each probability raised by `least`."""
    draw = Random(seed)  # noqa: S311 - the same everywhere, no secret
    sizes = np.round([-math.log(1.0 - draw.random()) / n + least for _ in range(n)], DECIMALS)
    return np.asarray(sizes / sizes.sum())


def zipf_prior(n: int, power: float = 1.0) -> Array:
    """Return a prior in proportion to ``1 / rank^power``."""
    sizes = np.round(1.0 / np.arange(1, n + 1) ** power, DECIMALS + 3)
    return np.asarray(sizes / sizes.sum())


def values_of(n: int, seed: int) -> Array:
    """Return n values between 0 and 10 in growing order, to three decimals, all different."""
    draw = Random(seed)  # noqa: S311 - the same everywhere, no secret
    found = sorted(draw.sample(range(10_000), n))
    return np.array(found) / 1000.0


def places_on_grid(side: int) -> Array:
    """Return the places of a square grid of `side` times `side` cells, shape (side^2, 2)."""
    steps = np.arange(side, dtype=float)
    return np.stack(np.meshgrid(steps, steps, indexing="ij"), axis=-1).reshape(-1, 2)


def random_places(n: int, seed: int) -> Array:
    """Return n places in a square with sides of 10, to three decimals."""
    draw = Random(seed)  # noqa: S311 - the same everywhere, no secret
    return np.round([[10.0 * draw.random(), 10.0 * draw.random()] for _ in range(n)], 3)


def distances_between(places: Array) -> Array:
    """Return the Euclidean distances between places, shape (n, n)."""
    return np.asarray(np.hypot(*(places[:, None] - places).transpose(2, 0, 1)))
