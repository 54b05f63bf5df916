"""A program as one npz file of numpy arrays."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np

from mechdesign.bench.program import ConeBlock, ConicProgram
from mechdesign.errors import OtherFileError
from mechdesign.files.atomic_writes import write

VECTORS = ("cost", "row_lower", "row_upper", "lower", "upper", "cone_offset")
MATRICES = ("rows", "cone_rows")


def write_npz(program: ConicProgram, path: Path) -> None:
    """Write the arrays of a program: vectors, sparse rows as data, indices and indptr, cones as kinds and sizes."""
    held: dict[str, Any] = {name: getattr(program, name) for name in VECTORS}
    for name in MATRICES:
        matrix = getattr(program, name)
        held |= {f"{name}_data": matrix.data, f"{name}_indices": matrix.indices, f"{name}_indptr": matrix.indptr}
        held[f"{name}_shape"] = np.array(matrix.shape)
    held["cone_kinds"] = np.array([cone.kind for cone in program.cones], dtype="U16")
    held["cone_sizes"] = np.array([cone.size for cone in program.cones], dtype=int)
    file = io.BytesIO()
    np.savez_compressed(file, **held)
    write(path, file.getvalue())


def read_npz(path: str | Path) -> ConicProgram:
    """Return the program that `write_npz` wrote.

    Raises
    ------
    OtherFileError
        Another file.
    """
    from scipy.sparse import csr_array

    try:
        with np.load(path, allow_pickle=False) as held:
            vectors = {name: held[name] for name in VECTORS}
            matrices = {
                name: csr_array(
                    (held[f"{name}_data"], held[f"{name}_indices"], held[f"{name}_indptr"]),
                    shape=tuple(held[f"{name}_shape"]),
                )
                for name in MATRICES
            }
            cones = tuple(
                ConeBlock(str(kind), int(size))  # type: ignore[arg-type] # as they were written
                for kind, size in zip(held["cone_kinds"], held["cone_sizes"], strict=True)
            )
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise OtherFileError(f"{path} is no npz file of a program ({type(error).__name__}).") from error
    return ConicProgram(**vectors, **matrices, cones=cones)
