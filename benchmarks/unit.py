"""Bare HiGHS, and the unit of the targets: the published linear program over all ``2^15`` columns, one thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from benchmarks.measuring import seconds

Array = npt.NDArray[np.float64]

#: Inputs of the unit.
SIZE = 15


def bare_highs(cost: Array, rows: Any, low: Array, high: Array, **options: Any) -> tuple[bool, float]:
    """Minimise ``cost . x`` over ``low <= rows @ x <= high``, ``x >= 0``; tell whether optimal, and the value."""
    import highspy

    model = highspy.HighsLp()
    model.num_row_, model.num_col_ = rows.shape
    model.col_cost_ = cost
    model.col_lower_ = np.zeros(len(cost))
    model.col_upper_ = np.full(len(cost), highspy.kHighsInf)
    model.row_lower_, model.row_upper_ = low, high
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_ = rows.indptr, rows.indices, rows.data
    engine = highspy.Highs()
    for key, value in {"output_flag": False, "threads": 1, **options}.items():
        engine.setOptionValue(key, value)
    engine.passModel(model)
    engine.run()
    optimal = engine.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return optimal, float(engine.getInfo().objective_function_value)


def all_columns(prior: Array, values: Array, epsilon: float) -> float:
    """Return the least mean squared error under LDP: one column ``1 + (e^epsilon - 1) 1_S`` for each subset."""
    from scipy.sparse import csr_array

    n = len(prior)
    subsets = (np.arange(1 << n) >> np.arange(n)[:, None]) & 1
    columns = 1.0 + np.expm1(epsilon) * subsets
    utility = (prior * values @ columns) ** 2 / (prior @ columns)
    _, least = bare_highs(-utility / utility.max(), csr_array(columns), np.ones(n), np.ones(n))
    return float(prior @ values**2 + least * utility.max())


def unit_seconds(runs: int = 1, size: int = SIZE) -> float:
    """Return the processor seconds of the unit."""
    rng = np.random.default_rng(0)
    prior, values = rng.dirichlet(np.ones(size)), rng.normal(size=size)
    return seconds(lambda: all_columns(prior, values, 1.0), runs)
