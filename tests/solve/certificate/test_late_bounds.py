"""Bounds that the deadline cuts short are wider, never untrue."""

from __future__ import annotations

import threading
from contextlib import AbstractContextManager
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.runtime.deadline import now, reading, until
from mechdesign.runtime.learned import learning
from mechdesign.solve.certificate import bound as certify
from mechdesign.solve.certificate import claims as certificates
from mechdesign.solve.certificate.claims import derive
from mechdesign.solve.pricing import continuum_of_decisions as pricing
from mechdesign.solve.pricing import line_of_a_ratio
from mechdesign.solve.pricing import support as supports
from mechdesign.solve.pricing import support_by_programs as programs
from mechdesign.solve.pricing.continuum_of_decisions import ratio_range
from mechdesign.solve.pricing.sum_over_inputs import excess_by_input
from mechdesign.solve.pricing.support import support
from mechdesign.solve.repair.merged_outputs import merge_alike
from mechdesign.solve.routes import known
from mechdesign.solve.search import line_of_decisions
from mechdesign.solve.task import Task
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import forget
from mechdesign.testing.sized import OBJECTIVES
from tests.helpers.changed_solvers import taking

PRIOR = np.random.default_rng(0).dirichlet(np.ones(8))
PROBLEM = md.Problem(prior=PRIOR, values=np.arange(8.0) ** 2)
#: Notions whose support function is some programs.
BY_PROGRAMS = {
    "a box of priors": md.BoundedPriorLIP(1.0, np.maximum(PRIOR - 0.1, 0.0), np.minimum(PRIOR + 0.1, 1.0)),
    "distances": md.MetricDP(0.7, np.abs(np.subtract.outer(np.arange(8.0), np.arange(8.0)))),
}


@pytest.fixture(autouse=True)
def _few_rays(monkeypatch):
    """So few inputs have few rays: leave the programs."""
    monkeypatch.setattr(supports, "cone_rays", lambda notion, problem: None)
    forget()


def late() -> AbstractContextManager[None]:
    return until(now() - 1.0)


def check_late(notion: Notion, lent: int) -> np.ndarray:
    """Return how much wider the bounds of functionals are where only the first `lent` of them are in time."""
    rng = np.random.default_rng(1)
    functionals, nu = rng.normal(size=(12, 8)), rng.exponential(size=len(notion.columns(PROBLEM).budget()))
    exact = support(notion, PROBLEM, functionals, nu).values
    forget()
    # As within one design.
    with learning():
        if lent:
            support(notion, PROBLEM, functionals[:lent], nu)
        with late():
            found = support(notion, PROBLEM, functionals, nu)
    wider = found.values - exact
    assert np.all(wider >= -1e-9), "a late bound is below the truth"
    assert np.all(np.isfinite(found.values)) and np.allclose(notion.columns(PROBLEM).normal @ found.columns, 1.0)
    return wider


@pytest.mark.parametrize("notion", BY_PROGRAMS.values(), ids=BY_PROGRAMS)
def test_programs_that_there_is_no_time_for_are_bounded_by_the_multipliers_of_others(notion):
    alone = check_late(notion, 0)
    assert alone.max() > 1e-3
    # Multipliers of the same programs are as good as these.
    lent = check_late(notion, 12)
    assert np.all(lent <= alone + 1e-9) and lent.max() < 1e-6


def test_flows_that_there_is_no_time_for_are_bounded_all_the_same():
    assert check_late(md.ApproximateLDP(0.5, 0.2), 0).max() > 1e-3


def test_a_late_bound_that_claims_too_much_is_seen(monkeypatch):
    one = programs._OneColumn
    own = one.bounded
    monkeypatch.setattr(one, "bounded", lambda *a: (own(*a)[0] - (1e-3 if len(a[1]) > 1 else 0.0), own(*a)[1]))
    with pytest.raises(AssertionError, match="below the truth"):
        check_late(BY_PROGRAMS["distances"], 12)


@pytest.mark.parametrize("notion", BY_PROGRAMS.values(), ids=BY_PROGRAMS)
def test_the_range_of_decisions_is_whole_however_late(notion):
    ratio = md.MMSE().ratio(PROBLEM)
    whole = ratio_range(ratio, notion, PROBLEM)
    forget()
    with late():
        assert ratio_range(ratio, notion, PROBLEM) == whole


@pytest.mark.parametrize("name", ["MMSE", "KLDivergence"])
def test_the_range_of_decisions_over_a_large_cone_holds_it_however_late(name, monkeypatch):
    notion = BY_PROGRAMS["distances"]
    ratio = OBJECTIVES[name](PROBLEM, np.random.default_rng(0)).ratio(PROBLEM)
    low, high = ratio_range(ratio, notion, PROBLEM)
    monkeypatch.setattr(pricing, "WAITED_FOR", 0)
    forget()
    with late():
        wide = ratio_range(ratio, notion, PROBLEM)
    assert wide[0] <= low < high <= wide[1] and wide != (low, high)
    # What was cut short is not kept.
    assert ratio_range(ratio, notion, PROBLEM) == (low, high)


def test_the_known_route_looks_for_no_bound_where_there_is_none(monkeypatch):
    monkeypatch.setattr(certify, "priced", None)
    task = Task(PROBLEM, md.ApproximateLDP(0.5, 0.2), md.MutualInformation())
    assert known.ROUTE.refusal(task) is None
    assert not certify.is_priced_at_once(task.notion, task.objective, task.problem)
    assert not known.ROUTE.solve(task).multipliers.rows.any()


