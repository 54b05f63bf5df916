"""A solver's rows become probabilities: none is negative, and a row without mass gets the mean of the others."""

import numpy as np

from mechdesign.solve.repair.stochastic_rows import stochastic_rows


def test_negative_entries_are_zeros_and_rows_sum_to_one():
    found = stochastic_rows(np.array([[3.0, 1.0, -0.5], [0.5, 0.0, 0.5]]))
    assert found.tolist() == [[0.75, 0.25, 0.0], [0.5, 0.0, 0.5]]


def test_a_row_without_mass_gets_the_mean_of_the_others():
    found = stochastic_rows(np.array([[1.0, 0.0], [-1.0, 0.0], [0.25, 0.75], [0.0, 0.0]]))
    assert found.tolist() == [[1.0, 0.0], [0.625, 0.375], [0.25, 0.75], [0.625, 0.375]]


def test_without_any_mass_all_outputs_are_as_likely():
    assert stochastic_rows(np.array([[0.0, -1.0, 0.0, 0.0], [0.0] * 4])).tolist() == [[0.25] * 4] * 2


def test_the_given_matrix_stays_as_it_is():
    given = np.array([[2.0, -1.0]])
    stochastic_rows(given)
    assert given.tolist() == [[2.0, -1.0]]
