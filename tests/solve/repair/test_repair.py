"""The repair: what one output misses is added there alone, and rounding leaves the rest to the largest entry."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.exact import dyadic
from mechdesign.solve.repair.exactly_private import repair, round_rows

PROBLEM = md.Problem(prior=[0.5, 0.3, 0.2])


@pytest.mark.parametrize("mass", [1e-8, 1e-5, 1e-2])
@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(1.0), md.MaxLift(0.5)], ids=str)
def test_an_output_of_small_mass_costs_what_it_misses(notion, mass):
    # An output that one input alone has: its ratio is out of bounds by far, and it is next to never made.
    private = np.array([[0.4, 0.6], [0.5, 0.5], [0.55, 0.45]])
    rare = np.array([[0.0], [0.0], [mass]])
    found = repair(np.hstack([private * (1.0 - rare), rare]), notion, PROBLEM, keep_outputs=True)
    assert notion.holds_exactly(dyadic(found.matrix), PROBLEM)
    assert np.abs(found.matrix[:, :2] - private).max() <= 4.0 * mass


def test_rounding_moves_no_entry_by_a_unit_but_the_largest(rng):
    for outputs in (2, 5, 400):
        matrix = rng.dirichlet(np.full(outputs, 0.3), size=6)
        matrix[matrix < 1e-3] = 0.0
        numerators = round_rows(matrix)
        moved = np.abs(numerators - np.ldexp(matrix / matrix.sum(axis=1, keepdims=True), 53))
        assert np.all(numerators.sum(axis=1) == 2**53) and np.all(numerators[matrix == 0] == 0)
        largest = moved[np.arange(6), matrix.argmax(axis=1)].copy()
        moved[np.arange(6), matrix.argmax(axis=1)] = 0.0
        assert np.all(moved <= 1.0) and np.all(largest <= outputs)
