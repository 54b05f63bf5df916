"""The catalogue as text: notions and objectives with their parameters and formulas."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.text import Text

from mechdesign.cli.json_reports import catalogue
from mechdesign.displays.text import say


def show_catalogue(console: Console, kind: type, own: Sequence[type]) -> None:
    """Print the notions or objectives, the user's own included, with their parameters and formulas."""
    for entry in catalogue(kind, own):
        console.print(Text(f"{entry['name']}({', '.join(entry['parameters'])})", style="bold"), soft_wrap=True)
        if entry["usual"]:
            say(console, entry["usual"], 4)
        say(console, entry["formula"], 4)
