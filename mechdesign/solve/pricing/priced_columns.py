"""What is priced, and by what: the columns of a notion, and an oracle that bounds their largest excess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, order=True)
class Priced:
    """An upper bound on the largest reduced cost of a column, and columns that nearly attain it; ordered by the bound.

    A certificate reads the bound alone. A search adds the columns to its restricted master problem, which need not
    trust them: what is left of their errors is for the repair.
    """

    bound: float
    #: By how much the bound was raised for rounding.
    rounding: float
    #: Of the notion and of mass one, shape (n, k); k = 0 where the oracle sees none.
    columns: Array = field(compare=False, repr=False)


def no_columns(n: int) -> Array:
    """Return an array of no columns, shape (n, 0)."""
    return np.zeros((n, 0))


@dataclass(frozen=True)
class Columns:
    """What is priced: the columns of a notion, whose gain is an objective's, beyond multipliers."""

    notion: Notion
    objective: Objective
    problem: Problem
    multipliers: Multipliers
    #: Those of the rows, shape (n,), and of the budgets, not negative.
    rows: Array
    budget: Array
    #: How far from its maximum pricing by a search may stop.
    tolerance: float
    #: Whether a search asks, while its multipliers still change: it wants a bound soon, and columns.
    for_search: bool = False


@dataclass(frozen=True)
class Oracle:
    """A way of pricing columns: for which questions, and how; None where it turns out to have no bound."""

    name: str
    applies: Callable[[Notion, Objective, Problem], bool]
    price: Callable[[Columns], Priced | None]
