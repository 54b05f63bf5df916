"""Quantised randomised response: the dynamic programme against all partitions, the route against brute force."""

from __future__ import annotations

import itertools
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.baselines import interval_partition
from mechdesign.baselines.interval_partition import best_cells, best_partition
from mechdesign.objectives.divergence_generators import KLGenerator, Square
from mechdesign.objectives.ratio import Ratio
from mechdesign.solve.choose import ROUTES, choose
from mechdesign.solve.routes import quantised
from mechdesign.solve.task import Task
from mechdesign.testing import check_route
from mechdesign.testing.contract import BrokenContractError
from mechdesign.testing.manners import within
from tests.helpers import brute_force as brute
from tests.helpers.changed_routes import changed

NAMES = ("MMSE", "FisherInformation", "KLDivergence", "TotalVariation", "ChiSquare", "Hellinger")
EPSILONS = (0.05, 0.3, 1.0, 2.0, 3.5, 5.0)


def question(name, n, rng):
    """Return problem, objective, and its utility by brute force: skewed priors, ties, atoms and zeros."""

    def distribution():
        drawn = rng.dirichlet(np.ones(n)) ** rng.choice([0.5, 1.0, 3.0, 5.0]) + 1e-7
        return drawn / drawn.sum()

    prior, second, values = distribution(), distribution(), rng.normal(size=n)
    first = distribution()
    if n > 2 and rng.random() < 0.3:
        values = rng.integers(0, 3, size=n).astype(float)
        first[1] = first[0] * second[1] / second[0]
        first /= first.sum()
    direction = rng.normal(size=n) * second
    direction -= direction.mean()
    problem = md.Problem(prior=prior, values=values)
    if name == "MMSE":
        return problem, md.MMSE(), lambda q: -brute.squared_error(q, prior, values)
    if name == "FisherInformation":
        return problem, md.FisherInformation(second, direction), lambda q: brute.fisher(q, second, direction)
    return problem, getattr(md, name)(first, second), lambda q: brute.divergence(name, q, first, second)


def compared(made, problem, objective, utility, epsilon):
    """Assert that value and bound bracket the best of all mixtures of rays, and that the matrix is private."""
    columns = brute.ldp_vectors(problem.n, epsilon)
    sign = 1.0 if objective.sense == "maximise" else -1.0
    best = sign * brute.optimum(columns, utility(columns))
    span = abs(utility(np.ones((problem.n, 1))).sum() - utility(np.eye(problem.n)).sum())
    scale = max(abs(best), 1e-6 * span)
    # Less than the rounding of numbers of order one is left: there is nothing to certify.
    assert made.route == "quantised" and (made.gap <= 1e-6 or abs(made.bound - made.value) <= 1e-15)
    assert abs(made.value - best) <= 2e-6 * scale
    assert sign * (made.bound - best) >= -1e-8 * scale
    assert brute.is_ldp(made.matrix, epsilon)
    assert sign * float(utility(made.matrix).sum()) == pytest.approx(made.value, rel=1e-9, abs=1e-12 * span)


def sweep(sizes, rng):
    for n in sizes:
        for name in NAMES:
            for epsilon in EPSILONS:
                problem, objective, utility = question(name, n, rng)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", md.GapWarning)
                    made = md.design(problem, md.LDP(epsilon), objective, route="quantised")
                compared(made, problem, objective, utility, epsilon)


def test_it_reaches_the_brute_force(rng):
    sweep((2, 4, 6), rng)


@pytest.mark.slow
def test_more_of_it_reaches_the_brute_force(rng):
    sweep((3, 5, 7, 8, 9, 9), rng)


@pytest.mark.parametrize("most", [1, 2, 3, None])
@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 6.0])
def test_cells_are_the_best_of_all_partitions(epsilon, most, rng):
    for n in (1, 2, 5):
        first, second = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        ratio, low = Ratio(first, second, KLGenerator()), math.exp(-epsilon)
        matrix = best_cells(ratio, low, most).matrix(low)
        assert np.abs(matrix.sum(axis=1) - 1).max() < 1e-14 and matrix.shape[1] <= (most or n)
        best = -np.inf
        for cell in itertools.product(range(min(most or n, n)), repeat=n):
            k = max(cell) + 1
            response = np.where(np.array(cell)[:, None] == np.arange(k), 1.0, low) / (k * low + 1 - low)
            best = max(best, float(brute.divergence("KLDivergence", response, first, second).sum()))
        reached = float(brute.divergence("KLDivergence", matrix, first, second).sum())
        assert reached == pytest.approx(best, rel=1e-11, abs=1e-14)


