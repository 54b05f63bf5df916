"""Random questions over the whole catalogue, with levels, priors and values at the ends of what is allowed."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

from tests.adversary.draw_notion import NOTIONS, notion
from tests.adversary.draw_objective import objective
from tests.adversary.shares import distribution
from tests.adversary.world import Member, Question

Rng = random.Random
#: Notions that bring their own inputs or secrets, so that no intersection and no hidden secret is drawn with them.
OWN_INPUTS = {"CentralizedIP", "ProfileDP"}
#: The share of questions with a hidden secret, with an intersection, with a bound on the outputs, with many inputs.
HIDDEN, JOINED, FEW, MANY, LIMITED = 0.2, 0.12, 0.08, 0.06, 0.15
#: The share of questions that ask for a route, which it may refuse.
ROUTED = 0.12
ROUTES = ("rays", "columns", "convex", "weights", "orders", "directions", "quantised", "subsets", "lifts")
#: The share of questions at the corners where floats lose most.
CORNERS = 0.2
#: Limits in seconds of the clock that counts looks.
SHORT, LONG = 2.0, 8.0
#: Seeds that begin so are questions of secrets that see nothing of some mechanisms.
UNSEEN = "unseen"
#: The same, of secrets whose values are nearly alike to some of the data.
ALIKE = "unseen-alike"


def question(seed: str) -> Question:
    """Return the question of a seed, the same on every machine."""
    rng = random.Random(seed)
    if seed.startswith(ALIKE):
        return _unseen(rng, _nearly_alike)
    if seed.startswith(UNSEEN):
        return _unseen(rng, _hidden)
    if rng.random() < CORNERS:
        return rng.choice((_atoms, _weak))(rng)
    return _anywhere(rng)


def _atoms(rng: Rng) -> Question:
    """Return a question of the lift whose prior has atoms next to nothing, at levels that let them matter or not."""
    n = rng.randint(2, 5)
    small = rng.sample(range(n), rng.randint(1, n - 1))
    prior = [10.0 ** -rng.uniform(6.0, 15.0) if x in small else float(rng.randint(1, 6)) for x in range(n)]
    rest = sum(p for x, p in enumerate(prior) if x not in small)
    prior = [p if x in small else p / rest * (1.0 - sum(prior[y] for y in small)) for x, p in enumerate(prior)]
    ends = [rng.choice((1e-12, 1e-6, 1e-3, 0.1, 1.0, 5.0, 20.0, 33.0, math.inf)) for _ in range(2)]
    name = rng.choice(("AsymmetricLIP", "AsymmetricLIP", "LIP", "MaxLift", "StrongL1"))
    if name == "AsymmetricLIP":
        lower, upper = ends if not all(map(math.isinf, ends)) else (0.1, math.inf)
        given = {"lower": lower, "upper": upper}
    else:
        given = {"epsilon": min(ends[0], 33.0)}
    asked = objective(n, n, True, rng)
    if "first" in asked[1] and rng.random() < 0.7:
        for which in ("first", "second"):
            weights = [0.0 if x in small else float(rng.randint(1, 9)) for x in range(n)]
            asked[1][which] = [w / sum(weights) for w in weights]
    return Question(n, ((name, given),), asked, prior, [float(rng.randrange(2)) for _ in range(n)], None, {})


def _weak(rng: Rng) -> Question:
    """Return a question at a level next to nothing, where what is gained is lost in what cancels."""
    n = rng.randint(2, 4)
    name = rng.choice(("LDP", "LDP", "LIP", "MaxLift", "WorstCaseLIP", "StrongL1", "StrongChiSquare", "MaximalLeakage"))
    given = {"epsilon": 10.0 ** -rng.uniform(2.0, 12.0)}
    return Question(n, ((name, given),), objective(n, n, True, rng), distribution(n, rng), _values(n, rng), None, {})


def _unseen(rng: Rng, hiding: Callable[[int, int, Rng], dict[str, Any]]) -> Question:
    """Return a question of a secret with fewer values than the data, at a level next to nothing."""
    n = rng.randint(3, 5)
    secrets = rng.randint(2, n - 1)
    others = {"BoundedPriorLIP", "UtilityOptimizedLDP", "WeightedTV", "MetricDP", "PairwiseLDP"}
    names = sorted(set(NOTIONS) - OWN_INPUTS - others)
    name, given = notion(rng.choice(names), n, secrets, None, rng)
    if "epsilon" in given:
        given = {**given, "epsilon": rng.choice((0.0, 1e-12, 1e-10, 1e-8, 1e-6, 1e-3))}
    prior = [10.0 ** -rng.choice((0.0, 0.0, 3.0, 6.0, 9.0)) * rng.uniform(0.5, 1.0) for _ in range(n)]
    prior = [p / sum(prior) for p in prior]
    asked = objective(n, n, True, rng)
    return Question(n, ((name, given),), asked, prior, _values(n, rng), hiding(n, secrets, rng), _keywords(n, rng))


def _anywhere(rng: Rng) -> Question:
    name = rng.choice(sorted(NOTIONS))
    n = rng.choice((1, 2, 2, 2, 3, 3, 3, 3, 4, 4, 5)) if rng.random() > MANY else rng.randint(6, 12)
    if name in OWN_INPUTS:
        n = min(n, 3)
    prior: list[float] | None = distribution(n, rng)
    values = _values(n, rng)
    hidden = None
    secrets = n
    if name == "WeightedTV" and n != 2:
        secrets = 2
        hidden = _hidden(n, 2, rng)
    elif name not in OWN_INPUTS | {"UtilityOptimizedLDP"} and n > 1 and n < 6 and rng.random() < HIDDEN:
        secrets = 2 if name == "WeightedTV" else rng.randint(2, 4)
        hidden = _hidden(n, secrets, rng)
    if name in {"BoundedPriorLIP", "NearPriorLIP"} and (n > 5 or secrets > 4):
        n, secrets = 4, 4
        prior, values, hidden = distribution(n, rng), _values(n, rng), None
    notions = _notions(name, n, secrets, hidden is None, prior, rng)
    if name == "CentralizedIP":
        n = 1 + sum(len(row) - 1 for row in notions[0][1]["priors"])
        prior, values = None, _values(n, rng)
    if name == "ProfileDP":
        prior = None
    width = n * len(notions[0][1]["profiles"]) if name == "ProfileDP" and notions[0][1]["sees_profile"] else n
    known = prior is not None or name == "CentralizedIP" or notions[0][1].get("profile_prior") is not None
    asked = objective(n, width, known, rng)
    return Question(n, notions, asked, prior, values, hidden, _keywords(n, rng))


def _keywords(n: int, rng: Rng) -> dict[str, Any]:
    keywords: dict[str, Any] = {}
    if rng.random() < FEW and n > 1:
        keywords["outputs"] = rng.randint(1, min(n, 3))
    if rng.random() < ROUTED:
        keywords["route"] = rng.choice(ROUTES)
    keywords["time_limit"] = SHORT if rng.random() < LIMITED else LONG
    return keywords


def _notions(name: str, n: int, secrets: int, direct: bool, prior: list[float] | None, rng: Rng) -> tuple[Member, ...]:
    first = notion(name, n, secrets, prior if direct else None, rng)
    if name in OWN_INPUTS | {"BoundedPriorLIP"} or rng.random() > JOINED:
        return (first,)
    fit = sorted(set(NOTIONS) - OWN_INPUTS - {"BoundedPriorLIP"})
    others = [m for m in fit if (direct or m != "UtilityOptimizedLDP") and (secrets == 2 or m != "WeightedTV")]
    return (first, notion(rng.choice(others), n, secrets, prior if direct else None, rng))


def _values(n: int, rng: Rng) -> list[float]:
    kind = rng.randrange(5)
    if kind == 0:
        return [float(x) for x in range(n)]
    if kind == 1:
        return [float(rng.randrange(2)) for _ in range(n)]
    if kind == 2:
        return [rng.gauss(0.0, 1.0) for _ in range(n)]
    if kind == 3:
        return [1e6 + rng.random() for _ in range(n)]
    return [rng.choice((-1, 1)) * 10.0 ** rng.uniform(-6, 6) for _ in range(n)]


def _hidden(n: int, secrets: int, rng: Rng) -> dict[str, Any]:
    columns = [distribution(secrets, rng) for _ in range(n)]
    return {"secret_given_data": [list(row) for row in zip(*columns, strict=True)]}


def _nearly_alike(n: int, secrets: int, rng: Rng) -> dict[str, Any]:
    """Return a hidden secret about which most data say the same but for 1e-14 to 1e-6."""
    shared, apart = distribution(secrets, rng), 10.0 ** rng.uniform(-14.0, -6.0)
    columns = []
    for _ in range(n):
        column = (
            [p + apart * rng.uniform(0.0, 1.0) for p in shared] if rng.random() < 0.7 else distribution(secrets, rng)
        )
        columns.append([p / sum(column) for p in column])
    return {"secret_given_data": [list(row) for row in zip(*columns, strict=True)]}
