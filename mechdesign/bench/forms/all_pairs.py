"""One row for each ordered pair of inputs and each output, as local differential privacy is defined."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.bench.forms.form import Form, PosedProgram
from mechdesign.bench.forms.over_matrix import Rows, for_each_output, has_loss, outputs_of, over_matrix, stacked
from mechdesign.bench.forms.pairs_of_inputs import Places, all_pairs, distances, neighbours
from mechdesign.parameters.checks import Array
from mechdesign.question import Question


def pair_rows(apart: Array, pairs: tuple[Places, Places]) -> Any:
    """Return rows with ``1`` at the first input of each pair and ``-e^d`` at the second: at most 0."""
    from scipy.sparse import csr_array

    first, second = pairs
    count = len(first)
    places = np.arange(count)
    data = np.concatenate([np.ones(count), -np.exp(apart[first, second])])
    at = (np.concatenate([places, places]), np.concatenate([first, second]))
    return csr_array((data, at), shape=(count, len(apart)))


def at_most_zero(rows: Any, m: int, others: int = 0) -> Rows:
    """Return `rows` for each of m outputs by itself, at most 0."""
    from scipy.sparse import csr_array

    matrix = for_each_output(rows, m)
    count = matrix.shape[0]
    return Rows(matrix, csr_array((count, others)), np.full(count, -np.inf), np.zeros(count))


class AllPairs(Form):
    """One row for each ordered pair of inputs and each output."""

    name = "all pairs"
    formula = "min cost . Q  s.t.  sum_y Q[x, y] = 1,  Q[x, y] - e^d(x, x') Q[x', y] <= 0 for all x != x', y,  Q >= 0"
    words = "The definition, written down: n (n - 1) rows for each output, most of them inactive."

    def takes(self, question: Question) -> bool:
        """Return whether the notion is one of ratios and the objective a loss."""
        return has_loss(question) and distances(question) is not None

    def pose(self, question: Question) -> PosedProgram:
        """Return the program, output by output."""
        apart = distances(question)
        assert apart is not None, "takes() holds"
        return over_matrix(question, at_most_zero(pair_rows(apart, self.pairs(apart)), outputs_of(question)))

    def pairs(self, apart: Array) -> tuple[Places, Places]:
        """Return the pairs of inputs that have rows."""
        return all_pairs(apart)


class NeighbouringPairs(AllPairs):
    """Rows only for pairs of inputs that no way over a third input implies."""

    name = "neighbouring pairs"
    formula = "as 'all pairs', for x, x' without any z with d(x, z) + d(z, x') = d(x, x')"
    words = "For maps: a block for each output, tied by the sums of rows alone."

    def pairs(self, apart: Array) -> tuple[Places, Places]:
        """Return the pairs that no way over a third input implies."""
        return neighbours(apart)


class Looped(AllPairs):
    """The rows in the order in which loops over inputs and outputs write them, free variables, signs as rows."""

    name = "looped"
    formula = "as 'all pairs', with Q free and Q >= 0 among the rows, in the order of loops over x, x', y"
    words = "As it is written in a modelling language without thought of the solver."

    def pose(self, question: Question) -> PosedProgram:
        """Return the program, pair by pair."""
        from scipy.sparse import csr_array, eye_array

        apart = distances(question)
        assert apart is not None, "takes() holds"
        n, m = question.problem.n, outputs_of(question)
        by_output = at_most_zero(pair_rows(apart, all_pairs(apart)), m).on_matrix
        pairs = by_output.shape[0] // m
        by_pair = by_output[np.arange(pairs * m).reshape(m, pairs).T.ravel()]
        signs = -csr_array(eye_array(n * m))[np.arange(n * m).reshape(m, n).T.ravel()]
        matrix = stacked([signs, by_pair])
        count = matrix.shape[0]
        rules = Rows(matrix, csr_array((count, 0)), np.full(count, -np.inf), np.zeros(count))
        return over_matrix(question, rules, free=True)
