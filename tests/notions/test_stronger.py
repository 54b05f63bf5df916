"""Notions that imply others: every mechanism of the stronger one satisfies the weaker."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.notions.stronger import Stronger, stronger
from mechdesign.testing import sized
from tests.helpers import brute_force

NAMES = tuple(name for name in sized.NOTIONS if name not in {"LDP", "WorstCaseLIP"})
WITHOUT = {"CentralizedIP", "ProfileDP", "WeightedTV"}


def extreme(found, problem, rng):
    """Return a random mechanism of extreme rays of LDP, or of full lifts, with what may be disclosed besides."""
    n = problem.n
    if isinstance(found.notion, md.LDP):
        rays = brute_force.ldp_vectors(n, found.notion.epsilon)
        # Subsets of one size, each as often: rows sum to one.
        sizes = (rays > rays.min(axis=0) + 1e-12).sum(axis=0)
        kept = rays[:, sizes == rng.integers(1, n)]
        matrix = kept / kept.sum(axis=1, keepdims=True)
    else:
        matrix = md.design(problem, found.notion, md.MutualInformation()).matrix
    return (1 - found.disclosed) * matrix, found.disclosed * np.eye(n)


def excess(name, found, n, rng):
    """Return the largest excess over the notion's level of some mechanisms of the stronger one."""
    worst = -np.inf
    for _ in range(20):
        problem = sized.sized_problem(n, rng)
        notion = sized.NOTIONS[name](problem, rng)
        matrix = np.hstack(extreme(found(notion, problem), problem, rng))
        worst = max(worst, notion.level(matrix[:, matrix.max(axis=0) > 0], problem).excess(notion))
    return worst


@pytest.mark.parametrize("name", NAMES)
def test_what_satisfies_the_stronger_notion_satisfies_the_notion(name, rng):
    n = 2 if name == "WeightedTV" else 4
    problem = sized.sized_problem(n, rng)
    found = stronger(sized.NOTIONS[name](problem, rng), problem)
    assert (found is None) == (name in WITHOUT)
    if found is not None:
        assert excess(name, stronger, n, rng) <= 1e-9


@pytest.mark.parametrize("name", [name for name in NAMES if name not in {*WITHOUT, "Intersection", "ApproximateLDP"}])
def test_the_table_of_implications_agrees(name, rng):
    problem = sized.sized_problem(4, rng)
    notion = sized.NOTIONS[name](problem, rng)
    found = stronger(notion, problem)
    # A constant of the table is rounded outward.
    weaker = type(found.notion)(found.notion.parameter * (1 - 1e-9))
    assert md.implies(weaker, notion, problem).answer == "yes"


@pytest.mark.parametrize("name", ["LIP", "ApproximateLDP", "StrongL1", "StrongChiSquare", "MutualInformationPrivacy"])
def test_planted_half_a_nat_more_is_caught(name, rng):
    """Planted: LDP at half a nat more than what implies the notion."""

    def wrong(notion, problem):
        found = stronger(notion, problem)
        return Stronger(md.LDP(found.notion.epsilon + 0.5), found.disclosed)

    assert excess(name, wrong, 4, rng) > 1e-6


def test_none_for_ldp_and_hidden_secrets():
    problem = md.Problem(prior=[0.5, 0.5])
    assert stronger(md.LDP(1.0), problem) is None
    hidden = problem.hidden([[0.9, 0.2], [0.1, 0.8]])
    assert stronger(md.LIP(1.0), hidden) is None
