"""Information on a label that is drawn at random: columns priced by what few labels see, for dozens of answers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.runtime.deadline import reading
from mechdesign.solve.pricing import few_labels as pricing
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.pricing.few_labels import over_few_labels
from mechdesign.solve.pricing.priced_columns import Columns
from mechdesign.solve.routes import few_labels as route
from mechdesign.solve.task import Task
from mechdesign.testing.clock import CountingClock


def question(n, labels, seed=0):
    rng = np.random.default_rng(seed)
    problem = md.Problem(prior=rng.dirichlet(np.full(n, 4.0)))
    return problem, md.LabelInformation(rng.dirichlet(np.ones(labels), n).T)


def asked(problem, notion, objective, rows, tolerance=0.0, search=False):
    return Columns(notion, objective, problem, Multipliers(rows), rows, np.zeros(0), tolerance, search)


NOTIONS = [md.LDP(1.0), md.LIP(0.7), md.MaxLift(0.4), md.StrongL1(0.3)]


@pytest.mark.parametrize("notion", NOTIONS, ids=lambda notion: notion.name)
@pytest.mark.parametrize("labels", [2, 3, 4])
def test_the_bound_is_the_largest_excess_of_all_rays(notion, labels, rng):
    problem, objective = question(7, labels)
    rays = all_rays(notion, problem).columns
    rays = rays / (notion.columns(problem).normal @ rays)
    for size in (0.0, 0.02, 0.2):
        rows = size * rng.normal(size=7)
        right = float((objective.column_utility(rays, problem) - rows @ rays).max())
        found = over_few_labels(asked(problem, notion, objective, rows, tolerance=1e-9))
        assert right - 1e-14 <= found.bound <= right + 2e-9
        best = objective.column_utility(found.columns, problem) - rows @ found.columns
        assert best.max() == pytest.approx(right, abs=2e-9)


@pytest.mark.parametrize("notion", NOTIONS[:3], ids=lambda notion: notion.name)
@pytest.mark.parametrize("labels", [2, 3])
def test_the_route_finds_what_the_rays_have(notion, labels, monkeypatch):
    problem, objective = question(9, labels, seed=3)
    right = md.design(problem, notion, objective)
    assert right.route == "rays" and "few extreme rays" in right.reason
    monkeypatch.setattr("mechdesign.solve.routes.rays.refusal_for_rays", lambda task: None)
    made = md.design(problem, notion, objective, route="few_labels")
    assert made.value == pytest.approx(right.value, rel=2e-6) and made.audit.holds


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(1.0)], ids=lambda notion: notion.name)
def test_dozens_of_answers_are_certified(notion):
    """At 24 answers the gap was .94, and the mechanism had a third of the information."""
    problem, objective = question(24, 3)
    made = md.design(problem, notion, objective)
    by_label = md.design(problem, notion, objective, route="labels", gap=1.0)
    assert made.route == "few_labels" and made.gap <= 1e-6 and made.audit.holds
    assert made.value > 2.5 * by_label.value


def test_several_notions_and_implied_ones_have_the_bound_of_one():
    """It was what the information on the answer allows, five times as much."""
    problem, objective = question(24, 2)
    alone = md.design(problem, md.LIP(0.4), objective)
    assert md.LDP(1.0).level(alone.matrix, problem).value <= 1.0
    with warnings.catch_warnings(), reading(CountingClock(1e-2)):
        warnings.simplefilter("ignore", md.GapWarning)
        both = md.design(problem, md.LDP(1.0) & md.LIP(0.4), objective, gap=1e-2)
        near = md.design(problem, md.NearPriorLIP(0.4, 0.05), objective, time_limit=60.0)
    assert both.value == pytest.approx(alone.value, rel=1e-3) and both.value <= both.bound <= 1.01 * alone.bound
    assert 0.3 * alone.value < near.value <= near.bound <= 1.4 * alone.bound


def test_more_labels_than_are_cut_up_have_the_bound_of_the_labels():
    problem, objective = question(24, 7)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LDP(1.0), objective)
        by_label = md.design(problem, md.LDP(1.0), objective, route="labels")
    assert made.route == "few_labels" and made.value > by_label.value and made.value <= made.bound


def test_a_search_that_is_stopped_has_a_mechanism_and_its_bound():
    problem, objective = question(40, 3)
    with warnings.catch_warnings(), reading(CountingClock(1e-2)):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LDP(1.0), objective, time_limit=1.0)
    assert made.audit.holds and 0.005 < made.value <= made.bound


def test_a_label_without_mass_is_no_label():
    problem, objective = question(20, 3)
    table = np.vstack([objective.label_given_data, np.zeros(20)])
    again = md.design(problem, md.LDP(1.0), md.LabelInformation(table))
    assert again.value == pytest.approx(md.design(problem, md.LDP(1.0), objective).value, rel=2e-6)


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.StrongL1(0.3)], ids=lambda notion: notion.name)
def test_a_label_of_subnormal_mass_has_no_false_bound(notion):
    """The reciprocal of its mass is infinite: cells that were no numbers vanished, and the bound was a quarter."""
    problem, objective = question(18, 3)
    table = md.LabelInformation(np.vstack([objective.label_given_data, np.full(18, 5e-320)]))
    made, right = md.design(problem, notion, table, gap=1e-2), md.design(problem, notion, objective, gap=1e-2)
    assert table.value(right.matrix, problem) <= made.bound * (1 + 1e-9) and made.value >= 0.98 * right.value


def test_planted_cells_that_are_no_numbers_bound_nothing():
    made = pricing.Cells(np.ones((2, 2, 2)), np.array([np.nan, 1.0]))
    assert made.upper.tolist() == [np.inf, 1.0]


def cutting(columns):
    """Return the pricing of columns, and the cell of all that their labels see."""
    seen = pricing.seen_by_label(columns.objective.label_given_data, columns.problem)
    made = pricing._OfLabels(columns, columns.objective, seen)
    return made, np.diag(1.0 / made.normal)[None]


def test_cells_that_shrink_to_a_point_are_bounded_by_tangents():
    """Of two labels and a hundred answers corners were so near that their functional had no solution."""
    problem, objective = question(7, 2)
    made, _ = cutting(asked(problem, md.LDP(1.0), objective, np.zeros(7)))
    assert 0.0 <= made.cells(np.ones((1, 2, 2))).upper[0] < 1e-12


def test_what_it_does_not_answer_is_said():
    problem, objective = question(24, 3)
    for notion, other in [(md.LDP(1.0), md.MutualInformation()), (md.MutualInformationPrivacy(0.1), objective)]:
        refused = route.ROUTE.refusal(Task(problem, notion, other))
        assert "information on a label, if columns have a price by formula" in refused
    few, about = question(6, 3)
    assert "rays" in route.ROUTE.refusal(Task(few, md.LDP(1.0), about))


@pytest.mark.parametrize("labels", [2, 3])
def test_planted_functionals_that_are_not_raised_are_caught(labels, monkeypatch, rng):
    """Tangents in the middle are below the utility at the corners."""
    problem, objective = question(7, labels)
    rays = all_rays(md.LDP(1.0), problem).columns
    rays = rays / (md.LDP(1.0).columns(problem).normal @ rays)

    def tangents(self, corners, worth):
        return self.objective.supporting(corners.mean(axis=1).T, self.problem).T

    def above(rows):
        made, whole = cutting(asked(problem, md.LDP(1.0), objective, rows))
        return made.cells(whole).upper[0] - (objective.column_utility(rays, problem) - rows @ rays).max()

    monkeypatch.setattr(pricing._OfLabels, "_chords", tangents)
    drawn = [0.02 * rng.normal(size=7) for _ in range(10)]
    assert min(map(above, drawn)) >= 0.0
    monkeypatch.setattr(pricing._OfLabels, "_raised", lambda self, chords, corners, worth: chords)
    assert min(map(above, drawn)) < -1e-6
