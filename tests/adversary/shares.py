"""Random distributions in floats: equal, random, skewed, with atoms next to nothing, exact and in decimals."""

from __future__ import annotations

import random

Rng = random.Random


def distribution(n: int, rng: Rng, positive: bool = True) -> list[float]:
    """Return n probabilities that sum to one up to rounding; exactly, for some kinds."""
    kind = rng.randrange(6)
    if kind == 0 or n == 1:
        return [1.0 / n] * n
    if kind == 1:
        weights = [rng.expovariate(1.0) + 1e-3 for _ in range(n)]
    elif kind == 2:
        weights = [rng.expovariate(1.0) ** 4 + 1e-6 for _ in range(n)]
    elif kind == 3:
        return _dyadic([rng.randint(1, 64) for _ in range(n)])
    elif kind == 4:
        weights = [float(rng.randint(1, 9)) for _ in range(n)]
    else:
        weights = [rng.random() + 0.01 for _ in range(n)]
        weights[rng.randrange(n)] = 10.0 ** -rng.uniform(3.0, 15.0)
    if not positive and n > 2 and rng.random() < 0.3:
        weights[rng.randrange(n)] = 0.0
    total = sum(weights)
    return [weight / total for weight in weights]


def _dyadic(weights: list[int]) -> list[float]:
    """Return multiples of 2^-30 that sum to exactly one."""
    total = sum(weights)
    parts = [(weight << 30) // total for weight in weights]
    parts[0] += (1 << 30) - sum(parts)
    return [part / 2.0**30 for part in parts]
