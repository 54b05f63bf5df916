"""Noise of the most entropy with mean 0 and a given variance, p_v ~ exp(a v + b v^2), exactly in fractions.

For all real a, b and c no noise with mean 0, variance V and probability s of 0 has more entropy than
``ln sum_v exp(u_v) - b V - c s`` nats, where ``u_v = a v + b v^2 + c 1{v = 0}``; of monotone noise u may be replaced by
its nearest monotone sequence. This is the Lagrangian dual, which the found a, b and c bring down to the entropy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np

from mechdesign.errors import InfeasibleError
from mechdesign.exact import exp_enclosed, log_enclosed
from mechdesign.exact.linear_systems import solution_of
from mechdesign.parameters.checks import Array
from mechdesign.perturbation_tables.noise import Constraints, Row, moment

#: Probabilities are rounded to multiples of 2^-53, before some of them are corrected.
UNIT = 1 << 53
#: Multipliers are rounded to multiples of this: bounds hold for all of them.
STEP = Fraction(1, 1 << 40)
#: An exponent that far below the largest one counts as this one in a bound.
LEAST_EXPONENT = Fraction(-200)
#: Probabilities are corrected among so many of the largest, where that is possible.
LARGEST = 8
#: A direction of features is dependent if it is that small, relative to the largest.
DEPENDENT = 1e-9
#: Newton steps at the end.
STEPS = 8
#: Places beside each other with equal probabilities, the first and the one after the last.
Group = tuple[int, int]


def most_entropy(asked: Constraints) -> tuple[Row, Fraction]:
    """Return the noise of the most entropy that satisfies constraints exactly, and a bound on the entropy of any.

    Parameters
    ----------
    asked : Constraints
        Whose variance lies within ``asked.variances``.

    Returns
    -------
    row : tuple of Fraction
        The probability of each value of the noise.
    bound : Fraction
        In nats.

    Raises
    ------
    InfeasibleError
        No noise has mean 0.

    Examples
    --------
    >>> row, bound = most_entropy(Constraints((-1, 1, 2), Fraction(27, 25)))
    >>> [round(float(p), 4) for p in row], sum(row)
    ([0.5133, 0.46, 0.0267], Fraction(1, 1))
    """
    if asked.extremes is None:
        raise InfeasibleError("No noise of these values has mean 0.")
    for row in asked.extremes:
        if moment(asked.noise, row, 2) == asked.variance and not asked.monotone:
            # The ends of the range have one distribution each.
            return row, entropy_enclosed(row)[1]
    features = _features(asked)
    multipliers = _multipliers(asked, features)
    groups, potentials = _monotone(asked, list(features @ multipliers))
    weights = np.exp(np.array(potentials) - max(potentials))
    made = _exact(asked, weights / weights.sum(), groups)
    # Near the end of a range nothing else may be left than a mixture of its ends.
    return made or _mixed(asked, *asked.extremes), _bound(asked, multipliers)


def entropy_enclosed(row: Row) -> tuple[Fraction, Fraction]:
    """Return lower and upper bounds of the entropy of a distribution in nats, within 1e-70.

    Examples
    --------
    >>> low, high = entropy_enclosed((Fraction(1, 2), Fraction(1, 2), Fraction(0)))
    >>> low <= high, float(low)
    (True, 0.6931471805599453)
    """
    logs = [(p, log_enclosed(1 / p)) for p in row if p]
    return sum((p * log[0] for p, log in logs), Fraction(0)), sum((p * log[1] for p, log in logs), Fraction(0))


def _features(asked: Constraints) -> Array:
    """Return v, v^2 and, where its probability is fixed, whether v is 0: shape (noise, 2 or 3)."""
    noise = np.array(asked.noise, dtype=float)
    return np.column_stack([noise, noise**2, *([noise == 0] if asked.stay is not None else [])])


def _targets(asked: Constraints) -> list[Fraction]:
    """Return the means of the features."""
    return [Fraction(0), asked.variance, *([asked.stay] if asked.stay is not None else [])]


def _monotone(asked: Constraints, potentials: Sequence[Any]) -> tuple[list[Group], list[Any]]:
    """Return the nearest monotone sequence in the mean square, in floats or fractions, and where it is constant.

    By pooling adjacent violators: on each side from the outside inwards, then around 0, the larger neighbour first.
    """
    if not asked.monotone:
        return [(k, k + 1) for k in range(len(potentials))], list(potentials)
    mode = asked.noise.index(0)
    left, right = _rising(potentials[:mode]), _rising(potentials[:mode:-1])
    total, size = potentials[mode], 1
    while True:
        side = max((each for each in (left, right) if each), key=lambda each: each[-1][0] / each[-1][1], default=None)
        if side is None or side[-1][0] * size <= total * side[-1][1]:
            break
        more, wider = side.pop()
        total, size = total + more, size + wider
    groups, values, start = list[Group](), list[Any](), 0
    for sums, count in (*left, (total, size), *reversed(right)):
        groups.append((start, start + count))
        values += [sums / count] * count
        start += count
    return groups, values


def _rising(values: Sequence[Any]) -> list[tuple[Any, int]]:
    """Return sums and sizes of the groups of the nearest rising sequence."""
    groups: list[tuple[Any, int]] = []
    for value in values:
        groups.append((value, 1))
        while len(groups) > 1 and groups[-2][0] * groups[-1][1] > groups[-1][0] * groups[-2][1]:
            (sums, count), (before, counted) = groups.pop(), groups.pop()
            groups.append((sums + before, count + counted))
    return groups


def _multipliers(asked: Constraints, features: Array) -> Array:
    """Return the multipliers of the features, by minimising the dual: a smooth convex function of two or three."""
    from scipy.optimize import minimize

    # Features that are orthonormal over the noise have a Hessian near the identity; dependent ones are left out.
    middle = features.mean(axis=0)
    _, sizes, turned = np.linalg.svd(features - middle, full_matrices=False)
    kept = sizes > DEPENDENT * sizes[0]
    change = turned[kept].T / sizes[kept] * np.sqrt(len(features))
    own = (features - middle) @ change
    wanted = (np.array([float(each) for each in _targets(asked)]) - middle) @ change

    def dual(at: Array) -> tuple[float, Array, Array]:
        groups, potentials = _monotone(asked, list(own @ at))
        exponents = np.array(potentials)
        weights = np.exp(exponents - exponents.max())
        row = weights / weights.sum()
        lengths = np.array([b - a for a, b in groups])
        means = np.add.reduceat(own, [a for a, _ in groups], axis=0) / lengths[:, None]
        pooled = np.repeat(means, lengths, axis=0)
        mean = row @ pooled
        spread = pooled - mean
        value = float(exponents.max() + np.log(weights.sum()) - wanted @ at)
        return value, mean - wanted, (spread * row[:, None]).T @ spread

    found = minimize(
        lambda at: dual(at)[0],
        np.zeros(own.shape[1]),
        jac=lambda at: dual(at)[1],
        hess=lambda at: dual(at)[2],
        method="trust-exact",
        options={"gtol": 1e-10, "maxiter": 300, "max_trust_radius": 1e6},
    )
    return np.asarray(change @ _polished(dual, found.x))


def _polished(dual: Callable[[Array], tuple[float, Array, Array]], at: Array) -> Array:
    """Return a point after Newton steps, as long as gradients fall, where values of the dual no longer differ."""
    _, slope, curve = dual(at)
    for _ in range(STEPS):
        other = at - np.linalg.lstsq(curve, slope, rcond=None)[0]
        _, less, curve = dual(other)
        if not np.linalg.norm(less) < np.linalg.norm(slope):
            break
        at, slope = other, less
    return at


def _bound(asked: Constraints, multipliers: Array) -> Fraction:
    """Return the value of the dual at multipliers, rounded up."""
    exact = [round(Fraction(float(each)) / STEP) * STEP for each in multipliers]
    powers = [[Fraction(v), Fraction(v * v), Fraction(int(v == 0))][: len(exact)] for v in asked.noise]
    potentials = [sum((x * y for x, y in zip(exact, own, strict=True)), Fraction(0)) for own in powers]
    _, exponents = _monotone(asked, potentials)
    top: Fraction = max(exponents)
    total = sum((exp_enclosed(max(each - top, LEAST_EXPONENT))[1] for each in exponents), Fraction(0))
    priced = sum((x * y for x, y in zip(exact, _targets(asked), strict=True)), Fraction(0))
    return top + log_enclosed(total)[1] - priced


def _exact(asked: Constraints, row: Array, groups: Sequence[Group]) -> Row | None:
    """Return noise near `row` that satisfies the constraints, after three groups are corrected, or None."""
    rounded = [Fraction(round(float(row[a]) * UNIT), UNIT) for a, _ in groups]
    free = sorted(range(len(groups)), key=lambda k: -row[groups[k][0]])
    if asked.stay is not None:
        mode = asked.noise.index(0)
        (fixed,) = (k for k, (a, b) in enumerate(groups) if a <= mode < b)
        rounded[fixed] = asked.stay
        free.remove(fixed)
    for triple in (each for shown in (free[:LARGEST], free) for each in combinations(shown, 3)):
        made = _corrected(asked, rounded, groups, triple)
        if made is not None and asked.fault(made) is None:
            return made
    return None


def _corrected(
    asked: Constraints, values: Sequence[Fraction], groups: Sequence[Group], triple: Sequence[int]
) -> Row | None:
    """Return the row of group values of which three are solved for, from sum, mean and variance."""
    others = [0 if k in triple else value for k, value in enumerate(values)]
    row = _spread(others, groups)
    left = [
        wanted - moment(asked.noise, row, power)
        for power, wanted in enumerate((Fraction(1), Fraction(0), asked.variance))
    ]
    rows = [
        {k: Fraction(sum(v**power for v in asked.noise[groups[k][0] : groups[k][1]])) for k in triple}
        for power in range(3)
    ]
    found = solution_of(rows, left)
    return None if found is None else _spread([found.get(k, value) for k, value in enumerate(others)], groups)


def _spread(values: Sequence[Any], groups: Sequence[Group]) -> Row:
    return tuple(Fraction(value) for value, (a, b) in zip(values, groups, strict=True) for _ in range(a, b))


def _mixed(asked: Constraints, low: Row, high: Row) -> Row:
    """Return the mixture of two rows that has the variance."""
    least, most = (moment(asked.noise, row, 2) for row in (low, high))
    share = (asked.variance - least) / (most - least) if most > least else Fraction(0)
    return tuple((1 - share) * p + share * q for p, q in zip(low, high, strict=True))