def test_cells_are_the_same_whether_gains_are_kept_or_not(monkeypatch, rng):
    prior, values = rng.dirichlet(np.ones(60)), rng.normal(size=60)
    ratio = Ratio(prior * (values - prior @ values), prior, Square())
    kept = best_cells(ratio, math.exp(-3.0))
    monkeypatch.setattr(interval_partition._Kept, "most", 0)
    assert np.array_equal(best_cells(ratio, math.exp(-3.0)).cuts, kept.cuts)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("n", "epsilon"), [(30, 0.5), (50, 2.0), (100, 3.0)])
def test_routes_agree_on_more_inputs(name, n, epsilon, rng):
    problem, objective, _ = question(name, n, rng)
    made = md.design(problem, md.LDP(epsilon), objective)
    other = md.design(problem, md.LDP(epsilon), objective, route="columns")
    assert made.route == "quantised" and max(made.gap, other.gap) <= 1e-6
    assert made.value == pytest.approx(other.value, rel=2e-6)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("name", ["MMSE", "FisherInformation", "KLDivergence", "TotalVariation"])
def test_a_thousand_inputs_are_certified(name, epsilon, rng):
    problem, objective, _ = question(name, 1100, rng)
    made = md.design(problem, md.LDP(epsilon), objective)
    assert made.route == "quantised" and made.gap <= 1e-6 and made.audit.holds


@pytest.mark.slow
@pytest.mark.parametrize("name", ["MMSE", "KLDivergence"])
def test_five_thousand_inputs_are_certified(name, rng):
    problem, objective, _ = question(name, 5000, rng)
    for epsilon in (0.5, 4.0):
        assert md.design(problem, md.LDP(epsilon), objective).gap <= 1e-6


# Bad input ---------------------------------------------------------------------------------------------------------


def designed(prior, values, epsilon, **options):
    return md.design(md.Problem(prior=prior, values=values), md.LDP(epsilon), md.MMSE(), route="quantised", **options)


def test_nothing_to_tell_is_told_at_once():
    for made in (
        designed([0.2, 0.3, 0.5], [4.0, 4.0, 4.0], 1.0),
        designed([0.2, 0.3, 0.5], [0.0, 1.0, 4.0], 0.0),
        designed([1.0], [3.0], 1.0),
    ):
        assert made.matrix.shape[1] == 1 and made.gap <= 1e-13 and made.solver_stats.status == "not needed"


@pytest.mark.parametrize("spread", [1e-12, 1e12])
def test_spreads_change_nothing(spread, rng):
    prior, values = rng.dirichlet(np.ones(20)), rng.normal(size=20)
    plain, made = designed(prior, values, 1.0), designed(prior, spread * values, 1.0)
    assert max(plain.gap, made.gap) <= 1e-6 and made.value == pytest.approx(spread**2 * plain.value, rel=1e-6)
    assert designed(prior, 1.0 + 1e-12 * np.sign(values), 1.0).gap <= 1e-6


def test_ties_cost_nothing(rng):
    prior, values = rng.dirichlet(np.ones(40)), rng.integers(0, 4, size=40).astype(float)
    made = designed(prior, values, 2.0)
    masses = np.bincount(values.astype(int), prior)
    whole = designed(masses, np.arange(4.0), 2.0)
    assert made.gap <= 1e-6 and made.value == pytest.approx(whole.value, rel=1e-9)
    assert all(np.ptp(made.matrix[values == value], axis=0).max() == 0 for value in range(4))


