"""Random notions: each of the catalogue by name, at levels from 1e-12 to 33 and at both ends of what they mean."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable
from typing import Any

from tests.adversary.shares import distribution
from tests.adversary.world import Member

Rng = random.Random
Prior = list[float] | None


def level(rng: Rng) -> float:
    """Return an epsilon: moderate mostly, tiny, large or zero otherwise."""
    kind = rng.randrange(12)
    if kind < 6:
        return rng.uniform(0.05, 3.0)
    if kind < 9:
        return 10.0 ** rng.uniform(-12.0, 0.0)
    if kind == 9:
        return rng.choice((1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 20.0, 33.0, 33.0, 700.0))
    if kind == 10:
        return rng.uniform(3.0, 33.0)
    return rng.choice((0.0, 1.0, math.log(2.0), math.log(3.0)))


def _of_epsilon(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    return {"epsilon": level(rng)}


def _approximate(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    given = {
        "epsilon": level(rng),
        "delta": rng.choice((0.0, 1.0, rng.random(), rng.random(), 10.0 ** -rng.uniform(1, 12))),
    }
    pairs = list(itertools.combinations(range(secrets), 2))
    # Without a draw of its own for most, so that the questions of known seeds stay what they are.
    if pairs and given["delta"] not in (0.0, 1.0) and int(given["delta"] * 2**20) % 3 == 0:
        given["edges"] = rng.sample(pairs, rng.randint(1, len(pairs)))
    return given


def _asymmetric(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    lower, upper = level(rng), level(rng)
    kind = rng.randrange(4)
    return {"lower": math.inf if kind == 0 else lower, "upper": math.inf if kind == 1 else upper}


def _block(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    order = list(range(secrets))
    rng.shuffle(order)
    cut = rng.randint(min(2, secrets), secrets)
    return {"epsilon": level(rng), "blocks": [sorted(part) for part in (order[:cut], order[cut:]) if part]}


def _box(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    centre = prior or distribution(secrets, rng)
    reach = rng.choice((0.05, 0.3, 1.0))
    lower = [max(p - reach, 0.0) * 0.99 for p in centre]
    upper = [min(p + reach, 1.0) for p in centre]
    return {"epsilon": level(rng), "lower": lower, "upper": upper}


def _centralized(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    return {
        "epsilon": level(rng),
        "priors": [distribution(rng.choice((2, 2, 3)), rng) for _ in range(rng.randint(1, 2))],
    }


def _gain(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    actions = secrets if rng.random() < 0.5 else rng.randint(1, 4)
    gain = [[float(w == s) for s in range(secrets)] for w in range(secrets)]
    if actions != secrets or rng.random() < 0.5:
        gain = [
            [rng.choice((0.0, 1.0, rng.random(), rng.uniform(0.0, 9.0))) for _ in range(secrets)]
            for _ in range(actions)
        ]
        gain[0][rng.randrange(secrets)] = rng.uniform(0.1, 2.0)
    return {"epsilon": level(rng), "gain": gain}


def _interior(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    most = 1.0 / secrets
    share = rng.choice((0.0, 1.0, rng.random(), rng.random(), 10.0 ** -rng.uniform(1, 15)))
    return {"epsilon": level(rng), "c": share * most}


def _metric(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    kind = rng.randrange(3)
    distance = [[0.0] * secrets for _ in range(secrets)]
    for s, t in itertools.combinations(range(secrets), 2):
        length = (
            float(t - s) if kind == 0 else rng.choice((0.0, 0.5, 1.0, 2.0, math.inf)) if kind == 1 else rng.random()
        )
        distance[s][t] = distance[t][s] = length
    if all(math.isinf(d) for s, row in enumerate(distance) for t, d in enumerate(row) if s != t) and secrets > 1:
        distance[0][1] = distance[1][0] = 1.0
    return {"epsilon": level(rng), "distance": distance}


def _by_pairs(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    kind, epsilons = rng.randrange(3), [[0.0] * secrets for _ in range(secrets)]
    for s, t in itertools.permutations(range(secrets), 2):
        epsilons[s][t] = (
            rng.choice((0.5, 1.0, 2.0) if kind == 0 else (0.0, 0.5, math.inf)) if kind < 2 else rng.random()
        )
    return {"epsilons": epsilons, "scale": level(rng)}


def _near(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    return {"epsilon": level(rng), "radius": rng.choice((0.0, 0.05, 0.25, 1.0, rng.random()))}


def _profile(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    k = rng.choice((2, 2, 3))
    pairs = list(itertools.combinations(range(k), 2))
    return {
        "epsilon": level(rng),
        "profiles": [distribution(n, rng, positive=False) for _ in range(k)],
        "edges": rng.sample(pairs, rng.randint(1, len(pairs))),
        "sees_profile": rng.random() < 0.5 and n * k <= 6,
        "profile_prior": distribution(k, rng),
    }


def _revealing(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    return {"epsilon": level(rng), "sensitive": sorted(rng.sample(range(n), rng.randint(0, n)))}


def _sibson(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    return {"epsilon": level(rng), "alpha": rng.choice((1.1, 1.5, 2.0, 3.0, rng.uniform(1.1, 10.0), 100.0))}


def _weighted_tv(n: int, secrets: int, prior: Prior, rng: Rng) -> dict[str, Any]:
    weight = rng.choice((0.5, 0.5, rng.uniform(0.05, 0.95)))
    least = abs(1.0 - 2.0 * weight)
    return {"weight": weight, "delta": min(least + (1.0 - least) * rng.choice((rng.random(), 1e-6, 0.5, 1.0)), 1.0)}


NOTIONS: dict[str, Callable[[int, int, Prior, Rng], dict[str, Any]]] = {
    "ApproximateLDP": _approximate,
    "AsymmetricLIP": _asymmetric,
    "BlockLDP": _block,
    "BoundedPriorLIP": _box,
    "CentralizedIP": _centralized,
    "GLeakage": _gain,
    "InteriorPML": _interior,
    "LDP": _of_epsilon,
    "LIP": _of_epsilon,
    "MaxLift": _of_epsilon,
    "MaximalLeakage": _of_epsilon,
    "MetricDP": _metric,
    "NearPriorLIP": _near,
    "PairwiseLDP": _by_pairs,
    "MutualInformationPrivacy": _of_epsilon,
    "ProfileDP": _profile,
    "SibsonLeakage": _sibson,
    "StrongChiSquare": _of_epsilon,
    "StrongL1": _of_epsilon,
    "UtilityOptimizedLDP": _revealing,
    "WeightedTV": _weighted_tv,
    "WorstCaseLIP": _of_epsilon,
}


def notion(name: str, n: int, secrets: int, prior: Prior, rng: Rng) -> Member:
    return name, NOTIONS[name](n, secrets, prior, rng)
