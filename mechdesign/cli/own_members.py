"""Members of one's own for the command: notions, objectives and theorems of modules that ``--members`` names."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path
from traceback import walk_tb
from types import ModuleType

from mechdesign.errors import DomainError
from mechdesign.question.members_by_name import KINDS, members, own_members
from mechdesign.theorems import Theorem, statements
from mechdesign.theorems.own import own_theorems

OPTION = "--members"


def imported(names: Iterable[str]) -> tuple[type, ...]:
    """Return the concrete notions, objectives and generators in modules, but for the catalogue's own.

    Parameters
    ----------
    names : iterable of str
        Of modules, sought in the working folder too, or paths of files that end in ``.py``.

    Raises
    ------
    DomainError
        A module that is missing, that raises, or that has no such class.
    """
    known = {member for kind in KINDS for member in members(kind).values()}
    found: dict[type, None] = {}
    for name in names:
        classes = [each for key, each in vars(_module(name)).items() if not key.startswith("_")]
        own = [
            each
            for each in classes
            if isinstance(each, type)
            and issubclass(each, KINDS)
            and not getattr(each, "__abstractmethods__", None)
            and each not in known
        ]
        if not own:
            rule = "it has no notion or objective of its own"
            raise DomainError(OPTION, name, rule, "name the module that defines the classes")
        found |= dict.fromkeys(own)
    return own_members(OPTION, tuple(found))


def imported_theorems(names: Iterable[str]) -> tuple[Theorem, ...]:
    """Return the theorems at the top of modules, but for the catalogue's own.

    Raises
    ------
    DomainError
        A module that is missing, that raises, or that has no theorem of its own.
    """
    known = statements()
    found: dict[str, Theorem] = {}
    for name in names:
        here = [each for each in vars(_module(name)).values() if isinstance(each, Theorem)]
        own = [each for each in here if known.get(each.key) is not each]
        if not own:
            raise DomainError(OPTION, name, "it has no theorem of its own", "name the module that defines them")
        found |= {each.key: each for each in own}
    return own_theorems(OPTION, tuple(found.values()))


def _module(name: str) -> ModuleType:
    """Return the module of that name, or in that file."""
    stem = Path(name).stem
    if name.endswith(".py") and (stem in sys.stdlib_module_names or hasattr(sys.modules.get(stem), "__path__")):
        rule = f"a module of that name would hide {stem} of Python or of a package"
        raise DomainError(OPTION, name, rule, "rename the file")
    try:
        if name.endswith(".py"):
            return _from_file(Path(name))
        here = str(Path.cwd())
        sys.path.insert(0, here)
        try:
            return importlib.import_module(name)
        finally:
            sys.path.remove(here)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a module of someone's own may raise whatever it likes
        rule = f"it cannot be imported ({type(error).__name__}: {str(error).rstrip('.')})"
        raise DomainError(OPTION, name, rule, _remedy(name, error)) from None


def _remedy(name: str, error: BaseException) -> str:
    """Return which line of the module to correct, or how to name a module if it was not found at all."""
    file = Path(name if name.endswith(".py") else f"{name.replace('.', '/')}.py").parts
    frames = [(Path(frame.f_code.co_filename).parts, line) for frame, line in walk_tb(error.__traceback__)]
    lines = [line for parts, line in frames if parts[-len(file) :] == file]
    if isinstance(error, SyntaxError):
        return "correct the module"
    return f"correct its line {lines[-1]}" if lines else "give a module's name, or the path of a .py file"


def _from_file(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None or not path.is_file():
        raise FileNotFoundError("there is no such file")
    module = importlib.util.module_from_spec(spec)
    # Dataclasses look for the module that they stand in.
    before = sys.modules.get(path.stem)
    sys.modules[path.stem] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        if before is None:
            del sys.modules[path.stem]
        else:
            sys.modules[path.stem] = before
        raise
    return module
