"""One value of every objective, worked out by hand, that fixes its unit: a new objective adds its line here."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign import objectives
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.testing.contract import require


@dataclass(frozen=True)
class Anchor:
    """The value of randomised response with ratio 3 (entries 3/4 and 1/4), worked out by hand: it fixes the unit."""

    objective: Objective
    problem: Problem
    value: float
    why: str


def keeps_unit(anchor: Anchor) -> None:
    """The value of randomised response is the one worked out by hand, in the unit of the docstring."""
    found = anchor.objective.value(np.array([[0.75, 0.25], [0.25, 0.75]]), anchor.problem)
    far = abs(found - anchor.value)
    require(far <= 1e-12 * abs(anchor.value), f"randomised response has the value {found!r}, by hand {anchor.why}")


#: A fair coin.
COIN = Problem(prior=np.array([0.5, 0.5]), values=np.array([0.0, 2.0]))
_LOSS = np.array([[0.0, 2.0], [4.0, 0.0]])
_ENDS: dict[str, Any] = {"first": [1.0, 0.0], "second": [0.0, 1.0]}
_CASES: dict[str, tuple[Objective, float, str]] = {
    "AbsoluteError": (objectives.AbsoluteError(), 0.5, "a quarter of the distance 2"),
    "ChernoffExponent": (objectives.ChernoffExponent(**_ENDS), math.log(4 / 3) / 2, "-ln(2 sqrt(3/16)) nats"),
    "ChiSquare": (objectives.ChiSquare(**_ENDS), 4 / 3, "(1/2)^2 / (1/4) + (1/2)^2 / (3/4)"),
    "ErrorProbability": (objectives.ErrorProbability(), 0.25, "1 - 3/4"),
    "ExpectedLoss": (objectives.ExpectedLoss(_LOSS), 0.75, "(2/4 + 4/4) / 2"),
    "FDivergence": (objectives.FDivergence(objectives.KLGenerator(), **_ENDS), math.log(3) / 2, "(1/2) ln 3 nats"),
    "FisherInformation": (
        objectives.FisherInformation(np.array([0.5, 0.5]), np.array([1.0, -1.0])),
        1.0,
        "2 (1/2)^2 / (1/2)",
    ),
    "HammingLoss": (objectives.HammingLoss(), 0.25, "1/4"),
    "HanKobayashiExponent": (objectives.HanKobayashiExponent(2.0, **_ENDS), 2 - math.log(3), "2 - ln 3 nats"),
    "Hellinger": (objectives.Hellinger(**_ENDS), 1 - math.sqrt(3) / 2, "1 - 2 sqrt(3) / 4"),
    "HistogramMMSE": (objectives.HistogramMMSE(), 0.375, "(3/4) 2 (1/4)^2 + (1/4) 2 (3/4)^2"),
    "InformationDesign": (objectives.InformationDesign("A"), 2.0, "1 / (2 (1/2)^2), twice a variance of 1"),
    "JensenShannon": (
        objectives.JensenShannon(**_ENDS),
        0.75 * math.log(3) - math.log(2),
        "(3/4) ln(3/2) + (1/4) ln(1/2) nats",
    ),
    "HoeffdingExponent": (
        objectives.HoeffdingExponent(math.log(4 / 3) / 2, **_ENDS),
        math.log(4 / 3) / 2,
        "the relative entropy of a fair coin to either hypothesis, (1/2) ln(4/3) nats",
    ),
    "KLDivergence": (objectives.KLDivergence(**_ENDS), math.log(3) / 2, "(3/4 - 1/4) ln 3 nats"),
    "LeakageLoss": (objectives.LeakageLoss(), math.log(1.5), "ln(3/4 + 3/4) nats"),
    "MMSE": (objectives.MMSE(), 0.75, "the posterior variance 4 (3/4) (1/4)"),
    "MaxOffDiagonal": (objectives.MaxOffDiagonal(), 0.25, "1/4"),
    "MutualInformation": (
        objectives.MutualInformation(),
        0.75 * math.log(3) - math.log(2),
        "(3/4) ln(3/2) + (1/4) ln(1/2) nats",
    ),
    "RenyiDivergence": (
        objectives.RenyiDivergence(2.0, **_ENDS),
        math.log(7 / 3),
        "ln((3/4)^2 / (1/4) + (1/4)^2 / (3/4)) nats",
    ),
    "TotalVariation": (objectives.TotalVariation(**_ENDS), 0.5, "3/4 - 1/4"),
    "WorstCaseLoss": (objectives.WorstCaseLoss(_LOSS), 1.0, "4/4"),
}
#: A known value of each objective, which fixes its unit.
ANCHORS = {name: Anchor(objective, COIN, value, why) for name, (objective, value, why) in _CASES.items()}
