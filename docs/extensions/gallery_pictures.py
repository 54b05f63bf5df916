"""Pictures of the gallery's cards: the first one of each page, drawn by the code that stands on the page."""

from __future__ import annotations

import ast
import re
from pathlib import Path
from typing import Any

from matplotlib import rc_context
from matplotlib.text import Text

#: How much larger texts are on a card.
LARGER = 1.35
CELL = re.compile(r"^```\{code-cell\}\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def draw(gallery: Path, target: Path) -> None:
    """Write a picture for each page of the gallery, under the page's name."""
    target.mkdir(parents=True, exist_ok=True)
    for page in sorted(gallery.glob("*.md")):
        found = CELL.search(page.read_text(encoding="utf-8"))
        if found is not None:
            # Names of elements are random otherwise, and every build would change the file.
            with rc_context({"svg.hashsalt": "mechdesign"}):
                of_card(shown(found[1])).savefig(target / f"{page.stem}.svg", metadata={"Date": None})


def of_card(picture: Any) -> Any:
    """Return a picture for a card, which is small: without its titles, which the card has, and with larger texts."""
    for axes in picture.axes:
        axes.set_title("")
        axes.set_title("", loc="left")
    if picture._suptitle is not None:  # noqa: SLF001 - matplotlib has no other way to take it away
        picture.suptitle("")
    for text in picture.findobj(Text):
        text.set_fontsize(LARGER * text.get_fontsize())
    return picture


def shown(code: str) -> Any:
    """Return what a cell shows: the value of its last line."""
    tree, names = ast.parse(code), {}
    last = tree.body.pop()
    if not isinstance(last, ast.Expr):
        raise TypeError("the first cell of a page of the gallery has to end with its picture")
    exec(compile(tree, "<gallery>", "exec"), names)  # noqa: S102 - the site's own pages
    return eval(compile(ast.Expression(last.value), "<gallery>", "eval"), names)  # noqa: S307 - likewise
