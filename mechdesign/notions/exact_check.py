"""The exact check of a notion at many levels, and of each column by itself."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Integers
from mechdesign.notions.base import Notion
from mechdesign.problem import Problem


def exact_check(notion: Notion, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
    """Return the exact check of a matrix of integers as a function of the level: a search looks at many.

    Examples
    --------
    >>> import mechdesign as md
    >>> holds = exact_check(md.LDP(1.0), np.array([[3, 1], [1, 3]]), md.Problem(n=2))
    >>> holds(1.0), holds(1.1)
    (False, True)
    """
    if _is_own(notion):
        return lambda level: notion.at(level).holds_exactly(numerators, problem)
    measured = notion.shape(problem).measured(problem.exactly_seen_by_secret(numerators))
    return lambda level: notion.at(level).shape(problem).holds(measured)


def columns_hold(notion: Notion, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
    """Return for each column by itself whether it satisfies the notion, in exact arithmetic, shape (m,).

    Examples
    --------
    >>> import mechdesign as md
    >>> columns_hold(md.LDP(1.0), np.array([[3, 1], [1, 1]]), md.Problem(n=2)).tolist()
    [False, True]
    """
    if _is_own(notion) or not notion.shape(problem).by_column:
        each = [notion.holds_exactly(numerators[:, [y]], problem) for y in range(numerators.shape[1])]
        return np.array(each, dtype=bool)
    shape = notion.shape(problem)
    return shape.allows(shape.measured(problem.exactly_seen_by_secret(numerators)))


def _is_own(notion: Notion) -> bool:
    """Return whether the notion has an exact check of its own beside its shape."""
    return type(notion).holds_exactly is not Notion.holds_exactly
