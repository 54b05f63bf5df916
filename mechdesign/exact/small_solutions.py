"""Small integer solutions of linear equations: by substitution, and by lattice basis reduction."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.exact.integer_matrices import Integers
from mechdesign.exact.linear_systems import solution_of

#: An equation: the coefficient of each unknown that it holds.
Row = dict[int, int]
#: Rounds of the reduction by the kernel; one or two change anything.
ROUNDS = 8
#: Unknowns in which a group of equations is solved, besides two for each: with more, none moves far.
UNKNOWNS = 24
#: Equations of a group, and bits of their coefficients, beyond which reducing its lattice takes long.
MOST_EQUATIONS, MOST_BITS = 16, 256
#: Equations are independent if they are modulo this prime.
PRIME = 2**31 - 1


@dataclass(frozen=True)
class _Lattice:
    """A short basis of the kernel of some rows, and vectors whose images span the images of all integers.

    The rows of ``[I | w rows']``, with a large w, are reduced: those that end in zeros are the basis of the kernel.

    References
    ----------
    G. Havas, B. S. Majewski, K. R. Matthews, "Extended GCD and Hermite Normal Form Algorithms via Lattice Basis
    Reduction", Experimental Mathematics 7 (1998).
    """

    kernel: Integers
    others: Integers
    images: Integers

    @classmethod
    def of(cls, rows: Integers) -> _Lattice:
        """Return the lattice of rows, shape (k, n)."""
        from flint import fmpz_mat

        k, n = rows.shape
        bits = max((abs(int(entry)).bit_length() for entry in rows.flat), default=0)
        # Beside a multiple of this no vector of the kernel is long.
        large = 1 << (n + (k + 1) * (bits + n.bit_length()))
        basis = np.hstack([np.eye(n, dtype=int).astype(object), large * rows.T])
        made = fmpz_mat(basis.tolist()).lll()
        reduced = np.array([[int(entry) for entry in row] for row in made.tolist()], dtype=object).reshape(n, n + k)
        vectors, images = reduced[:, :n], reduced[:, n:] // large
        inside = np.array([not any(row) for row in images], dtype=bool)
        return cls(vectors[inside], vectors[~inside], images[~inside])

    def solved(self, right: Sequence[int]) -> Integers | None:
        """Return a solution, written in the vectors with images and shortened by rounding its place in the kernel."""
        count, n = len(self.others), self.kernel.shape[1]
        images = [{i: Fraction(self.images[i, j]) for i in range(count)} for j in range(len(right))]
        shares = solution_of(images, [Fraction(each) for each in right])
        if shares is None or any(share.denominator > 1 for share in shares.values()):
            return None
        weights = np.array([int(shares.get(i, 0)) for i in range(count)], dtype=object)
        return self._shortened(weights @ self.others if count else np.zeros(n, dtype=object))

    def _shortened(self, found: Integers) -> Integers:
        basis = self.kernel.astype(float).T
        for _ in range(ROUNDS if len(self.kernel) else 0):
            coordinates = np.rint(np.linalg.lstsq(basis, found.astype(float), rcond=None)[0])
            if not coordinates.any():
                break
            found = found - np.array([int(each) for each in coordinates], dtype=object) @ self.kernel
        return found


@dataclass(frozen=True)
class _Step:
    """An unknown that an equation gives: ``unknown = sign (sum of its right sides - sum of its other terms)``."""

    unknown: int
    sign: int
    others: Row
    rights: Row


class IntegerEquations:
    """Sparse linear equations in integers, prepared once and solved for many right sides.

    An equation in which an unknown has the coefficient 1 or -1 gives that unknown. What is left are groups of equations
    that share no unknown, each solved by its lattice in a few of them.

    Parameters
    ----------
    rows : sequence of dict
        The coefficients of each equation.
    weights : sequence of int
        Of each unknown: those of the largest weights are moved.
    is_late : callable
        Whether to give up.

    Raises
    ------
    TimeoutError
        It was late, or the groups are too large.

    Examples
    --------
    >>> both = IntegerEquations([{0: 1, 1: 1}, {0: 2, 2: 3}], [1, 1, 1])
    >>> both.solution([4, 7])
    {1: -1, 2: -1, 0: 5}
    """

    def __init__(
        self, rows: Sequence[Mapping[int, int]], weights: Sequence[int], is_late: Callable[[], bool] = lambda: False
    ) -> None:
        self.weights = weights
        # Which right sides an equation has after substitution: at first its own.
        left = [(dict(row), {place: 1}) for place, row in enumerate(rows)]
        self.steps, rest = _substituted(left, weights, is_late)
        #: Right sides that have to add up to 0, as nothing is left of their equations.
        self.void = [rights for row, rights in rest if not row]
        self.groups = [self._group(group) for group in _groups([each for each in rest if each[0]], is_late)]

    def _group(self, group: list[tuple[Row, Row]]) -> tuple[list[int], list[Row], _Lattice]:
        unknowns = sorted({unknown for row, _ in group for unknown in row}, key=lambda u: (-self.weights[u], u))
        chosen = sorted(unknowns[: UNKNOWNS + 2 * len(group)])
        rows = np.array([[row.get(unknown, 0) for unknown in chosen] for row, _ in group], dtype=object)
        bits = max(abs(int(entry)).bit_length() for entry in rows.flat)
        if len(group) > MOST_EQUATIONS or bits > MOST_BITS:
            raise TimeoutError(f"equations that share unknowns take too long ({len(group)} of {bits} bits)")
        return chosen, [rights for _, rights in group], _Lattice.of(rows)

    def solution(self, right: Sequence[int]) -> dict[int, int] | None:
        """Return a solution, unknowns that it does not hold being 0; None if none is found."""

        def of(rights: Row) -> int:
            return sum(share * int(right[place]) for place, share in rights.items())

        if any(of(rights) for rights in self.void):
            return None
        found: dict[int, int] = {}
        for chosen, rights, lattice in self.groups:
            part = lattice.solved([of(each) for each in rights])
            if part is None:
                return None
            found.update(zip(chosen, map(int, part), strict=True))
        for step in reversed(self.steps):
            taken = sum(entry * found.get(unknown, 0) for unknown, entry in step.others.items())
            found[step.unknown] = step.sign * (of(step.rights) - taken)
        return found


def _substituted(
    left: list[tuple[Row, Row]], weights: Sequence[int], is_late: Callable[[], bool]
) -> tuple[list[_Step], list[tuple[Row, Row]]]:
    """Return the unknowns that equations give, in order, and the equations without such an unknown, substituted."""
    steps, open_ = list[_Step](), set(range(len(left)))
    while open_:
        if is_late():
            raise TimeoutError("there was no time for it")
        # The shortest first: fewest terms come into others.
        able = [(len(left[k][0]), k) for k in open_ if any(abs(entry) == 1 for entry in left[k][0].values())]
        if not able:
            break
        place = min(able)[1]
        row, rights = left[place]
        unknown = max((u for u, entry in row.items() if abs(entry) == 1), key=lambda u: (weights[u], -u))
        sign = row.pop(unknown)
        open_.remove(place)
        for other in open_:
            share = left[other][0].pop(unknown, 0) * sign
            if share:
                _subtract(left[other][0], row, share)
                _subtract(left[other][1], rights, share)
        steps.append(_Step(unknown, sign, row, rights))
    return steps, [left[place] for place in sorted(open_)]


def _subtract(row: Row, other: Row, share: int) -> None:
    for unknown, entry in other.items():
        left = row.get(unknown, 0) - share * entry
        if left:
            row[unknown] = left
        else:
            row.pop(unknown, None)


def _groups(rows: list[tuple[Row, Row]], is_late: Callable[[], bool]) -> list[list[tuple[Row, Row]]]:
    """Return independent rows, in groups that share no unknown with another group.

    Short rows first: a sum of others has all their unknowns. Rows that depend on others modulo the prime are left out,
    and whoever uses the solution checks all equations.
    """
    pivots: dict[int, Row] = {}
    groups: list[tuple[set[int], list[tuple[Row, Row]]]] = []
    for row, rights in sorted(rows, key=lambda each: len(each[0])):
        if is_late():
            raise TimeoutError("there was no time for it")
        if not _is_independent(row, pivots):
            continue
        joined, apart = [(row, rights)], []
        unknowns = set(row)
        for others, group in groups:
            if others & unknowns:
                joined, unknowns = [*group, *joined], others | unknowns
            else:
                apart.append((others, group))
        groups = [*apart, (unknowns, joined)]
    return [group for _, group in groups]


def _is_independent(row: Row, pivots: dict[int, Row]) -> bool:
    """Return whether a row is no sum of those before it, modulo the prime; it is then one of `pivots`."""
    left = {unknown: entry % PRIME for unknown, entry in row.items() if entry % PRIME}
    while left:
        unknown = min(left)
        if unknown not in pivots:
            inverse = pow(left[unknown], -1, PRIME)
            pivots[unknown] = {other: entry * inverse % PRIME for other, entry in left.items()}
            return True
        share = left[unknown]
        for other, entry in pivots[unknown].items():
            value = (left.get(other, 0) - share * entry) % PRIME
            if value:
                left[other] = value
            else:
                left.pop(other, None)
    return False
