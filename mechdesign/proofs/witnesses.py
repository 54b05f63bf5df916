"""What shows the functionals of a proof beside its rows: functionals of the secrets, and numbers of a notion's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import SolverError
from mechdesign.exact import fractions
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.proofs.checking import is_direct, shown_by
from mechdesign.solve.pricing.support import support
from mechdesign.solve.pricing.support_by_programs import slice_rows
from mechdesign.solve.solvers.linear import solve_costs
from mechdesign.solve.solvers.linear_program import LinearProgram

#: By how much functionals of the secrets are raised for rounding, relative to their size; four times that, and so on.
RAISED, TRIES = 2e-16, 30


@dataclass(frozen=True)
class Witness:
    """What shows that functionals pass the rows by no more than `excess` times the normal, as a proof has it."""

    excess: float
    on_secrets: Array
    own: Array


def witness(notion: Notion, inputs: Problem, functionals: Array, nu: Array) -> Witness | None:
    """Return what shows how far functionals, shape (m, n), are beyond nothing on the notion's columns, if it is found.

    ``functionals . v - nu . beta(v)`` is at most ``excess * normal . v``.
    """
    simple, over = plain(notion, inputs)
    if is_direct(notion, inputs):
        excess = float(support(simple, over, functionals, charged(simple, over, nu)).values.max())
        found = own_numbers(notion, inputs, excess * simple.columns(over).normal - functionals, nu)
        return None if found is None else Witness(excess, np.zeros((0, 0, 0)), _table(found, 0))
    parts = notion.members()
    alone = inputs.of_secrets()
    ends = np.cumsum([len(part.columns(inputs).exact_limits()) for part in parts])[:-1]
    charges = np.split(nu, ends)
    on_secrets = _split(parts, inputs, alone, -functionals, charges)
    if on_secrets is None:
        return None
    tables = []
    for index, (part, each) in enumerate(zip(parts, charges, strict=True)):
        own = own_numbers(part, alone, on_secrets[:, index], each)
        if own is None or not _raise_until_shown(part, inputs, on_secrets[:, index], each, own):
            return None
        tables.append(_table(own, index))
    seen = on_secrets.sum(axis=1) @ inputs.channel
    excess = float(((functionals + seen) / simple.columns(over).normal).max())
    return Witness(excess, on_secrets, np.vstack(tables))


def charged(simple: Notion, over: Problem, nu: Array) -> Array:
    """Return the charges of a simple notion, which may have no budget where the notion that it stands for has."""
    return nu if len(simple.columns(over).budget()) else np.zeros(0)


def own_numbers(part: Notion, alone: Problem, functionals: Array, nu: Array) -> list[dict[int, float]] | None:
    """Return a notion's own numbers for functionals of secrets that are nonnegative but for rounding."""
    multipliers: Array | list[Array] | None = [np.zeros(0)] * len(functionals)
    if part.columns(alone).asks_for_multipliers:
        multipliers = _row_multipliers(part, alone, functionals, nu)
    if multipliers is None:
        return None
    return [part.columns(alone).own_numbers(w, each, nu) for w, each in zip(functionals, multipliers, strict=True)]


def _table(own: list[dict[int, float]], part: int) -> Array:
    """Return the numbers of a part as lines of functional, part, place and number."""
    lines = [(k, part, place, number) for k, each in enumerate(own) for place, number in each.items()]
    return np.array(lines, dtype=float).reshape(-1, 4)


def _raise_until_shown(
    part: Notion, inputs: Problem, functionals: Array, nu: Array, own: list[dict[int, float]]
) -> bool:
    """Raise functionals in their place until the notion's exact test shows them; return whether it does."""
    scale = np.abs(functionals).max(axis=1) + float(np.abs(nu).sum())
    left = np.arange(len(functionals))
    for each in range(TRIES):
        shown = shown_by(part, inputs, fractions(functionals[left]), nu, [own[k] for k in left])
        left = left[~shown]
        if not len(left):
            return True
        functionals[left] += (RAISED * 4.0**each * scale[left])[:, None]
    return False


