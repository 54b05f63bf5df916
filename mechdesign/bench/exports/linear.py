"""Linear programs as MPS and LP files, written by HiGHS."""

from __future__ import annotations

import tempfile
from pathlib import Path

from mechdesign.bench.program import ConicProgram
from mechdesign.bench.solvers.highs import highs_model
from mechdesign.errors import WriteError
from mechdesign.files.atomic_writes import write
from mechdesign.solve.solvers.silent_highs import highs


def column_name(place: int) -> str:
    """Return the name of a variable in files."""
    return f"x{place}"


def row_name(place: int) -> str:
    """Return the name of a row in files."""
    return f"r{place}"


def write_mps(program: ConicProgram, path: Path) -> None:
    """Write a linear program as an MPS file in free format."""
    _write(program, path, ".mps")


def write_lp(program: ConicProgram, path: Path) -> None:
    """Write a linear program as an LP file."""
    _write(program, path, ".lp")


def _write(program: ConicProgram, path: Path, suffix: str) -> None:
    model = highs_model(program)
    model.model_name_ = path.stem
    model.col_names_ = [column_name(place) for place in range(len(program.cost))]
    model.row_names_ = [row_name(place) for place in range(program.rows.shape[0])]
    engine = highs().Highs()
    engine.setOptionValue("output_flag", False)
    engine.passModel(model)
    with tempfile.TemporaryDirectory() as folder:
        # HiGHS writes to a path, and leaves half a file where it fails.
        draft = Path(folder) / f"model{suffix}"
        engine.writeModel(str(draft))
        if not draft.exists():
            raise WriteError(str(path), "HiGHS could not write its model", "choose another format")
        write(path, draft.read_bytes())
