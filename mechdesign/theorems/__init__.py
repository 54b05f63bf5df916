"""Published claims as objects: one folder for each paper, one file for each family of claims.

They are found by crawling when first asked for: every `Theorem` at the top of a file of this folder is one.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from functools import cache
from types import ModuleType

from mechdesign.errors import DomainError, nearest
from mechdesign.theorems.base import KINDS, Condition, Form, Theorem

__all__ = ["KINDS", "Condition", "Form", "Theorem", "all_theorems", "found_in", "theorem"]


def all_theorems() -> dict[str, Theorem]:
    """Return every theorem by its key, in the order of the keys.

    Examples
    --------
    >>> all_theorems()["jiang_lip/T3"].name
    'jiang_lip Theorem 3'
    """
    return dict(_crawled())


def theorem(key: str) -> Theorem:
    """Return the theorem of that key.

    Raises
    ------
    DomainError
        No theorem has it; the message names the nearest.
    """
    known = _crawled()
    if key not in known:
        raise DomainError("key", str(key), "it has to be the key of a theorem", nearest(str(key), known))
    return known[key]


@cache
def _crawled() -> dict[str, Theorem]:
    return found_in(sys.modules[__name__])


def found_in(package: ModuleType) -> dict[str, Theorem]:
    """Return the theorems in the folders of `package`, by key.

    Raises
    ------
    DomainError
        A theorem with a bad field (the message names file and field), of another paper than its folder, or with
        the key of another.
    """
    found: dict[str, Theorem] = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.ispkg:
            continue
        spec = importlib.util.find_spec(module.name)
        file = spec.origin if spec is not None and spec.origin else module.name
        try:
            loaded = importlib.import_module(module.name)
        except DomainError as error:
            raise DomainError(f"{file}: {error.argument}", error.value, error.rule, error.remedy) from error
        for member in (m for m in vars(loaded).values() if isinstance(m, Theorem)):
            folder = module.name.split(".")[-2]
            if member.paper != folder:
                rule = f"its first part has to be its folder, {folder}"
                raise DomainError(f"{file}: key", member.key, rule, "move the theorem, or correct the key")
            if member.key in found:
                raise DomainError(f"{file}: key", member.key, "another theorem has it", "number this one apart")
            found[member.key] = member
    return dict(sorted(found.items()))
