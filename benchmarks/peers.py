"""The same questions put to what one would take without mechdesign: libqif, cvxpy by hand, all columns, workloads."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import cvxpy as cp
import numpy as np
import numpy.typing as npt

import mechdesign as md
from benchmarks.measuring import Part, Row, apart, seconds
from benchmarks.unit import all_columns
from benchmarks.workload import factorised, variance

Array = npt.NDArray[np.float64]

#: Relative error up to which two programs of one question agree.
AGREE = 1e-4


def looped(cost: Array, epsilon: float, solver: str) -> Array:
    """One constraint for each output and ordered pair of inputs, in loops."""
    n, m = cost.shape
    Q = cp.Variable((n, m), nonneg=True)
    rules = [cp.sum(Q[x, :]) == 1 for x in range(n)]
    for y in range(m):
        for x in range(n):
            for other in range(n):
                if x != other:
                    rules.append(Q[x, y] <= np.exp(epsilon) * Q[other, y])  # noqa: PERF401 - as one writes it
    return _solved(cost, Q, rules, solver)


def all_pairs(cost: Array, epsilon: float, solver: str) -> Array:
    """Vectorised over outputs, one constraint for each ordered pair of inputs."""
    n, m = cost.shape
    Q = cp.Variable((n, m), nonneg=True)
    first, second = np.nonzero(~np.eye(n, dtype=bool))
    rules = [cp.sum(Q, axis=1) == 1, Q[first] <= np.exp(epsilon) * Q[second]]
    return _solved(cost, Q, rules, solver)


def auxiliary_minimum(cost: Array, epsilon: float, solver: str) -> Array:
    """Write ``t_y <= Q[x, y] <= e^epsilon t_y`` with one auxiliary minimum for each output."""
    n, m = cost.shape
    Q, t = cp.Variable((n, m)), cp.Variable((1, m), nonneg=True)
    least = np.ones((n, 1)) @ t
    rules = [cp.sum(Q, axis=1) == 1, least <= Q, np.exp(epsilon) * least >= Q]
    return _solved(cost, Q, rules, solver)


def _solved(cost: Array, Q: cp.Variable, rules: list[Any], solver: str) -> Array:
    cp.Problem(cp.Minimize(cp.sum(cp.multiply(cost, Q))), rules).solve(solver=solver)
    return np.asarray(Q.value)


FORMS: dict[str, Callable[[Array, float, str], Array]] = {
    "cvxpy, looped": looped,
    "cvxpy, all pairs": all_pairs,
    "cvxpy, auxiliary minimum": auxiliary_minimum,
}


def loss(prior: list[float]) -> Array:
    """Return the cost ``P_x |x - y|`` of absolute error on 0..n-1."""
    n = len(prior)
    return np.asarray(np.array(prior)[:, None] * np.abs(np.subtract.outer(np.arange(n), np.arange(n))))


def written(form: str, prior: list[float], epsilon: float) -> dict[str, Any]:
    """Measure one hand-written form with cvxpy's own choice of solver for it, Clarabel."""
    cost = loss(prior)
    started = time.process_time()
    Q = FORMS[form](cost, epsilon, "CLARABEL")
    return {"seconds": time.process_time() - started, "value": float((cost * Q).sum())}


def libqif_matrix(prior: list[float], epsilon: float) -> Array:
    """Return libqif's mechanism of least loss under the discrete metric."""
    import qif

    made = qif.mechanism.d_privacy.min_loss_given_d(
        np.array(prior), len(prior), lambda x, other: epsilon if x != other else 0.0, lambda x, y: abs(x - y)
    )
    return np.asarray(made)


def libqif(prior: list[float], epsilon: float) -> dict[str, Any]:
    """Measure libqif, loaded before the clock starts."""
    import qif  # noqa: F401 - loading it is not what is measured

    started = time.process_time()
    Q = libqif_matrix(prior, epsilon)
    return {"seconds": time.process_time() - started, "value": float((loss(prior) * Q).sum())}


