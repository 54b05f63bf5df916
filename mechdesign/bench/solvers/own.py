"""A solver of one's own: a callable that is given arrays and returns a point and multipliers."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.machinery import PathFinder
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from mechdesign.bench.answer import checked_answer
from mechdesign.bench.instance import Instance
from mechdesign.bench.program import ConicProgram
from mechdesign.bench.solvers.solver import BenchSolver
from mechdesign.errors import DomainError, nearest

#: Packages name their solvers for the benchmark in this group of entry points.
GROUP = "mechdesign.bench"


class Own(BenchSolver):
    """A callable ``solve(program, accuracy=..., time_limit=...)``, by the place where it is found.

    Each call is given a `ConicProgram` of its own. It returns an `Answer`, a mapping with the names of one, a pair of
    point and row duals, or the point alone.
    """

    def __init__(self, name: str, place: str) -> None:
        self.name, self.place = name, place
        self._given: tuple[ConicProgram, ConicProgram] | None = None

    def prepare(self, instance: Instance, accuracy: float, time_limit: float) -> Callable[[], Any]:
        """Return the call, with a copy of the program."""
        program = instance.posed.program
        given = program.copy()
        self._given = given, program
        return partial(found(self.place), given, accuracy=accuracy, time_limit=time_limit)

    def finish(self, returned: Any) -> Any:
        """Return the answer, once its shapes and numbers have been checked."""
        assert self._given is not None, "prepared before"
        return checked_answer(returned, self._given[1])

    def version(self) -> str:
        """Return its place and a checksum of its module's source: changed, it is another solver.

        The place alone where no module is found.
        """
        source = _source(self.place.partition(":")[0])
        return f"{self.place}, source {hashlib.sha256(source).hexdigest()[:12]}" if source else self.place

    def require_found(self) -> None:
        """Raise where the source of its module has no such name, before any process is started for it.

        Raises
        ------
        DomainError
            Another way of writing, no such module, or no such name in its source.
        """
        module, _, name = self.place.partition(":")
        source = _source(module).decode(errors="replace") if module and name else ""
        absent = not name or (not source and find_spec(module.split(".")[0]) is None)
        # What a module takes from others by a star is not in its source.
        if absent or (source and "import *" not in source and not re.search(rf"\b{re.escape(name)}\b", source)):
            found(self.place)

    def changed_its_input(self) -> bool:
        """Return whether the last call changed an array that it was given."""
        return self._given is not None and self._given[0].differs(self._given[1])


def found(place: str) -> Callable[..., Any]:
    """Return the callable ``module:name``; modules are also looked for in the current folder.

    Raises
    ------
    DomainError
        Another way of writing, a module that is not found or does not load, no callable of that name in it.
    """
    module, colon, name = place.partition(":")
    if not (module and colon and name):
        raise DomainError("solver", place, "a solver of one's own is module:function", "write name=module:function")
    _look_here()
    try:
        loaded = import_module(module)
    except ModuleNotFoundError as error:
        if error.name != module.split(".")[0] and error.name != module:
            raise DomainError("solver", place, f"its module needs {error.name}", f"install {error.name}") from error
        files = [path.stem for path in Path.cwd().glob("*.py")]
        remedy = nearest(module, files) if files else "run the command in the folder of the module, or install it"
        raise DomainError("solver", place, f"there is no module {module}", remedy) from error
    except Exception as error:
        why = f"its module does not load ({type(error).__name__}: {error})"
        raise DomainError("solver", place, why, "correct the module") from error
    solve = getattr(loaded, name, None)
    if not callable(solve):
        names = [each for each in vars(loaded) if callable(getattr(loaded, each)) and not each.startswith("_")]
        remedy = nearest(name, names) if names else "define it there"
        raise DomainError("solver", place, f"module {module} has no function {name}", remedy)
    return solve  # type: ignore[no-any-return] # whatever is callable


def _source(module: str) -> bytes:
    """Return the source of a module without importing it or its package; empty if it cannot be found."""
    _look_here()
    spec, folders, names = None, None, module.split(".")
    for count in range(1, len(names) + 1):
        spec = PathFinder.find_spec(".".join(names[:count]), folders)
        if spec is None:
            return b""
        folders = spec.submodule_search_locations
    origin = None if spec is None or spec.origin is None else Path(spec.origin)
    return origin.read_bytes() if origin is not None and origin.is_file() else b""


def _look_here() -> None:
    """Let modules in the current folder be found."""
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)


def offered() -> dict[str, str]:
    """Return the solvers that installed packages offer, by name, with the place of each."""
    return {each.name: each.value for each in entry_points(group=GROUP)}
