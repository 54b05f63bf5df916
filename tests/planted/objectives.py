"""Objectives with one planted defect each, and the clause that must catch it."""

import math
from dataclasses import fields, replace
from fractions import Fraction

import numpy as np

import mechdesign as md
from mechdesign.catalogue.anchor import Anchor
from mechdesign.objectives import Ratio, Square
from mechdesign.objectives.exact_convex import TraceOfCovariance
from mechdesign.objectives.exact_form import ConvexOfRatio, LargestPiece


class OtherConstant(md.MMSE):
    def expression(self, Q, problem):
        return super().expression(Q, problem) + 1e-6


class OtherUnit(md.KLDivergence):
    def expression(self, Q, problem):
        return super().expression(Q, problem) / math.log(2)


class InputValues(md.MMSE):
    """The ratio forgets to centre the values, as if the offset were the second moment."""

    def ratio(self, problem):
        return Ratio(problem.prior * problem.values, problem.prior, Square())


class WholeNorm(md.TotalVariation):
    def column_utility(self, columns, problem):
        return 2 * super().column_utility(columns, problem)


class OtherSign(md.MMSE):
    def to_utility(self, value, problem):
        return value - self.offset(problem)


class ForgottenOffset(md.MMSE):
    def to_utility(self, value, problem):
        return -value


class SaysLinear(md.MMSE):
    kind = "linear"


class SaysMinimise(md.KLDivergence):
    sense = "minimise"


class Falling(md.MutualInformation):
    def value(self, matrix, problem):
        return 1 - super().value(matrix, problem)


class Squared(md.MMSE):
    def column_utility(self, columns, problem):
        return super().column_utility(columns, problem) ** 2


class Concave(md.MutualInformation):
    def column_utility(self, columns, problem):
        return -super().column_utility(columns, problem)


class PricedOutputs(md.MMSE):
    def column_utility(self, columns, problem):
        return super().column_utility(columns, problem) - 1e-3


class CountedOutputs(md.MutualInformation):
    def value(self, matrix, problem):
        return super().value(matrix, problem) - 0.1 * np.asarray(matrix).shape[1]


class FirstOutputMatters(md.MMSE):
    def value(self, matrix, problem):
        return super().value(matrix, problem) + 1e-3 * float(np.asarray(matrix)[0, 0])


class PerfectWithoutPrivacy(md.ExpectedLoss):
    def no_privacy(self, problem):
        return 0.0


class UninformativeIsZero(md.MMSE):
    def uninformative(self, problem):
        return 0.0


class SteepSupport(md.MMSE):
    def supporting(self, columns, problem):
        return 1.01 * super().supporting(columns, problem)


class ShiftedSupport(md.MutualInformation):
    def supporting(self, columns, problem):
        return super().supporting(columns, problem) + 1e-4


class SecondBest(md.ExpectedLoss):
    def supporting(self, columns, problem):
        return -self.cost(problem)[:, np.zeros(columns.shape[1], dtype=int)]


class HalfSlope(Square):
    def derivative(self, t):
        return t


class LowChord(Ratio):
    def chords(self, low, high):
        return self.functionals(low) - np.abs(self.functionals(high))


class WrongDerivative(md.MMSE):
    def ratio(self, problem):
        known = super().ratio(problem)
        return Ratio(known.a, known.b, HalfSlopeWithIntercept())


class HalfSlopeWithIntercept(HalfSlope):
    def intercept(self, t):
        return t * t - t * self.derivative(t) + 1e-3


class WrongChord(md.MMSE):
    def ratio(self, problem):
        known = super().ratio(problem)
        return LowChord(known.a, known.b, known.f)


class OneName(md.HammingLoss):
    def output_names(self, matrix, problem):
        return ("same",) * np.asarray(matrix).shape[1]


class TransposedCost(md.ExpectedLoss):
    def cost(self, problem):
        return super().cost(problem).T


class MissingPiece(md.WorstCaseLoss):
    def pieces(self, problem):
        return super().pieces(problem)[1:]


