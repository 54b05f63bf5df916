"""Linear functionals above mutual information and histogram MMSE where the lift is bounded on both sides.

With ``t_x = v_x / m``, ``m = P . v``, the utility is ``m`` times a sum of convex functions of ``t_x``; on
``low <= t_x <= high`` each lies below its chord. Vertices of the cone meet the chords at all inputs but one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.columns.shape import usual_numbers
from mechdesign.notions import Notion
from mechdesign.objectives import HistogramMMSE, MutualInformation, Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: Inputs whose masses differ by less are equally likely; what a share of an input is taken to be known to.
EQUAL, LEEWAY = 1e-13, 1e-9


@dataclass(frozen=True)
class Lifts:
    """``low <= v_x / P . v <= high[x]`` for every column, with the normalised prior P."""

    prior: Array
    low: float
    high: Array


def lifts(notion: Notion, problem: Problem) -> Lifts | None:
    """Return the bounds of the lift that the notion's cone has, or None where it has none of that kind."""
    if problem.prior is None or problem.data_of_input is not None or not notion.polyhedral:
        return None
    if notion.columns(problem).cone_numbers > usual_numbers(problem):
        # More than a band: its cone may be too large to be made for this answer alone.
        return None
    cone = notion.columns(problem).cone()
    band = cone.band_of_inputs
    if band is None or band.middle is None or len(notion.columns(problem).revealed):
        return None
    total = float(band.middle.sum())
    prior = problem.prior / problem.prior.sum()
    missed = float(np.abs(band.middle / total / prior - 1.0).max())
    if missed > 1e-13:
        return None
    # Outward, by what the two priors differ and by rounding.
    wider = 1.0 + missed + 8.0 * float(np.finfo(float).eps)
    low = band.low * total / wider
    # An entry is at most what the others, at their least, leave of the mass.
    alone = low + (1.0 - low) / prior
    return Lifts(prior, low, np.maximum(np.minimum(band.high * total, alone) * wider, 1.0))


class Chords(ABC):
    """The chords of convex functions of the lift, one for each input, added up."""

    @abstractmethod
    def majorant(self, found: Lifts, below: float) -> Array:
        """Return g with ``mu(v) <= (g + below prior) . v`` for every column of such lifts, shape (n,)."""

    @abstractmethod
    def apart(self, low: float, high: float, share: Array, n: int) -> Array:
        """Return how far the function of one of n even inputs is below its chord at shares of the input, shape (k,)."""


class Squares(Chords):
    """``mu = m sum_x P_x^2 t_x^2``, the utility of the histogram."""

    def majorant(self, found: Lifts, below: float) -> Array:
        """Return the chords of squares, shape (n,)."""
        prior, low, high, unit = found.prior, found.low, found.high, rounding_unit(len(found.prior))
        least = float((prior**2 * low * high).sum())
        return np.asarray(prior**2 * (low + high) * (1.0 + unit) - prior * (least + below) * (1.0 - unit))

    def apart(self, low: float, high: float, share: Array, n: int) -> Array:
        """Return the product of the distances from both ends, shape (k,)."""
        at = low + share * (high - low)
        return np.asarray((at - low) * (high - at) / n**2)


class Entropies(Chords):
    """``mu = m sum_x P_x t_x ln t_x``, the utility of mutual information."""

    def majorant(self, found: Lifts, below: float) -> Array:
        """Return the chords of ``t ln t - t + 1``, shape (n,), whose last two terms avoid cancellation near 1."""
        prior, low, high, unit = found.prior, found.low, found.high, rounding_unit(len(found.prior))
        at_low, at_high = _entropy(np.full(len(high), low)), _entropy(high)
        width = high - low
        slope = np.divide(at_high - at_low, width, out=np.zeros_like(width), where=width > 0)
        # Each entry is raised by its rounding, the chords by that of their ends.
        terms = float((prior * (np.abs(at_low) + np.abs(slope) * low)).sum())
        at_ends = float((prior * (np.abs(low - 1.0) + np.abs(high - 1.0) * (1.0 + np.log(high)))).sum())
        blur = unit * prior * (np.abs(slope) + terms + at_ends)
        return np.asarray(prior * slope + prior * (float((prior * (at_low - slope * low)).sum()) - below) + blur)

    def apart(self, low: float, high: float, share: Array, n: int) -> Array:
        """Return the chord less the entropy, shape (k,)."""
        ends = _entropy(np.array([low, high]))
        return np.asarray((ends[0] + share * (ends[1] - ends[0]) - _entropy(low + share * (high - low))) / n)


#: The chords of each utility that is known: subclasses may compute another.
CHORDS: dict[type[Objective], Chords] = {HistogramMMSE: Squares(), MutualInformation: Entropies()}


def has_majorant(objective: Objective) -> bool:
    """Return whether `majorant` knows the utility."""
    return type(objective) in CHORDS and objective.kind != "convex"


def majorant(found: Lifts, objective: Objective) -> Array:
    """Return g with ``mu(v) <= g . v`` for every column of such lifts: the chords, added up, shape (n,)."""
    return CHORDS[type(objective)].majorant(found, missed(found, objective))


def missed(found: Lifts, objective: Objective) -> float:
    """Return by how much every column of mass one stays below the chords where all inputs are equally likely, or 0.

    The vertices are then alike: as many inputs at the high end as fit, one between the ends, whose function is below
    its chord, the others at the low end. Between unequal inputs some columns may have none between.
    """
    prior, low, high, n = found.prior, found.low, float(found.high.min()), len(found.prior)
    width = high - low
    if float(np.ptp(prior)) > EQUAL / n or float(np.ptp(found.high)) > EQUAL * high or not width > 0:
        return 0.0
    reach = n * (1.0 - low) / width
    # Where between the ends, as a share: a little to either side, as the sum of n shares is rounded.
    share = np.clip(reach - math.floor(reach) + np.array([-LEEWAY, LEEWAY]), 0.0, 1.0)
    apart = CHORDS[type(objective)].apart(low, high, share, n)
    return max(float(apart.min()) - rounding_unit(n) * (1.0 + high) * (1.0 + math.log(high)) / n, 0.0)


def _entropy(lift: Array) -> Array:
    # At 0 the first term is 0; log1p of -1 would be asked for a lift next to it too.
    met = np.where(lift > 1e-15, lift, 1.0)
    return np.asarray(np.where(lift > 1e-15, met * np.log1p(met - 1.0), 0.0) - (lift - 1.0))
