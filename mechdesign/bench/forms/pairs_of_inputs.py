"""Which pairs of inputs a notion of ratios compares, and how far their probabilities may be apart."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.columns.distance_ratios import DistanceRatios
from mechdesign.columns.ratio_in_blocks import RatioInBlocks
from mechdesign.parameters.checks import Array
from mechdesign.question import Question

Places = npt.NDArray[np.intp]

#: A way over a third input is no detour where it is longer by no more than this, relatively.
ALONG = 1e-12


def distances(question: Question) -> Array | None:
    """Return d with ``Q[x, y] <= e^d[x, x'] Q[x', y]`` for all inputs x, x', infinite where nothing is asked.

    None where the notion is another, or protects a secret that is not the input.
    """
    shape = question.notion.columns(question.problem)
    if isinstance(shape, DistanceRatios):
        return shape.epsilon * np.asarray(shape.ways.distance, dtype=float)
    if not isinstance(shape, RatioInBlocks) or shape.revealed:
        return None
    apart = np.full((shape.n, shape.n), np.inf)
    for block in shape.blocks:
        apart[np.ix_(block, block)] = shape.epsilon
    np.fill_diagonal(apart, 0.0)
    return apart


def all_pairs(apart: Array) -> tuple[Places, Places]:
    """Return the ordered pairs of different inputs at a finite distance, as two arrays of places."""
    first, second = np.nonzero(np.isfinite(apart) & ~np.eye(len(apart), dtype=bool))
    return first, second


def neighbours(apart: Array) -> tuple[Places, Places]:
    """Return the ordered pairs of inputs whose constraint is not implied by those through a third input."""
    kept = np.isfinite(apart) & ~np.eye(len(apart), dtype=bool)
    for z in range(len(apart)):
        there, on = apart[:, [z]], apart[[z], :]
        # Both halves are shorter than the whole, or pairs would imply each other in a circle.
        kept &= ~((np.maximum(there, on) < apart) & (there + on <= apart * (1.0 + ALONG)))
    first, second = np.nonzero(kept)
    return first, second
