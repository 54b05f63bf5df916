"""The members of the catalogue, found by crawling the package, and the lines that somebody forgot."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Iterable
from types import ModuleType

from mechdesign import notions, objectives
from mechdesign.notions import Notion
from mechdesign.objectives import Objective


def defined(package: ModuleType, base: type) -> dict[str, type]:
    """Return the concrete subclasses of `base` that any module of `package` defines, by name.

    Examples
    --------
    >>> {"LDP", "LIP"} <= set(defined(notions, Notion))
    True
    """
    found: dict[str, type] = {}
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        module = importlib.import_module(info.name)
        for name, member in vars(module).items():
            of_module = inspect.isclass(member) and (member.__module__, member.__name__) == (module.__name__, name)
            if of_module and issubclass(member, base) and not inspect.isabstract(member) and name[0] != "_":
                found[name] = member
    return found


def exported(package: ModuleType, base: type) -> dict[str, type]:
    """Return the concrete subclasses of `base` that `package` exports, by name: each once, without other names."""
    named = {name: getattr(package, name) for name in package.__all__}
    return {
        name: member
        for name, member in named.items()
        if inspect.isclass(member) and issubclass(member, base) and not inspect.isabstract(member)
        if member.__name__ == name
    }


#: The module of examples that has each table.
TABLES = {"NOTIONS": "notions", "EDGES": "notions", "OBJECTIVES": "objectives", "ANCHORS": "anchors"}


def forgotten_exports(package: ModuleType, base: type) -> list[str]:
    """Return the line to add for each member that its package does not export; no lines if all are there."""
    known = exported(package, base)
    return [
        f"add `from {member.__module__} import {name}` and the name in __all__ to {package.__name__}/__init__.py"
        for name, member in defined(package, base).items()
        if name not in known
    ]


def forgotten_examples(package: ModuleType, base: type, examples: Iterable[str], table: str) -> list[str]:
    """Return the line to add to `table` for each exported member without an example; no lines if all have one."""
    known = set(examples)
    return [
        f'add `"{name}": (lambda rng: ({name}(...), random_problem(3, rng)),),` to {table} in '
        f"mechdesign/testing/examples/{TABLES[table]}.py"
        for name in exported(package, base)
        if name not in known
    ]


def all_notions() -> dict[str, type]:
    """Return every exported notion."""
    return exported(notions, Notion)


def all_objectives() -> dict[str, type]:
    """Return every exported objective."""
    return exported(objectives, Objective)
