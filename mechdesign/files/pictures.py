"""Pictures as files: the formats that are written, and how a figure of matplotlib becomes one."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind

#: The endings, and how such files of matplotlib begin: another program's picture is no earlier one of ours.
PICTURE = FileKind(
    "the picture",
    (".png", ".svg", ".pdf", ".pgf"),
    (
        r"\ufffdPNG[\s\S]{1,60}Software\x00Matplotlib",
        r"<\?xml[^>]*>\s*<!DOCTYPE svg[^>]*>\s*<svg xmlns:xlink=",
        r"%PDF-1\.4\s[^\n]*\n1 0 obj\s<< /Type /Catalog /Pages 2 0 R",
        "%% Creator: Matplotlib, PGF backend",
    ),
)


def require_picture(argument: str, path: str | Path) -> None:
    """Raise unless the path ends as a picture.

    Examples
    --------
    >>> require_picture("path", "lift.bmp")
    Traceback (most recent call last):
    mechdesign.errors.DomainError: path is lift.bmp, but a picture's name ends in .png, .svg, .pdf, .pgf; rename it.
    """
    if Path(path).suffix.casefold() not in PICTURE.suffixes:
        rule = f"a picture's name ends in {', '.join(PICTURE.suffixes)}"
        raise DomainError(argument, str(path), rule, "rename it")


def write_picture(figure: Any, path: str | Path) -> Path:
    """Write a figure of matplotlib in the format that the ending of its path says, and return the path.

    Parameters
    ----------
    figure : matplotlib.figure.Figure
        What is drawn.
    path : str or Path
        Ends in .png, .svg, .pdf or .pgf; the caller has asked `PICTURE` whether the place is free.

    Raises
    ------
    DomainError
        Another ending.
    UnsupportedError
        A .pgf file, for which matplotlib measures texts by LaTeX, where there is none.
    """
    require_picture("path", path)
    into, kind = io.BytesIO(), Path(path).suffix.removeprefix(".").casefold()
    try:
        figure.savefig(into, format=kind)
    except (FileNotFoundError, RuntimeError) as error:
        if kind != "pgf":
            raise
        sentence = "A .pgf file needs LaTeX (xelatex), by which matplotlib measures its texts"
        raise UnsupportedError(f"{sentence}; write .pdf or .svg, which need none.") from error
    return write(path, into.getvalue())
