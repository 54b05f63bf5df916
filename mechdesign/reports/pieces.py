"""What the sections of a report are made of: headings, lists, cards and tables."""

from __future__ import annotations

from collections.abc import Iterable

from mechdesign.displays import Table
from mechdesign.displays.html import Html, content, element, joined

#: A table of more columns does not fit the screen of a telephone: a note says that it scrolls.
FITS = 6


def section(title: str, *contents: object) -> Html:
    """Return a section with its heading."""
    return element("section", element("h2", title), *contents)


def fact(name: str, value: str, more: str, kind: str = "plain") -> Html:
    """Return a card: a name, its value, and a remark in small letters."""
    return element("div", element("dt", name), element("dd", value, element("small", more)), class_=kind)


def strong(line: str) -> Html:
    """Return a paragraph in bold letters."""
    return element("p", element("strong", line))


def note(line: str) -> Html:
    """Return a paragraph in small letters."""
    return element("p", line, class_="note")


def bullets(lines: Iterable[str]) -> Html:
    """Return a list."""
    return element("ul", *(element("li", line) for line in lines))


def table(label: str, rows: Table) -> Html:
    """Return a table that people who hear the page know by its label."""
    return scrolling(label, content(rows), len(rows.headings))


def scrolling(label: str, rows: Html, columns: int) -> Html:
    """Return a table that scrolls by itself on a narrow page, by the keyboard as well, and says so."""
    box = element("div", rows, class_="scroll", role="region", aria_label=label, tabindex="0")
    if columns <= FITS:
        return box
    said = "On a narrow screen the table goes on at its right: scroll it."
    return joined([element("p", said, class_="note narrow"), box])


def capital(words: str) -> str:
    """Return words with a capital letter at their beginning."""
    return f"{words[:1].upper()}{words[1:]}"
