"""The linear program over extreme columns at one rational E, solved exactly by generating columns.

    maximise ``sum_j w_j g_j . r_j`` over w >= 0 with ``sum_j w_j r_j = 1``,

where each column r_j is taken as the decision that gains most from it. The right side is raised by a little that
differs from input to input, so that no step is degenerate; the basis is optimal without it too, which is checked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpq, fmpq_mat

from mechdesign.studies.exact_frontier.cones import Columns, Name

#: Steps at most, and how small the change of the right side is: two to minus this, then to twice that.
MOST_STEPS, BITS, MOST_BITS = 20_000, 80, 5120


@dataclass(frozen=True)
class Basic:
    """One column of a basis: the decision that it is taken as, and its name."""

    decision: int
    name: Name


@dataclass(frozen=True)
class Program:
    """The columns, and what each decision gains of each input, shape (decisions, n)."""

    columns: Columns
    gains: tuple[tuple[fmpq, ...], ...]

    @property
    def inputs(self) -> int:
        """The number n of inputs."""
        return len(self.gains[0])


def optimal_basis(program: Program, base: fmpq, start: Sequence[Basic] = ()) -> tuple[Basic, ...]:
    """Return an optimal basis at E = `base`: n columns, some maybe of weight zero; `start` is an optimal one nearby."""
    bits = BITS
    while bits <= MOST_BITS:
        tableau = _Tableau(program, base, bits)
        basis = tableau.solved(phases=1 if start and tableau.starts_at(start) else 2)
        weights = matrix_of(program, basis, base).solve(fmpq_mat(program.inputs, 1, [1] * program.inputs))
        if all(weights[x, 0] >= 0 for x in range(program.inputs)):
            return basis
        bits *= 2
    raise ArithmeticError(f"no basis is optimal at {base} without a change of the right side")


def matrix_of(program: Program, basis: Sequence[Basic], base: fmpq) -> fmpq_mat:
    """Return the columns of a basis at an E, shape (n, n)."""
    n = program.inputs
    columns = [[entry(base) for entry in program.columns.column(each.name)] for each in basis]
    return fmpq_mat(n, n, [columns[j][x] for x in range(n) for j in range(n)])


class _Tableau:
    """The revised simplex method: artificial columns first, which must leave, then the gains."""

    def __init__(self, program: Program, base: fmpq, bits: int) -> None:
        n = program.inputs
        self.program, self.base = program, base
        # None stands for the artificial column of that row.
        self.basis: list[Basic | None] = [None] * n
        self.inverse = [[fmpq(int(x == y)) for y in range(n)] for x in range(n)]
        small = fmpq(1, 1) / fmpq(2) ** bits
        self.weights = [1 + small * (1 + (7919 * x * x + 104_729 * x) % 1009) for x in range(n)]

    def starts_at(self, basis: Sequence[Basic]) -> bool:
        """Take a basis where its columns are allowed and its weights positive; return whether they are."""
        allowed = self.program.columns.allowed
        if any(sign(self.base) < 0 for each in basis for sign in allowed(each.name)):
            return False
        n, matrix = self.program.inputs, matrix_of(self.program, basis, self.base)
        if matrix.det() == 0:
            return False
        inverse = matrix.inv()
        weights = (inverse * fmpq_mat(n, 1, self.weights)).entries()
        if min(weights) < 0:
            return False
        self.basis, self.weights = list(basis), weights
        self.inverse = [[inverse[j, x] for x in range(n)] for j in range(n)]
        return True

    def solved(self, phases: int = 2) -> tuple[Basic, ...]:
        """Return the optimal basis; the first of two phases makes the artificial columns leave."""
        none = ((fmpq(0),) * self.program.inputs,)
        for gains, idle in ((none, fmpq(-1)), (self.program.gains, fmpq(0)))[-phases:]:
            for _ in range(MOST_STEPS):
                if not self._stepped(gains, idle):
                    break
            else:
                raise ArithmeticError(f"no optimum after {MOST_STEPS} steps")
        if any(each is None for each in self.basis):
            raise ArithmeticError("an artificial column stays in the basis")
        return tuple(each for each in self.basis if each is not None)

    def _stepped(self, gains: Sequence[Sequence[fmpq]], idle: fmpq) -> bool:
        """Bring the most valuable column in; return whether there was one."""
        n = self.program.inputs
        worth = [idle if each is None else self._gain(gains, each) for each in self.basis]
        multipliers = [sum((worth[j] * self.inverse[j][x] for j in range(n)), fmpq(0)) for x in range(n)]
        best, entering, most = None, None, fmpq(0)
        for decision, gained in enumerate(gains):
            functional = [g - multiplier for g, multiplier in zip(gained, multipliers, strict=True)]
            name = self.program.columns.best(functional, self.base)
            column = [entry(self.base) for entry in self.program.columns.column(name)]
            excess = sum((f * entry for f, entry in zip(functional, column, strict=True)), fmpq(0)) / sum(column)
            if excess > most:
                best, entering, most = Basic(decision, name), column, excess
        if best is None or entering is None:
            return False
        self._pivot(best, entering)
        return True

    def _gain(self, gains: Sequence[Sequence[fmpq]], each: Basic) -> fmpq:
        gained = gains[min(each.decision, len(gains) - 1)]
        column = self.program.columns.column(each.name)
        return sum((g * entry(self.base) for g, entry in zip(gained, column, strict=True)), fmpq(0))

    def _pivot(self, best: Basic, column: Sequence[fmpq]) -> None:
        n = self.program.inputs
        change = [sum((self.inverse[j][x] * column[x] for x in range(n)), fmpq(0)) for j in range(n)]
        ratios = [(self.weights[j] / change[j], j) for j in range(n) if change[j] > 0]
        step, leaving = min(ratios)
        self.weights = [weight - step * by for weight, by in zip(self.weights, change, strict=True)]
        self.weights[leaving] = step
        scaled = [entry / change[leaving] for entry in self.inverse[leaving]]
        for j in range(n):
            if j != leaving and change[j] != 0:
                self.inverse[j] = [old - change[j] * new for old, new in zip(self.inverse[j], scaled, strict=True)]
        self.inverse[leaving] = scaled
        self.basis[leaving] = best
