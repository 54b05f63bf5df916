"""The later sections of a report: how good the mechanism is, how it is used, and what can be estimated."""

from __future__ import annotations

import math
import shlex
from dataclasses import replace

import numpy as np

from mechdesign.displays import Table
from mechdesign.displays.html import Html, element, joined
from mechdesign.displays.numbers import rounded_up
from mechdesign.errors import MechdesignError
from mechdesign.estimation.identifiability import sentence
from mechdesign.estimation.planning import people_said, population
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.mechanism.audit import Audit
from mechdesign.question import Question
from mechdesign.reports.figures import value_and_bound, value_of
from mechdesign.reports.optimum import Optimum
from mechdesign.reports.pieces import bullets, capital, note, section, table
from mechdesign.reports.precision import REPORTS, precision
from mechdesign.rivals.rival import Rival, improvements, rival_tables
from mechdesign.rivals.without_matrix import is_by_formula, rivals_of

#: The known mechanisms beside a matrix of more entries take minutes.
MOST_COMPARED = 250_000
#: Numbers of reports that a page answers for if there are many inputs.
MANY_REPORTS = (10_000, 100_000, 1_000_000)
#: Names of answers that a sentence lists.
MOST_NAMED = 6
#: What is said of a mechanism without a matrix whose reports are some inputs only.
NOT_IDENTIFIED = "Reports do not identify the population's frequencies; they can be counted"


def worth(mechanism: Mechanism, found: Audit, optimum: Optimum | None = None) -> Html:
    """Return the value and its bound with what they mean, and what stands beside: known mechanisms or the optimum."""
    asked, proof = mechanism.question, mechanism.certificate
    if asked is None or proof is None:
        if optimum is not None:
            return section("How good it is", bullets(optimum.sentences()))
        said = "Nothing was proved of it: no objective and no bound are known."
        return section("How good it is", element("p", said))
    unit = f" {asked.objective.unit}" if asked.objective.unit else ""
    better = "smaller is better" if asked.objective.sense == "minimise" else "larger is better"
    bound = f"Nothing private{proof.among(asked.outputs)} does better; its certificate can be checked again."
    gained = f"by {rounded_up(proof.gap_of_gain, 2)} of what is gained over a mechanism that ignores the answer."
    value, limit = value_and_bound(mechanism)
    lines = (
        f"Value: {value}{unit}, the {_words(asked)} ({better}).",
        f"Bound: {limit}{unit}. {bound}",
        f"The bound is {proof.manner}.",
        f"They differ by a share of {rounded_up(proof.gap, 2)} of their size, and {gained}",
    )
    beside = element("h3", "Beside known mechanisms"), _beside(mechanism, found)
    return section("How good it is", bullets(lines), *beside)


def use(mechanism: Mechanism, file: str) -> Html:
    """Return the two commands that deploy the mechanism."""
    if not (mechanism.has_file and mechanism.reports_are_numbers):
        said = "In Python, mechanism.sample(answers) draws reports, and mechanism.estimate(reports) reads them."
        return section("How it is used", element("p", said))
    name = shlex.quote(file)
    return section(
        "How it is used",
        element("p", "Draw a report for each row of a table of answers; keep the reports, and not the answers:"),
        element("pre", element("code", f"mechdesign sample {name} answers.csv --column answer -o reports.csv")),
        element("p", f"{_estimated(mechanism)}:"),
        element("pre", element("code", f"mechdesign estimate {name} reports.csv")),
        note(f"mechdesign audit {name} derives every claim on this page again."),
    )


def _estimated(mechanism: Mechanism) -> str:
    """Return what ``mechdesign estimate`` can be used for: it promises only what the reports identify."""
    if isinstance(mechanism, ImplicitMechanism):
        all_of_them = mechanism.family.identifies
        return "Estimate the population's frequencies from the reports" if all_of_them else NOT_IDENTIFIED
    problem, known = mechanism.inputs, mechanism.identifiability
    if known.rank == problem.n:
        return "Estimate the population's frequencies from the reports"
    each = known.identifies(np.eye(problem.n))
    identified = [f'"{problem.named(x)}"' for x in range(problem.n) if each[x]]
    if problem.values is not None and len(problem.values) == problem.n:
        identified += ["the mean"] if known.identifies(np.asarray(problem.values))[0] else []
    if not identified:
        return "Reports identify neither frequencies nor a mean, as the next section says; they can be counted"
    listed = " and ".join(identified[:MOST_NAMED]) + (" and others" if len(identified) > MOST_NAMED else "")
    if identified == ["the mean"]:
        listed = "the mean of the population"
    elif identified[-1] != "the mean":
        listed = f"the share of {listed}"
    return (
        f"Reports identify {listed}, and not all frequencies: in Python, mechanism.estimate(reports) estimates what "
        "they identify. This command counts them, and says what it cannot estimate"
    )


