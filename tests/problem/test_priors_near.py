"""Extreme priors near a stated one: by sorting, by a linear program, and refused if they are too many."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md


def largest(prior, radius, loss):
    """The largest expected loss within the distance, by a linear program over p and what it differs by."""
    n = len(prior)
    even = np.eye(n)
    apart = np.vstack([np.hstack([even, -even]), np.hstack([-even, -even])])
    total = np.hstack([np.zeros(n), np.full(n, 0.5)])
    found = linprog(
        np.hstack([-loss, np.zeros(n)]),
        np.vstack([apart, total]),
        np.hstack([prior, -np.array(prior), radius]),
        np.hstack([np.ones(n), np.zeros(n)])[None, :],
        [1.0],
    )
    return -found.fun


@pytest.mark.parametrize("radius", [0.0, 0.03, 0.2, 0.5, 0.95, 1.0])
def test_they_have_the_largest_loss_of_all_near_priors(radius, rng):
    for n in (1, 2, 3, 5, 7):
        prior = rng.dirichlet(np.ones(n))
        laws = md.priors_near(prior, radius)
        assert np.abs(laws - prior).sum(axis=1).max() <= 2 * radius + 1e-12
        assert laws.min() >= 0 and np.allclose(laws.sum(axis=1), 1.0, rtol=0, atol=1e-13)
        for _ in range(5):
            loss = rng.normal(size=n)
            assert (laws @ loss).max() == pytest.approx(largest(prior, radius, loss), abs=1e-9)


def test_a_radius_next_to_a_mass_gives_distributions():
    """Found by a hostile reader: what was given was more than what was lost."""
    laws = md.priors_near([0.5, 0.3, 0.2], 0.3 + 2e-10)
    assert np.abs(laws.sum(axis=1) - 1.0).max() <= 1e-15 and laws.min() >= 0


def test_nearly_all_mass_of_many_inputs_is_listed_without_dead_ends():
    """Found by a hostile reader: the time grew fourfold with two inputs more."""
    assert md.priors_near(np.full(24, 1 / 24), 1 - 1.5 / 24).shape == (24 * 23, 24)


def test_none_is_a_mixture_of_others(rng):
    """Each is the only one at which some loss is largest."""
    laws = md.priors_near([0.4, 0.3, 0.2, 0.1], 0.25)
    for k, law in enumerate(laws):
        others = np.delete(laws, k, axis=0)
        mixed = linprog(
            np.zeros(len(others)), A_eq=np.vstack([others.T, np.ones(len(others))]), b_eq=np.hstack([law, 1.0])
        )
        assert mixed.status == 2, law


def test_a_loss_under_the_worst_of_them_has_a_proof():
    problem = md.Problem(prior=[0.5, 0.3, 0.2])
    objective = md.WorstCaseLoss(1 - np.eye(3), priors=md.priors_near(problem.prior, 0.1))
    made = md.design(problem, md.LDP(1.0), objective, proof=True)
    assert made.mechanism.certificate.proof is not None and made.gap <= 1e-6
    assert made.value > md.design(problem, md.LDP(1.0), md.ExpectedLoss(1 - np.eye(3))).value + 0.005


@pytest.mark.parametrize(
    ("asked", "error", "said"),
    [
        (lambda: md.priors_near([0.5, 0.6], 0.1), md.DomainError, "prior"),
        (lambda: md.priors_near([0.5, 0.5], 1.1), md.DomainError, "it is a distance of distributions"),
        (lambda: md.priors_near(np.full(20, 0.05), 0.5), md.UnsupportedError, "give a smaller radius, or bounds"),
        # Found by a hostile reader: no memory was left, and a recursion had no end.
        (lambda: md.priors_near(np.full(2000, 0.0005), 2e-4), md.UnsupportedError, "give a smaller radius, or bounds"),
        (lambda: md.priors_near(np.full(120, 1 / 120), 0.9), md.UnsupportedError, "give a smaller radius, or bounds"),
    ],
)
def test_bad_input_is_refused(asked, error, said):
    with pytest.raises(error, match=said):
        asked()
