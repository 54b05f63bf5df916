"""Mechanisms without a matrix: what they report, how they are audited, saved, estimated from and refused."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.families import OptimisedUnaryEncoding, ProjectiveGeometry, SymmetricUnaryEncoding
from mechdesign.families.best import best_subset_selection, ratio_below
from mechdesign.families.unary_encoding import square_below
from mechdesign.mechanism import ImplicitMechanism

WORDS = md.Problem(labels=[f"w{k}" for k in range(40)])
SMALL = md.baselines.projective_response(WORDS, 1.0)
LARGE = md.baselines.projective_response(md.Problem(n=10**6), 1.0)
MAKERS = {
    "projective": lambda n, epsilon: md.baselines.projective_response(md.Problem(n=n), epsilon),
    "subsets": lambda n, epsilon: ImplicitMechanism(
        best_subset_selection(n, ratio_below(epsilon)), notion=md.LDP(epsilon)
    ),
    "hashing": lambda n, epsilon: md.baselines.local_hashing(md.Problem(n=n), epsilon),
    "response": lambda n, epsilon: ImplicitMechanism(
        md.families.KaryResponse(n, ratio_below(epsilon)), notion=md.LDP(epsilon)
    ),
    "hadamard": lambda n, epsilon: ImplicitMechanism(
        md.families.Hadamard(n, ratio_below(epsilon)), notion=md.LDP(epsilon)
    ),
}


@pytest.mark.parametrize("name", MAKERS)
@pytest.mark.parametrize("epsilon", [0.3, 2.0])
def test_the_matrix_is_the_law_to_the_last_bits(name, epsilon):
    made = MAKERS[name](9, epsilon)
    for x in (0, 8):
        law = [float(made.family.probability(x, y)) for y in range(made.family.outputs)]
        assert np.abs(made.matrix[x] - law).max() <= 2.0**-46
    assert md.audit(made.matrix, md.LDP(epsilon)).holds and md.audit(made).holds
    assert float(md.audit(made)) == pytest.approx(float(md.audit(made.matrix, md.LDP(epsilon))), abs=1e-12)


@pytest.mark.parametrize(("name", "known"), [("response", "randomised_response"), ("hadamard", "hadamard_response")])
def test_equal_mechanisms_have_equal_laws(name, known):
    with_matrix = getattr(md.baselines, known)(md.Problem(n=12), 1.5).matrix
    assert np.abs(MAKERS[name](12, 1.5).matrix - with_matrix).max() <= 2.0**-47


@pytest.mark.parametrize(("size", "share"), [(None, 0.268941), (250_000, 0.25), (500_000, 0.5)])
def test_subset_selection_of_many_inputs(size, share):
    """Of the inputs, a report covers about the share that was asked; frequencies are estimated as from all sets."""
    made = md.baselines.subset_selection(md.Problem(n=10**6), 1.0, size)
    family, rng = made.family, np.random.default_rng(1)
    reports = made.sample(np.full(2000, 17), by="index")
    held = family.covered_weight(np.ones(10**6), reports)
    assert held.mean() / 10**6 == pytest.approx(share, rel=0.02)
    covering = family.covers(np.full(2000, 17), reports).mean()
    ratio = np.exp(1.0)
    assert covering == pytest.approx(share * ratio / (share * ratio + 1.0 - share), abs=0.05)
    people = np.where(rng.random(50_000) < 0.2, 17, rng.integers(10**6, size=50_000))
    estimate = made.estimate(made.simulate(people, seed=2, by="index"))
    assert estimate.top(1).labels == ("17",) and estimate.fit.fits
    error = np.sqrt(family.variances()[0] / 50_000)
    assert abs(estimate.frequencies[17] - 0.2) < 5 * error


UNARY = {few: md.baselines.unary_encoding(md.Problem(n=30), 1.0, few) for few in (True, False)}


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0])
def test_unary_encodings_without_a_matrix_are_those_with_it(few, epsilon):
    known = md.baselines.unary_encoding(md.Problem(n=6), epsilon, few)
    ratio = ratio_below(epsilon)
    family = OptimisedUnaryEncoding(6, ratio) if few else SymmetricUnaryEncoding(6, square_below(ratio))
    made = ImplicitMechanism(family, notion=md.LDP(epsilon))
    assert np.abs(made.matrix - known.matrix).max() <= 2.0**-47
    assert md.audit(made).holds and float(md.audit(made)) == pytest.approx(epsilon, abs=1e-12)
    assert md.audit(made).output == 1 and made.matrix[0, 1] / made.matrix[1, 1] == pytest.approx(np.exp(epsilon))
    plain, levels = md.Mechanism(made.matrix), [0.0, 0.2, 0.9, 2.5]
    assert np.allclose(made.privacy_profile(levels), plain.privacy_profile(levels), atol=1e-11)
    # The reports of both are numbered alike: bit x of the number is the bit of input x.
    reports = made.simulate(np.arange(6).repeat(4000), seed=1)
    counts = np.bincount(reports[:, 0], minlength=64)
    wanted = 24_000 * made.matrix.mean(axis=0)
    assert ((counts - wanted) ** 2 / wanted).sum() < 63 + 6 * np.sqrt(2 * 63)


@pytest.mark.parametrize("few", [True, False])
def test_estimates_from_bits_are_those_of_columns(few):
    made, people = UNARY[few], np.random.default_rng(3).integers(30, size=4000) // 2
    reports = made.simulate(people, seed=5)
    bits = np.unpackbits(reports, axis=1, count=30, bitorder="little")
    found = made.estimate(reports)
    own, other = (float(share) for share in (made.family.own, made.family.other))
    share = bits.mean(axis=0)
    assert found.frequencies == pytest.approx((share - other) / (own - other), abs=1e-12)
    assert made.estimate(bits).frequencies.tolist() == found.frequencies.tolist()
    each = (bits - other) / (own - other)
    assert found.covariance == pytest.approx(np.cov(each.T, bias=True) / 4000, abs=1e-14)
    line = np.arange(30.0) - 14.5
    one = found.functional(line)
    assert one.value == pytest.approx((each @ line).mean()) and one.standard_error == pytest.approx(
        (each @ line).std() / np.sqrt(4000)
    )
    truth = np.bincount(people, minlength=30) / 4000
    assert np.abs(found.frequencies - truth).max() < 5 * found.standard_errors.max() and found.fit.fits
    assert made.people_needed(0.02) == int(np.ceil(1.959963984540054**2 * made.family.variances().max() / 0.02**2))


def test_unary_encodings_of_a_million_inputs():
    made = md.baselines.unary_encoding(md.Problem(n=10**6), 1.0)
    reports = made.sample([7] * 60)
    assert reports.shape == (60, 125_000) and made.sample(7).shape == (125_000,)
    ones = made.estimate(reports).covers
    assert ones.sum() == pytest.approx(60 * 10**6 * float(made.family.other), rel=1e-3) and ones[7] > 12
    assert str(made) and made.shape == (10**6, 2**10**6)


@pytest.mark.parametrize("few", [True, False])
def test_unary_encodings_are_saved_and_reported(few, tmp_path):
    made = UNARY[few]
    path = made.save(tmp_path / "m.json")
    assert md.load(path) == made and path.stat().st_size < 700
    assert "In Python, mechanism.sample" in md.report(made, tmp_path / "page.html").read_text()
    with pytest.raises(md.UnsupportedError, match="rows of bits"):
        md.sampler(made, tmp_path / "m.py")


@pytest.mark.parametrize(
    ("reports", "said"),
    [
        (np.zeros((5, 7), dtype=np.uint8), "of shape"),
        (np.zeros(4, dtype=np.uint8), "of shape"),
        (np.zeros((5, 4)), "packed bits are bytes"),
        (np.full((5, 4), 255, dtype=np.uint8), "bits from 30 on"),
        (np.full((5, 30), 2), "not of bits"),
        (np.full((5, 30), np.nan), "not of bits"),
        (np.zeros((0, 4), dtype=np.uint8), "needs reports"),
    ],
)
def test_what_are_no_rows_of_bits_is_refused(reports, said):
    with pytest.raises(md.DomainError, match=said):
        UNARY[True].estimate(reports)
    with pytest.raises(md.UnsupportedError, match="rows of bits"):
        UNARY[True].estimate(counts={1: 5})


@pytest.mark.parametrize("name", MAKERS)
def test_profiles_are_those_of_the_matrix(name):
    made = MAKERS[name](8, 1.0)
    plain = md.Mechanism(made.matrix, problem=made.inputs)
    levels, orders = [0.0, 0.4, 0.9, 2.0], [1.0, 2.0, 7.5, np.inf]
    assert np.allclose(made.privacy_profile(levels), plain.privacy_profile(levels), atol=1e-11)
    assert np.allclose(made.renyi_profile(orders), plain.renyi_profile(orders), atol=1e-9)


def test_estimates_are_those_of_a_linear_estimator():
    theta = np.random.default_rng(4).dirichlet(np.ones(40))
    counts = np.random.default_rng(5).multinomial(5000, theta @ SMALL.matrix)
    found = SMALL.estimate(counts=counts)
    inside = SMALL.family.incidence()
    own, other = float(SMALL.family.own), float(SMALL.family.other)
    share = inside @ counts / 5000
    assert found.frequencies == pytest.approx((share - other) / (own - other), abs=1e-12)
    assert found.standard_errors == pytest.approx(np.sqrt(share * (1 - share) / 5000) / (own - other), abs=1e-12)
    each = (inside - other) / (own - other)
    mean = each @ counts / 5000
    spread = ((each - mean[:, None]) * counts) @ (each - mean[:, None]).T / 5000**2
    assert found.covariance == pytest.approx(spread, abs=1e-14)
    line = np.arange(40.0)
    one = found.functional(line)
    centred = line - line.mean()
    assert one.value == pytest.approx(line.mean() + centred @ found.frequencies, abs=1e-9)
    assert one.standard_error == pytest.approx(np.sqrt(centred @ spread @ centred), rel=1e-9)
    assert found.functional(np.ones(40)).value == 1.0 and found.functional(np.ones(40)).standard_error == 0.0
    reports = np.repeat(np.arange(len(counts)), counts)
    assert SMALL.estimate(reports).frequencies.tolist() == found.frequencies.tolist()
    assert SMALL.estimate(list(map(str, reports))).frequencies.tolist() == found.frequencies.tolist()
    assert (
        SMALL.estimate({int(y): int(counts[y]) for y in np.flatnonzero(counts)}).covers.tolist()
        == found.covers.tolist()
    )


def test_errors_and_intervals_hold_over_many_surveys():
    theta = np.array([0.4, 0.2, *[0.4 / 38] * 38])
    rng, found, held, together = np.random.default_rng(11), [], 0, 0
    for _ in range(300):
        estimate = SMALL.estimate(counts=rng.multinomial(3000, theta @ SMALL.matrix))
        found.append(estimate.frequencies)
        low, high = estimate.interval().T
        held += int(((low <= theta) & (theta <= high)).sum())
        low, high = estimate.interval(simultaneous=True).T
        together += bool(((low <= theta) & (theta <= high)).all())
    assert np.abs(np.mean(found, axis=0) - theta).max() < 5 * np.sqrt(SMALL.family.variances(theta).max() / 3000 / 300)
    assert np.var(found, axis=0) == pytest.approx(SMALL.family.variances(theta) / 3000, rel=0.35)
    # Of 12,000 intervals of 95 %, and of 300 sets of them at once.
    assert held / 12_000 > 0.94 and together / 300 > 0.93


def test_exact_intervals_are_clopper_and_pearsons():
    from scipy.stats import beta

    estimate = SMALL.estimate(SMALL.simulate([0, 1] * 25, seed=1, by="index"))
    own, other = float(SMALL.family.own), float(SMALL.family.other)
    covers = int(estimate.covers[0])
    low = beta.ppf(0.025, covers, 50 - covers + 1) if covers else 0.0
    high = beta.ppf(0.975, covers + 1, 50 - covers) if covers < 50 else 1.0
    assert estimate.interval(how="exact")[0] == pytest.approx([(e - other) / (own - other) for e in (low, high)])


def test_a_million_inputs():
    rng = np.random.default_rng(0)
    people = np.where(rng.random(200_000) < 0.3, 123_456, rng.integers(10**6, size=200_000))
    estimate = LARGE.estimate(LARGE.simulate(people, seed=3, by="index"))
    best = estimate.top(2)
    assert best.labels[0] == "123456" and best.sure == 1 and next(iter(best.to_pandas()["label"])) == "123456"
    assert best.ends[0][0] <= 0.3 <= best.ends[0][1]
    assert estimate.fit.fits and "most frequent" in str(estimate)
    half = np.zeros(10**6)
    half[:500_000] = 1.0
    share = estimate.functional(half)
    assert abs(float(share) - 0.65) < 5 * share.standard_error
    nonnegative = LARGE.estimate(counts={5: 10}, method="nonnegative").frequencies
    assert nonnegative.min() >= 0 and nonnegative.sum() == pytest.approx(1.0)


def test_reports_of_another_mechanism_do_not_fit():
    with pytest.warns(md.FitWarning, match="do not fit"):
        SMALL.estimate(counts={0: 5000})


@pytest.mark.parametrize("name", MAKERS)
def test_it_is_saved_and_loaded(name, tmp_path):
    made = MAKERS[name](10, 1.0)
    path = made.save(tmp_path / "m.json")
    assert md.load(path) == made and path.stat().st_size < 600
    data = json.loads(path.read_text())
    data["family"]["ratio"] = "3"
    path.write_text(json.dumps(data))
    with pytest.raises(md.CertificateError):
        md.load(path)


def test_a_design_is_saved_and_its_claims_derived_again(tmp_path):
    made = md.design(md.Problem(n=5000), md.LDP(1.0), md.InformationDesign("A"), gap=1e-2)
    path = made.mechanism.save(tmp_path / "m.json")
    again = md.load(path)
    assert again == made.mechanism and again.claimed == made.certificate
    from mechdesign.files.checksums import sealed

    data = json.loads(path.read_text())
    for name, value in (("value", made.value * 0.99), ("bound", made.bound * 1.01)):
        lie = {**data, "claims": {**data["claims"], name: value}}
        path.write_text(json.dumps(sealed(lie)))
        with pytest.raises(md.CertificateError, match=f"claims {name}"):
            md.load(path)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 3.0])
def test_designs_of_many_inputs_are_near_their_bound(epsilon):
    n, ratio = 10**5, np.exp(epsilon)
    made = md.design(md.Problem(n=n), md.LDP(epsilon), md.InformationDesign("A"), gap=0.027)
    assert made.audit.holds and made.route == "family"
    k = np.array([np.floor(n / (ratio + 1)), np.ceil(n / (ratio + 1))])
    most = (n * (ratio - 1) ** 2 * k * (n - k) / (k * ratio + n - k) ** 2).max()
    assert made.bound == pytest.approx((n - 1) ** 2 / most, rel=1e-8)
    own, other = float(made.mechanism.family.own), float(made.mechanism.family.other)
    share = other + (own - other) / n
    assert made.value == pytest.approx(n * share * (1 - share) / (own - other) ** 2, rel=1e-12)
    values = {rival.name: rival.value for rival in made.rivals}
    assert made.value <= min(values["k-ary response"], values["Hadamard response"])
    # Reports of n bits, or of a set of n / (E + 1) inputs, come nearer: nobody could send them.
    assert made.bound <= values["subset selection"] <= values["optimised unary encoding"] <= 1.001 * made.bound


def test_the_value_is_nearly_the_criterion_of_its_matrix():
    """The estimates by covers are unbiased, so that the best ones have no more variance."""
    problem = md.Problem(n=300)
    made = md.design(problem, md.LDP(1.0), md.InformationDesign("A"), route="family", gap=0.05)
    best = md.InformationDesign("A").value(made.matrix, problem)
    assert made.bound <= best <= made.value * (1 + 1e-9) and made.value <= 1.01 * best


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
def test_the_bound_is_below_the_optimum_of_few_inputs(epsilon):
    """The optimum over all sets is another route's; the family is no better, nor is its bound above it."""
    theta = np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    asked = md.Problem(prior=theta), md.LDP(epsilon), md.InformationDesign("A")
    best = md.design(*asked, route="weights")
    by_family = md.design(*asked, route="family", gap=1.0)
    assert by_family.bound <= best.value * (1 + 1e-9) and best.bound <= by_family.value * (1 + 1e-9)
    assert by_family.value >= asked[2].value(by_family.matrix, asked[0]) * (1 - 1e-9)


