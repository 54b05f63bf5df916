"""Which solver takes the program over finitely many decisions: a measured rule, kept as data.

``python -m benchmarks.solver_rule`` measures it again: seconds of every engine by shape of the cone and number of
inputs. What it said: up to about 30 inputs all take milliseconds, and the simplex method's zeros are clean. At 80
inputs a band takes our interior point 0.014 s and the best other 0.05 s; the levels of blocks the simplex method 0.04 s
and Clarabel 0.06 s, at 240 it is 0.7 s and 1.2 s; an L1 distance Clarabel 0.5 s, HiGHS's interior point 1.0 s and its
simplex method 1.9 s; pairs of a line Clarabel 0.25 s and the simplex method 1.5 s. Of few rows over many inputs (two
profiles of 150 values) HiGHS's interior point takes 0.7 s and Clarabel 7.5 s. Largest losses over pairs of a plane
(`WorstCaseLoss`, ``solver=`` of `md.design`) take the simplex method 5.8 s at 36 inputs and Clarabel 16.6 s, 40 s and
over 80 s at 50.

Over a band a program that starts from one decision (`grown` there) takes a fifth of the best other's time to as long,
from 12 to 40 inputs and for levels from 0.1 to 6; at 50 and 60 it is up to twice as slow as our interior point for the
absolute error (``--levels`` prints these). Over balls about the mass (`StrongL1`, `StrongChiSquare`) it is quicker at
any size from 12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from mechdesign.notions import Cone, Notion
from mechdesign.problem import Problem

Shape = Literal["band", "levels", "few rows", "rows", "pairs"]


@dataclass(frozen=True)
class Rule:
    """Up to `vertex` entries of Q the simplex method of HiGHS, beyond them `solver`."""

    vertex: float
    solver: str


#: By the shape of the cone; "pairs" of inputs are rows that only largest losses are solved over in another way.
SOLVER_RULE: dict[Shape, Rule] = {
    "band": Rule(900, "STRUCTURED"),
    "levels": Rule(np.inf, "HIGHS"),
    "few rows": Rule(900, "HIGHS"),
    "rows": Rule(900, "CLARABEL"),
    "pairs": Rule(1600, "CLARABEL"),
}

#: So many rows for each input are few.
FEW = 0.25
#: Inputs of a band from which, and up to which, HiGHS's program starts from one decision.
LEAST_GROWN, MOST_GROWN = 12, 40
#: Columns within a distance of their mass are quick to price and slow to solve over: from so many inputs any program
#: over them starts from one decision.
LEAST_BALL = 12


def shape_of(cone: Cone) -> Shape:
    """Return what the rows look like: a band of the inputs, bands of blocks, few, or any."""
    if cone.band_of_inputs is not None:
        return "band"
    if cone.on_auxiliary.shape[1] and np.all(np.count_nonzero(cone.on_column, axis=1) <= 1):
        return "levels"
    rows, inputs = cone.on_column.shape
    return "few rows" if rows <= FEW * inputs else "rows"


def chosen(cone: Cone, entries: int) -> str:
    """Return the solver for a program over `entries` entries of Q, whose columns lie in `cone`."""
    rule = SOLVER_RULE[shape_of(cone)]
    return "HIGHS" if entries <= rule.vertex else rule.solver


def by_vertex(cone: Cone, entries: int) -> bool:
    """Return whether HiGHS takes the simplex method, and not its interior point, for such a program."""
    return entries <= SOLVER_RULE[shape_of(cone)].vertex


def is_grown(notion: Notion, problem: Problem) -> bool:
    """Return whether the program starts from one decision whatever its size and its solver."""
    return problem.n >= LEAST_BALL and notion.parameter > 0 and notion.columns(problem).around_mass
