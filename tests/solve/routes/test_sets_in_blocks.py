"""Information and histogram error where LDP is asked on blocks, or inputs may be revealed: against all extreme rays."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.pricing import sets_in_blocks
from mechdesign.solve.pricing.subdivision import Excess

OBJECTIVES = (md.MutualInformation(), md.HistogramMMSE())
BOTH = pytest.mark.parametrize("objective", OBJECTIVES, ids=lambda objective: objective.name)


def drawn(seed):
    """Return a problem of a few inputs, some of which hardly come, and a notion of each kind over them."""
    rng = np.random.default_rng(seed)
    n, epsilon = int(rng.integers(3, 8)), float(rng.choice([0.2, 1.0, 2.5]))
    inputs, cut = rng.permutation(n).tolist(), int(rng.integers(2, n + 1))
    blocks = [inputs[:cut], *([inputs[cut:]] if n - cut > 1 else [])]
    sensitive = inputs[: int(rng.integers(1, n))]
    problem = md.Problem(prior=rng.dirichlet(np.full(n, 0.6)))
    return problem, md.UtilityOptimizedLDP(epsilon, sensitive), md.BlockLDP(epsilon, blocks)


@pytest.mark.thinned(4)
@BOTH
@pytest.mark.parametrize("seed", range(24))
def test_they_reach_what_the_list_of_rays_does(seed, objective):
    problem, *notions = drawn(seed)
    for notion in notions:
        made = md.design(problem, notion, objective, route="subsets")
        listed = md.design(problem, notion, objective, route="rays")
        assert made.gap <= 1e-6 and made.audit.holds
        assert made.value == pytest.approx(listed.value, rel=2e-6, abs=1e-12)
        assert made.bound == pytest.approx(listed.bound, rel=2e-6, abs=1e-12)


@pytest.mark.parametrize("n", [25, 60])
@BOTH
def test_one_sensitive_input_leaves_one_protected_output(n, objective):
    prior = np.random.default_rng(n).dirichlet(np.ones(n))
    problem, least = md.Problem(prior=prior), np.exp(-1.0)
    best = np.hstack([np.append(1.0, np.full(n - 1, least))[:, None], (1.0 - least) * np.eye(n)[:, 1:]])
    made = md.design(problem, md.UtilityOptimizedLDP(1.0, [0]), objective)
    assert made.gap <= 1e-9 and made.value == pytest.approx(objective.value(best, problem), rel=1e-9)


@BOTH
def test_blocks_are_revealed_and_loaded(objective, tmp_path):
    n = 40
    problem = md.Problem(prior=np.random.default_rng(n).dirichlet(np.ones(n)))
    made = md.design(problem, md.BlockLDP(1.0, [range(15), range(15, 33)]), objective, gap=1e-5)
    assert made.route == "subsets" and made.gap <= 1e-5
    # No output is of two blocks.
    used = made.mechanism.matrix > 0
    assert not np.any(used[:15].any(axis=0) & used[15:].any(axis=0))
    made.mechanism.save(tmp_path / "q.json")
    assert md.load(tmp_path / "q.json").certificate.bound == pytest.approx(made.bound, rel=1e-5)


@BOTH
def test_a_price_that_forgets_what_may_be_revealed_is_caught(objective, monkeypatch):
    """Planted: protected columns alone are priced."""
    n = 14
    problem, notion = md.Problem(prior=np.full(n, 1 / n)), md.UtilityOptimizedLDP(1.0, range(4))
    protected = md.design(problem, md.LDP(1.0), objective).mechanism.certificate.multipliers
    assert utility_bound(notion, objective, problem, protected).utility >= utility_of(objective, notion, problem)
    monkeypatch.setattr(sets_in_blocks, "revealed_excess", lambda *_: Excess(-np.inf, 0.0, np.zeros((n, 0))))
    assert utility_bound(notion, objective, problem, protected).utility < utility_of(objective, notion, problem)


def utility_of(objective, notion, problem):
    """Return the utility of one protected output, with every other input revealed as far as that leaves."""
    n, least = problem.n, np.exp(-notion.epsilon)
    protected = np.where(np.isin(np.arange(n), notion.sensitive), 1.0, least)[:, None]
    matrix = np.hstack([protected, (1.0 - protected) * np.eye(n)])
    return float(objective.column_utility(matrix, problem).sum())
