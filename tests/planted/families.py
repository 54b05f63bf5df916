"""Families with one planted defect each, and the clause that must catch it."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.families import KaryResponse, LocalHashing, ProjectiveGeometry
from mechdesign.families.finite_field import Vectors

RATIO = Fraction(27, 10)


class OneHyperplaneMore(ProjectiveGeometry):
    """The first point is on a hyperplane more than the others."""

    def covers(self, inputs, reports):
        return super().covers(inputs, reports) | ((inputs == 0) & (reports == self.outputs - 1))


class WithoutTrace(ProjectiveGeometry):
    """Characters are products of digits, which in a field of p^m elements are not those of the trace."""

    @property
    def vectors(self):
        return OfDigits(self.q, self.t)


class OfDigits(Vectors):
    def duals(self, codes):
        return codes


class OftenerByOneUlp(KaryResponse):
    """The person's input is reported a little more often than the ratio allows."""

    @property
    def own(self):
        return super().own + Fraction(1, 2**52)


class ZeroIsAHyperplane(ProjectiveGeometry):
    """The vector 0, which is no hyperplane, is taken for the first one and not drawn again."""

    def numbers(self, elements):
        return np.where(elements.any(axis=0), super().numbers(np.maximum(elements, ~elements.any(axis=0))), 0)

    def drawn(self, inputs, covering, read):
        from mechdesign.families.projective_geometry import through

        points = self.vectors.elements(self.codes(inputs))
        last = self.t - 1 - (points[::-1] != 0).argmax(axis=0)
        return self.numbers(through(self.vectors, points, last, covering, read, nonzero=False))


class HashedByRemainder(LocalHashing):
    """Functions are remainders of products, as is usual: two inputs collide more often than one in q."""

    def _hashed(self, functions, inputs):
        return functions * (inputs + 1) % 31 % self.q


class AnotherThanOthers(KaryResponse):
    """A lie may be the truth: another input is drawn from all of them."""

    def drawn(self, inputs, covering, read):
        found = super().drawn(inputs, covering, read)
        return np.where(covering, found, np.where(found == self.n - 1, inputs, found))


@dataclass(frozen=True, eq=False)
class Shortened(ProjectiveGeometry):
    """The variance is the one of an input that nobody has."""

    def total_variance(self):
        return float(self.n * self.other * (1 - self.other) / (self.own - self.other) ** 2)


PLANTED = [
    ("a 2-design", OneHyperplaneMore(13, RATIO, 3, 3)),
    ("transforms", WithoutTrace(91, RATIO, 9, 3)),
    ("exact laws", OftenerByOneUlp(5, RATIO)),
    ("sampler", ZeroIsAHyperplane(7, RATIO, 2, 3)),
    ("a 2-design", HashedByRemainder(20, RATIO, 3, 3)),
    ("sampler", AnotherThanOthers(6, RATIO)),
    ("variances", Shortened(13, RATIO, 3, 3)),
]
