"""The languages of samplers: how their files are known again, and how texts and numbers are written in them."""

from __future__ import annotations

import json
import math
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mechdesign.displays.visible import printable
from mechdesign.files.kinds import FileKind

#: What both begin with, after the sign of a docstring or comment.
FIRST_WORDS = "A sampler of reports, written by mechdesign "
WHAT = "the sampler"
WIDTH = 116


@dataclass(frozen=True)
class Language:
    """What a sampler is written in.

    Attributes
    ----------
    kind : FileKind
        Its files.
    template : str
        The name of the file in this package that holds all but the mechanism.
    of_matrix, of_family : str
        The names of the files with the tables and functions that draw from a matrix, or without one.
    quotes : bool
        Whether whole numbers beyond 2^53 are written as texts.
    counting, range : str
        How the numbers from 0 to below ``{}`` are written, as texts and as numbers.
    words : callable
        Writes sentences, a paragraph for each.
    texts : callable
        Writes a list of texts.
    numbers : callable
        Writes a list of numbers.
    """

    kind: FileKind
    template: str
    of_matrix: str
    of_family: str
    counting: str
    range: str
    quotes: bool
    words: Callable[[Sequence[str]], str]
    texts: Callable[[Sequence[str]], str]
    numbers: Callable[[Sequence[float]], str]


def docstring(sentences: Sequence[str]) -> str:
    r"""Return sentences as part of a docstring, which they do not end.

    Examples
    --------
    >>> docstring(['either of "a" and "b"', "c"])
    "either of 'a' and 'b'\n\nc"
    """
    plain = (printable(said).replace("\\", "\\\\").replace('"', "'") for said in sentences)
    return "\n\n".join("\n".join(_lines(said)) for said in plain)


def comment(sentences: Sequence[str]) -> str:
    r"""Return sentences as comments to the end of the line; in a page of HTML, too, they end nothing.

    Examples
    --------
    >>> comment(["one", "two </script>"])
    '// one\n//\n// two < /script>'
    """
    plain = (printable(said).replace("</", "< /").replace("<!--", "< !--") for said in sentences)
    return "\n//\n".join("\n".join(f"// {line}" for line in _lines(said)) for said in plain)


def _lines(said: str) -> list[str]:
    return textwrap.wrap(said, WIDTH, break_long_words=False, break_on_hyphens=False)


def _python_texts(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(ascii, texts))}]"


def _python_numbers(numbers: Sequence[float]) -> str:
    """Return a list of numbers, infinite ones as Python reads them."""
    return f"[{', '.join(repr(one) if math.isfinite(one) else f'float({str(one)!r})' for one in numbers)}]"


def _ecmascript_texts(texts: Sequence[str]) -> str:
    # In a page of HTML "</script>" would end the script.
    return json.dumps(list(texts)).replace("<", "\\u003c")


def _ecmascript_numbers(numbers: Sequence[float]) -> str:
    # JSON's Infinity, which other readers refuse, is ECMAScript's own.
    return json.dumps(list(numbers))


PYTHON = Language(
    FileKind(WHAT, (".py",), (f'"""{FIRST_WORDS}',)),
    "python_sampler.py.txt",
    "python_matrix.py.txt",
    "python_family.py.txt",
    "[str(number) for number in range({})]",
    "range({})",
    False,
    docstring,
    _python_texts,
    _python_numbers,
)
ECMASCRIPT = Language(
    FileKind(WHAT, (".js", ".mjs"), (f"// {FIRST_WORDS}",)),
    "ecmascript_sampler.js.txt",
    "ecmascript_matrix.js.txt",
    "ecmascript_family.js.txt",
    "Array.from({{ length: {} }}, (_, number) => String(number))",
    "{{ length: {} }}",
    True,
    comment,
    _ecmascript_texts,
    _ecmascript_numbers,
)
LANGUAGES = (PYTHON, ECMASCRIPT)
