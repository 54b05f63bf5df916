"""The ends of the catalogue: nothing may be told, everything may, next to nothing, and secrets that are all alike."""

import json
import math
import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.files.checksums import sealed
from mechdesign.runtime.deadline import reading
from mechdesign.solve.pricing.support import support
from mechdesign.solve.search import branch_and_bound as leaf_search
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.sized import NOTIONS, OBJECTIVES, sized_problem

VALUES = (0.0, 1.0, 3.0)
LOSS = np.array([[0.0, 2.0, 1.0], [1.0, 0.0, 0.5], [3.0, 1.0, 0.0]])
FIRST, SECOND = (0.5, 0.3, 0.2), (0.2, 0.2, 0.6)


def entropy(prior):
    return -math.fsum(p * math.log(p) for p in prior)


#: What is told where all is told, from the definitions, for the prior (0.2, 0.3, 0.5).
WITHOUT_PRIVACY = {
    "MMSE": (md.MMSE(), 0.0),
    "HammingLoss": (md.HammingLoss(), 0.0),
    "AbsoluteError": (md.AbsoluteError(), 0.0),
    "ErrorProbability": (md.ErrorProbability(), 0.0),
    "HistogramMMSE": (md.HistogramMMSE(), 0.0),
    "ExpectedLoss": (md.ExpectedLoss(LOSS + 1.0), 1.0),
    "WorstCaseLoss": (md.WorstCaseLoss(LOSS), 0.0),
    "MaxOffDiagonal": (md.MaxOffDiagonal(), 0.0),
    "MutualInformation": (md.MutualInformation(), entropy((0.2, 0.3, 0.5))),
    "TotalVariation": (md.TotalVariation(FIRST, SECOND), 0.4),
    "Hellinger": (
        md.Hellinger(FIRST, SECOND),
        1.0 - math.fsum(math.sqrt(p * s) for p, s in zip(FIRST, SECOND, strict=True)),
    ),
    "KLDivergence": (
        md.KLDivergence(FIRST, SECOND),
        math.fsum(p * math.log(p / s) for p, s in zip(FIRST, SECOND, strict=True)),
    ),
}
#: Notions that ask nothing at this level.
SILENT = (
    md.MutualInformationPrivacy(5.0),
    md.StrongChiSquare(30.0),
    md.StrongL1(2.0),
    md.MaximalLeakage(2.0),
    md.MaxLift(3.0),
    md.ApproximateLDP(1.0, 1.0),
)


@pytest.mark.thinned(9)
@pytest.mark.parametrize("notion", SILENT, ids=str)
@pytest.mark.parametrize("name", WITHOUT_PRIVACY)
def test_where_nothing_is_asked_all_is_told_and_certified(notion, name):
    objective, value = WITHOUT_PRIVACY[name]
    made = md.design(md.Problem(prior=[0.2, 0.3, 0.5], values=VALUES), notion, objective)
    assert made.value == pytest.approx(value, rel=1e-8, abs=1e-14)
    assert made.gap <= 1e-6


#: Each notion at the level at which nothing may be told.
LEAST = {
    "LDP": lambda p: md.LDP(0),
    "LIP": lambda p: md.LIP(0),
    "Intersection": lambda p: md.LDP(0) & md.LIP(0),
    "WorstCaseLIP": lambda p: md.WorstCaseLIP(0),
    "MaxLift": lambda p: md.MaxLift(0),
    "AsymmetricLIP": lambda p: md.AsymmetricLIP(0, 0.001),
    "StrongL1": lambda p: md.StrongL1(0),
    "StrongChiSquare": lambda p: md.StrongChiSquare(0),
    "MetricDP": lambda p: md.MetricDP(0, np.abs(np.subtract.outer(np.arange(len(p)), np.arange(len(p)))).astype(float)),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("route", ["auto", "rays"])
@pytest.mark.parametrize("name", LEAST)
def test_rounding_where_nothing_is_told_is_no_contradiction(name, route, rng):
    for _ in range(12):
        n = int(rng.integers(2, 5))
        problem, pair = md.Problem(prior=rng.dirichlet(np.ones(n))), rng.dirichlet(np.ones(n), size=2)
        notion = LEAST[name](problem.prior)
        if route == "rays" and not notion.polyhedral:
            continue
        for asked in (md.TotalVariation(*pair), md.JensenShannon(*pair), md.RenyiDivergence(5.0, *pair)):
            made = md.design(problem, notion, asked, route=route, gap=1e-5)
            assert abs(made.value) <= 1e-14
            # Relative to a millionth of what could be told at all.
            assert made.gap <= 1e-5


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("notion", NOTIONS)
def test_one_input_is_no_crash(notion, objective, rng):
    """All that is told of one input is told; what has no meaning for one is refused in words."""
    problem = sized_problem(1, rng)
    try:
        asked = OBJECTIVES[objective](problem, rng)
        made = md.design(problem, NOTIONS[notion](problem, rng) or md.LDP(1.0), asked)
    except md.errors.MechdesignError:
        return
    assert made.gap <= 1e-6


@pytest.mark.parametrize("notion", [md.MutualInformationPrivacy(0.1), md.SibsonLeakage(0.1, 2.0), md.LDP(1.0)], ids=str)
def test_one_input_has_no_edge_to_cut(notion):
    """Found by random questions: a cell of one corner was to be halved."""
    labels = md.LabelInformation([[0.3], [0.7]])
    made = md.design(md.Problem(prior=[1.0]), notion, labels, route="known")
    assert made.value == made.bound == 0


@pytest.mark.parametrize("asked", [md.MutualInformation(), md.HistogramMMSE(), md.MMSE()], ids=str)
def test_a_secret_of_one_value_leaves_all_to_tell(asked):
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=VALUES).hidden([[1.0, 1.0, 1.0]])
    made = md.design(problem, md.StrongChiSquare(0.5), asked)
    assert made.value == pytest.approx(WITHOUT_PRIVACY[type(asked).__name__][1], abs=1e-14)
    assert made.gap <= 1e-6


