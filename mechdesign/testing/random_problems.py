"""Random columns, post-processings and private transition matrices, from a generator that is passed in."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue.drawn import random_channel
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: The row sum of random matrices of integers: entries stay far from 0, and products inside 64 bits.
TOTAL = 10**6


def half_silent_channel(n: int, m: int, rng: np.random.Generator) -> Array:
    """Return a transition matrix some of whose outputs, drawn at random, are independent of the input."""
    matrix = random_channel(n, m, rng)
    silent = rng.random(m) < 0.5
    matrix[:, silent] = matrix[:, silent].mean(axis=0)
    spoken = matrix[:, ~silent]
    if spoken.shape[1] > 0:
        # The others share what is left of each row, in their own proportions.
        left = 1.0 - matrix[:, silent].sum(axis=1, keepdims=True)
        matrix[:, ~silent] = spoken * left / spoken.sum(axis=1, keepdims=True)
    return np.asarray(matrix / matrix.sum(axis=1, keepdims=True))


def random_integers(n: int, m: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return positive integers whose rows all sum to TOTAL, shape (n, m)."""
    counts = np.maximum(rng.multinomial(TOTAL, random_channel(n, m, rng, 0.1)), 1)
    counts[:, 0] += TOTAL - counts.sum(axis=1)
    return np.asarray(counts)


def random_columns(n: int, m: int, rng: np.random.Generator) -> Array:
    """Return columns that are no probabilities: positive, of very different sizes, shape (n, m)."""
    return np.asarray(rng.exponential(size=(n, m)) * 10.0 ** rng.uniform(-3, 2, size=m))


def random_postprocessing(m: int, k: int, rng: np.random.Generator) -> Array:
    """Return a transition matrix from m outputs to k; some outputs are sent to one place for certain."""
    drawn = rng.dirichlet(np.ones(k), size=m)
    certain = rng.random(m) < 0.5
    drawn[certain] = np.eye(k)[rng.integers(k, size=int(certain.sum()))]
    return drawn


def revealing_channel(notion: Notion, problem: Problem, matrix: Array, rng: np.random.Generator) -> Array:
    """Return `matrix` with part of some rows moved to outputs of their own, where the notion lets these be revealed."""
    revealed = list(notion.columns(problem).revealed)
    if not revealed:
        return matrix
    disclosed = np.zeros(problem.n)
    disclosed[revealed] = rng.uniform(0.1, 0.8, len(revealed)) * (rng.random(len(revealed)) < 0.7)
    return np.hstack([(1.0 - disclosed)[:, None] * matrix, np.diag(disclosed)[:, revealed]])


def toward_constant(matrix: Array, weights: Array, share: float) -> Array:
    """Return `matrix` mixed with the mechanism that ignores its input and has the masses ``weights @ matrix``."""
    return np.asarray((1.0 - share) * matrix + share * (weights @ matrix))


def private_channel(notion: Notion, problem: Problem, m: int, rng: np.random.Generator) -> Array:
    """Return a random matrix that satisfies `notion`, mostly on the boundary; `problem` is over the inputs."""
    start, weights = random_channel(problem.n, m, rng, 0.0), notion.columns(problem).normal
    low, high = 0.0, 1.0
    if notion.level(start, problem).excess(notion) <= 0:
        return start
    for _ in range(60):
        share = (low + high) / 2
        private = notion.level(toward_constant(start, weights, share), problem).excess(notion) <= 0
        low, high = (low, share) if private else (share, high)
    return toward_constant(start, weights, high)
