"""Information under the least favourable prior: an independent program, mixtures of the priors, and many inputs."""

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.solve.pricing.mixture_of_priors import at_mixture
from mechdesign.solve.search.least_information import LeastInformation
from tests.helpers.brute_force import ldp_vectors


def information(prior, matrix):
    """Return the mutual information by its definition."""
    joint = prior[:, None] * matrix
    product = np.outer(prior, joint.sum(axis=0))
    met = joint > 0
    return float((joint[met] * np.log(joint[met] / product[met])).sum())


def least_by_program(columns, priors):
    """Return max over mechanisms of min over `priors`: weights of rays, one row for each prior."""
    n, rays = columns.shape
    worth = np.array([[information(prior, columns[:, [r]]) for r in range(rays)] for prior in priors])
    found = linprog(
        np.append(np.zeros(rays), -1.0),
        A_ub=np.hstack([-worth, np.ones((len(priors), 1))]),
        b_ub=np.zeros(len(priors)),
        A_eq=np.hstack([columns, np.zeros((n, 1))]),
        b_eq=np.ones(n),
        bounds=[(0, None)] * rays + [(None, None)],
    )
    assert found.status == 0, found.message
    return -found.fun


def some_priors(n, count, rng):
    """Return distributions, one of which leaves out an input."""
    priors = rng.dirichlet(np.ones(n), size=count)
    if n > 2:
        priors[-1, 0] = 0.0
        priors[-1] /= priors[-1].sum()
    return priors


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 4.0])
@pytest.mark.parametrize("count", [1, 2, 5])
@pytest.mark.parametrize("n", [2, 3, 5])
def test_an_independent_program_finds_the_same_optimum(n, count, epsilon, rng):
    priors = some_priors(n, count, rng)
    made = md.design(md.Problem(n=n), md.LDP(epsilon), md.WorstCaseInformation(priors))
    best = least_by_program(ldp_vectors(n, epsilon), priors)
    assert made.value == pytest.approx(best, rel=1e-7)
    assert made.mechanism.certificate.bound >= best * (1 - 1e-9)
    assert made.gap <= 1e-6


def test_no_mixture_of_the_priors_has_less_information(rng):
    priors, matrix = some_priors(4, 3, rng), rng.dirichlet(np.ones(5), size=4)
    least = md.WorstCaseInformation(priors).value(matrix, md.Problem(n=4))
    assert least == pytest.approx(min(information(prior, matrix) for prior in priors), rel=1e-12)
    mixed = rng.dirichlet(np.ones(3), size=200) @ priors
    assert min(information(prior, matrix) for prior in mixed) >= least * (1 - 1e-12)


def test_one_prior_is_the_information_under_it(rng):
    prior = rng.dirichlet(np.ones(6))
    for notion in (md.LDP(1.0), md.MaximalLeakage(0.5)):
        robust = md.design(md.Problem(n=6), notion, md.WorstCaseInformation([prior]))
        alone = md.design(md.Problem(prior=prior), notion, md.MutualInformation())
        assert robust.value == pytest.approx(alone.value, rel=1e-6)


@pytest.mark.parametrize("n", [20, 60])
def test_many_inputs_are_near_the_optimum_under_the_worst_of_single_priors(n, rng):
    priors = rng.dirichlet(np.full(n, 2.0), size=3)
    made = md.design(md.Problem(n=n), md.LDP(1.0), md.WorstCaseInformation(priors), gap=0.03)
    alone = [md.design(md.Problem(prior=prior), md.LDP(1.0), md.MutualInformation()) for prior in priors]
    # The information under each prior is one that the robust mechanism has, too.
    assert made.value <= min(each.mechanism.certificate.bound for each in alone)
    assert made.mechanism.certificate.bound >= max(
        min(information(prior, each.matrix) for prior in priors) for each in alone
    )


def test_the_bound_at_a_mixture_holds_for_mechanisms_relative_to_another_prior(rng):
    # 20 inputs under LIP: the stated prior is the middle of the listed ones.
    stated = rng.dirichlet(np.full(20, 5.0))
    step = 0.2 * stated.min() * rng.choice([-1.0, 1.0], size=20)
    step -= step.mean()
    priors = [stated + step, stated - step]
    problem = md.Problem(prior=stated)
    made = md.design(problem, md.LIP(1.0), md.WorstCaseInformation(priors), gap=0.03)
    other = md.design(problem, md.LIP(1.0), md.MutualInformation()).matrix
    assert made.mechanism.certificate.bound >= min(information(prior, other) for prior in priors)


@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
def test_a_prior_outside_of_the_listed_ones_has_a_true_bound(rng):
    problem, priors = md.Problem(prior=rng.dirichlet(np.ones(20))), rng.dirichlet(np.ones(20), size=2)
    for objective in (md.WorstCaseInformation(priors), md.MeanInformation(priors)):
        made = md.design(problem, md.LIP(1.0), objective)
        assert made.audit.holds
        # No worse than the mechanism that ignores the list.
        ignored = objective.value(md.design(problem, md.LIP(1.0), md.MutualInformation()).matrix, problem)
        assert 0.99 * ignored <= made.value <= made.mechanism.certificate.bound


