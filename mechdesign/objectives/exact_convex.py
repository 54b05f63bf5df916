"""Convex utilities of columns in exact arithmetic, whose proofs compare them with the rows at every extreme column."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, NoReturn, Self

import numpy as np

from mechdesign.errors import CertificateError
from mechdesign.exact import ONE, Enclosure, Fractions, Integers, fractions, log_enclosed
from mechdesign.objectives.exact_form import ExactForm, as_it_is
from mechdesign.parameters.checks import Array

#: Binary digits that a reciprocal is rounded to.
DIGITS = 300


@dataclass(frozen=True, eq=False)
class ConvexOfColumn(ExactForm):
    """``utility = sum_y mu(q_y)`` with a convex and homogeneous mu, by its enclosure at a column that is not zero.

    Parameters
    ----------
    inputs : int
        How many there are.
    mu : callable
        Takes a column of fractions or integers, returns bounds.
    of_utility : callable
        Returns bounds of the value at a utility.
    rough : callable
        Takes columns of floats, shape (n, m), returns mu of each in floating point.
    alike : bool
        Whether the utility is the same for all orders of the inputs.
    """

    inputs: int
    mu: Callable[[Fractions], Enclosure]
    rough: Callable[[Array], Array]
    of_utility: Callable[[Fraction], Enclosure] = field(default=as_it_is)
    alike: bool = False

    def utility(self, numerators: Integers) -> Enclosure:
        """Return the sum of the outputs' enclosures."""
        ends = [self.mu(column) for column in numerators.astype(object).T if column.any()]
        return sum((low for low, _ in ends), Fraction(0)), sum((high for _, high in ends), Fraction(0))

    def idle(self) -> Enclosure | None:
        """Return bounds of the utility of one output for all."""
        return self.mu(np.ones(self.inputs, dtype=object))

    def value(self, utility: Fraction) -> Enclosure:
        """Return bounds of the value at a utility."""
        return self.of_utility(utility)

    def averaged(self) -> Self:
        """Return the form with the mean of mu over all orders of the inputs, where they are alike."""
        return self

    def functionals(self, ends: Sequence[float], weights: Sequence[float] = ()) -> list[Fractions] | None:
        """Return None: no few functionals bound it."""
        return None


def information(prior: Fractions) -> Callable[[Fractions], Enclosure]:
    """Return ``sum_x prior_x v_x ln(v_x / prior . v)`` as a function of v, enclosed."""
    (whole,), unit = _over_one(prior[None, :])

    def mu(column: Fractions) -> Enclosure:
        mass = (whole * column).sum()
        low = high = Fraction(0)
        # Equal entries have one logarithm.
        for entry in set(column.tolist()) - {0}:
            share = whole[column == entry].sum() * entry
            if share:
                least, most = log_enclosed(Fraction(entry) * unit / mass)
                low, high = low + share * least, high + share * most
        return low / unit, high / unit

    return mu


def squared_shares(prior: Fractions) -> Callable[[Fractions], Enclosure]:
    """Return ``sum_x (prior_x v_x)^2 / prior . v`` as a function of v, twice."""
    (whole,), unit = _over_one(prior[None, :])

    def mu(column: Fractions) -> Enclosure:
        both = whole * column
        found = Fraction((both**2).sum()) / (both.sum() * unit)
        return found, found

    return mu