def ours(objective: str, prior: list[float], epsilon: float) -> dict[str, Any]:
    """Measure mechdesign, repair, certificate and audit included, after one call that loads what it needs."""
    problem = md.Problem(prior=prior, values=np.arange(len(prior)))
    goal = {"absolute": md.AbsoluteError(), "mmse": md.MMSE(), "histogram": md.InformationDesign("A")}[objective]
    found = md.design(problem, md.LDP(epsilon), goal)
    value = variance(found.matrix) if objective == "histogram" else found.value
    return {"seconds": seconds(lambda: md.design(problem, md.LDP(epsilon), goal), 3), "value": value}


def columns(prior: list[float], epsilon: float) -> dict[str, Any]:
    """Measure the linear program over all ``2^n`` columns."""
    started = time.process_time()
    value = all_columns(np.array(prior), np.arange(float(len(prior))), epsilon)
    return {"seconds": time.process_time() - started, "value": value}


def workload(prior: list[float], epsilon: float) -> dict[str, Any]:
    """Measure the factorisation for histograms."""
    started = time.process_time()
    Q = factorised(len(prior), epsilon)
    return {"seconds": time.process_time() - started, "value": variance(Q)}


def measure(quick: bool) -> Part:
    """Return each peer's time over ours on every size that it manages within the limit."""
    limit = 12.0 if quick else 20.0
    peers: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
        "absolute": {form: ("written", {"form": form}) for form in FORMS} | {"libqif": ("libqif", {})},
        "mmse": {"all 2^n columns, HiGHS": ("columns", {})},
        "histogram": {"workload factorisation, our writing": ("workload", {})},
    }
    sizes = {
        "absolute": (5, 10, 20) if quick else (5, 10, 20, 40, 80),
        "mmse": (5, 10) if quick else (5, 10, 15),
        "histogram": (4, 8) if quick else (4, 8, 16),
    }
    rows = [row for objective, asked in peers.items() for row in _compared(objective, asked, sizes[objective], limit)]
    return Part("peers", rows)


def compared(objective: str, asked: dict[str, tuple[str, dict[str, Any]]], n: int, limit: float) -> list[Row]:
    """Return one row for each peer on one question: its time over ours, or why there is none."""
    even = objective == "histogram"
    prior = [1.0 / n] * n if even else np.random.default_rng(n).dirichlet(np.ones(n)).tolist()
    question = {"prior": prior, "epsilon": 1.0}
    found = apart("benchmarks.peers:ours", {"objective": objective, **question}, limit)
    title = {"absolute": "absolute error", "mmse": "MMSE", "histogram": "variance of a histogram"}[objective]
    rows = []
    for name, (function, more) in asked.items():
        work = f"LDP, {title}, n = {n}: {name} / mechdesign"
        peer = apart(f"benchmarks.peers:{function}", {**more, **question}, limit)
        if not found.value or not peer.value:
            rows.append(Row(work, None, "x", note=found.why or peer.why))
            continue
        ratio = peer.value["seconds"] / found.value["seconds"]
        said = f"{peer.value['seconds']:.3g} s / {found.value['seconds']:.3g} s"
        off = peer.value["value"] / found.value["value"] - 1.0
        rows.append(Row(work, ratio, "x", note=said if abs(off) < AGREE else f"{said}, value {100 * off:+.2g} %"))
    return rows


def _compared(
    objective: str, asked: dict[str, tuple[str, dict[str, Any]]], sizes: tuple[int, ...], limit: float
) -> list[Row]:
    """Return the rows of all sizes; a peer that failed at one is not asked for a larger one."""
    rows: list[Row] = []
    left = dict(asked)
    for n in sizes:
        new = compared(objective, left, n, limit)
        rows += new
        left = {name: peer for (name, peer), row in zip(left.items(), new, strict=True) if row.number is not None}
    return rows