def test_studies_need_no_matrix(monkeypatch):
    asked = md.Problem(n=50_000), md.LDP(1.0), md.InformationDesign("A")
    monkeypatch.setattr("mechdesign.families.block_design.BlockDesign.incidence", None)
    curve = md.frontier(*asked, levels=[0.5, 1.0], gap=0.02)
    assert [row["outputs"] for row in curve.rows] == [made.mechanism.family.outputs for made in curve.designs]
    found = md.calibrate(*asked, 200_000.0, gap=0.05)
    assert found.design.value <= 200_000.0 * (1 + 1e-12) and found.design.audit.holds
    made = curve.designs[-1]
    assert "Hadamard response" in str(made) and made.identifiability == "Reports identify the population's frequencies."
    with pytest.warns(md.ProofWarning, match="without a matrix"):
        assert not md.design(*asked, gap=0.02, proof=True).certificate.proved


def test_the_witness_of_an_audit_is_one():
    found = md.audit(LARGE)
    (x, other), y = found.inputs, found.output
    ratio = LARGE.family.probability(x, y) / LARGE.family.probability(other, y)
    assert ratio == LARGE.family.ratio and f"Pr(y={y} | x={x})" in str(found)
    with pytest.raises(md.UnsupportedError, match="without a matrix"):
        found.plot()


