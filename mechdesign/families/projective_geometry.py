"""Points and hyperplanes of a projective geometry: near the optimum for any number of inputs, with short reports."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.families.block_design import BlockDesign
from mechdesign.families.finite_field import Vectors
from mechdesign.parameters.checks import Array, whole
from mechdesign.runtime.random_bits import Integers, Source, uniform_below


@dataclass(frozen=True, eq=False)
class ProjectiveGeometry(BlockDesign):
    """Inputs are points of PG(t - 1, q), reports hyperplanes, which cover the points on them.

    There are ``N = (q^t - 1) / (q - 1)`` points and as many hyperplanes. Any n of the points may be inputs: each
    estimate's variance depends on q alone. With ``1 / q`` near ``1 / (1 + e^epsilon)`` it is near the least possible.

    Parameters
    ----------
    n : int
        Inputs, at most N.
    ratio : Fraction
        E, at most ``e^epsilon``.
    q : int
        A prime power: the order of the geometry.
    t : int
        At least 2. For 2 points and hyperplanes are the same, and the mechanism is k-ary response for ``q + 1`` inputs.

    References
    ----------
    V. Feldman, J. Nelson, H. Nguyen, K. Talwar, "Private Frequency Estimation via Projective Geometry", ICML 2022.

    Examples
    --------
    >>> from fractions import Fraction
    >>> plane = ProjectiveGeometry(7, Fraction(3), q=2, t=3)
    >>> plane.design, plane.incidence().sum(axis=1).tolist()
    ((7, 3, 1), [3, 3, 3, 3, 3, 3, 3])
    """

    q: int
    t: int

    name: ClassVar[str] = "projective geometry"
    # Of few of the points, rare hyperplanes hold most.
    covers_evenly: ClassVar[bool] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        whole("t", self.t, 2)
        self.require_inputs((self.vectors.count - 1) // (self.q - 1))

    @property
    def design(self) -> tuple[int, int, int]:
        """N, K and L: all hyperplanes, those through a point, those through two points."""
        points, on, both = ((self.q**k - 1) // (self.q - 1) for k in (self.t, self.t - 1, self.t - 2))
        return points, on, both

    @cached_property
    def vectors(self) -> Vectors:
        """The vectors that points and hyperplanes are multiples of."""
        return Vectors(self.q, self.t)

    @cached_property
    def _starts(self) -> Integers:
        """The number of the first point whose last element other than 0 is element k, for each k."""
        return np.array([(self.q**k - 1) // (self.q - 1) for k in range(self.t + 1)], dtype=np.int64)

    def codes(self, numbers: Integers) -> Integers:
        """Return the vectors of points or hyperplanes by number: the last element that is not 0 is 1."""
        last = np.searchsorted(self._starts, numbers, side="right") - 1
        return np.asarray(numbers - self._starts[last] + self.q**last)

    def numbers(self, elements: Integers) -> Integers:
        """Return the numbers of points or hyperplanes, shape (k,), given by any multiple of their elements (t, k)."""
        last = self.t - 1 - (elements[::-1] != 0).argmax(axis=0)
        if self.q > 2:
            field = self.vectors.field
            leading = elements[last, np.arange(elements.shape[1])]
            elements = field.times[field.inverse[leading], elements]
        return np.asarray(self.vectors.codes(elements) - self.q**last + self._starts[last])

    def covers(self, inputs: Integers, reports: Integers) -> npt.NDArray[np.bool_]:
        """Return whether each hyperplane goes through the point beside it."""
        points, planes = (self.vectors.elements(self.codes(given)) for given in (inputs, reports))
        return np.asarray(self.vectors.field.dot(points, planes) == 0)

    def drawn(self, inputs: Integers, covering: npt.NDArray[np.bool_], read: Source) -> Integers:
        """Return a hyperplane through each point, or beside it."""
        points = self.vectors.elements(self.codes(inputs))
        last = self.t - 1 - (points[::-1] != 0).argmax(axis=0)
        return self.numbers(through(self.vectors, points, last, covering, read, nonzero=True))

    def covers_of(self, reports: Integers, counts: Array) -> Array:
        """Return how many of the reports go through each point, by one transform of ``q^t`` numbers."""
        return self._sums(self.codes(reports), counts, self.codes(np.arange(self.n)))

    def covered_weight(self, weights: Array, reports: Integers) -> Array:
        """Return the weight of the points on each hyperplane, by the same transform: the geometry is its own dual."""
        return self._sums(self.codes(np.arange(self.n)), weights, self.codes(reports))

    def _sums(self, codes: Integers, numbers: Array, wanted: Integers) -> Array:
        """Return the sum of the numbers of the vectors that are orthogonal to each of the wanted ones."""
        values = np.zeros(self.vectors.count)
        for factor in range(1, self.q):
            values[self.vectors.scaled(codes, factor)] = numbers
        found = np.real(self.vectors.transform(values))[self.vectors.duals(wanted)]
        return np.asarray((found + numbers.sum()) / self.q)


def through(
    vectors: Vectors,
    points: Integers,
    at: Integers,
    covering: npt.NDArray[np.bool_],
    read: Source,
    *,
    nonzero: bool,
) -> Integers:
    """Return random vectors whose product with each point is 0, or 1 where it is not covered, shape (t, k).

    Parameters
    ----------
    points : ndarray of int, shape (t, k)
        Of which element `at` is 1.
    nonzero : bool
        Whether the vector 0 is drawn again.
    """
    field, columns = vectors.field, np.arange(points.shape[1])
    drawn = vectors.elements(uniform_below(vectors.count, len(columns), read))
    drawn[at, columns] = 0
    missing = field.plus[np.where(covering, 0, 1), field.negative[field.dot(points, drawn)]]
    drawn[at, columns] = missing
    again = np.flatnonzero(~drawn.any(axis=0)) if nonzero else columns[:0]
    if len(again):
        drawn[:, again] = through(vectors, points[:, again], at[again], covering[again], read, nonzero=True)
    return drawn
