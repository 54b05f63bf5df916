"""Options in the documentation exist: REFEREE.md once named one that no command has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import click

from mechdesign.cli.commands import cli

ROOT = Path(__file__).parents[2]
#: But for pages that are generated when the site is built.
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")} - {*ROOT.glob("docs/catalogue/**/*.md")})


def commands(text: str) -> Iterator[list[str]]:
    """Yield the words of each command, a line in a block of code or between backquotes."""
    found = re.findall(r"^mechdesign (.*)$|`mechdesign ([^`]+)`", text.replace("\\\n", " "), re.MULTILINE)
    for line, quoted in found:
        yield (line or quoted).partition(" #")[0].split()


def unknown(words: list[str]) -> list[str]:
    """Return the options of a command that it does not have; a line of prose is no command."""
    command: click.Command = cli
    for word in words:
        context = click.Context(command)
        if not (isinstance(command, click.Group) and word in command.list_commands(context)):
            break
        command = command.get_command(context, word)
    taken = {option for param in command.params for option in (*param.opts, *param.secondary_opts)}
    given = [word.partition("=")[0] for word in words if word.startswith("-") and len(word) > 1]
    return [option for option in given if option not in taken | {"--help", "-h"}]


def test_options_exist():
    lines = {(page.name, *words): unknown(words) for page in PAGES for words in commands(page.read_text("utf-8"))}
    assert len(lines) >= 40 and not {line: options for line, options in lines.items() if options}


def test_planted_an_option_that_does_not_exist_is_seen():
    text = "mechdesign verify --thorough \\\n --save x  # --like\nand `mechdesign bench run --set a`"
    verify, bench = commands(text)
    assert verify == ["verify", "--thorough", "--save", "x"] and unknown(verify) == ["--save"] and not unknown(bench)
