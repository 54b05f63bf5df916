"""LDP or LIP that a notion implies: true of private mechanisms, and a bound where no formula prices the columns."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import mechdesign as md
from mechdesign.columns.prior_ball import PriorBall
from mechdesign.mechanism import Multipliers
from mechdesign.notions import wider as module
from mechdesign.notions.wider import wider
from mechdesign.runtime.deadline import reading
from mechdesign.solve.certificate import information_design
from mechdesign.solve.pricing import oracles
from mechdesign.solve.pricing.priced_columns import Columns
from mechdesign.testing.clock import CountingClock

PRIOR = np.array([0.4, 0.3, 0.2, 0.1])
LINE = np.abs(np.subtract.outer(range(4), range(4)))
NARROW = [
    md.NearPriorLIP(0.8, 0.1),
    md.BoundedPriorLIP(0.8, PRIOR / 2, np.minimum(2 * PRIOR, 1.0)),
    md.MetricDP(0.4, LINE),
    md.PairwiseLDP(np.triu(np.ones((4, 4)), 1) + 0.5 * np.tri(4, k=-1)),
]
UTILITIES = [md.MutualInformation(), md.KLDivergence(first=[0.7, 0.1, 0.1, 0.1], second=PRIOR), md.ErrorProbability()]


def problem(prior=PRIOR):
    return md.Problem(prior=prior, values=range(len(prior)))


@pytest.mark.parametrize("notion", NARROW, ids=lambda notion: notion.name)
@pytest.mark.parametrize("objective", UTILITIES, ids=lambda objective: objective.name)
def test_an_optimum_satisfies_what_is_implied_and_no_more(notion, objective):
    implied = wider(notion, problem())
    made = md.design(problem(), notion, objective)
    assert implied.level(made.matrix, problem()).value <= implied.epsilon * (1 + 1e-12)
    loose = md.design(problem(), implied, objective)
    better = loose.value - made.value if objective.sense == "maximise" else made.value - loose.value
    assert better >= -1e-9


@pytest.mark.parametrize("notion", NARROW, ids=lambda notion: notion.name)
def test_its_bound_is_never_below_the_optimum(notion, rng):
    objective, best = md.MutualInformation(), md.design(problem(), notion, md.MutualInformation()).value
    for _ in range(20):
        rows = rng.normal(scale=0.1, size=4) + best / 4
        columns = Columns(notion, objective, problem(), Multipliers(rows), rows, np.zeros(0), 0.0)
        assert rows.sum() + oracles._by_parts(columns).bound >= best - 1e-12


@pytest.mark.parametrize(
    "make", [lambda p: md.NearPriorLIP(1.0, 0.05), lambda p: md.BoundedPriorLIP(1.0, p / 2, 2 * p)]
)
def test_a_dozen_answers_have_the_bound_of_lip(make):
    """Before, it was the information without privacy, 2.2 nats."""
    prior = np.random.default_rng(5).dirichlet(np.full(12, 4.0))
    with warnings.catch_warnings(), reading(CountingClock(1e-2)):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem(prior), make(prior), md.MutualInformation(), time_limit=4.0)
        lip = md.design(problem(prior), md.LIP(1.0), md.MutualInformation(), time_limit=4.0)
        ldp = md.design(problem(prior), md.LDP(1.0), md.MutualInformation())
    assert ldp.value <= made.value * (1 + 1e-9) and made.value <= made.bound <= 1.05 * lip.bound < 0.5


def test_variances_of_frequencies_have_the_bound_of_lip():
    """Before, it was what any mechanism has, 0.84 of 6.29."""
    given = problem(np.random.default_rng(0).dirichlet(np.full(8, 4.0)))
    with warnings.catch_warnings(), reading(CountingClock(1e-2)):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(given, md.NearPriorLIP(1.0, 0.05), md.InformationDesign("A"), time_limit=20.0)
    lip = md.design(given, md.LIP(1.0), md.InformationDesign("A"))
    assert 0.95 * lip.value <= made.bound <= lip.value * (1 + 1e-9) and made.bound <= made.value


@pytest.mark.parametrize("notion", NARROW[:2], ids=lambda notion: notion.name)
def test_the_bound_of_variances_by_what_is_implied_is_true(notion, rng, monkeypatch):
    """Of few inputs the optimum is known: no slope and no multipliers have a bound above it."""
    objective, given = md.InformationDesign("A"), problem()
    best = md.design(given, notion, objective).value
    honest = information_design.all_rays
    monkeypatch.setattr(
        information_design, "all_rays", lambda asked, where: None if asked == notion else honest(asked, where)
    )
    for _ in range(20):
        root, rows = rng.normal(size=(4, 4)), rng.uniform(0.0, 2.0, 4)
        found, _ = information_design.least_value(notion, objective, given, root @ root.T, rows, np.zeros(0))
        assert found <= best


def test_a_prior_outside_the_box_implies_nothing():
    box = md.BoundedPriorLIP(1.0, [0.4, 0.3], [0.7, 0.6])
    assert wider(box, md.Problem(prior=[0.5, 0.5])) == md.LIP(1.0)
    assert wider(box, md.Problem(n=2)) is None
    # By rounding alone: the notion takes such a prior.
    assert wider(box, md.Problem(prior=[0.7 + 5e-10, 0.3 - 5e-10])) is None


@dataclass(frozen=True)
class NearAnother(md.Notion):
    """LIP for every prior near one that the notion itself states."""

    epsilon: float

    def shape(self, problem):
        return PriorBall(problem.secrets, self.epsilon, 0.1, np.array([1, 1, 1, 7], dtype=object))

    def level(self, matrix, problem):
        return md.NearPriorLIP(self.epsilon, 0.1).level(matrix, md.Problem(prior=[0.1, 0.1, 0.1, 0.7]))


def test_a_ball_around_another_prior_implies_lip_of_its_own_priors_alone():
    """Its bound would be false: the mass under the problem's prior is bounded by no mass of the ball."""
    assert wider(NearAnother(0.5), problem()) is None
    assert wider(NearAnother(0.5), problem([0.1, 0.15, 0.1, 0.65])) == md.LIP(0.5)
    assert wider(NearAnother(0.5), problem([0.1, 0.25, 0.1, 0.55])) is None


