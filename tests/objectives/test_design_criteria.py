"""Bounds of the criteria of a design: at a slope of all contrasts alike they are known in closed form."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives.design_criteria import CRITERIA


@pytest.mark.parametrize("size", [3, 40, 200])
@pytest.mark.parametrize("asked", [1, 2, 3])
def test_few_queries_of_many_inputs_have_no_more_than_their_own_roots(size, asked):
    """At B = I and orthonormal queries the best weights are alike: (sum of their roots)^2 is the number of queries."""
    rows = np.linalg.qr(np.random.default_rng(size).normal(size=(size, asked)))[0].T
    assert CRITERIA["worst"].least(rows, np.eye(size), 2.0) == pytest.approx(asked / 2.0, rel=1e-13)
    assert CRITERIA["A"].least(rows, np.eye(size), 2.0) == pytest.approx(asked**2 / 2.0, rel=1e-13)
    assert CRITERIA["E"].least(rows, np.eye(size), 2.0) == pytest.approx(asked / 2.0, rel=1e-13)


def test_a_bound_has_all_digits_where_queries_are_nearly_one():
    """Two queries that differ by 1e-7: of their inner products the smaller eigenvalue is lost in rounding."""
    near = np.array([[1.0, 0.0, 0.0, 0.0], [1.0, 1e-7, 0.0, 0.0]])
    first, second = near - near.mean(axis=1, keepdims=True)
    # The product of the two singular values is the area that the queries span, in numbers that lose no digits.
    rest = np.array([-0.25e-7, 0.75e-7, -0.25e-7, -0.25e-7])
    rest = rest - first * (rest @ first) / (first @ first)
    exact = first @ first + second @ second + 2.0 * np.linalg.norm(first) * np.linalg.norm(rest)
    found = md.InformationDesign("A", queries=near).least_value(np.eye(3), 1.0, md.Problem(n=4))
    assert found == pytest.approx(exact, rel=1e-13)