def test_a_file_of_an_impossible_geometry_is_refused(tmp_path):
    from mechdesign.files.checksums import sealed

    data = json.loads(SMALL.save(tmp_path / "m.json").read_text())
    for family in ({"t": 2}, {"q": 6}, {"q": 4, "t": 60}, {"ratio": "1/2"}):
        forged = sealed({**data, "family": {**data["family"], **family}})
        (tmp_path / "m.json").write_text(json.dumps(forged))
        with pytest.raises(md.CertificateError):
            md.load(tmp_path / "m.json")


def test_queries_and_top_are_those_of_the_dense_estimate():
    counts = np.random.default_rng(5).multinomial(5000, np.full(40, 1 / 40) @ SMALL.matrix)
    found = SMALL.estimate(counts=counts)
    queries = found.queries("prefix")
    one = found.functional((np.arange(40) <= 6).astype(float))
    assert (queries.values[6], queries.standard_errors[6]) == (one.value, one.standard_error)
    assert tuple(queries.interval(0.9)[6]) == pytest.approx(one.interval(0.9))
    assert (queries.interval(simultaneous=True)[:-1, 0] < queries.interval()[:-1, 0]).all()
    dense = md.baselines.randomised_response(WORDS, 3.0).estimate(counts=counts[:40])
    top = dense.top(3)
    assert top.frequencies.tolist() == sorted(dense.frequencies.tolist(), reverse=True)[:3]
    assert top.ends.tolist() == dense.interval(0.95, simultaneous=True)[list(top.inputs)].tolist()


