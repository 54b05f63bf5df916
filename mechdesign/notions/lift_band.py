"""What all notions that bound the lift ``Pr(y | s) / Pr(y)`` share: LIP, max-lift, asymmetric LIP."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from mechdesign.columns import Masses, Shape
from mechdesign.columns.mass_band import MassBand
from mechdesign.notions.base import Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


class LiftBand(Notion):
    """A notion that bounds the lift from below, from above, or on both sides, under the problem's prior.

    A subclass gives the two ends and measures its level; the shape and the exact checks follow from the ends.
    """

    needs_prior = True
    closed_under_preprocessing = True

    @property
    @abstractmethod
    def ends(self) -> tuple[float, float]:
        """``(lower, upper)`` with ``-lower <= ln Pr(y | s) - ln Pr(y) <= upper``, in nats; infinite without a bound."""

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors within a band of their mass."""
        return MassBand(problem.secrets, Masses.of(problem), *self.ends)


def log_lifts(matrix: Array, problem: Problem) -> Array:
    """Return ``ln v_s(y) - ln m(y)``, shape (secrets, m), zero for columns of zeros."""
    seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
    mass = problem.required_prior_of_secret @ seen
    used = mass > 0
    found = np.zeros_like(seen)
    with np.errstate(divide="ignore"):
        found[:, used] = np.log(seen[:, used]) - np.log(mass[used])
    return found
