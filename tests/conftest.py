"""What every test shares: Ctrl-C as Python has it, generators of random numbers seeded by the test's own name."""

import os
import signal
import zlib
from pathlib import Path

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


#: The node ids of tests that are slow, without a marker of their own.
SLOW = {
    line
    for line in Path(__file__).with_name("slow_tests.txt").read_text("utf-8").splitlines()
    if line and not line.startswith("#")
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Mark as slow what is left to `.ci/full`: tests of the list, and of thinned ones all cases but one in k.

    The first case of a thinned test is never left out.
    """
    _require_known({item.nodeid for item in items}, config)
    seen = set()
    for item in items:
        if item.nodeid in SLOW:
            item.add_marker(pytest.mark.slow)
    for item in items:
        thinned = item.get_closest_marker("thinned")
        if thinned is None:
            continue
        function = item.nodeid.partition("[")[0]
        first = function not in seen
        seen.add(function)
        if not first and zlib.crc32(item.nodeid.encode()) % thinned.args[0]:
            item.add_marker(pytest.mark.slow)


def _require_known(ids, config):
    """Raise where the list names a test that a collected file does not have: it was renamed, or is gone."""
    if any("::" in argument for argument in config.args):
        return
    files = {name.partition("::")[0] for name in ids}
    lost = sorted(name for name in SLOW - ids if name.partition("::")[0] in files)
    if lost:
        raise pytest.UsageError(f"tests/slow_tests.txt names no test of today: {', '.join(lost)}")
