"""What everything shares that a notebook shows: its display as HTML."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from mechdesign.displays.blocks import Block, Table
from mechdesign.displays.numbers import digits


class Displayed:
    """A result that a notebook shows as tables, and `print` as text; a subclass says what is in them by `display`."""

    def display(self) -> tuple[Block, ...]:
        """Return what is shown: sentences, tables and matrices, each with its title."""
        raise NotImplementedError(f"{type(self).__name__} has no display")

    def _repr_html_(self) -> str:
        """Return the display for a notebook: HTML without script, every text escaped, large parts summarised."""
        from mechdesign.displays.html import fragment

        return str(fragment(self.display()))

    def _printed(self) -> str:
        """Return the display as text, for `__str__` of what is more than a name."""
        from mechdesign.displays.text import plain

        return plain(self.display())


class Record(Displayed):
    """A dataclass of plain values, shown as a table of its fields; the first one names it."""

    def display(self) -> tuple[Block, ...]:
        """Return each field with its value."""
        shown = [(field.name, _plain(getattr(self, field.name))) for field in fields(self)]  # type: ignore[arg-type] # beside dataclasses only
        return (Table(type(self).__name__, ("", "value"), tuple(shown), ("", "value")),)


def _plain(value: Any) -> str:
    return digits(value, 9) if isinstance(value, float) else str(value)