def test_what_is_no_prior_is_refused():
    with pytest.raises(md.DomainError, match="priors"):
        md.WorstCaseInformation([[0.5, 0.6]])
    with pytest.raises(md.DomainError, match=r"priors\[0\]"):
        md.design(md.Problem(n=3), md.LDP(1.0), md.WorstCaseInformation([[0.5, 0.5]]))
    with pytest.raises(md.UnsupportedError, match="priors"):
        md.WorstCaseInformation([[0.5, 0.5]]).expression(None, md.Problem(n=2))


def test_a_prior_that_is_certain_leaves_nothing_to_find_and_nothing_open():
    made = md.design(md.Problem(n=3), md.LDP(1.0), md.WorstCaseInformation([[1, 0, 0], [1 / 3] * 3]))
    assert made.value == made.bound == made.gap == 0.0


def test_known_mechanisms_and_those_of_ones_own_are_beside_it():
    problem, robust = md.Problem(n=3), md.WorstCaseInformation([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    own = md.baselines.randomised_response(problem, 1.0)
    text = str(md.compare(problem, md.LDP(1.0), robust, mechanisms={"mine": own}))
    value = robust.value(own.matrix, problem)
    assert f"{value:.8g}" in next(line for line in text.splitlines() if line.strip().startswith("mine"))
    assert any("k-ary" in rival.name for rival in md.design(problem, md.LDP(1.0), robust).rivals)


def test_behind_a_secret_the_bound_is_that_of_the_stated_prior():
    stated = md.Problem(prior=[0.5, 0.3, 0.2]).hidden(secret_given_data=[[0.9, 0.4, 0.2], [0.1, 0.6, 0.8]])
    notion, priors = md.MutualInformationPrivacy(0.05), [[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]]
    alone = md.design(stated, notion, md.MutualInformation(), gap=1e-4)
    made = md.design(stated, notion, md.WorstCaseInformation(priors), gap=1e-4)
    assert made.bound <= alone.bound * (1 + 1e-4) and made.gap <= 1e-4


@pytest.mark.parametrize(
    "notion", [md.MutualInformationPrivacy(0.1), md.StrongChiSquare(0.3), md.SibsonLeakage(0.2, alpha=2.0)]
)
def test_cones_with_a_curved_side_are_designed_for_at_one_mean_after_another(notion, rng):
    # The stated prior is no mixture of the listed ones.
    problem, priors = md.Problem(prior=[0.2, 0.8]), np.array([[0.5, 0.5], [0.9, 0.1]])
    robust = md.WorstCaseInformation(priors)
    made = md.design(problem, notion, robust, gap=1e-5)
    for weights in (None, [0.0, 1.0], [0.3, 0.7]):
        mean = md.design(problem, notion, md.MeanInformation(priors, weights), gap=1e-5)
        assert robust.value(mean.matrix, problem) <= made.bound and made.value <= mean.bound


@pytest.mark.parametrize("far", [0.0, 0.05, 1.0])
def test_no_column_has_more_information_than_the_prior_beside_allows(far, rng):
    # By definition, for columns of a mechanism: the information at a mixture less the one at a stated prior.
    for _ in range(50):
        priors, shares, stated = rng.dirichlet(np.ones(4), size=3), rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4))
        stated = (1 - far) * shares @ priors + far * stated
        problem, allowed = at_mixture(md.LIP(1.0), md.MeanInformation(priors, shares), md.Problem(prior=stated))
        assert problem.prior == pytest.approx(stated)
        matrix = rng.dirichlet(np.full(5, 0.3), size=4)
        mean = sum(share * information(prior, matrix) for share, prior in zip(shares, priors, strict=True))
        assert mean <= (information(stated, matrix) + allowed) * (1 + 1e-12)
        for column in matrix.T:
            # Column by column, with the part of the slope that adds up to nothing.
            given, mixed = column[:, None], shares @ priors
            own = sum(share * information(prior, given) for share, prior in zip(shares, priors, strict=True))
            linear = float((mixed - stated) @ column)
            assert own <= information(stated, given) + allowed * float(stated @ column) - linear + 1e-14
    assert (allowed < 1e-12) == (far == 0.0)


@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
def test_without_a_mixture_of_columns_the_design_at_a_prior_is_kept(rng, monkeypatch):
    def fails(self, solver):
        raise md.SolverError("no mixture today", status="failed")

    monkeypatch.setattr(LeastInformation, "best", fails)
    priors = rng.dirichlet(np.full(20, 5.0), size=2)
    robust = md.WorstCaseInformation(priors)
    made = md.design(md.Problem(n=20), md.LDP(1.0), robust)
    alone = md.design(md.Problem(prior=priors.mean(axis=0)), md.LDP(1.0), md.MutualInformation())
    assert made.value >= 0.99 * robust.value(alone.matrix, md.Problem(n=20)) > 0.05
