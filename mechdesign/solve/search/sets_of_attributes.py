"""Sets of inputs that depend on few of d binary attributes, and the best weights of them for a symmetric workload.

The inputs are the vectors x of d bits. The Gram matrix of a workload that keeps its value if bits are flipped or
permuted is diagonal in the characters ``chi_T(x) = (-1)^(sum of x_i, i in T)``, with an eigenvalue k_i for each degree
``i = |T|``. All images of a set S with the share rho of the inputs together have the information ``j_i = (E - 1)^2 2^d
W_i / (N_i (1 + (E - 1) rho)^2)`` at degree i, with ``N_i = C(d, i)`` and W_i the sum of the squared Fourier
coefficients of 1_S at degree i. So the sum of the variances is ``sum_i N_i k_i / j_i``, convex in the probabilities of
the sets.

References
----------
R. O'Donnell, Analysis of Boolean Functions, Cambridge University Press (2014), chapters 1 and 2.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late

#: Whether each input is in a set.
Members = npt.NDArray[np.bool_]
#: Attributes that a set depends on at most.
MOST_ATTRIBUTES = 4
#: Steps towards the best weights, the share of a gain that ends them, and the least weight that is kept.
STEPS, LEAST_GAIN, LEAST_WEIGHT = 20_000, 1e-10, 1e-6


@dataclass(frozen=True)
class Kinds:
    """Sets up to flips and permutations of the attributes that they depend on.

    Attributes
    ----------
    members : ndarray, shape (f, 2 ** 4)
        Whether each vector of four bits, the last one changing first, is in the set.
    share : ndarray, shape (f,)
        The share of the vectors in it.
    spectrum : ndarray, shape (f, 4)
        The sum of the squared Fourier coefficients at each degree from 1 on.
    """

    members: Members
    share: Array
    spectrum: Array

    def __getitem__(self, chosen: npt.NDArray[np.intp]) -> Kinds:
        return Kinds(self.members[chosen], self.share[chosen], self.spectrum[chosen])


def degrees(attributes: int) -> npt.NDArray[np.intp]:
    """Return the number of ones of each vector of bits, shape (2 ** attributes,).

    Examples
    --------
    >>> degrees(2).tolist()
    [0, 1, 1, 2]
    """
    counted = np.zeros(1, dtype=np.intp)
    for _ in range(attributes):
        counted = np.concatenate([counted, counted + 1])
    return counted


@lru_cache(maxsize=1)
def all_kinds() -> Kinds:
    """Return one set of each share and spectrum, the one that depends on the fewest attributes.

    Examples
    --------
    >>> kinds = all_kinds()
    >>> half = kinds.share == 0.5
    >>> round(float(kinds.spectrum[half, 0].max()), 3)
    0.25
    """
    size = 1 << MOST_ATTRIBUTES
    every = (np.arange(1 << size)[:, None] >> np.arange(size)) & 1 == 1
    every = every[every.any(axis=1) & ~every.all(axis=1)]
    at = np.arange(size)
    characters = 1.0 - 2.0 * (degrees(MOST_ATTRIBUTES)[at[:, None] & at] % 2)
    squares = (every.astype(float) @ characters / size) ** 2
    of_degree = (degrees(MOST_ATTRIBUTES)[:, None] == np.arange(1, MOST_ATTRIBUTES + 1)).astype(float)
    spectrum, share = squares @ of_degree, every.mean(axis=1)
    influential = sum((every[:, at] != every[:, at ^ (1 << bit)]).any(axis=1).astype(int) for bit in range(4))
    order = np.argsort(influential, kind="stable")
    kinds = np.column_stack([share, spectrum]).round(9)[order]
    chosen = order[np.unique(kinds, axis=0, return_index=True)[1]]
    return Kinds(every[chosen], share[chosen], spectrum[chosen])


def best_kinds(eigenvalues: Array, attributes: int, ratio: float) -> tuple[Kinds, Array]:
    """Return the kinds of sets of the least sum of variances, and their probabilities, while there is time.

    Parameters
    ----------
    eigenvalues : ndarray, shape (4,)
        The workload's, at the degrees from 1 on.
    attributes : int
        How many there are, at least 4.
    ratio : float
        E, above 1.
    """
    kinds, count = all_kinds(), np.array([math.comb(attributes, i) for i in range(1, MOST_ATTRIBUTES + 1)], dtype=float)
    asked = eigenvalues > 0.0
    loads = (count * eigenvalues)[asked]
    information = (kinds.spectrum / count)[:, asked] / (1.0 / (ratio - 1.0) + kinds.share[:, None]) ** 2
    found = np.full(len(information), 1.0 / len(information))
    last = math.inf
    for step in range(STEPS):
        reached = found @ information
        value = float((loads / reached).sum())
        # By powers of one half the sum of variances falls at each step.
        found = found * np.sqrt(information @ (loads / reached**2))
        found /= found.sum()
        if step % 100 == 99:
            if not value < last * (1.0 - LEAST_GAIN) or is_late():
                break
            last = value
    kept = np.flatnonzero(found > LEAST_WEIGHT)
    return kinds[kept], found[kept] / found[kept].sum()


def placed(members: Members, attributes: int) -> Members:
    """Return a set's images under flips and permutations of all attributes, shape (images, 2 ** attributes).

    Parameters
    ----------
    members : ndarray, shape (16,)
        Whether each vector of four bits is in the set.
    attributes : int
        At least as many as the set depends on.

    Examples
    --------
    >>> first = np.arange(16) >= 8
    >>> placed(first, 3).astype(int).tolist()[0]
    [0, 0, 0, 0, 1, 1, 1, 1]
    >>> len(placed(first, 3))
    6
    """
    used = [bit for bit in range(MOST_ATTRIBUTES) if np.any(members != members[np.arange(16) ^ (1 << bit)])]
    within = np.arange(1 << len(used))
    # A vector of the attributes that count, as one of four.
    whole = sum((((within >> k) & 1) << bit for k, bit in enumerate(used)), np.zeros_like(within))
    core = members[whole]
    images = {
        core[_moved(within, order) ^ flips].tobytes()
        for order in itertools.permutations(range(len(used)))
        for flips in range(len(within))
    }
    inside = np.arange(1 << attributes)
    rows = [
        np.frombuffer(image, dtype=bool)[_moved(inside, chosen)]
        for chosen in itertools.combinations(range(attributes - 1, -1, -1), len(used))
        for image in sorted(images)
    ]
    return np.array(rows)


def _moved(vectors: npt.NDArray[np.intp], places: tuple[int, ...]) -> npt.NDArray[np.intp]:
    """Return the vectors whose bit k is the given ones' bit ``places[k]``."""
    return sum((((vectors >> place) & 1) << k for k, place in enumerate(places)), np.zeros_like(vectors))
