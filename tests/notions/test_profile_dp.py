"""ProfileDP: the inputs it widens, the profiles it compares, and what it refuses."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mechdesign.errors import DomainError
from mechdesign.notions import LDP, ProfileDP
from mechdesign.problem import Problem
from tests.notions.test_notions import EDGES, PRIOR, PROFILES, random_matrix


def test_profiles_that_are_seen_widen_the_inputs() -> None:
    notion = ProfileDP(1.0, PROFILES, EDGES, profile_prior=PRIOR)
    inputs = notion.inputs(Problem(values=[1, 2, 4], labels=["a", "b", "c"], prior_source="made up"))
    assert inputs.n == 9 and inputs.prior_source == "made up"
    assert inputs.labels == ("0/a", "0/b", "0/c", "1/a", "1/b", "1/c", "2/a", "2/b", "2/c")
    assert inputs.values.tolist() == [1, 2, 4] * 3 and inputs.data_of_input.tolist() == [0, 1, 2] * 3
    expected = [PRIOR[i] * PROFILES[i, x] for i in range(3) for x in range(3)]
    assert inputs.prior == pytest.approx(expected, rel=1e-15) and inputs.prior[7] == 0.0
    assert inputs.channel.tolist() == [
        [0.5, 0.25, 0.25, 0, 0, 0, 0, 0, 0],
        [0, 0, 0, 0.125, 0.625, 0.25, 0, 0, 0],
        [0, 0, 0, 0, 0, 0, 0.25, 0, 0.75],
    ]
    assert inputs.secret_prior.tolist() == PRIOR


def test_without_a_profile_prior_there_is_none_over_the_inputs() -> None:
    problem = Problem(prior=[0.25, 0.25, 0.5], values=[1, 2, 4])
    assert ProfileDP(1.0, PROFILES, EDGES).inputs(problem).prior is None
    unseen = ProfileDP(1.0, PROFILES, EDGES, sees_profile=False).inputs(problem)
    assert unseen.prior.tolist() == [0.25, 0.25, 0.5] and unseen.secret_prior is None and unseen.n == 3


def test_prior_of_the_data_follows_from_the_profiles() -> None:
    notion = ProfileDP(1.0, PROFILES, EDGES, sees_profile=False, profile_prior=PRIOR)
    mixture = np.array(PRIOR) @ PROFILES
    assert notion.inputs(Problem(n=3)).prior == pytest.approx(mixture, rel=1e-15)
    assert notion.inputs(Problem(prior=mixture)).prior.tolist() == mixture.tolist()
    for seen in (False, True):
        with pytest.raises(DomainError, match=r"^prior\[\d\] is .* leave the prior out"):
            ProfileDP(1.0, PROFILES, EDGES, seen, PRIOR).inputs(Problem(prior=[0.25, 0.25, 0.5]))


def test_sums_that_a_user_may_miss_do_not_add_up_to_a_refusal() -> None:
    off = 1 + 0.9e-9
    notion = ProfileDP(
        1.0, np.array([[0.5, 0.5], [0.25, 0.75]]) * off, [(0, 1)], profile_prior=np.array([0.5, 0.5]) * off
    )
    inputs = notion.inputs(Problem(n=2))
    assert inputs.prior.sum() == pytest.approx(1.0, abs=1e-15)
    assert notion.profiles.sum() == pytest.approx(2 * off, rel=1e-15), "kept as given"


def test_an_input_that_its_profile_never_has_is_free() -> None:
    notion = ProfileDP(0.5, PROFILES, EDGES)
    inputs = notion.inputs(Problem(n=3))
    matrix = np.full((9, 2), 0.5)
    matrix[7] = [1.0, 0.0]
    assert notion.level(matrix, inputs).value == pytest.approx(0.0, abs=1e-15)
    matrix[6] = [1.0, 0.0]
    assert notion.level(matrix, inputs).value > 0.1


def test_only_edges_are_compared() -> None:
    profiles, problem = np.eye(3), Problem(n=3)
    path = ProfileDP(math.log(2), profiles, [(0, 1), (1, 2)], sees_profile=False)
    matrix = np.array([[4, 3], [2, 5], [1, 6]]) / 7
    level = path.level(matrix, path.inputs(problem))
    assert level.value == pytest.approx(math.log(2), rel=1e-15) and level.inputs in ((0, 1), (1, 2))
    assert LDP(1.0).level(matrix, problem).value == pytest.approx(math.log(4), rel=1e-15)


def test_complete_graph_on_point_masses_is_ldp() -> None:
    edges = list(itertools.combinations(range(4), 2))
    profile = ProfileDP(1.0, np.eye(4), edges, sees_profile=False)
    for seed in range(4):
        matrix = random_matrix(np.random.default_rng(seed), 4, 3)
        ours = profile.level(matrix, profile.inputs(Problem(n=4)))
        assert ours.value == pytest.approx(LDP(1.0).level(matrix, Problem(n=4)).value, rel=1e-14)


def test_edges_are_undirected_and_notions_immutable() -> None:
    first = ProfileDP(1, PROFILES.tolist(), [[1, 0], [0, 1], (1, 2)])
    second = ProfileDP(1.0, PROFILES, np.array([[1, 2], [0, 1]]))
    assert first.edges == ((0, 1), (1, 2)) and first == second and hash(first) == hash(second)
    assert first != ProfileDP(1.0, PROFILES, [(0, 1)]) and first != ProfileDP(1.0, PROFILES, EDGES, False)
    with pytest.raises(ValueError, match="read-only"):
        first.profiles[0, 0] = 1.0
    with pytest.raises(AttributeError):
        first.epsilon = 2.0  # type: ignore[misc]


def test_a_problem_hidden_already_is_refused() -> None:
    hidden = Problem(n=3).hidden(data_given_secret=PROFILES[:2])
    for seen in (True, False):
        with pytest.raises(DomainError, match=r"problem is one with a hidden secret, .* without hidden"):
            ProfileDP(1.0, PROFILES, EDGES, seen).inputs(hidden)


def test_profiles_of_another_size_are_refused() -> None:
    for seen in (True, False):
        with pytest.raises(DomainError, match=r"profiles is of shape \(3, 3\), .* each of the 4 inputs; .*transposed"):
            ProfileDP(1.0, PROFILES, EDGES, seen).inputs(Problem(n=4))
