"""The sections of a report, each a heading with what people have to know."""

from __future__ import annotations

import math
import shlex
from collections.abc import Iterable

from mechdesign.channel.identifiability import sentence
from mechdesign.channel.planning import people_said
from mechdesign.displays import Table
from mechdesign.displays.html import Html, content, element, grid, joined
from mechdesign.displays.numbers import in_full, outward, rounded_up
from mechdesign.errors import MechdesignError
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import Audit
from mechdesign.notions import Notion
from mechdesign.question import Question
from mechdesign.reports.distances import distance_table
from mechdesign.reports.limits import for_whom, not_promised
from mechdesign.reports.precision import REPORTS, precision
from mechdesign.reports.promises import promises
from mechdesign.reports.subjects import ANSWER, ignores_input, subject_of
from mechdesign.rivals.rival import Rival, improvements, rival_tables, rivals

#: Rows and columns of the matrix that fit on a sheet of paper.
GRID = 24, 10
#: The known mechanisms beside a matrix of more entries take minutes.
MOST_COMPARED = 250_000


def summary(mechanism: Mechanism, found: Audit) -> Html:
    """Return the facts that come first: the guarantee, whether it holds, how good the mechanism is."""
    asked, proof = mechanism.question, mechanism.certificate
    parts = zip(found.notion.parts(), found.levels, strict=True)
    level = " and ".join(f"{part.level_name} = {rounded_up(at, 6)}" for part, at in parts)
    if asked is None:
        of = "" if subject_of(mechanism) is ANSWER else " of the secret"
        facts = [_fact(f"Local differential privacy{of}", level, "the smallest level of this matrix")]
    else:
        verdict, kind = ("holds exactly", "good") if found.holds else ("does NOT hold", "bad")
        facts = [_fact("Guarantee", str(asked.notion), verdict, kind)]
        facts.append(_fact("Level measured", level, "in exact arithmetic, rounded up"))
    if asked is not None and proof is not None:
        unit = f"{asked.objective.unit}, " if asked.objective.unit else ""
        value, bound = outward(proof.value, proof.bound, asked.objective.sense)
        facts.append(_fact(_capital(_words(asked)), value, f"{unit}{asked.objective.sense}d"))
        facts.append(_fact("Best possible", bound, f"relative gap {rounded_up(proof.gap, 2)}"))
    if ignores_input(mechanism):
        facts.append(_fact("Use", "none", subject_of(mechanism).same, "bad"))
    return element("dl", *facts, class_="facts")


def question(mechanism: Mechanism) -> Html:
    """Return the question in words."""
    if mechanism.question is None:
        said = "It was not designed for a question: what it has to keep private, and for what use, is not known."
        return _section("The question", element("p", said))
    return _section("The question", _list(mechanism.question.display()[0].lines))


def guarantee(mechanism: Mechanism, found: Audit) -> Html:
    """Return what is guaranteed, for whom, and what is not promised; of a guarantee that is broken, that it is."""
    notion, problem, of = found.notion, mechanism.inputs, subject_of(mechanism)
    if mechanism.question is None:
        if math.isinf(float(found)):
            one, other = ("one answer", "another") if of is ANSWER else ("one value of the secret", "another")
            said = f"Some report is possible for {one} and impossible for {other}: it has no level of LDP."
            return _section("The guarantee", element("p", said))
        notion = notion.at(float(found))
    elif not found.holds:
        return _section("The guarantee", _strong(f"THE GUARANTEE DOES NOT HOLD: {found}"))
    same = (of.same,) if ignores_input(mechanism) else ()
    distances = distance_table(notion, problem)
    return _section(
        "The guarantee",
        *(_strong(line) for line in (*same, *promises(notion, problem))),
        Html() if distances is None else _table("Distances", distances),
        element("h3", "For whom it holds"),
        _list(for_whom(notion, problem)),
        element("h3", "What it does not promise"),
        _list(not_promised(notion, problem)),
    )


def matrix(mechanism: Mechanism) -> Html:
    """Return the matrix as a shaded table."""
    said = f"{subject_of(mechanism).row} Every row sums to one."
    shaded = element("div", _scroll("The matrix", grid(mechanism.grid, GRID, 3)), class_="matrix")
    return _section("The mechanism", element("p", said), shaded)


def audited(mechanism: Mechanism, found: Audit) -> Html:
    """Return the exact audit with its witness, and what they mean."""
    known = mechanism.question is not None
    rows = tuple(
        (str(part) if known else part.name, in_full(part.parameter) if known else "-", repr(level))
        for part, level in zip(found.notion.parts(), found.levels, strict=True)
    )
    table = Table("", ("notion", "level asked", "level measured, rounded up"), rows, ("notion",))
    smallest = " and ".join(dict.fromkeys(_smallest(part) for part in found.notion.parts()))
    meaning = (
        f"The level is {smallest}. It was computed in exact arithmetic from the "
        "probabilities that reports are drawn with, which are multiples of 2^-53: nothing is lost to rounding."
    )
    said = "That is where the level is reached."
    if found.output is None:
        said = "The notion is on all outputs together."
    elif found.notion.name == "LDP" and float(found):
        what = "answer" if subject_of(mechanism) is ANSWER else "value of the secret"
        said = f"That is where reports tell the most: no other {what} and report tell more."
    verdict = f"{found.notion} {'holds exactly' if found.holds else 'does NOT hold'}. " if known else ""
    return _section(
        "The exact audit",
        element("p", f"{verdict}{meaning}"),
        _table("Levels", table),
        element("p", element("strong", "The witness: "), found.sentence, class_="witness"),
        element("p", said, class_="note"),
    )


