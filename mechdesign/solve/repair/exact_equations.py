"""A private matrix of integers that satisfies the user's own linear equations exactly, near one that almost does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from mechdesign.exact import Integers, round_rows
from mechdesign.exact.integer_matrices import ONE, integers
from mechdesign.exact.small_solutions import IntegerEquations
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.repair.stochastic_rows import stochastic_rows
from mechdesign.tolerances import DENOMINATOR_BITS

#: A float is the fraction of no larger denominator that has this float, or one with a smaller denominator that is near
#: it: a share of a count, divided and multiplied once or twice.
EXACT_DENOMINATOR, NEAR_DENOMINATOR, NEAR = 10**7, 10**5, 4.0
#: How numbers were read.
WHOLE, FRACTIONS, FLOATS = "", "read as fractions", "taken as the floats that cvxpy has"
#: Bits of an equation's coefficients and right side, as integers, beyond which it is not solved.
MOST_BITS = 512
#: Equations, and entries of the matrix, beyond which substitution takes long.
MOST_EQUATIONS, MOST_ENTRIES = 2000, 4096
#: Entries of a constant mechanism are larger than this.
INSIDE = 1e-9
#: Shares of a mechanism inside of all constraints that are mixed in, in turn.
SHARES = (0.0, *(2.0**-k for k in range(46, 5, -1)))


@dataclass(frozen=True)
class Equations:
    """Linear equations in the integers N of a matrix ``N / 2^53``, shape (n, m).

    Attributes
    ----------
    rows : tuple of dict
        Of each equation the coefficients, integers, of the entries of N by their places in ``N.ravel()``.
    right : tuple of int
        The right sides.
    shape : tuple of int
        The shape of N.
    reading : str
        How the user's numbers were read: empty for whole numbers.
    """

    rows: tuple[dict[int, int], ...]
    right: tuple[int, ...]
    shape: tuple[int, int]
    reading: str

    @classmethod
    def of(
        cls, rows: Sequence[Mapping[int, float]], right: Sequence[float], shape: tuple[int, int]
    ) -> Equations | None:
        """Return equations of floats, in integers; None for too many or long ones."""
        if len(rows) > MOST_EQUATIONS or shape[0] * shape[1] > MOST_ENTRIES:
            return None
        read = [_read([*row.values(), last]) for row, last in zip(rows, right, strict=True)]
        if any(abs(number).bit_length() > MOST_BITS for numbers, _ in read for number in numbers):
            return None
        whole = (dict(zip(row, numbers, strict=False)) for (numbers, _), row in zip(read, rows, strict=True))
        said = " or ".join(dict.fromkeys(how for _, how in read if how))
        reading = f", their numbers {said}" if said else ""
        return cls(tuple(whole), tuple(numbers[-1] * ONE for numbers, _ in read), shape, reading)

    def missing(self, numerators: Integers) -> list[int]:
        """Return the right sides less the left sides."""
        held = numerators.ravel().tolist()
        return [
            last - sum(entry * held[place] for place, entry in row.items())
            for row, last in zip(self.rows, self.right, strict=True)
        ]


class Correction:
    """What moves integers to where they satisfy the equations and keep the sums of their rows; prepared once.

    Raises
    ------
    TimeoutError
        It was late, or the equations that share entries are too many.
    """

    def __init__(self, equations: Equations, numerators: Integers) -> None:
        n, m = equations.shape
        self.equations = equations
        sums = [dict.fromkeys(range(x * m, (x + 1) * m), 1) for x in range(n)]
        # Entries of a few units may become negative: others are moved first. One column takes back what the others are
        # given, so that equations about columns stay apart.
        weights = numerators.copy()
        weights[:, int(numerators.min(axis=0).argmax())] += ONE
        self.solver = IntegerEquations([*sums, *equations.rows], weights.ravel().tolist(), is_late)

    def corrected(self, numerators: Integers) -> Integers | None:
        """Return integers that satisfy all equations near `numerators`, whose row sums they have; None if none are."""
        missing = self.equations.missing(numerators)
        if not any(missing):
            return numerators
        moves = self.solver.solution([*[0] * len(numerators), *missing])
        if moves is None:
            return None
        found = numerators.astype(object).ravel()
        for place, move in moves.items():
            found[place] += move
        corrected = found.reshape(numerators.shape)
        # Whatever was left out as dependent is decided here.
        fits = min(found) >= 0 and not any(self.equations.missing(corrected))
        fits = fits and bool((corrected.sum(axis=1) == numerators.sum(axis=1)).all())
        return corrected.astype(np.int64) if fits else None


def exactly(
    matrix: Array,
    inner: Array,
    equations: Equations,
    notion: Notion,
    problem: Problem,
    admits: Callable[[Array], bool],
) -> tuple[Array | None, str]:
    """Return a matrix near `matrix` that is private and satisfies all equations exactly; or None, and why not.

    A mechanism inside of the other constraints is mixed in, by the least share of a doubling ladder at which the
    integers that satisfy the equations are private, too.

    Parameters
    ----------
    matrix, inner : ndarray, shape (n, m)
        A private matrix, and a solver's that satisfies all constraints with something to spare.
    admits : callable
        Whether the user's other constraints hold of a matrix.
    """
    inside, why = stochastic_rows(inner), "as no multiples of 2^-53 near the optimum satisfy them"
    try:
        correction = Correction(equations, round_rows(matrix))
    except TimeoutError as error:
        return None, f"as {error}"
    for share in SHARES:
        if is_late():
            return None, "as there was no time for it"
        found = correction.corrected(round_rows((1.0 - share) * matrix + share * inside))
        if found is None:
            continue
        made = np.asarray(np.ldexp(found.astype(float), -DENOMINATOR_BITS))
        if notion.holds_exactly(found, problem) and admits(made):
            return made, ""
        why = "as the multiples of 2^-53 near the optimum that satisfy them miss other constraints"
    return None, why


def constant_row(rows: Sequence[Mapping[int, float]], right: Sequence[float], shape: tuple[int, int]) -> Array | None:
    """Return the row of a constant mechanism that satisfies the equations, its least entry as large as can be.

    Shape (m,), from equations by places in a matrix of shape (n, m); None if every such row has zeros.
    """
    from scipy.optimize import linprog

    m = shape[1]
    by_row = np.zeros((len(rows), m))
    for k, row in enumerate(rows):
        np.add.at(by_row[k], np.array(list(row), dtype=np.intp) % m, list(row.values()))
    equal = np.vstack([np.column_stack([by_row, np.zeros(len(rows))]), np.append(np.ones(m), 0.0)])
    at_least = np.column_stack([-np.eye(m), np.ones(m)])
    goal = np.append(np.zeros(m), -1.0)
    found = linprog(goal, at_least, np.zeros(m), equal, np.append(right, 1.0), bounds=(0.0, 1.0), method="highs")
    return np.asarray(found.x[:-1]) if found.status == 0 and found.x[-1] > INSIDE else None


def _read(numbers: Sequence[float]) -> tuple[list[int], str]:
    """Return integers in the proportions of floats, and how they were read.

    As whole numbers, as the fractions that they are the floats of, as fractions in the same proportions, or as the
    floats themselves.
    """
    if all(number == np.rint(number) and abs(number) < ONE for number in numbers):
        return integers(numbers), WHOLE
    largest = max(map(abs, numbers))
    for given in (numbers, [number / largest for number in numbers]):
        read = [_simplest(number) for number in given]
        if all(each is not None for each in read):
            return integers([each for each in read if each is not None]), FRACTIONS
    return integers(numbers), FLOATS


def _simplest(number: float) -> Fraction | None:
    """Return the fraction that a float is, if it has a small denominator, or that it is but for some rounding."""
    near = Fraction(number).limit_denominator(NEAR_DENOMINATOR)
    if abs(float(near) - number) <= NEAR * np.spacing(abs(number)):
        return near
    near = Fraction(number).limit_denominator(EXACT_DENOMINATOR)
    return near if float(near) == number else None
