"""The command `mechdesign`: its verbs, and how their errors are said."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from dataclasses import fields
from importlib import import_module
from typing import Any, Final, TextIO

import click

from mechdesign import __version__
from mechdesign.cli.printing import BAD_INPUT, CLOSED, FELL_SHORT, INTERRUPTED, complain
from mechdesign.errors import CertificateError, DomainError, MechdesignError, OtherFileError, SolverError, nearest

#: The least similarity of a suggested option to the unknown one; high, since all options start with dashes.
ALIKE = 0.75
#: The module below `mechdesign.cli` that has a command, and what it does in a line of at most 60 characters.
VERBS: Final = {
    "quickstart": ("quickstart", "Design a survey question from a column of answers."),
    "design": ("designing", "Design the mechanism that a question file asks for."),
    "compare": ("designing", "Answer a question by every route and solver."),
    "frontier": ("designing", "Design at many levels of privacy."),
    "calibrate": ("calibrating", "Find the least level that reaches a target."),
    "mechanism": ("own_mechanism", "Make a mechanism file of a matrix of your own."),
    "audit": ("auditing", "Check a mechanism file in exact arithmetic."),
    "report": ("using", "Write a mechanism's page for people who decide."),
    "count": ("counting", "Count the answers in a column of a CSV file."),
    "sample": ("using", "Draw a report for each row of a CSV file."),
    "sampler": ("using", "Write a program that draws reports elsewhere."),
    "estimate": ("estimating", "Estimate frequencies and means from reports."),
    "notions": ("listing", "List the privacy notions, or search for a word."),
    "objectives": ("listing", "List the objectives."),
    "verify": ("refereeing", "Test the papers' statements by computation."),
    "bench": ("benchmarking", "Benchmark solvers on programs of known optima."),
}
GREETING: Final = f"""mechdesign {__version__}: optimal local-privacy mechanisms, with the proof.

  mechdesign quickstart ANSWERS.csv --column region --epsilon 1
      designs a survey question from a column of answers
  mechdesign design question.toml
      designs what a question file asks for
  mechdesign notions --search histogram
      looks a word up among notions, objectives and mechanisms

mechdesign --help lists all commands, mechdesign COMMAND --help explains one."""


class Verbs(click.Group):
    """The commands, each of whose modules is loaded when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the commands in the order in which people need them."""
        return list(VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:
        """Return the command of that name from its module.

        Raises
        ------
        DomainError
            There is none of that name; the message has the nearest.
        """
        if cmd_name not in VERBS:
            raise DomainError("the command", cmd_name, "there is none of that name", nearest(cmd_name, VERBS))
        module = import_module(f"mechdesign.cli.{VERBS[cmd_name][0]}")
        command: click.Command = getattr(module, cmd_name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write what each command does, without its module."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, does) for name, (_, does) in VERBS.items()])


@click.group(cls=Verbs, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="mechdesign")
@click.pass_context
def cli(context: click.Context) -> None:
    """Design provably optimal local-privacy mechanisms.

    Exit codes: 0 all is well; 1 an answer that fell short (a gap wider than asked, an audit that fails, a solver that
    failed); 2 bad input, or output that cannot be written; 130 interrupted; 141 a pipe that was closed.
    """
    if context.invoked_subcommand is None:
        click.echo(GREETING)


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command; our own errors are one sentence on stderr, and there is no traceback."""
    code: Any
    try:
        code = _run(arguments)
        _flush(sys.stdout)
    except OSError as error:
        # Files that cannot be read or written have errors of ours: what is left is the output itself.
        code = _without_output(error)
    except SystemExit as error:
        # So ends click where a pipe is closed.
        code = _without_output(error.__context__) if isinstance(error.__context__, OSError) else error.code
    if arguments is None and _left_at_work():
        # Whoever pressed Ctrl-C would wait for the solver that was left: this process is the command's own.
        _flush(sys.stderr)
        os._exit(code or 0)
    sys.exit(code or 0)


def _flush(stream: TextIO | None) -> None:
    """Write out what is held back; Python has no stream where it was closed before the command began."""
    if stream is not None:
        stream.flush()


def _run(arguments: Sequence[str] | None) -> Any:
    """Return the exit code of the command, whose errors are printed."""
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
    return code


def _without_output(error: OSError) -> int:
    """Return the exit code where nothing can be printed; who closes a pipe has read enough, and needs no words."""
    # What is left to be printed would fail once more when Python ends.
    sys.stdout = io.StringIO()
    if error.errno == errno.EPIPE:
        return CLOSED
    complain(f"the output cannot be printed: {error.strerror}.")
    return BAD_INPUT


def _left_at_work() -> bool:
    """Return whether a solver was left at work; none was if no module with solvers is loaded."""
    deadline = sys.modules.get("mechdesign.runtime.deadline")
    return deadline is not None and bool(deadline.left_at_work())


def _without_option(error: click.NoSuchOption) -> str:
    """Return what to write in place of an option that a command does not have."""
    command = error.ctx
    assert command is not None, "click knows the command that it was reading"
    from mechdesign.cli.question_file import KINDS
    from mechdesign.question.members_by_name import members

    options = [name for each in command.command.get_params(command) for name in each.opts if name.startswith("--")]
    known = {field.name for kind in KINDS.values() for member in members(kind).values() for field in fields(member)}
    remedy = nearest(error.option_name, options, ALIKE)
    if error.option_name.removeprefix("--").replace("-", "_") in known and "--levels" not in options:
        remedy = "the question FILE says it, in the section of its notion or objective"
    return f"{command.command_path} has no option {error.option_name}; {remedy}."
