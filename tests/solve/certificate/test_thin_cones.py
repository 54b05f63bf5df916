"""Cones so thin that rounding would decide what lies in them: answered, with bounds that no mechanism passes."""

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue.drawn import random_channel, random_prior
from mechdesign.solve.routes import convex

pytestmark = pytest.mark.filterwarnings("ignore::mechdesign.errors.GapWarning")

THREE = np.array([6 / 11, 3 / 11, 2 / 11])


def nearly_constant():
    """Return a problem with a hidden secret whose two values are told apart by 3e-14 at most."""
    apart = np.array([1e-14, 3e-14, 2e-14, 0.0])
    problem = md.Problem(prior=[0.01, 0.01, 0.01, 0.97], values=range(4))
    return problem.hidden([0.5 + apart, 0.5 - apart])


@pytest.mark.thinned(4)
@pytest.mark.parametrize("level", [0.0, 1e-17])
@pytest.mark.parametrize(
    ("objective", "reached"), [(md.MutualInformation(), 0.0191), (md.HistogramMMSE(), 0.05833)], ids=["nats", "squares"]
)
def test_a_curved_notion_at_next_to_nothing(level, objective, reached):
    """What is reached was found by hand: a private mechanism over the exact channel."""
    bound = md.design(nearly_constant(), md.StrongChiSquare(level), objective).bound
    assert bound >= reached if objective.name == "MutualInformation" else bound <= reached


@pytest.mark.parametrize("epsilon", [0.0, 1e-13])
def test_a_box_of_priors_next_to_one_of_them(epsilon):
    """Nothing may be told at level 0: the variance of the values is what is left."""
    problem = md.Problem(prior=THREE, values=range(3))
    made = md.design(problem, md.BoundedPriorLIP(epsilon, THREE - 1e-9, THREE + 1e-9), md.MMSE())
    values = np.arange(3)
    assert made.bound == pytest.approx(THREE @ values**2 - (THREE @ values) ** 2, rel=1e-6)


def test_a_prior_next_to_certain():
    problem = md.Problem(prior=[1e-15, 1 - 1e-15], values=[0, 1])
    joined = md.LIP(1e-15) & md.LDP(1)
    assert md.design(problem, joined, md.MMSE()).gap <= 1e-6
    assert md.implies(joined, md.LDP(1), problem)


def test_a_product_of_level_and_distance_beyond_floats():
    """Everything may be told: no two inputs are held together."""
    made = md.design(md.Problem(n=2, prior=[0.5, 0.5]), md.MetricDP(1e308, [[0, 10], [10, 0]]), md.HammingLoss())
    assert made.value == pytest.approx(0.0, abs=1e-9)


def test_an_intersection_of_which_one_part_says_all():
    problem = md.Problem(prior=[0.247261751163606, 0.251618289186576, 0.5011199596498181])
    joined, alone = (
        md.design(problem, notion, md.MutualInformation()) for notion in (md.LDP(2e-9) & md.LIP(1e-9), md.LIP(1e-9))
    )
    assert joined.bound >= alone.value


def test_solvers_that_fail_leave_a_known_mechanism_and_a_bound():
    problem = md.Problem(prior=[4.752484733240407e-15, 0.2902540869934686, 0.7097459130065267])
    loss = np.array([[-0.799, 0.965, 2.019], [-0.656, -1.061, 1.229], [0.208, -0.324, 0.395]])
    made = md.design(problem, md.ApproximateLDP(800.0, 1e-17), md.ExpectedLoss(loss))
    # All may be told: the least of each row.
    assert made.value == pytest.approx(problem.prior @ loss.min(axis=1), rel=1e-9)


@pytest.mark.thinned(5)
@pytest.mark.parametrize("epsilon", [1e-15, 1e-13, 1e-12, 1e-10, 1e-9, 1e-6])
def test_an_ordinary_hidden_secret_at_levels_next_to_nothing(epsilon):
    rng = np.random.default_rng(901)
    problem = md.Problem(prior=rng.dirichlet(np.ones(5))).hidden(rng.dirichlet(np.ones(3), size=5).T)
    made = md.design(problem, md.LDP(epsilon), md.MutualInformation())
    assert made.gap <= 1e-3
    # More is allowed than at level 0, and hardly more.
    least = md.design(problem, md.LDP(0.0), md.MutualInformation()).bound
    assert least * (1 - 1e-9) <= made.bound <= least + 1e3 * epsilon + 1e-10


