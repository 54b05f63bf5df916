"""Probability that the output is not the datum."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.objectives.base import Linear
from mechdesign.objectives.decisions import data_count, decision_names, exact_loss, expected_cost, likeliest_mass
from mechdesign.objectives.exact_form import ExactForm
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class HammingLoss(Linear):
    r"""sum_x P_x sum_{d != x} Q[x, d], the probability that the output d is not the datum x.

    The matrix has one column for each datum. Over all decisions that an output may stand for, the least value is
    the error probability of the Bayes guess, ``1 - sum_y max_x P_x Q[x, y]``.

    Raises
    ------
    DomainError
        A problem without prior.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.25, 0.75])
    >>> md.HammingLoss().value([[0.5, 0.5], [0.25, 0.75]], problem)
    0.3125
    """

    card = Card(
        "probability that the report is not the datum",
        latex=r"\sum_x P_x \sum_{d \ne x} Q_{xd}",
        search=("PRAM",),
        examples=(
            lambda rng: (HammingLoss(), random_problem(4, rng, skew=2.0)),
            lambda rng: (HammingLoss(), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(HammingLoss(), 0.25, "1/4"),
    )

    unit = "probability"
    lowest = 0.0
    needs_prior = True
    is_of_guesses = True

    def cost(self, problem: Problem) -> Array:
        """Return ``P_x`` where d is not the datum of x, and 0 where it is."""
        return expected_cost(1.0 - np.eye(data_count(problem)), problem)

    def exact_form(self, problem: Problem) -> ExactForm:
        """Return minus the loss under the exact prior."""
        return exact_loss(1 - np.eye(data_count(problem), dtype=int), problem)

    def uninformative(self, problem: Problem) -> float:
        """Return the probability of all data but the likeliest one."""
        return 1.0 - likeliest_mass(problem)

    def no_privacy(self, problem: Problem) -> float:
        """Return 0: each input shows its datum."""
        return 0.0

    def outputs(self, problem: Problem) -> int:
        """Return the number of data."""
        return data_count(problem)

    def decisions(self, problem: Problem) -> tuple[str, ...]:
        """Return the labels of the data, or their numbers."""
        return decision_names(problem, data_count(problem))
