"""The best mechanism and the best bound that the iterates of a map have given so far."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.interior_point.map_steps import Iterate
from mechdesign.solve.repair.private_map import private_map
from mechdesign.solve.search.exponential_kernels import best_mixture
from mechdesign.solve.search.map_cover import Cover, cover, lowered

#: Shares of the inputs' costs in multipliers that are tried beside a mixture's own, and rounds of lowering them.
SHARES, ROUNDS = (0.5, 1.0), 6
#: A mechanism is rebuilt from the columns once their own gap is below this share of the best gap so far.
REBUILT = 0.7


@dataclass(frozen=True)
class Best:
    """Private columns (m, n), their value, and multipliers with their bound; all scaled."""

    program: MapProgram
    columns: Array
    value: float
    cover: Cover

    @classmethod
    def obvious(cls, program: MapProgram) -> Best:
        """Return what is known before the first step: the obvious mechanisms, and no multipliers."""
        columns = min(program.obvious(), key=program.value)
        none = Cover(np.zeros(program.inputs), np.zeros((0, 4)), 0.0)
        return cls(program, columns, program.value(columns), none)

    def of_kernels(self, solver: str) -> Best:
        """Return it or, where these are better, the best mixture of exponential kernels, and covers of its multipliers.

        What the mixture costs at each input varies little from input to input, which its multipliers do, and these add
        up to more.
        """
        program, found = self.program, self
        try:
            mixture = best_mixture(program, solver)
        except SolverError:
            return found
        if mixture.value < found.value:
            found = replace(found, columns=mixture.columns, value=mixture.value)
        costs, own = (program.cost * mixture.columns).sum(axis=0), np.maximum(mixture.multipliers, 0.0)
        covers = [lowered(program, share * costs + (1.0 - share) * own, ROUNDS) for share in SHARES]
        return replace(found, cover=max(found.cover, *covers, key=lambda one: one.bound))

    @property
    def width(self) -> float:
        """The value less the bound."""
        return self.value - self.cover.bound

    def is_near(self, gap: float) -> bool:
        """Return whether the width is below a share of the unscaled bound."""
        return self.program.scale * self.width <= gap * abs(self.program.unscaled(self.cover.bound))

    def after(self, iterate: Iterate, rebuilt: bool) -> Best:
        """Return the best after one more iterate; its columns are made private where they promise enough, or asked."""
        program, found = self.program, self
        bounded = cover(program, iterate)
        if bounded.bound > found.cover.bound:
            found = replace(found, cover=bounded)
        if rebuilt or program.value(iterate.columns) - found.cover.bound < REBUILT * found.width:
            columns = private_map(program, iterate.columns)
            if program.value(columns) < found.value:
                found = replace(found, columns=columns, value=program.value(columns))
        return found
