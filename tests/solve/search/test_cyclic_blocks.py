"""Cyclic shifts of sets: sizes, covers, the spectrum by its definition, and known block designs."""

import numpy as np
import pytest

from mechdesign.solve.search.cyclic_blocks import cyclic_blocks, shifts, spectrum


@pytest.mark.parametrize(
    ("n", "size", "count"), [(3, 1, 1), (7, 3, 1), (24, 6, 8), (50, 1, 3), (51, 50, 2), (100, 27, 8)]
)
def test_every_input_is_in_as_many_sets_and_pairs_nearly(n, size, count):
    blocks = cyclic_blocks(n, size, count)
    assert blocks.shape == (count, n) and np.all(blocks.sum(axis=1) == size)
    sets = shifts(blocks)
    assert sets.shape == (n, count * n) and np.all(sets.sum(axis=1) == count * size)
    # The Gram matrix of all shifts is circulant, with these eigenvalues beside that of the ones.
    values = np.sort(np.linalg.eigvalsh(sets.astype(float) @ sets.T))
    level = spectrum(blocks)
    doubled = np.concatenate([level, level[: n - 1 - len(level)]])
    assert np.allclose(np.sort(np.append(doubled, count * size**2)), values, atol=1e-8 * values[-1])


@pytest.mark.parametrize(("n", "size"), [(7, 3), (13, 4), (11, 5)])
def test_a_difference_set_is_found_where_there_is_one(n, size):
    level = spectrum(cyclic_blocks(n, size, 1))
    assert np.allclose(level, size * (n - size) / (n - 1), rtol=0.02)


@pytest.mark.parametrize("n", [24, 50, 100, 300])
def test_eight_sets_are_within_half_a_percent_of_a_block_design(n):
    size = round(n / (1 + np.e))
    level = spectrum(cyclic_blocks(n, size, 8))
    copies = np.append(np.full((n - 1) // 2, 2.0), np.ones((n - 1) % 2))
    mean = (copies / level).sum() / (n - 1)
    flat = 8 * size * (n - size) / (n - 1)
    assert 1.0 - 1e-12 <= mean * flat <= 1.005
    # Sets at random, from which the search starts, are not.
    rng = np.random.default_rng(1)
    some = spectrum(np.array([rng.permutation(n) < size for _ in range(8)]))
    assert (copies / some).sum() / (n - 1) * flat > 1.05


def test_the_same_seed_gives_the_same_sets():
    assert np.array_equal(cyclic_blocks(40, 11, 3, seed=5), cyclic_blocks(40, 11, 3, seed=5))
    assert not np.array_equal(cyclic_blocks(40, 11, 3, seed=5), cyclic_blocks(40, 11, 3, seed=6))
