"""Which variances every count reaches, and what to change where one does not."""

from __future__ import annotations

import math
from fractions import Fraction

from mechdesign.errors import InfeasibleError
from mechdesign.perturbation_tables.noise import Constraints, first_alike


def of_every_count(
    maximum: int, variance: Fraction, threshold: int, stay: Fraction | None, monotone: bool
) -> list[Constraints]:
    """Return the constraints of the noise of each count from 1 on, which all of them can satisfy.

    Raises
    ------
    InfeasibleError
        A count has no such noise: the message says which variances it reaches, and what to change.

    Examples
    --------
    >>> of_every_count(3, Fraction(4), 0, None, False)
    Traceback (most recent call last):
    mechdesign.errors.InfeasibleError: variance is 4, but with maximum_noise=3 the noise of count 1 with mean 0 has \
variances from 0 to 3; every count reaches variances from 0 to 3: give one of them, or maximum_noise=4.
    """
    if maximum <= threshold:
        raise InfeasibleError(
            f"maximum_noise is {maximum}, but with threshold={threshold} it has to be more than this: the perturbed "
            f"count of {threshold + 1} cannot be from 1 to {threshold}, and 0 is too far; give {threshold + 1} or more."
        )
    counts = range(1, first_alike(maximum, threshold) + 1)
    asked = [Constraints.of_count(count, maximum, variance, threshold, stay, monotone) for count in counts]
    for count, each in zip(counts, asked, strict=True):
        reached = each.variances
        if reached is None or not reached[0] <= variance <= reached[1]:
            options = f"maximum_noise={maximum}" + (f", threshold={threshold}" if threshold else "")
            options += ("" if stay is None else f", stay={written(stay)}") + (", monotone=True" if monotone else "")
            found = f"no noise of count {count} has mean 0"
            if reached is not None:
                ends = f"variances from {written(reached[0])} to {written(reached[1])}"
                found = f"the noise of count {count} with mean 0 has {ends}"
            raise InfeasibleError(
                f"variance is {written(variance)}, but with {options} {found}; {_remedy(asked, maximum, threshold)}."
            )
    return asked


def _remedy(asked: list[Constraints], maximum: int, threshold: int) -> str:
    """Return what to change for every count to reach the variance."""
    ranges = [each.variances for each in asked]
    variance, last = asked[-1].variance, asked[-1]
    others = [
        *(["a lower threshold"] if threshold else []),
        *(["another stay"] if last.stay is not None else []),
        *(["monotone=False"] if last.monotone else []),
    ]
    low = max((each[0] for each in ranges if each is not None), default=Fraction(0))
    high = min((each[1] for each in ranges if each is not None), default=Fraction(0))
    if None in ranges:
        return f"give {' or '.join(others)}"
    if low > high:
        return f"no variance is reached by every count: give {' or '.join(['a larger maximum_noise', *others])}"
    said = f"every count reaches variances from {written(low)} to {written(high)}: give one of them"
    if variance > high:
        # Without the order of probabilities it is count 1 or the first that can stay whose largest variance is least.
        moved = 1 - (last.stay or Fraction(0))
        larger = math.ceil(variance / (min(Fraction(1), moved * (threshold + 1)) if threshold else moved))
        others = ["a larger maximum_noise" if last.monotone else f"maximum_noise={larger}", *others[bool(threshold) :]]
    return ", or ".join([said, " or ".join(others)]) if others else said


def written(number: Fraction) -> str:
    """Return a fraction as people write it: as a decimal where that is short.

    Examples
    --------
    >>> written(Fraction(27, 25)), written(Fraction(3)), written(Fraction(1, 3))
    ('1.08', '3', '1/3')
    """
    decimal = f"{float(number):.12g}"
    return decimal if Fraction(decimal) == number else str(number)
