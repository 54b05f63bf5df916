"""Habits that are on their way out of the package, as counts that may only fall: whoever lowers one writes it down."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest

import mechdesign as md
from mechdesign.notions.base import Notion
from mechdesign.objectives.base import Objective

PACKAGE = Path(md.__file__).parent
#: A word that stands for disclosing, identifying or distinguishing.
TOLD = re.compile(r"\b(told|tell|tells|telling)\b", re.IGNORECASE)
#: Phrases that stand for a noun, in the first line of a docstring.
RIDDLES = re.compile(
    r"\b(that of|those of|next to|so many|so much|as many|at hand|in vain|whoever|the same as|all the same|is none|"
    r"what it is|what it was|of it)\b"
)
#: Base classes, of which a member is one by what it declares.
KINDS = {"Notion", "Objective", "Linear", "PiecewiseLinear", "RatioType", "Separable"}
#: Where members are exported, and what is about members by name.
EXPORTS = {"__init__.py", "notions/__init__.py", "objectives/__init__.py"}
BY_NAME = ("theorems/", "figures/", "baselines/", "bench/sets")
#: What the mathematics of other notions speaks of: a notion in one file may say which of these implies it, or is it.
KNOWN_TO_NOTIONS = {"LDP", "LIP", "MetricDP"}
#: Lines of code that have the word, first lines of docstrings with a phrase in place of a noun, docstrings that say
#: nothing alone, tests of a member's class where methods are routed, functions that take arrays and do not say of what
#: shape, and what is asserted because it was asked before.
MOST = {
    "told": 0,
    "riddles": 0,
    "the same": 0,
    "isinstance": 4,
    "shapes": 0,
    "member names": 195,
    "assumed": 36,
    "long files": 0,
    "long functions": 1,
}


@cache
def trees(folder=PACKAGE):
    """Return the syntax tree of each file in a folder, by path."""
    return {path: ast.parse(path.read_text("utf-8")) for path in sorted(folder.rglob("*.py"))}


def documented(tree):
    """Return each function and class that has a docstring, with it."""
    kinds = ast.FunctionDef | ast.ClassDef
    found = [(node, ast.get_docstring(node)) for node in ast.walk(tree) if isinstance(node, kinds)]
    return [(node, words) for node, words in found if words]


def told():
    """Return the lines that have the word."""
    lines = [line for path in trees() for line in path.read_text("utf-8").splitlines()]
    return [line for line in lines if TOLD.search(line)]


def riddles():
    """Return the first lines of docstrings, modules' too, that have a phrase in place of a noun."""
    found = []
    for path, tree in trees().items():
        first = [words.splitlines()[0] for _, words in [(tree, ast.get_docstring(tree) or " "), *documented(tree)]]
        found += [f"{path.name}: {line}" for line in first if RIDDLES.search(line)]
    return found


def the_same():
    """Return the docstrings that begin with a reference to another one, or do not say that they return a truth."""
    return [
        f"{path.name}: {node.name}"
        for path, tree in trees().items()
        for node, words in documented(tree)
        if re.match(r"(Return|Tell) the same\b|Tell whether\b", words)
    ]


def members():
    """Return the names of the classes of notions and objectives, and of tuples of them in `solve`."""
    shown = {name: getattr(md, name) for name in md.__all__ if isinstance(getattr(md, name), type)}
    kinds = {name for name, kind in shown.items() if issubclass(kind, Notion | Objective)}
    return kinds - KINDS


def member_checks():
    """Return each test in `solve` whether a notion or an objective is of a certain class of the catalogue."""
    return [
        f"{path.name}:{node.lineno}"
        for path, tree in trees(PACKAGE / "solve").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and getattr(node.func, "id", "") == "isinstance"
        and members() & {part.id for part in ast.walk(node.args[1]) if isinstance(part, ast.Name)}
    ]


