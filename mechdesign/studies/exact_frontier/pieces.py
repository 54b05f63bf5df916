"""One optimal basis as formulas, and the exact interval of E on which its signs prove it optimal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from flint import fmpq, fmpq_mat, fmpq_poly

from mechdesign.studies.exact_frontier.cones import Polynomials
from mechdesign.studies.exact_frontier.rational_functions import BITS, RationalFunction, Root, roots_between
from mechdesign.studies.exact_frontier.simplex import Basic, Program, matrix_of

#: Parts of an interval that may follow each other before it is given up, and how often one is halved.
MOST_PARTS, MOST_HALVINGS = 10_000, 200


@dataclass(frozen=True)
class Formulas:
    """A basis of n columns with its weights and the multipliers of its rows, as functions of E."""

    program: Program
    basis: tuple[Basic, ...]
    weights: tuple[RationalFunction, ...]
    multipliers: tuple[RationalFunction, ...]

    @classmethod
    def of(cls, program: Program, basis: tuple[Basic, ...]) -> Formulas:
        """Solve for both over the rational functions, by values at whole numbers."""
        n, degree = program.inputs, program.columns.degree
        count = (n + 1) * degree + 1
        rows: list[list[fmpq]] = []
        points: list[int] = []
        point = 2
        while len(points) < count:
            base = fmpq(point)
            matrix = matrix_of(program, basis, base)
            determinant = matrix.det()
            point += 1
            if determinant == 0:
                continue
            worth = fmpq_mat(n, 1, [_worth(program, each)(base) for each in basis])
            ones = fmpq_mat(n, 1, [1] * n)
            solved = [*matrix.solve(ones).entries(), *matrix.transpose().solve(worth).entries()]
            rows.append([determinant, *(determinant * value for value in solved)])
            points.append(point - 1)
        bottom, *tops = interpolated(points, rows)
        found = tuple(RationalFunction.of(top, bottom) for top in tops)
        return cls(program, basis, found[:n], found[n:])

    @cached_property
    def value(self) -> RationalFunction:
        """The utility: the sum of the multipliers."""
        return total(self.multipliers)

    @cached_property
    def poles(self) -> Polynomials:
        """The denominators: where one is zero the formulas end."""
        return [each.denominator for each in (*self.weights, *self.multipliers)]

    @cached_property
    def signs(self) -> Polynomials:
        """What keeps its sign where the weights make a mechanism of columns that are allowed."""
        allowed = [sign for each in self.basis for sign in self.program.columns.allowed(each.name)]
        return [*self.poles, *(each.numerator for each in self.weights), *allowed]

    @cached_property
    def functionals(self) -> list[list[fmpq_poly]]:
        """What each decision gains beyond the multipliers, times their common denominator: shape (decisions, n)."""
        common = self.common
        scaled = [each.numerator * (common // each.denominator) for each in self.multipliers]
        return [[g * common - m for g, m in zip(gained, scaled, strict=True)] for gained in self.program.gains]

    @cached_property
    def common(self) -> fmpq_poly:
        """The least common denominator of the multipliers."""
        common = fmpq_poly([1])
        for each in self.multipliers:
            common = common * (each.denominator // common.gcd(each.denominator))
        return common

    def is_mechanism_on(self, low: Root, high: Root) -> bool:
        """Return whether no weight is negative between two E."""
        base = between(low, high)
        if any(pole(base) == 0 for pole in self.poles) or any(weight.at(base) < 0 for weight in self.weights):
            return False
        if any(sign(base) < 0 for each in self.basis for sign in self.program.columns.allowed(each.name)):
            return False
        return all(
            nearest_change(sign, base, end, forward) == end
            for sign in self.signs
            for end, forward in ((low, False), (high, True))
        )

    def is_special(self, base: fmpq) -> bool:
        """Return whether a sign that decides on optimality is zero just at an E, and so undetermined beside it."""
        signs = list(self.signs)
        for functional in self.functionals:
            name = self.program.columns.best([f(base) for f in self._positive(functional, base)], base)
            signs += [*self.program.columns.conditions(name, functional), self.program.columns.excess(name, functional)]
        return any(sign and sign(base) == 0 for sign in signs)

    def _positive(self, functional: Polynomials, base: fmpq) -> Polynomials:
        """Return the reduced gains of a decision, times the absolute value of the multipliers' denominator at an E."""
        return functional if self.common(base) > 0 else [-f for f in functional]

    def reach(self, base: fmpq, end: fmpq) -> Root:
        """Return the point up to which, from a rational E towards `end`, the basis is proved to stay optimal."""
        limit = Root.of_rational(end)
        forward = end > base
        for polynomial in self.signs:
            limit = nearest_change(polynomial, base, limit, forward)
        for functional in self.functionals:
            limit = self._priced(self._positive(functional, base), base, limit, forward)
        return limit

    def _priced(self, functional: Polynomials, base: fmpq, limit: Root, forward: bool) -> Root:
        """Return how far no column has an excess of a functional: part by part, on each of which one column is best."""
        columns, at, part = self.program.columns, base, limit
        for _ in range(MOST_PARTS):
            name = columns.best([f(at) for f in functional], at)
            excess = columns.excess(name, functional)
            if excess(at) > 0:
                if at == base:
                    raise ArithmeticError(f"the basis is not optimal at {at}")
                # No sign changes between the end of the last part and here: it does so at that end.
                return part
            limit = nearest_change(-excess, at, limit, forward)
            conditions = columns.conditions(name, functional)
            part = limit
            for condition in conditions:
                part = nearest_change(condition, at, part, forward)
            if part == limit:
                return limit
            at = self._beyond(functional, part, limit, forward)
        raise ArithmeticError("the best column changes too often")

    def _beyond(self, functional: Polynomials, part: Root, limit: Root, forward: bool) -> fmpq:
        """Return a rational E behind the end of a part, so near that its best column is best from there on."""
        columns, start = self.program.columns, part.first[int(forward)]
        at = between(part, limit)
        for _ in range(MOST_HALVINGS):
            name = columns.best([f(at) for f in functional], at)
            signs = [*columns.conditions(name, functional), columns.excess(name, functional)]
            if not any(_changes_between(sign, part, at, forward) for sign in signs):
                return at
            # No half: a root may be the middle of such ends.
            at = start + (at - start) * fmpq(3, 7)
        raise ArithmeticError("changes of the best column lie too close together")