class UnscaledWeights(md.MutualInformation):
    def minorant(self, weights, problem):
        return problem.prior[:, None] * (np.zeros((problem.n, 1)) if weights is None else weights)


class HeavyWeights(md.LeakageLoss):
    def minorant(self, weights, problem):
        return super().minorant(weights, problem) + 0.1


class LightWeights(md.LeakageLoss):
    def weights_for(self, room, problem):
        return np.ones_like(room)


class AffineSteepness(md.RenyiDivergence):
    def steepness(self, value, problem):
        return 1.0


class OtherTransform(md.RenyiDivergence):
    def from_utility(self, utility, problem):
        return super().from_utility(utility, problem) * self.order


class NoBox(md.WorstCaseLoss):
    """Any prior counts, as if none had been given."""

    def weight_box(self, problem):
        return None


class ForgottenRoot(md.InformationDesign):
    """The bound takes trace(B) for trace(B^1/2)^2."""

    def least_value(self, slope, most, problem):
        return 2.0 * super().least_value(slope, most, problem)


class CountedReports(md.InformationDesign):
    def value(self, matrix, problem):
        return super().value(matrix, problem) * np.asarray(matrix).shape[1]


class BiasedFigure(md.InformationDesign):
    """The variance of the nearest estimator, whose bias is not counted."""

    def value(self, matrix, problem):
        theta = problem.prior / problem.prior.sum()
        matrix = matrix[:, matrix.max(axis=0) > 0]
        told = np.linalg.pinv((matrix - matrix.mean(axis=0)) / np.sqrt(theta @ matrix))
        return float(((told @ (self.direction - self.direction.mean())) ** 2).sum())


class MeanOfQueries(md.InformationDesign):
    """The variances of queries are averaged, although the largest is asked for."""

    def value(self, matrix, problem):
        of_sum = md.InformationDesign("A", queries=self.queries)
        return of_sum.value(matrix, problem) / len(self.queries)


class SumOfQueries(md.InformationDesign):
    """The bound takes the sum of the queries' variances for the largest of them."""

    def least_value(self, slope, most, problem):
        return md.InformationDesign("A", queries=self.queries).least_value(slope, most, problem)


class KnownSpread(md.InformationDesign):
    """Without privacy the variances are those of independent counts."""

    def no_privacy(self, problem):
        return float(problem.prior.sum())


class AverageForWorst(md.UnbiasedMean):
    """The variance is averaged over the inputs, although the largest is asked for."""

    def value(self, matrix, problem):
        return float(self._found(matrix, problem).variances.mean())


class BiasedEstimates(md.UnbiasedMean):
    """Estimates of least squares, whose bias is not counted."""

    def value(self, matrix, problem):
        estimates = self.estimates(matrix, problem)
        return float((matrix @ estimates**2 - problem.values**2).max())

    def estimates(self, matrix, problem):
        return 0.99 * np.linalg.pinv(matrix) @ problem.values


class SecondMoment(md.UnbiasedMean):
    """The square of the value is not taken off."""

    def value(self, matrix, problem):
        found = super().value(matrix, problem)
        return found if found == math.inf else float((matrix @ self.estimates(matrix, problem) ** 2).max())


PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[1.0, 2.0, 4.0])
ENDS = {"first": [0.6, 0.3, 0.1], "second": [0.2, 0.3, 0.5]}
RANGES = md.queries.ranges(3)
FIGURE = [1.0, 2.0, 4.0]
LOSS = [[0.0, 1.0], [2.0, 1.5], [3.0, 0.5]]
# The first input fares worst, whatever the matrix: without its piece the value is another.
WORST = [[9.0, 8.0], [2.0, 1.5], [3.0, 0.5]]
BOX = ([0.1, 0.2, 0.1], [0.4, 0.5, 0.6])


class NotCentredExactly(md.MMSE):
    """The exact utility takes the values as they are, and not less their mean."""

    def exact_form(self, problem):
        form = super().exact_form(problem)
        return replace(form, a=form.b * np.vectorize(Fraction, otypes=[object])(problem.values))


