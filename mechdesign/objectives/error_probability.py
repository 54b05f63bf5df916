"""Probability that the best guess of the datum is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs, random_problem
from mechdesign.objectives.base import Separable, unit
from mechdesign.objectives.decisions import data_count, datum_of_input, decision_names, likeliest_mass, shares
from mechdesign.objectives.exact_form import ExactForm, LargestGain, prior_shares
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class ErrorProbability(Separable):
    r"""1 - sum_y max_x P_x Q[x, y], the probability that the Bayes guess of the datum is wrong; minimised.

    The utility ``mu(v) = max_x P_x v_x`` is the largest of finitely many functionals, one for each guess. It equals
    `HammingLoss` with free decisions. Where a notion widened the inputs, x is the datum that they carry and
    ``P_x Q[x, y]`` the mass of all inputs that carry it.

    Raises
    ------
    DomainError
        A problem without prior.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.ErrorProbability().value([[0.5, 0.5], [0.25, 0.75]], md.Problem(prior=[0.5, 0.5]))
    0.375
    """

    card = Card(
        "probability that the best guess of the datum is wrong",
        latex=r"1 - \sum_y \max_x P_x Q_{xy}",
        usual="for each person's own category",
        search=("quantitative information flow",),
        examples=(
            lambda rng: (ErrorProbability(), random_problem(4, rng, skew=2.0)),
            lambda rng: (ErrorProbability(), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(ErrorProbability(), 0.25, "1 - 3/4"),
    )

    kind = "sublinear"
    sense = "minimise"
    unit = "probability"
    lowest = 0.0
    needs_prior = True
    is_of_guesses = True

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the mass of all data but the guessed one, added up over the outputs."""
        joint = np.sort(self._joint(problem) @ np.asarray(matrix, dtype=float), axis=0)
        return float(joint[:-1].sum())

    def improvement(self, matrix: Array, problem: Problem) -> tuple[float, float]:
        """Return by how much the best guesses beat the one that is best without an output, summed over outputs."""
        gains, columns = self._joint(problem), np.asarray(matrix, dtype=float)
        beyond = gains - gains[int(gains.sum(axis=1).argmax())]
        least = columns.min(axis=0)
        moved = beyond @ (columns - least) + beyond.sum(axis=1)[:, None] * least
        gained = float(moved.max(axis=0).sum())
        return gained, unit(problem.n) * gained

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the error probability, concave in `Q`."""
        import cvxpy as cp

        return 1.0 - cp.sum(cp.max(self._joint(problem) @ Q, axis=0))

    def offset(self, problem: Problem) -> float:
        """Return 1: the utility is the probability of a right guess."""
        return 1.0

    def uninformative(self, problem: Problem) -> float:
        """Return the probability of all data but the likeliest one."""
        return 1.0 - likeliest_mass(problem)

    def no_privacy(self, problem: Problem) -> float:
        """Return 0: each input shows its datum."""
        return 0.0

    def gains(self, problem: Problem) -> Array:
        """Return ``P_x`` at the inputs that carry the guessed datum, shape (data, n)."""
        return self._joint(problem)

    def exact_form(self, problem: Problem) -> ExactForm:
        """Return the exact prior at the inputs that carry each guess."""
        guesses = np.full((data_count(problem), problem.n), Fraction(0), dtype=object)
        guesses[datum_of_input(problem), np.arange(problem.n)] = prior_shares(problem)
        return LargestGain(tuple(guesses), Fraction(1), decided=False)

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``max_x P_x v_x``."""
        return np.asarray((self._joint(problem) @ columns).max(axis=0))

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return the functional of each column's best guess."""
        return np.asarray(self._joint(problem).T[:, self.best_decision(columns, problem)])

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the guess that each output stands for; outputs of one guess are numbered."""
        known = decision_names(problem, data_count(problem))
        guesses = [known[d] for d in self.best_decision(np.asarray(matrix, dtype=float), problem)]
        if len(set(guesses)) == len(guesses):
            return tuple(guesses)
        return tuple(f"{guess} (y{y})" for y, guess in enumerate(guesses))

    def _joint(self, problem: Problem) -> Array:
        joint = np.zeros((data_count(problem), problem.n))
        joint[datum_of_input(problem), np.arange(problem.n)] = shares(problem)
        return joint
