"""The family of least variance for a number of inputs, and the largest ratio that a level allows."""

from __future__ import annotations

import math
from fractions import Fraction

from mechdesign.errors import DomainError
from mechdesign.exact import exp_below
from mechdesign.families.family import Family
from mechdesign.families.finite_field import MOST_COMPLEX, MOST_NUMBERS, prime_powers
from mechdesign.families.k_ary_response import KaryResponse
from mechdesign.families.projective_geometry import ProjectiveGeometry

#: Of more inputs no matrix is made if a family answers the question.
MOST_WITH_MATRIX = 2000
#: Orders that are tried, and the largest one that tables are made for.
ORDERS = prime_powers(64)
#: A ratio is a whole number over two to this power.
RATIO_BITS = 52


def ratio_below(epsilon: float) -> Fraction:
    """Return the largest multiple of ``2**-52`` that is at most ``e^epsilon``.

    Examples
    --------
    >>> ratio_below(0.0), float(ratio_below(1.0)) <= math.e
    (Fraction(1, 1), True)
    """
    return Fraction(math.floor(exp_below(epsilon) * 2**RATIO_BITS), 2**RATIO_BITS)


def geometry(n: int, ratio: Fraction, q: int) -> ProjectiveGeometry:
    """Return the smallest geometry of order q with n points or more.

    Raises
    ------
    DomainError
        Its vectors are too many for a transform.

    Examples
    --------
    >>> geometry(1000, Fraction(3), 4).t
    6
    """
    t = 2
    while (q**t - 1) // (q - 1) < n:
        t += 1
    most = MOST_NUMBERS if q % 2 == 0 else MOST_COMPLEX
    if q**t > most:
        rule = f"a geometry of order {q} for {n} inputs has {q**t:.3g} vectors, more than {most:.3g}"
        raise DomainError("problem", f"of {n} inputs", rule, "choose another order, or hash inputs into fewer values")
    return ProjectiveGeometry(n, ratio, q, t)


def best_geometry(n: int, ratio: Fraction) -> ProjectiveGeometry:
    """Return the geometry of least variance for n equally frequent inputs.

    Raises
    ------
    DomainError
        So many inputs that no geometry for them has few enough vectors.

    Examples
    --------
    >>> best_geometry(10_000, ratio_below(1.0)).q
    4
    """
    # The smallest order has the fewest vectors: its refusal is the one to show.
    return min(_geometries(n, ratio) or [geometry(n, ratio, 2)], key=lambda one: one.total_variance())


def _geometries(n: int, ratio: Fraction) -> list[ProjectiveGeometry]:
    """Return the smallest geometry of each order whose transform is not too large."""
    made = []
    for q in ORDERS:
        try:
            made.append(geometry(n, ratio, q))
        except DomainError:
            continue
    return made


def families_for(n: int, ratio: Fraction) -> tuple[Family, ...]:
    """Return the families that may be best for n inputs: geometries of each order, and k-ary response.

    Examples
    --------
    >>> best = min(families_for(1000, ratio_below(8.0)), key=lambda one: one.total_variance())
    >>> best.name
    'k-ary response'
    """
    return *_geometries(n, ratio), KaryResponse(n, ratio)
