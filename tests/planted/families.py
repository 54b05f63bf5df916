"""Families with one planted defect each, and the clause that must catch it."""

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from mechdesign.families import (
    KaryResponse,
    LocalHashing,
    OptimisedUnaryEncoding,
    ProjectiveGeometry,
    SubsetSelection,
    SymmetricUnaryEncoding,
    TwoGroups,
)
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


class ShiftedByRemainder(SubsetSelection):
    """Shifts are added as whole numbers, which in a field of p^m elements is no addition."""

    def covers(self, inputs, reports):
        functions, shifts = self._functions_and_shifts(reports)
        return (self._hashed(functions, inputs) - shifts) % self.q < self.covered


class FirstValueAlways(SubsetSelection):
    """Of the covered values the first one is reported, whatever the input."""

    def drawn(self, inputs, covering, read):
        found = super().drawn(inputs, covering, read)
        functions, _ = self._functions_and_shifts(found)
        return np.where(covering, (functions - 1) * self.q + self._hashed(functions, inputs), found)


class HalfOfTheSpectrum(SubsetSelection):
    """Of two conjugate terms one is left out."""

    def _spectrum(self, shifts):
        return ((factor, turned / 2) for factor, turned in super()._spectrum(shifts))


class WithTheConstant(SubsetSelection):
    """The function 0 is counted among the others, whose shifts cover all inputs or none."""

    @property
    def design(self):
        reports, covering, both = super().design
        return reports + self.q, covering + self.k, both


class AllOfEpsilon(SymmetricUnaryEncoding):
    """Each bit is flipped with 1 / (E + 1): as two bits differ, the level is twice as large."""

    @property
    def own(self):
        return self.ratio / (self.ratio + 1)

    @property
    def other(self):
        return 1 / (self.ratio + 1)


class BitsFromTheLeft(OptimisedUnaryEncoding):
    """The first input has the highest bit of a byte, as numpy packs bits by default."""

    def covers(self, inputs, reports):
        return reports[np.arange(len(inputs)), inputs // 8] >> (7 - inputs % 8) & 1 == 1


class OwnBitBesideNoise(OptimisedUnaryEncoding):
    """The own bit is added to the noise that all bits have, in place of its own coin alone."""

    def sample(self, inputs, read):
        noise = OptimisedUnaryEncoding(self.n, self.ratio).sample((inputs + 1) % self.n, read)
        own = super().sample(inputs, read)
        at = np.arange(len(inputs)), inputs // 8
        own[at] |= noise[at] & (1 << inputs % 8).astype(np.uint8)
        return own


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


class OfEqualWeights(TwoGroups):
    """Reports of both kinds have the weights that one kind would have."""

    @property
    def weights(self):
        first, second = super().weights
        return (first + second) / 2, (first + second) / 2


class OneSubsetBeside(TwoGroups):
    """People of frequent inputs always report the first subset of rare ones with theirs."""

    def _drawn(self, kind, group, own, count, read):
        found = super()._drawn(kind, group, own, count, read)
        return found if (kind, group) != (1, 1) else found - (found - self._sizes[0]) % self._sizes[1]


class WithoutRare(TwoGroups):
    """Two rare inputs are taken for as far apart as a rare one and a frequent one."""

    @property
    def pairs(self):
        return super().pairs[1:]


class OfOneKind(TwoGroups):
    """Offsets are the ones that reports of one kind would have."""

    @property
    def law(self):
        law = super().law
        return replace(law, kinds=np.mean(law.kinds) * np.ones((2, 2)) + 0.01 * np.eye(2))


GROUPS = (9, RATIO, (1, 2, 5, 7), (5, 2), (2, 1), (3, 1), 0.4)

PLANTED = [
    ("exact laws", OfEqualWeights(*GROUPS)),
    ("sampler", OneSubsetBeside(*GROUPS)),
    ("pairs of rows", WithoutRare(*GROUPS)),
    ("estimates", OfOneKind(*GROUPS)),
    ("even covers", OneHyperplaneMore(13, RATIO, 3, 3)),
    ("transforms", WithoutTrace(91, RATIO, 9, 3)),
    ("exact laws", OftenerByOneUlp(5, RATIO)),
    ("sampler", ZeroIsAHyperplane(7, RATIO, 2, 3)),
    ("even covers", HashedByRemainder(20, RATIO, 3, 3)),
    ("even covers", ShiftedByRemainder(9, RATIO, 9, 1, 4)),
    ("sampler", FirstValueAlways(7, RATIO, 7, 1, 3)),
    ("transforms", HalfOfTheSpectrum(7, RATIO, 7, 1, 3)),
    ("even covers", WithTheConstant(9, RATIO, 3, 2, 2)),
    ("exact laws", AllOfEpsilon(4, Fraction(9, 4))),
    ("transforms", BitsFromTheLeft(10, RATIO)),
    ("sampler", OwnBitBesideNoise(5, RATIO)),
    ("sampler", AnotherThanOthers(6, RATIO)),
    ("estimates", Shortened(13, RATIO, 3, 3)),
]