def test_what_is_ldp_already_or_has_no_largest_ratio_implies_no_other():
    far = md.PairwiseLDP([[0, 1, 1], [1, 0, np.inf], [np.inf, 1, 0]])
    assert wider(md.LDP(1.0), problem()) is None
    assert wider(far, md.Problem(n=3)).epsilon == pytest.approx(2.0)
    assert wider(md.PairwiseLDP([[0, np.inf], [1, 0]]), md.Problem(n=2)) is None
    hidden = problem().hidden(secret_given_data=[[0.5, 0.5, 0, 0.2], [0.5, 0.5, 1, 0.8]])
    assert wider(md.NearPriorLIP(1.0, 0.1), hidden) is None


def test_planted_a_narrower_notion_is_caught(monkeypatch):
    """LIP at half the epsilon: the mechanism passes its own bound, and is refused."""
    monkeypatch.setattr(module, "LIP", lambda epsilon: md.LIP(epsilon / 4.0))
    prior = np.random.default_rng(5).dirichlet(np.full(12, 4.0))
    with warnings.catch_warnings(), reading(CountingClock(1e-2)):
        warnings.simplefilter("ignore", md.GapWarning)
        with pytest.raises(md.CertificateError, match="is better"):
            md.design(problem(prior), md.NearPriorLIP(1.0, 0.01), md.MutualInformation(), time_limit=4.0)


def test_no_mixture_of_lip_at_a_lower_level_is_much_better():
    """Found by a hostile reader: it was tried at one level alone, and half of the information was lost."""
    prior = np.random.default_rng(1).dirichlet(np.full(8, 2.0))
    survey, notion = problem(prior), md.NearPriorLIP(1.0, 0.1)
    lip = md.design(survey, md.LIP(0.85), md.MutualInformation()).matrix
    even = np.tile(prior @ lip, (8, 1))
    low, high = 0.0, 1.0
    for _ in range(30):
        share = 0.5 * (low + high)
        within = notion.level(share * lip + (1.0 - share) * even, survey).value <= 1.0
        low, high = (share, high) if within else (low, share)
    mixed = md.MutualInformation().value(low * lip + (1.0 - low) * even, survey)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        assert md.design(survey, notion, md.MutualInformation()).value >= 0.98 * mixed
