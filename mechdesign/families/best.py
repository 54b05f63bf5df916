"""The family of least variance for a number of inputs, and the largest ratio that a level allows."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from mechdesign.errors import DomainError
from mechdesign.exact import exp_below
from mechdesign.families.finite_field import LARGEST_ORDER, MOST_COMPLEX, MOST_NUMBERS, prime_powers
from mechdesign.families.k_ary_response import KaryResponse
from mechdesign.families.projective_geometry import ProjectiveGeometry
from mechdesign.families.pure_protocol import PureProtocol
from mechdesign.families.subset_selection import SubsetSelection

#: Of more inputs no matrix is made if a family answers the question.
MOST_WITH_MATRIX = 2000
#: Orders that are tried, and the largest one that tables are made for.
ORDERS = prime_powers(64)
#: The quickest subset selection is taken whose variance is up to so many times the least one.
NEARLY = 1.0005
#: Reports for which it is the quickest.
REPORTS = 100_000
#: How far the share of the inputs in a set may be from the share that is asked, relative to it.
SHARE_OFF = Fraction(1, 100)
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
    return min(geometries(n, ratio) or [geometry(n, ratio, 2)], key=lambda one: one.total_variance())


def geometries(n: int, ratio: Fraction) -> list[ProjectiveGeometry]:
    """Return the smallest geometry of each order whose transform is not too large."""
    made = []
    for q in ORDERS:
        try:
            made.append(geometry(n, ratio, q))
        except DomainError:
            continue
    return made


def best_subset_selection(
    n: int,
    ratio: Fraction,
    share: Fraction | None = None,
    cost: Callable[[SubsetSelection], float] = SubsetSelection.total_variance,
) -> SubsetSelection:
    """Return the subset selection of nearly the least variance for n equally frequent inputs, the quickest one.

    Parameters
    ----------
    share : Fraction, optional
        About which share of the inputs is in a set; ``1 / (E + 1)`` by default, of which the variance is least.
    cost : callable
        What is least, a positive number, in place of the variance.

    Raises
    ------
    DomainError
        More inputs than a transform has room for.

    Examples
    --------
    >>> best = best_subset_selection(10**6, ratio_below(1.0))
    >>> best.q, best.t, best.k
    (11, 6, 3)
    """
    made = [(one, cost(one)) for one in _subset_selections(n, ratio, 1 / (ratio + 1) if share is None else share)]
    most = NEARLY * min(found for _, found in made)
    # A transform of all vectors, and of each report a term for every other element of the field.
    return min((one for one, found in made if found <= most), key=lambda one: one.vectors.count + one.q * REPORTS // 2)


def subset_selection_of(n: int, ratio: Fraction, size: int) -> SubsetSelection:
    """Return the subset selection whose sets hold most nearly the share ``size / n`` of the inputs.

    Raises
    ------
    DomainError
        None holds that share to within a hundredth of it; more inputs than a transform has room for.

    Examples
    --------
    >>> half = subset_selection_of(1000, Fraction(3), 500)
    >>> half.k, half.q
    (1, 2)
    """
    share = Fraction(size, n)

    def off(one: SubsetSelection) -> Fraction:
        return abs(Fraction(one.k, one.q) - share)

    best = min(_subset_selections(n, ratio, share), key=lambda one: (off(one), one.vectors.count))
    if off(best) > SHARE_OFF * share:
        rule = (
            f"there is no memory for a matrix, and without one sets of {n} inputs hold {best.k} of {best.q} at nearest"
        )
        raise DomainError("size", size, rule, "leave it out, or give about " + str(round(n * Fraction(best.k, best.q))))
    return best


def _subset_selections(n: int, ratio: Fraction, share: Fraction) -> list[SubsetSelection]:
    """Return the subset selections of each order whose sets hold about that share of the inputs.

    Raises
    ------
    DomainError
        More inputs than a transform has room for.
    """
    made = []
    for q in prime_powers(LARGEST_ORDER):
        t = 1
        while q**t < n:
            t += 1
        if q**t <= (MOST_NUMBERS if q % 2 == 0 else MOST_COMPLEX):
            near = {min(max(k, 1), q - 1) for k in (math.floor(q * share), math.ceil(q * share))}
            made += [SubsetSelection(n, ratio, q, t, k) for k in sorted(near)]
    if not made:
        rule = f"sets without a matrix are of at most {MOST_NUMBERS:.3g} inputs"
        raise DomainError("problem", f"of {n} inputs", rule, "hash inputs into fewer values")
    return made


def families_for(n: int, ratio: Fraction) -> tuple[PureProtocol, ...]:
    """Return the families that may be best for n inputs: subset selection, geometries of each order, k-ary response.

    Examples
    --------
    >>> best = min(families_for(1000, ratio_below(8.0)), key=lambda one: one.total_variance())
    >>> best.name
    'k-ary response'
    """
    selection = (best_subset_selection(n, ratio),) if n <= MOST_NUMBERS else ()
    return *selection, *geometries(n, ratio), KaryResponse(n, ratio)
