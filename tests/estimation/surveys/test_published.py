"""Surveys without noise against the printed output of R's package survey: means, ratios, groups, replicates."""

from __future__ import annotations

import numpy as np
import pytest

import mechdesign as md
from mechdesign.estimation import Replicates
from tests.estimation.surveys.published import DISTRICTS, SCHOOLS, SMALL, asked, column


def printed(mean, value, error):
    """Return whether a mean is what was printed, to the digits that were."""
    numbers = ((float(mean), value), (mean.standard_error, error))
    return all(abs(number - float(text)) <= 0.5001 * 10.0 ** -len(text.partition(".")[2]) for number, text in numbers)


@pytest.mark.parametrize(
    ("arguments", "value", "error"),
    [
        ({"strata": SMALL["strata"], "weights": SMALL["weights"]}, "5.4481", "0.7413"),
        ({"strata": SMALL["strata"]}, "5.525", "0.7796"),
        ({"strata": SMALL["strata"], "clusters": SMALL["clusters"]}, "5.525", "0.7796"),
        ({"clusters": SMALL["clusters"]}, "5.525", "0.838"),
        ({"clusters": SMALL["clusters"], "weights": SMALL["weights"]}, "5.4481", "0.7938"),
        ({"clusters": SMALL["strata"], "weights": SMALL["weights"]}, "5.4481", "0.5465"),
        ({"clusters": SMALL["strata"]}, "5.525", "0.5188"),
        ({"strata": SMALL["strata"], "weights": SMALL["weights"], "population": SMALL["sizes"]}, "5.4481", "0.616"),
    ],
)
def test_the_small_sample_of_the_fpc_documentation(arguments, value, error):
    mechanism, reports = asked(SMALL["values"])
    assert printed(mechanism.estimate(reports, **arguments).mean(), value, error)


def test_parts_of_the_small_sample_are_domains():
    """The published svyby of x by x > 4: units outside of a domain count as 0 in its strata."""
    mechanism, reports = asked(SMALL["values"])
    large = np.where(np.array(SMALL["values"]) > 4, "large", "small")
    found = mechanism.estimate(reports, strata=SMALL["strata"], weights=SMALL["weights"], groups=large)
    assert printed(found["small"].mean(), "3.314286", "0.3117042")
    assert printed(found["large"].mean(), "6.195000", "0.7555129")


def test_a_stratified_sample_of_schools():
    (kind, index) = column("apistrat", "stype", "api00")
    mechanism, reports = asked(list(map(int, index)))
    drawn = {each: kind.count(each) for each in SCHOOLS}
    weights = [SCHOOLS[each] / drawn[each] for each in kind]
    found = mechanism.estimate(reports, weights=weights, strata=kind, population=SCHOOLS)
    assert printed(found.mean(), "662.29", "9.4089")
    assert found.survey.degrees == 200 - 3


def test_a_stratified_total_of_pupils():
    (kind, pupils) = column("apistrat", "stype", "enroll")
    mechanism, reports = asked(list(map(int, pupils)))
    weights = [SCHOOLS[each] / kind.count(each) for each in kind]
    found = mechanism.estimate(reports, weights=weights, strata=kind, population=SCHOOLS)
    total = found.total(sum(SCHOOLS.values()))
    # Weights add up to the schools, so that a total is so many means.
    assert f"{float(total):.0f}" == "3687178" and f"{total.standard_error:.0f}" == "114642"


@pytest.fixture(scope="module")
def districts():
    """The columns of the sample of districts."""
    return column("apiclus1", "dnum", "stype", "api00", "ell", "meals", "sch.wide")


def test_a_sample_of_districts(districts):
    district, _, index, *_ = districts
    mechanism, reports = asked(list(map(int, index)))
    found = mechanism.estimate(reports, clusters=district, population=DISTRICTS)
    assert printed(found.mean(), "644.17", "23.542") and found.survey.degrees == 14


@pytest.mark.parametrize(
    ("name", "kind", "value", "error"),
    [
        ("ell", "E", "29.69444", "1.411617"),
        ("ell", "H", "15.00000", "5.347065"),
        ("ell", "M", "22.68000", "2.952862"),
        ("meals", "E", "53.09028", "7.070399"),
        ("meals", "H", "37.57143", "5.912262"),
        ("meals", "M", "43.08000", "6.017110"),
    ],
)
def test_types_of_schools_in_the_sampled_districts(districts, name, kind, value, error):
    district, kinds, _, ell, meals, _ = districts
    mechanism, reports = asked(list(map(int, ell if name == "ell" else meals)))
    found = mechanism.estimate(reports, clusters=district, population=DISTRICTS, groups=kinds)
    assert printed(found[kind].mean(), value, error)


@pytest.mark.parametrize(("mse", "error"), [(True, "26.335"), (False, "26.329")])
def test_a_jackknife_of_districts(districts, mse, error):
    """The published JK1 of the sample of districts, whose scale has its finite population."""
    district, _, index, *_ = districts
    mechanism, reports = asked(list(map(int, index)))
    names = np.unique(district)
    replicate = (np.array(district)[:, None] != names[None, :]) * 15 / 14
    how = Replicates("jk1", scale=14 / 15 * (1 - 15 / DISTRICTS), mse=mse)
    found = mechanism.estimate(reports, weights=np.ones(183), replicate_weights=replicate, replicates=how)
    assert printed(found.mean(), "644.17", error)
    assert found.survey.degrees == 14


def test_balanced_halves_of_ambulance_stations():
    """Levy and Lemeshow's stations, in three areas of two: their four half-samples, and what those of a ratio are."""
    arrests, alive = np.array([120, 78, 185, 228, 670, 530]), np.array([25, 24, 30, 49, 80, 70])
    halves = 2.0 * np.array([[1, 0, 1, 0, 1, 0], [1, 0, 0, 1, 0, 1], [0, 1, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0]])
    station = np.repeat(np.arange(6), arrests)
    survived = np.concatenate([np.arange(count) < lived for count, lived in zip(arrests, alive, strict=True)])
    mechanism = md.Mechanism(np.eye(2), ["no", "yes"], problem=md.Problem(labels=["no", "yes"], values=[0, 1]))
    found = mechanism.estimate(
        survived.astype(int), weights=np.ones(len(station)), replicate_weights=halves.T[station], replicates="brr"
    )
    ratios = halves @ alive / (halves @ arrests)
    assert float(found.mean()) == pytest.approx(alive.sum() / arrests.sum(), rel=1e-12)
    assert found.mean().standard_error == pytest.approx(np.sqrt(((ratios - ratios.mean()) ** 2).mean()), rel=1e-9)