def between(first: Root, second: Root) -> fmpq:
    """Return a rational number between two roots, nearer to the first."""
    bits, forward = BITS, first < second
    while True:
        near, far = first.between(bits)[int(forward)], second.between(bits)[int(not forward)]
        if near != far and (near < far) == forward:
            return near + (far - near) * fmpq(2, 5)
        bits *= 2


def _changes_between(polynomial: fmpq_poly, part: Root, at: fmpq, forward: bool) -> bool:
    """Return whether a polynomial that is not zero everywhere is so at a point, or between the end of a part and it."""
    if not polynomial:
        return False
    low, high = (part.first[0], at) if forward else (at, part.first[1])
    return polynomial(at) == 0 or any(
        root != part and (part < root) == forward for root in roots_between(polynomial, low, high)
    )


def nearest_change(polynomial: fmpq_poly, base: fmpq, limit: Root, forward: bool) -> Root:
    """Return the root, or the limit, that is nearest to where the polynomial is not negative, in one direction."""
    if not polynomial:
        return limit
    ends = limit.first
    low, high = (base, ends[1]) if forward else (ends[0], base)
    if low == high:
        return limit
    inside = [root for root in roots_between(polynomial, low, high) if root != limit and (root < limit) == forward]
    if not inside:
        return limit
    return inside[0] if forward else inside[-1]


def interpolated(points: Sequence[int], rows: Sequence[Sequence[fmpq]]) -> list[fmpq_poly]:
    """Return the polynomials through the values at each point; `rows` has a row for each point."""
    count, wide = len(points), len(rows[0])
    powers = fmpq_mat(count, count, [fmpq(point) ** power for point in points for power in range(count)])
    values = fmpq_mat(count, wide, [value for row in rows for value in row])
    found = powers.solve(values)
    return [fmpq_poly([found[power, k] for power in range(count)]) for k in range(wide)]


def total(functions: Sequence[RationalFunction]) -> RationalFunction:
    """Return the sum."""
    found = RationalFunction.of(fmpq_poly([0]), fmpq_poly([1]))
    for each in functions:
        found = found + each
    return found


def _worth(program: Program, each: Basic) -> fmpq_poly:
    """Return the utility of a column with its decision."""
    column = program.columns.column(each.name)
    terms = (entry * g for entry, g in zip(column, program.gains[each.decision], strict=True))
    return sum(terms, fmpq_poly([0]))
