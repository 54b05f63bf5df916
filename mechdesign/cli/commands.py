"""The command `mechdesign`: its verbs, and how their errors are said."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import click

from mechdesign import __version__
from mechdesign.cli import (
    auditing,
    benchmarking,
    calibrating,
    counting,
    designing,
    estimating,
    listing,
    own_mechanism,
    quickstart,
    refereeing,
    using,
)
from mechdesign.cli.printing import BAD_INPUT, FELL_SHORT, INTERRUPTED, complain
from mechdesign.cli.question_file import KINDS
from mechdesign.errors import CertificateError, MechdesignError, OtherFileError, SolverError, nearest
from mechdesign.question.members_by_name import members
from mechdesign.runtime.deadline import left_at_work

#: The least similarity of a suggested option to the unknown one; high, since all options start with dashes.
ALIKE = 0.75


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mechdesign")
def cli() -> None:
    """Design provably optimal local-privacy mechanisms.

    Exit codes: 0 all is well; 1 an answer that fell short (a gap wider than asked, an audit that fails, a solver that
    failed); 2 bad input.
    """


for verb in (
    quickstart.quickstart,
    designing.design,
    designing.compare,
    own_mechanism.mechanism,
    auditing.audit,
    designing.frontier,
    calibrating.calibrate,
    listing.notions,
    listing.objectives,
    refereeing.verify,
    counting.count,
    using.sample,
    estimating.estimate,
    using.report,
    using.sampler,
    benchmarking.bench,
):
    cli.add_command(verb)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; our own errors are one sentence on stderr, and there is no traceback."""
    code: Any
    try:
        code = cli.main(arguments, prog_name="mechdesign", standalone_mode=False)
    except click.NoSuchOption as error:
        complain(_without_option(error))
        code = BAD_INPUT
    except click.ClickException as error:
        error.show()
        code = BAD_INPUT
    except click.Abort:
        complain("Interrupted; nothing was written.")
        code = INTERRUPTED
    except OtherFileError as error:
        complain(str(error))
        code = BAD_INPUT
    except (SolverError, CertificateError) as error:
        complain(str(error))
        code = FELL_SHORT
    except MechdesignError as error:
        complain(str(error))
        code = BAD_INPUT
    if arguments is None and left_at_work():
        # Whoever pressed Ctrl-C would wait for the solver that was left: this process is the command's own.
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code or 0)
    sys.exit(code or 0)


def _without_option(error: click.NoSuchOption) -> str:
    """Return what to write in place of an option that a command does not have."""
    command = error.ctx
    assert command is not None, "click knows the command that it was reading"
    options = [name for each in command.command.get_params(command) for name in each.opts if name.startswith("--")]
    known = {field.name for kind in KINDS.values() for member in members(kind).values() for field in fields(member)}
    remedy = nearest(error.option_name, options, ALIKE)
    if error.option_name.removeprefix("--").replace("-", "_") in known and "--levels" not in options:
        remedy = "the question FILE says it, in the section of its notion or objective"
    return f"{command.command_path} has no option {error.option_name}; {remedy}."
