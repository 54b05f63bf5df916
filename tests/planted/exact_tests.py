"""Notions whose exact test of functionals has one planted defect each, and the clause that must catch it."""

from dataclasses import replace
from fractions import Fraction

import mechdesign as md
from tests.planted.bent import bent

PRIOR = md.Problem(prior=[0.2, 0.3, 0.5])
TWO = md.Problem(n=2)
GAIN = [[1.0, 0.0, 0.2], [0.0, 1.0, 0.0], [0.3, 0.3, 0.9]]
LINE = [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
PROFILES = {"epsilon": 1.0, "profiles": [[0.5, 0.5], [0.25, 0.75]], "edges": [(0, 1)]}
INTERVALS = {"epsilon": 0.5, "lower": [0.1, 0.2, 0.3], "upper": [0.3, 0.5, 0.6]}


class DualOfHalf(md.LDP):
    """The exact test takes the cone of half the level: it lets functionals pass that are negative."""

    def shape(self, problem):
        def nonnegative(shape, functionals, shown=None):
            return md.LDP(self.epsilon / 2).shape(problem).nonnegative(functionals, shown)

        return bent(super().shape(problem), nonnegative=nonnegative)


class DualOfLower(md.LIP):
    """The exact test takes the cone of a level that is lower by a hundredth."""

    def shape(self, problem):
        def nonnegative(shape, functionals, shown=None):
            return md.LIP(0.99 * self.epsilon).shape(problem).nonnegative(functionals, shown)

        return bent(super().shape(problem), nonnegative=nonnegative)


class DualOfDouble(md.LDP):
    """The exact test takes the cone of twice the level: it proves less than there is."""

    def shape(self, problem):
        def nonnegative(shape, functionals, shown=None):
            return md.LDP(2 * self.epsilon).shape(problem).nonnegative(functionals, shown)

        return bent(super().shape(problem), nonnegative=nonnegative)


class OfHalf:
    """The exact test with numbers of its own is that of half the level."""

    def shape(self, problem):
        (kind,) = (base for base in type(self).__bases__ if base is not OfHalf)
        given = {name: getattr(self, name) for name in self.domains} | {"epsilon": self.epsilon / 2}
        half = kind(**given).shape(problem)
        return bent(super().shape(problem), nonnegative=lambda _, *given: half.nonnegative(*given))


class MetricOfHalf(OfHalf, md.MetricDP): ...


class ProfilesOfHalf(OfHalf, md.ProfileDP): ...


class IntervalsOfHalf(OfHalf, md.BoundedPriorLIP): ...


class DistanceOfHalf(OfHalf, md.StrongL1): ...


class DivergenceOfHalf(OfHalf, md.StrongChiSquare): ...


class MoreCharged:
    """The exact test lets a functional count a hundredth more for a budget than its charge."""

    def shape(self, problem):
        def nonnegative(shape, functionals, shown=None):
            more = None if shown is None else replace(shown, charges=shown.charges * Fraction(101, 100))
            return shape.nonnegative(functionals, more)

        return bent(super().shape(problem), nonnegative=nonnegative)


class MoreExcess(MoreCharged, md.ApproximateLDP): ...


class MoreLeakage(MoreCharged, md.MaximalLeakage): ...


class MoreInformation(MoreCharged, md.MutualInformationPrivacy): ...


class MoreNorm(MoreCharged, md.SibsonLeakage): ...


class MoreGain(MoreCharged, md.GLeakage): ...


class MoreVariation(MoreCharged, md.WeightedTV): ...


class NumbersIgnored(md.MetricDP):
    """The exact test does without the numbers of pairs, and shows next to nothing."""

    def shape(self, problem):
        def nonnegative(shape, functionals, shown=None):
            return shape.nonnegative(functionals)

        return bent(super().shape(problem), nonnegative=nonnegative)


class AnyCharge(md.ApproximateLDP):
    """The numbers of pairs are not held against their charges."""

    def shape(self, problem):
        def nonnegative(shape, functionals, shown=None):
            more = None if shown is None else replace(shown, charges=shown.charges * 10**9)
            return shape.nonnegative(functionals, more)

        return bent(super().shape(problem), nonnegative=nonnegative)


class RowsOfHalf(md.LDP):
    """The exact rows are those of half the level: private columns are outside of them."""

    def shape(self, problem):
        half = md.LDP(self.epsilon / 2).shape(problem)
        return bent(super().shape(problem), exact_rows=lambda _: half.exact_rows())


class RowsOfMore(md.MetricDP):
    """The exact rows are those of a level that is higher by a hundredth: they leave more than there is."""

    def shape(self, problem):
        more = md.MetricDP(1.01 * self.epsilon, self.distance).shape(problem)
        return bent(
            super().shape(problem),
            exact_rows=lambda _: more.exact_rows(),
        )


class RowMissing(md.LIP):
    """One of the exact rows is missing."""

    def shape(self, problem):
        return bent(super().shape(problem), exact_rows=lambda shape: shape.exact_rows()[1:])


#: Clause, the sound notion, the same with a defect, the problem.
NOTIONS = [
    ("dual is tight", md.MetricDP(1.0, LINE), MetricOfHalf(1.0, LINE), PRIOR),
    ("dual is tight", md.MetricDP(1.0, LINE), NumbersIgnored(1.0, LINE), PRIOR),
    ("dual is tight", md.ProfileDP(**PROFILES), ProfilesOfHalf(**PROFILES), TWO),
    ("dual is tight", md.BoundedPriorLIP(**INTERVALS), IntervalsOfHalf(**INTERVALS), PRIOR),
    ("dual is tight", md.StrongL1(0.5), DistanceOfHalf(0.5), PRIOR),
    ("dual is tight", md.StrongChiSquare(0.5), DivergenceOfHalf(0.5), PRIOR),
    ("dual is tight", md.ApproximateLDP(0.5, 0.1), MoreExcess(0.5, 0.1), PRIOR),
    ("dual is tight", md.ApproximateLDP(0.5, 0.1), AnyCharge(0.5, 0.1), PRIOR),
    ("dual is tight", md.MaximalLeakage(0.5), MoreLeakage(0.5), PRIOR),
    ("dual is tight", md.MutualInformationPrivacy(0.5), MoreInformation(0.5), PRIOR),
    ("dual is tight", md.SibsonLeakage(0.5, 3.0), MoreNorm(0.5, 3.0), PRIOR),
    ("dual is tight", md.GLeakage(0.2, GAIN), MoreGain(0.2, GAIN), PRIOR),
    ("dual is tight", md.WeightedTV(0.5), MoreVariation(0.5), TWO),
    ("dual is sound", md.LDP(1.0), DualOfHalf(1.0), PRIOR),
    ("exact rows", md.LDP(1.0), RowsOfHalf(1.0), PRIOR),
    ("exact rows", md.MetricDP(1.0, LINE), RowsOfMore(1.0, LINE), PRIOR),
    ("exact rows", md.LIP(1.0), RowMissing(1.0), PRIOR),
    ("dual is tight", md.LIP(1.0), DualOfLower(1.0), PRIOR),
    ("dual is tight", md.LDP(1.0), DualOfDouble(1.0), PRIOR),
]
