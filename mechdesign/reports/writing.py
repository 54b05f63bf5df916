"""Writing the report of a mechanism: one page that opens without a network."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mechdesign.errors import DomainError
from mechdesign.files.atomic_writes import write
from mechdesign.mechanism import Mechanism
from mechdesign.reports.about import checked
from mechdesign.reports.optimum import Optimum
from mechdesign.reports.page import REPORT_FILE, page


def write_report(
    mechanism: Mechanism,
    path: str | Path,
    *,
    about: Mapping[str, str] | None = None,
    overwrite: bool = False,
    optimum: Optimum | None = None,
) -> Path:
    """Write the page of a mechanism, and return the path; `md.report` says what it holds.

    Raises
    ------
    DomainError
        A file of another kind is there, the name promises another format, or `about` has another name.
    WriteError
        The folder is missing, or may not be written to.
    """
    checked(about)
    REPORT_FILE.require_place(path, overwrite=overwrite)
    return write(path, page(mechanism, about=about, optimum=optimum))


def require_mechanism(mechanism: Any) -> Mechanism:
    """Return a mechanism, or the mechanism of a design; raise for anything else."""
    made = getattr(mechanism, "mechanism", mechanism)
    if not isinstance(made, Mechanism):
        rule = "it has to be a Mechanism or a Design"
        raise DomainError("mechanism", mechanism, rule, "md.Mechanism(matrix, outputs) is one")
    return made
