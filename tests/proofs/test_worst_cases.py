"""Proofs for the largest of some functionals of the matrix: worst cases over inputs, priors and wrong reports."""

import numpy as np
import pytest

import mechdesign as md
import mechdesign_check as reader
from mechdesign.proofs import refusal
from tests.proofs import made
from tests.proofs.test_proofs import read_alike

LOSS = [[0.0, 1.0, 3.0], [2.0, 0.0, 1.0], [5.0, 1.0, -1.0]]
PRIORS = [[0.5, 0.25, 0.25], [0.125, 0.125, 0.75], [1 / 3, 1 / 3, 1 / 3]]
THREE = md.Problem(prior=[0.2, 0.3, 0.5])


def proved(notion, objective, problem=THREE):
    return md.design(problem, notion, objective, proof=True)


@pytest.mark.parametrize(
    "notion", [md.LDP(1.0), md.LIP(0.5), md.MaximalLeakage(0.4), md.UtilityOptimizedLDP(1.0, (0,))]
)
@pytest.mark.parametrize("priors", [None, PRIORS, PRIORS[:1]])
def test_the_least_favourable_of_some_priors_is_proved_and_read(notion, priors, monkeypatch, tmp_path):
    found = proved(notion, md.WorstCaseLoss(LOSS, priors))
    assert found.certificate.proved and found.gap <= 1e-7
    read_alike(found, monkeypatch)
    assert md.load(found.mechanism.save(tmp_path / "a.json")) == found.mechanism


def test_one_prior_is_the_expected_loss_under_it():
    found = proved(md.LDP(1.0), md.WorstCaseLoss(LOSS, PRIORS[:1]))
    same = proved(md.LDP(1.0), md.ExpectedLoss(LOSS), md.Problem(prior=PRIORS[0]))
    assert found.bound == pytest.approx(same.bound, rel=1e-12) and found.value == pytest.approx(same.value, rel=1e-12)


def test_the_largest_off_diagonal_entry_is_that_of_randomised_response():
    found = proved(md.LDP(np.log(2.0)), md.MaxOffDiagonal(), md.Problem(n=4))
    # By hand: each wrong report has probability 1 / (e^epsilon + n - 1).
    assert found.bound <= 0.2 <= found.bound * (1 + 1e-9) and found.certificate.proved


@pytest.mark.parametrize("sees", [True, False])
@pytest.mark.parametrize("objective", [md.WorstCaseLoss(LOSS), md.MaxOffDiagonal()])
def test_profiles_that_a_mechanism_sees_repeat_the_data(objective, sees, monkeypatch):
    profiles = [[0.5, 0.25, 0.25], [0.25, 0.25, 0.5]]
    notion = md.ProfileDP(0.5, profiles, ((0, 1),), sees_profile=sees)
    found = proved(notion, objective, md.Problem(n=3))
    assert found.certificate.proved
    read_alike(found, monkeypatch)


def test_a_box_of_priors_is_not_covered():
    box = md.WorstCaseLoss(LOSS, ([0.1, 0.2, 0.1], [0.4, 0.5, 0.6]))
    assert "WorstCaseLoss is not covered yet" in refusal(md.Question(THREE, md.LDP(1.0), box))


@pytest.mark.parametrize("objective", ["WorstCaseLoss", "HammingLoss", "ErrorProbability"])
def test_a_proof_of_other_decisions_does_not_load(objective, tmp_path):
    data = made.data("LIP", objective)
    first, second, *rest = data["proof"]["decisions"]
    path = tmp_path / "a.json"
    path.write_text(made.json.dumps(made.changed(data, proof__decisions=lambda _: [second, first, *rest])))
    with pytest.raises(md.CertificateError, match="a proof of other decisions than its outputs name"):
        md.load(path)


def test_rows_for_other_weights_prove_nothing():
    data = made.data("LDP", "WorstCaseLoss")
    with pytest.raises(reader.Unproved, match="is above the rows"):
        reader.check(made.changed(data, proof__weights=lambda weights: [1.0] * len(weights)))
