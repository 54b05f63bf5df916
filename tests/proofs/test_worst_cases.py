"""Proofs for the largest of some functionals of the matrix: worst cases over inputs, priors and wrong reports."""

import re

import numpy as np
import pytest

import mechdesign as md
import mechdesign_check as reader
from mechdesign.objectives.exact_worst_case import LargestInBox
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


BOX = md.WorstCaseLoss(LOSS, ([0.1, 0.2, 0.1], [0.4, 0.5, 0.6]))


@pytest.mark.parametrize(
    "notion", [md.LDP(1.0), md.LIP(0.5), md.MaximalLeakage(0.4), md.CentralizedIP(1.0, [PRIORS[0]])]
)
def test_the_least_favourable_prior_of_a_box_is_proved_and_read(notion, monkeypatch, tmp_path):
    problem = md.Problem(n=3) if notion.name == "CentralizedIP" else THREE
    found = proved(notion, BOX, problem)
    assert found.certificate.proved and found.gap <= 1e-7
    read_alike(found, monkeypatch)
    assert md.load(found.mechanism.save(tmp_path / "a.json")) == found.mechanism


def test_a_narrow_box_is_its_prior():
    prior = np.array([0.25, 0.25, 0.5])
    found = proved(md.LDP(1.0), md.WorstCaseLoss(LOSS, (prior - 1e-6, prior + 1e-6)))
    same = proved(md.LDP(1.0), md.WorstCaseLoss(LOSS, [prior]))
    assert found.certificate.proved and abs(found.value - same.value) <= 5e-5 and found.value > same.value


def test_a_prior_outside_of_the_box_proves_nothing_of_it(tmp_path):
    """Rows that hold for equal priors show a larger loss than there is in a box around one input."""
    loss, even = 1.0 - np.eye(3), [[1 / 3, 1 / 3, 1 / 3]]
    found = proved(md.LDP(1.0), md.WorstCaseLoss(loss, ([0.8, 0.0, 0.0], [1.0, 0.1, 0.1])))
    other = proved(md.LDP(1.0), md.WorstCaseLoss(loss, even))
    assert found.certificate.proved and other.certificate.proved and other.bound > 2 * found.value
    rows = other.certificate.proof.rows.tolist()
    data = made.changed(made.file_of(found), proof__rows=lambda _: rows, proof__weights=lambda _: [1.0, 1.0, 1.0])
    with pytest.raises(reader.Unproved, match="is above the rows"):
        reader.check(data)
    path = tmp_path / "a.json"
    path.write_text(made.json.dumps(data))
    with pytest.raises(md.CertificateError, match="is above its rows"):
        md.load(path)
    # As weights that the box holds they prove what they do for the list.
    wide = made.changed(data, question__objective__priors=lambda _: [[0.0] * 3, [1.0] * 3])
    wide = made.changed(wide, claims__value=lambda _: 1.0, claims__bound=lambda _: other.bound)
    assert re.search(r"below (\S+);", reader.check(wide)[0])[1] == f"{other.bound:.9g}"


def test_a_box_that_rounding_empties_is_not_covered():
    # The least entries sum to 1 + 1e-10, which problems take for 1.
    low = [0.25, 0.25, 0.5 + 1e-10]
    form = LargestInBox.of_box(np.array(low), np.array([0.3, 0.3, 0.6]), np.zeros((3, 2)))
    assert form is None


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
