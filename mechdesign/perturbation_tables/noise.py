"""The noise that a frequency count can have, and the variances that it can have with mean 0, in fractions."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise, product

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.exact.linear_systems import solution_of

#: Weights of a linear program below this are 0.
NO_WEIGHT = 1e-9
#: What a linear program without a solution is answered with.
INFEASIBLE = 2
#: A distribution: the probability of each value of the noise.
Row = tuple[Fraction, ...]


@dataclass(frozen=True)
class Constraints:
    """What the noise of a count has to satisfy, besides its mean of 0.

    Attributes
    ----------
    noise : tuple of int
        Its values, in order.
    variance : Fraction
    stay : Fraction or None
        The probability of 0, where that is fixed.
    monotone : bool
        Whether larger noise is no likelier than smaller noise of the same sign, and none likelier than 0.
    """

    noise: tuple[int, ...]
    variance: Fraction
    stay: Fraction | None = None
    monotone: bool = False

    @classmethod
    def of_count(
        cls, count: int, maximum: int, variance: Fraction, threshold: int, stay: Fraction | None, monotone: bool
    ) -> Constraints:
        """Return the constraints of a positive count; `stay` and `monotone` apply to counts above the threshold.

        Examples
        --------
        >>> Constraints.of_count(1, 3, Fraction(2), 2, Fraction(1, 2), True)
        Constraints(noise=(-1, 2, 3), variance=Fraction(2, 1), stay=None, monotone=False)
        """
        noise = noise_of(count, maximum, threshold)
        stays = count > threshold
        return cls(noise, variance, stay if stays else None, monotone and stays)

    @cached_property
    def extremes(self) -> tuple[Row, Row] | None:
        """The distributions with mean 0 of the least and of the largest variance; None if there are none."""
        noise = self.noise
        below, above = [v for v in noise if v < 0], [v for v in noise if v > 0]
        if self.monotone:
            return _monotone_extremes(noise, self.stay)
        if not below or not above:
            return None if self.stay is not None or 0 not in noise else ((_only(noise),) * 2)
        # The points (v, v^2) lie on a parabola: their hull at mean 0 ends on two chords.
        low = _only(noise) if 0 in noise and self.stay is None else _pair(noise, below[-1], above[0], self.stay)
        return low, _pair(noise, below[0], above[-1], self.stay)

    @property
    def variances(self) -> tuple[Fraction, Fraction] | None:
        """The least and the largest variance with mean 0; None if no noise has mean 0.

        Examples
        --------
        >>> Constraints((-1, 0, 1, 2, 3), Fraction(1)).variances, Constraints((-1, 2, 3), Fraction(1)).variances
        ((Fraction(0, 1), Fraction(3, 1)), (Fraction(2, 1), Fraction(3, 1)))
        >>> Constraints((-1, 0, 1, 2, 3), Fraction(1), monotone=True).variances
        (Fraction(0, 1), Fraction(4, 3))
        """
        if self.extremes is None:
            return None
        low, high = (moment(self.noise, row, 2) for row in self.extremes)
        return low, high

    def fault(self, row: Row) -> str | None:
        """Return what is wrong with a distribution, in exact arithmetic; None if it satisfies everything.

        Examples
        --------
        >>> asked = Constraints((-1, 0, 1), Fraction(1, 2))
        >>> asked.fault((Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)))
        >>> asked.fault((Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)))
        'its variance is 2/3'
        """
        if len(row) != len(self.noise):
            return f"it has {len(row)} probabilities for {len(self.noise)} values"
        if min(row) < 0:
            return f"the probability of {self.noise[row.index(min(row))]} is negative"
        wanted = {"sum": Fraction(1), "mean": Fraction(0), "variance": self.variance}
        for power, (name, number) in enumerate(wanted.items()):
            if moment(self.noise, row, power) != number:
                return f"its {name} is {moment(self.noise, row, power)}"
        if self.stay is not None and row[self.noise.index(0)] != self.stay:
            return f"the probability of 0 is {row[self.noise.index(0)]}"
        return self._unordered(row)

    def _unordered(self, row: Row) -> str | None:
        for (v, w), (p, q) in zip(pairwise(self.noise), pairwise(row), strict=True):
            if self.monotone and ((p > q) if w <= 0 else (p < q)):
                return f"of {v} and {w} the one farther from 0 is likelier"
        return None


def first_alike(maximum: int, threshold: int) -> int:
    """Return the count from which on all counts have the same noise, as no perturbed count meets 0 or the threshold.

    Examples
    --------
    >>> first_alike(2, 0), first_alike(5, 2)
    (2, 8)
    """
    return maximum + threshold + 1 if threshold else maximum


def noise_of(count: int, maximum: int, threshold: int) -> tuple[int, ...]:
    """Return the noise of a count in order: perturbed counts are 0 or above the threshold, and 0 stays 0.

    Examples
    --------
    >>> noise_of(1, 3, 0), noise_of(1, 3, 2), noise_of(0, 3, 2)
    ((-1, 0, 1, 2, 3), (-1, 2, 3), (0,))
    """
    if count == 0:
        return (0,)
    whole = range(-maximum, maximum + 1)
    return tuple(v for v in whole if count + v == 0 or count + v > threshold)


def moment(noise: tuple[int, ...], row: Row, power: int) -> Fraction:
    """Return the mean of a power of the noise.

    Examples
    --------
    >>> moment((-1, 0, 1), (Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)), 2)
    Fraction(1, 2)
    """
    return sum((p * v**power for p, v in zip(row, noise, strict=True)), Fraction(0))


def _only(noise: tuple[int, ...]) -> Row:
    """Return the distribution that is 0 for certain."""
    return tuple(Fraction(int(v == 0)) for v in noise)


def _pair(noise: tuple[int, ...], low: int, high: int, stay: Fraction | None) -> Row:
    """Return the distribution with mean 0 on two values, besides a fixed probability of 0."""
    left = 1 - (stay or Fraction(0))
    mass = {low: left * Fraction(high, high - low), high: left * Fraction(-low, high - low), 0: stay or Fraction(0)}
    return tuple(mass.get(v, Fraction(0)) for v in noise)


def _monotone_extremes(noise: tuple[int, ...], stay: Fraction | None) -> tuple[Row, Row] | None:
    """Return monotone distributions with mean 0 of least and largest variance.

    Monotone distributions are the mixtures of the uniform ones on values beside each other, 0 among them: a linear
    program over these has a solution that mixes two, or three if the probability of 0 is fixed.

    Raises
    ------
    SolverError
        No exact solution was found from the one in floats.
    """
    from scipy.optimize import linprog

    mode = noise.index(0)
    spans = [(start, stop) for start, stop in product(range(mode + 1), range(mode + 1, len(noise) + 1))]
    columns = [
        [
            Fraction(1),
            Fraction(sum(noise[a:b]), b - a),
            *([Fraction(1, b - a)] if stay is not None else []),
            Fraction(sum(v * v for v in noise[a:b]), b - a),
        ]
        for a, b in spans
    ]
    right = [Fraction(1), Fraction(0), *([stay] if stay is not None else [])]
    rows = np.array([[float(entry) for entry in column] for column in columns]).T
    found = []
    for sign in (1.0, -1.0):
        solved = linprog(sign * rows[-1], A_eq=rows[:-1], b_eq=[float(each) for each in right])
        if solved.status == INFEASIBLE:
            return None
        basis = [] if solved.x is None else [k for k, weight in enumerate(solved.x) if weight > NO_WEIGHT]
        weights = solution_of([{k: columns[k][i] for k in basis} for i in range(len(right))], right)
        if weights is None or min(weights.values()) < 0:
            said = "The range of variances of monotone noise was not found: the linear program's solution is not exact."
            raise SolverError(said, status=str(solved.status))
        row = [Fraction(0)] * len(noise)
        for k, weight in weights.items():
            for place in range(*spans[k]):
                row[place] += weight / (spans[k][1] - spans[k][0])
        found.append(tuple(row))
    return found[0], found[1]
