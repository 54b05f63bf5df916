"""The bar counts on a terminal's stderr, and says nothing anywhere else."""

import pytest

from mechdesign.runtime.progress import Bar


@pytest.fixture
def terminal(monkeypatch):
    """Take stderr for a terminal without colours."""
    for name in ("NO_COLOR", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.usefixtures("terminal")
def test_a_bar_counts_what_is_done_on_a_terminal(capsys):
    with Bar("[designs]", 5, 2) as bar:
        bar("[designs]", 5)
    said = capsys.readouterr()
    assert "[designs]" in said.err and "3/5" in said.err and not said.out


@pytest.mark.usefixtures("terminal")
def test_a_bar_that_is_not_wanted_says_nothing(capsys):
    with Bar("designs", 5, wanted=False) as bar:
        bar("designs", 5)
    assert capsys.readouterr() == ("", "")


def test_a_bar_says_nothing_where_stderr_is_no_terminal(capsys, monkeypatch):
    for name in ("FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    with Bar("designs", 5) as bar:
        bar("designs", 5)
    assert capsys.readouterr() == ("", "")
