"""Names in references stay names: reStructuredText reads "J. Duchi" at the start of a line as item J of a list."""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

#: An initial at the start of a line, with what stands before it.
INITIAL = re.compile(r"^(\s*)([A-Z])\. (?=\S)")
#: Before numpydoc (500), which makes sections of the lines.
EARLY = 400


def plain(lines: list[str]) -> list[str]:
    r"""Return the lines of a docstring with a backslash before each initial that begins one.

    Examples
    --------
    >>> plain(["J. Duchi, M. Jordan", "1. a list"])
    ['\\J. Duchi, M. Jordan', '1. a list']
    """
    return [INITIAL.sub(r"\1\\\2. ", line) for line in lines]


def _before_numpydoc(app: Sphinx, what: str, name: str, held: object, options: object, lines: list[str]) -> None:
    lines[:] = plain(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Mark initials in every docstring that autodoc takes over."""
    app.connect("autodoc-process-docstring", _before_numpydoc, priority=EARLY)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