#: Least upper bounds of a utility, and largest lower bounds of an error, of ordinary hidden secrets at level 0, as the
#: commit 0441f8b had them: bounds that are right do not get weaker.
AT_ZERO = {
    (0, "MMSE"): 0.19708003582082184,
    (0, "MutualInformation"): 0.8026396201916223,
    (0, "HistogramMMSE"): 0.1399591179454845,
    (0, "ErrorProbability"): 0.07779532511740411,
    (1, "MMSE"): 1.9289285505637606,
    (1, "MutualInformation"): 0.5551272925552848,
    (1, "HistogramMMSE"): 0.5837222338847655,
    (1, "ErrorProbability"): 0.5199784118234416,
    (2, "MMSE"): 0.7849646919707728,
    (2, "MutualInformation"): 1.180099417914089,
    (2, "HistogramMMSE"): 0.44325174532511197,
    (2, "ErrorProbability"): 0.3380424169272671,
    (3, "MMSE"): 1.642137381166569,
    (3, "MutualInformation"): 0.2605645493749731,
    (3, "HistogramMMSE"): 0.5972801731640814,
    (3, "ErrorProbability"): 0.45766666322211486,
}


@pytest.mark.thinned(12)
@pytest.mark.parametrize(("number", "name"), AT_ZERO)
def test_bounds_of_ordinary_secrets_at_level_0_are_no_weaker_than_they_were(number, name):
    secrets, n = ((2, 4), (3, 5), (2, 6), (4, 6))[number]
    rng = np.random.default_rng([15, number])
    problem = md.Problem(prior=random_prior(n, rng), values=range(n)).hidden(random_channel(n, secrets, rng).T)
    bound = md.design(problem, md.LDP(0.0), getattr(md, name)()).bound
    sign = -1.0 if name == "MutualInformation" else 1.0
    assert sign * bound >= sign * AT_ZERO[number, name] - 1e-9


def entropy_at_next_to_no_mass(**keywords):
    """Design where the mended matrix misses the rule by less than an even better one, which replaced it."""
    problem = md.Problem(prior=[1.000999998999e-06, 0.999998999000001])
    rule = {"subject_to": lambda Q: [cp.entr(Q[1, 0]) >= 0.07265049006243142]}
    return md.design(problem, md.LDP(1e-6), md.HammingLoss(), **rule, **keywords)


def test_a_rule_of_ones_own_is_looked_at_for_every_matrix_that_replaces_another():
    made = entropy_at_next_to_no_mass()
    assert made.gap <= 1e-6
    kept = made.mechanism.matrix[1, 0]
    assert -kept * np.log(kept) >= 0.07265049006243142 - 1e-9


def test_matrices_that_miss_the_rule_are_caught(monkeypatch):
    monkeypatch.setattr(convex, "_keeps", lambda *_: True)
    with pytest.raises(md.CertificateError, match=r"is better \(0\.018\d+\) than the bound on every private mechanism"):
        entropy_at_next_to_no_mass()


@pytest.mark.parametrize(("size", "unit"), [(1e-160, "smaller"), (1e120, "larger")])
def test_numbers_whose_products_leave_floats_are_refused_with_a_unit(size, unit):
    problem = md.Problem(prior=THREE, values=size * np.arange(3))
    for objective in (md.MMSE(), md.AbsoluteError(), md.ExpectedLoss(size * (1 - np.eye(3)))):
        with pytest.raises(md.DomainError, match=rf"has to be between .* in size, .* choose a {unit} unit"):
            md.design(problem, md.LDP(1.0), objective)
    in_units = md.Problem(prior=THREE, values=np.arange(3))
    assert md.design(in_units, md.LDP(1.0), md.MMSE()).gap <= 1e-9
