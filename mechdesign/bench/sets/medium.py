"""The set `medium`: 60 instances of up to 100 inputs and 1e5 nonzeros."""

from __future__ import annotations

import numpy as np

from mechdesign.bench.sets.drafts import Draft, draft, on_a_line, on_integers
from mechdesign.bench.sets.drawing import distances_between, places_on_grid, random_places, skewed_prior, zipf_prior
from mechdesign.bench.sets.small import AUXILIARY, DECISIONS, PAIRS, RAYS
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
    MutualInformation,
    WorstCaseLoss,
)
from mechdesign.problem import Problem


def medium() -> list[Draft]:
    """Return the drafts of the set."""
    return [*_ratios(), *_lifts(), *_maps(), *_worst_cases(), *_sums(), *_cones()]


def _ratios() -> list[Draft]:
    error = AbsoluteError()
    blocks = BlockLDP(1.0, [tuple(range(start, start + 8)) for start in range(0, 40, 8)])
    return [
        draft("ldp-absolute-20", on_a_line(20, 101), LDP(1.0), error, "looped", PAIRS, AUXILIARY, DECISIONS),
        draft("ldp-absolute-30", on_a_line(30, 102), LDP(2.0), error, "looped", PAIRS, AUXILIARY, DECISIONS),
        draft("ldp-absolute-36-low", on_a_line(36, 103), LDP(0.2), error, PAIRS, AUXILIARY, DECISIONS),
        draft("ldp-hamming-36", Problem(prior=zipf_prior(36)), LDP(1.0), HammingLoss(), PAIRS, AUXILIARY, DECISIONS),
        draft("ldp-absolute-60", on_a_line(60, 107), LDP(1.0), error, AUXILIARY, DECISIONS),
        draft("ldp-absolute-100", on_a_line(100, 104), LDP(1.0), error, AUXILIARY, DECISIONS),
        draft("ldp-absolute-100-high", on_integers(100, 105), LDP(4.0), error, AUXILIARY, DECISIONS),
        draft("blocks-absolute-40", on_a_line(40, 106), blocks, error, PAIRS, AUXILIARY),
    ]


def _lifts() -> list[Draft]:
    error, line = AbsoluteError(), on_a_line(40, 111)
    twenty = on_a_line(20, 113)
    around = BoundedPriorLIP(1.0, twenty.required_prior / 2.0, np.minimum(1.0, 2.0 * twenty.required_prior))
    return [
        draft("lip-absolute-40", line, LIP(1.0), error, AUXILIARY, DECISIONS),
        draft("lip-absolute-60-low", on_a_line(60, 115), LIP(0.1), error, AUXILIARY, DECISIONS),
        draft("lip-absolute-100", on_a_line(100, 112), LIP(0.5), error, AUXILIARY, DECISIONS),
        draft("lip-hamming-100", Problem(prior=zipf_prior(100)), LIP(1.0), HammingLoss(), AUXILIARY, DECISIONS),
        draft("maxlift-absolute-100", on_a_line(100, 114), MaxLift(1.0), error, AUXILIARY, DECISIONS),
        draft("maxlift-absolute-40", line, MaxLift(0.3), error, AUXILIARY),
        draft("asymmetric-absolute-40", line, AsymmetricLIP(0.5, 1.5), error, AUXILIARY, DECISIONS),
        draft("bounded-absolute-20", twenty, around, error, AUXILIARY),
        draft("l1-absolute-40", line, StrongL1(0.5), error, AUXILIARY),
        draft("both-absolute-20", twenty, LIP(0.8) & LDP(1.0), error, AUXILIARY, DECISIONS),
    ]


def _maps() -> list[Draft]:
    grid, spread = places_on_grid(5), random_places(30, 121)
    on_grid, apart = distances_between(grid), distances_between(spread)
    blocks = np.abs(grid[:, None] - grid).sum(axis=2)
    wide, few = places_on_grid(7), distances_between(random_places(20, 126))
    streets = np.abs(wide[:, None] - wide).sum(axis=2)
    of_25, of_30, of_49 = (Problem(prior=skewed_prior(n, seed)) for n, seed in ((25, 122), (30, 123), (49, 124)))
    near = "neighbouring pairs"
    return [
        draft("map-euclid-25", of_25, MetricDP(1.0, on_grid), ExpectedLoss(on_grid), PAIRS, near),
        draft("map-streets-25", of_25, MetricDP(0.7, blocks), ExpectedLoss(on_grid), PAIRS, near),
        draft("map-random-30", of_30, MetricDP(0.4, apart), ExpectedLoss(apart), PAIRS),
        draft(
            "map-random-20", Problem(prior=skewed_prior(20, 125)), MetricDP(1.0, few), ExpectedLoss(few), PAIRS, near
        ),
        draft("map-streets-49", of_49, MetricDP(1.0, streets), ExpectedLoss(streets), near),
    ]


def _worst_cases() -> list[Draft]:
    steps = np.abs(np.subtract.outer(np.arange(16), np.arange(16))) ** 1.5
    line = on_integers(16, 131)
    return [
        draft("ldp-worst-16", line, LDP(1.0), WorstCaseLoss(steps), PAIRS, AUXILIARY),
        draft("lip-worst-16", line, LIP(1.0), WorstCaseLoss(steps), AUXILIARY),
    ]


def _sums() -> list[Draft]:
    twelve = on_a_line(12, 141)
    return [
        draft("ldp-mmse-12", twelve, LDP(1.0), MMSE(), RAYS),
        draft("ldp-information-12", twelve, LDP(1.0), MutualInformation(), RAYS),
        draft("lip-mmse-12", twelve, LIP(1.0), MMSE(), RAYS),
        draft("lip-information-12", twelve, LIP(0.5), MutualInformation(), RAYS),
    ]


def _cones() -> list[Draft]:
    error, twenty, ten = AbsoluteError(), on_a_line(20, 151), on_a_line(10, 152)
    ball, entropy, design = "second-order cones", "exponential cones", "rotated cones"
    return [
        draft("ball-absolute-20", twenty, StrongChiSquare(0.5), error, ball),
        draft("ball-absolute-30", on_a_line(30, 153), StrongChiSquare(0.2), error, ball),
        draft("mip-absolute-10", ten, MutualInformationPrivacy(0.3), error, entropy),
        draft("mip-absolute-14", on_a_line(14, 154), MutualInformationPrivacy(0.1), error, entropy),
        draft("ldp-frequencies-7", Problem(prior=skewed_prior(7, 155, 1e-2)), LDP(1.0), InformationDesign("A"), design),
        draft("lip-frequencies-6", Problem(prior=skewed_prior(6, 156, 1e-2)), LIP(1.0), InformationDesign("A"), design),
    ]
