"""What a solver answers: a point, multipliers of the rows, and what it says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

import numpy as np

from mechdesign.bench.program import ConicProgram
from mechdesign.errors import DomainError, nearest
from mechdesign.parameters.checks import Array

Status = Literal["optimal", "infeasible", "unbounded", "limit", "failed", "unknown"]


@dataclass(frozen=True, eq=False)
class Answer:
    """A solver's answer to one program.

    Attributes
    ----------
    x : ndarray, shape (variables,), optional
        The point; None where there is none.
    row_duals : ndarray, shape (rows,), optional
        One multiplier for each linear row: the change of the least cost with the row's bound. None where the solver
        gives none.
    status : {"optimal", "infeasible", "unbounded", "limit", "failed", "unknown"}
        What the solver says of its answer.
    iterations : int, optional
        Its iterations, where it counts them.
    """

    x: Array | None = None
    row_duals: Array | None = None
    status: Status = "unknown"
    iterations: int | None = None


def checked_answer(given: Any, program: ConicProgram) -> Answer:
    """Return what a solver returned as an `Answer` of finite floats of the right shapes.

    An answer is an `Answer`, a mapping with its names, a pair of point and multipliers, or the point alone.

    Raises
    ------
    DomainError
        Another type, unknown names or status, numbers that are not finite or not real, another shape.
    """
    if isinstance(given, Answer):
        named: dict[str, Any] = {each.name: getattr(given, each.name) for each in fields(Answer)}
    elif isinstance(given, Mapping):
        named = dict(given)
    elif isinstance(given, tuple) and len(given) == 2:
        named = {"x": given[0], "row_duals": given[1]}
    else:
        named = {"x": given}
    known = [each.name for each in fields(Answer)]
    for name in named:
        if name not in known:
            raise DomainError("answer", name, f"its names are {', '.join(known)}", nearest(str(name), known))
    status = named.get("status", "unknown")
    if status not in get_args(Status):
        raise DomainError(
            "status", status, f"it is one of {', '.join(get_args(Status))}", nearest(str(status), get_args(Status))
        )
    iterations = named.get("iterations")
    if iterations is not None and (isinstance(iterations, bool) or not isinstance(iterations, int | np.integer)):
        raise DomainError("iterations", iterations, "it is a number of iterations", "give an integer or None")
    return Answer(
        _vector("x", named.get("x"), len(program.cost)),
        _vector("row_duals", named.get("row_duals"), program.rows.shape[0]),
        status,
        None if iterations is None else int(iterations),
    )


def _vector(name: str, given: Any, length: int) -> Array | None:
    if given is None:
        return None
    try:
        numbers = np.asarray(given)
    except ValueError:
        numbers = np.asarray(None)
    if numbers.dtype.kind not in "fiu":
        kind = "complex numbers" if numbers.dtype.kind == "c" else f"of type {type(given).__name__}"
        raise DomainError(name, kind, "it is a vector of real numbers", "return a numpy array of floats, or None")
    if numbers.shape != (length,):
        rule = f"it has {length} entries, one for each {'variable' if name == 'x' else 'row'}"
        raise DomainError(name, f"of shape {numbers.shape}", rule, "return it in the order of the program")
    if not np.all(np.isfinite(numbers)):
        raise DomainError(name, "not finite", "its entries are finite", "return None where there is no answer")
    return numbers.astype(float)