def test_unequal_frequencies_have_a_true_bound():
    theta = 1.0 / np.arange(1, 3001)
    theta /= theta.sum()
    made = md.design(md.Problem(prior=theta), md.LDP(1.0), md.InformationDesign("A"), gap=0.5)
    assert made.value == pytest.approx(float(made.mechanism.family.variances(theta).sum()), rel=1e-9)
    equal = md.design(md.Problem(n=3000), md.LDP(1.0), md.InformationDesign("A"), gap=0.5)
    assert made.bound < equal.bound and made.bound <= made.value


@pytest.mark.parametrize(
    ("ask", "error", "said"),
    [
        (lambda: LARGE.matrix, md.UnsupportedError, "would take about"),
        (LARGE.posterior, md.UnsupportedError, "would take about"),
        (lambda: LARGE.sample([10**6], by="index"), md.DomainError, "go from 0 to 999999"),
        (lambda: SMALL.sample(["unheard"]), md.DomainError, "does not have this label"),
        (lambda: SMALL.estimate([63]), md.DomainError, r"go from 0 to \d+"),
        (lambda: SMALL.estimate([0, None]), md.DomainError, "missing"),
        (lambda: SMALL.estimate([]), md.DomainError, "an estimate needs reports"),
        (lambda: SMALL.estimate([1], counts={0: 1}), md.DomainError, "both of them"),
        (lambda: SMALL.estimate(counts={0: 1.5}), md.DomainError, "whole numbers"),
        (lambda: SMALL.estimate([1], method="likelihood"), md.DomainError, "nonnegative"),
        (lambda: SMALL.estimate([1], weights=[2.0]), md.UnsupportedError, "with a matrix"),
        (lambda: SMALL.estimate([1], by="name"), md.DomainError, "label"),
        (lambda: SMALL.estimate([1], sizes=[2.0]), md.DomainError, "no such parameter"),
        (lambda: md.audit(LARGE, md.LIP(1.0)), md.UnsupportedError, "LDP of its inputs"),
        (lambda: md.baselines.projective_response(WORDS, 0.0), md.DomainError, "say nothing"),
        (lambda: md.baselines.projective_response(WORDS, 1.0, order=6), md.DomainError, "prime power"),
        (lambda: md.baselines.projective_response(md.Problem(n=10**6), 1.0, order=59), md.DomainError, "vectors"),
        (lambda: md.baselines.projective_response(md.Problem(n=2**28), 1.0), md.DomainError, "vectors"),
        (lambda: md.baselines.local_hashing(WORDS, 1.0, values=6), md.DomainError, "prime power"),
        (
            lambda: ImplicitMechanism(ProjectiveGeometry(7, Fraction(3), 2, 3), notion=md.LDP(1.0)),
            md.DomainError,
            "larger than",
        ),
        (lambda: ImplicitMechanism(SMALL.family, problem=md.Problem(n=3)), md.DomainError, "40 inputs"),
        (
            lambda: md.design(md.Problem(prior=[0.5, 0.5]), md.LIP(1.0), md.InformationDesign("A"), route="family"),
            md.UnsupportedError,
            "under LDP",
        ),
    ],
)
def test_what_is_refused_says_why(ask, error, said):
    with pytest.raises(error, match=said):
        ask()


