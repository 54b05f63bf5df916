"""Notions of one's own that state their structure get what the catalogue's get; without it they are answered slowly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import mechdesign as md
from tests.planted.bent import bent
from tests.solve.routes.test_maps import apart, grid

PROBLEM = md.Problem(prior=np.arange(1.0, 26.0) / 325.0)
DISTANCE = apart(grid(5, 5))


@dataclass(frozen=True)
class Streets(md.Notion):
    """Metric DP on a grid of five by five places."""

    epsilon: float

    @property
    def _own(self):
        return md.MetricDP(self.epsilon, DISTANCE)

    def cone(self, problem):
        return self._own.cone(problem)

    def level(self, matrix, problem):
        return self._own.level(matrix, problem)

    def holds_exactly(self, numerators, problem):
        return self._own.holds_exactly(numerators, problem)


@dataclass(frozen=True)
class StatedStreets(Streets):
    """Metric DP on a grid of five by five places, that says so."""

    def shape(self, problem):
        return self._own.shape(problem)


@dataclass(frozen=True)
class Ball(md.Notion):
    """Strong privacy in chi-square."""

    epsilon: float
    needs_prior = True
    polyhedral = False

    @property
    def _own(self):
        return md.StrongChiSquare(self.epsilon)

    def shape(self, problem):
        return bent(self._own.shape(problem), reach=None)

    def level(self, matrix, problem):
        return self._own.level(matrix, problem)

    def holds_exactly(self, numerators, problem):
        return self._own.holds_exactly(numerators, problem)


@dataclass(frozen=True)
class StatedBall(Ball):
    """Strong privacy in chi-square, that says so."""

    def shape(self, problem):
        return self._own.shape(problem)


def test_a_map_of_ones_own_takes_the_route_of_maps():
    loss = md.ExpectedLoss(DISTANCE)
    made, own = (md.design(PROBLEM, notion, loss) for notion in (StatedStreets(1.0), md.MetricDP(1.0, DISTANCE)))
    assert made.route == own.route == "maps"
    assert (made.value, made.bound) == (own.value, own.bound)
    assert Streets(1.0).columns(PROBLEM).pair_exponents is None
    with pytest.raises(md.UnsupportedError, match="metric DP"):
        md.design(PROBLEM, Streets(1.0), loss, route="maps")


def test_a_ball_of_ones_own_is_cut_up():
    problem = md.Problem(prior=[0.5, 0.3, 0.2])
    made, own = (
        md.design(problem, notion, md.MutualInformation()) for notion in (StatedBall(0.5), md.StrongChiSquare(0.5))
    )
    assert made.route == own.route == "directions" and made.gap <= 1e-6
    assert (made.value, made.bound) == (own.value, own.bound)
    with pytest.warns(md.GapWarning):
        assert md.design(problem, Ball(0.5), md.MutualInformation()).gap > 1e-3


@dataclass(frozen=True)
class Shifted(Streets):
    """A notion of two numbers and a name."""

    delta: float
    steps: int = 2
    name_of_it: str = "shifted"


def test_all_numbers_of_a_notion_are_said():
    """Found by a new user: a page promised epsilon and left the delta out."""
    assert str(Shifted(0.5, 0.1)) == "Shifted(epsilon=0.5, delta=0.1, steps=2)"
    assert str(Streets(0.5)) == "Streets(epsilon=0.5)"


def test_a_cone_that_is_an_array_is_refused_in_words():
    class Rows(Streets):
        def cone(self, problem):
            return np.eye(problem.n)

    with pytest.raises(
        md.DomainError, match=r"Rows\.cone is ndarray, but it has to return an md\.Cone; md\.Cone\.of_rows"
    ):
        md.design(PROBLEM, Rows(0.5), md.MutualInformation())