def worth(mechanism: Mechanism, found: Audit) -> Html:
    """Return the value and its bound with what they mean, and known mechanisms beside them."""
    asked, proof = mechanism.question, mechanism.certificate
    if asked is None or proof is None:
        said = "Nothing was proved of it: no objective and no bound are known."
        return _section("How good it is", element("p", said))
    unit = f" {asked.objective.unit}" if asked.objective.unit else ""
    better = "smaller is better" if asked.objective.sense == "minimise" else "larger is better"
    bound = "No mechanism that keeps the guarantee does better; its certificate can be checked again."
    gained = f"by {rounded_up(proof.gap_of_gain, 2)} of what is gained over a mechanism that ignores the answer."
    lines = (
        f"Value: {proof.value!r}{unit}, the {_words(asked)} ({better}).",
        f"Bound: {proof.bound!r}{unit}. {bound}",
        f"They differ by a share of {rounded_up(proof.gap, 2)} of their size, and {gained}",
    )
    beside = element("h3", "Beside known mechanisms"), _beside(mechanism, found)
    return _section("How good it is", _list(lines), *beside)


def use(mechanism: Mechanism, file: str) -> Html:
    """Return the two commands that deploy the mechanism."""
    if mechanism.question is None or mechanism.certificate is None:
        said = "In Python, mechanism.sample(answers) draws reports, and mechanism.estimate(reports) reads them."
        return _section("How it is used", element("p", said))
    name = shlex.quote(file)
    return _section(
        "How it is used",
        element("p", "Draw a report for each row of a table of answers; keep the reports, and not the answers:"),
        element("pre", element("code", f"mechdesign sample {name} answers.csv --column answer -o reports.csv")),
        element("p", "Estimate the population's frequencies from the reports:"),
        element("pre", element("code", f"mechdesign estimate {name} reports.csv")),
        element("p", f"mechdesign audit {name} derives every claim on this page again.", class_="note"),
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
    told = element("p", " ".join(filter(None, (sentence(mechanism.identifiability, problem), people_said(mechanism)))))
    if not shown:
        return _section("What can be estimated", told)
    rows = tuple(
        (f"{each.reports:,}", *(f"{values[k]:.2g}" for values in shown.values())) for k, each in enumerate(known)
    )
    whose = "like the prior" if problem.prior is not None else "in which all answers are equally frequent"
    note = (
        f"Of a population {whose}; four times the reports halve an error. {_without(list(shown))} what as many "
        "true answers would give."
    )
    table = _table("Standard errors by the number of reports", Table("", ("reports", *shown), rows))
    return _section("What can be estimated", told, table, element("p", note, class_="note"))


def _beside(mechanism: Mechanism, found: Audit) -> Html:
    asked, proof = mechanism.asked, mechanism.claimed
    if mechanism.matrix.size > MOST_COMPARED:
        return element("p", f"Left out for {len(mechanism.matrix)} inputs, as it takes long.")
    try:
        others = rivals(asked)
    except MechdesignError as error:
        return element("p", f"None can be compared: {error}")
    this = Rival("this mechanism", proof.value, float(found), found.holds, f"route {proof.route}")
    (table, *_) = rival_tables("", (this, *others))
    lines = [f"{_capital(said)}." for said in improvements(proof.value, others, asked.objective)]
    return joined([_table("Known mechanisms on the same question", table), _list(lines) if lines else Html()])


def _smallest(part: Notion) -> str:
    """Return what the level of a notion is the smallest of."""
    fixed = {"ApproximateLDP": "epsilon", "WeightedTV": "weight"}.get(part.name)
    at = "" if fixed is None else f" with {fixed} = {in_full(getattr(part, fixed))}"
    return f"the smallest {part.level_name} at which {part.name} holds{at}"


def _without(columns: list[str]) -> str:
    """Return the beginning of a sentence on the columns without privacy."""
    one = sum("without" in name for name in columns) == 1
    return "The column without privacy is" if one else "The columns without privacy are"


def _words(asked: Question) -> str:
    return asked.objective.words or asked.objective.name


def _fact(name: str, value: str, more: str, kind: str = "plain") -> Html:
    return element("div", element("dt", name), element("dd", value, element("small", more)), class_=kind)


def _section(title: str, *contents: object) -> Html:
    return element("section", element("h2", title), *contents)


def _strong(line: str) -> Html:
    return element("p", element("strong", line))


def _list(lines: Iterable[str]) -> Html:
    return element("ul", *(element("li", line) for line in lines))


def _table(label: str, table: Table) -> Html:
    return _scroll(label, content(table))


def _scroll(label: str, table: Html) -> Html:
    """Return a table that scrolls by itself on a narrow page, by the keyboard as well."""
    return element("div", table, class_="scroll", role="region", aria_label=label, tabindex="0")


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"
