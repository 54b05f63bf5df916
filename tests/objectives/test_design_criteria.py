"""Bounds of the criteria of a design: at a slope of all contrasts alike they are known in closed form."""

from __future__ import annotations

import math
from fractions import Fraction

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


def covariance_in_fractions(theta):
    return [[p * (x == y) - p * q for y, q in enumerate(theta)] for x, p in enumerate(theta)]


@pytest.mark.parametrize("least", [1e-3, 1e-7, 1.4650258531669162e-11, 1e-14])
def test_a_small_frequency_keeps_its_digits_in_the_bound_without_privacy(least):
    """The eigenvalues of the covariance lost them: the bound of "D" was 4.6e-7 above what full disclosure has."""
    theta = [Fraction(0.7), Fraction(0.3) - Fraction(least), Fraction(least)]
    theta = [each / sum(theta) for each in theta]
    exact = covariance_in_fractions(theta)
    # The product of the two eigenvalues that are not 0 is the sum of the principal minors of order two.
    minors = sum(exact[x][x] * exact[y][y] - exact[x][y] ** 2 for x in range(3) for y in range(x))
    problem = md.Problem(n=3)
    design = md.InformationDesign("D", theta=[float(each) for each in theta])
    assert design.no_privacy(problem) == pytest.approx(math.log(minors), rel=1e-15)
    assert design.value(np.eye(3), problem) == pytest.approx(design.no_privacy(problem), rel=1e-12)
    made = md.design(problem, md.LDP(40.0), design, gap=1e-3)
    assert made.bound <= made.value


@pytest.mark.parametrize("criterion", ["A", "E", "worst", "c"])
def test_queries_far_from_0_keep_their_digits_in_the_bound_without_privacy(criterion):
    """A variance is no difference of two moments: of queries near 1e8 none of its digits were left."""
    near, theta = [1e8, 1e8 + 1.0, 1e8 + 4.0], [0.5, 0.25, 0.25]
    exact = sum(Fraction(p) * Fraction(v) ** 2 for p, v in zip(theta, near, strict=True))
    exact -= sum(Fraction(p) * Fraction(v) for p, v in zip(theta, near, strict=True)) ** 2
    asked = {"direction": near} if criterion == "c" else {"queries": [near, near]}
    found = md.InformationDesign(criterion, theta=theta, **asked).no_privacy(md.Problem(n=3))
    assert found == pytest.approx(float(exact) * (1 if criterion in ("c", "worst") else 2), rel=1e-12)


def test_a_random_question_with_a_frequency_next_to_0_is_answered():
    prior = [0.7615643540322382, 0.23815936014422254, 0.0002762858235391864]
    design = md.InformationDesign("D", theta=[0.7315182604494758, 0.26848173953587384, 1.4650258531669162e-11])
    made = md.design(md.Problem(prior=prior), md.SibsonLeakage(3.990316313862171, alpha=1.5), design)
    assert made.gap <= 1e-9 and made.value == pytest.approx(-25.47555631707655, rel=1e-12)


@pytest.mark.parametrize("least", [1e-12, 1.39e-19, 1e-300])
def test_a_share_next_to_1_keeps_the_digits_of_the_others(least):
    """The difference of 1 and the share had no digits: the variance was half of its value."""
    design = md.InformationDesign("A", theta=[1.0, least])
    assert design.no_privacy(md.Problem(n=2)) == pytest.approx(2.0 * least, rel=1e-11)
    worst = md.InformationDesign("worst", theta=[1.0, least])
    assert worst.no_privacy(md.Problem(n=2)) == pytest.approx(least, rel=1e-11)


@pytest.mark.parametrize("criterion", ["A", "E", "worst", "c"])
def test_an_offset_of_queries_changes_nothing(criterion):
    """Its digits were lost in the bound: 4e-9 above what full disclosure has, 99 % at masses of 1e-15."""
    theta = [0.9999999978633348, 1.5451733579754616e-09, 4.544146338551616e-10, 1.370773809337607e-10]
    near = np.array([[5.0, 0.0, 2.0, 0.0], [5.0, 1.0, -1.0, -3.0], [4.0, 1.0, 0.0, -2.0]])
    asked = [{"direction": near[0]}, {"direction": near[0] + 342167496.0}] if criterion == "c" else None
    asked = asked or [{"queries": near}, {"queries": near + 342167496.0}]
    problem = md.Problem(n=4)
    plain, offset = (md.InformationDesign(criterion, theta=theta, **each) for each in asked)
    assert offset.no_privacy(problem) == pytest.approx(plain.no_privacy(problem), rel=1e-13)
    matrix = np.full((4, 4), 0.1) + 0.6 * np.eye(4)
    assert offset.value(matrix, problem) == pytest.approx(plain.value(matrix, problem), rel=1e-12)
    root = np.random.default_rng(0).normal(size=(3, 3))
    slope = root @ root.T + np.eye(3)
    assert offset.least_value(slope, 1.0, problem) == pytest.approx(plain.least_value(slope, 1.0, problem), rel=1e-12)


def test_a_ratio_beyond_floats_is_answered():
    """Signs that cancel left nothing to divide by."""
    design = md.InformationDesign("A", queries=[[3e8, 3e8 + 5], [3e8 + 3, 3e8]])
    made = md.design(md.Problem(prior=[0.9, 0.1]), md.LDP(80.0), design, gap=1e-2)
    assert made.bound <= made.value and made.audit.holds
