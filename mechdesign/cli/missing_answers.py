"""The options of missing answers, and how a command or a question file writes the ways out."""

from __future__ import annotations

import click

from mechdesign.errors import DomainError
from mechdesign.problem.missing import MissingRule, Ways, missing_rule

IN_COMMANDS = Ways("--drop-missing", "{}", '--missing "{}"', " ")
IN_FILES = Ways("drop_missing = true", "missing = [{}]")

declared = click.option(
    "--missing",
    "missing",
    multiple=True,
    metavar="CODE",
    help='What stands for a missing answer, such as NA or "": it is counted as the answer "missing".',
)
dropped = click.option(
    "--drop-missing",
    is_flag=True,
    help='Leave missing answers out: the codes of --missing, or without it "", NA, NaN, null, n/a, #N/A and <NA>.',
)


def rule_of(missing: tuple[str, ...], drop_missing: bool) -> MissingRule:
    """Return the rule that the two options state.

    Examples
    --------
    >>> rule_of(("NA",), False)
    MissingRule(codes=('NA',), drop=False)
    """
    return missing_rule(missing or None, drop_missing)


def left_out(count: int) -> str:
    """Return how many rows were left out, in a sentence.

    Examples
    --------
    >>> left_out(1)
    '1 row is left out: its answer is missing.'
    """
    return (
        f"{count} rows are left out: their answers are missing."
        if count > 1
        else "1 row is left out: its answer is missing."
    )


def reports_rule(missing: tuple[str, ...], drop_missing: bool) -> MissingRule:
    """Return the rule for missing reports, which are left out or refused: they have no probability."""
    if missing and not drop_missing:
        rule = "a missing report has no probability under the mechanism"
        raise DomainError("--missing", ", ".join(missing), rule, "add --drop-missing, which leaves these reports out")
    return missing_rule(missing or None, drop_missing)


def reports_left_out(count: int) -> str:
    """Return how many reports are missing and what that means, in a sentence.

    Examples
    --------
    >>> reports_left_out(2)[:40]
    '2 reports are missing and were left out:'
    """
    several = f"{count} reports are missing and were" if count > 1 else "1 report is missing and was"
    return (
        f"{several} left out: the estimate is of the people who reported, which is right only if refusing does not "
        "depend on the answer."
    )
