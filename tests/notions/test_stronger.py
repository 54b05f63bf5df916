"""Notions that imply others: every mechanism of the stronger one satisfies the weaker."""

from dataclasses import dataclass

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


@dataclass(frozen=True)
class Own(md.MaxLift):
    """A notion of one's own."""


def naming(monkeypatch, function):
    monkeypatch.setattr(Own, "card", md.Card(stronger=function))
    return Own(0.5)


def raising(notion, problem):
    raise KeyError("level")


SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda notion, problem: 0.5, r"it returned 0\.5; let it return a notion, or None"),
        (lambda notion, problem: md.LDP, "it returned <class"),
        (lambda notion, problem: (md.LDP(0.5), 0.1), "it returned .LDP"),
        (lambda notion: md.LDP(0.5), "it raises TypeError"),
        (raising, r"it raises KeyError \('level'\); correct it"),
        # Each of these ran for ever, or into Python's limit of recursion.
        (lambda notion, problem: notion, "and so on without an end"),
        (lambda notion, problem: Own(notion.epsilon / 2), "and so on without an end"),
    ],
)
def test_a_card_that_names_no_notion_is_refused(function, said, monkeypatch):
    own = naming(monkeypatch, function)
    for notion in (own, own & md.LIP(0.6)):
        with pytest.raises(md.DomainError, match=said) as raised:
            md.design(SURVEY, notion, md.MMSE())
        assert raised.value.argument == "Own.card.stronger"


def test_a_notion_that_cannot_be_asked_of_the_problem_is_none(monkeypatch):
    own = naming(monkeypatch, lambda notion, problem: md.BlockLDP(0.5, [[0, 1], [2, 3]]))
    assert stronger(own, SURVEY) is None
    assert md.design(SURVEY, own, md.MMSE()).gap <= 1e-6


@dataclass(frozen=True)
class Wider(md.LDP):
    """LDP of a mechanism that sees one value more than the data have."""

    def inputs(self, problem):
        return md.Problem(n=problem.n + 1)


def test_a_notion_over_other_inputs_is_refused(monkeypatch):
    own = naming(monkeypatch, lambda notion, problem: Wider(0.5))
    with pytest.raises(md.DomainError, match="over 4 inputs for a problem of 3"):
        md.design(SURVEY, own, md.MMSE())


@dataclass(frozen=True)
class HardLDP(md.LDP):
    """A subclass of LDP, which may ask something else."""


def test_a_subclass_of_ldp_is_not_taken_for_ldp(monkeypatch):
    own = naming(monkeypatch, lambda notion, problem: HardLDP(9.0))
    assert stronger(own & md.LIP(0.6), SURVEY) is None
    monkeypatch.setattr(HardLDP, "card", md.Card(stronger=lambda notion, problem: md.LDP(0.1)))
    assert stronger(HardLDP(9.0), SURVEY).notion == md.LDP(0.1)


def test_none_for_ldp_and_hidden_secrets():
    problem = md.Problem(prior=[0.5, 0.5])
    assert stronger(md.LDP(1.0), problem) is None
    hidden = problem.hidden([[0.9, 0.2], [0.1, 0.8]])
    assert stronger(md.LIP(1.0), hidden) is None
