"""Columns within ``e^epsilon`` of their mass under every distribution of a box."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.columns.cone import Cone
from mechdesign.columns.dual import Shown, numbers_of, own_of
from mechdesign.columns.prior_set import MOST_SECRETS, PriorSet, least_mass, vertices_of_least
from mechdesign.exact import Integers, exp_above
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT

NUDGE, SLACK, HALVINGS = 2.5e-16, 1e-13, 60


@dataclass(frozen=True, eq=False)
class PriorBox(PriorSet):
    """Vectors with ``-epsilon <= ln(v_s / pi . v) <= epsilon`` for each s and every distribution pi of a box.

    Parameters
    ----------
    n : int
    epsilon : float
        In nats.
    lower, upper : ndarray, shape (n,)
        The ends of the box as they were given.
    box : tuple of ndarray, ndarray and float
        The least masses, by how much each may be more, and what is left to share out.
    exact_box : tuple of ndarray, ndarray and int
        The box as integers, in one unit.
    """

    lower: Array
    upper: Array
    box: tuple[Array, Array, float]
    exact_box: tuple[Integers, Integers, int]
    asks_for_multipliers = True

    @property
    def _ratio(self) -> float:
        return float(np.exp(min(self.epsilon, LARGEST_EXPONENT)))

    def cone_of(self, seen: Array) -> Cone:
        """Return ``v <= e^epsilon low`` and ``high <= e^epsilon v``; low and high bound the masses by duality."""
        lower, span, room = self.box
        if room == 0:
            return Cone.band(seen, 1.0 / self._ratio, self._ratio, lower @ seen)
        k, inverse = len(seen), 1.0 / self._ratio
        one, none = np.ones((k, 1)), np.zeros((k, k))
        zero, fixed = np.zeros((k, 1)), (lower @ seen)[None, :]
        # Auxiliary variables: low, rho, b = max(rho - v, 0); high, sigma, a = max(v - sigma, 0).
        least = [np.array([[-1.0, room]]), -span[None, :], np.zeros((1, k + 2))]
        most = [np.zeros((1, k + 2)), np.array([[1.0, -room]]), -span[None, :]]
        rows = [
            (fixed, np.hstack(least)),
            (seen, np.hstack([zero, -one, np.eye(k), zero, zero, none])),
            (-inverse * seen, np.hstack([one, zero, none, zero, zero, none])),
            (-fixed, np.hstack(most)),
            (-seen, np.hstack([zero, zero, none, zero, one, np.eye(k)])),
            (seen, np.hstack([zero, zero, none, -inverse * one, zero, none])),
        ]
        # All of them can be taken at most the largest entry of v, which is at most n on the slice.
        return Cone(np.vstack([on for on, _ in rows]), np.vstack([on for _, on in rows]), float(seen.shape[1]))

    def numbers_over(self, inputs: int) -> float:
        """Return the number of entries of the cone's 4k + 2 rows, over the column and 2k + 4 auxiliary variables."""
        k = self.n
        return (4.0 * k + 2.0) * (inputs + 2.0 * k + 4.0)

    @property
    def cone_rows(self) -> float:
        """Four for each secret, and two."""
        return 4.0 * self.n + 2.0

    def facets_of(self, seen: Array) -> Cone | None:
        """Return the rows of LIP at those vertices of the box that give the compared secret the least."""
        k = len(self.lower)
        if k > MOST_SECRETS:
            return None
        lower, span, room = self.box
        above, below = [], []
        for s in range(k):
            priors = vertices_of_least(s, lower, span, room)
            masses, entries = priors @ seen, seen[[s] * len(priors)]
            above.append((masses, entries / self._ratio))
            below.append((entries, masses / self._ratio))
        larger, smaller = (np.vstack(parts) for parts in zip(*above, *below, strict=True))
        found = Cone.at_least(larger, smaller)
        # Where the box is the simplex each row comes from both of its secrets.
        kept = np.sort(np.unique(np.round(found.on_column, 14), axis=0, return_index=True)[1])
        return Cone(found.on_column[kept], found.on_auxiliary[kept], found.ceiling, terms=found.sizes[kept])

    def nonnegative(self, functionals: Integers, shown: Shown | None = None) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether a, b, p and q of each secret, in this order, prove it nonnegative.

        ``w >= e^epsilon (p + b) - a - q`` with a and b nowhere negative, p at least ``sum(a)`` times a prior of the
        box, q at most ``sum(b)`` times one.
        """
        own = own_of(shown, len(functionals))
        return np.array([self._is_shown(w, each) for w, each in zip(functionals, own, strict=True)])

    def _is_shown(self, functional: Integers, own: Mapping[int, int]) -> bool:
        k, most = len(functional), exp_above(self.epsilon)
        lower, upper = ([Fraction(end) for end in ends.tolist()] for ends in (self.lower, self.upper))
        a, b, p, q = ([Fraction(own.get(part * k + s, 0)) for s in range(k)] for part in range(4))
        of_a, of_b = sum(a, Fraction(0)), sum(b, Fraction(0))
        return (
            min(a + b) >= 0
            and all(each >= of_a * low for each, low in zip(p, lower, strict=True))
            and sum(min(each, of_a * top) for each, top in zip(p, upper, strict=True)) >= of_a
            and all(each <= of_b * top for each, top in zip(q, upper, strict=True))
            and sum(max(each, of_b * low) for each, low in zip(q, lower, strict=True)) <= of_b
            and all(functional[s] >= most * (p[s] + b[s]) - a[s] - q[s] for s in range(k))
        )

    def own_numbers(self, functional: Array, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return a, b, p and q from the multipliers of the masses' bounds, moved slightly to be feasible."""
        k, inverse, (lower, span, room) = len(self.lower), 1.0 / self._ratio, self.box
        if room == 0:
            b, a = inverse * multipliers[:k], multipliers[k : 2 * k] / max(self._ratio, 1.0)
            p, q = a.sum() * lower, b.sum() * lower
        else:
            least, on_least, below = multipliers[0], multipliers[1 : k + 1], multipliers[k + 1 : 2 * k + 1]
            most, on_most, above = np.split(multipliers[2 * k + 1 :], [1, k + 1])
            a, b = inverse * below, inverse * above
            p, q = inverse * (least * lower + on_least), most * lower + on_most
        of_a, of_b, upper, nudge = a.sum(), b.sum(), lower + span, NUDGE * (k + 4)
        p, q = np.maximum(p, (1.0 + nudge) * of_a * lower), np.minimum(q, (1.0 - nudge) * of_b * upper)
        # Fewer a and more b, so that p and q can be those many times a prior; equality is kept.
        fewer = _largest_share(lambda t: bool(np.minimum(p, t * of_a * upper).sum() >= (1.0 - nudge) * t * of_a))
        more = _largest_share(lambda t: bool(np.maximum(t * q, of_b * lower).sum() <= (1.0 + nudge) * of_b))
        return numbers_of(np.concatenate([(1.0 - SLACK) * fewer * a, (1.0 + SLACK) * b / max(more, 0.5), p, q]))

    def measured(self, seen: Integers) -> tuple[Integers, Integers, Integers, Integers]:
        """Return of each column the largest and smallest entry, and the smallest and largest mass, in one unit."""
        lower, span, room = self.exact_box
        total = int(sum(lower)) + room
        order = np.argsort(seen, axis=0, kind="stable")
        high, low, seen = seen.max(axis=0).astype(object), seen.min(axis=0).astype(object), seen.astype(object)
        least, most = least_mass(seen, order, lower, span, room), least_mass(seen, order[::-1], lower, span, room)
        return high * total, low * total, least, most

    def has_prior(self, prior: Integers) -> bool:
        """Return whether each share of the prior is within its ends."""
        lower, span, room = self.exact_box
        whole, mass = int(sum(lower)) + room, int(sum(prior))
        return bool(np.all((lower * mass <= prior * whole) & (prior * whole <= (lower + span) * mass)))


def _largest_share(holds: Callable[[float], bool]) -> float:
    """Return the largest share of one at which something holds that holds at all smaller ones."""
    if holds(1.0):
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