class OtherForm:
    """The exact form is of another class, which has the same fields."""

    def exact_form(self, problem):
        form = super().exact_form(problem)
        return self.form(**{each.name: getattr(form, each.name) for each in fields(form)})


class Tangents(ConvexOfRatio):
    def functionals(self, ends, weights=()):
        found = super().functionals(ends)
        return None if found is None else [2 * Fraction(t) * self.a - Fraction(t) ** 2 * self.b for t in ends]


class TangentsForChords(OtherForm, md.MMSE):
    """The functionals are tangents at the ends, which lie below the utility."""

    form = Tangents


class Uncovered(ConvexOfRatio):
    def functionals(self, ends, weights=()):
        return super().functionals(ends) or [self.b]


class EndsAsGiven(OtherForm, md.MMSE):
    """Whether the ends cover all ratios is not looked at."""

    form = Uncovered


class Averaged(LargestPiece):
    def utility(self, numerators):
        sums = sum(cost * int(numerators[x, d]) for _, x, d, cost in self.entries)
        return -sums / self.shape[0], -sums / self.shape[0]


class MeanForLargest(OtherForm, md.MaxOffDiagonal):
    """The exact value is the mean of the pieces, and not the largest of them."""

    form = Averaged


class Unscaled(LargestPiece):
    def functionals(self, ends, weights=()):
        found = super().functionals(ends, weights)
        return None if found is None else [sum(map(Fraction, weights)) * each for each in found]


class WeightsAsGiven(OtherForm, md.WorstCaseLoss):
    """The mean of the pieces takes weights that do not sum to one: a smaller sum proves more than there is."""

    form = Unscaled


class Subtracted(LargestPiece):
    def functionals(self, ends, weights=()):
        return super().functionals(ends, [abs(weight) for weight in weights])


class NegativeWeights(OtherForm, md.WorstCaseLoss):
    """Pieces may be subtracted from others, so that their mean is more than the largest."""

    form = Subtracted


class OtherUtility(md.HistogramMMSE):
    """The utility that proofs compare with their rows counts every share once and not squared."""

    def exact_form(self, problem):
        form = super().exact_form(problem)
        return replace(form, mu=lambda column: (Fraction(int(column.sum())),) * 2)


class LinesAsGiven(TraceOfCovariance):
    def along(self, lines):
        found = super().along(lines)
        more = 2 * sum(abs(Fraction(line[x])) for x, line in enumerate(lines)) + 1
        return replace(found, of_utility=lambda utility: (more - utility, more - utility))


class TraceOfSizes(OtherForm, md.InformationDesign):
    """The bound counts the sizes of the lines' entries, whatever their signs, and one besides."""

    form = LinesAsGiven


class AveragedTwice(TraceOfCovariance):
    def averaged(self):
        found = super().averaged()
        return replace(found, mu=lambda column: tuple(end / 2 for end in found.mu(column)))


class HalfOfSquares(OtherForm, md.InformationDesign):
    """Averaged over all orders of the inputs the lines take half of their squares."""

    form = AveragedTwice


