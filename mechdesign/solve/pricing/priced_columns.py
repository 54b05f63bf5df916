"""What is priced, and by what: the columns of a notion, and an oracle that bounds their largest excess."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: A bound on the largest excess, and by how much it was raised for rounding.
Priced = tuple[float, float]


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


@dataclass(frozen=True)
class Oracle:
    """A way of pricing columns: for which questions, and how; None where it turns out to have no bound."""

    name: str
    applies: Callable[[Notion, Objective, Problem], bool]
    price: Callable[[Columns], Priced | None]
