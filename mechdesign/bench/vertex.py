"""How degenerate an optimal vertex of a linear program is, and how its basis is conditioned."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.bench.instance import Vertex
from mechdesign.bench.program import ConicProgram
from mechdesign.bench.solvers.highs import highs_model
from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.solve.solvers.silent_highs import highs

#: The tolerance of HiGHS at the vertex, and how near to a bound, or to zero, counts as there.
TOLERANCE, NEAR = 1e-10, 1e-9
#: Columns of the basis's inverse that are computed at once.
AT_ONCE = 256


def vertex_of(program: ConicProgram) -> Vertex:
    """Return the numbers of an optimal vertex of a linear program.

    Raises
    ------
    SolverError
        HiGHS found no optimal vertex.

    Examples
    --------
    >>> from mechdesign import bench
    >>> vertex = vertex_of(bench.instances("small")[0].posed.program)
    >>> vertex.condition >= 1.0
    True
    """
    engine = highs().Highs()
    options = {"output_flag": False, "threads": 1, "solver": "simplex"}
    options |= {"primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE}
    for option, value in options.items():
        engine.setOptionValue(option, value)
    engine.passModel(highs_model(program))
    engine.run()
    solution, status = engine.getSolution(), engine.getModelStatus().name
    if status != "kOptimal":
        raise SolverError(f"HiGHS found no optimal vertex: {status}.", status=status)
    _, basic = engine.getBasicVariables()
    variables = len(program.cost)
    # A row is the variable of its own sum, behind those of the program; HiGHS counts rows from -1 down.
    places = np.array([index if index >= 0 else variables - 1 - index for index in basic])
    values = np.concatenate([solution.col_value, solution.row_value])
    reduced = np.concatenate([solution.col_dual, solution.row_dual])
    low = np.concatenate([program.lower, program.row_lower])
    high = np.concatenate([program.upper, program.row_upper])
    at_bound = np.minimum(np.abs(values - low), np.abs(high - values)) <= NEAR
    idle = np.setdiff1d(np.flatnonzero(low < high), places)
    return Vertex(
        int(np.count_nonzero(at_bound[places])),
        int(np.count_nonzero(np.abs(reduced[idle]) <= NEAR)),
        _condition(program.rows, places),
    )


def _condition(rows: Any, places: Array) -> float:
    """Return the condition number in the 1-norm of the columns of ``[rows, I]`` at `places`, shape (rows,)."""
    from scipy.sparse import csc_array, eye_array, hstack
    from scipy.sparse.linalg import norm, splu

    basis = csc_array(hstack([rows, eye_array(rows.shape[0])]).tocsc()[:, places])
    factors, count = splu(basis), len(places)
    of_inverse = 0.0
    for start in range(0, count, AT_ONCE):
        # A part of the inverse at a time: the whole may be beyond memory.
        part = factors.solve(np.eye(count, min(AT_ONCE, count - start), -start))
        of_inverse = max(of_inverse, float(np.abs(part).sum(axis=0).max()))
    return float(norm(basis, 1)) * of_inverse
