"""How a command ends, and what it prints: text, JSON, and complaints on stderr."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from mechdesign.displays.visible import printable

if TYPE_CHECKING:
    from rich.console import Console

FELL_SHORT, BAD_INPUT, INTERRUPTED, CLOSED = 1, 2, 130, 141


def console(silent: bool) -> Console:
    """Return the console that text is printed on; a silent one prints nothing."""
    from rich.console import Console

    # Labels come from files: no markup, no emoji codes, nothing highlighted by guess.
    return Console(quiet=silent, markup=False, emoji=False, highlight=False)


def show_json(data: Any) -> None:
    """Print data as JSON."""
    from mechdesign.question.plain_values import in_json

    click.echo(json.dumps(in_json(data, missing=True), indent=2, allow_nan=False))


def complain(sentence: str) -> None:
    """Print a sentence on stderr, with the command's name."""
    click.echo(f"mechdesign: {printable(sentence)}", err=True)


@contextmanager
def warnings_as_sentences() -> Iterator[list[warnings.WarningMessage]]:
    """Print the warnings of a block on stderr once it has ended without an error; yields the list of them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield caught
    for warning in caught:
        complain(str(warning.message))
