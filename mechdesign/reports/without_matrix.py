"""Sections of the report of a mechanism without a matrix: its family, and how precisely frequencies are estimated."""

from __future__ import annotations

import shlex

import numpy as np

from mechdesign.displays import Table
from mechdesign.displays.html import Html, element
from mechdesign.estimation.planning import population
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.reports.pieces import bullets, note, section, table

#: Numbers of reports that a page answers for.
REPORTS = (10_000, 100_000, 1_000_000)


def sections_of(mechanism: ImplicitMechanism, file: str) -> tuple[Html, Html, Html]:
    """Return the sections on the family, on its use and on estimates."""
    return family(mechanism), use(file), estimates(mechanism)


def family(mechanism: ImplicitMechanism) -> Html:
    """Return what the mechanism is, in sentences: it has no matrix to show."""
    own, other = float(mechanism.family.own), float(mechanism.family.other)
    said = f"A report covers the person's own input with probability {own:.6g}, and any other one with {other:.6g}."
    return section("The mechanism", bullets((*mechanism.family.sentences(), said)))


def use(file: str) -> Html:
    """Return the two commands that deploy the mechanism."""
    name = shlex.quote(file)
    return section(
        "How it is used",
        element("p", "Draw a report for each row of a table of answers; keep the reports, and not the answers:"),
        element("pre", element("code", f"mechdesign sample {name} answers.csv --column answer -o reports.csv")),
        element("p", "Estimate the population's frequencies from the reports:"),
        element("pre", element("code", f"mechdesign estimate {name} reports.csv")),
    )


def estimates(mechanism: ImplicitMechanism) -> Html:
    """Return the standard errors of frequencies by the number of reports."""
    theta = population(mechanism.inputs)
    spread, plain = mechanism.family.variances(theta), theta * (1.0 - theta)
    rows = tuple(
        (f"{count:,}", f"{np.sqrt(spread.max() / count):.2g}", f"{np.sqrt(plain.max() / count):.2g}")
        for count in REPORTS
    )
    heads = ("reports", "largest standard error of a frequency", "without privacy")
    errors = table("Standard errors by the number of reports", Table("", heads, rows))
    return section("What can be estimated", errors, note("Four times the reports halve an error."))
