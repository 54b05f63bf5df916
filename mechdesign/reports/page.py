"""The page of a report: its frame, its style, and its sections in order."""

from __future__ import annotations

from collections.abc import Mapping

from mechdesign.displays.html import Html, element, escaped, joined
from mechdesign.files.checksums import sealed
from mechdesign.files.kinds import FileKind
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.mechanism.audit import audit
from mechdesign.notions import LDP
from mechdesign.question.plain_values import in_json
from mechdesign.reports import sections, uses
from mechdesign.reports.about import about_survey, checked
from mechdesign.reports.names import explained, in_words
from mechdesign.reports.optimum import Optimum
from mechdesign.reports.pieces import capital
from mechdesign.reports.style import STYLE
from mechdesign.reports.subjects import subject_of
from mechdesign.version import VERSION

#: What a page has within its first bytes.
MARK = "mechdesign report"
REPORT_FILE = FileKind(
    "the report",
    (".html", ".htm"),
    (rf'<!DOCTYPE html>\n<html [^>]*><head>(<meta [^>]*>)*?<meta name="generator" content="{MARK} ',),
)

#: What the page is called, for whom no technical name says anything.
TITLE = "What this mechanism promises"
BROKEN = "This mechanism does not keep its promise"

#: A page loads nothing and runs nothing: this policy makes the browser enforce it.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"


def page(
    mechanism: Mechanism,
    file: str | None = None,
    checksum: str | None = None,
    about: Mapping[str, str] | None = None,
    optimum: Optimum | None = None,
) -> str:
    """Return the page of a mechanism as HTML that needs no network and no script.

    Parameters
    ----------
    mechanism : Mechanism
        With its question and certificate, with its notion alone, or without.
    file : str, optional
        The mechanism's file, for the commands that are shown.
    checksum : str, optional
        That of the file; without it that of the file which saving writes.
    about : mapping of str to str, optional
        What the page says of the survey: `data`, `purpose`, `controller`, `contact` and `date`.
    optimum : Optimum, optional
        What the best mechanism of the same level has, of a mechanism without a question.

    Returns
    -------
    str
    """
    question, known, said = mechanism.question, mechanism.guarantee, checked(about)
    found = audit(mechanism, None if known is not None else LDP(1.0))
    title = TITLE if known is None or found.holds else BROKEN
    names = "No question is known" if known is None else str(known)
    names += "" if question is None else f", {question.objective}"
    notion = () if known is None else (capital(in_words(known)),)
    seal = checksum or _checksum(mechanism)
    name = file or "survey.mechanism.json"
    if isinstance(mechanism, ImplicitMechanism):
        shown, estimated = sections.family(mechanism), uses.estimates_by_formula(mechanism)
    else:
        shown, estimated = sections.matrix(mechanism, file), uses.estimates(mechanism)
    parts = (
        sections.summary(mechanism, found),
        sections.question(mechanism),
        sections.guarantee(mechanism, found),
        shown,
        sections.audited(mechanism, found),
        uses.worth(mechanism, found, optimum),
        uses.use(mechanism, name),
        estimated,
    )
    n, m = mechanism.shape
    lines = (subject_of(mechanism).who, *notion, names, f"{n} inputs, {m} outputs")
    head = element("header", element("div", element("h1", title), *(element("p", line) for line in lines)))
    *before, last = explained(parts)
    # On paper the foot stands below the last section, on no sheet of its own.
    kept = element("div", last, _foot(seal), class_="kept")
    body = joined([head, element("main", about_survey(said), *before, kept)])
    return f"<!DOCTYPE html>\n{document(f'{title}: {names}', body, MARK)}\n"


def _checksum(mechanism: Mechanism) -> str:
    """Return the checksum of the mechanism's file; empty where it could not be saved."""
    if not mechanism.has_file:
        return ""
    return str(sealed(in_json(mechanism.to_dict()))["checksum"])


def _foot(checksum: str) -> Html:
    said = [element("p", f"Made by mechdesign {VERSION}. This page needs no network, and runs no script.")]
    if checksum:
        said.insert(0, element("p", "Checksum of the mechanism's file: ", element("code", checksum)))
    return element("footer", *said)


def document(title: str, body: Html, mark: str) -> Html:
    """Return a whole page with the style of reports, which loads and runs nothing; `mark` says what made it."""
    metas = [
        Html('<meta charset="utf-8">'),
        Html(f'<meta name="generator" content="{mark} {VERSION}">'),
        Html(f'<meta http-equiv="Content-Security-Policy" content="{escaped(POLICY)}">'),
        Html('<meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html('<link rel="icon" href="data:,">'),
    ]
    head = element("head", *metas, element("title", title), element("style", Html(STYLE)))
    return element("html", head, element("body", body), lang="en")
