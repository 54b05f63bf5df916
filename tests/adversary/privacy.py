"""Whether a matrix of fractions is private, from the definition of each notion: decided, without any tolerance."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import arb, ctx, fmpq

from tests.adversary.numbers import ONE, PRECISION, ZERO, Column, at_most, dot, exact, vector
from tests.adversary.world import Member, World, finite

Matrix = list[Column]
Given = dict[str, Any]


def private(matrix: Matrix, notions: tuple[Member, ...], world: World) -> bool:
    """Tell whether a matrix, a list of columns of one entry for each input, satisfies all notions."""
    return all(CHECKS[name](matrix, given, world) for name, given in notions)


def stochastic(matrix: Matrix) -> bool:
    """Tell whether no entry is negative and every row sums to one."""
    rows = list(zip(*matrix, strict=True))
    return all(entry >= 0 for row in rows for entry in row) and all(sum(row, ZERO) == 1 for row in rows)


def _pairs(pairs: list[tuple[int, int, fmpq]], matrix: Matrix, world: World) -> bool:
    seen = [world.seen(column) for column in matrix]
    return all(at_most(v[s], exponent, v[t]) for v in seen for s, t, exponent in pairs)


def _ldp(matrix: Matrix, given: Given, world: World) -> bool:
    seen = [world.seen(column) for column in matrix]
    return all(at_most(max(v), exact(given["epsilon"]), min(v)) for v in seen)


def _block(matrix: Matrix, given: Given, world: World) -> bool:
    epsilon = exact(given["epsilon"])
    pairs = [(s, t, epsilon) for block in given["blocks"] for s in block for t in block if s != t]
    return _pairs(pairs, matrix, world)


def _metric(matrix: Matrix, given: Given, world: World) -> bool:
    epsilon = exact(given["epsilon"])
    apart = [(s, t, finite(d)) for s, row in enumerate(given["distance"]) for t, d in enumerate(row) if s != t]
    return _pairs([(s, t, epsilon * d) for s, t, d in apart if d is not None], matrix, world)


def _by_pairs(matrix: Matrix, given: Given, world: World) -> bool:
    return _metric(matrix, {"epsilon": given["scale"], "distance": given["epsilons"]}, world)


def _profile(matrix: Matrix, given: Given, world: World) -> bool:
    epsilon = exact(given["epsilon"])
    return _pairs([(s, t, epsilon) for i, j in given["edges"] for s, t in ((i, j), (j, i))], matrix, world)


def _revealing(matrix: Matrix, given: Given, world: World) -> bool:
    def reveals(column: Column) -> bool:
        used = [x for x, entry in enumerate(column) if entry != 0]
        return len(used) == 1 and used[0] not in given["sensitive"]

    return _ldp([column for column in matrix if not reveals(column)], given, world)


def _lifts(matrix: Matrix, world: World, lower: fmpq | None, upper: fmpq | None) -> bool:
    assert world.secret_prior is not None
    for column in matrix:
        v = world.seen(column)
        mass = dot(world.secret_prior, v)
        if upper is not None and not at_most(max(v), upper, mass):
            return False
        if lower is not None and not at_most(mass, lower, min(v)):
            return False
    return True


def _lip(matrix: Matrix, given: Given, world: World) -> bool:
    epsilon = exact(given["epsilon"])
    return _lifts(matrix, world, epsilon, epsilon)


def _max_lift(matrix: Matrix, given: Given, world: World) -> bool:
    return _lifts(matrix, world, None, exact(given["epsilon"]))


def _asymmetric(matrix: Matrix, given: Given, world: World) -> bool:
    return _lifts(matrix, world, finite(given["lower"]), finite(given["upper"]))


def _box(matrix: Matrix, given: Given, world: World) -> bool:
    epsilon, lower, upper = exact(given["epsilon"]), vector(given["lower"]), vector(given["upper"])
    for column in matrix:
        v = world.seen(column)
        order = sorted(range(len(v)), key=lambda s: v[s])
        least, most = _filled(v, order, lower, upper), _filled(v, order[::-1], lower, upper)
        if not (at_most(max(v), epsilon, least) and at_most(most, epsilon, min(v))):
            return False
    return True


def _filled(v: Column, order: list[int], lower: Column, upper: Column) -> fmpq:
    """Return ``pi . v`` of the prior in the box that gives as much as it can to the first in the order."""
    total, left = dot(lower, v), ONE - sum(lower, ZERO)
    for s in order:
        share = min(left, upper[s] - lower[s])
        total, left = total + share * v[s], left - share
    return total


def _near(matrix: Matrix, given: Given, world: World) -> bool:
    epsilon, radius, prior = exact(given["epsilon"]), exact(given["radius"]), world.secret_prior
    assert prior is not None
    for column in matrix:
        v = world.seen(column)
        mass, order = dot(prior, v), sorted(range(len(v)), key=lambda s: v[s])
        lost = _taken([v[s] - min(v) for s in order[::-1]], [prior[s] for s in order[::-1]], radius)
        won = _taken([max(v) - v[s] for s in order], [prior[s] for s in order], radius)
        if not (at_most(max(v), epsilon, mass - lost) and at_most(mass + won, epsilon, min(v))):
            return False
    return True


def _taken(gains: Column, masses: Column, radius: fmpq) -> fmpq:
    total, left = ZERO, radius
    for gain, mass in zip(gains, masses, strict=True):
        total, left = total + min(mass, left) * gain, left - min(mass, left)
    return total


def _interior(matrix: Matrix, given: Given, world: World) -> bool:
    epsilon, k = exact(given["epsilon"]), world.secrets
    # A c that is rounded up from 1/k leaves the even prior alone.
    least = min(exact(given["c"]), fmpq(1, k))
    for column in matrix:
        v = world.seen(column)
        masses = [least * (sum(v, ZERO) - v[w]) + (ONE - (k - 1) * least) * v[w] for w in range(k)]
        if not at_most(max(v), epsilon, min(masses)):
            return False
    return True


def _approximate(matrix: Matrix, given: Given, world: World) -> bool:
    """Decide ``sum of v_s - e^epsilon v_t over the outputs where that is positive <= delta`` for each pair."""
    epsilon, delta = exact(given["epsilon"]), exact(given["delta"])
    seen = [world.seen(column) for column in matrix]
    for s in range(world.secrets):
        for t in range(world.secrets):
            if given.get("edges") is not None and (min(s, t), max(s, t)) not in map(tuple, given["edges"]):
                continue
            over = [v for v in seen if s != t and not at_most(v[s], epsilon, v[t])]
            most = sum((v[t] for v in over), ZERO)
            room = sum((v[s] for v in over), ZERO) - delta
            if room > 0 and not at_most(room, epsilon, most):
                return False
    return True


def _weighted_tv(matrix: Matrix, given: Given, world: World) -> bool:
    weight = exact(given.get("weight", 0.5))
    # Below its least level a delta is taken as that level.
    limit = max(exact(given["delta"]), abs(ONE - 2 * weight))
    seen = [world.seen(column) for column in matrix]
    return bool(sum((abs((ONE - weight) * v[0] - weight * v[1]) for v in seen), ZERO) <= limit)


def _leakage(matrix: Matrix, given: Given, world: World) -> bool:
    return at_most(sum((max(world.seen(column)) for column in matrix), ZERO), exact(given["epsilon"]), ONE)


def _gain(matrix: Matrix, given: Given, world: World) -> bool:
    assert world.secret_prior is not None
    actions = [[exact(g) * p for g, p in zip(row, world.secret_prior, strict=True)] for row in given["gain"]]
    seen = [world.seen(column) for column in matrix]
    earned = sum((max(dot(action, v) for action in actions) for v in seen), ZERO)
    return at_most(earned, exact(given["epsilon"]), max(sum(action, ZERO) for action in actions))


def _strong_l1(matrix: Matrix, given: Given, world: World) -> bool:
    return all(moved <= exact(given["epsilon"]) * mass for moved, mass in _moved(matrix, world, 1))


def _strong_chi_square(matrix: Matrix, given: Given, world: World) -> bool:
    return all(moved <= exact(given["epsilon"]) ** 2 * mass**2 for moved, mass in _moved(matrix, world, 2))


def _moved(matrix: Matrix, world: World, power: int) -> list[tuple[fmpq, fmpq]]:
    prior, found = world.secret_prior, []
    assert prior is not None
    for column in matrix:
        v = world.seen(column)
        mass = dot(prior, v)
        found.append((sum((p * abs(entry - mass) ** power for p, entry in zip(prior, v, strict=True)), ZERO), mass))
    return found


def information(matrix: Matrix, world: World) -> arb:
    """Return I(S; Y) as a ball."""
    prior, total = world.secret_prior, arb(0)
    assert prior is not None
    for column in matrix:
        v = world.seen(column)
        mass = dot(prior, v)
        for p, entry in zip(prior, v, strict=True):
            if entry not in (0, mass):
                total += arb(p * entry) * arb(entry / mass).log()
    return total


def _is_within(name: str) -> Callable[[Matrix, Given, World], bool]:
    """Return the check of a bound on all columns together, in balls."""

    def holds(matrix: Matrix, given: Given, world: World) -> bool:
        if all(len(set(world.seen(column))) == 1 for column in matrix):
            return True
        for precision in (PRECISION, 4 * PRECISION):
            with ctx.workprec(precision):
                room = LIMITS[name](given) - TAKEN[name](matrix, given, world)
                if room >= 0:
                    return True
                if room < 0:
                    return False
        return False

    return holds


def norms(matrix: Matrix, world: World, alpha: fmpq) -> arb:
    """Return ``sum_y ((sum_s pi_s v_sy^alpha)^(1 / alpha) - pi . v_y)`` as a ball."""
    prior, total = world.secret_prior, arb(0)
    assert prior is not None
    for column in matrix:
        v = world.seen(column)
        mass = dot(prior, v)
        if len(set(v)) > 1:
            powers = sum(
                (arb(p) * arb(entry / mass) ** arb(alpha) for p, entry in zip(prior, v, strict=True) if entry), arb(0)
            )
            total += arb(mass) * (powers ** (ONE / arb(alpha)) - 1)
    return total


def _most_norm(given: Given) -> arb:
    alpha = exact(given["alpha"])
    return arb(exact(given["epsilon"]) * (alpha - 1) / alpha).expm1()


#: What a column takes of a bound on all columns together that is no largest of some pieces, and the bound.
TAKEN: dict[str, Callable[[Matrix, Given, World], arb]] = {
    "MutualInformationPrivacy": lambda matrix, given, world: information(matrix, world),
    "SibsonLeakage": lambda matrix, given, world: norms(matrix, world, exact(given["alpha"])),
}
LIMITS: dict[str, Callable[[Given], arb]] = {
    "MutualInformationPrivacy": lambda given: arb(exact(given["epsilon"])),
    "SibsonLeakage": _most_norm,
}


CHECKS: dict[str, Callable[[Matrix, Given, World], bool]] = {
    "ApproximateLDP": _approximate,
    "AsymmetricLIP": _asymmetric,
    "BlockLDP": _block,
    "BoundedPriorLIP": _box,
    "CentralizedIP": _lip,
    "GLeakage": _gain,
    "InteriorPML": _interior,
    "LDP": _ldp,
    "LIP": _lip,
    "MaxLift": _max_lift,
    "MaximalLeakage": _leakage,
    "MetricDP": _metric,
    "NearPriorLIP": _near,
    "PairwiseLDP": _by_pairs,
    "MutualInformationPrivacy": _is_within("MutualInformationPrivacy"),
    "ProfileDP": _profile,
    "SibsonLeakage": _is_within("SibsonLeakage"),
    "StrongChiSquare": _strong_chi_square,
    "StrongL1": _strong_l1,
    "UtilityOptimizedLDP": _revealing,
    "WeightedTV": _weighted_tv,
    "WorstCaseLIP": _ldp,
}
