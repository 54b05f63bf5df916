"""Expected loss of decisions that the outputs recommend."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, unlike_losses
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.objectives.base import Linear
from mechdesign.objectives.decisions import check_rows, data_count, decision_names, exact_loss, expected_cost
from mechdesign.objectives.exact_form import ExactForm
from mechdesign.parameters import Matrix
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True)
class ExpectedLoss(Linear):
    r"""sum_x P_x sum_d Q[x, d] loss[x, d], in the unit of the loss; output d is taken as decision d.

    Parameters
    ----------
    loss : array_like, shape (n, decisions)
        What decision d costs when the datum is x, finite. The matrix keeps one column for each decision.

    Raises
    ------
    DomainError
        A loss that is no finite matrix, has another number of rows than the problem has data; no prior.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> md.ExpectedLoss([[0, 1], [1, 0]]).value([[0.75, 0.25], [0.25, 0.75]], problem)
    0.25
    """

    card = Card(
        "expected loss",
        latex=r"\sum_x P_x \sum_d Q_{xd} \, \text{loss}_{xd}",
        search=("quantitative information flow",),
        examples=(
            lambda rng: (ExpectedLoss(rng.exponential(size=(3, 4))), random_problem(3, rng)),
            lambda rng: (ExpectedLoss(rng.normal(size=(3, 2))), random_pairs(rng)),
        ),
        sized=lambda problem, rng: ExpectedLoss(rng.exponential(size=(data_count(problem), 4))),
        anchor=lambda: Anchor(ExpectedLoss(unlike_losses()), 0.75, "(2/4 + 4/4) / 2"),
    )

    loss: Array
    domains = {"loss": Matrix()}
    axes = {"loss": ("data", "decisions")}

    if TYPE_CHECKING:

        def __init__(self, loss: npt.ArrayLike) -> None: ...

    unit = "unit of the loss"
    needs_prior = True

    def check(self, problem: Problem) -> None:
        """Refuse a loss whose rows are not the problem's data."""
        super().check(problem)
        check_rows(self.loss, problem)

    def cost(self, problem: Problem) -> Array:
        """Return ``P_x loss[x, d]``."""
        return expected_cost(self.loss, problem)

    def exact_form(self, problem: Problem) -> ExactForm:
        """Return minus the loss under the exact prior."""
        return exact_loss(self.loss, problem)

    def outputs(self, problem: Problem) -> int:
        """Return the number of decisions."""
        return int(self.loss.shape[1])

    def decisions(self, problem: Problem) -> tuple[str, ...]:
        """Return the labels where there is one decision for each, and numbers otherwise."""
        return decision_names(problem, self.loss.shape[1])
