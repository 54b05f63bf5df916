"""How much memory may be taken: the user's limit, the package's own, or half of what is free."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from mechdesign.tolerances import MEMORY

GIGABYTE = 1e9
#: Less than 30 megabytes are little beside the interpreter: how much is free is not looked up for it.
TRIFLE = 3e7


@dataclass(frozen=True)
class Ceiling:
    """The most memory that may be taken, in bytes, and where that number comes from."""

    bytes: float
    source: str


def ceiling(given: float | None = None) -> Ceiling:
    """Return `given` gigabytes; without it the package's own limit, or half of what is free where that is less.

    Examples
    --------
    >>> ceiling(2.0)
    Ceiling(bytes=2000000000.0, source='the memory_limit of 2 GB')
    """
    if given is not None:
        return Ceiling(given * GIGABYTE, f"the memory_limit of {given:g} GB")
    half = _available() / 2.0
    if half < MEMORY:
        return Ceiling(half, f"half of the memory that is free, {half / GIGABYTE:.3g} GB")
    return Ceiling(MEMORY, f"{MEMORY / GIGABYTE:g} GB, the limit where no memory_limit is given")


def _available() -> float:
    """Return the bytes that can be had without swapping."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        lines = []
    for line in lines:
        if line.startswith("MemAvailable:"):
            return 1024.0 * float(line.split()[1])
    if "SC_PHYS_PAGES" in getattr(os, "sysconf_names", {}):
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    return float("inf")
