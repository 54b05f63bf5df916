"""What every test shares: Ctrl-C as Python has it, generators of random numbers seeded by the test's own name."""

import os
import signal
import zlib

import numpy as np
import pytest

# A background job of a shell ignores SIGINT, and hands that on: Python then raises no KeyboardInterrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def rng(request):
    """A generator that depends on the test's name alone: the same numbers in any order and any selection."""
    return np.random.default_rng(zlib.crc32(request.node.name.encode()))


@pytest.fixture(autouse=True)
def _seeded_system(request, monkeypatch):
    """Let the operating system's randomness be that of a seed: a test of chance passes always, or never."""
    seed = [1, zlib.crc32(request.node.name.encode())]
    monkeypatch.setattr(os, "urandom", np.random.default_rng(seed).bytes)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark as slow the cases of thinned tests that are left to `.ci/full`: all but one in k, and never the first."""
    seen = set()
    for item in items:
        thinned = item.get_closest_marker("thinned")
        if thinned is None:
            continue
        function = item.nodeid.partition("[")[0]
        first = function not in seen
        seen.add(function)
        if not first and zlib.crc32(item.nodeid.encode()) % thinned.args[0]:
            item.add_marker(pytest.mark.slow)
