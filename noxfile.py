"""Commands for those who work on the package: `nox -l` lists them, `nox -s test -- notions` runs one folder's tests."""

from __future__ import annotations

import nox

nox.options.sessions = ["test"]


@nox.session
def test(session: nox.Session) -> None:
    """Run all tests, or the tests of some folders: `nox -s test -- notions objectives`."""
    session.install("-e", ".[test]")
    session.run("python", "-m", "pytest", *(f"tests/{folder}" for folder in session.posargs))


@nox.session(python=False)
def gate(session: nox.Session) -> None:
    """Run what has to pass before a change lands."""
    session.run(".ci/run", *session.posargs, external=True)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site into `site`; `-- -t light` executes no cells."""
    session.install("-e", ".[docs]")
    session.run("python", "-m", "sphinx", *session.posargs, "-q", "-b", "html", "docs", "site")