@pytest.mark.thinned(8)
@pytest.mark.parametrize("nu", [0.3, 1.5, 20.0])
def test_pricing_in_one_dimension_is_sound_however_late(nu):
    notion, objective = md.MutualInformationPrivacy(0.1), md.HistogramMMSE()
    for seed in range(10):
        lam = np.random.default_rng(seed).normal(size=8) * PRIOR
        exact = excess_by_input(notion, objective, PROBLEM, lam, nu, 1e-12).bound
        with late():
            found = excess_by_input(notion, objective, PROBLEM, lam, nu, 1e-12)
        assert exact - 1e-9 <= found.bound < np.inf and found.columns.shape[0] == 8


def test_outputs_are_merged_of_all_pairs_but_not_late():
    columns = np.array([[0.2, 0.1, 0.3, 0.4], [0.4, 0.2, 0.3, 0.1], [0.1, 0.05, 0.3, 0.55]])
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    merged = merge_alike(columns, md.MutualInformation(), problem)
    # The first two are in proportion: together they tell as much as apart.
    assert np.allclose(merged, np.column_stack([columns[:, 0] + columns[:, 1], columns[:, 2:]]), atol=1e-15)
    with late():
        assert np.array_equal(merge_alike(columns, md.MutualInformation(), problem), columns)


def test_the_first_program_of_a_tree_is_stopped_too(monkeypatch):
    clock, release = CountingClock(), threading.Event()

    def going_on(*_, **__):
        clock.overrun.set()
        release.wait()

    monkeypatch.setitem(*taking("HIGHS", going_on))
    problem = md.Problem(prior=np.full(9, 1 / 9), values=np.arange(9.0))
    asked = {"outputs": 3, "route": "few_outputs", "time_limit": 1.0, "gap": 1.0}
    with reading(clock):
        made = md.design(problem, md.LDP(1.0), md.MaxOffDiagonal(), **asked)
    release.set()
    assert made.route == "known" and "failed" in made.attempts[0].outcome


def test_the_bound_of_the_same_multipliers_is_not_proved_again(monkeypatch):
    made = md.design(PROBLEM, md.LDP(1.0), md.MMSE())
    question, claims, proofs = made.mechanism.asked, made.mechanism.claimed, []

    def proving(*asked):
        proofs.append(asked)
        return certify.utility_bound(*asked)

    monkeypatch.setattr(certificates, "utility_bound", proving)
    found = []
    with learning():
        for over in (False, False, True):
            with late() if over else until(None):
                found.append(derive(question, PROBLEM, made.matrix, claims.multipliers, made.route).bound)
        assert len(proofs) == 1
        # To another tolerance only where there is time; other multipliers always.
        monkeypatch.setattr(certificates, "PRICING", certificates.PRICING / 16.0)
        for over, count in ((True, 1), (False, 2)):
            with late() if over else until(None):
                found.append(derive(question, PROBLEM, made.matrix, claims.multipliers, made.route).bound)
            assert len(proofs) == count
        with late():
            derive(question, PROBLEM, made.matrix, replace(claims.multipliers), made.route)
        assert len(proofs) == 3
    assert found == pytest.approx([claims.bound] * 5, rel=1e-9)


@pytest.mark.filterwarnings("error")
def test_powers_that_overflow_over_the_wide_range_of_a_deadline_are_an_infinite_bound(monkeypatch):
    """Ratios of the inputs up to 1e13 to the power of 60."""
    first, second = np.array([0.5, 0.5 - 1e-13, 1e-13]), np.array([1e-13, 0.5, 0.5 - 1e-13])
    problem, objective = md.Problem(prior=[0.3, 0.3, 0.4]), md.RenyiDivergence(60.0, first, second)
    notion = md.StrongChiSquare(0.4) & md.LIP(0.3)
    bounded = certify.utility_bound(notion, objective, problem, Multipliers(np.zeros(3)))
    assert np.isfinite(bounded.utility)
    forget()
    wide = pricing._ratios_of_inputs(objective.ratio(problem))
    monkeypatch.setattr(line_of_a_ratio, "ratio_range", lambda *_: wide)
    assert certify.utility_bound(notion, objective, problem, Multipliers(np.zeros(3))).utility == np.inf
    monkeypatch.setattr(line_of_decisions, "ratio_range", lambda *_: wide)
    with pytest.warns(md.GapWarning, match="gap is inf"):
        made = md.design(problem, notion, objective, route="columns")
    assert made.audit.holds and any("overflow" in attempt.outcome for attempt in made.attempts)


def test_a_late_bound_of_another_tolerance_is_raised_by_that_which_is_asked_for():
    question = md.Problem(prior=PRIOR, values=PROBLEM.values), md.LDP(1.0), md.MMSE()
    made = md.design(*question)
    asked, multipliers = made.mechanism.question, made.certificate.multipliers
    with learning():
        finer = certificates._bound(asked, made.mechanism.inputs, multipliers, 4.0**-20, "rays")
        with late():
            coarser = certificates._bound(asked, made.mechanism.inputs, multipliers, 4.0**-8, "rays")
            same = certificates._bound(asked, made.mechanism.inputs, multipliers, 4.0**-20, "rays")
    assert same is finer and coarser.utility == finer.utility + 4.0**-8
    # What a file claims of it is derived with time, to the tolerance that is asked for.
    again = certify.utility_bound(asked.notion, asked.objective, made.mechanism.inputs, multipliers, 4.0**-8)
    assert again.utility <= coarser.utility