def spoken(tree):
    """Return the names in code and the texts that are a name, each with its line: no docstrings, no rules of cards."""
    silent = {id(node.args[0]) for node in ast.walk(tree) if isinstance(node, ast.Call) and is_rule(node)}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            found.append((node.value, node.lineno))
        name = getattr(node, "id", None) or getattr(node, "attr", None)
        if isinstance(node, ast.alias):
            name = node.name
        if isinstance(name, str):
            found.append((name, node.lineno))
    return found


def is_rule(call):
    """Return whether a call makes a rule of a card, whose first argument is the name of a notion."""
    return getattr(call.func, "id", "") == "Rule" and bool(call.args)


def member_names():
    """Return where the name of a notion or an objective stands outside its own file, in more than an export.

    Theorems, figures, baselines and the sets of the benchmark are about members by name.
    """
    homes = {name: getattr(md, name).__module__ for name in members() if hasattr(md, name)}
    found = []
    for path, tree in trees().items():
        place = path.relative_to(PACKAGE).as_posix()
        if place in EXPORTS or place.startswith(BY_NAME):
            continue
        module = f"mechdesign.{place.removesuffix('.py').replace('/', '.')}"
        silent = KNOWN_TO_NOTIONS if place.startswith("notions/") else set()
        found += [
            f"{place}:{line}: {name}"
            for name, line in spoken(tree)
            if homes.get(name, module) != module and name not in silent
        ]
    return found


def without_shapes():
    """Return the public functions of `solve` that take arrays and do not say of what shape."""
    found = []
    for path, tree in trees(PACKAGE / "solve").items():
        for node, words in documented(tree):
            arrays = isinstance(node, ast.FunctionDef) and any(
                argument.annotation is not None and ast.unparse(argument.annotation).startswith("Array")
                for argument in node.args.args
            )
            if arrays and not node.name.startswith("_") and "shape" not in words:
                found.append(f"{path.name}: {node.name}")
    return found


def assumed():
    """Return the assertions in `solve` that what may be None, or of another class, is not: somebody asked before."""
    return [
        f"{path.name}:{node.lineno}"
        for path, tree in trees(PACKAGE / "solve").items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Assert) and re.search(r"is not None|isinstance\(", ast.unparse(node.test))
    ]


def long_files():
    """Return the files of more than 400 lines, those in `solve` twice: none is to come back there."""
    lengths = {path: len(path.read_text("utf-8").splitlines()) for path in trees()}
    over = [str(path.relative_to(PACKAGE)) for path, length in lengths.items() if length > 400]
    return over + [name for name in over if name.startswith("solve")]


def long_functions():
    """Return the functions whose body has more than 45 lines without its docstring."""
    found = []
    for path, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) else node.body
                if body and body[-1].end_lineno - body[0].lineno >= 45:
                    found.append(f"{path.name}: {node.name}")
    return found


COUNTED = {
    "told": told,
    "riddles": riddles,
    "the same": the_same,
    "isinstance": member_checks,
    "shapes": without_shapes,
    "member names": member_names,
    "assumed": assumed,
    "long files": long_files,
    "long functions": long_functions,
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_count_only_falls(name):
    found = COUNTED[name]()
    assert len(found) <= MOST[name], found
    assert len(found) == MOST[name], f"lower the count of {name} in MOST to {len(found)}"


def test_the_counts_see_what_they_count():
    tree = ast.parse('def f(a: Array):\n    """Return the same of a."""\n    return isinstance(a, LDP)\n')
    assert [words for _, words in documented(tree)] == ["Return the same of a."]
    code = ast.parse('LDP(1.0) & notions.LIP(1.0) if name == "MMSE" else Rule("LDP", 2, "why")')
    assert [name for name, _ in spoken(code) if name in members()] == ["MMSE", "LDP", "LIP"]
    assert "LDP" in members() and "MMSE" in members() and "Notion" not in members()
    assert all(count() for name, count in COUNTED.items() if MOST[name])
    assert RIDDLES.search("Return that of the notion.") and not RIDDLES.search("Return the notion's level.")
    assert TOLD.search("what a report tells") and not TOLD.search("told_you")
