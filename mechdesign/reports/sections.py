"""The first sections of a report: what is promised, what was asked, the matrix, and the exact audit."""

from __future__ import annotations

import math
from dataclasses import fields, is_dataclass, replace

from mechdesign.catalogue.subject import ANSWER
from mechdesign.displays import Table
from mechdesign.displays.html import Html, element, grid
from mechdesign.displays.numbers import in_full, rounded_up
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.mechanism.audit import Audit
from mechdesign.notions import Notion
from mechdesign.reports.distances import distance_table
from mechdesign.reports.figures import all_digits, level_of, value_and_bound
from mechdesign.reports.limits import for_whom, not_promised
from mechdesign.reports.names import in_words, with_levels
from mechdesign.reports.picture import picture
from mechdesign.reports.pieces import bullets, capital, fact, note, scrolling, section, strong, table
from mechdesign.reports.promises import odds, promises
from mechdesign.reports.subjects import ignores_input, subject_of

#: Rows and columns of the matrix that fit on a sheet of paper.
GRID = 24, 10
ALL_DIGITS = (
    "Elsewhere on this page levels, the value and its bound have six digits, rounded so that none says more than is "
    "true: levels up, the value to where it is worse, the bound to the other side. These are all of their digits."
)


def summary(mechanism: Mechanism, found: Audit) -> Html:
    """Return the facts that come first: the guarantee, whether it holds, how good the mechanism is."""
    asked, proof = mechanism.question, mechanism.certificate
    level = _levels(found)
    if mechanism.guarantee is None:
        of = "" if subject_of(mechanism) is ANSWER else " of the secret"
        facts = [fact(f"Local differential privacy (LDP){of}", level, "the smallest level of this matrix")]
    else:
        verdict, kind = ("holds exactly", "good") if found.holds else ("does NOT hold", "bad")
        facts = [fact("Guarantee", with_levels(found.notion), verdict, kind)]
        facts.append(fact("Level measured", level, "in exact arithmetic, rounded up"))
    if asked is not None and proof is not None:
        unit = f"{asked.objective.unit}, " if asked.objective.unit else ""
        value, bound = value_and_bound(mechanism)
        facts.append(fact(capital(asked.objective.in_words), value, f"{unit}{asked.objective.sense}d"))
        facts.append(fact("Best possible", bound, f"relative gap {rounded_up(proof.gap, 2)}, {proof.manner}"))
    if ignores_input(mechanism):
        facts.append(fact("Use", "none", subject_of(mechanism).same, "bad"))
    return element("dl", *facts, class_="facts")


def question(mechanism: Mechanism) -> Html:
    """Return the question in words."""
    if mechanism.question is None:
        unknown = "what it has to keep private, and for what use," if mechanism.guarantee is None else "for what use"
        said = f"It was not designed for a question: {unknown} is not known."
        return section("The question", element("p", said))
    return section("The question", bullets(mechanism.question.display()[0].lines))


def guarantee(mechanism: Mechanism, found: Audit) -> Html:
    """Return the section on the guarantee: what is protected, for whom and what is not, or that it is broken."""
    notion, problem, of = found.notion, mechanism.inputs, subject_of(mechanism)
    if mechanism.guarantee is None:
        if math.isinf(float(found)):
            one, other = ("one answer", "another") if of is ANSWER else ("one value of the secret", "another")
            said = f"Some report is possible for {one} and impossible for {other}: it has no level of LDP."
            return section("The guarantee", element("p", said))
        # The level is said as it stands everywhere on the page: rounded up, it holds as well.
        notion = notion.at(float(level_of(float(found))))
    elif not found.holds:
        return section("The guarantee", strong(_broken(found)))
    same = (of.same,) if ignores_input(mechanism) else ()
    distances = distance_table(notion, problem)
    return section(
        "The guarantee",
        element("p", f"The notion is {in_words(notion)}."),
        *(strong(line) for line in (*same, *promises(notion, problem), *odds(notion, problem))),
        Html() if distances is None else table("Distances", distances),
        element("h3", "For whom it holds"),
        bullets(for_whom(notion, problem)),
        element("h3", "What it does not promise"),
        bullets(not_promised(notion, problem)),
    )