def test_inputs_that_have_to_be_alike_are_so_to_the_last_bit():
    """The first two rows are one, whose largest entry is at least a third; the third is told for certain."""
    made = md.design(md.Problem(prior=[0.2, 0.3, 0.5]), md.BlockLDP(0.0, ((0, 1),)), md.MaxOffDiagonal())
    assert made.value == pytest.approx(1 / 3, rel=1e-9)
    assert made.gap <= 1e-6


def test_the_exponent_at_an_end_is_not_lost_in_the_repair():
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    made = md.design(problem, md.BlockLDP(0.5, ((0, 1),)), md.ChernoffExponent([1 / 3, 1 / 3, 1 / 3], [0.5, 0.5, 0.0]))
    assert made.value == pytest.approx(math.log(1.5), rel=1e-9)
    assert made.gap <= 1e-6


def next_to_nothing():
    """Return a problem with a hidden secret of two values, of which outputs can be independent and still tell much."""
    secrets = np.array([[0.9, 0.2, 0.6, 0.3], [0.1, 0.8, 0.4, 0.7]])
    return md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0, 1, 3, 2]).hidden(secrets)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("epsilon", [1e-7, 1e-9, 1e-10, 1e-12])
@pytest.mark.parametrize("kind", [md.LDP, md.LIP, md.WorstCaseLIP, md.MaxLift, md.StrongL1], ids=lambda k: k.__name__)
def test_a_thin_cone_is_repaired_along_itself(kind, epsilon):
    assert md.design(next_to_nothing(), kind(epsilon), md.MMSE()).gap <= 1e-6


def test_the_least_level_of_a_hidden_secret_says_what_to_do():
    with pytest.warns(md.GapWarning, match="ask for a level higher by 1e-9"):
        md.design(next_to_nothing(), md.LDP(0.0), md.MMSE())


def test_zeros_of_either_sign_are_one_mechanism(tmp_path):
    problem = md.Problem(prior=[0.25, 0.75])
    made = md.design(problem, md.LDP(0.0), md.WorstCaseLoss([[1.0, 2.0, 0.0], [1.0, 0.5, 3.0]]))
    assert not np.any(np.signbit(made.matrix))
    assert md.load(made.mechanism.save(tmp_path / "a.json")) == made.mechanism


def test_a_file_without_a_matrix_is_refused(tmp_path):
    made = md.design(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LIP(1.0), md.MMSE(), outputs=2)
    path = made.mechanism.save(tmp_path / "a.json")
    path.write_text(json.dumps(sealed({**json.loads(path.read_text()), "numerators": []})))
    with pytest.raises(md.CertificateError, match="no matrix"):
        md.load(path)


@pytest.mark.parametrize(
    ("notion", "asked"),
    [
        (md.BlockLDP(2.0, ((0, 1),)), md.RenyiDivergence(2.0, [0.9, 0.1], [1e-6, 1 - 1e-6])),
        (md.AsymmetricLIP(5.0, 1.5), md.ChiSquare([0.5, 0.5], [1e-4, 1 - 1e-4])),
    ],
    ids=str,
)
def test_one_output_has_no_gap(notion, asked):
    made = md.design(md.Problem(prior=[0.3, 0.7]), notion, asked, outputs=1)
    assert (made.value, made.bound, made.gap) == (0.0, 0.0, 0.0)


def test_the_search_leaves_time_for_the_proof(monkeypatch, rng):
    """A leaf whose proof takes a fifth of the time limit: no more than five leaves can be proved in time."""

    clock = CountingClock(0.0001)

    def slow(*given):
        clock.advance(0.2)
        return support(*given)

    monkeypatch.setattr(leaf_search, "support", slow)
    problem = md.Problem(prior=rng.dirichlet(np.ones(5)), values=rng.normal(size=5))
    with warnings.catch_warnings(), reading(clock):
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(problem, md.LIP(1.5), md.MMSE(), outputs=2, time_limit=1.0, gap=1e-14, route="few_outputs")
    leaves = int(made.mechanism.certificate.multipliers.leaves.shape[0])
    assert (made.solver_stats.status, leaves <= 6) == ("time limit", True)


def test_infinite_utility_does_not_ask_for_digits_of_nothing():
    """One of the two distributions is zero somewhere, and nothing may be told: the search had no scale to end by."""
    box = md.BoundedPriorLIP(0.0, [0.0, 0.0, 0.6, 0.0, 0.0, 0.0], [0.3, 0.3, 1.0, 0.3, 0.3, 0.3])
    pair = ([0.0, 0.1, 0.1, 0.2, 0.1, 0.5], [0.15, 0.25, 0.1, 0.4, 0.0, 0.1])
    with reading(CountingClock(0.003)):
        made = md.design(md.Problem(n=6), box, md.ChiSquare(*pair), outputs=3, route="few_outputs", time_limit=3.0)
    assert made.gap <= 1e-6
    assert made.solver_stats.status == "searched"
