"""Columns of bands about the mass in exact rationals, written from the definition: what rays and bounds are held to."""

import itertools
import math
from decimal import Context, Decimal
from fractions import Fraction

EXACT = Context(prec=400, Emin=-(10**6), Emax=10**6)


def exponential_below(exponent):
    """Return a fraction at most e^exponent, within 1e-390 of it in ratio; 0 for minus infinity."""
    if exponent == -math.inf:
        return Fraction(0)
    return Fraction(1) if exponent == 0 else Fraction(EXACT.next_minus(EXACT.exp(Decimal(exponent))))


def private_rays(prior, lower, upper):
    """Return columns with ``e^-lower m <= v_x <= e^upper m`` on the slice of mass one, at the band's corners.

    The band's ends are rounded inward, so that each column is private.
    """
    masses = [Fraction(p) for p in prior]
    masses = [p / sum(masses) for p in masses]
    # A little more than the inverse of what is a little less than e^lower.
    low = Fraction(0) if lower == math.inf else 1 / exponential_below(lower)
    high = 1 / min(masses) if upper == math.inf else exponential_below(upper)
    low, n = min(low, Fraction(1)), len(masses)
    found = {(Fraction(1),) * n}
    for part in range(n):
        others = [x for x in range(n) if x != part]
        for ends in itertools.product((low, high), repeat=n - 1):
            column = dict(zip(others, ends, strict=True))
            column[part] = (1 - sum(masses[x] * column[x] for x in others)) / masses[part]
            if low <= column[part] <= high:
                found.add(tuple(column[x] for x in range(n)))
    return [list(column) for column in sorted(found)]
