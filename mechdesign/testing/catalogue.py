"""The members of the catalogue, found by crawling the package, and what was forgotten of them."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from types import ModuleType

from mechdesign import notions, objectives
from mechdesign.catalogue import card_of
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


def forgotten_exports(package: ModuleType, base: type) -> list[str]:
    """Return the line to add for each member that its package does not export; no lines if all are there."""
    known = exported(package, base)
    return [
        f"add `from {member.__module__} import {name}` and the name in __all__ to {package.__name__}/__init__.py"
        for name, member in defined(package, base).items()
        if name not in known
    ]


def forgotten(member: type, field: str) -> str:
    """Return what to do about a member whose card lacks a field."""
    return f"give {member.__name__}'s card {field}=..., in the file where it is defined ({_file_of(member)})"


def forgotten_on_cards(package: ModuleType, base: type, field: str) -> list[str]:
    """Return what to do about each exported member whose card lacks a field; no lines if all have it.

    Examples
    --------
    >>> forgotten_on_cards(notions, Notion, "examples")
    []
    """
    return [forgotten(m, field) for m in exported(package, base).values() if not getattr(card_of(m), field)]


def _file_of(member: type) -> str:
    return f"{member.__module__.replace('.', '/')}.py"


def all_notions() -> dict[str, type]:
    """Return every exported notion."""
    return exported(notions, Notion)


def all_objectives() -> dict[str, type]:
    """Return every exported objective."""
    return exported(objectives, Objective)
