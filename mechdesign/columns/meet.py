"""Columns that lie in several shapes at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.columns.cone import Budget, Cone
from mechdesign.columns.program_rules import budget_rules, cone_rules
from mechdesign.columns.shape import Shape
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True, eq=False)
class Meet(Shape):
    """Columns of all of several shapes over the same inputs.

    Parameters
    ----------
    n : int
    shapes : tuple of Shape
    also_revealed : tuple of int
        Inputs for which a column ``c e_x`` is allowed besides.
    """

    shapes: tuple[Shape, ...]
    also_revealed: tuple[int, ...] = ()

    def through(self, problem: Problem) -> Shape:
        """Return itself: its shapes are over the inputs."""
        return self

    @property
    def polyhedral(self) -> bool:
        """Whether all of them are polyhedra."""
        return all(shape.polyhedral for shape in self.shapes)

    @property
    def curved(self) -> Shape | None:
        """The first whose columns are no polyhedron."""
        return next((shape for shape in self.shapes if not shape.polyhedral), None)

    @property
    def revealed(self) -> tuple[int, ...]:
        """The inputs that may be revealed."""
        return self.also_revealed

    @property
    def normal(self) -> Array:
        """The normal of the curved shape, or of the first: any will do."""
        return (self.curved or self.shapes[0]).normal

    def cone_of(self, seen: Array) -> Cone:
        """Return the rows of all cones."""
        return self._stacked([shape.cone_of(seen) for shape in self.shapes])

    def cone(self) -> Cone:
        """Return the rows of all cones."""
        return self._stacked([shape.cone() for shape in self.shapes])

    def facets(self) -> Cone | None:
        """Return the facets of all cones, or None if one of them has too many."""
        cones = [shape.facets() for shape in self.shapes]
        known = [cone for cone in cones if cone is not None]
        return self._stacked(known) if len(known) == len(cones) else None

    def _stacked(self, cones: list[Cone]) -> Cone:
        width = sum(cone.on_auxiliary.shape[1] for cone in cones)
        blocks, start = [], 0
        for cone in cones:
            rows, own = cone.on_auxiliary.shape
            block = np.zeros((rows, width))
            block[:, start : start + own] = cone.on_auxiliary
            blocks.append(block)
            start += own
        # Each ceiling holds on the slice of its own normal.
        common = self.normal
        ceilings = [
            cone.ceiling * float((shape.normal / common).max()) for cone, shape in zip(cones, self.shapes, strict=True)
        ]
        rows, terms = np.vstack([cone.on_column for cone in cones]), np.vstack([cone.sizes for cone in cones])
        return Cone(rows, np.vstack(blocks), max(ceilings), terms=terms)

    def budget(self) -> Budget:
        """Return all budgets, in the order of the shapes."""
        budgets = [budget for shape in self.shapes if len(budget := shape.budget())]
        if len(budgets) <= 1:
            return budgets[0] if budgets else Budget.none(self.n)
        most = max(budget.pieces.shape[1] for budget in budgets)
        # A piece given twice changes no maximum.
        padded = [np.pad(b.pieces, ((0, 0), (0, most - b.pieces.shape[1]), (0, 0)), mode="edge") for b in budgets]
        limits, terms = (np.concatenate(parts) for parts in zip(*[(b.limits, b.sizes) for b in budgets], strict=True))
        return Budget(np.concatenate(padded), limits, terms=terms)

    @property
    def cone_rows(self) -> float:
        """The rows of all cones."""
        return sum(shape.cone_rows for shape in self.shapes)

    @property
    def cone_numbers(self) -> float:
        """The numbers of all cones."""
        return sum(shape.cone_numbers for shape in self.shapes)

    def constraints(self, Q: cp.Variable) -> list[cp.Constraint]:
        """Return the rows of all shapes, and the constraints of the curved one."""
        if self.curved is None:
            return [*cone_rules(self.cone(), Q, self.revealed), *budget_rules(self.budget(), Q)]
        return [*self.cone_constraints(Q), *self.curved.constraints(Q)[1:]]

    @property
    def least_level(self) -> float:
        """The largest of the least levels: one number for all shapes has to be as much."""
        return max(shape.least_level for shape in self.shapes)
