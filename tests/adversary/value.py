"""The exact value of a matrix in each objective, as a ball, and the size of the terms that it is a sum of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, fmpq

from tests.adversary import divergence, exponent
from tests.adversary.covariance import design_criterion
from tests.adversary.numbers import ONE, ZERO, Column, dot, exact, shares, vector
from tests.adversary.privacy import Matrix
from tests.adversary.world import Member, World

Given = dict[str, Any]
#: A value and the size of its terms: rounding the terms moves the value by a few last places of that.
Worth = tuple[arb, arb]

MAXIMISED = {
    "ChernoffExponent",
    "ChiSquare",
    "FDivergence",
    "FisherInformation",
    "Hellinger",
    "HoeffdingExponent",
    "JensenShannon",
    "KLDivergence",
    "MutualInformation",
    "RenyiDivergence",
    "TotalVariation",
}
#: Objectives whose outputs name decisions.
DECIDING = {"AbsoluteError", "ExpectedLoss", "HammingLoss", "MaxOffDiagonal", "WorstCaseLoss"}


def maximised(objective: Member) -> bool:
    return objective[0] in MAXIMISED and not objective[1].get("minimize", False)


def worth(matrix: Matrix, objective: Member, world: World, names: list[int] | None = None) -> Worth:
    """Return the value of a matrix; `names` are the decisions of its columns, where they are not their numbers."""
    name, given = objective
    if name in DECIDING:
        names = list(range(len(matrix))) if names is None else names
        return _decided(name, given, matrix, names, world)
    if name in divergence.RATIOS:
        return divergence.value(name, given, matrix)
    if name in exponent.EXPONENTS:
        return exponent.value(name, given, matrix)
    return VALUES[name](matrix, given, world)


def costs(name: str, given: Given, world: World) -> list[Column]:
    """Return what each decision costs each input, weighted by the prior where the objective is an expected cost."""
    if name in {"ExpectedLoss", "WorstCaseLoss"}:
        loss = [vector(row) for row in given["loss"]]
    elif name == "AbsoluteError":
        assert world.values is not None
        loss = [[abs(a - b) for b in world.values] for a in world.values]
    else:
        loss = [[ONE * (d != x) for d in range(world.data)] for x in range(world.data)]
    rows = [loss[x] for x in world.datum]
    if name in {"WorstCaseLoss", "MaxOffDiagonal"}:
        return rows
    assert world.prior is not None
    return [[p * cost for cost in row] for p, row in zip(world.prior, rows, strict=True)]


def _decided(name: str, given: Given, matrix: Matrix, names: list[int], world: World) -> Worth:
    table = costs(name, given, world)
    if name == "MaxOffDiagonal":
        merged: dict[int, Column] = {}
        for column, d in zip(matrix, names, strict=True):
            merged[d] = [a + b for a, b in zip(merged.get(d, [ZERO] * world.n), column, strict=True)]
        found = max([q for d, column in merged.items() for x, q in enumerate(column) if world.datum[x] != d] + [ZERO])
        return arb(found), arb(found)
    each, sizes = [ZERO] * world.n, [ZERO] * world.n
    for column, d in zip(matrix, names, strict=True):
        for x, entry in enumerate(column):
            each[x] += table[x][d] * entry
            sizes[x] += abs(table[x][d]) * entry
    if name != "WorstCaseLoss":
        return arb(sum(each, ZERO)), arb(sum(sizes, ZERO))
    return arb(_worst(each, given.get("priors"))), arb(max(sizes))


def _worst(each: Column, priors: Any) -> fmpq:
    if priors is None:
        return max(each)
    if isinstance(priors, list):
        return max(dot(shares(row), each) for row in priors)
    lower, upper = (vector(bound) for bound in priors)
    total, left = dot(lower, each), ONE - sum(lower, ZERO)
    for x in sorted(range(len(each)), key=lambda x: -each[x]):
        share = min(left, upper[x] - lower[x])
        total, left = total + share * each[x], left - share
    return total


def best_decision(column: Column, name: str, given: Given, world: World) -> int:
    """Return the decision of least cost for an output."""
    table = costs(name, given, world)
    totals = [sum((row[d] * q for row, q in zip(table, column, strict=True)), ZERO) for d in range(len(table[0]))]
    return totals.index(min(totals))


def joint(column: Column, world: World) -> Column:
    """Return the mass of each datum together with an output."""
    assert world.prior is not None
    masses = [ZERO] * world.data
    for x, (p, entry) in enumerate(zip(world.prior, column, strict=True)):
        masses[world.datum[x]] += p * entry
    return masses


def _mmse(matrix: Matrix, given: Given, world: World) -> Worth:
    assert world.values is not None
    total = ZERO
    for column in matrix:
        masses = joint(column, world)
        mass = sum(masses, ZERO)
        if mass != 0:
            centre = dot(masses, world.values) / mass
            total += sum((p * (a - centre) ** 2 for p, a in zip(masses, world.values, strict=True)), ZERO)
    everything = joint([ONE] * world.n, world)
    mean = dot(everything, world.values)
    spread = sum((p * (a - mean) ** 2 for p, a in zip(everything, world.values, strict=True)), ZERO)
    return arb(total), arb(spread)


def _histogram(matrix: Matrix, given: Given, world: World) -> Worth:
    told = ZERO
    for column in matrix:
        masses = joint(column, world)
        if any(masses):
            told += dot(masses, masses) / sum(masses, ZERO)
    return arb(ONE - told), arb(1)


def _error(matrix: Matrix, given: Given, world: World) -> Worth:
    return arb(ONE - sum((max(joint(column, world)) for column in matrix), ZERO)), arb(1)


def _information(matrix: Matrix, given: Given, world: World) -> Worth:
    prior, total = joint([ONE] * world.n, world), arb(0)
    for column in matrix:
        masses = joint(column, world)
        mass = sum(masses, ZERO)
        for p, entry in zip(prior, masses, strict=True):
            if entry != 0 and entry != mass * p:
                total += arb(entry) * arb(entry / (mass * p)).log()
    return total, total


def _fisher(matrix: Matrix, given: Given, world: World) -> Worth:
    theta, direction, total = shares(given["theta"]), vector(given["direction"]), ZERO
    for column in matrix:
        mass = dot(theta, column)
        if mass != 0:
            total += dot(direction, column) ** 2 / mass
    return arb(total), arb(total)


def _leakage(matrix: Matrix, given: Given, world: World) -> Worth:
    total = ZERO
    for column in matrix:
        means = []
        for datum in range(world.data):
            inputs = world.carrying(datum)
            weights = [ONE] if len(inputs) == 1 else [world.prior[x] for x in inputs]
            mass = sum(weights, ZERO)
            if mass != 0:
                means.append(sum((w * column[x] for w, x in zip(weights, inputs, strict=True)), ZERO) / mass)
        total += max(means)
    found = arb(total).log()
    return found, found


def _design(matrix: Matrix, given: Given, world: World) -> Worth:
    theta = world.prior if given.get("theta") is None else shares(given["theta"])
    assert theta is not None
    weights = [ONE] * world.n if given.get("weights") is None else [exact(w) for w in given["weights"]]
    return design_criterion(matrix, given["criterion"], theta, weights)


VALUES: dict[str, Callable[[Matrix, Given, World], Worth]] = {
    "ErrorProbability": _error,
    "FisherInformation": _fisher,
    "HistogramMMSE": _histogram,
    "InformationDesign": _design,
    "LeakageLoss": _leakage,
    "MMSE": _mmse,
    "MutualInformation": _information,
}
