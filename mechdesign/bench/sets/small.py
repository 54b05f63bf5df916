"""The set `small`: 60 instances of at most 16 inputs, a minute's work for a good solver."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.sets.drafts import Draft, draft, on_a_line, on_integers
from mechdesign.bench.sets.drawing import distances_between, places_on_grid, random_places, skewed_prior, zipf_prior
from mechdesign.notions import (
    LDP,
    LIP,
    AsymmetricLIP,
    BlockLDP,
    BoundedPriorLIP,
    MaxLift,
    MetricDP,
    MutualInformationPrivacy,
    StrongChiSquare,
    StrongL1,
)
from mechdesign.objectives import (
    MMSE,
    AbsoluteError,
    ExpectedLoss,
    HammingLoss,
    InformationDesign,
    KLDivergence,
    MutualInformation,
    WorstCaseLoss,
)
from mechdesign.problem import Problem

PAIRS, AUXILIARY, DECISIONS, RAYS = "all pairs", "auxiliary variables", "decisions", "extreme rays"


def small() -> list[Draft]:
    """Return the drafts of the set."""
    return [*_ratios(), *_lifts(), *_maps(), *_worst_cases(), *_sums(), *_cones()]


def _ratios() -> list[Draft]:
    error = AbsoluteError()
    blocks = BlockLDP(1.0, [(0, 1, 2), (3, 4), (5, 6, 7)])
    return [
        draft("ldp-absolute-6", on_a_line(6, 1), LDP(1.0), error, "looped", PAIRS, AUXILIARY, DECISIONS, RAYS),
        draft("ldp-absolute-10", on_integers(10, 2), LDP(1.0), error, "looped", PAIRS, AUXILIARY, DECISIONS, RAYS),
        draft("ldp-absolute-16", on_a_line(16, 3), LDP(0.5), error, PAIRS, AUXILIARY, DECISIONS),
        draft("ldp-absolute-12-low", on_a_line(12, 4), LDP(0.1), error, PAIRS, DECISIONS),
        draft("ldp-absolute-12-high", on_a_line(12, 4), LDP(4.0), error, PAIRS, DECISIONS),
        draft("ldp-hamming-12", Problem(prior=zipf_prior(12)), LDP(1.0), HammingLoss(), PAIRS, AUXILIARY),
        draft("blocks-absolute-8", on_a_line(8, 5), blocks, error, PAIRS, AUXILIARY),
    ]


def _lifts() -> list[Draft]:
    error, line = AbsoluteError(), on_a_line(10, 11)
    prior = line.required_prior
    around = BoundedPriorLIP(1.0, prior / 2.0, np.minimum(1.0, 2.0 * prior))
    return [
        draft("lip-absolute-10", line, LIP(1.0), error, AUXILIARY, DECISIONS, RAYS),
        draft("lip-absolute-16", on_a_line(16, 12), LIP(0.3), error, AUXILIARY, DECISIONS),
        draft("lip-hamming-14", Problem(prior=zipf_prior(14)), LIP(1.5), HammingLoss(), AUXILIARY, DECISIONS),
        draft("maxlift-absolute-10", line, MaxLift(1.0), error, AUXILIARY, DECISIONS),
        draft("asymmetric-absolute-10", line, AsymmetricLIP(0.5, 1.5), error, AUXILIARY),
        draft("bounded-absolute-10", line, around, error, AUXILIARY),
        draft("l1-absolute-10", line, StrongL1(0.5), error, AUXILIARY),
        draft("both-absolute-10", line, LIP(0.8) & LDP(1.0), error, AUXILIARY, DECISIONS),
    ]


def _maps() -> list[Draft]:
    grid, spread = places_on_grid(3), random_places(8, 21)
    on_grid, apart = distances_between(grid), distances_between(spread)
    blocks = np.abs(grid[:, None] - grid).sum(axis=2)
    of_nine, of_eight = Problem(prior=skewed_prior(9, 22)), Problem(prior=skewed_prior(8, 23))
    near = "neighbouring pairs"
    return [
        draft("map-euclid-9", of_nine, MetricDP(1.0, on_grid), ExpectedLoss(on_grid), PAIRS, DECISIONS),
        draft("map-streets-9", of_nine, MetricDP(1.0, blocks), ExpectedLoss(on_grid), PAIRS, near),
        draft("map-random-8", of_eight, MetricDP(0.4, apart), ExpectedLoss(apart), PAIRS),
    ]


def _worst_cases() -> list[Draft]:
    steps = np.abs(np.subtract.outer(np.arange(8), np.arange(8))) ** 1.5
    line = on_integers(8, 31)
    return [
        draft("ldp-worst-8", line, LDP(1.0), WorstCaseLoss(steps), "looped", PAIRS, AUXILIARY),
        draft("lip-worst-8", line, LIP(1.0), WorstCaseLoss(steps), AUXILIARY),
    ]


def _sums() -> list[Draft]:
    eight, ten = on_a_line(8, 41), on_a_line(10, 42)
    first, second = skewed_prior(8, 43, 1e-2), skewed_prior(8, 44, 1e-2)
    return [
        draft("ldp-mmse-8", eight, LDP(1.0), MMSE(), RAYS),
        draft("ldp-mmse-10-high", ten, LDP(3.0), MMSE(), RAYS),
        draft("lip-mmse-8", eight, LIP(1.0), MMSE(), RAYS),
        draft("ldp-information-10", ten, LDP(1.0), MutualInformation(), RAYS),
        draft("ldp-information-8-low", eight, LDP(0.1), MutualInformation(), RAYS),
        draft("lip-information-8", eight, LIP(1.0), MutualInformation(), RAYS),
        draft("ldp-kl-8", eight, LDP(1.0), KLDivergence(first, second), RAYS),
        draft("maxlift-mmse-8", eight, MaxLift(0.5), MMSE(), RAYS),
    ]


def _cones() -> list[Draft]:
    error, six, four = AbsoluteError(), on_a_line(6, 51), on_a_line(4, 52)
    ball, entropy, design = "second-order cones", "exponential cones", "rotated cones"
    return [
        draft("ball-absolute-6", six, StrongChiSquare(0.5), error, ball),
        draft("ball-absolute-6-low", six, StrongChiSquare(0.1), error, ball),
        draft("ball-absolute-10", on_a_line(10, 53), StrongChiSquare(1.0), error, ball),
        draft("mip-absolute-4", four, MutualInformationPrivacy(0.3), error, entropy),
        draft("mip-absolute-6", six, MutualInformationPrivacy(0.1), error, entropy),
        draft("ldp-frequencies-4", Problem(prior=np.full(4, 0.25)), LDP(1.0), InformationDesign("A"), design),
        draft("ldp-frequencies-5", Problem(prior=skewed_prior(5, 54, 1e-2)), LDP(0.5), InformationDesign("A"), design),
        draft("lip-frequencies-4", Problem(prior=skewed_prior(4, 55, 1e-2)), LIP(1.0), InformationDesign("A"), design),
    ]