def test_a_ratio_above_the_level_by_one_ulp_is_refused():
    level = ratio_below(1.0)
    above = level + Fraction(1, 2**51)
    assert ImplicitMechanism(ProjectiveGeometry(7, level, 2, 3), notion=md.LDP(1.0)).family.ratio == level
    with pytest.raises(md.DomainError, match="ratio of probabilities"):
        ImplicitMechanism(ProjectiveGeometry(7, above, 2, 3), notion=md.LDP(1.0))


def test_names_of_inputs_are_made_when_they_are_asked_for():
    assert "answers" not in vars(md.Problem(n=10**6)) and md.Problem(n=3).answers == ("0", "1", "2")


def test_people_are_planned_for():
    theta = np.full(40, 1 / 40)
    widest = SMALL.family.variances(theta).max()
    assert SMALL.people_needed(0.02) == int(np.ceil(1.959963984540054**2 * widest / 0.02**2))
    assert LARGE.people_needed(difference=0.01) > LARGE.people_needed(difference=0.02)


def test_the_report_has_no_matrix(tmp_path):
    page = md.report(LARGE, tmp_path / "page.html").read_text()
    assert "projective geometry" in page and len(page) < 200_000


def test_correct_reports_of_a_geometry_with_points_to_spare_fit():
    """Rare hyperplanes hold most of few points: the sum of all frequencies is far from normal at 1,000 reports."""
    made = md.baselines.projective_response(md.Problem(n=1024), 2.0)
    people = np.zeros(1000, dtype=int)
    found = [made.estimate(made.simulate(people, seed=seed, by="index")).fit.p_value for seed in range(60)]
    assert sum(p < 0.001 for p in found) <= 2
