"""The small programs over cones by which some notions find their support function."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np

from mechdesign.columns.cone import Support, raised
from mechdesign.parameters.checks import Array
from mechdesign.runtime.native_call import called
from mechdesign.runtime.threads import thread_count
from mechdesign.tolerances import SOLVER

#: Programs of so many numbers together take some tenths of a second: 500 of three inputs.
AT_ONCE = 20_000

Found = TypeVar("Found")
#: A bound on the support function at one functional, its rounding, and a column.
ByDual = tuple[tuple[float, float], Array]


def of_each(functionals: Array, solve: Callable[[Array], Found], numbers: int) -> list[Found]:
    """Return ``solve(h)`` of each functional h, which solves a program of `numbers` numbers by `minimise`.

    Ctrl-C and the time limit are heard while a batch of them runs: one call for each would take more than its program.

    Parameters
    ----------
    functionals : ndarray, shape (t, n)

    Raises
    ------
    OutOfTime
        The time limit passed meanwhile.
    """
    found: list[Found] = []
    size = max(1, AT_ONCE // numbers)
    for start in range(0, len(functionals), size):
        batch = functionals[start : start + size]
        found += called("CLARABEL", partial(_in_turn, solve, batch), small=True)
    return found


def support_of_each(functionals: Array, solve: Callable[[Array], ByDual], numbers: int) -> Support:
    """Return the support function of which `solve` returns the value, its rounding and the column at a functional.

    Parameters
    ----------
    functionals : ndarray, shape (t, n)
    """
    found = of_each(functionals, solve, numbers)
    values, rounding = np.array([bound for bound, _ in found]).T
    return raised(values, rounding, np.array([column for _, column in found]).T)


def _in_turn(solve: Callable[[Array], Found], functionals: Array) -> list[Found]:
    return [solve(functional) for functional in functionals]


def minimise(
    cost: Array,
    rows: Any,
    right: Array,
    *,
    nonnegative: int,
    equal: int = 0,
    second_order: tuple[int, ...] = (),
    exponential: int = 0,
    powers: tuple[float, ...] = (),
) -> tuple[Array, Array]:
    """Minimise ``cost . x`` where ``right - rows @ x`` lies in cones; return Clarabel's x and multipliers.

    Both are zeros where it fails: whoever asks derives a bound from any numbers. Call it within `of_each`.

    Parameters
    ----------
    equal, nonnegative : int
        How many of the first rows are 0, and how many after them at least 0.
    second_order : tuple of int
        The sizes of the second-order cones of the rows that follow.
    exponential : int
        How many exponential cones follow, of three rows each.
    powers : tuple of float
        The exponents a of the cones ``x^a y^(1 - a) >= |z|`` that follow those, of three rows each.
    """
    import clarabel
    from scipy.sparse import csc_matrix

    cones: list[Any] = [clarabel.ZeroConeT(equal)] if equal else []
    cones += [clarabel.NonnegativeConeT(nonnegative), *map(clarabel.SecondOrderConeT, second_order)]
    cones += [clarabel.ExponentialConeT() for _ in range(exponential)]
    cones += [clarabel.PowerConeT(power) for power in powers]
    settings = clarabel.DefaultSettings()
    settings.verbose, settings.max_threads = False, thread_count()
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = SOLVER**1.25
    quadratic, held = csc_matrix((len(cost), len(cost))), csc_matrix(rows)
    try:
        found = clarabel.DefaultSolver(quadratic, cost, held, right, cones, settings).solve()
        return np.array(found.x), np.array(found.z)
    except Exception:  # noqa: BLE001 - a binding may raise anything
        return np.zeros(len(cost)), np.zeros(len(right))
