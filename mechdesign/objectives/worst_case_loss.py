"""Expected loss of the input that fares worst."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign import domains
from mechdesign.domains import Array, EqualByContent
from mechdesign.objectives.base import PiecewiseLinear
from mechdesign.objectives.decisions import check_rows, datum_of_input, decision_names
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


@dataclass(frozen=True, eq=False)
class WorstCaseLoss(EqualByContent, PiecewiseLinear):
    r"""max_x sum_d Q[x, d] loss[x, d], in the unit of the loss; output d is taken as decision d. No prior is used.

    Parameters
    ----------
    loss : array_like, shape (n, decisions)
        What decision d costs when the datum is x, finite. The matrix keeps one column for each decision.

    Raises
    ------
    DomainError
        A loss that is no finite matrix, or has another number of rows than the problem has data.

    Notes
    -----
    It is no sum over columns, so its optimum need not use extreme rays: the convex route answers.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(n=2)
    >>> md.WorstCaseLoss([[0, 1], [2, 0]]).value([[0.75, 0.25], [0.25, 0.75]], problem)
    0.5
    """

    loss: Array

    if TYPE_CHECKING:

        def __init__(self, loss: npt.ArrayLike) -> None: ...

    unit = "unit of the loss"
    words = "expected loss of the input that fares worst"

    def __post_init__(self) -> None:
        object.__setattr__(self, "loss", domains.matrix("loss", self.loss))

    def check(self, problem: Problem) -> None:
        """Refuse a loss whose rows are not the problem's data."""
        super().check(problem)
        check_rows(self.loss, problem)

    def outputs(self, problem: Problem) -> int | None:
        """Return the number of decisions."""
        return int(self.loss.shape[1])

    def output_names(self, matrix: Array, problem: Problem) -> tuple[str, ...]:
        """Return the labels where there is one decision for each, and numbers otherwise."""
        return decision_names(problem, self.loss.shape[1])

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the largest expected loss of an input."""
        loss = self.loss[datum_of_input(problem)]
        return max(float(row @ costs) for row, costs in zip(np.asarray(matrix, dtype=float), loss, strict=True))

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the largest expected loss, convex in `Q`."""
        import cvxpy as cp

        return cp.max(cp.sum(cp.multiply(self.loss[datum_of_input(problem)], Q), axis=1))

    def pieces(self, problem: Problem) -> Any:
        """Return one functional for each input: its row of the loss, at its row of `Q`."""
        from scipy.sparse import csr_array

        loss = self.loss[datum_of_input(problem)]
        n, decisions = loss.shape
        starts = decisions * np.arange(n + 1)
        return csr_array((loss.ravel(), np.arange(n * decisions), starts), shape=(n, n * decisions))
