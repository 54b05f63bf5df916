"""What a report says of the person who sent it: ``Pr(X = x | Y = y) = P_x Q[x, y] / (P Q)_y``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Grid
from mechdesign.errors import DomainError
from mechdesign.estimation.given_reports import given_reports
from mechdesign.estimation.sampling import Indices
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, frozen
from mechdesign.parameters.labels import Names
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class Posterior(Displayed):
    """The distribution of the input given each output, under `prior`.

    Attributes
    ----------
    prior : ndarray, shape (n,)
        Probabilities of the inputs, which sum to one.
    probabilities : ndarray, shape (n, m)
        ``Pr(X = x | Y = y)`` in column y; NaN in the columns of outputs that never occur.
    problem : Problem
        The inputs.
    outputs : tuple of str, length m
        The names of the outputs.
    """

    prior: Array
    probabilities: Array
    problem: Problem
    outputs: Names

    def __repr__(self) -> str:
        return "Posterior(n={}, outputs={})".format(*self.probabilities.shape)

    def display(self) -> tuple[Block, ...]:
        """Return the posterior as a shaded table."""
        return (
            Grid(
                "Pr(input | output)",
                self.probabilities,
                "input",
                self.problem.named,
                "output",
                self.outputs.__getitem__,
            ),
        )

    def of(self, reports: npt.ArrayLike) -> Array:
        """Return the posterior of each report, of the shape of `reports` with an axis of n inputs behind it."""
        return np.asarray(self.probabilities.T[self._outputs(reports)])

    def guess(self, reports: npt.ArrayLike) -> Indices:
        """Return the likeliest input of each report, as an index: the first one of several."""
        places = self._outputs(reports)
        return np.asarray(np.argmax(self.probabilities, axis=0)[places], dtype=np.int64)

    def mean(self, reports: npt.ArrayLike, values: npt.ArrayLike | None = None) -> Array:
        """Return the posterior mean of `values` for each report, by default the problem's values, in their unit.

        Raises
        ------
        DomainError
            No values, or others than n finite numbers; reports that no output of the mechanism has.
        """
        means = self.problem.values_in_order(values) @ self.probabilities
        return np.asarray(means[self._outputs(reports)])

    def _outputs(self, reports: Any) -> Indices:
        found = given_reports(reports, self.outputs, droppable=False).outputs
        never = np.isnan(self.probabilities[0])[found]
        if np.any(never):
            y = int(found.reshape(-1)[np.argmax(never)])
            rule = "this mechanism never gives that output under this prior"
            raise DomainError("reports", f"with output {y}", rule, "check which mechanism they belong to")
        return found


def posterior(matrix: Array, problem: Problem, prior: npt.ArrayLike | None, outputs: Names) -> Posterior:
    """Return the posterior of each output under `prior`, or under the problem's if that is None.

    Raises
    ------
    DomainError
        No prior, or one that is no distribution over the n inputs.

    Examples
    --------
    >>> coin, people = np.array([[0.75, 0.25], [0.25, 0.75]]), Problem(prior=[0.5, 0.5], values=[0, 1])
    >>> found = posterior(coin, people, None, ("no", "yes"))
    >>> found.guess([0, 1, 1]).tolist(), found.mean([0, 1]).tolist()
    ([0, 1, 1], [0.25, 0.75])
    """
    given = problem.prior if prior is None else domains.distribution("prior", problem.in_order("prior", prior))
    if given is None:
        raise DomainError("prior", None, "the problem has none", "give posterior(prior=...), or Problem(prior=...)")
    known = given / given.sum()
    joint = known[:, None] * matrix
    mass = joint.sum(axis=0)
    with np.errstate(invalid="ignore"):
        return Posterior(frozen(known), frozen(joint / mass), problem, outputs)
