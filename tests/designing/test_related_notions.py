"""Designs where the question's own routes are loose: optima under notions that imply it, or are a part of it."""

import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.designing import answer, finish
from mechdesign.objectives import MutualInformation
from mechdesign.solve.pricing.leaked_information import information_above
from tests.helpers import brute_force as brute


def drawn(n):
    """Return a problem of n inputs with a random prior and values."""
    rng = np.random.default_rng([17, n])
    return md.Problem(prior=rng.dirichlet(np.ones(n)), values=rng.normal(size=n))


def designed(*question, **keywords):
    """Return the design, without a warning of its gap."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(*question, **keywords)


def utility(objective, matrix, problem):
    """Return what is the larger the better."""
    value = objective.value(matrix, problem)
    return value if objective.sense == "maximise" else -value


@pytest.mark.thinned(8)
@pytest.mark.parametrize("objective", [md.MMSE(), md.MutualInformation(), md.HistogramMMSE()], ids=str)
def test_disclosure_beside_ldp_is_a_start_of_approximate_ldp(objective):
    problem, delta = drawn(30), 0.2
    made = designed(problem, md.ApproximateLDP(0.5, delta), objective)
    under = designed(problem, md.LDP(0.5), objective).matrix
    mixture = np.hstack([(1 - delta) * under, delta * np.eye(30)])
    assert made.audit.holds
    assert utility(objective, made.matrix, problem) >= utility(objective, mixture, problem) - 1e-3 * abs(made.value)


@pytest.mark.thinned(8)
@pytest.mark.parametrize(
    ("notion", "implying"),
    [
        (md.BlockLDP(1.0, [range(20)]), md.LDP(1.0)),
        (md.StrongL1(0.4), md.LDP(4 * math.atanh(0.2))),
        (md.MaximalLeakage(0.4), md.MaxLift(0.4)),
    ],
    ids=str,
)
def test_information_is_no_less_than_under_what_implies_the_notion(notion, implying):
    problem = drawn(40)
    made, under = (designed(problem, each, md.MutualInformation()) for each in (notion, implying))
    assert made.audit.holds and made.value >= under.value * (1 - 1e-3)


def test_information_within_a_leakage_is_the_leakage():
    problem = md.Problem(prior=np.full(60, 1 / 60))
    made = designed(problem, md.MaximalLeakage(math.log(3)), md.MutualInformation())
    # Twenty inputs each: which third it is tells ln 3.
    assert made.bound == pytest.approx(math.log(3), rel=1e-9)
    assert made.value == pytest.approx(math.log(3), rel=1e-6)


@pytest.mark.parametrize("charge", [0.0, 0.2, 0.7, 1.0])
def test_no_column_tells_more_than_the_bound(charge, rng):
    for n in (1, 2, 5):
        problem = md.Problem(prior=rng.dirichlet(np.ones(n)))
        columns = np.hstack([rng.random((n, 200)), rng.integers(0, 2, size=(n, 50))])
        columns = columns[:, columns.max(axis=0) > 0]
        above = charge * columns.max(axis=0) + information_above(problem, charge) @ columns
        assert np.all(above >= brute.information(columns, problem.prior) - 1e-12)


def test_planted_tangent_of_another_mass_is_caught(rng):
    """Planted: the slope of one tangent with the value of another."""
    problem = md.Problem(prior=rng.dirichlet(np.ones(5)))
    columns = (rng.random((5, 400)) < 0.4).astype(float)
    columns = columns[:, columns.max(axis=0) > 0]
    above = 0.2 * columns.max(axis=0) + information_above(problem, 0.7) @ columns
    assert np.any(above < brute.information(columns, problem.prior) - 1e-6)


@pytest.mark.slow
@pytest.mark.thinned(8)
@pytest.mark.parametrize("objective", [md.MutualInformation(), md.HistogramMMSE()], ids=str)
def test_what_one_notion_bounds_bounds_both(objective):
    problem, both = drawn(24), md.LDP(1.0) & md.LIP(0.9)
    made = designed(problem, both, objective)
    apart = [designed(problem, part, objective) for part in both.notions]
    sign = 1 if objective.sense == "maximise" else -1
    assert made.audit.holds and made.gap <= 0.02
    # No looser than the nearer of the two, and no mechanism of both passes it.
    assert sign * made.bound <= min(sign * each.bound for each in apart) + 1e-4 * abs(made.bound)
    assert sign * made.value <= sign * made.bound


def test_the_better_of_two_designs_is_kept_where_both_bounds_are_trivial(monkeypatch):
    problem, notion = drawn(12), md.LDP(0.5)
    task = SimpleNamespace(objective=md.MMSE(), problem=problem)
    good = designed(problem, notion, md.MMSE())
    poor = designed(problem, md.LDP(0.1), md.MMSE())
    trivial = [SimpleNamespace(value=made.value, bound=0.0, gap=1.0) for made in (good, poor)]
    trivial[1].gap -= 1e-13
    for each, made in zip(trivial, (good, poor), strict=True):
        each.mechanism, each.by_decision = made.mechanism, made.by_decision
    monkeypatch.setattr(finish, "derive", lambda *given: SimpleNamespace(gap=1.0))
    # The one with the gap that rounding made a little less has the bound that counts as nearer.
    trivial[1].bound = 1e-300
    assert finish.combined(None, task, trivial[1], trivial[0]) is trivial[0]


@pytest.mark.parametrize(
    "named", [md.LDP(5.0), md.LDP(0.01), md.MaxLift(3.0), md.ApproximateLDP(1.0, 0.3), md.StrongChiSquare(2.0)], ids=str
)
def test_a_card_that_names_a_weaker_notion_makes_no_false_claim(named):
    """Whatever is named, the mechanism is repaired and proved under the notion that was asked."""
    card = md.Card(stronger=lambda notion, problem: named)
    own = type("Own", (md.MaximalLeakage,), {"card": card, "__doc__": "Own."})
    problem = drawn(30)
    right = designed(problem, md.MaximalLeakage(0.4), md.MutualInformation())
    made = designed(problem, own(0.4), md.MutualInformation())
    # The gap is wide, so that the notion of the card is asked too.
    assert made.gap > finish.WIDE and md.audit(made.matrix, md.MaximalLeakage(0.4), problem).holds
    assert made.bound >= right.value and made.value <= right.bound


def test_planted_no_other_notion_loses_what_it_would_find(monkeypatch):
    """Planted: the question's own routes alone, which have k-ary responses and subset selection at best."""
    problem = drawn(40)
    made = designed(problem, md.MaximalLeakage(0.4), md.MutualInformation())
    monkeypatch.setattr(answer, "no_worse_than_related", lambda question, task, best, others, then: best)
    alone = designed(problem, md.MaximalLeakage(0.4), MutualInformation())
    assert alone.value < 0.5 * made.value