def estimates(mechanism: Mechanism) -> Html:
    """Return what can be estimated, and how precisely from how many reports."""
    problem = mechanism.inputs
    known = [precision(mechanism, reports) for reports in REPORTS]
    columns = {
        "largest standard error of a frequency": [each.largest for each in known],
        "without privacy": [each.plain if each.largest is not None else None for each in known],
        "standard error of the mean": [each.mean for each in known],
        "mean without privacy": [each.plain_mean if each.mean is not None else None for each in known],
    }
    shown = {name: values for name, values in columns.items() if values[0] is not None}
    sentences = sentence(mechanism.identifiability, problem), people_said(mechanism)
    opening = element("p", " ".join(filter(None, sentences)))
    if not shown:
        return section("What can be estimated", opening)
    rows = tuple(
        (f"{each.reports:,}", *(f"{values[k]:.2g}" for values in shown.values())) for k, each in enumerate(known)
    )
    whose = "like the prior" if problem.prior is not None else "in which all answers are equally frequent"
    whose_note = (
        f"Of a population {whose}; four times the reports halve an error. {_without(list(shown))} what as many "
        "true answers would give."
    )
    errors = table("Standard errors by the number of reports", Table("", ("reports", *shown), rows))
    return section("What can be estimated", opening, errors, note(whose_note))


def estimates_by_formula(mechanism: ImplicitMechanism) -> Html:
    """Return the standard errors of frequencies by the number of reports, if reports identify these."""
    if not mechanism.family.identifies:
        return section("What can be estimated", element("p", f"{NOT_IDENTIFIED}."))
    theta = population(mechanism.inputs)
    spread, plain = mechanism.family.variances(theta), theta * (1.0 - theta)
    rows = tuple(
        (f"{count:,}", f"{np.sqrt(spread.max() / count):.2g}", f"{np.sqrt(plain.max() / count):.2g}")
        for count in MANY_REPORTS
    )
    heads = ("reports", "largest standard error of a frequency", "without privacy")
    errors = table("Standard errors by the number of reports", Table("", heads, rows))
    return section("What can be estimated", errors, note("Four times the reports halve an error."))


def _beside(mechanism: Mechanism, found: Audit) -> Html:
    asked, proof = mechanism.asked, mechanism.claimed
    if math.prod(mechanism.shape) > MOST_COMPARED and not is_by_formula(asked, mechanism.inputs):
        return element("p", f"Left out for {mechanism.shape[0]} inputs, as it takes long.")
    try:
        others = rivals_of(asked)
    except MechdesignError as error:
        return element("p", f"None can be compared: {error}")
    this = Rival("this mechanism", proof.value, float(found), found.holds, f"route {proof.route}")
    found_here = (this, *others)
    (whole, *_) = rival_tables("", found_here)
    # As many digits as elsewhere on the page; the note is with the name: no room for a column.
    shown = tuple(
        (f"{name}: {remark}" if remark else name, _value(each, said, asked.objective.sense), *cells)
        for (name, said, *cells, remark), each in zip(whole.rows, found_here, strict=True)
    )
    lines = [f"{capital(said)}." for said in improvements(proof.value, others, asked.objective)]
    compared = table("Known mechanisms on the same question", replace(whole, headings=whole.headings[:-1], rows=shown))
    return joined([compared, bullets(lines) if lines else Html()])


def _value(rival: Rival, said: str, sense: str) -> str:
    """Return a rival's value with the page's number of digits, or the words for a value that is missing."""
    return said if math.isnan(rival.value) else value_of(rival.value, sense)


def _without(columns: list[str]) -> str:
    """Return the beginning of a sentence on the columns without privacy."""
    one = sum("without" in name for name in columns) == 1
    return "The column without privacy is" if one else "The columns without privacy are"


def _words(asked: Question) -> str:
    return asked.objective.in_words
