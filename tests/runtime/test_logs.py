"""What the package says of its work goes through the logger ``mechdesign``."""

from __future__ import annotations

import ast
import logging
from pathlib import Path

import pytest

import mechdesign as md

ASKED = (md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2]), md.LDP(1.0), md.MMSE())
LOGGER = logging.getLogger("mechdesign")


class Kept(logging.Handler):
    """A user's handler."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> None:
    # pytest's own handlers listen at the root.
    monkeypatch.setattr(LOGGER, "propagate", False)


@pytest.mark.usefixtures("alone")
def test_nothing_is_said_by_default(capsys: pytest.CaptureFixture[str]) -> None:
    md.design(*ASKED)
    said = capsys.readouterr()
    assert said.out == said.err == ""


@pytest.mark.usefixtures("alone")
def test_verbose_prints_and_leaves_the_logger_as_it_was(capsys: pytest.CaptureFixture[str]) -> None:
    before = (LOGGER.level, list(LOGGER.handlers))
    md.design(*ASKED, verbose=True)
    assert capsys.readouterr().out.startswith("route ")
    assert (LOGGER.level, list(LOGGER.handlers)) == before


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("verbose", [False, True])
def test_a_handler_of_the_users_hears_it_once(verbose: bool, capsys: pytest.CaptureFixture[str]) -> None:
    kept = Kept()
    LOGGER.addHandler(kept)
    LOGGER.setLevel(logging.INFO)
    try:
        md.design(*ASKED, verbose=verbose)
    finally:
        LOGGER.removeHandler(kept)
        LOGGER.setLevel(logging.NOTSET)
    assert len([said for said in kept.said if said.startswith("route ")]) == 1
    assert capsys.readouterr().out == ""


def test_nothing_else_prints() -> None:
    package = Path(md.__file__).parent
    for file in package.rglob("*.py"):
        if file.relative_to(package).parts[0] != "cli":
            names = {node.id for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.Name)}
            assert "print" not in names, file
