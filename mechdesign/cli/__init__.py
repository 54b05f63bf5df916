"""The command `mechdesign`, and how it says what was found."""

from mechdesign.cli.commands import main

__all__ = ["main"]
