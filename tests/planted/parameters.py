"""Notions, objectives and generators with one planted defect of a parameter each, and the clause that must catch it."""

import math
from dataclasses import dataclass

import numpy as np

import mechdesign as md
from mechdesign.errors import DomainError
from mechdesign.objectives import PowerGenerator
from mechdesign.parameters import Blocks, Distribution, Edges, Indices, Matrix, Maybe, Real, Stochastic, Truth, Vector

ENDS = {"first": [0.6, 0.3, 0.1], "second": [0.2, 0.3, 0.5]}
LOSS = [[0.0, 1.0], [2.0, 1.5], [3.0, 0.5]]


class AcceptsNaN(md.LDP):
    def __post_init__(self):
        if not (isinstance(self.epsilon, float) and math.isnan(self.epsilon)):
            super().__post_init__()


@dataclass(frozen=True)
class LowEndOnly(Real):
    def outside(self, number):
        return np.isnan(number) | np.isinf(number) | (number < self.low)


class DeltaAboveOne(md.ApproximateLDP):
    domains = {**md.ApproximateLDP.domains, "delta": LowEndOnly(low=0.0, high=1.0)}


@dataclass(frozen=True)
class ClosedEnds(Real):
    def outside(self, number):
        return Real(self.low, self.high).outside(number)


class WeightOfOne(md.WeightedTV):
    domains = {**md.WeightedTV.domains, "weight": ClosedEnds(0.0, 1.0, open_low=True, open_high=True)}


class TruthsAreNumbers(md.LDP):
    def __post_init__(self):
        if isinstance(self.epsilon, bool):
            object.__setattr__(self, "epsilon", float(self.epsilon))
        super().__post_init__()


@dataclass(frozen=True)
class AnyBlocks(Blocks):
    def check(self, argument, value):
        if not isinstance(value, list) or not all(isinstance(block, list | tuple) for block in value):
            return super().check(argument, value)
        kept = [Indices("secrets").check(f"{argument}[{i}]", block) for i, block in enumerate(list(value))]
        return (
            tuple(sorted(kept))
            if any(len(block) > 1 for block in kept) and all(kept)
            else super().check(argument, value)
        )


class OverlappingBlocks(md.BlockLDP):
    domains = {**md.BlockLDP.domains, "blocks": AnyBlocks()}


@dataclass(frozen=True)
class OneWay(Matrix):
    def check(self, argument, value):
        return Matrix(self.entries, square=True, hollow=True).check(argument, value)


class DistanceOneWay(md.MetricDP):
    domains = {**md.MetricDP.domains, "distance": OneWay(Real(low=0.0), square=True, symmetric=True, hollow=True)}


@dataclass(frozen=True)
class Loops(Edges):
    def check(self, argument, value):
        if not isinstance(value, list):
            return super().check(argument, value)
        kept = [edge for edge in value if not (isinstance(edge, tuple) and len(edge) == 2 and edge[0] == edge[1])]
        return super().check(argument, kept)


class EdgeToItself(md.ProfileDP):
    domains = {**md.ProfileDP.domains, "edges": Loops("profiles")}


@dataclass(frozen=True)
class SecondWordless(Real):
    def error(self, argument, value):
        return DomainError(argument, value, "wrong", "no")


class Wordless(md.LDP):
    domains = {"epsilon": SecondWordless(low=0.0)}


class BlamesAnother(md.ApproximateLDP):
    def __post_init__(self):
        try:
            super().__post_init__()
        except DomainError as error:
            raise DomainError("epsilon", error.value, error.rule, error.remedy) from None


class Crashes(md.LDP):
    def __post_init__(self):
        if self.epsilon is None:
            raise ZeroDivisionError
        super().__post_init__()


class ForgottenWeight(md.WeightedTV):
    domains = {"delta": Real(low=0.0, high=1.0)}


class DomainOfNothing(md.LDP):
    domains = {**md.LDP.domains, "delta": Real(low=0.0, high=1.0)}


class NoZero(md.LDP):
    def __post_init__(self):
        super().__post_init__()
        if self.epsilon == 0:
            raise DomainError("epsilon", 0.0, "it has to be positive", "raise it")


class Drifts(md.ApproximateLDP):
    """Each time that it is made it has another delta: a saved one would come back as another."""

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "delta", 0.5 * self.delta)


class EmptyBox(md.BoundedPriorLIP):
    def check_together(self):
        if np.all(self.lower <= self.upper):
            return
        super().check_together()


class SilentRule(md.BoundedPriorLIP):
    def wrong_together(self):
        return iter(())


class EdgeBeyond(md.ProfileDP):
    def check_together(self):
        if self.profile_prior is not None:
            super().check_together()


@dataclass(frozen=True)
class SumAnything(Distribution):
    def check(self, argument, value):
        return Vector(Real(low=0.0)).check(argument, value)


class AnySum(md.KLDivergence):
    domains = {**md.KLDivergence.domains, "second": SumAnything()}


@dataclass(frozen=True)
class RowsOfAnything(Stochastic):
    def check(self, argument, value):
        return Matrix(Real(low=0.0)).check(argument, value)


class AnyProfiles(md.ProfileDP):
    domains = {**md.ProfileDP.domains, "profiles": RowsOfAnything()}


