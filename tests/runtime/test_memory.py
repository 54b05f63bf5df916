"""The most memory that may be taken: what is given, or half of what is free, or the package's own limit."""

from __future__ import annotations

import os

import pytest

from mechdesign.runtime import memory
from mechdesign.runtime.memory import Ceiling, ceiling
from mechdesign.tolerances import MEMORY

OWN = Ceiling(MEMORY, f"{MEMORY / 1e9:g} GB, the limit where no memory_limit is given")


def told(monkeypatch, text):
    """Let the system tell this of its memory, or nothing."""

    def read(path, **_):
        assert str(path) == "/proc/meminfo"
        if text is None:
            raise FileNotFoundError(path)
        return text

    monkeypatch.setattr(memory.Path, "read_text", read)


def of_pages(monkeypatch, pages, size):
    sizes = {"SC_PHYS_PAGES": pages, "SC_PAGE_SIZE": size}
    monkeypatch.setattr(os, "sysconf_names", {name: at for at, name in enumerate(sizes)}, raising=False)
    monkeypatch.setattr(os, "sysconf", sizes.__getitem__, raising=False)


def test_what_is_given_counts_in_gigabytes_whatever_is_free(monkeypatch):
    told(monkeypatch, "MemAvailable: 100 kB\n")
    assert ceiling(2.5) == Ceiling(2_500_000_000.0, "the memory_limit of 2.5 GB")
    assert ceiling(0.0) == Ceiling(0.0, "the memory_limit of 0 GB")


def test_half_of_what_is_free_is_the_limit_where_that_is_less(monkeypatch):
    told(monkeypatch, "MemTotal:       16000000 kB\nMemFree: 10 kB\nMemAvailable:     200000 kB\nBuffers: 20 kB\n")
    assert ceiling() == Ceiling(102_400_000.0, "half of the memory that is free, 0.102 GB")
    told(monkeypatch, f"MemAvailable: {2 * MEMORY / 1024 + 1:.0f} kB\n")
    assert ceiling() == OWN


@pytest.mark.parametrize("text", [None, "MemTotal: 16000000 kB\n"])
def test_where_the_system_does_not_tell_it_is_half_of_all_pages(monkeypatch, text):
    told(monkeypatch, text)
    of_pages(monkeypatch, 50_000, 4096)
    assert ceiling() == Ceiling(102_400_000.0, "half of the memory that is free, 0.102 GB")


def test_where_nothing_is_known_it_is_the_package_s_own(monkeypatch):
    told(monkeypatch, None)
    monkeypatch.setattr(os, "sysconf_names", {}, raising=False)
    assert ceiling() == OWN
