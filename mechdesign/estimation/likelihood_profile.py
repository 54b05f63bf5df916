r"""The profile of the likelihood: which values of ``w . theta`` a likelihood-ratio test does not reject.

With ``l(p) = sum_y N f_y ln p_y`` over the laws p of reports that a population may give, its shares of any sign, the
interval of w is ``{w . theta : l >= max l - z^2 / 2}``. Its ends lie on the path of the maxima of ``l + s w . theta``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.estimation.likelihood import share_inside
from mechdesign.estimation.linear import Linear
from mechdesign.parameters.checks import Array

#: Outputs without reports count as this share of one at last, which keeps their probabilities above 0.
UNSEEN = (1.0, 0.1, 0.01, 0.001)

#: The drop of the log-likelihood is met this nearly, as a share of it.
DROP = 1e-6

#: Where the log-likelihood drops less than asked up to the last law, tilts of this many times the usual one lead there.
STEEPEST = 100.0

NOT_FOUND = 'The profile of the likelihood was not found; how="score" needs no search for it.'

#: Newton steps for one maximum, and maxima for one end: some five of each are taken.
STEPS = 200
ENDS = 60


@dataclass(frozen=True, eq=False)
class _Path:
    """Laws ``start + moves @ step`` of the reports, where steps are in standard errors, and the counts of reports."""

    start: Array
    moves: Array
    counts: Array

    def likelihood(self, step: Array) -> float:
        seen = self.counts > 0
        return float(self.counts[seen] @ np.log((self.start + self.moves @ step)[seen]))

    def highest(self, slope: Array, step: Array) -> Array:
        """Return the step that maximises the log-likelihood plus ``slope . step``, by Newton's method from `step`."""
        for _ in range(STEPS):
            mass = self.start + self.moves @ step
            rise = self.moves.T @ (self.counts / mass) + slope
            curved = self.moves * (np.sqrt(self.counts) / mass)[:, None]
            change = np.asarray(np.linalg.solve(curved.T @ curved, rise), dtype=float)
            gain = float(rise @ change)
            if gain < DROP**2:
                break
            step = self._searched(step, change, gain, slope)
        return step

    def _searched(self, step: Array, change: Array, gain: float, slope: Array) -> Array:
        """Return the step after as much of `change` as keeps probabilities positive and the likelihood rising."""
        mass, moved = self.start + self.moves @ step, self.moves @ change
        share = share_inside(mass, moved, 0.95)
        while share > 1e-12:
            risen = self.counts @ np.log1p(share * moved / mass) + share * float(slope @ change)
            if risen >= 0.1 * share * gain:
                break
            share /= 2.0
        return step + share * change


def ends(linear: Linear, weights: Array, drop: float) -> Array:
    """Return the two ends for each line of `weights`, shape (k, 2): where the log-likelihood is `drop` below its top.

    Raises
    ------
    SolverError
        Newton's method did not find an end.
    """
    try:
        # Where the reports carry next to no information, steps overflow.
        with np.errstate(all="ignore"):
            found = _ends(linear, weights, drop)
    except np.linalg.LinAlgError:
        found = np.full((len(weights), 2), np.nan)
    if not np.isfinite(found).all():
        raise SolverError(NOT_FOUND)
    return found


def _ends(linear: Linear, weights: Array, drop: float) -> Array:
    given = linear.mass > 0
    spread = linear.spread / math.sqrt(linear.reports)
    path = _Path(linear.mass[given], (spread.T @ linear.matrix[:, given]).T, linear.reports * linear.shares[given])
    top = np.zeros(spread.shape[1])
    for unseen in UNSEEN:
        laws = replace(path, counts=np.maximum(path.counts, unseen))
        top = laws.highest(np.zeros_like(top), top)
    found = []
    for line in weights:
        slope = line @ spread
        size = float(np.linalg.norm(slope))
        reach = [_reach(path, laws, top, sign * slope / size, drop) if size > 0 else 0.0 for sign in (-1.0, 1.0)]
        found.append(float(line @ linear.near) + size * np.array([-reach[0], reach[1]]))
    return np.asarray(found)


def _reach(path: _Path, laws: _Path, top: Array, direction: Array, drop: float) -> float:
    """Return how far `direction` goes, in standard errors, until the log-likelihood has dropped or laws end."""
    most, high = path.likelihood(top), top
    tilt = first = math.sqrt(2.0 * drop)
    below, above = 0.0, STEEPEST * first
    for attempt in range(ENDS):
        high = laws.highest(tilt * direction, high)
        fallen = most - path.likelihood(high)
        below, above = (tilt, above) if fallen < drop else (below, tilt)
        if abs(fallen / drop - 1.0) < DROP or above - below < DROP * first:
            return float(direction @ high)
        # The root of the drop is nearly proportional to the tilt; next to a boundary it is not.
        guess = tilt * min(max(math.sqrt(drop / max(fallen, 1e-300)), 0.1), 10.0)
        tilt = guess if below < guess < above and attempt < ENDS // 4 else below + (above - below) / 2.0
    raise SolverError(NOT_FOUND)
