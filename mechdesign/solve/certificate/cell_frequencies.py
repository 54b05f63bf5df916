"""A bound on the variances of unequal frequencies of many inputs under LDP, from a slope by cells of frequencies."""

from __future__ import annotations

import numpy as np

from mechdesign.objectives.base import unit
from mechdesign.parameters.checks import Array
from mechdesign.solve.pricing.frequency_cells import CellPricing, CellSlope, FrequencyCells, priced_cells


def bound_of_cells(cells: FrequencyCells, rise: float, slope: CellSlope) -> tuple[float, CellSlope, CellPricing]:
    r"""Return a number below the total variance of every mechanism, the slope with the total it needs, and sets.

    Let ``G >= 0`` with ``G 1 = 0``, and rows and total be such that every set has
    ``v' G v <= (rows . v) m + total m^2``, ``v = 1 + rise 1_S``, ``m = theta . v``. Sums over the outputs give
    ``trace(G K) <= sum(rows) + total sum(theta)``, and

    .. math::

        \operatorname{trace}(K^+) \ge \frac{\operatorname{trace}(G^{1/2})^2}{\sum_x rows_x + total \sum_x theta_x},

    theta being the least frequency of each cell, whose sum is at most 1. `total` is raised here by what any set misses.
    Whatever the slope, the bound is sound, up to the rounding that it is lowered by.
    """
    priced = priced_cells(cells, slope, rise)
    raised = CellSlope(slope.within, slope.constant, slope.steepness, slope.total + priced.bound + priced.rounding)
    mass, rows = float(cells.masses.sum()), slope.of_rows(cells)
    most = rows + raised.total * mass
    sizes = np.abs(slope.constant) @ cells.counts + np.abs(slope.steepness) @ cells.masses + abs(raised.total)
    most += 4.0 * unit(len(cells.sizes)) * float(sizes)
    root = float(((cells.counts - 1.0) * np.sqrt(slope.within)).sum())
    if not (most > 0.0 and np.isfinite(most) and np.isfinite(root)):
        return 0.0, raised, priced
    return root**2 / most * (1.0 - 8.0 * unit(len(cells.counts))), raised, priced


def least_by_cells(theta: Array, rise: float, packed: Array | None) -> float:
    """Return a number below the total variance of every mechanism at frequencies theta; 0 without a slope of them.

    Parameters
    ----------
    theta : ndarray, shape (n,)
        The frequencies.
    rise : float
        ``e^epsilon - 1``, or more.
    packed : ndarray, shape (4, b), optional
        As `CellSlope.packed` returns it.
    """
    cells = FrequencyCells.of(theta)
    slope = None if packed is None else CellSlope.unpacked(packed, cells.groups)
    return 0.0 if slope is None else bound_of_cells(cells, rise, slope)[0]