class ForgottenOrder(md.RenyiDivergence):
    domains = md.KLDivergence.domains


class ForgottenLoss(md.ExpectedLoss):
    domains = {}


class LossOfNaN(md.ExpectedLoss):
    def __post_init__(self):
        object.__setattr__(self, "loss", np.array(self.loss, dtype=float))


class OrderOfOne(PowerGenerator):
    domains = {"order": Real(low=0.0, open_low=True, without=(1.0, 1.0))}

    def __post_init__(self):
        if self.order not in {0.0, 1.0} or isinstance(self.order, bool):
            super().__post_init__()


class NumberForTruth(md.MutualInformation):
    def __post_init__(self):
        if isinstance(self.minimize, int):
            object.__setattr__(self, "minimize", bool(self.minimize))
        super().__post_init__()


class NotMaybe(md.WorstCaseLoss):
    domains = {**md.WorstCaseLoss.domains, "priors": Maybe(Stochastic())}

    def __post_init__(self):
        super().__post_init__()
        if self.priors is None:
            raise DomainError("priors", None, "it has to be given", "give some priors")


class OtherLengths(md.TotalVariation):
    def check_together(self):
        """Accept everything."""


class PythonsTruthOnly(md.MutualInformation):
    domains = {"minimize": Truth()}

    def __post_init__(self):
        if not isinstance(self.minimize, bool):
            raise DomainError("minimize", self.minimize, "it has to be true or false", "give a bool")


def without_labels(member, names):
    """Drop the labels of some parameters, as if they were in the order of any problem."""
    for name in names:
        given = getattr(member, name)
        if isinstance(given, dict):
            object.__setattr__(member, name, list(given.values()))


class BoxByPosition(md.BoundedPriorLIP):
    def __post_init__(self):
        without_labels(self, ("lower", "upper"))
        super().__post_init__()


class PairByPosition(md.TotalVariation):
    def __post_init__(self):
        without_labels(self, ("first", "second"))
        super().__post_init__()


BOX = (0.5, [0.1, 0.2, 0.3], [0.4, 0.5, 0.6])
PROFILES = (1.0, [[0.5, 0.5], [0.25, 0.75]], [(0, 1)])
LINE = [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]

#: Clause, the sound notion, the same with a defect.
NOTIONS = [
    ("domains are declared", md.WeightedTV(0.7, 0.3), ForgottenWeight(0.7, 0.3)),
    ("domains are declared", md.LDP(1.0), DomainOfNothing(1.0)),
    ("values outside", md.LDP(1.0), AcceptsNaN(1.0)),
    ("values outside", md.ApproximateLDP(1.0, 0.1), DeltaAboveOne(1.0, 0.1)),
    ("values outside", md.WeightedTV(0.7, 0.3), WeightOfOne(0.7, 0.3)),
    ("values outside", md.LDP(1.0), TruthsAreNumbers(1.0)),
    ("values outside", md.BlockLDP(1.0, [(0, 1), (2, 3)]), OverlappingBlocks(1.0, [(0, 1), (2, 3)])),
    ("values outside", md.MetricDP(1.0, LINE), DistanceOneWay(1.0, LINE)),
    ("values outside", md.ProfileDP(*PROFILES), EdgeToItself(*PROFILES)),
    ("values outside", md.ProfileDP(*PROFILES), AnyProfiles(*PROFILES)),
    ("values outside", md.LDP(1.0), Wordless(1.0)),
    ("values outside", md.ApproximateLDP(1.0, 0.1), BlamesAnother(1.0, 0.1)),
    ("values outside", md.LDP(1.0), Crashes(1.0)),
    ("values inside", md.LDP(1.0), NoZero(1.0)),
    ("values inside", md.ApproximateLDP(1.0, 0.1), Drifts(1.0, 0.1)),
    ("labels", md.BoundedPriorLIP(*BOX), BoxByPosition(*BOX)),
    ("combinations", md.BoundedPriorLIP(*BOX), EmptyBox(*BOX)),
    ("combinations", md.BoundedPriorLIP(*BOX), SilentRule(*BOX)),
    ("combinations", md.ProfileDP(*PROFILES), EdgeBeyond(*PROFILES)),
]

#: The same of objectives, and of a generator.
OBJECTIVES = [
    ("domains are declared", md.RenyiDivergence(2.0, **ENDS), ForgottenOrder(2.0, **ENDS)),
    ("domains are declared", md.ExpectedLoss(LOSS), ForgottenLoss(LOSS)),
    ("values outside", md.ExpectedLoss(LOSS), LossOfNaN(LOSS)),
    ("values outside", md.KLDivergence(**ENDS), AnySum(**ENDS)),
    ("values outside", md.MutualInformation(), NumberForTruth()),
    ("values outside", PowerGenerator(2.0), OrderOfOne(2.0)),
    ("values inside", md.WorstCaseLoss(LOSS, [[0.2, 0.3, 0.5]]), NotMaybe(LOSS, [[0.2, 0.3, 0.5]])),
    ("values inside", md.MutualInformation(), PythonsTruthOnly()),
    ("labels", md.TotalVariation(**ENDS), PairByPosition(**ENDS)),
    ("combinations", md.TotalVariation(**ENDS), OtherLengths(**ENDS)),
]
