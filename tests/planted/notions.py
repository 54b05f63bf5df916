"""Notions with one planted defect each, and the clause that must catch it."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np

import mechdesign as md
from mechdesign.catalogue.edge import Edge
from mechdesign.exact import exp_below
from mechdesign.notions import Cone, Level, Rays, Support
from tests.planted import exact_tests
from tests.planted.bent import bent


class InputsRenamed(md.LDP):
    def inputs(self, problem):
        return replace(problem, labels=tuple(f"<{problem.named(x)}>" for x in range(problem.n)))


class LevelStays(md.LDP):
    def at(self, level):
        return self


class HalfCone(md.LDP):
    def cone(self, problem):
        return Cone.band(problem.channel, 1.0, np.exp(self.epsilon / 2))


class SecondSmallest(md.LDP):
    def level(self, matrix, problem):
        ranked = np.sort(np.asarray(matrix), axis=0)
        ratios = np.log(ranked[-1] / ranked[1])
        return Level(float(ratios.max()), (0, 1), int(ratios.argmax()))


class DoubleCone(md.LIP):
    def cone(self, problem):
        return md.LIP(2 * self.epsilon).cone(problem)


class OneSidedCone(md.LIP):
    def cone(self, problem):
        return Cone.of_rows(np.exp(self.epsilon) * problem.prior - np.eye(problem.n))


class ConeWithoutPrior(md.LIP):
    def cone(self, problem):
        uniform = np.full(problem.n, 1 / problem.n)
        return Cone.band(problem.channel, np.exp(-self.epsilon), np.exp(self.epsilon), uniform)


class SmallestRatio(md.LDP):
    def level(self, matrix, problem):
        matrix = np.asarray(matrix)
        ratios = np.log(matrix.max(axis=0) / matrix.min(axis=0))
        return Level(float(ratios.min()), (0, 1), int(ratios.argmin()))


class DoubledExactCheck(md.LDP):
    def holds_exactly(self, numerators, problem):
        return md.LDP(2 * self.epsilon).holds_exactly(numerators, problem)


class StricterExactCheck(md.LIP):
    def holds_exactly(self, numerators, problem):
        return md.LIP(self.epsilon * (1 - 1e-6)).holds_exactly(numerators, problem)


class UpperExponential(md.LIP):
    def holds_exactly(self, numerators, problem):
        seen = problem.exactly_seen_by_secret(numerators).astype(object)
        prior = np.array(problem.exact_prior_of_secret, dtype=object)
        mass, total, ratio = prior @ seen, int(sum(prior)), 1 / exp_below(-self.epsilon)
        above = seen.max(axis=0) * (total * ratio.denominator) <= mass * ratio.numerator
        below = mass * ratio.denominator <= seen.min(axis=0) * (total * ratio.numerator)
        return bool(np.all(above & below))


class ExactInFloats(md.LDP):
    def holds_exactly(self, numerators, problem):
        floats = np.array([[float(Fraction(int(entry), int(sum(row)))) for entry in row] for row in numerators])
        return bool(np.all(floats.max(axis=0) <= np.exp(self.epsilon) * floats.min(axis=0) * (1 + 1e-15)))


class ApproximateInFloats(md.ApproximateLDP):
    def holds_exactly(self, numerators, problem):
        return self.level(np.array(numerators / sum(numerators[0]), dtype=float), problem).value <= self.delta + 1e-15


class LeakageInFloats(md.MaximalLeakage):
    def holds_exactly(self, numerators, problem):
        return self.level(np.array(numerators / sum(numerators[0]), dtype=float), problem).value <= self.epsilon + 1e-15


class InformationInFloats(md.MutualInformationPrivacy):
    def holds_exactly(self, numerators, problem):
        return self.level(np.array(numerators / sum(numerators[0]), dtype=float), problem).value <= self.epsilon + 1e-15


class RoundedBudget(md.WeightedTV):
    def holds_exactly(self, numerators, problem):
        return self.level(np.array(numerators / sum(numerators[0]), dtype=float), problem).value <= self.delta


class ForgottenLeast(md.WeightedTV):
    def shape(self, problem):
        return bent(super().shape(problem), least_level=0.0)


class LevelFromOne(md.LDP):
    def level(self, matrix, problem):
        found = super().level(matrix, problem)
        return Level(found.value + 0.01, found.inputs, found.output)


class ZeroColumnsLeak(md.LDP):
    def level(self, matrix, problem):
        found = super().level(matrix, problem)
        empty = bool(np.any(np.asarray(matrix).max(axis=0) == 0))
        return Level(math.inf, found.inputs, found.output) if empty else found


class ZeroColumnsRefused(md.LDP):
    def holds_exactly(self, numerators, problem):
        return bool(np.all(numerators > 0)) and super().holds_exactly(numerators, problem)


class WrongOutput(md.LIP):
    def level(self, matrix, problem):
        found = super().level(matrix, problem)
        return Level(found.value, found.inputs, (found.output + 1) % np.asarray(matrix).shape[1])


class UnknownInput(md.LIP):
    def level(self, matrix, problem):
        found = super().level(matrix, problem)
        return Level(found.value, (problem.n + 1,), found.output)


class NotClosed(md.LDP):
    """A difference for each output: merging two outputs adds theirs, so it is not closed, though it says so."""

    def level(self, matrix, problem):
        spread = np.ptp(np.asarray(matrix), axis=0)
        return Level(float(spread.max()), (0, 1), int(spread.argmax()))


class OrderMatters(md.LDP):
    def level(self, matrix, problem):
        return md.LDP.level(self, np.asarray(matrix)[:, 1:], problem)


class NotConvex(md.LDP):
    """The better of two outputs: two matrices may each be private at another one, their mixture at none."""

    def level(self, matrix, problem):
        return min(
            (md.LDP.level(self, np.asarray(matrix)[:, [y]], problem) for y in (0, 1)), key=lambda level: level.value
        )


class NotNested(md.LDP):
    def holds_exactly(self, numerators, problem):
        holds = super().holds_exactly(numerators, problem)
        return holds and not md.LDP(self.epsilon / 2).holds_exactly(numerators, problem)


class NotNestedProgram(md.LDP):
    def cone(self, problem):
        return md.LDP(0.1 if self.epsilon > 0.9 else self.epsilon).cone(problem)


class MassTwo(md.LIP):
    def shape(self, problem):
        return bent(super().shape(problem), normal=2 * problem.prior)


class NormalWithZero(md.LDP):
    def shape(self, problem):
        return bent(super().shape(problem), normal=np.eye(problem.n)[0])


class ChannelNormalised(md.LDP):
    def shape(self, problem):
        return bent(super().shape(problem), cone_of=lambda shape, seen: shape.cone_of(seen / seen.sum(axis=0)))


class ChannelForgotten(md.MaximalLeakage):
    def shape(self, problem):
        return bent(super().shape(problem), budget_of=lambda shape, seen: shape.budget_of(np.round(seen)))


class SaysFlat(md.StrongChiSquare):
    polyhedral = True


class WideRays(md.LDP):
    def shape(self, problem):
        return bent(super().shape(problem), rays=lambda shape: md.LDP(2 * self.epsilon).shape(problem).rays())


class FreeRays(md.WeightedTV):
    def shape(self, problem):
        def rays(shape):
            columns = shape.rays().columns
            return Rays(columns, np.zeros((1, columns.shape[1])))

        return bent(super().shape(problem), rays=rays)


class OneRay(md.LDP):
    def shape(self, problem):
        return bent(super().shape(problem), rays=lambda shape: Rays(shape.rays().columns[:, :1], np.zeros((0, 1))))


class NoRays(md.LDP):
    def shape(self, problem):
        return bent(super().shape(problem), rays=lambda shape: Rays(np.zeros((problem.n, 0)), np.zeros((0, 0))))


class NoSingletons(md.LDP):
    def shape(self, problem):
        def rays(shape):
            columns = shape.rays().columns
            kept = (columns == 1).sum(axis=0) > 1
            return Rays(columns[:, kept], np.zeros((0, int(kept.sum()))))

        return bent(super().shape(problem), rays=rays)


class NoBalance(md.WeightedTV):
    def shape(self, problem):
        def rays(shape):
            known = shape.rays()
            return Rays(known.columns[:, : problem.n], known.cost[:, : problem.n])

        return bent(super().shape(problem), rays=rays)


class OneRayTooMany(md.LIP):
    def shape(self, problem):
        def rays(shape):
            columns = np.hstack([shape.rays().columns, np.ones((problem.n, 1))])
            return Rays(columns, np.zeros((0, columns.shape[1])))

        return bent(super().shape(problem), rays=rays)


class OneRayTooFew(md.LIP):
    def shape(self, problem):
        def rays(shape):
            columns = shape.rays().columns[:, 1:]
            return Rays(columns, np.zeros((0, columns.shape[1])))

        return bent(super().shape(problem), rays=rays)


class CountTooSmall(md.LIP):
    def shape(self, problem):
        return bent(super().shape(problem), ray_count=lambda shape: 2.0)


class ShortSupport(md.LIP):
    def shape(self, problem):
        def support(shape, functionals, nu):
            known = shape.support(functionals, nu)
            return Support(known.values - 0.01 * np.abs(known.values), known.columns)

        return bent(super().shape(problem), support=support)


class UnsortedSupport(md.LDP):
    def shape(self, problem):
        def support(shape, functionals, nu):
            columns = np.tile(1 + (np.exp(self.epsilon) - 1) * np.eye(problem.n)[0], (len(functionals), 1)).T
            columns = columns / columns.mean(axis=0)
            return Support(np.einsum("tx,xt->t", functionals, columns), columns)

        return bent(super().shape(problem), support=support)


class LooseSupport(md.LIP):
    def shape(self, problem):
        def support(shape, functionals, nu):
            known = shape.support(functionals, nu)
            return Support(known.values + 0.01 * np.abs(functionals).max(axis=1), known.columns)

        return bent(super().shape(problem), support=support)


class SupportOffSlice(md.LIP):
    def shape(self, problem):
        def support(shape, functionals, nu):
            known = shape.support(functionals, nu)
            return Support(2 * known.values, 2 * known.columns)

        return bent(super().shape(problem), support=support)


class SupportOutside(md.LDP):
    def shape(self, problem):
        def support(shape, functionals, nu):
            return md.LDP(2 * self.epsilon).shape(problem).support(functionals, nu)

        return bent(super().shape(problem), support=support)


class FirstLevelOnly(md.Intersection):
    def level(self, matrix, problem):
        found = self.notions[0].level(matrix, problem)
        return Level(found.value, found.inputs, found.output, (found.value,) * len(self.notions))


class EitherHolds(md.Intersection):
    def holds_exactly(self, numerators, problem):
        return any(notion.holds_exactly(numerators, problem) for notion in self.notions)


class FirstConeOnly(md.Intersection):
    def cone(self, problem):
        return self.notions[0].cone(problem)


class SaysConvex(md.UtilityOptimizedLDP):
    convex = True


class SaysClosed(md.UtilityOptimizedLDP):
    closed_under_postprocessing = True


class RevealsAll(md.UtilityOptimizedLDP):
    def shape(self, problem):
        return bent(super().shape(problem), revealed=tuple(range(problem.n)))


class AnyBlockIsAll(md.BlockLDP):
    def plain(self, problem):
        return md.LDP(self.epsilon)


class PlainAtHalf(md.WorstCaseLIP):
    def plain(self, problem):
        return md.LDP(self.epsilon / 2)


class PlainByPrior(md.WorstCaseLIP):
    def plain(self, problem):
        return md.LIP(self.epsilon)


class NeverPlain(md.LDP):
    def plain(self, problem):
        return NeverPlain(self.epsilon / 2)


PRIOR = md.Problem(prior=[0.2, 0.3, 0.5])
PARTS = (md.LDP(0.8), md.LIP(0.9))
TWO = md.Problem(n=2)


#: Clause, the sound notion, the same with a defect, the problem.
NOTIONS = [
    *exact_tests.NOTIONS,
    ("inputs", md.LDP(1.0), InputsRenamed(1.0), PRIOR),
    ("inputs", md.LDP(1.0), LevelStays(1.0), PRIOR),
    ("program accepts", md.LDP(1.0), HalfCone(1.0), PRIOR),
    ("program accepts", md.LDP(1.0), SecondSmallest(1.0), PRIOR),
    ("program refuses", md.LIP(1.0), DoubleCone(1.0), PRIOR),
    ("program refuses", md.LIP(1.0), OneSidedCone(1.0), PRIOR),
    ("program refuses", md.LIP(1.0), ConeWithoutPrior(1.0), md.Problem(prior=[0.05, 0.15, 0.8])),
    ("exact", md.LDP(1.0), SmallestRatio(1.0), PRIOR),
    ("exact", md.LDP(1.0), DoubledExactCheck(1.0), PRIOR),
    ("exact", md.LIP(1.0), StricterExactCheck(1.0), PRIOR),
    ("least level", md.WeightedTV(0.7, 0.3), ForgottenLeast(0.7, 0.3), TWO),
    ("least level", md.LDP(1.0), LevelFromOne(1.0), PRIOR),
    ("zero columns", md.LDP(1.0), ZeroColumnsLeak(1.0), PRIOR),
    ("zero columns", md.LDP(1.0), ZeroColumnsRefused(1.0), PRIOR),
    ("witness", md.LIP(1.0), WrongOutput(1.0), PRIOR),
    ("witness", md.LIP(1.0), UnknownInput(1.0), PRIOR),
    ("post-processing", md.LDP(1.0), NotClosed(1.0), PRIOR),
    ("post-processing", md.LDP(1.0), OrderMatters(1.0), PRIOR),
    ("mixtures", md.LDP(1.0), NotConvex(1.0), PRIOR),
    ("nest", md.LDP(1.0), NotNested(1.0), PRIOR),
    ("nest", md.LDP(1.0), NotNestedProgram(1.0), PRIOR),
    ("parts", md.Intersection(PARTS), FirstLevelOnly(PARTS), PRIOR),
    ("parts", md.Intersection(PARTS), EitherHolds(PARTS), PRIOR),
    ("parts", md.Intersection(PARTS), FirstConeOnly(PARTS), PRIOR),
    ("mixtures", md.UtilityOptimizedLDP(1.0, (0,)), SaysConvex(1.0, (0,)), PRIOR),
    ("post-processing", md.UtilityOptimizedLDP(1.0, (0,)), SaysClosed(1.0, (0,)), PRIOR),
    ("rays are private", md.UtilityOptimizedLDP(1.0, (0,)), RevealsAll(1.0, (0,)), PRIOR),
    ("plain form", md.BlockLDP(1.0, ((0, 1),)), AnyBlockIsAll(1.0, ((0, 1),)), PRIOR),
    ("plain form", md.WorstCaseLIP(1.0), PlainAtHalf(1.0), PRIOR),
    ("plain form", md.WorstCaseLIP(1.0), PlainByPrior(1.0), PRIOR),
    ("plain form", md.LDP(1.0), NeverPlain(1.0), PRIOR),
    ("normal", md.LIP(1.0), MassTwo(1.0), PRIOR),
    ("normal", md.LDP(1.0), NormalWithZero(1.0), PRIOR),
    ("shape", md.LDP(1.0), ChannelNormalised(1.0), PRIOR),
    ("shape", md.MaximalLeakage(1.0), ChannelForgotten(1.0), PRIOR),
    ("shape", md.StrongChiSquare(0.5), SaysFlat(0.5), PRIOR),
    ("rays are private", md.LDP(1.0), WideRays(1.0), PRIOR),
    ("rays are private", md.WeightedTV(0.6, 0.4), FreeRays(0.6, 0.4), TWO),
    ("rays hold the constant", md.LDP(1.0), OneRay(1.0), PRIOR),
    ("rays hold the constant", md.LDP(1.0), NoRays(1.0), PRIOR),
    ("rays reach", md.LDP(1.0), NoSingletons(1.0), PRIOR),
    ("rays reach", md.WeightedTV(0.6, 0.4), NoBalance(0.6, 0.4), TWO),
    ("rays are enumerated", md.LIP(1.0), OneRayTooMany(1.0), PRIOR),
    ("rays are enumerated", md.LIP(1.0), OneRayTooFew(1.0), PRIOR),
    ("rays are enumerated", md.LIP(1.0), CountTooSmall(1.0), PRIOR),
    ("support is largest", md.LIP(1.0), ShortSupport(1.0), PRIOR),
    ("support is largest", md.LDP(1.0), UnsortedSupport(1.0), PRIOR),
    ("support is attained", md.LIP(1.0), LooseSupport(1.0), PRIOR),
    ("support is attained", md.LIP(1.0), SupportOffSlice(1.0), PRIOR),
    ("support is attained", md.LDP(1.0), SupportOutside(1.0), PRIOR),
]


def _at_edge(kind, notion):
    edge = kind.card.edge()
    return edge, Edge(notion, edge.problem, edge.inside, edge.outside)


#: The sound edge, and the same matrices held against a notion with a defect.
EDGES = [
    _at_edge(md.ApproximateLDP, ApproximateInFloats(1.0, 0.25)),
    _at_edge(md.MaximalLeakage, LeakageInFloats(0.5)),
    _at_edge(md.MutualInformationPrivacy, InformationInFloats(0.25)),
    _at_edge(md.LIP, UpperExponential(1.0)),
    _at_edge(md.LDP, ExactInFloats(1.0)),
    _at_edge(md.WeightedTV, RoundedBudget(0.625, 0.25)),
    _at_edge(md.LIP, StricterExactCheck(1.0)),
]
