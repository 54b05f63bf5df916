"""Numbers of an interval rounded at random to one of the two points beside them: their expectation is the number."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.estimation.records import By, indices
from mechdesign.estimation.sampling import Indices
from mechdesign.parameters.written_numbers import as_number
from mechdesign.problem import Problem
from mechdesign.problem.columns_of_data import array
from mechdesign.runtime.random_bits import COIN_BITS, Source, is_below, uniform

#: By how much a share in floating point may be off, as a share of all draws.
ROUNDED = 2.0**-48


def inputs_of(
    records: Any, problem: Problem, by: By | None = None, missing: Any = None, source: Source | None = None
) -> Indices:
    """Return the input of each record; a number of an interval is rounded at random to a point beside it.

    A number v between the points a and b becomes b with the probability ``(v - a) / (b - a)``, to the last bit.

    Parameters
    ----------
    records : object, sequence or array of any shape
        Numbers of the interval, if the problem is over one; else as `indices` takes them.
    problem : Problem
        The inputs.
    by : {"label", "index"}, optional
        "index" for indices of inputs.
    missing : str, number or sequence, optional
        Codes of a missing answer, as `indices` takes them.
    source : callable, optional
        Returns so many bytes; the operating system's by default.

    Raises
    ------
    DomainError
        A number outside the interval, or none; what `indices` refuses.

    Examples
    --------
    >>> import mechdesign as md
    >>> inputs_of([0.0, 50.0, 100.0], md.Problem.from_interval(0, 100, points=3)).tolist()
    [0, 1, 2]
    """
    if problem.interval is None or by == "index":
        return indices(records, problem, by, missing)
    if missing is not None:
        raise DomainError("missing", missing, "an interval has numbers alone", "leave missing answers out")
    numbers, points = _numbers(records, problem), problem.required_values
    flat = numbers.reshape(-1)
    below = np.clip(np.searchsorted(points, flat, side="right") - 1, 0, len(points) - 2)
    share = (flat - points[below]) / (points[below + 1] - points[below])
    read = os.urandom if source is None else source
    drawn = uniform(len(flat), COIN_BITS, read)
    up = np.ldexp(drawn.astype(float), -COIN_BITS) < share
    for k in np.flatnonzero(np.abs(np.ldexp(drawn.astype(float), -COIN_BITS) - share) <= ROUNDED).tolist():
        low, high = (Fraction(float(points[below[k] + side])) for side in (0, 1))
        up[k] = is_below(int(drawn[k]), (Fraction(float(flat[k])) - low) / (high - low), read)
    return np.asarray((below + up).reshape(numbers.shape), dtype=np.int64)


def _numbers(records: Any, problem: Problem) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return records as numbers of the interval."""
    assert problem.interval is not None, "its callers have looked"
    given = array("records", records)
    texts = given.dtype.kind not in "iuf"
    numbers = np.array([as_number(str(entry)) for entry in given.flat] if texts else given.reshape(-1), dtype=float)
    low, high = problem.interval
    # A NaN is in no interval.
    outside = ~((numbers >= low) & (numbers <= high))
    if outside.any():
        at = int(np.argmax(outside))
        entry = given.flat[at]
        rule, remedy = of_interval(problem)
        rule = f"{rule} ({int(outside.sum())} of {numbers.size} are not)"
        raise DomainError(f"records[{at}]", entry.item() if isinstance(entry, np.generic) else entry, rule, remedy)
    return numbers.reshape(given.shape)


def of_interval(problem: Problem) -> tuple[str, str]:
    """Return the rule and the remedy for what is no number of a problem's interval."""
    rule = f"numbers have to be from {problem.named(0)} to {problem.named(problem.n - 1)}"
    return rule, "design for an interval that holds all of them; to move them to its ends would bias the mean"
