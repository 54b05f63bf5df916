"""The columns that a notion allows, as rows of fractions; exponentials are taken from below, so never more columns."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from tests.adversary.numbers import ONE, ZERO, Column, dot, exact, exp_below, vector
from tests.adversary.world import Member, World, finite

Given = dict[str, Any]
Rows = list[Column]


@dataclass
class Allowed:
    """``{q >= 0 : rows . q >= 0}``, with budgets ``sum_y max_k pieces[k] . q_y <= limit``."""

    rows: Rows = field(default_factory=list)
    budgets: list[tuple[Rows, fmpq]] = field(default_factory=list)
    #: Inputs whose unit vector is allowed besides the cone.
    revealed: list[int] = field(default_factory=list)
    #: Whether every notion is described in full by rows and budgets.
    complete: bool = True

    def cost(self, column: Column, budget: int) -> fmpq:
        return max(dot(piece, column) for piece in self.budgets[budget][0])


def allowed(notions: tuple[Member, ...], world: World) -> Allowed:
    """Return the columns that all notions allow; over the inputs, whatever the secret sees of them."""
    found = Allowed()
    for name, given in notions:
        if name in BUDGETS:
            found.budgets += BUDGETS[name](given, world)
        elif name in CONES:
            found.rows += [_over_inputs(row, world) for row in CONES[name](given, world)]
        else:
            found.complete = False
        if name == "UtilityOptimizedLDP":
            found.revealed = [x for x in range(world.n) if x not in given["sensitive"]]
    if len(notions) > 1:
        found.revealed = []
    found.rows = [list(row) for row in dict.fromkeys(tuple(row) for row in found.rows) if any(row)]
    return found


def _over_inputs(row: Column, world: World) -> Column:
    if world.channel is None:
        return row
    return [sum((a * line[x] for a, line in zip(row, world.channel, strict=True)), ZERO) for x in range(world.n)]


def _row(world: World, entries: dict[int, fmpq]) -> Column:
    return [entries.get(s, ZERO) for s in range(world.secrets)]


def _pair(world: World, s: int, t: int, ratio: fmpq) -> Column:
    """Return ``ratio v_t - v_s >= 0``."""
    return _row(world, {t: ratio, s: -ONE})


def _ldp(given: Given, world: World) -> Rows:
    ratio = exp_below(exact(given["epsilon"]))
    return [_pair(world, s, t, ratio) for s, t in itertools.permutations(range(world.secrets), 2)]


def _block(given: Given, world: World) -> Rows:
    ratio = exp_below(exact(given["epsilon"]))
    return [_pair(world, s, t, ratio) for block in given["blocks"] for s, t in itertools.permutations(block, 2)]


def _profile(given: Given, world: World) -> Rows:
    ratio = exp_below(exact(given["epsilon"]))
    return [_pair(world, s, t, ratio) for i, j in given["edges"] for s, t in ((i, j), (j, i))]


def _metric(given: Given, world: World) -> Rows:
    epsilon, rows = exact(given["epsilon"]), []
    for s, t in itertools.permutations(range(world.secrets), 2):
        length = finite(given["distance"][s][t])
        if length is not None:
            rows.append(_pair(world, s, t, exp_below(epsilon * length)))
    return rows


def _by_pairs(given: Given, world: World) -> Rows:
    return _metric({"epsilon": given["scale"], "distance": given["epsilons"]}, world)


def _lifts(world: World, prior: Column, lower: fmpq | None, upper: fmpq | None) -> Rows:
    rows = []
    for s in range(world.secrets):
        unit = [ONE * (t == s) for t in range(world.secrets)]
        if upper is not None:
            ratio = exp_below(upper)
            rows.append([ratio * p - u for p, u in zip(prior, unit, strict=True)])
        if lower is not None:
            ratio = exp_below(lower)
            rows.append([ratio * u - p for p, u in zip(prior, unit, strict=True)])
    return rows


def _lip(given: Given, world: World) -> Rows:
    epsilon = exact(given["epsilon"])
    return _lifts(world, _prior(world), epsilon, epsilon)


def _max_lift(given: Given, world: World) -> Rows:
    return _lifts(world, _prior(world), None, exact(given["epsilon"]))


def _asymmetric(given: Given, world: World) -> Rows:
    return _lifts(world, _prior(world), finite(given["lower"]), finite(given["upper"]))


def _interior(given: Given, world: World) -> Rows:
    epsilon, k = exact(given["epsilon"]), world.secrets
    least = min(exact(given["c"]), fmpq(1, k))
    priors = [[ONE - (k - 1) * least if s == w else least for s in range(k)] for w in range(k)]
    return [row for prior in priors for row in _lifts(world, prior, None, epsilon)]


def _prior(world: World) -> Column:
    assert world.secret_prior is not None
    return world.secret_prior


def _box(given: Given, world: World) -> Rows:
    epsilon, lower, upper = exact(given["epsilon"]), vector(given["lower"]), vector(given["upper"])
    corners = {tuple(_corner(list(order), lower, upper)) for order in itertools.permutations(range(world.secrets))}
    return [row for corner in corners for row in _lifts(world, list(corner), epsilon, epsilon)]


def _near(given: Given, world: World) -> Rows:
    """Return the rows of LIP at all vertices of the ball: orders in which the prior is taken from, and who gets it."""
    epsilon, radius, prior = exact(given["epsilon"]), exact(given["radius"]), _prior(world)
    laws = set()
    for order in itertools.permutations(range(world.secrets)):
        kept, left = list(prior), radius
        for s in order:
            share = min(left, kept[s])
            kept[s] -= share
            left -= share
        for s in range(world.secrets):
            laws.add(tuple(p + (radius - left if t == s else ZERO) for t, p in enumerate(kept)))
    return [row for law in laws for row in _lifts(world, list(law), epsilon, epsilon)]


def _corner(order: list[int], lower: Column, upper: Column) -> Column:
    prior, left = list(lower), ONE - sum(lower, ZERO)
    for s in order:
        share = min(left, upper[s] - lower[s])
        prior[s] += share
        left -= share
    return prior


def _strong_l1(given: Given, world: World) -> Rows:
    """Return ``epsilon m - 2 sum over S of pi_s (v_s - m) >= 0`` for all sets S."""
    epsilon, prior, rows = exact(given["epsilon"]), _prior(world), []
    for members in itertools.product((0, 1), repeat=world.secrets):
        share = sum((p for p, inside in zip(prior, members, strict=True) if inside), ZERO)
        rows.append([p * (epsilon + 2 * share - 2 * inside) for p, inside in zip(prior, members, strict=True)])
    return rows


def _approximate(given: Given, world: World) -> list[tuple[Rows, fmpq]]:
    ratio, delta = exp_below(exact(given["epsilon"])), exact(given["delta"])
    budgets = []
    for s, t in itertools.permutations(range(world.secrets), 2):
        if given.get("edges") is not None and (min(s, t), max(s, t)) not in map(tuple, given["edges"]):
            continue
        piece = _over_inputs([-entry for entry in _pair(world, s, t, ratio)], world)
        budgets.append(([piece, [ZERO] * world.n], delta))
    return budgets


def _weighted_tv(given: Given, world: World) -> list[tuple[Rows, fmpq]]:
    weight = exact(given.get("weight", 0.5))
    piece = _over_inputs([ONE - weight, -weight], world)
    return [([piece, [-entry for entry in piece]], max(exact(given["delta"]), abs(ONE - 2 * weight)))]


def _leakage(given: Given, world: World) -> list[tuple[Rows, fmpq]]:
    pieces = [_over_inputs(_row(world, {s: ONE}), world) for s in range(world.secrets)]
    return [(pieces, exp_below(exact(given["epsilon"])))]


def _gain(given: Given, world: World) -> list[tuple[Rows, fmpq]]:
    prior = _prior(world)
    actions = [[exact(g) * p for g, p in zip(row, prior, strict=True)] for row in given["gain"]]
    limit = exp_below(exact(given["epsilon"])) * max(sum(action, ZERO) for action in actions)
    return [([_over_inputs(action, world) for action in actions], limit)]


CONES: dict[str, Callable[[Given, World], Rows]] = {
    "AsymmetricLIP": _asymmetric,
    "BlockLDP": _block,
    "BoundedPriorLIP": _box,
    "CentralizedIP": _lip,
    "InteriorPML": _interior,
    "LDP": _ldp,
    "LIP": _lip,
    "MaxLift": _max_lift,
    "MetricDP": _metric,
    "NearPriorLIP": _near,
    "PairwiseLDP": _by_pairs,
    "ProfileDP": _profile,
    "StrongL1": _strong_l1,
    "UtilityOptimizedLDP": _ldp,
    "WorstCaseLIP": _ldp,
}
BUDGETS: dict[str, Callable[[Given, World], list[tuple[Rows, fmpq]]]] = {
    "ApproximateLDP": _approximate,
    "GLeakage": _gain,
    "MaximalLeakage": _leakage,
    "WeightedTV": _weighted_tv,
}
