"""The best mechanism and the best bound that the iterates of a map have given so far."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.interior_point.map_steps import Iterate
from mechdesign.solve.repair.private_map import private_map
from mechdesign.solve.search.exponential_kernels import best_mixture
from mechdesign.solve.search.map_cover import Cover, cover, lowered

#: Shares of the inputs' costs in multipliers that are tried beside a mixture's own; the first one when late, too.
SHARES = (0.5, 0.0, 1.0)
#: Inputs from which mechanisms are mixed with kernels: at 400 a mixture costs less than what 30 steps reach.
OF_KERNELS = 64
#: Columns are mixed once they are short of their optimum by this share of what those before were, or of the value; and
#: not any more once it is this share of the value, where `private_map` costs next to nothing.
MIXED, UNMIXED = 0.5, 1e-3
#: A mechanism is rebuilt from the columns once their own gap is below this share of the best gap so far.
REBUILT = 0.7


@dataclass(frozen=True)
class Best:
    """Private columns (m, n), their value, and multipliers with their bound; all scaled."""

    program: MapProgram
    columns: Array
    value: float
    cover: Cover
    #: By how much the last iterate whose columns were mixed was short of its optimum, as it says itself.
    short: float = np.inf

    @classmethod
    def obvious(cls, program: MapProgram) -> Best:
        """Return what is known before the first step: the obvious mechanisms, and no multipliers."""
        columns = min(program.obvious(), key=program.value)
        none = Cover(np.zeros(program.inputs), np.zeros((0, 4)), 0.0)
        return cls(program, columns, program.value(columns), none)

    def of_kernels(self, solver: str, rounds: int) -> Best:
        """Return the better one of its mechanism and the best mixture of exponential kernels, and of their bounds.

        If the mixture is optimal its multipliers are covered as they are. Elsewhere they vary too much from input to
        input, which what the mixture costs at each of them does not, but they add up to more.
        """
        program = self.program
        try:
            mixture = best_mixture(program, solver)
        except SolverError:
            # What is known is an answer without the mixture, too.
            return self
        found = self.better_of(mixture.columns)
        costs, own = (program.cost * mixture.columns).sum(axis=0), np.maximum(mixture.multipliers, 0.0)
        for share in SHARES:
            other = lowered(program, share * costs + (1.0 - share) * own, rounds)
            found = replace(found, cover=max(found.cover, other, key=lambda one: one.bound))
            if is_late():
                break
        return found

    @property
    def width(self) -> float:
        """The value less the bound."""
        return self.value - self.cover.bound

    def is_near(self, gap: float) -> bool:
        """Return whether the width is below a share of the unscaled bound."""
        return self.program.scale * self.width <= gap * abs(self.program.unscaled(self.cover.bound))

    def after(self, iterate: Iterate, rebuilt: bool, solver: str) -> Best:
        """Return the best after one more iterate; its columns are made private where they promise enough, or asked.

        Of many inputs they are closed and mixed with kernels besides, each time that the iterate comes twice as near to
        its optimum: sums of rows are then even, while `private_map` makes up for what the worst row lacks.
        """
        program, found = self.program, self
        bounded = cover(program, iterate)
        if bounded.bound > found.cover.bound:
            found = replace(found, cover=bounded)
        if rebuilt or program.value(iterate.columns) - found.cover.bound < REBUILT * found.width:
            found = found.better_of(private_map(program, iterate.columns))
        short = program.value(iterate.columns) - float(iterate.multipliers.sum())
        if program.inputs >= OF_KERNELS and UNMIXED * found.value < short < MIXED * min(self.short, found.value):
            found = replace(found, short=short)
            # Steps go on without it.
            with suppress(SolverError):
                found = found.better_of(best_mixture(program, solver, iterate.columns).columns)
        return found

    def better_of(self, columns: Array) -> Best:
        """Return it with private columns, shape (m, n), in place of its own where they cost less."""
        value = self.program.value(columns)
        return replace(self, columns=columns, value=value) if value < self.value else self
