"""Messages of errors name classes that exist: a remedy that is not there helps nobody."""

import ast
import re
from pathlib import Path

import mechdesign as md

#: Words of two capitals that are no names of ours.
ELSEWHERE = {"HiGHS", "NaN"}


def unknown_names(tree):
    """Return the names of classes in what a module's errors say that are no members of the package."""
    raised = [node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise) and node.exc is not None]
    parts = [part.value for error in raised for part in ast.walk(error) if isinstance(part, ast.Constant)]
    names = {name for part in map(str, parts) for name in re.findall(r"\b[A-Z][a-z]+(?:[A-Z]+[a-z]*)+\b", part)}
    return {name for name in names - ELSEWHERE if not hasattr(md, name)}


def test_errors_name_classes_that_exist():
    found = {
        path.name: unknown
        for path in sorted(Path(md.__file__).parent.rglob("*.py"))
        if (unknown := unknown_names(ast.parse(path.read_text("utf-8"))))
    }
    assert not found


def test_a_class_that_is_not_there_is_noticed():
    tree = ast.parse('raise UnsupportedError(f"{name} is refused; take HammingError or " "HammingLoss of HiGHS.")')
    assert unknown_names(tree) == {"HammingError"}
