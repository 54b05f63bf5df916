"""Random priors, problems and hypotheses, from a generator that is passed in: what examples on cards are made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mechdesign.exact import integer_rows, integers
from mechdesign.parameters.checks import Array
from mechdesign.problem import ExactParts, Problem

Rng = np.random.Generator


def random_prior(n: int, rng: Rng, skew: float = 1.0) -> Array:
    """Return n positive probabilities; the larger `skew`, the more unequal.

    Examples
    --------
    >>> random_prior(4, np.random.default_rng(0)).shape
    (4,)
    """
    drawn = rng.dirichlet(np.ones(n)) ** skew + 1e-3
    return np.asarray(drawn / drawn.sum())


def random_problem(n: int, rng: Rng, *, skew: float = 1.0, secrets: int | None = None) -> Problem:
    """Return a problem with prior and values, and with a hidden secret where `secrets` is given.

    Examples
    --------
    >>> random_problem(3, np.random.default_rng(0), secrets=2).channel.shape
    (2, 3)
    """
    problem = Problem(prior=random_prior(n, rng, skew), values=rng.normal(size=n))
    if secrets is None:
        return problem
    return problem.hidden(random_channel(n, secrets, rng).T)


def random_channel(n: int, m: int, rng: Rng, floor: float = 0.02) -> Array:
    """Return a transition matrix, shape (n, m), no entry below about `floor`."""
    drawn = rng.dirichlet(np.ones(m), size=n) + floor
    return np.asarray(drawn / drawn.sum(axis=1, keepdims=True))


def random_profiles(rng: Rng, k: int = 3, n: int = 2) -> Array:
    """Return k random laws over n data, as they are."""
    return np.asarray(rng.dirichlet(np.ones(n), size=k))


def random_pairs(rng: Rng) -> Problem:
    """Return a random problem over pairs (profile, datum), two profiles and three data: several inputs have one datum.

    Examples
    --------
    >>> random_pairs(np.random.default_rng(0)).data_of_input
    array([0, 1, 2, 0, 1, 2])
    """
    weights, profiles = random_prior(2, rng), random_profiles(rng, 2, 3)
    problem, datum, seen = Problem(values=rng.normal(size=3)), np.tile(np.arange(3), 2), np.zeros((2, 2, 3))
    seen[[0, 1], [0, 1]] = profiles
    exact = integer_rows(profiles) * np.array(integers(weights), dtype=object)[:, None]
    made = replace(
        problem,
        n=6,
        prior=((weights / weights.sum())[:, None] * (profiles / profiles.sum(axis=1, keepdims=True))).ravel(),
        values=np.tile(problem.required_values, 2),
        labels=tuple(f"{i}/{problem.named(x)}" for i in range(2) for x in range(3)),
        data_given_secret=seen.reshape(2, 6),
        secret_prior=weights,
        data_of_input=datum,
    )
    return made.with_exact_parts(ExactParts(prior=tuple(exact.ravel().tolist())))


def hypotheses(n: int, rng: Rng) -> dict[str, Array]:
    """Return two random hypotheses over n inputs, as objectives take them.

    Examples
    --------
    >>> list(hypotheses(3, np.random.default_rng(0)))
    ['first', 'second']
    """
    return {"first": random_prior(n, rng), "second": random_prior(n, rng)}


def tilt(n: int, rng: Rng) -> dict[str, Array]:
    """Return a random law over n inputs and a direction in which it may move."""
    direction = rng.normal(size=n)
    return {"theta": random_prior(n, rng), "direction": direction - direction.mean()}


def prior_box(n: int, rng: Rng) -> tuple[Array, Array]:
    """Return lower and upper bounds around a random prior."""
    inside = random_prior(n, rng)
    return rng.uniform(0.2, 1.0, size=n) * inside, inside + rng.uniform(size=n) * (1.0 - inside)


def line(n: int) -> Array:
    """Return the distances of n places on a line.

    Examples
    --------
    >>> line(3).tolist()
    [[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]]
    """
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
