"""Random objectives: each of the catalogue by name, with hypotheses apart, close and alike."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from tests.adversary.shares import distribution
from tests.adversary.world import Member

Rng = random.Random
#: Objectives that ask for a prior over the inputs.
WITH_PRIOR = {
    "AbsoluteError",
    "ErrorProbability",
    "ExpectedLoss",
    "HammingLoss",
    "HistogramMMSE",
    "MMSE",
    "MutualInformation",
}
GENERATORS = ("ChiSquare", "Hellinger", "JensenShannon", "KLDivergence", "Power", "TotalVariation")


def _none(data: int, n: int, rng: Rng) -> dict[str, Any]:
    return {}


def _hypotheses(data: int, n: int, rng: Rng) -> dict[str, Any]:
    first, second = distribution(n, rng, positive=False), distribution(n, rng)
    if rng.random() < 0.15 and n > 1:
        # Next to each other, in multiples of 2^-50 that sum to exactly one.
        parts = [max(round(p * 2**50), 1) for p in second]
        parts[0] += 2**50 - sum(parts)
        steps = [rng.randint(0, min(parts) // 2 ** rng.randint(1, 20)) for _ in range(n)]
        moved = [part + step - other for part, step, other in zip(parts, steps, steps[1:] + steps[:1], strict=True)]
        first, second = ([part / 2.0**50 for part in made] for made in (moved, parts))
    return {"first": first, "second": second}


def _rated(data: int, n: int, rng: Rng) -> dict[str, Any]:
    return {**_hypotheses(data, n, rng), "rate": rng.choice((0.0, 0.01, rng.random(), 10.0 * rng.random()))}


def _power(rng: Rng) -> float:
    return rng.choice((0.3, 0.5, 1.4, 2.0, 2.5, 5.0, rng.uniform(0.05, 8.0)))


def _renyi(data: int, n: int, rng: Rng) -> dict[str, Any]:
    return {**_hypotheses(data, n, rng), "order": _power(rng)}


def _divergence(data: int, n: int, rng: Rng) -> dict[str, Any]:
    name = rng.choice(GENERATORS)
    return {**_hypotheses(data, n, rng), "f": (name, _power(rng) if name == "Power" else None)}


def _fisher(data: int, n: int, rng: Rng) -> dict[str, Any]:
    # Multiples of 2^-20 sum to zero exactly.
    steps = [rng.randint(-(2**20), 2**20) for _ in range(n)]
    steps[0] -= sum(steps)
    return {"theta": distribution(n, rng), "direction": [step / 2.0**20 for step in steps]}


def _loss(data: int, n: int, rng: Rng) -> dict[str, Any]:
    kind, decisions = rng.randrange(3), rng.randint(1, 4)
    draw = (lambda: rng.expovariate(1.0), lambda: rng.gauss(0.0, 1.0), lambda: float(rng.randint(0, 3)))[kind]
    return {"loss": [[draw() for _ in range(decisions)] for _ in range(data)]}


def _worst(data: int, n: int, rng: Rng) -> dict[str, Any]:
    given, kind = _loss(data, n, rng), rng.randrange(3)
    if kind == 1:
        given["priors"] = [distribution(n, rng) for _ in range(rng.randint(2, 3))]
    if kind == 2 and n > 1:
        centre = distribution(n, rng)
        given["priors"] = ([0.5 * p for p in centre], [min(1.0, 1.5 * p + 0.1) for p in centre])
    return given


def _covariance(data: int, n: int, rng: Rng) -> dict[str, Any]:
    criterion = rng.choice("ADE")
    given: dict[str, Any] = {"criterion": criterion, "theta": distribution(n, rng)}
    if criterion == "A" and rng.random() < 0.5:
        given["weights"] = [rng.expovariate(1.0) + 0.01 for _ in range(n)]
    return given


def _information(data: int, n: int, rng: Rng) -> dict[str, Any]:
    return {"minimize": True} if rng.random() < 0.1 else {}


OBJECTIVES: dict[str, Callable[[int, int, Rng], dict[str, Any]]] = {
    "AbsoluteError": _none,
    "ChernoffExponent": _hypotheses,
    "ChiSquare": _hypotheses,
    "ErrorProbability": _none,
    "ExpectedLoss": _loss,
    "FDivergence": _divergence,
    "FisherInformation": _fisher,
    "HammingLoss": _none,
    "HanKobayashiExponent": _rated,
    "Hellinger": _hypotheses,
    "HistogramMMSE": _none,
    "HoeffdingExponent": _rated,
    "InformationDesign": _covariance,
    "JensenShannon": _hypotheses,
    "KLDivergence": _hypotheses,
    "LeakageLoss": _none,
    "MMSE": _none,
    "MaxOffDiagonal": _none,
    "MutualInformation": _information,
    "RenyiDivergence": _renyi,
    "TotalVariation": _hypotheses,
    "WorstCaseLoss": _worst,
}
#: A single input has no frequencies to compare, no other report, and no direction.
FOR_SEVERAL = {"FisherInformation", "InformationDesign", "MaxOffDiagonal"}


def objective(data: int, n: int, known: bool, rng: Rng) -> Member:
    """Return an objective over n inputs that carry so many data; `known` where the inputs have a prior."""
    fit = sorted(name for name in OBJECTIVES if known or name not in WITH_PRIOR | {"LeakageLoss"})
    name = rng.choice([m for m in fit if data > 1 or m not in FOR_SEVERAL])
    return name, OBJECTIVES[name](data, n, rng)
