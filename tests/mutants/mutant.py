"""Mutants of a file, by Cosmic Ray's operators or written out, and what becomes of one."""

from __future__ import annotations

import ast
import difflib
import random
import shutil
import subprocess
import sys
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.mutants.groups import ROOT, Group

NAMED = Path(__file__).with_name("named.toml")

#: What a copy of the checkout has to hold for tests to run in it.
PARTS = ("mechdesign", "mechdesign_check.py", "tests", "benchmarks", "examples", "notebooks", "docs", ".ci")
PAGES = ("README.md", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "REFEREE.md", "SECURITY.md", "LICENSE")
#: Operators whose mutants change no behaviour that is promised: decorators that only check, names of variables.
LEFT_OUT = ("VariableReplacer", "VariableInserter", "RemoveDecorator", "NoOp")


@dataclass(frozen=True)
class Mutant(ABC):
    """One change of one file."""

    path: str

    @abstractmethod
    def text(self) -> str:
        """Return the file with the change."""

    def change(self) -> str:
        """Return the lines that are taken out and put in."""
        before = (ROOT / self.path).read_text(encoding="utf-8").splitlines()
        lines = difflib.unified_diff(before, self.text().splitlines(), lineterm="", n=0)
        return "\n".join(line for line in lines if line[:3] not in {"---", "+++"})


@dataclass(frozen=True)
class Drawn(Mutant):
    """An operator of Cosmic Ray at one of its places."""

    operator: str
    occurrence: int

    def text(self) -> str:
        """Return the file with the change."""
        from cosmic_ray.mutating import mutate_code
        from cosmic_ray.plugins import get_operator

        made = mutate_code(
            (ROOT / self.path).read_text(encoding="utf-8"), get_operator(self.operator)(), self.occurrence
        )
        assert made is not None, f"{self} changes nothing"
        return str(made)


@dataclass(frozen=True)
class Named(Mutant):
    """A piece of text for another, which says in words what it is, and the tests that have to notice it."""

    what: str
    before: str
    after: str
    tests: list[str]

    def text(self) -> str:
        """Return the file with the change."""
        text = (ROOT / self.path).read_text(encoding="utf-8")
        assert text.count(self.before) == 1, f"{self.path} does not have {self.before!r} once"
        return text.replace(self.before, self.after)


def named() -> list[Named]:
    """Return the mutants that are written out."""
    return [Named(**each) for each in tomllib.loads(NAMED.read_text(encoding="utf-8"))["named"]]


def mutants(group: Group) -> list[Drawn]:
    """Return every mutant of a group's code; texts are left as they are."""
    from cosmic_ray.ast import ast_nodes, get_ast
    from cosmic_ray.plugins import get_operator, operator_names

    found = []
    for path in group.files():
        tree = get_ast(path.read_text(encoding="utf-8"))
        for name in operator_names():
            if any(left in name for left in LEFT_OUT) or get_operator(name).arguments():
                continue
            operator = get_operator(name)()
            count = sum(1 for node in ast_nodes(tree) for _ in operator.mutation_positions(node))
            found += [Drawn(path.relative_to(ROOT).as_posix(), name, place) for place in range(count)]
    return found


def sampled(group: Group, count: int, seed: int) -> list[Drawn]:
    """Return so many mutants of a group, drawn by a seed; each changes what Python makes of the file."""
    every = mutants(group)
    random.Random(seed).shuffle(every)
    drawn: list[Drawn] = []
    for mutant in every:
        if len(drawn) == count:
            break
        if _code(mutant.text()) not in (None, _code((ROOT / mutant.path).read_text(encoding="utf-8"))):
            drawn.append(mutant)
    return drawn


def _code(text: str) -> str | None:
    """Return what Python makes of a file: no comments, and no annotations of functions, which are never evaluated.

    None where it is no Python: the operator ``**`` before the entries of a dictionary has no other in its place.
    """
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return None
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            node.returns = None
        elif isinstance(node, ast.arg):
            node.annotation = None
    return ast.dump(tree)


def copied(folder: Path) -> Path:
    """Return a copy of what tests need of the checkout, in a folder."""
    for name in PARTS:
        source = ROOT / name
        if source.is_dir():
            # Pages that are made when the site is built; the package has a folder of that name.
            made = ["catalogue"] if name == "docs" else []
            shutil.copytree(source, folder / name, ignore=shutil.ignore_patterns("__pycache__", "results", *made))
        else:
            shutil.copy(source, folder / name)
    for name in (*PAGES, "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def noticed(mutant: Mutant | None, tests: Sequence[str], folder: Path, seconds: float) -> bool:
    """Tell whether tests fail, or do not end in time, on a mutant in a copy of the checkout."""
    text = None if mutant is None else (ROOT / mutant.path).read_text(encoding="utf-8")
    if mutant is not None:
        (folder / mutant.path).write_text(mutant.text(), encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", "0", "-p", "no:cacheprovider", "-o", "addopts="]
    command += ["--strict-markers", "-m", "not slow and not browser and not debian", *tests]
    try:
        run = subprocess.run(command, cwd=folder, capture_output=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return True
    finally:
        if mutant is not None and text is not None:
            (folder / mutant.path).write_text(text, encoding="utf-8")
    return run.returncode != 0