def matrix(mechanism: Mechanism, file: str | None) -> Html:
    """Return the matrix as a picture and as a shaded table; of one that is cut, where the whole is."""
    said = f"{subject_of(mechanism).row} Every row sums to one."
    block = replace(mechanism.grid, heading=_heading(mechanism))
    _, columns, left_out = block.part(*GRID)
    shaded = element("div", scrolling("The matrix", grid(block, GRID, 3), len(columns) + 1), class_="matrix")
    whole = note(_where(mechanism, file)) if left_out else Html()
    return section("The mechanism", element("p", said), picture(mechanism), shaded, whole)


def family(mechanism: ImplicitMechanism) -> Html:
    """Return what the mechanism is, in sentences: it has no matrix to show."""
    return section("The mechanism", bullets((*mechanism.family.sentences(), mechanism.family.covers_in_words)))


def _heading(mechanism: Mechanism) -> str:
    """Return what the rows and columns of the matrix are: outputs that are named by numbers say of what."""
    column, asked = "report", mechanism.question
    if all(_is_number(name) for name in mechanism.outputs):
        estimated = asked is not None and asked.objective.needs_values
        column = "estimate of the value" if estimated else "the report's number"
    return f"{subject_of(mechanism).each} \\ {column}"


def _is_number(name: str) -> bool:
    try:
        float(name)
    except ValueError:
        return False
    return True


def _where(mechanism: Mechanism, file: str | None) -> str:
    """Return where all rows and columns of the matrix are."""
    if file is not None:
        return f"The mechanism's file {file} has all rows and columns."
    if not mechanism.has_file:
        return "In Python, mechanism.matrix has all rows and columns."
    return "The mechanism's file, which mechanism.save writes, has all rows and columns."


def audited(mechanism: Mechanism, found: Audit) -> Html:
    """Return the exact audit with its witness, and what they mean."""
    known = mechanism.guarantee is not None
    rows = tuple(
        (str(part) if known else part.name, in_full(part.parameter) if known else "-", level_of(level))
        for part, level in zip(found.notion.parts(), found.levels, strict=True)
    )
    levels = Table("", ("notion", "level asked", "level measured, rounded up"), rows, ("notion",))
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
        said = f"That is where reports reveal the most: no other {what} and report reveal more."
    verdict = f"{found.notion} {'holds exactly' if found.holds else 'does NOT hold'}. " if known else ""
    return section(
        "The exact audit",
        element("p", f"{verdict}{meaning}"),
        table("Levels", levels),
        element("p", element("strong", "The witness: "), found.sentence, class_="witness"),
        note(said),
        element("h3", "All digits"),
        element("p", ALL_DIGITS),
        table("All digits", all_digits(mechanism, found)),
    )


def _levels(found: Audit) -> str:
    """Return the levels measured, with their names."""
    parts = zip(found.notion.parts(), found.levels, strict=True)
    return " and ".join(f"{part.level_name} = {level_of(at)}" for part, at in parts)


def _broken(found: Audit) -> str:
    """Return a statement that a guarantee does not hold, with the level asked, the level measured and the witness."""
    near = ", which is more by the rounding of floats alone" if found.missed_by_rounding else ""
    return (
        f"THE GUARANTEE DOES NOT HOLD: {found.notion} is asked, and {_levels(found)} measured{near}. {found.sentence}"
    )


def _smallest(part: Notion) -> str:
    """Return the definition of the level of a notion, as a clause."""
    names: list[str] = [field.name for field in fields(part)] if is_dataclass(part) else []
    given: dict[str, object] = {name: getattr(part, name) for name in names}
    fixed = [
        f"{name} = {in_full(value)}"
        for name, value in given.items()
        if name != part.level_name and isinstance(value, float) and math.isfinite(value)
    ]
    at = f" with {' and '.join(fixed)}" if fixed else ""
    return f"the smallest {part.level_name} at which {part.name} holds{at}"
