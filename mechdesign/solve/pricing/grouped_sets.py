"""The largest excess of a set of inputs under a slope that is constant on groups: branch and bound on few numbers."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from mechdesign.objectives.base import unit
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.input_groups import GroupedSlope, InputGroups

#: Runs of inputs over which multipliers are sought; they are valued over all inputs.
RUNS = 150
#: Pieces of the direction that curves upwards, halvings of them, and columns that are kept.
PIECES, HALVINGS, BEST, OTHERS = 6, 7, 60, 20
#: Temperatures of the smoothed problem, as shares of the mean cost, Newton steps at each, and halvings of a step.
TEMPERATURES = (0.5, 0.15, 0.05, 0.015, 0.005, 0.0015, 0.0005, 0.00015)
NEWTON, SHORTER = 2, 6


@dataclass(frozen=True)
class Priced:
    """A number that no set's excess passes, its rounding included, that rounding, and the best relaxed sets found."""

    bound: float
    rounding: float
    sets: Array


class GroupedPricing:
    r"""Upper bounds on ``max_S (v' G v - (rows . v) m - total m^2) / rise^2`` at the true frequencies.

    The choice among the inputs that stand alone is fixed. Of the others, s in {0, 1}^N, ``s^2 = s`` makes the diagonal
    of G linear; what is left is a quadratic form of few linear functions of s: counts of groups and the frequency. It
    is concave on counts (`GroupedSlope.projected`), so at most one direction zeta curves upwards, by kappa. Where zeta
    lies in [a, b] the chord ``(a + b) zeta - a b`` lies above ``zeta^2``, and the rest ``c . s - |R s|^2`` is concave:

    .. math::

        \max_{s \in [0,1]^N} c s - |R s|^2 \le \tfrac14 |\eta|^2 + \sum_x \max(0, c_x - (R' \eta)_x)
        \quad\text{for every } \eta.
    """

    def __init__(self, groups: InputGroups, slope: GroupedSlope) -> None:
        self.groups, self.slope = groups, slope
        self._make_basis()
        self._make_costs()
        self._make_curvature()
        member, alone = groups.group_of, groups.alone
        width = max(1, -(-(len(groups.theta) - alone) // RUNS))
        first = np.concatenate([[0], np.cumsum(groups.others)])[:-1].astype(int)
        place = np.arange(len(member)) - first[member]
        _, self.starts, self.lengths = np.unique(
            member * len(member) + place // width, return_index=True, return_counts=True
        )

    def _make_basis(self) -> None:
        """Make rows of length one: the groups' indicators, and what frequencies differ by within groups."""
        groups = self.groups
        member, rest = groups.group_of, groups.theta[groups.alone :]
        means = groups.means[groups.alone :]
        apart = rest - means[member]
        spread = float(np.linalg.norm(apart))
        basis = np.zeros((len(groups.others), len(rest)))
        basis[member, np.arange(len(rest))] = 1.0 / np.sqrt(groups.others[member])
        along = means * np.sqrt(groups.others)
        if spread > 0.0:
            basis, along = np.vstack([basis, apart / spread]), np.append(along, spread)
        self.basis, self.along, self.rank = basis, along, len(along)

    def _make_costs(self) -> None:
        """Find, for each choice among those alone, a constant and the linear cost of every other input."""
        groups, slope, alone = self.groups, self.slope, self.groups.alone
        pad = self.rank - len(groups.others)
        self.choices = np.array(list(itertools.product((0.0, 1.0), repeat=alone))).reshape(2**alone, alone)
        self.linear = np.append(slope.rows[alone:] * np.sqrt(groups.others), np.zeros(pad))
        fixed = slope.rows @ groups.sizes / groups.rise + self.choices @ slope.rows[:alone]
        mass = 1.0 / groups.rise + self.choices @ groups.theta[:alone]
        own = ((self.choices @ slope.between[:alone, :alone]) * self.choices).sum(axis=1)
        self.constant = own - fixed * mass - slope.total * mass**2
        cross = np.hstack([2.0 * self.choices @ slope.between[:alone, alone:], np.zeros((len(self.choices), pad))])
        cross -= np.outer(mass, self.linear) + np.outer(fixed + 2.0 * slope.total * mass, self.along)
        self.cost = cross @ self.basis + slope.within[alone:][groups.group_of]
        self.size = float((own + np.abs(fixed) * mass + abs(slope.total) * mass**2).max())

    def _make_curvature(self) -> None:
        """Split the quadratic form into ``kappa zeta^2 - |R s|^2``."""
        count, alone = len(self.groups.others), self.groups.alone
        form = np.zeros((self.rank, self.rank))
        form[:count, :count] = self.slope.between[alone:, alone:] - np.diag(self.slope.within[alone:])
        form -= 0.5 * (np.outer(self.linear, self.along) + np.outer(self.along, self.linear))
        form -= self.slope.total * np.outer(self.along, self.along)
        values, vectors = np.linalg.eigh(form)
        self.kappa, self.zeta = max(float(values[-1]), 0.0), vectors[:, -1] @ self.basis
        kept = np.maximum(-values, 0.0)
        kept[-1] = 0.0 if values[-1] > 0.0 else kept[-1]
        self.R = np.sqrt(kept)[:, None] * (vectors.T @ self.basis)
        # A second direction curves upwards by rounding alone; |basis s|^2 is at most the number of inputs.
        inputs = self.basis.shape[1]
        self.left_out = float(np.maximum(values[:-1], 0.0).sum()) * inputs
        terms = float(np.abs(values).max()) * inputs + float(np.abs(self.cost).sum(axis=1).max()) + self.size
        self.rounding = self.left_out + 4.0 * unit(inputs) * terms

    def bound(self, enough: float, halvings: int = HALVINGS) -> Priced:
        """Branch on the choices and on pieces of zeta until every bound is within `enough` of the best set."""
        low, high = float(np.minimum(self.zeta, 0.0).sum()), float(np.maximum(self.zeta, 0.0).sum())
        ends = np.linspace(low, high, PIECES + 1)
        which = np.repeat(np.arange(len(self.choices)), PIECES)
        a, b = np.tile(ends[:-1], len(self.choices)), np.tile(ends[1:], len(self.choices))
        bound, best, found = -np.inf, 0.0, []
        for level in range(halvings):
            above, sets = self._inner(self.cost[which] + self.kappa * (a + b)[:, None] * self.zeta)
            above = above + self.constant[which] - self.kappa * a * b
            reached = self._values(which, sets)
            found.append((reached, which, sets))
            best = max(best, float(reached.max()))
            split = (above > best + enough) & (level < halvings - 1) & (not is_late())
            bound = max(bound, float(above[~split].max(initial=-np.inf)))
            if not split.any():
                break
            middle = 0.5 * (a + b)[split]
            which = np.tile(which[split], 2)
            a, b = np.concatenate([a[split], middle]), np.concatenate([middle, b[split]])
        sets = self._best_sets(*(np.concatenate(part) for part in zip(*found, strict=True)))
        return Priced(bound + self.rounding, self.rounding, sets)

    def _values(self, which: npt.NDArray[np.intp], sets: Array) -> Array:
        curved = self.kappa * (sets @ self.zeta) ** 2 - ((sets @ self.R.T) ** 2).sum(axis=1)
        return np.asarray(self.constant[which] + (self.cost[which] * sets).sum(axis=1) + curved)

    def _averaged(self, rows: Array) -> Array:
        return np.asarray(np.add.reduceat(rows, self.starts, axis=1) / self.lengths)

    def _inner(self, cost: Array) -> tuple[Array, Array]:
        """Return upper bounds of ``c . s - |R s|^2`` for each row c, and nearly optimal s: a smoothed Newton method."""
        c, R, n = self._averaged(cost), self._averaged(self.R), self.lengths.astype(float)
        products = (R[:, None] * R[None] * n).reshape(len(R) ** 2, -1).T
        size = np.maximum(np.abs(c).mean(axis=1), np.finfo(float).tiny)
        eta = np.repeat((0.5 * self.R.sum(axis=1))[None], len(c), axis=0)
        t = size[:, None]
        for share in TEMPERATURES:
            t = share * size[:, None]
            for _ in range(NEWTON):
                eta = _newton_step(c, R, n, products, t, eta)
        margin = cost - eta @ self.R
        bounds = (eta**2).sum(axis=1) / 4.0 + np.maximum(margin, 0.0).sum(axis=1)
        return bounds, np.asarray(expit(margin / t))

    def _best_sets(self, reached: Array, which: npt.NDArray[np.intp], sets: Array) -> Array:
        """Return the best set of each choice, and the best others, as rows with entries in [0, 1]."""
        order = np.argsort(-reached, kind="stable")
        first = order[np.unique(which[order], return_index=True)[1]]
        keep = np.unique(np.concatenate([first[np.argsort(-reached[first])][:BEST], order[:OTHERS]]))
        keep = keep[reached[keep] > 0.0]
        return np.hstack([self.choices[which[keep]], sets[keep]])


def _newton_step(c: Array, R: Array, n: Array, products: Array, t: Array, eta: Array) -> Array:
    """Return eta after a step of Newton's method on the smoothed bound, shortened where that does not fall."""

    def smooth(at: Array) -> Array:
        return np.asarray((at**2).sum(axis=1) / 4.0 + (t * np.logaddexp(0.0, (c - at @ R) / t)) @ n)

    s = expit((c - eta @ R) / t)
    slope = eta / 2.0 - (s * n) @ R.T
    hessian = ((s * (1.0 - s) / t) @ products).reshape(-1, len(R), len(R)) + np.eye(len(R)) / 2.0
    step = np.linalg.solve(hessian, slope[..., None])[..., 0]
    length, before, gain = np.ones(len(c)), smooth(eta), (slope * step).sum(axis=1)
    for _ in range(SHORTER):
        poor = smooth(eta - length[:, None] * step) > before - 1e-4 * length * gain
        if not poor.any():
            break
        length[poor] /= 2.0
    return np.asarray(eta - length[:, None] * step)
