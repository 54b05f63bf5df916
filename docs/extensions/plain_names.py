"""Names on pages: initials in references stay initials, and names in code may break at their capitals.

reStructuredText reads "J. Duchi" at the start of a line as item J of a list.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

#: An initial at the start of a line, with what stands before it.
INITIAL = re.compile(r"^(\s*)([A-Z])\. (?=\S)")
#: Before numpydoc (500), which makes sections of the lines.
EARLY = 400
#: The headings and the names in code of a page, and where a name of several words may break.
NAME = re.compile(r"(<h1>|<span class=\"pre\">)([A-Za-z.]+)(?=<)")
CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


def plain(lines: list[str]) -> list[str]:
    r"""Return the lines of a docstring with a backslash before each initial that begins one.

    Examples
    --------
    >>> plain(["J. Duchi, M. Jordan", "1. a list"])
    ['\\J. Duchi, M. Jordan', '1. a list']
    """
    return [INITIAL.sub(r"\1\\\2. ", line) for line in lines]


def breakable(page: str) -> str:
    """Return a page of HTML on which names may break before a capital, if the line is too short for them.

    Examples
    --------
    >>> breakable('<h1>UtilityOptimizedLDP<a class="headerlink">')
    '<h1>Utility<wbr>Optimized<wbr>LDP<a class="headerlink">'
    """
    return NAME.sub(lambda found: found[1] + CAPITAL.sub("<wbr>", found[2]), page)


def _breakable(app: Sphinx, page: str, template: str, context: dict[str, Any], doctree: object) -> None:
    if "body" in context:
        context["body"] = breakable(context["body"])


def _before_numpydoc(app: Sphinx, what: str, name: str, held: object, options: object, lines: list[str]) -> None:
    lines[:] = plain(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Mark initials in every docstring that autodoc takes over, and capitals on every page."""
    app.connect("autodoc-process-docstring", _before_numpydoc, priority=EARLY)
    app.connect("html-page-context", _breakable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
