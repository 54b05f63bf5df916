"""Expected absolute error of the value that the output names."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.exact import fractions
from mechdesign.objectives.base import Linear
from mechdesign.objectives.decisions import data_count, exact_loss, expected_cost, names_of_values, values_of_data
from mechdesign.objectives.exact_form import ExactForm
from mechdesign.objectives.magnitudes import check_magnitude
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_LOSS, SMALLEST_LOSS


@dataclass(frozen=True)
class AbsoluteError(Linear):
    r"""``sum_x P_x sum_d Q[x, d] |values[x] - values[d]|``, in the unit of the values; output d names ``values[d]``.

    The matrix has one column for each datum. A median of the posterior is among the values, so no estimate
    outside them does better.

    Raises
    ------
    DomainError
        A problem without prior or values.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.25, 0.5, 0.25], values=[0, 1, 4])
    >>> md.AbsoluteError().value([[1, 0, 0], [0.5, 0.5, 0], [0, 0, 1]], problem)
    0.25
    """

    card = Card(
        "expected absolute error of the value that the output names",
        latex=r"\sum_x P_x \sum_d Q_{xd} \left|a_x - a_d\right| \quad \text{for the values } a",
        examples=(
            lambda rng: (AbsoluteError(), random_problem(4, rng)),
            lambda rng: (AbsoluteError(), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(AbsoluteError(), 0.5, "a quarter of the distance 2"),
    )

    unit = "value"
    lowest = 0.0
    needs_prior = True
    needs_values = True

    def check(self, problem: Problem) -> None:
        """Refuse values so large or so small that bounds lose their digits."""
        super().check(problem)
        check_magnitude("values", problem.required_values, SMALLEST_LOSS, LARGEST_LOSS)

    def cost(self, problem: Problem) -> Array:
        """Return ``P_x |values[x] - values[d]|``."""
        values = values_of_data(problem)
        return expected_cost(np.abs(values[:, None] - values), problem)

    def exact_form(self, problem: Problem) -> ExactForm:
        """Return minus the distances of the values as they are, under the exact prior."""
        values = fractions(values_of_data(problem))
        return exact_loss(np.abs(values[:, None] - values), problem)

    def outputs(self, problem: Problem) -> int:
        """Return the number of data."""
        return data_count(problem)

    def decisions(self, problem: Problem) -> tuple[str, ...]:
        """Return the value that each decision names; data of one value are distinguished by name or number."""
        return names_of_values(problem)
