"""Random questions over the whole catalogue: all notions and objectives, extreme levels and priors, few outputs.

A seed gives a question and what is done with it. Whether a design is private is decided here in fractions, for the
notions whose definition is a line; the package's own exact check decides the others.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

import mechdesign as md
from mechdesign.catalogue.edge import exponential
from mechdesign.objectives import divergence_generators as generators
from mechdesign.objectives.power_generator import PowerGenerator
from mechdesign.solve.choose import ROUTES
from mechdesign.testing import sized

#: Levels at both ends, and those between.
LEVELS = (0.0, 1e-12, 1e-6, 1e-3, 20.0, 15.0)
VERBS = ("design",) * 12 + ("frontier", "compare", "audit", "sweep")
SOLVERS = ("HIGHS", "CLARABEL", "STRUCTURED", "ECOS", "SCS")
GENERATORS = (
    generators.KLGenerator,
    generators.TotalVariationGenerator,
    generators.ChiSquareGenerator,
    generators.HellingerGenerator,
    generators.JensenShannonGenerator,
)


@dataclass(frozen=True)
class Asked:
    """A question as a user may ask it, and what is done with it; making it may already raise an error of ours."""

    seed: int
    #: Seconds that a look at the clock takes: a time limit ends a design anywhere from its first steps on.
    look: float
    verb: str
    make: Callable[[], tuple[md.Problem, md.Notion, md.Objective]]
    levels: tuple[Any, ...]
    keywords: dict[str, Any]
    described: str

    def __str__(self) -> str:
        return f"seed {self.seed}: {self.verb} {self.described} {self.keywords}"


def asked(seed: int) -> Asked:
    """Return the question of a seed: seeds go through all pairs of notion and objective, then start again."""
    rng = np.random.default_rng([17, seed])
    names = [(notion, objective) for notion in sized.NOTIONS for objective in sized.OBJECTIVES]
    # Next to each other are pairs that have nothing in common.
    notion, objective = names[seed * 145 % len(names)]
    n = 2 if notion == "WeightedTV" and rng.random() < 0.9 else int(rng.integers(1, 13))
    verb = str(rng.choice(VERBS))
    if verb == "compare":
        # All routes are tried, some of them by native solvers, which the clock of the tests does not end.
        n = min(n, 5)
    frontier = (
        tuple(float(level) for level in np.exp(rng.uniform(-8, 3, size=2))) if verb in {"frontier", "sweep"} else ()
    )
    look = float(np.exp(rng.uniform(np.log(0.001), np.log(0.1))))
    words = f"{notion} {objective} n = {n}"
    return Asked(seed, look, verb, lambda: _made(notion, objective, n, seed), frontier, _keywords(rng, verb), words)


def _keywords(rng: np.random.Generator, verb: str) -> dict[str, Any]:
    given: dict[str, Any] = {"time_limit": float(rng.choice([0.2, 0.5, 2.0], p=[0.85, 0.13, 0.02]))}
    if verb == "compare":
        # Each of some twenty rows has it.
        given["time_limit"] = 0.1
    if rng.random() < 0.15 and verb != "audit":
        given["outputs"] = int(rng.integers(1, 5))
    if rng.random() < 0.15:
        given["gap"] = float(rng.choice([1e-9, 1e-3, 0.5]))
    if verb in {"design", "frontier", "sweep"} and rng.random() < 0.2:
        given["route"] = str(rng.choice(list(ROUTES)))
    if verb in {"design", "frontier", "sweep"} and rng.random() < 0.1:
        given["solver"] = str(rng.choice(SOLVERS))
    return given


def _made(notion: str, objective: str, n: int, seed: int) -> tuple[md.Problem, md.Notion, md.Objective]:
    rng = np.random.default_rng([18, seed])
    problem = md.Problem(prior=_prior(n, rng), values=_values(n, rng))
    asked_of = md.Problem(values=problem.values) if notion in {"ProfileDP", "CentralizedIP"} else problem
    if rng.random() < 0.2:
        secrets = int(rng.integers(1, 5))
        channel = rng.dirichlet(np.full(secrets, float(rng.choice([0.2, 1.0]))), size=n).T
        hidden = problem.hidden(channel)
        made = _notion(notion, md.Problem(prior=hidden.prior_of_secret), rng)
        asked_of = hidden
    else:
        made = _notion(notion, problem, rng)
    if rng.random() < 0.1:
        made = made & _notion(str(rng.choice([name for name in sized.NOTIONS if name != "WeightedTV"])), problem, rng)
    inputs = made.inputs(asked_of)
    size = n if objective in {"ExpectedLoss", "WorstCaseLoss"} else inputs.n
    return asked_of, made, _objective(objective, size, rng)


def _prior(n: int, rng: np.random.Generator) -> np.ndarray:
    kind = int(rng.integers(5))
    masses = (
        lambda: rng.dirichlet(np.ones(n)) + 1e-3,
        lambda: np.ones(n),
        lambda: rng.integers(1, 4, size=n).astype(float),
        lambda: np.append(1.0, 10.0 ** rng.uniform(-15, 0, size=n - 1)),
        lambda: rng.dirichlet(np.ones(n)) ** 3 + 1e-9,
    )[kind]()
    return masses / masses.sum()


def _values(n: int, rng: np.random.Generator) -> np.ndarray:
    kind = int(rng.integers(5))
    return (
        lambda: rng.normal(size=n),
        lambda: np.arange(n, dtype=float),
        lambda: rng.integers(0, 2, size=n).astype(float),
        lambda: np.zeros(n),
        lambda: rng.normal(size=n) * 10.0 ** rng.uniform(-9, 9),
    )[kind]()


def _level(rng: np.random.Generator) -> float:
    return float(rng.choice(LEVELS)) if rng.random() < 0.4 else float(np.exp(rng.uniform(-4, 3)))


def _notion(name: str, problem: md.Problem, rng: np.random.Generator) -> md.Notion:
    made = sized.NOTIONS[name](problem, rng)
    epsilon = _level(rng)
    if name == "ApproximateLDP":
        return md.ApproximateLDP(epsilon, float(rng.choice([0.0, 1e-12, 0.1, 0.9, 1.0])))
    if name == "AsymmetricLIP":
        return md.AsymmetricLIP(*(rng.permutation([epsilon, float(rng.choice([math.inf, 1e-6, 1.0]))])))
    if name == "WeightedTV" or made is None:
        return md.WeightedTV(min(epsilon, 1.0), float(rng.choice([0.5, 0.1])))
    if name == "Intersection":
        parts = rng.choice([part for part in sized.NOTIONS if part not in {"Intersection", "WeightedTV"}], size=3)
        chosen = [_notion(str(part), problem, rng) for part in parts[: int(rng.integers(2, 4))]]
        return chosen[0] & chosen[1] if len(chosen) == 2 else chosen[0] & chosen[1] & chosen[2]
    if name == "CentralizedIP":
        records = [tuple(_prior(2, rng)) for _ in range(max(problem.n - 1, 1))]
        return md.CentralizedIP(epsilon, tuple(records))
    return made.at(epsilon)


def _pair(n: int, rng: np.random.Generator) -> dict[str, np.ndarray]:
    first, second = _prior(n, rng), _prior(n, rng)
    if rng.random() < 0.15:
        second = first
    if rng.random() < 0.15 and n > 1:
        first = np.append(first[:-1] / first[:-1].sum(), 0.0)
    return {"first": first, "second": second}


def _objective(name: str, n: int, rng: np.random.Generator) -> md.Objective:
    pair, size = _pair(n, rng), 10.0 ** rng.uniform(-9, 9) if rng.random() < 0.2 else 1.0
    made: dict[str, Callable[[], md.Objective]] = {
        "ExpectedLoss": lambda: md.ExpectedLoss(_loss(n, rng) * size),
        "WorstCaseLoss": lambda: md.WorstCaseLoss(_loss(n, rng) * size),
        "FDivergence": lambda: md.FDivergence(
            PowerGenerator(float(rng.choice([-1.0, 0.5, 1.5, 3.0])))
            if rng.random() < 0.3
            else GENERATORS[int(rng.integers(len(GENERATORS)))](),
            **pair,
        ),
        "RenyiDivergence": lambda: md.RenyiDivergence(float(rng.choice([0.01, 0.5, 0.99, 1.01, 2.0, 30.0])), **pair),
        "HanKobayashiExponent": lambda: md.HanKobayashiExponent(float(rng.choice([1e-6, 0.3, 10.0])), **pair),
        "HoeffdingExponent": lambda: md.HoeffdingExponent(float(rng.choice([0.0, 0.01, 5.0])), **pair),
        "InformationDesign": lambda: _covariance(n, rng),
        "MutualInformation": lambda: md.MutualInformation(minimize=bool(rng.random() < 0.3)),
    }
    if name in made:
        return made[name]()
    if "first" in getattr(getattr(md, name), "__dataclass_fields__", {}):
        return getattr(md, name)(**pair)
    return sized.OBJECTIVES[name](md.Problem(n=n), rng)


def _covariance(n: int, rng: np.random.Generator) -> md.InformationDesign:
    criterion, theta = str(rng.choice(["A", "D", "E", "c"])), None if rng.random() < 0.5 else _prior(n, rng)
    return md.InformationDesign(criterion, theta, direction=rng.normal(size=n) if criterion == "c" else None)


def _loss(n: int, rng: np.random.Generator) -> np.ndarray:
    decisions = int(rng.integers(1, 6))
    kind = int(rng.integers(4))
    return (
        lambda: rng.exponential(size=(n, decisions)),
        lambda: rng.normal(size=(n, decisions)),
        lambda: rng.integers(0, 2, size=(n, decisions)).astype(float),
        lambda: np.zeros((n, decisions)),
    )[kind]()


# Privacy by definition, in fractions -------------------------------------------------------------------------------


def private(notion: md.Notion, problem: md.Problem, matrix: np.ndarray) -> bool | None:
    """Return whether the matrix is private, by definition; None where the definition is not written here."""
    if isinstance(notion, md.Intersection):
        parts = [private(part, problem, matrix) for part in notion.notions]
        return None if None in parts else all(parts)
    check = DEFINITIONS.get(type(notion))
    if check is None or problem.is_hidden or notion.parameter > 100:
        return None
    exact = [[Fraction(float(entry)) for entry in row] for row in matrix]
    assert all(sum(row) == 1 and min(row) >= 0 for row in exact), "the rows are no distributions"
    return bool(check(notion, problem, exact))


def _mass(problem: md.Problem, q: list[list[Fraction]]) -> list[Fraction]:
    prior = [Fraction(float(p)) for p in problem.prior]
    return [sum(p * row[y] for p, row in zip(prior, q, strict=True)) / sum(prior) for y in range(len(q[0]))]


def _power(epsilon: Any) -> Fraction:
    return exponential(epsilon) * (1 + Fraction(1, 10**60))


def _ratios(q: list[list[Fraction]], allowed: Callable[[int, int], Fraction | None]) -> bool:
    pairs = [(x, z, allowed(x, z)) for x in range(len(q)) for z in range(len(q)) if x != z]
    return all(a <= r * b for x, z, r in pairs if r is not None for a, b in zip(q[x], q[z], strict=True))


def _band(q: list[list[Fraction]], problem: md.Problem, lower: float, upper: float) -> bool:
    most = None if math.isinf(upper) else _power(upper)
    least = None if math.isinf(lower) else _power(lower)
    return all(
        (most is None or entry <= most * m) and (least is None or m <= least * entry)
        for row in q
        for entry, m in zip(row, _mass(problem, q), strict=True)
    )


def _approximate(notion: Any, problem: md.Problem, q: list[list[Fraction]]) -> bool:
    ratio, delta = _power(notion.epsilon), Fraction(notion.delta)
    return all(
        sum(max(a - ratio * b, Fraction(0)) for a, b in zip(x, z, strict=True)) <= delta
        for x in q
        for z in q
        if x is not z
    )


def _one_ratio(notion: Any, problem: md.Problem, q: list[list[Fraction]]) -> bool:
    ratio = _power(notion.epsilon)
    return _ratios(q, lambda x, z: ratio)


def _blocks(notion: Any, problem: md.Problem, q: list[list[Fraction]]) -> bool:
    ratio = _power(notion.epsilon)
    return _ratios(q, lambda x, z: ratio if any(x in block and z in block for block in notion.blocks) else None)


def _metric(notion: Any, problem: md.Problem, q: list[list[Fraction]]) -> bool | None:
    reach = Fraction(notion.epsilon) * Fraction(float(notion.distance.max()))
    if reach > 30:
        return True
    return _ratios(q, lambda x, z: _power(Fraction(notion.epsilon) * Fraction(float(notion.distance[x, z]))))


DEFINITIONS: dict[type, Callable[[Any, md.Problem, list[list[Fraction]]], bool | None]] = {
    md.LDP: _one_ratio,
    md.LIP: lambda notion, problem, q: _band(q, problem, notion.epsilon, notion.epsilon),
    md.MaxLift: lambda notion, problem, q: _band(q, problem, math.inf, notion.epsilon),
    md.AsymmetricLIP: lambda notion, problem, q: _band(q, problem, notion.lower, notion.upper),
    md.MaximalLeakage: lambda notion, problem, q: (
        sum(max(row[y] for row in q) for y in range(len(q[0]))) <= _power(notion.epsilon)
    ),
    md.ApproximateLDP: _approximate,
    md.BlockLDP: _blocks,
    md.MetricDP: _metric,
}
