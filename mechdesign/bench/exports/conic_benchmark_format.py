"""Programs with cones in the Conic Benchmark Format, CBF.

H. A. Friberg, "CBLIB 2014: a benchmark library for conic mixed-integer and continuous optimization" (2016), Appendix.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.bench.program import ConicProgram
from mechdesign.files.atomic_writes import write
from mechdesign.parameters.checks import Array

#: An exponential cone of CBF is ``{(w, v, u) : w >= v exp(u / v)}``: the order of ours, reversed.
KINDS = {"second order": "Q", "exponential": "EXP"}


def write_cbf(program: ConicProgram, path: Path) -> None:
    """Write a program as CBF: free variables, and ``A x + b`` in a product of cones, bounds and rows among them."""
    matrix, offset, cones = stacked(program)
    coefficients = matrix.tocoo()
    lines = ["VER", "3", "", "OBJSENSE", "MIN", "", "VAR", f"{len(program.cost)} 1", f"F {len(program.cost)}", ""]
    lines += ["CON", f"{matrix.shape[0]} {len(cones)}", *(f"{kind} {size}" for kind, size in cones), ""]
    lines += _listed("OBJACOORD", ((str(place), value) for place, value in enumerate(program.cost) if value))
    entries = zip(coefficients.row, coefficients.col, coefficients.data, strict=True)
    lines += _listed("ACOORD", ((f"{row} {column}", value) for row, column, value in entries))
    lines += _listed("BCOORD", ((str(place), value) for place, value in enumerate(offset) if value))
    write(path, "\n".join(lines))


def _listed(name: str, entries: Iterator[tuple[str, float]]) -> list[str]:
    found = [f"{place} {float(value)!r}" for place, value in entries]
    return [name, str(len(found)), *found, ""] if found else []


def stacked(program: ConicProgram) -> tuple[Any, Array, list[tuple[str, int]]]:
    """Return A, b and the cones of ``A x + b``: equations, rows from below, from above, bounds, then the cones."""
    from scipy.sparse import csr_array, eye_array, vstack

    rows, identity = program.rows, csr_array(eye_array(len(program.cost)))
    equal = program.row_lower == program.row_upper
    blocks: list[tuple[str, Any, Array]] = [
        ("L=", rows[np.flatnonzero(equal)], -program.row_lower[equal]),
    ]
    for sign, matrix, ends, skipped in (
        (1.0, rows, program.row_lower, equal),
        (-1.0, rows, program.row_upper, equal),
        (1.0, identity, program.lower, np.zeros(len(program.cost), dtype=bool)),
        (-1.0, identity, program.upper, np.zeros(len(program.cost), dtype=bool)),
    ):
        kept = np.flatnonzero(np.isfinite(ends) & ~skipped)
        blocks.append(("L+", sign * matrix[kept], -sign * ends[kept]))
    cones = [(kind, part.shape[0]) for kind, part, _ in blocks if part.shape[0]]
    order, start = np.arange(program.cone_rows.shape[0]), 0
    for cone in program.cones:
        if cone.kind == "exponential":
            order[start : start + 3] = order[start : start + 3][::-1]
        start += cone.size
        cones.append((KINDS[cone.kind], cone.size))
    matrix = csr_array(vstack([*(part for _, part, _ in blocks), program.cone_rows[order]]))
    offset = np.concatenate([*(ends for *_, ends in blocks), program.cone_offset[order]])
    return matrix, offset, cones
