"""Largest probability of a report that is not the datum."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.drawn import random_pairs
from mechdesign.errors import DomainError
from mechdesign.objectives.base import PiecewiseLinear, column_of_each_decision
from mechdesign.objectives.decisions import data_count, datum_of_input, decision_names
from mechdesign.objectives.exact_form import ExactForm, LargestPiece
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True)
class MaxOffDiagonal(PiecewiseLinear):
    r"""max_{x, y != x} Q[x, y], the largest probability that datum x is reported as y. No prior is used.

    The matrix has one column for each datum; y is compared with the datum that the input carries.

    Raises
    ------
    DomainError
        A problem of a single datum: it has no other report.

    Notes
    -----
    It is no sum over columns, so its optimum need not use extreme rays: the convex route answers.

    References
    ----------
    J. Geumlek, K. Chaudhuri, "Profile-Based Privacy for Locally Private Computations", IEEE ISIT 2019, eq. (6).

    Examples
    --------
    >>> import mechdesign as md
    >>> md.MaxOffDiagonal().value([[0.75, 0.25], [0.125, 0.875]], md.Problem(n=2))
    0.25
    """

    card = Card(
        "largest probability that one datum is reported as another",
        latex=r"\max_{x, y \ne x} Q_{xy}",
        works=("geumlek",),
        examples=(
            lambda rng: (MaxOffDiagonal(), Problem(n=3)),
            lambda rng: (MaxOffDiagonal(), random_pairs(rng)),
        ),
        anchor=lambda: Anchor(MaxOffDiagonal(), 0.25, "1/4"),
    )

    unit = "probability"
    lowest = 0.0

    def check(self, problem: Problem) -> None:
        """Refuse a problem of a single datum."""
        super().check(problem)
        if data_count(problem) < 2:
            raise DomainError(
                "n", data_count(problem), f"{self.name} compares a datum with others", "give at least two data"
            )

    def outputs(self, problem: Problem) -> int | None:
        """Return the number of data."""
        return data_count(problem)

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the labels of the data, or their numbers."""
        return decision_names(problem, data_count(problem))

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the largest entry whose column is not the row's datum."""
        others = np.array(column_of_each_decision(matrix, (problem.n, data_count(problem))))
        others[np.arange(problem.n), datum_of_input(problem)] = -np.inf
        return float(others.max())

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the largest of the off-diagonal entries, convex in `Q`."""
        import cvxpy as cp

        return cp.max(cp.vec(Q, order="C")[_off_diagonal(problem)])

    def exact_form(self, problem: Problem) -> ExactForm:
        """Return the entries whose column is not the row's datum."""
        at, data = _off_diagonal(problem), data_count(problem)
        entries = tuple((k, *divmod(int(place), data), Fraction(1)) for k, place in enumerate(at))
        return LargestPiece(entries, (len(at), problem.n, data))

    def pieces(self, problem: Problem) -> Any:
        """Return one functional for each entry whose column is not the row's datum: the entry itself."""
        from scipy.sparse import csr_array

        at = _off_diagonal(problem)
        shape = (len(at), problem.n * data_count(problem))
        return csr_array((np.ones(len(at)), at, np.arange(len(at) + 1)), shape=shape)


def _off_diagonal(problem: Problem) -> npt.NDArray[np.int64]:
    """Return the row-major places of the entries whose column is not the row's datum."""
    return np.flatnonzero(datum_of_input(problem)[:, None] != np.arange(data_count(problem)))
