"""Shapes of one's own: what a notion may leave out, and what it is told where it leaves out too much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import mechdesign as md
from mechdesign.columns import Cone, Shape, Through
from mechdesign.columns.ratio_in_blocks import RatioInBlocks
from mechdesign.notions.exact_check import columns_hold, exact_check
from mechdesign.testing import check_notion

SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])


@dataclass(frozen=True, eq=False)
class AtMostTwice(Shape):
    """Columns whose first entry is at most twice each other one: a cone, and an exact test."""

    def cone_of(self, seen):
        return Cone.of_rows(2.0 * seen[1:] - seen[:1])

    def measured(self, seen):
        return seen.astype(object)

    def allows(self, measured):
        return np.asarray((measured[0] <= 2 * measured[1:]).all(axis=0), dtype=bool)


@dataclass(frozen=True)
class FirstIsRare(md.Notion):
    """Pr(y | 0) <= 2 Pr(y | s) for all secrets s and outputs y, whatever epsilon is from ln 2 on."""

    epsilon: float

    def shape(self, problem):
        return AtMostTwice(problem.secrets)

    def level(self, matrix, problem):
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(seen[0] > 0, np.log(seen[0] / seen[1:].min(axis=0)), 0.0)
        return md.Level(float(max(ratios.max(), 0.0)), (0, 1), int(ratios.argmax()))


def test_a_shape_of_ones_own_is_designed_for_with_and_without_a_hidden_secret():
    """By a program of its own: one row for each pair and output."""
    hidden = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2]).hidden(
        secret_given_data=[[0.9, 0.3, 0.2], [0.1, 0.7, 0.8]]
    )
    for problem in (SURVEY, hidden):
        made = md.design(problem, FirstIsRare(np.log(2)), md.ExpectedLoss(1.0 - np.eye(3)))
        seen = problem.seen_by_secret(made.matrix)
        assert made.gap <= 1e-6 and np.all(seen[0] <= 2.0 * seen[1:] + 1e-12)
        assert isinstance(FirstIsRare(1.0).columns(problem), Through) == (problem is hidden)


def test_what_the_first_entry_bounds_is_worth_what_a_linear_program_says():
    from scipy.optimize import linprog

    made = md.design(SURVEY, FirstIsRare(np.log(2)), md.ExpectedLoss(1.0 - np.eye(3)))
    cost = (SURVEY.prior[:, None] * (1.0 - np.eye(3))).ravel()
    rows = np.zeros((6, 9))
    for k, (s, y) in enumerate((s, y) for s in (1, 2) for y in range(3)):
        rows[k, y], rows[k, 3 * s + y] = 1.0, -2.0
    found = linprog(cost, rows, np.zeros(6), np.kron(np.eye(3), np.ones(3)), np.ones(3))
    assert made.value == pytest.approx(found.fun, abs=1e-9)


def test_the_exact_check_of_a_shape_holds_at_every_level_and_for_each_column():
    numerators, problem = np.array([[3, 1], [1, 3]]), md.Problem(n=2)
    assert [exact_check(md.LDP(1.0), numerators, problem)(level) for level in (1.09, 1.1)] == [False, True]
    assert columns_hold(md.LDP(0.5), np.array([[3, 2], [1, 2]]), problem).tolist() == [False, True]
    # One budget holds all columns: each alone is within it.
    assert columns_hold(md.MaximalLeakage(0.3), np.array([[2, 2], [2, 2]]), problem).tolist() == [True, True]


@dataclass(frozen=True)
class Nothing(md.Notion):
    """It says neither its shape nor its cone."""

    epsilon: float

    def level(self, matrix, problem):
        return md.LDP.level(self, matrix, problem)


@dataclass(frozen=True)
class ConeAlone(Nothing):
    """It has a cone, and no exact check."""

    def cone(self, problem):
        return md.LDP(self.epsilon).cone(problem)


def test_a_notion_that_leaves_out_too_much_is_told_what():
    with pytest.raises(TypeError, match="Nothing has neither a shape nor a cone: give it one of the two"):
        Nothing(1.0).columns(SURVEY).cone()
    with pytest.raises(TypeError, match="let the notion have holds_exactly"):
        ConeAlone(1.0).holds_exactly(np.array([[3, 1], [1, 3], [2, 2]]), SURVEY)


@dataclass(frozen=True)
class OfInputs(Nothing):
    """Its shape is of the inputs, whatever the secrets are."""

    def shape(self, problem):
        return RatioInBlocks.of_all(problem.n, self.epsilon)


@dataclass(frozen=True)
class OfNone(Nothing):
    """It returns no shape."""

    def shape(self, problem):
        return None


@dataclass(frozen=True)
class Both(ConeAlone):
    """It has a shape and a cone, which may contradict each other."""

    def cone(self, problem):
        return md.LDP(2 * self.epsilon).cone(problem)

    def shape(self, problem):
        return RatioInBlocks.of_all(problem.secrets, self.epsilon)


def test_a_shape_of_another_kind_is_told_what():
    hidden = SURVEY.hidden(secret_given_data=[[0.9, 0.3, 0.2], [0.1, 0.7, 0.8]])
    with pytest.raises(md.DomainError, match=r"make it of problem\.secrets"):
        OfInputs(1.0).columns(hidden)
    with pytest.raises(md.DomainError, match=r"return one of mechdesign\.columns"):
        OfNone(1.0).columns(SURVEY)
    with pytest.raises(TypeError, match="Both has a shape and a cone: give it one of the two"):
        Both(1.0).columns(SURVEY)


class Narrower(md.LDP):
    """A class of the catalogue with another exact check: its shape need not be that of LDP."""

    def holds_exactly(self, numerators, problem):
        return md.LDP(self.epsilon / 2).holds_exactly(numerators, problem)


class OtherLevel(md.LIP):
    """A class of the catalogue that measures another level."""

    def level(self, matrix, problem):
        return md.LIP(2 * self.epsilon).level(matrix, problem)


class Renamed(md.LDP):
    """A class of the catalogue under another name."""


def test_a_derived_class_has_the_shape_of_its_base_unless_it_changes_what_is_private():
    assert isinstance(Renamed(1.0).columns(SURVEY), RatioInBlocks)
    assert md.LIP(1.0).columns(SURVEY).banded and not OtherLevel(1.0).columns(SURVEY).banded
    assert Narrower(1.0).columns(SURVEY).ratio_in_blocks is None
    assert np.array_equal(Narrower(1.0).columns(SURVEY).cone().on_column, md.LDP(1.0).cone(SURVEY).on_column)


@dataclass(frozen=True)
class InBits(md.Notion):
    """LDP with its level in bits."""

    bits: float
    domains = {"bits": md.parameters.Real(low=0.0)}
    level_name = level_unit = "bits"

    def shape(self, problem):
        return RatioInBlocks.of_all(problem.secrets, float(self.bits * np.log(2)))

    def level(self, matrix, problem):
        found = md.LDP(0.0).level(matrix, problem)
        return md.Level(found.value / np.log(2), found.inputs, found.output)


def test_a_level_in_another_unit_keeps_the_contract_with_the_shape_in_nats(rng):
    """The extreme columns of a proof once took the level for nats: the clause of exact rows tells."""
    check_notion(InBits(1.0), SURVEY, rng)
    assert (
        md.design(SURVEY, InBits(1.0), md.MMSE()).value == md.design(SURVEY, md.LDP(float(np.log(2))), md.MMSE()).value
    )
