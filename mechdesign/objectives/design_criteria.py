"""Criteria of information design: what is minimised of the covariance W C W' of the estimated queries, from a report.

A criterion is a function of the rows W, the covariance C and nothing else. Its bound is linear in the information: for
any positive definite B and any M with ``trace(B M) <= most``, it is at least ``least(R, L) / most``, with R the rows on
contrasts (``R' R = U' W' W U``) and ``B = L L'``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np

from mechdesign.parameters.checks import Array

#: Steps towards the weights of the queries in the bound of the worst one, and the share of a gain that ends them.
STEPS, LEAST_GAIN = 600, 1e-10
#: Products of entries of all steps at most: many queries have fewer steps.
MOST_PRODUCTS = 4e9


@dataclass(frozen=True)
class Criterion:
    """What it is called of all frequencies and of queries, what it takes, its value, and its least value."""

    of_frequencies: str
    of_queries: str
    #: Which of "weights", "direction" and "queries" it takes.
    takes: tuple[str, ...]
    #: From S with ``S S' = W C W'``, shape (p, n); None for "D", which no queries have.
    of_spread: Callable[[Array], float] | None
    #: From R, shape (p, n - 1), L, shape (n - 1, n - 1), and the limit of ``trace(B M)``.
    least: Callable[[Array, Array, float], float]
    #: The same of all frequencies and ``B = I``, from n - 1 and the limit.
    least_alike: Callable[[int, float], float]


def _of_sum(rows: Array, root: Array, most: float) -> float:
    """Return ``trace((K^1/2 B K^1/2)^1/2)^2 / most``, K = R' R, by Cauchy and Schwarz's inequality."""
    return float(np.linalg.svd(rows @ root, compute_uv=False).sum()) ** 2 / most


def _of_volume(rows: Array, root: Array, most: float) -> float:
    """Return ``ln det B + d ln(d / most)``, by the inequality of arithmetic and geometric means; d is n - 1."""
    size = len(root)
    return 2.0 * float(np.log(np.abs(np.diag(root))).sum()) + size * math.log(size / most)


def _of_any(rows: Array, root: Array, most: float) -> float:
    """Return ``trace(K B) / most``, as ``M - K / value`` is positive semidefinite."""
    return float(((rows @ root) ** 2).sum()) / most


def _of_worst(rows: Array, root: Array, most: float) -> float:
    """Return the largest bound of a mean of the queries' variances, over its weights; any weights give one."""
    seen = rows @ root
    weights, best, at_best = np.full(len(seen), 1.0 / len(seen)), 0.0, np.ones(len(seen))
    for _ in range(max(2, min(STEPS, int(MOST_PRODUCTS / seen.size / len(root))))):
        sizes, axes = np.linalg.eigh((seen.T * weights) @ seen)
        roots = np.sqrt(np.maximum(sizes, 0.0))
        reached = float(roots.sum()) ** 2
        if not reached > best * (1.0 + LEAST_GAIN):
            break
        best, at_best = reached, weights
        inverse = np.divide(1.0, roots, out=np.zeros_like(roots), where=roots > 1e-7 * roots[-1])
        weights = weights * ((seen @ axes) ** 2 @ inverse) ** 2
        weights /= weights.sum()
    # Roots of eigenvalues have half of their digits: an eigenvalue of 0 may come to 1e-8 of the largest root.
    return _of_sum(np.sqrt(at_best)[:, None] * rows, root, most) / math.fsum(at_best)


#: Criteria by name.
CRITERIA: Final = MappingProxyType(
    {
        "A": Criterion(
            "sum of the variances of all estimated frequencies, times the number of reports",
            "sum of the variances",
            ("weights", "queries"),
            lambda spread: float((spread**2).sum()),
            _of_sum,
            lambda size, most: size**2 / most,
        ),
        "D": Criterion(
            "joint uncertainty of all estimated frequencies from one report, the logarithm of their generalised "
            "variance",
            "",
            (),
            None,
            _of_volume,
            lambda size, most: size * math.log(size / most),
        ),
        "E": Criterion(
            "largest variance of a contrast of unit length between estimated frequencies, times the number of reports",
            "largest variance of a combination of length one",
            ("queries",),
            lambda spread: float(np.linalg.svd(spread, compute_uv=False)[0]) ** 2,
            _of_any,
            lambda size, most: size / most,
        ),
        "worst": Criterion(
            "largest variance of an estimated frequency, times the number of reports",
            "largest variance",
            ("queries",),
            lambda spread: float((spread**2).sum(axis=1).max()),
            _of_worst,
            lambda size, most: size**2 / ((size + 1) * most),
        ),
        "c": Criterion(
            "variance of one estimated linear figure of the frequencies, times the number of reports",
            "variance",
            ("direction",),
            lambda spread: float((spread**2).sum()),
            _of_any,
            lambda size, most: math.nan,
        ),
    }
)
