"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from mechdesign.cli import own_members

PATH = click.Path(path_type=Path)
as_json = click.option("--json", "as_json", is_flag=True, help="Print machine-readable JSON instead of text.")
quiet = click.option("-q", "--quiet", is_flag=True, help="Print nothing but complaints.")
time_limit = click.option("--time-limit", type=float, help="Seconds for each design, instead of what FILE says.")
memory_limit = click.option("--memory-limit", type=float, help="Gigabytes for each program, instead of what FILE says.")
#: Inputs up to which a proof is looked for where nothing is said.
PROVED_UP_TO = 50
proof = click.option(
    "--proof/--no-proof",
    default=None,
    help=f"Prove bounds in integers, or don't. Without either: where a proof is known, up to {PROVED_UP_TO} inputs.",
)
members = click.option(
    own_members.OPTION,
    "modules",
    multiple=True,
    metavar="MODULE",
    help="A module, or a .py file, with notions and objectives of your own; it is run.",
)
