"""Figures and tables of the five papers, recomputed with mechanisms that are private: one module for each.

A module defines ``make() -> PaperFigure`` and its ``KEY``; `recomputed` finds it by that key.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

from mechdesign.errors import DomainError, nearest
from mechdesign.figures.figure import Curve, PaperFigure

__all__ = ["Curve", "PaperFigure", "keys", "recomputed"]


@cache
def _modules() -> dict[str, str]:
    """Return the module of each key, in the order of the keys."""
    found = {}
    for info in pkgutil.walk_packages(__path__, f"{__name__}."):
        if not info.ispkg:
            key = getattr(importlib.import_module(info.name), "KEY", None)
            if key is not None:
                found[key] = info.name
    return dict(sorted(found.items()))


def keys() -> tuple[str, ...]:
    """Return the keys of all figures: the paper's and the figure's, ``"jiang_lip/fig5"`` say."""
    return tuple(_modules())


def recomputed(key: str) -> PaperFigure:
    """Return a figure of a paper, computed anew; the same from run to run.

    Raises
    ------
    DomainError
        There is none of that key.
    """
    if key not in _modules():
        raise DomainError("key", key, "no figure has it", nearest(str(key), _modules()))
    made: PaperFigure = importlib.import_module(_modules()[key]).make()
    return made
