"""The former name of `mechdesign.estimation`, which works until 0.3.0."""

from __future__ import annotations

from typing import Any

from mechdesign import estimation
from mechdesign.runtime.deprecation import CHANNEL


def __getattr__(name: str) -> Any:
    if name not in estimation.__all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    CHANNEL.warn()
    return getattr(estimation, name)