@dataclass(frozen=True, eq=False)
class TraceOfCovariance(ConvexOfColumn):
    """``value = sum_x weights_x C_xx``: the covariance of estimated frequencies, by lines y_x that sum to zero.

    With ``J = sum_y q_y q_y' / theta . q_y`` and the rest ``r = e_x - J y_x`` less its mean,

        C_xx = 2 y_x[x] - y_x' J y_x + r' C r

    for any such lines: at least that without r, which is a sum over columns, and at most that with ``|r|^2 trace(C)``.

    Parameters
    ----------
    theta, weights : ndarray, shape (n,)
        Fractions: positive frequencies with the sum one, and positive weights.
    lines : ndarray, shape (n, n)
        Fractions, line x for input x.
    """

    theta: Fractions = field(default_factory=lambda: np.zeros(0, dtype=object))
    weights: Fractions = field(default_factory=lambda: np.zeros(0, dtype=object))
    lines: Fractions = field(default_factory=lambda: np.zeros((0, 0), dtype=object))

    @classmethod
    def of(cls, theta: Fractions, weights: Fractions) -> TraceOfCovariance:
        """Return the form without lines."""
        even = len(set(theta)) == len(set(weights)) == 1
        return cls(len(theta), _no_lines, _no_lines, alike=even, theta=theta, weights=weights)

    @property
    def lined(self) -> int:
        """A line for each input."""
        return self.inputs

    def along(self, lines: Array | Fractions) -> Self:
        """Return the form with these lines, each less its mean."""
        exact = fractions(lines)
        exact = exact - (exact.sum(axis=1) / Fraction(self.inputs))[:, None]
        offset = 2 * Fraction((self.weights * np.diag(exact)).sum())
        # Products of integers are quicker than those of fractions.
        whole, unit = _over_one(exact)
        (weights, theta), _ = _over_one(np.array([self.weights, self.theta], dtype=object))

        def mu(column: Fractions) -> Enclosure:
            found = Fraction((weights * (whole @ column) ** 2).sum()) / ((theta * column).sum() * unit**2)
            return found, found

        def rough(columns: Array) -> Array:
            # Lines sum to zero: what entries of a column share is left out before it is rounded.
            along = exact.astype(float) @ (columns - columns.min(axis=0))
            return np.asarray(self.weights.astype(float) @ along**2 / (self.theta.astype(float) @ columns))

        def of_utility(utility: Fraction) -> Enclosure:
            return offset - utility, offset - utility

        return replace(self, mu=mu, rough=rough, of_utility=of_utility, lines=exact)

    def averaged(self) -> Self:
        """Return the form whose lines are the mean of those here over all orders of the inputs: it bounds as well."""
        own, unit = Fraction(np.trace(self.lines), self.inputs), np.eye(self.inputs, dtype=int).astype(object)
        return self.along((unit - Fraction(1, self.inputs)) * (own * self.inputs / (self.inputs - 1)))

    def idle(self) -> None:
        """Return nothing: without any information a covariance is infinite."""

    def utility(self, numerators: Integers) -> Enclosure:
        """Return bounds of the utility of a matrix of integers, in exact arithmetic."""
        used = numerators[:, numerators.max(axis=0) > 0].astype(object)
        lines, unit = _over_one(self.lines)
        mass = [Fraction(each) for each in self.theta @ used]
        offset, along = 2 * Fraction((self.weights * np.diag(self.lines)).sum()), lines @ used
        # A smaller reciprocal makes less of J, and so more of the covariance.
        below = np.array([int((1 << DIGITS) / each) for each in mass], dtype=object)
        least = self._squares(along, below + 1, unit)
        own = 2 * np.diag(self.lines) - self._squares(along, below, unit)
        left = np.eye(self.inputs, dtype=int) - ((along * below) @ used.T) / Fraction(unit * ONE << DIGITS)
        rest = (left**2).sum(axis=1) - left.sum(axis=1) ** 2 / Fraction(self.inputs)
        if not rest.sum() < 1:
            raise CertificateError("The proof fails: its lines are not near the covariance of the matrix.")
        most = own + rest * own.sum() / (1 - rest.sum())
        return ONE * (offset - Fraction((self.weights * most).sum())), ONE * Fraction((self.weights * least).sum())

    def _squares(self, along: Integers, reciprocals: Integers, unit: int) -> Fractions:
        """Return ``y_x' J y_x`` of each line."""
        return np.asarray((along**2 @ reciprocals) / Fraction(unit**2 * ONE << DIGITS))


def _over_one(matrix: Fractions) -> tuple[Integers, int]:
    """Return a matrix of fractions as integers over one denominator."""
    unit = math.lcm(*(entry.denominator for entry in matrix.flat))
    return np.array([[int(entry * unit) for entry in row] for row in matrix], dtype=object), unit


def _no_lines(_: Any) -> NoReturn:
    raise CertificateError("The proof fails: it has no lines.")
