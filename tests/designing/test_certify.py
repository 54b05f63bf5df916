"""A known mechanism in place of a design: its own value by definition, the design's bound, and a file of both."""

import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.designing import certifying
from mechdesign.testing.examples import NOTIONS
from tests.helpers import brute_force as brute

SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0.0, 1.0, 3.0], labels=["never", "rarely", "often"])
LOSS = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [3.0, 1.0, 0.0]]


def test_the_value_is_its_own_and_the_bound_is_the_designs(tmp_path):
    design = md.design(SURVEY, md.LDP(1.0), md.MMSE())
    response = md.baselines.randomised_response(SURVEY, 1.0)
    made = design.certify(response)
    value = brute.squared_error(response.matrix, SURVEY.prior, SURVEY.values).sum()
    assert abs(made.claimed.value - value) < 1e-12 and value > design.value
    assert made.claimed.bound == design.bound
    assert abs(made.claimed.gap - (value - design.bound) / value) < 1e-9
    assert np.array_equal(made.matrix, response.matrix)
    assert md.load(made.save(tmp_path / "response.json")) == made


def test_a_known_mechanism_of_decisions_takes_the_best_one(tmp_path):
    design = md.design(SURVEY, md.LDP(1.0), md.ExpectedLoss(LOSS))
    sets = md.baselines.subset_selection(SURVEY, 1.0, 2)
    made = design.certify(sets)
    best = (SURVEY.prior[:, None] * np.array(LOSS)).T @ sets.matrix
    assert abs(made.claimed.value - best.min(axis=0).sum()) < 1e-12
    assert set(made.outputs) <= {"never", "rarely", "often"}
    assert md.load(made.save(tmp_path / "sets.json")) == made


def test_decisions_are_known_by_their_names():
    design = md.design(SURVEY, md.LDP(1.0), md.ExpectedLoss(LOSS))
    turned = md.Mechanism(design.matrix[:, ::-1], design.mechanism.outputs[::-1])
    assert abs(design.certify(turned).claimed.value - design.value) < 1e-12


@pytest.mark.parametrize("name", NOTIONS)
def test_every_notion_certifies_the_mechanism_that_ignores_its_input(name, tmp_path):
    notion, problem = NOTIONS[name][0](np.random.default_rng(7))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        design = md.design(problem, notion, md.WorstCaseLoss(1.0 - np.eye(problem.n)))
    idle = md.Mechanism(np.ones((len(design.matrix), 1)), ["-"])
    made = design.certify(idle)
    assert made.claimed.value >= design.value and not design.bound > made.claimed.value
    assert md.audit(made).holds and md.load(made.save(tmp_path / "idle.json")) == made


def refusals(design):
    few = md.design(SURVEY, md.LDP(1.0), md.MMSE(), outputs=2)
    ruled = md.design(SURVEY, md.LDP(1.0), md.ExpectedLoss(LOSS), subject_to=lambda Q: [Q[0, 0] <= 0.5])
    return {
        "a matrix": (design, [[1.0], [1.0], [1.0]], md.DomainError, "md.rounded"),
        "other inputs": (design, md.baselines.randomised_response(md.Problem(n=4), 1.0), md.DomainError, "3 inputs"),
        "not private": (design, md.baselines.randomised_response(SURVEY, 1.1), md.DomainError, "does not satisfy"),
        "outputs": (few, md.baselines.randomised_response(SURVEY, 1.0), md.DomainError, "allows 2 outputs"),
        "rules": (ruled, md.baselines.randomised_response(SURVEY, 1.0), md.UnsupportedError, "subject_to"),
    }


@pytest.mark.parametrize("case", ["a matrix", "other inputs", "not private", "outputs", "rules"])
def test_what_is_no_answer_is_refused(case):
    asked, given, error, words = refusals(md.design(SURVEY, md.LDP(1.0), md.MMSE()))[case]
    with pytest.raises(error, match=words):
        asked.certify(given)


def test_one_that_does_not_look_at_privacy_is_caught(monkeypatch):
    monkeypatch.setattr(md.LDP, "holds_exactly", lambda *_: True)
    monkeypatch.setattr(certifying, "derived_again", lambda *_: None)
    design = md.design(SURVEY, md.LDP(1.0), md.MMSE())
    with pytest.raises(pytest.fail.Exception), pytest.raises(md.DomainError):
        design.certify(md.baselines.randomised_response(SURVEY, 1.1))
