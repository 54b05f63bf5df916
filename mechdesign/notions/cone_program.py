"""The small programs over cones by which two notions find their support function."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import OutOfTime
from mechdesign.runtime.native_call import called
from mechdesign.runtime.threads import thread_count
from mechdesign.tolerances import SOLVER


def minimise(
    cost: Array, rows: Array, right: Array, *, nonnegative: int, second_order: int = 0, exponential: int = 0
) -> tuple[Array, Array]:
    """Minimise ``cost . x`` where ``right - rows @ x`` lies in cones; return Clarabel's x and multipliers.

    Both are zeros where it fails: whoever asks derives a bound from any numbers.

    Parameters
    ----------
    nonnegative, second_order : int
        How many of the first rows are at least 0, and the size of one second-order cone of the rows after them.
    exponential : int
        How many exponential cones follow, of three rows each.

    Raises
    ------
    OutOfTime
        The time limit passed meanwhile.
    """
    import clarabel
    from scipy.sparse import csc_matrix

    cones: list[Any] = [clarabel.NonnegativeConeT(nonnegative)]
    cones += [clarabel.SecondOrderConeT(second_order)] if second_order else []
    cones += [clarabel.ExponentialConeT() for _ in range(exponential)]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, thread_count()
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = SOLVER**1.25
    quadratic, held = csc_matrix((len(cost), len(cost))), csc_matrix(rows)

    def run() -> tuple[Array, Array]:
        found = clarabel.DefaultSolver(quadratic, cost, held, right, cones, settings).solve()
        return np.array(found.x), np.array(found.z)

    try:
        return called("CLARABEL", run, small=True)
    except OutOfTime:
        raise
    except SolverError:
        return np.zeros(len(cost)), np.zeros(len(right))
