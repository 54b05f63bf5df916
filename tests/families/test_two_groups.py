"""A mechanism of two kinds of reports, from its design to its estimates, and beside its matrix entry by entry."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.families import TwoGroups
from mechdesign.families.best import ratio_below
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.runtime.deadline import reading
from mechdesign.testing.clock import CountingClock

FEW = TwoGroups(9, ratio_below(1.5), (1, 2, 5, 7), alone=(5, 2), covered=(2, 1), beside=(3, 1), share=0.4)
SMALL = ImplicitMechanism(FEW, notion=md.LDP(1.5))


def matrix_of(family):
    """Return the matrix in fractions, entry by entry."""
    return [[family.probability(x, y) for y in range(family.outputs)] for x in range(family.n)]


@pytest.fixture(scope="module")
def designed():
    theta = 1.0 / np.arange(1.0, 4001.0)
    order = np.random.default_rng(4).permutation(4000)
    problem = md.Problem((theta / theta.sum())[order])
    return md.design(problem, md.LDP(2.0), md.InformationDesign("A"), gap=0.2), problem


def test_the_level_and_the_profiles_are_those_of_the_matrix():
    rows = matrix_of(FEW)
    pairs = [(x, z) for x in range(9) for z in range(9) if x != z]
    largest = max(rows[x][y] / rows[z][y] for x, z in pairs for y in range(FEW.outputs))
    assert largest == FEW.ratio and float(md.audit(SMALL)) == pytest.approx(np.log(float(largest)), abs=1e-12)
    for epsilon in (0.0, 0.4, 1.2):
        factor = Fraction(np.exp(epsilon))
        delta = max(sum(max(p - factor * q, 0) for p, q in zip(rows[x], rows[z], strict=True)) for x, z in pairs)
        assert SMALL.privacy_profile([epsilon])[0] == pytest.approx(float(delta), abs=1e-12)
    kl = max(sum(float(p) * np.log(float(p / q)) for p, q in zip(rows[x], rows[z], strict=True)) for x, z in pairs)
    assert SMALL.renyi_profile([1.0])[0] == pytest.approx(kl, rel=1e-12)


def test_a_level_that_it_does_not_keep_is_refused():
    with pytest.raises(md.DomainError, match="ratio of probabilities"):
        ImplicitMechanism(FEW, notion=md.LDP(1.499))


def test_estimates_of_a_design(designed):
    made, problem = designed
    assert made.mechanism.family.name == "two kinds of reports" and made.audit.holds
    people = np.random.default_rng(1).choice(4000, size=200_000, p=problem.prior)
    estimate = made.mechanism.estimate(made.mechanism.simulate(people, seed=3, by="index"))
    true = np.bincount(people, minlength=4000) / len(people)
    # Errors beside the people who reported: standard errors count the draw of people, too, which is little here.
    apart = (estimate.frequencies - true) / estimate.standard_errors
    assert abs(apart.mean()) < 0.1 and 0.93 < apart.std() < 1.05
    assert (estimate.standard_errors**2).sum() * len(people) == pytest.approx(made.value, rel=0.02)
    inside = (estimate.interval()[:, 0] <= true) & (true <= estimate.interval()[:, 1])
    assert 0.93 < inside.mean() < 0.97
    assert estimate.fit.fits and np.argmax(problem.prior) in estimate.top(5).inputs
    named = estimate.functional(np.isin(np.arange(4000), made.mechanism.family.frequent).astype(float))
    share = float(true[list(made.mechanism.family.frequent)].sum())
    assert abs(named.value - share) < 5.0 * named.standard_error
    with pytest.raises(md.UnsupportedError, match="two kinds"):
        estimate.interval(how="exact")


def test_reports_of_another_mechanism_do_not_fit(designed):
    mechanism = designed[0].mechanism
    reports = np.random.default_rng(2).integers(mechanism.family.outputs, size=50_000)
    with pytest.warns(md.FitWarning):
        mechanism.estimate(reports)


def test_it_is_saved_with_its_slope(designed, tmp_path):
    made = designed[0]
    path = tmp_path / "two.mechanism.json"
    made.mechanism.save(path)
    again = md.load(path)
    assert again == made.mechanism and again.certificate.bound == pytest.approx(made.bound, rel=1e-12)
    people = np.arange(50)
    assert (again.simulate(people, seed=5, by="index") == made.mechanism.simulate(people, seed=5, by="index")).all()


def test_a_bound_that_was_raised_in_a_file_is_found(designed, tmp_path):
    from mechdesign.files.checksums import sealed

    made = designed[0]
    data = made.mechanism.to_dict()
    path = tmp_path / "false.mechanism.json"
    slope = data["claims"]["slope"]
    huge = [[1e300 * number for number in row] for row in slope]
    for lie in ({"bound": made.value * 0.9999}, {"slope": huge}, {"slope": slope[:3]}, {"slope": [[1.0]]}):
        path.write_text(json.dumps(sealed({**data, "claims": {**data["claims"], **lie}})))
        with pytest.raises(md.CertificateError, match="claims bound"):
            md.load(path)


def test_what_it_has_not_is_refused_in_a_sentence(tmp_path):
    with pytest.raises(md.UnsupportedError, match="no matrix over one denominator"):
        print(SMALL.matrix)
    with pytest.raises(md.UnsupportedError, match="no program"):
        md.sampler(SMALL, tmp_path / "two.py")


def test_a_short_time_limit_leaves_the_mechanism():
    theta = 1.0 / np.arange(1.0, 4001.0)
    asked = md.Problem(theta / theta.sum()), md.LDP(2.0), md.InformationDesign("A")
    with pytest.warns(md.GapWarning), reading(CountingClock()):
        hasty = md.design(*asked, time_limit=0.0)
    assert hasty.mechanism.family.name == "two kinds of reports" and 0.0 < hasty.bound < hasty.value
