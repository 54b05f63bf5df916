"""Hidden secrets: both ways to give one, and the notions that look through it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.errors import DomainError
from mechdesign.notions import LDP, LIP, Notion, WeightedTV
from mechdesign.problem import Problem


def both_ways(seed: int, secrets: int = 2, data: int = 4) -> tuple[Problem, Problem]:
    """Return one joint distribution, given by ``Pr(S | X)`` and by ``Pr(X | S)`` with the secret's prior."""
    joint = np.random.default_rng(seed).dirichlet(np.ones(secrets * data)).reshape(secrets, data)
    prior, secret_prior = joint.sum(axis=0), joint.sum(axis=1)
    backward = Problem(prior=prior).hidden(joint / prior)
    forward = Problem(prior=prior).hidden(data_given_secret=joint / secret_prior[:, None], secret_prior=secret_prior)
    return backward, forward


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("notion", [LDP(0.5), LIP(0.5), WeightedTV(0.9, 0.4)], ids=str)
def test_both_ways_agree(notion: Notion, seed: int) -> None:
    backward, forward = both_ways(seed)
    rng = np.random.default_rng(seed)
    numerators = 1 + rng.multinomial(997, rng.dirichlet(np.ones(3)), size=4)
    matrix = numerators / 1000
    levels = [notion.level(matrix, problem).value for problem in (backward, forward)]
    assert levels[0] == pytest.approx(levels[1], rel=1e-12)
    for share, expected in ((1 + 1e-9, True), (1 - 1e-9, False)):
        asked = notion.at(levels[0] * share)
        assert [asked.holds_exactly(numerators, problem) for problem in (backward, forward)] == [expected] * 2


@pytest.mark.parametrize("seed", range(4))
def test_level_is_that_of_the_composed_channel(seed: int) -> None:
    _, problem = both_ways(seed, secrets=3)
    matrix = np.random.default_rng(seed).dirichlet(np.ones(3), size=4)
    composed = np.array([[sum(w[x] * matrix[x, y] for x in range(4)) for y in range(3)] for w in problem.channel])
    plain = Problem(prior=problem.secret_prior)
    for notion in (LDP(1.0), LIP(1.0)):
        assert notion.level(matrix, problem).value == pytest.approx(notion.level(composed, plain).value, rel=1e-12)


def test_a_hidden_secret_is_protected_at_least_as_well_as_the_data() -> None:
    for seed in range(6):
        problem, _ = both_ways(seed, secrets=3)
        matrix = np.random.default_rng(seed).dirichlet(np.ones(3), size=4)
        for notion in (LDP(1.0), LIP(1.0)):
            # Post-processing in reverse: S - X - Y, the data channel only averages rows.
            assert notion.level(matrix, problem).value <= LDP(1.0).level(matrix, Problem(n=4)).value + 1e-12


def test_exact_rows_are_normalised_in_fractions() -> None:
    thirds = [[1 / 3, 2 / 3], [0.1, 0.9]]
    problem = Problem(n=2).hidden(data_given_secret=thirds)
    seen = problem.exactly_seen_by_secret(np.array([[3, 1], [1, 3]]))
    for row, given in zip(seen, thirds, strict=True):
        a, b = (Fraction(p) for p in given)
        expected = (3 * a + b) / (4 * (a + b))
        assert Fraction(row[0], sum(row)) == expected
    assert sum(seen[0]) == sum(seen[1])


def test_exact_joint_is_that_of_the_given_floats() -> None:
    prior, given = [0.3, 0.7], [[0.1, 0.6], [0.9, 0.4]]
    problem = Problem(prior=prior).hidden(given)
    seen = problem.exactly_seen_by_secret(np.array([[1, 0], [0, 1]]))
    for s in range(2):
        # Columns of R and the prior, each divided by its own exact sum.
        parts = [
            Fraction(prior[x]) * Fraction(given[s][x]) / sum(Fraction(given[r][x]) for r in range(2)) for x in range(2)
        ]
        assert Fraction(seen[s, 0], sum(seen[s])) == parts[0] / sum(parts)


def test_identity_channel_changes_nothing() -> None:
    prior = [0.2, 0.3, 0.5]
    hidden = Problem(prior=prior).hidden(np.eye(3))
    matrix = np.random.default_rng(0).dirichlet(np.ones(3), size=3)
    for notion in (LDP(1.0), LIP(1.0)):
        assert notion.level(matrix, hidden).value == pytest.approx(
            notion.level(matrix, Problem(prior=prior)).value, rel=1e-14
        )