def test_an_atom_of_nearly_everything(rng):
    prior = np.full(30, 1e-4 / 29)
    prior[7] = 0.9999
    values = rng.normal(size=30)
    for epsilon in (0.5, 3.0):
        made = designed(prior, values, epsilon)
        other = md.design(md.Problem(prior=prior, values=values), md.LDP(epsilon), md.MMSE(), route="columns")
        assert made.gap <= 1e-6 and made.value == pytest.approx(other.value, rel=2e-6)


def test_hardly_any_privacy_needs_no_program(rng):
    first, second = rng.dirichlet(np.ones(40)), rng.dirichlet(np.ones(40))
    made = md.design(md.Problem(n=40), md.LDP(50.0), md.KLDivergence(first, second))
    assert made.route == "quantised" and made.gap <= 1e-6 and made.solver_stats.status == "not needed"
    assert made.value == pytest.approx(float(first @ np.log(first / second)), rel=1e-9)


def test_inputs_of_one_hypothesis_alone(rng):
    first, second = rng.dirichlet(np.ones(9)), rng.dirichlet(np.ones(9))
    first[:3], second[3:5], first[5], second[5] = 0.0, 0.0, 0.0, 0.0
    first, second = first / first.sum(), second / second.sum()
    for name in ("KLDivergence", "TotalVariation", "Hellinger"):
        objective = getattr(md, name)(first, second)
        made = md.design(md.Problem(n=9), md.LDP(1.5), objective, route="quantised")
        other = md.design(md.Problem(n=9), md.LDP(1.5), objective, route="rays")
        assert made.gap <= 1e-6 and made.value == pytest.approx(other.value, rel=2e-6)


# Limits and defects ------------------------------------------------------------------------------------------------


def test_a_time_limit_returns_what_there_is(rng):
    prior, values = rng.dirichlet(np.ones(800)), rng.normal(size=800)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        made = within(0.5 * 1.1 + 1.0, lambda: designed(prior, values, 8.0, time_limit=0.5))
    assert 1e-6 < made.gap < 1 and {warning.category for warning in told} == {md.GapWarning}


def test_ctrl_c_returns_what_there_is(monkeypatch, rng):
    prior, values = rng.dirichlet(np.ones(200)), rng.normal(size=200)
    solve_band, calls = quantised.solve_band, []

    def interrupted(*given):
        calls.append(given)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return solve_band(*given)

    monkeypatch.setattr(quantised, "solve_band", interrupted)
    with pytest.warns(md.GapWarning):
        made = designed(prior, values, 4.0)
    assert len(calls) == 2 and made.solver_stats.status == "interrupted" and 1e-6 < made.gap < 0.1


def asked(n, epsilon, rng):
    problem = md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))
    return Task(problem, md.LDP(epsilon), md.MMSE())


@pytest.mark.parametrize("defect", ["cells", "multipliers"])
def test_a_planted_defect_is_caught(defect, monkeypatch, rng):
    task = asked(5, 2.0, rng)
    check_route(quantised.ROUTE, task, rng)
    if defect == "cells":
        halves = interval_partition.Cells(np.argsort(task.problem.values), np.array([0, 1, 5]))
        monkeypatch.setattr(quantised, "best_cells", lambda *_: halves)
        wrong = quantised.ROUTE
    else:
        # The gains of the last cells are no multipliers: sets besides the cells gain more.
        ratio = task.objective.ratio(task.problem)
        rows = ratio.functionals(ratio.at(best_partition(task.notion, task.objective, task.problem, 5)))
        multipliers = md.mechanism.Multipliers(rows.mean(axis=0))
        wrong = changed(quantised.ROUTE, lambda found: replace(found, multipliers=multipliers))
    with pytest.raises(BrokenContractError):
        check_route(wrong, task, rng)


def test_it_refuses_in_words(rng):
    task = asked(12, 1.0, rng)
    for other, said in (
        (replace(task, notion=md.LIP(1.0)), "only under LDP"),
        (replace(task, objective=md.MutualInformation()), "no utility of ratio type"),
        (replace(task, subject_to=lambda Q: [Q <= 1]), "convex route"),
    ):
        assert said in (quantised.ROUTE.refusal(other) or "")
    assert choose(task, "auto").route is ROUTES["quantised"]
    assert choose(asked(9, 1.0, rng), "auto").route is ROUTES["rays"]
