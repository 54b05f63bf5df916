"""What the outputs of every design must satisfy: none could be left out at no cost."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

import numpy as np

from mechdesign.designing.result import Design
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.pricing.revealing_outputs import decided
from mechdesign.testing.contract import Clause, require, run
from mechdesign.tolerances import SPAN_SHARE

#: Two outputs whose posteriors differ by no more than this say the same.
SAME: Final = 1e-9
#: An output that no input makes more often than this is negligible where it could be merged.
NEGLIGIBLE: Final = 1e-6


def check_lean(made: Design, gap: float = 1e-6) -> None:
    """Raise unless a design has the outputs that carry it, and no others, for the gap that was asked."""
    asked = made.mechanism.asked
    run(LEAN_CLAUSES, f"{asked.objective} under {asked.notion}", made, gap)


def outputs_occur(made: Design, gap: float) -> None:
    """Every output occurs."""
    empty = np.flatnonzero(made.matrix.max(axis=0) == 0)
    require(not len(empty), f"the outputs {empty.tolist()} never occur")


def outputs_differ(made: Design, gap: float) -> None:
    """No two outputs give the same posterior, unless they stand for two decisions."""
    if made.mechanism.asked.objective.outputs(_inputs(made)) is not None:
        return
    tops = made.matrix.max(axis=0)
    columns = made.matrix / tops
    for i, j in combinations(range(len(tops)), 2):
        apart = float(np.abs(columns[:, i] - columns[:, j]).max())
        # Entries are multiples of 2**-53.
        rounding = 2.0**-52 / min(tops[i], tops[j])
        require(apart > SAME + rounding, f"the outputs {i} and {j} are proportional within {apart:.1e}")


def outputs_are_needed(made: Design, gap: float) -> None:
    """No output of negligible mass could be merged with another without a change of value and gain."""
    asked, inputs = made.mechanism.asked, _inputs(made)
    if made.gap > gap or not asked.notion.closed_under_postprocessing:
        return
    matrix, width = made.by_decision, SPAN_SHARE * span(asked.objective, inputs)
    gained = abs(made.value - asked.objective.uninformative(inputs))
    tops = matrix.max(axis=0)
    for place in np.flatnonzero((tops > 0) & (tops < NEGLIGIBLE)):
        for merged in _merged(matrix, int(place)):
            value = asked.objective.value(decided(merged, asked.objective, inputs), inputs)
            size = max(abs(value), abs(made.bound), width)
            kept = abs(value - made.bound) <= gap * size and abs(value - made.value) <= gap * gained
            most = f"{tops[place]:.1e}"
            require(not kept, f"output {place} occurs with a probability of at most {most} and is not needed")


LEAN_CLAUSES: Final[dict[str, Clause]] = {
    "occur": outputs_occur,
    "differ": outputs_differ,
    "needed": outputs_are_needed,
}


def _merged(matrix: Array, place: int) -> Iterator[Array]:
    """Yield the matrix with the column at `place` added to each one that is not negligible, its own zero."""
    for other in np.flatnonzero(matrix.max(axis=0) >= NEGLIGIBLE):
        merged = matrix.copy()
        merged[:, other] += merged[:, place]
        merged[:, place] = 0.0
        yield merged


def _inputs(made: Design) -> Problem:
    return made.mechanism.asked.notion.inputs(made.mechanism.asked.problem)
