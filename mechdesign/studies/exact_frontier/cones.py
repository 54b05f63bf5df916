"""Extreme columns of a notion as polynomials in ``E = e^epsilon``, and which of them a functional is largest on.

A column is named by what does not depend on E: which entries are largest, and which one, if any, lies between. Its
entries are polynomials, up to a positive factor that all of them share.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_poly

#: Inputs with the largest entry; the input between, -1 where there is none.
Name = tuple[frozenset[int], int]
Polynomials = Sequence[fmpq_poly]
BASE, ONE = fmpq_poly([0, 1]), fmpq_poly([1])


class Columns(ABC):
    """The extreme columns of one notion over n inputs, at every level."""

    #: The largest degree of an entry.
    degree: int

    @abstractmethod
    def column(self, name: Name) -> Polynomials:
        """Return the entries, n of them."""

    @abstractmethod
    def allowed(self, name: Name) -> Polynomials:
        """Return polynomials that are nowhere negative exactly where the notion allows the column of that name."""

    @abstractmethod
    def best(self, functional: Sequence[fmpq], base: fmpq) -> Name:
        """Return the column on which a functional is largest for its mass, at a rational E > 1."""

    @abstractmethod
    def conditions(self, name: Name, functional: Polynomials) -> Polynomials:
        """Return polynomials that are nowhere negative exactly where that column is a best one of the functional."""

    def excess(self, name: Name, functional: Polynomials) -> fmpq_poly:
        """Return the functional of a column: a polynomial."""
        terms = (f * entry for f, entry in zip(functional, self.column(name), strict=True))
        return sum(terms, fmpq_poly([0]))


@dataclass(frozen=True)
class SetColumns(Columns):
    """Those of LDP: E on a set of inputs, 1 elsewhere."""

    inputs: int
    degree = 1

    def column(self, name: Name) -> Polynomials:
        """Return E on the set, 1 elsewhere."""
        return [BASE if x in name[0] else ONE for x in range(self.inputs)]

    def allowed(self, name: Name) -> Polynomials:
        """Return none: it is allowed at every level."""
        return []

    def best(self, functional: Sequence[fmpq], base: fmpq) -> Name:
        """Return the set of the inputs with a positive functional."""
        return frozenset(x for x, f in enumerate(functional) if f > 0), -1

    def conditions(self, name: Name, functional: Polynomials) -> Polynomials:
        """Return the functional on the set, and minus it elsewhere."""
        return [f if x in name[0] else -f for x, f in enumerate(functional)]


@dataclass(frozen=True)
class LiftColumns(Columns):
    """Those of bounds of the lift: `high` on a set, `low` elsewhere, and one entry between so that the mass is `mass`.

    All three are polynomials in E; the prior is positive and sums to 1.
    """

    prior: tuple[fmpq, ...]
    low: fmpq_poly
    high: fmpq_poly
    mass: fmpq_poly

    @property
    def degree(self) -> int:  # type: ignore[override] # a field of the others
        """The largest degree of an entry."""
        return int(max(self.low.degree(), self.high.degree(), self.mass.degree()))

    def column(self, name: Name) -> Polynomials:
        """Return the entries."""
        full, between = name
        found = [self.high if x in full else self.low for x in range(len(self.prior))]
        others = sum((p * found[x] for x, p in enumerate(self.prior) if x != between), fmpq_poly([0]))
        found[between] = (self.mass - others) / self.prior[between]
        return found

    def allowed(self, name: Name) -> Polynomials:
        """Return the distances of the intermediate entry from the lowest and from the highest."""
        entry = self.column(name)[name[1]]
        return [entry - self.low, self.high - entry]

    def best(self, functional: Sequence[fmpq], base: fmpq) -> Name:
        """Return the inputs of the largest ratio of functional to prior that fill the mass; the last in part."""
        order = sorted(range(len(self.prior)), key=lambda x: -functional[x] / self.prior[x])
        low, room = self.low(base), self.high(base) - self.low(base)
        left, full = self.mass(base) - low, set[int]()
        for x in order:
            if left <= self.prior[x] * room:
                return frozenset(full), x
            left -= self.prior[x] * room
            full.add(x)
        raise ArithmeticError("the largest lifts do not fill the mass")

    def conditions(self, name: Name, functional: Polynomials) -> Polynomials:
        """Return that no input outside has a larger ratio than one inside, and that the entry lies between."""
        full, between = name
        middle = functional[between]
        found = []
        for x, f in enumerate(functional):
            ahead = f * self.prior[between] - middle * self.prior[x]
            if x != between:
                found.append(ahead if x in full else -ahead)
        return [*found, *self.allowed(name)]