def _row_multipliers(part: Notion, alone: Problem, functionals: Array, nu: Array) -> Array | None:
    """Return the multipliers of the cone's rows and the budgets' pieces where each functional is least on the slice."""
    cone, budget, normal = part.columns(alone).cone(), part.columns(alone).budget(), part.columns(alone).normal
    count = len(functionals)
    none = np.zeros((count, cone.on_auxiliary.shape[1]))
    costs = np.hstack([functionals / normal, none, np.tile(nu, (count, 1)), np.tile(-nu, (count, 1))])
    return _solved(slice_rows(cone, budget, normal), np.zeros(1, dtype=np.intp), costs)


def _split(
    parts: Sequence[Notion], inputs: Problem, alone: Problem, functionals: Array, charges: Sequence[Array]
) -> Array | None:
    """Return for each functional and part a functional of the secrets, shape (m, parts, k), that sum to at most it.

    They are the multipliers of ``W v = s`` in a program over a column v and, for each part, what the secrets see of it.
    """
    from scipy.sparse import block_diag, csr_array, hstack, vstack

    k, count, normal = alone.n, len(functionals), np.full(inputs.n, 1.0 / inputs.n)
    blocks = [_rows_of(part, alone) for part in parts]
    starts = 1 + np.cumsum([0, *(block.shape[0] for block in blocks[:-1])])
    equal = (starts[:, None] + np.arange(k)).ravel()
    seen = csr_array(inputs.channel / normal)
    of_column = vstack([vstack([seen, csr_array((block.shape[0] - k, inputs.n))]) for block in blocks])
    beside = block_diag(blocks)
    total = hstack([np.ones((1, inputs.n)), csr_array((1, beside.shape[1]))])
    charged = [np.append(np.zeros(block.shape[1] - len(nu)), nu) for block, nu in zip(blocks, charges, strict=True)]
    costs = np.hstack([functionals / normal, np.tile(np.concatenate(charged), (count, 1))])
    found = _solved(csr_array(vstack([total, hstack([of_column, beside])])), equal, costs)
    return None if found is None else found[:, equal - 1].reshape(count, len(parts), k)


def _rows_of(part: Notion, alone: Problem) -> Any:
    """Return the rows ``-s``, the cone's rows and the peaks' rows, over s, auxiliary variables and peaks."""
    from scipy.sparse import csr_array, eye_array, hstack, vstack

    cone, budget = part.columns(alone).cone(), part.columns(alone).budget()
    k, extra, (groups, each) = alone.n, cone.on_auxiliary.shape[1], budget.pieces.shape[:2]
    of_group = csr_array(np.repeat(np.eye(groups), each, axis=0))
    rows = [
        [-eye_array(k), csr_array((k, extra)), csr_array((k, groups))],
        [csr_array(cone.on_column), csr_array(cone.on_auxiliary), csr_array((len(cone.on_column), groups))],
        [csr_array(-budget.pieces.reshape(-1, k)), csr_array((groups * each, extra)), of_group],
    ]
    return csr_array(vstack([hstack(line) for line in rows if line[0].shape[0]]))


def _solved(rows: Any, equal: npt.NDArray[np.intp], costs: Array) -> Array | None:
    """Return the multipliers of all rows but the first for each row of costs; None where they are not found.

    The first row has the value one, those in `equal` besides the value 0, all others at least that.
    """
    low, high = np.zeros(rows.shape[0]), np.full(rows.shape[0], np.inf)
    high[equal] = 0.0
    low[0] = high[0] = 1.0
    scales = np.maximum(np.abs(costs).max(axis=1), 1e-300)
    try:
        solved = solve_costs(LinearProgram(costs[0], rows, low, high), costs / scales[:, None])
    except SolverError:
        return None
    if len(solved) < len(costs):
        return None
    found: Array = np.array([each.multipliers[1:] for each in solved]) * scales[:, None]
    one_sided = np.setdiff1d(np.arange(1, rows.shape[0]), equal) - 1
    found[:, one_sided] = np.maximum(found[:, one_sided], 0.0)
    return found
