"""What every test shares: generators of random numbers, seeded by the test's own name."""

import zlib

import numpy as np
import pytest


@pytest.fixture
def rng(request):
    """A generator that depends on the test's name alone: the same numbers in any order and any selection."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))
