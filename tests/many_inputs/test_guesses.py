"""Guesses of many inputs: the optimum of a linear program for few of them, and the same formula for a million."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.errors import CertificateError
from mechdesign.families import FewAnswers
from mechdesign.families.best import ratio_below
from mechdesign.files.checksums import sealed
from mechdesign.many_inputs.guesses import Guesses
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.testing.sampler_contract import chi_square_chance

OBJECTIVES = [md.ErrorProbability(), md.HammingLoss()]


def least_error(prior, epsilon):
    """The least error of all matrices under LDP, with a column for each guess, by a linear program over the entries."""
    n, rows = len(prior), []
    for d in range(n):
        for x in range(n):
            for other in range(n):
                if x != other:
                    row = np.zeros((n, n))
                    row[x, d], row[other, d] = 1.0, -np.exp(epsilon)
                    rows.append(row.ravel())
    sums = np.kron(np.eye(n), np.ones(n))
    found = linprog(-np.diag(prior).ravel(), np.array(rows), np.zeros(len(rows)), sums, np.ones(n), method="highs")
    return 1.0 + found.fun


def zipf(n):
    shares = 1.0 / np.arange(1.0, n + 1)
    return shares / shares.sum()


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
@pytest.mark.parametrize("epsilon", [0.05, 0.4, 1.0, 2.5, 6.0])
@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_optimum_of_all_matrices(objective, epsilon, seed):
    prior = np.random.default_rng(seed).dirichlet(np.ones(6)) if seed else np.full(6, 1 / 6)
    made = md.design(md.Problem(prior=prior), md.LDP(epsilon), objective, route="family")
    best = least_error(prior, epsilon)
    assert made.value == pytest.approx(best, abs=1e-9) and made.bound == pytest.approx(best, abs=1e-9)
    assert made.bound <= made.value and made.gap < 1e-11 and made.audit.holds
    # The value is what the objective makes of the matrix, in whose own columns guesses stand.
    assert objective.value(made.by_decision, made.mechanism.inputs) == pytest.approx(made.value, abs=1e-12)


@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_it_is_what_a_route_with_a_matrix_finds(objective):
    asked = md.Problem(prior=zipf(60)), md.LDP(3.0), objective
    by_family, by_matrix = md.design(*asked, route="family"), md.design(*asked)
    assert by_matrix.route != "family"
    assert by_family.value == pytest.approx(by_matrix.value, rel=by_matrix.gap + 1e-9)
    assert by_family.uninformative == by_matrix.uninformative


@pytest.mark.parametrize("prior", [np.full(10**5, 1e-5), zipf(10**5)], ids=["equal", "zipf"])
@pytest.mark.parametrize("objective", OBJECTIVES, ids=str)
def test_many_inputs_need_no_matrix(prior, objective, tmp_path):
    made = md.design(md.Problem(prior=prior), md.LDP(2.0), objective)
    ratio, k = np.exp(2.0), np.arange(1, 10**5 + 1)
    ranked = np.sort(prior / prior.sum())[::-1]
    best = 1.0 - (np.cumsum(ranked) * ratio / (ratio + k - 1)).max()
    assert made.route == "family" and made.value == pytest.approx(best, rel=1e-10) and made.gap < 1e-11
    reports = made.mechanism.simulate(np.zeros(4000, dtype=int), seed=1)
    assert reports.min() >= 0 and reports.max() < 10**5
    own = ratio / (ratio + made.mechanism.family.used_outputs - 1)
    assert abs((reports == 0).mean() - own) < 5 * np.sqrt(own / 4000)
    path = made.mechanism.save(tmp_path / "m.json")
    assert md.load(path).claimed == made.certificate
    data = json.loads(path.read_text())
    for name, value in (("value", made.value * 0.99), ("bound", made.bound * 1.01)):
        path.write_text(json.dumps(sealed({**data, "claims": {**data["claims"], name: value}})))
        with pytest.raises(CertificateError, match=f"claims {name}"):
            md.load(path)


def test_a_file_of_worse_answers_is_refused(tmp_path):
    made = md.design(md.Problem(prior=zipf(3000)), md.LDP(3.0), md.ErrorProbability())
    path = made.mechanism.save(tmp_path / "m.json")
    data = json.loads(path.read_text())
    worse = {**data["family"], "answers": [one + 1 for one in data["family"]["answers"]]}
    path.write_text(json.dumps(sealed({**data, "family": worse})))
    with pytest.raises(CertificateError, match="claims value"):
        md.load(path)


def test_little_privacy_loss_keeps_small_errors():
    """At epsilon = 30 the error of 3,000 inputs is about 1e-10, and keeps its digits beside the number 1."""
    made = md.design(md.Problem(prior=np.full(3000, 1 / 3000)), md.LDP(30.0), md.ErrorProbability())
    error = Fraction(2999) / (Fraction(ratio_below(30.0)) + 2999)
    assert made.value == pytest.approx(float(error), rel=1e-11) and made.bound == pytest.approx(float(error), rel=1e-11)


@pytest.mark.parametrize("k", [1, 2, 5, 8, 9])
def test_few_answers_are_what_they_say(k):
    family = FewAnswers(9, ratio_below(1.0) if k > 1 else Fraction(1), tuple(range(9 - k, 9)))
    made = ImplicitMechanism(family, notion=md.LDP(1.0))
    law = np.array([[float(family.probability(x, y)) for y in range(9)] for x in range(9)])
    assert np.abs(made.matrix - law).max() <= 2.0**-47 and np.allclose(law.sum(axis=1), 1.0)
    found, of_matrix = md.audit(made), md.audit(made.matrix, md.LDP(1.0))
    assert found.holds and of_matrix.holds and float(found) == pytest.approx(float(of_matrix), abs=1e-12)
    (x, other), y = found.inputs, found.output
    assert law[x, y] / law[other, y] == pytest.approx(np.exp(float(found)))
    for x in (0, 8):
        reports = made.simulate(np.full(20_000, x), seed=3)
        counts = np.bincount(reports, minlength=9)
        assert counts[: 9 - k].sum() == 0
        assert k == 1 or chi_square_chance(counts[9 - k :], law[x, 9 - k :]) > 1e-4
    for ask in (lambda: made.estimate([8]), lambda: made.people_needed(0.01)):
        with pytest.raises(md.UnsupportedError, match="do not identify"):
            ask()


@pytest.mark.parametrize("above", [0, 1, 2, 3, 5, 9, 2**20, 2**50, 2**53, 2**56])
@pytest.mark.parametrize("answers", [(0, 4), (0, 3, 5), (1, 2, 3, 4, 5, 6, 7)])
def test_no_ratio_of_a_matrix_is_larger_whatever_the_level(above, answers):
    """In integers, of each column: levels at which rounding is as large as what is revealed, and of all size."""
    ratio = 1 + Fraction(above, 2**52)
    made = FewAnswers(9, ratio, answers).matrix_numerators()
    assert (made.sum(axis=1) == 2**53).all()
    for column in made.T[list(answers)].tolist():
        assert Fraction(max(column), min(column)) <= ratio


@pytest.mark.parametrize(
    ("answers", "ratio", "said"),
    [
        ((), 2, "answers"),
        ((1, 1), 2, "increasing"),
        ((2, 1), 2, "increasing"),
        ((0, 5), 2, "from 0 to 4"),
        ((-1, 2), 2, "from 0 to 4"),
        ((3,), 2, "single answer"),
    ],
)
def test_answers_that_are_none_are_refused(answers, ratio, said):
    with pytest.raises(md.DomainError, match=said):
        FewAnswers(5, Fraction(ratio), answers)


@pytest.mark.parametrize("seed", range(6))
def test_known_mechanisms_have_the_error_of_their_best_guess(seed):
    """K-ary response at any prior, and answers that are not the likeliest, by the objective itself."""
    rng = np.random.default_rng(seed)
    problem, objective = md.Problem(prior=rng.dirichlet(np.full(7, 0.4))), md.ErrorProbability()
    some = tuple(np.sort(rng.choice(7, 3, replace=False)).tolist())
    for family in (md.families.KaryResponse(7, ratio_below(1.0)), FewAnswers(7, ratio_below(1.0), some)):
        matrix = ImplicitMechanism(family, notion=md.LDP(1.0)).matrix
        assert Guesses().value(objective, problem, family) == pytest.approx(objective.value(matrix, problem), rel=1e-12)


def test_rivals_are_compared_by_formula():
    people, level = md.Problem(prior=zipf(4000)), md.LDP(3.0)
    sets = md.baselines.subset_selection(people, 3.0)
    found = md.compare(people, level, md.ErrorProbability(), mechanisms={"sets": sets})
    values = {rival.name: rival.value for rival in found.rivals}
    best = found[0].value
    assert best < values["k-ary response"] <= values["uninformative"] and np.isnan(values["sets"])
    assert values["no privacy"] == 0.0 and found.rivals[0].note == "its value has no formula"
    matrix = md.baselines.randomised_response(people, 3.0).matrix
    assert values["k-ary response"] == pytest.approx(md.ErrorProbability().value(matrix, people), rel=1e-9)


@pytest.mark.parametrize("epsilon", [0.0, 1e-9, 30.0, 700.0, 1000.0])
@pytest.mark.parametrize("objective", [*OBJECTIVES, md.MutualInformation(), md.InformationDesign("A")], ids=str)
@pytest.mark.parametrize("prior", [np.full(3000, 1 / 3000), zipf(3000)], ids=["equal", "zipf"])
def test_any_level_is_printed_without_a_warning(epsilon, objective, prior):
    alike = float(np.ptp(prior)) == 0.0
    if (isinstance(objective, md.MutualInformation) and not alike) or (objective.name[0] == "I" and epsilon == 0.0):
        return
    made = md.design(md.Problem(prior=prior), md.LDP(epsilon), objective, gap=1.0)
    assert f"{made.bound!r}" in " ".join(str(made).split()) and str(made.why) and made.audit.holds
    better = 1.0 if objective.sense == "minimise" else -1.0
    assert better * made.bound <= better * made.value
    for rival in made.rivals:
        known = rival.private and not np.isnan(rival.value)
        assert not known or better * rival.value >= better * made.bound - 1e-9 * abs(made.bound)


def test_a_page_says_that_frequencies_are_not_identified(tmp_path):
    made = md.design(md.Problem(prior=zipf(4000)), md.LDP(3.0), md.ErrorProbability())
    assert "do not identify" in made.identifiability and "unbounded" in str(made)
    assert "do not identify" in md.report(made, tmp_path / "page.html").read_text()
