"""Published claims as objects: one folder for each paper, one file for each family of claims.

They are found by crawling when first asked for: every `Theorem` at the top of a file of this folder is one, and every
`NotCheckable`, alone or in a tuple, is a line that no computation can check.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator
from functools import cache
from types import ModuleType

from mechdesign.errors import DomainError, nearest
from mechdesign.theorems.base import KINDS, Condition, Form, NotCheckable, Theorem
from mechdesign.theorems.checks import AtMost, Equal, Holds, OnRays, Optimum, Private, Published, Remainder
from mechdesign.theorems.confirmed import published
from mechdesign.theorems.examine import examine
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.record import recorded

__all__ = [
    "KINDS",
    "AtMost",
    "Condition",
    "Equal",
    "Family",
    "Form",
    "Holds",
    "NotCheckable",
    "OnRays",
    "Optimum",
    "Point",
    "Private",
    "Published",
    "Remainder",
    "Statement",
    "Theorem",
    "all_theorems",
    "found_in",
    "home",
    "published",
    "recorded",
    "statements",
    "theorem",
]

#: A line of the ledger.
Statement = Theorem | NotCheckable


def all_theorems() -> dict[str, Theorem]:
    """Return every theorem by its key, in the order of the keys.

    Examples
    --------
    >>> all_theorems()["jiang_lip/T3"].name
    'jiang_lip Theorem 3'
    """
    return {key: found for key, found in statements().items() if isinstance(found, Theorem)}


def statements() -> dict[str, Statement]:
    """Return every statement by its key, also those that no computation can check."""
    return {key: found for key, (found, _) in _crawled().items()}


def home(key: str) -> str:
    """Return the module of a statement, below this package: ``jiang_lip.lip_optimum``."""
    return _crawled()[key][1].removeprefix(f"{__name__}.")


def theorem(key: str) -> Theorem:
    """Return the theorem of that key.

    Raises
    ------
    DomainError
        No theorem has it; the message names the nearest.
    """
    known = all_theorems()
    if str(key) not in known:
        raise DomainError("key", str(key), "it has to be the key of a theorem", nearest(str(key), known))
    return known[str(key)]


@cache
def _crawled() -> dict[str, tuple[Statement, str]]:
    return found_in(sys.modules[__name__])


def found_in(package: ModuleType) -> dict[str, tuple[Statement, str]]:
    """Return the statements in the folders of `package` with their modules, by key.

    Raises
    ------
    DomainError
        A theorem with a bad field (the message names file and field), of another paper than its folder, or with
        the key of another.
    """
    found: dict[str, tuple[Statement, str]] = {}
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        if module.ispkg or module.name.count(".") <= package.__name__.count(".") + 1:
            continue
        spec = importlib.util.find_spec(module.name)
        file = spec.origin if spec is not None and spec.origin else module.name
        try:
            members = tuple(_of(importlib.import_module(module.name)))
            for member in members:
                if isinstance(member, Theorem):
                    examine(member)
        except DomainError as error:
            raise DomainError(f"{file}: {error.argument}", error.value, error.rule, error.remedy) from error
        for member in members:
            folder = module.name.split(".")[-2]
            if member.key in found and found[member.key][0] is member:
                continue
            if member.paper != folder:
                rule = f"its first part has to be its folder, {folder}"
                raise DomainError(f"{file}: key", member.key, rule, "move the theorem, or correct the key")
            if member.key in found:
                raise DomainError(f"{file}: key", member.key, "another theorem has it", "number this one apart")
            found[member.key] = (member, module.name)
    return dict(sorted(found.items()))


def _of(module: ModuleType) -> Iterator[Statement]:
    for member in vars(module).values():
        yield from (m for m in (member if isinstance(member, tuple) else (member,)) if isinstance(m, Statement))
