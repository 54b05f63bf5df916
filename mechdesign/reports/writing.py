"""Writing the report of a mechanism: one page that opens without a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechdesign.errors import DomainError
from mechdesign.files.atomic_writes import write
from mechdesign.mechanism import Mechanism
from mechdesign.reports.about import checked
from mechdesign.reports.page import REPORT_FILE, page


def report(
    mechanism: Any, path: str | Path, *, about: Mapping[str, str] | None = None, overwrite: bool = False
) -> Path:
    """Write what people have to know of a mechanism as one page of HTML, and return the path.

    The page says the question in words, for whom the guarantee holds and what it does not promise, shows the matrix,
    the exact audit with its witness, the value and its bound beside known mechanisms, how reports are drawn and used,
    and what can be estimated from how many of them. It needs no network and no script, and prints on paper. Of a
    mechanism without a question it says what is known.

    Parameters
    ----------
    mechanism : Mechanism or Design
        What the page is about.
    path : str or Path
        Where it goes; its name ends in ``.html``, or promises no other format. A report that is there is replaced.
    about : mapping of str to str, optional
        What the page says of the survey, to be filed: texts for `data`, `purpose`, `controller`, `contact` and
        `date`. A blank line stands for each that is missing, the date as well; without `about` no such section is made.
    overwrite : bool
        Whether a file of another kind may be replaced.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    DomainError
        A file of another kind is there, the name promises another format, it is no mechanism, or `about` has another
        name or something that is no text.
    WriteError
        The folder is missing, or may not be written to.

    Examples
    --------
    >>> import tempfile
    >>> import mechdesign as md
    >>> survey = md.Problem(prior=[0.7, 0.3], labels=["no", "yes"])
    >>> design = md.design(survey, md.LDP(1.0), md.InformationDesign("A"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     md.report(design, f"{folder}/survey.html", about={"purpose": "health"}).stat().st_size > 5000
    True
    """
    made = getattr(mechanism, "mechanism", mechanism)
    if not isinstance(made, Mechanism):
        rule = "it has to be a Mechanism or a Design"
        raise DomainError("mechanism", mechanism, rule, "md.Mechanism(matrix, outputs) is one")
    checked(about)
    REPORT_FILE.require_place(path, overwrite=overwrite)
    return write(path, page(made, about=about))