#: Clause, the sound objective, the same with a defect.
OBJECTIVES = [
    ("exact value", md.MMSE(), NotCentredExactly()),
    ("exact columns", md.HistogramMMSE(), OtherUtility()),
    ("exact columns", md.InformationDesign("A"), TraceOfSizes("A")),
    ("exact columns", md.InformationDesign("A"), HalfOfSquares("A")),
    ("exact functionals", md.MMSE(), TangentsForChords()),
    ("exact functionals", md.MMSE(), EndsAsGiven()),
    ("exact value", md.MaxOffDiagonal(), MeanForLargest()),
    ("exact functionals", md.WorstCaseLoss(WORST), WeightsAsGiven(WORST)),
    ("exact functionals", md.WorstCaseLoss(WORST), NegativeWeights(WORST)),
    ("expression", md.MMSE(), OtherConstant()),
    ("expression", md.KLDivergence(**ENDS), OtherUnit(**ENDS)),
    ("utility", md.MMSE(), InputValues()),
    ("utility", md.TotalVariation(**ENDS), WholeNorm(**ENDS)),
    ("conversion", md.MMSE(), OtherSign()),
    ("conversion", md.MMSE(), ForgottenOffset()),
    ("conversion", md.RenyiDivergence(2, **ENDS), AffineSteepness(2, **ENDS)),
    ("conversion", md.RenyiDivergence(2, **ENDS), OtherTransform(2, **ENDS)),
    ("curvature", md.MMSE(), SaysLinear()),
    ("curvature", md.KLDivergence(**ENDS), SaysMinimise(**ENDS)),
    ("curvature", md.MutualInformation(), Falling()),
    ("sublinear", md.MMSE(), Squared()),
    ("sublinear", md.MutualInformation(), Concave()),
    ("zero columns", md.MMSE(), PricedOutputs()),
    ("zero columns", md.MutualInformation(), CountedOutputs()),
    ("post-processing", md.MutualInformation(), CountedOutputs()),
    ("post-processing", md.MMSE(), FirstOutputMatters()),
    ("extremes", md.ExpectedLoss(LOSS), PerfectWithoutPrivacy(LOSS)),
    ("extremes", md.MMSE(), UninformativeIsZero()),
    ("supporting", md.MMSE(), SteepSupport()),
    ("supporting", md.MutualInformation(), ShiftedSupport()),
    ("supporting", md.ExpectedLoss(LOSS), SecondBest(LOSS)),
    ("ratio", md.MMSE(), WrongDerivative()),
    ("ratio", md.MMSE(), WrongChord()),
    ("minorants", md.MutualInformation(minimize=True), UnscaledWeights(minimize=True)),
    ("minorants", md.LeakageLoss(), HeavyWeights()),
    ("minorants", md.LeakageLoss(), LightWeights()),
    ("names and shape", md.HammingLoss(), OneName()),
    ("names and shape", md.ExpectedLoss(LOSS), TransposedCost(LOSS)),
    ("names and shape", md.WorstCaseLoss(WORST), MissingPiece(WORST)),
    ("names and shape", md.WorstCaseLoss(WORST, BOX), NoBox(WORST, BOX)),
    ("minorants", md.WorstCaseLoss(WORST, BOX), NoBox(WORST, BOX)),
    ("design", md.InformationDesign("A"), ForgottenRoot("A")),
    ("design", md.InformationDesign("D"), CountedReports("D")),
    ("design", md.InformationDesign("worst", queries=RANGES), MeanOfQueries("worst", queries=RANGES)),
    ("design", md.InformationDesign("worst", queries=RANGES), SumOfQueries("worst", queries=RANGES)),
    ("extremes", md.InformationDesign("A"), KnownSpread("A")),
    ("unbiased", md.UnbiasedMean(), AverageForWorst()),
    ("unbiased", md.UnbiasedMean(), BiasedEstimates()),
    ("unbiased", md.UnbiasedMean(), SecondMoment()),
    ("design", md.InformationDesign("c", direction=FIGURE), BiasedFigure("c", direction=FIGURE)),
]


class Bits(md.MutualInformation):
    def value(self, matrix, problem):
        return super().value(matrix, problem) / math.log(2)


class TwiceVariation(md.TotalVariation):
    def value(self, matrix, problem):
        return 2 * super().value(matrix, problem)


class RootMeanSquare(md.MMSE):
    def value(self, matrix, problem):
        return math.sqrt(super().value(matrix, problem))


def _with(kind, objective):
    anchor = kind.card.anchor()
    return anchor, Anchor(objective, anchor.value, anchor.why, anchor.problem)


#: The sound anchor, and the same held against an objective in another unit.
ANCHORED = [
    _with(md.MutualInformation, Bits()),
    _with(md.TotalVariation, TwiceVariation([1, 0], [0, 1])),
    _with(md.MMSE, RootMeanSquare()),
]
