"""Mutual information of many equally likely inputs: the best set of few ones by counting, and families near it."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import mechdesign as md
from mechdesign.families import Hadamard, KaryResponse, LocalHashing, ProjectiveGeometry, SubsetSelection
from mechdesign.families.best import ratio_below
from mechdesign.many_inputs.information import Information, best_share
from mechdesign.mechanism import ImplicitMechanism

OBJECTIVE = md.MutualInformation()
RATIO = ratio_below(1.0)
FAMILIES = {
    "response": KaryResponse(9, RATIO),
    "hadamard": Hadamard(9, RATIO),
    "all points": ProjectiveGeometry(13, RATIO, 3, 3),
    "some points": ProjectiveGeometry(9, RATIO, 3, 3),
    "all vectors": SubsetSelection(16, RATIO, 4, 2, 1),
    "some vectors": SubsetSelection(11, RATIO, 4, 2, 1),
    "sets of 3 of 7": SubsetSelection(7, RATIO, 7, 1, 3),
    "hashing": LocalHashing(9, RATIO, 4, 2),
}


def equal(n):
    return md.Problem(prior=np.full(n, 1.0 / n))


@pytest.mark.parametrize("epsilon", [1e-3, 0.2, 1.0, 2.0, 4.0, 9.0])
@pytest.mark.parametrize("n", [2, 5, 9])
def test_the_bound_is_the_best_of_all_sets(n, epsilon):
    """The largest utility per unit of probability over all extreme columns, each of them made."""
    columns = np.array([c for c in product([1.0, np.exp(epsilon)], repeat=n) if len(set(c)) == 2]).T
    best = (OBJECTIVE.column_utility(columns, equal(n)) / columns.mean(axis=0)).max()
    found = Information().bound(OBJECTIVE, equal(n), epsilon, None)
    assert found.bound == pytest.approx(best, rel=1e-9, abs=1e-15)
    assert Information().bound(OBJECTIVE, equal(n), 0.0, None).bound == 0.0


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_has_the_value_or_a_little_more(name):
    family = FAMILIES[name]
    exact = OBJECTIVE.value(ImplicitMechanism(family, notion=md.LDP(1.0)).matrix, equal(family.n))
    value = Information().value(OBJECTIVE, equal(family.n), family)
    # Of sets of one size it is exact; otherwise below by less than the square of their spread.
    one_size = len(set(family.incidence().sum(axis=0).tolist())) == 1
    assert value <= exact * (1 + 1e-12) and value >= exact * (1.0 - (1e-12 if one_size else 0.08))
    assert exact <= Information().bound(OBJECTIVE, equal(family.n), 1.0, None).bound * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_it_is_what_routes_with_a_matrix_find(epsilon):
    problem = equal(8)
    best = md.design(problem, md.LDP(epsilon), OBJECTIVE)
    by_family = md.design(problem, md.LDP(epsilon), OBJECTIVE, route="family", gap=1.0)
    assert best.route != "family" and by_family.bound == pytest.approx(best.value, rel=1e-6)
    assert by_family.value <= best.bound * (1 + 1e-9) and by_family.audit.holds


def test_the_value_at_500_inputs_is_nearly_the_one_of_its_matrix():
    made = md.design(equal(500), md.LDP(1.0), OBJECTIVE, route="family", gap=0.01)
    exact = OBJECTIVE.value(made.matrix, equal(500))
    assert made.value <= exact <= made.bound and exact - made.value <= made.gap * made.bound


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 8.0])
def test_many_inputs_are_near_the_bound(epsilon, tmp_path):
    n = 10**5
    made = md.design(equal(n), md.LDP(epsilon), OBJECTIVE, gap=0.02)
    ratio, k = np.exp(epsilon), np.arange(1, n)
    mean = 1.0 + (ratio - 1.0) * k / n
    best = (k / n * ratio * epsilon / mean - np.log(mean)).max()
    assert made.route == "family" and made.bound == pytest.approx(best, rel=1e-6)
    assert made.value <= made.bound and made.gap <= 0.02 and made.audit.holds
    values = {rival.name: rival.value for rival in made.rivals}
    assert made.value >= max(values["k-ary response"], values["Hadamard response"], values["local hashing"])
    assert values["subset selection"] <= made.bound and values["no privacy"] == pytest.approx(np.log(n))
    assert md.load(made.mechanism.save(tmp_path / "m.json")).claimed == made.certificate


def test_the_best_share_is_where_the_information_is_largest():
    shares = np.linspace(0.001, 0.999, 200_001)
    for ratio in (1.001, 3.0, 50.0):
        mean = 1.0 + (ratio - 1.0) * shares
        most = (shares * ratio * np.log(ratio) / mean - np.log(mean)).argmax()
        low, high = best_share(Fraction(ratio))
        assert 0 <= high - low < 1e-40 and float(low) == pytest.approx(shares[most], abs=3e-3)


@pytest.mark.parametrize(
    ("problem", "objective"),
    [
        (md.Problem(prior=[0.5, 0.25, 0.25]), md.MutualInformation()),
        (md.Problem(prior=[0.5, 0.5]), md.MutualInformation(minimize=True)),
        (md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.MMSE()),
    ],
)
def test_other_questions_are_refused_in_a_sentence(problem, objective):
    with pytest.raises(md.UnsupportedError, match=r"made for InformationDesign.*MutualInformation at equal priors"):
        md.design(problem, md.LDP(1.0), objective, route="family")


@pytest.mark.parametrize("objective", [md.HistogramMMSE(), md.AbsoluteError(), md.MutualInformation()], ids=str)
def test_what_has_no_memory_is_refused_with_what_works(objective):
    prior = np.random.default_rng(0).dirichlet(np.ones(20_000))
    people = md.Problem(prior=prior, values=np.arange(20_000.0))
    with pytest.raises(md.UnsupportedError, match=r"Without a matrix, under LDP, InformationDesign.*ErrorProbability"):
        md.design(people, md.LDP(1.0), objective, memory_limit=2.0)


def test_running_out_of_memory_is_an_error_of_ours(monkeypatch):
    def fails(*_):
        raise MemoryError

    monkeypatch.setattr("mechdesign.designing.answer._routed", fails)
    with pytest.raises(md.UnsupportedError, match=r"more memory than there is.*Without a matrix"):
        md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(1.0), md.MMSE())


def test_a_design_of_many_inputs_and_two_outputs_is_printed():
    """What its reports identify would take gigabytes: that is left out in a sentence."""
    n = 20_000
    made = md.design(md.Problem(prior=np.full(n, 1 / n), values=np.arange(n) / n), md.LDP(1.0), md.MMSE())
    assert "merge inputs into fewer categories" in " ".join(str(made).split())
    with pytest.raises(md.UnsupportedError, match="20000 inputs identify"):
        _ = made.identifiability
