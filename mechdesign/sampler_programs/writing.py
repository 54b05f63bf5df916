"""Writing a sampler: one file that draws reports where the answers are, in Python or as an ECMAScript module."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mechdesign.errors import CertificateError, DomainError, UnsupportedError
from mechdesign.files.atomic_writes import write
from mechdesign.files.checksums import sealed
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import audit
from mechdesign.question.plain_values import in_json
from mechdesign.sampler_programs.languages import LANGUAGES, Language
from mechdesign.sampler_programs.text import text_of


def sampler(mechanism: Any, path: str | Path, *, overwrite: bool = False) -> Path:
    """Write a mechanism as a program that draws reports where the answers are, and return the path.

    A file whose name ends in ``.py`` is a module for Python 3.9 or later that needs the standard library only; one
    that ends in ``.js`` or ``.mjs`` is an ECMAScript module for browsers and Node. Both have a function ``report``,
    which takes an answer and returns the number of an output, of the law of the mechanism to the last bit, from the
    operating system's randomness. Run as programs they read answers from standard input, one a line, and write a file
    of reports. Draw one report for each person and keep it: the mean of many reports of one answer reveals it.

    Parameters
    ----------
    mechanism : Mechanism or Design
        What reports are drawn from.
    path : str or Path
        Where it goes; the end of the name chooses the language. A sampler that is there is replaced.
    overwrite : bool
        Whether a file of another kind may be replaced.

    Returns
    -------
    Path
        The path.

    Raises
    ------
    DomainError
        The name ends otherwise, a file of another kind is there, or it is no mechanism.
    UnsupportedError
        The mechanism has a question and no certificate, and so no file with which reports are estimated.
    CertificateError
        The matrix is not private as its question asks.
    WriteError
        The folder is missing, or may not be written to.

    Examples
    --------
    >>> import tempfile
    >>> import mechdesign as md
    >>> survey = md.Problem(prior=[0.7, 0.3], labels=["no", "yes"])
    >>> design = md.design(survey, md.LDP(1.0), md.InformationDesign("A"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     program = md.sampler(design, f"{folder}/survey_sampler.py").read_text()
    >>> drawn = {"__name__": "survey_sampler"}
    >>> exec(program, drawn)
    >>> drawn["report"]("yes") in (0, 1)
    True
    """
    made = getattr(mechanism, "mechanism", mechanism)
    if not isinstance(made, Mechanism):
        raise DomainError("mechanism", mechanism, "it has to be a Mechanism or a Design", "md.design makes one")
    language = language_of(path)
    language.kind.require_place(path, overwrite=overwrite)
    return write(path, program(made, language))


def language_of(path: str | Path, argument: str = "path") -> Language:
    """Return the language that the end of a file's name chooses.

    Raises
    ------
    DomainError
        It chooses none.
    """
    suffix = Path(path).suffix.casefold() if isinstance(path, str | Path) else ""
    for language in LANGUAGES:
        if suffix in language.kind.suffixes:
            return language
    rule = "its name has to end in .py, .js or .mjs"
    raise DomainError(argument, str(path), rule, "end it in .py for Python, in .js or .mjs for browsers and Node")


def program(mechanism: Mechanism, language: Language, checksum: str | None = None) -> str:
    """Return the text of the sampler.

    Parameters
    ----------
    mechanism : Mechanism
        With its question and certificate, or a matrix of one's own.
    language : Language
        What it is written in.
    checksum : str, optional
        That of the mechanism's file; without it that of the file which saving writes.

    Returns
    -------
    str
    """
    if not mechanism.has_file:
        raise UnsupportedError(
            "Reports are estimated with the mechanism's file, which a mechanism with a question and no certificate has "
            "not: md.design makes both."
        )
    if not mechanism.reports_are_numbers:
        raise UnsupportedError(
            "A sampler program returns the number of an output, and reports of a unary encoding without a matrix are "
            "rows of bits; reports of md.baselines.subset_selection are numbers."
        )
    notion = mechanism.guarantee
    if notion is not None and not audit(mechanism, notion).holds:
        raise CertificateError(f"The matrix does not satisfy {notion}; design it again.")
    return text_of(mechanism, language, checksum or str(sealed(in_json(mechanism.to_dict()))["checksum"]))
