"""The command `audit`: a mechanism, or anyone's matrix, in exact arithmetic."""

from __future__ import annotations

from pathlib import Path

import click

from mechdesign.cli import json_reports, options, own_members, printing
from mechdesign.cli.matrix_file import read_matrix
from mechdesign.cli.mechanism_files import require_file
from mechdesign.cli.question_file import read_question
from mechdesign.designing.loading import load
from mechdesign.displays.text import show
from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import audit as audited


@click.command()
@click.argument("file", type=options.PATH)
@click.option("--question", type=options.PATH, help="Hold FILE against the notion and prior of this question (TOML).")
@options.members
@options.as_json
def audit(file: Path, question: Path | None, modules: tuple[str, ...], as_json: bool) -> int:
    """Audit FILE in exact arithmetic: a mechanism file (.json), or with --question anyone's matrix (.csv).

    A matrix has one line for each input and one number (0.25 or 1/4) for each output, with or without names of both.
    """
    require_file("FILE", file)
    own = own_members.imported(modules)
    mechanism = _loaded(file, own) if file.suffix == ".json" else None
    against = None if question is None else read_question(question, own).question
    if against is None and mechanism is None:
        rule = "a bare matrix does not say what it is to be held against"
        raise DomainError("FILE", str(file), rule, "add --question question.toml")
    asked = (None, None) if against is None else (against.notion, against.problem)
    found = audited(mechanism or read_matrix(file), *asked)
    console = printing.console(as_json)
    if against is not None:
        show(console, against.display())
    elif mechanism is not None:
        show(console, mechanism.display()[:1])
    if mechanism is not None and mechanism.certificate is not None:
        show(console, [mechanism.certificate.shown("Certificate, derived again")])
    show(console, found.display())
    if as_json:
        printing.show_json(json_reports.audit_data(found))
    asked_for = against is not None or (mechanism is not None and mechanism.guarantee is not None)
    return 0 if found.holds or not asked_for else printing.FELL_SHORT


def _loaded(file: Path, own: tuple[type, ...]) -> Mechanism:
    """Return the mechanism in a file; what there is to warn of is said."""
    with printing.warnings_as_sentences():
        return load(file, members=own)