def test_secrets_with_equal_rows_are_never_told_apart() -> None:
    problem = Problem(n=3).hidden(data_given_secret=[[0.2, 0.3, 0.5]] * 2, secret_prior=[0.5, 0.5])
    numerators = np.array([[1, 0], [0, 1], [1, 0]])
    assert LDP(0.0).holds_exactly(numerators, problem)
    assert LIP(0.0).holds_exactly(numerators, problem)
    assert WeightedTV(0.0).holds_exactly(numerators, problem)


def test_bad_channels_are_refused() -> None:
    problem = Problem(prior=[0.5, 0.5])
    with pytest.raises(DomainError, match=r"hidden is given both or neither channel, .* give exactly one"):
        problem.hidden()
    with pytest.raises(DomainError, match=r"data_given_secret\[1\] is a vector that sums to 0.9"):
        problem.hidden(data_given_secret=[[0.5, 0.5], [0.5, 0.4]])
    with pytest.raises(
        DomainError, match=r"data_given_secret is of shape .* 2 columns; check whether it is transposed"
    ):
        problem.hidden(data_given_secret=[[0.5, 0.25, 0.25]])
    with pytest.raises(DomainError, match=r"prior\[0\] is 0.5, but .* leave the prior out"):
        problem.hidden(data_given_secret=[[0.5, 0.5], [0.2, 0.8]], secret_prior=[0.5, 0.5])
    with pytest.raises(DomainError, match="secret_given_data needs the prior"):
        Problem(n=2).hidden([[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(DomainError, match=r"secret_given_data\[1\] is all zero, but every secret"):
        problem.hidden([[1.0, 1.0], [0.0, 0.0]])
    with pytest.raises(DomainError, match="secret_prior is given, but it follows"):
        problem.hidden([[0.5, 0.5], [0.5, 0.5]], secret_prior=[0.5, 0.5])


@pytest.mark.parametrize("given", [[0], [0, 2], [0, -1], [0, 0.5], [0, 10**30], 1])
def test_data_of_inputs_are_numbers_of_data(given):
    with pytest.raises(DomainError, match=r"data_of_input.*from 0 to 1 for each of the 2 inputs"):
        Problem(n=2, data_of_input=given)


@pytest.mark.parametrize("backward", [True, False])
@pytest.mark.parametrize("n", [5, 40])
def test_the_integers_of_a_hidden_secret_are_few_and_in_its_proportions(n, backward, rng):
    joint = rng.dirichlet(np.full(n, 0.5), size=n) * rng.dirichlet(np.ones(n))[:, None]
    joint[1, 2] = 0.0
    given = {"secret_given_data": joint / joint.sum(axis=0)} if backward else {"data_given_secret": joint}
    if not backward:
        given = {
            "data_given_secret": joint / joint.sum(axis=1, keepdims=True),
            "secret_prior": rng.dirichlet(np.ones(n)),
        }
    prior = joint.sum(axis=0) / joint.sum() if backward else None
    problem = md.Problem(n=n, prior=prior).hidden(**given)
    found = problem.exactly_seen_by_secret(np.eye(n, dtype=int).astype(object))
    assert max(int(entry).bit_length() for entry in found.ravel()) <= 4096
    assert len({int(total) for total in found.sum(axis=1)}) == 1 and found[1, 2] == 0
    for s in (0, 1, n - 1):
        true = _shares(problem, s)
        for x in range(n):
            off = abs(Fraction(int(found[s, x]), int(found[s].sum())) - true[x])
            # An entry of a column that was rounded may miss its share twice, and the largest takes what is left over.
            assert off <= Fraction(4 * n, 2**128) * max(true)
            assert n > 5 or off == 0


def _shares(problem, s):
    """Return ``Pr(X = x | S = s)`` of the numbers that were given, in fractions."""
    if problem.secret_given_data is None:
        row = [Fraction(entry) for entry in problem.data_given_secret[s]]
    else:
        columns = [[Fraction(entry) for entry in column] for column in problem.secret_given_data.T]
        row = [p[s] / sum(p) * Fraction(own) for p, own in zip(columns, problem.prior, strict=True)]
    return [entry / sum(row) for entry in row]


def test_a_secret_of_many_values_is_checked_exactly(rng):
    joint = rng.dirichlet(np.full(40, 0.5), size=40) * rng.dirichlet(np.ones(40))[:, None]
    problem = md.Problem(prior=joint.sum(axis=0)).hidden(joint / joint.sum(axis=0))
    even = np.full((40, 40), 1 / 40)
    for notion in (md.StrongChiSquare(0.3), md.LIP(0.3), md.MutualInformationPrivacy(0.01)):
        assert md.audit(0.5 * np.eye(40) + 0.5 * even, notion.at(9.0), problem).holds
        assert not md.audit(np.eye(40), notion, problem).holds
        assert md.audit(even, notion.at(1e-300), problem).holds
