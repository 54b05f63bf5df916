"""What the command says to people: designs, audits, comparisons and the catalogue as text."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Iterable, Sequence
from decimal import ROUND_CEILING, Context, Decimal
from pathlib import Path

from rich.cells import cell_len
from rich.console import Console, JustifyMethod
from rich.table import Table
from rich.text import Text

from mechdesign.auditing import Audit
from mechdesign.cli.json_reports import catalogue
from mechdesign.comparing import Comparison, Row
from mechdesign.designs import Design
from mechdesign.frontiers import Frontier
from mechdesign.mechanism import Mechanism
from mechdesign.question import Question
from mechdesign.rivals import Rival, frequency_variance, improvement

#: Columns of words wrap, but not below this: the rows are then written as lines below each other.
_LEAST_WORDS = 20


def printable(text: object) -> str:
    r"""Return `text` with everything that could steer a terminal written as an escape.

    Examples
    --------
    >>> printable("Zürich" + chr(27) + "[2J")
    'Zürich\\x1b[2J'
    """
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in str(text))


def rounded_up(number: float, digits: int) -> str:
    """Return `number` with that many digits, never less than it is: levels and gaps are rounded outward.

    Examples
    --------
    >>> rounded_up(1.0986122886681098, 6), rounded_up(float("nan"), 6), rounded_up(0.0, 2)
    ('1.09862', '-', '0')
    """
    if math.isnan(number):
        return "-"
    if math.isinf(number):
        return str(number)
    return f"{float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal(Decimal(number))):.{digits}g}"


def show_question(console: Console, question: Question) -> None:
    """Say who reports what, what is private, what is useful, and whose prior it is."""
    _section(console, "Question", question.sentences())


def show_design(console: Console, made: Design, asked: float, rivals: Sequence[Rival], path: Path) -> None:
    """Say what was found, how, how private it is, what one would get instead, and where it was written."""
    objective = made.mechanism.asked.objective
    unit = f" {objective.unit}" if objective.unit else ""
    allowed = made.mechanism.asked.outputs
    few = "" if allowed is None else f" with at most {allowed} output{'s' * (allowed > 1)}"
    facts = [
        f"value  {made.value!r}{unit} ({objective.sense}d)",
        f"bound  {made.bound!r}{unit}: no mechanism under this notion{few} does better",
        f"gap    {rounded_up(made.gap, 2)} relative, {asked:g} asked: {_verdict(made.gap, asked)}",
        f"       {rounded_up(made.gap_of_gain, 2)} of what is gained over a mechanism that ignores its input",
    ]
    if made.uninformative:
        facts.append("UNINFORMATIVE: the mechanism ignores its input, and no report tells anything")
    _section(console, "Optimum", facts)
    tries = [f"{a.route} with {a.solver}: {a.outcome}, {a.seconds:.2f} s" for a in made.attempts]
    note = [f"{made.note}."] if made.note else []
    stages = ", ".join(f"{stage} {seconds:.3f}" for stage, seconds in made.timings.items() if seconds)
    refused = [f"not {name}: {why}" for name, why in made.refusals.items()]
    _section(console, f"Route: {made.route}", [made.reason, *note, *tries, f"seconds: {stages}", *refused])
    show_audit(console, made.audit)
    question = made.mechanism.asked
    variance = frequency_variance(made.matrix, question.notion.inputs(question.problem))
    this = Rival("this design", made.value, float(made.audit), True, f"route {made.route}", variance)
    show_rivals(console, "Beside it, on the same rows", (this, *rivals))
    for rival in rivals:
        if rival.private and not math.isnan(gain := improvement(made, rival)):
            _say(console, f"{100 * gain:.1f} % better than {rival.name}", 2)
    show_variances(console, (this, *rivals))
    _section(console, "What can be estimated", [made.identifiability])
    shape = "{} inputs, {} outputs".format(*made.matrix.shape)
    _section(console, "Mechanism", [f"written to {path} ({shape}); mechdesign audit and md.load read it back"])


def show_rivals(console: Console, title: str, rivals: Sequence[Rival]) -> None:
    """Tabulate mechanisms by the objective's value, in its own unit, and by how private they are."""
    cells = [(r.name, f"{r.value:.8g}", rounded_up(r.level, 6), "yes" if r.private else "NO", r.note) for r in rivals]
    _heading(console, title)
    _table(console, ("mechanism", "value", "level", "private", "note"), cells, words=("mechanism", "note"))


def show_variances(console: Console, rivals: Sequence[Rival]) -> None:
    """Tabulate private mechanisms by how well their reports tell the frequencies of all values, where that is known."""
    known = [r for r in rivals if r.private and not math.isnan(r.variance)]
    if not any(math.isfinite(r.variance) for r in known):
        return
    cells = [(r.name, f"{r.variance:.6g}" if math.isfinite(r.variance) else "not told") for r in known]
    _heading(console, "The frequencies of all values, estimated from its reports")
    _table(console, ("mechanism", "variance x reports"), cells, words=("mechanism",))


def show_audit(console: Console, audit: Audit) -> None:
    """Say whether the notion holds exactly, at which level, what shows it, and relative to whose prior."""
    verdict = "holds exactly" if audit.holds else "does NOT hold"
    parts = audit.notion.parts()
    of = [f" of {part}" if len(parts) > 1 else "" for part in parts]
    levels = [
        f"level  {part.level_name} = {level!r}{of[k]}, rounded up"
        for k, (part, level) in enumerate(zip(parts, audit.levels, strict=True))
    ]
    remark = [f"{audit.remark}."] if audit.remark else []
    lines = [f"{audit.notion} {verdict}.", *levels, *remark, audit.sentence]
    if audit.notion.needs_prior:
        source = audit.prior_source or "its source is not stated (a prior estimated from private data leaks)"
        lines.append(f"relative to the prior: {source}")
    _section(console, "Privacy, in exact arithmetic", lines)


def show_claims(console: Console, mechanism: Mechanism) -> None:
    """Say what a file claimed, and that it was derived again."""
    proof = mechanism.claimed
    lines = [
        f"value  {proof.value!r}",
        f"bound  {proof.bound!r}",
        f"gap    {rounded_up(proof.gap, 2)} relative",
        f"       {rounded_up(proof.gap_of_gain, 2)} of what is gained over a mechanism that ignores its input",
    ]
    _section(console, f"Certificate, derived again (route {proof.route})", lines)


def show_comparison(console: Console, found: Comparison) -> None:
    """Tabulate what each route and solver made of the question, and say why the others did not answer."""
    answered = [row for row in found if not math.isnan(row.value)]
    cells = [
        (
            r.route,
            r.solver,
            f"{r.value:.9g}",
            f"{r.bound:.9g}",
            rounded_up(r.gap, 2),
            rounded_up(r.level, 6),
            f"{r.seconds:.2f}",
        )
        for r in answered
    ]
    _heading(console, "Answers")
    _table(console, ("route", "solver", "value", "bound", "gap", "level", "seconds"), cells, words=("route", "solver"))
    others = [f"{_who(row)}: {row.outcome}" for row in found if row not in answered]
    if others:
        _section(console, "No answer", others)
    passes = "no value passes" if found.consistent else "one of them is WRONG, for a value passes"
    spread = rounded_up(found.spread, 2)
    if found.rivals:
        show_rivals(console, "Beside them, on the same rows", found.rivals)
        show_variances(console, found.rivals)
    _section(console, "Agreement", [f"certified values differ by {spread} relative; {passes} another's bound"])


def show_frontier(console: Console, found: Frontier) -> None:
    """Tabulate what each level reaches."""
    levels = [made.mechanism.asked.notion.parameters for made in found]
    cells = [
        (
            ", ".join(f"{part:g}" for part in level),
            f"{made.value:.9g}",
            f"{made.bound:.9g}",
            rounded_up(made.gap, 2),
            made.route,
        )
        for level, made in zip(levels, found, strict=True)
    ]
    _heading(console, "Frontier")
    _table(console, (found.level_name, "value", "bound", "gap", "route"), cells, words=("route",))


def show_catalogue(console: Console, kind: type) -> None:
    """List the members of the catalogue with their parameters and formulas."""
    for entry in catalogue(kind):
        console.print(Text(f"{entry['name']}({', '.join(entry['parameters'])})", style="bold"), soft_wrap=True)
        _say(console, entry["formula"], 4)


def _who(row: Row) -> str:
    return row.route if row.solver == "-" else f"{row.route} with {row.solver}"


def _verdict(gap: float, asked: float) -> str:
    return "certified" if gap <= asked else "WIDER than asked"


def _heading(console: Console, title: str) -> None:
    console.print()
    console.print(Text(printable(title), style="bold"), soft_wrap=True)


def _section(console: Console, title: str, lines: Iterable[str]) -> None:
    _heading(console, title)
    for line in lines:
        _say(console, line, 2)


def _say(console: Console, sentence: str, indent: int) -> None:
    """Print a sentence between words only: a terminal too narrow for a number wraps it, and nothing is cut."""
    wrapped = textwrap.wrap(
        printable(sentence),
        max(console.width - indent, 20),
        break_long_words=False,
        break_on_hyphens=False,
    )
    for line in wrapped:
        console.print(Text(" " * indent + line), soft_wrap=True)


def _table(console: Console, headings: Sequence[str], rows: Sequence[Sequence[str]], words: Sequence[str] = ()) -> None:
    """Print a table whose columns of `words` wrap, or, where it does not fit, each row as lines of its own."""
    cells = [[printable(cell) for cell in row] for row in rows]
    widths = [max(cell_len(row[k]) for row in [list(headings), *cells]) for k in range(len(headings))]
    least = [min(w, _LEAST_WORDS) if h in words else w for h, w in zip(headings, widths, strict=True)]
    if sum(least) + 2 * len(least) > console.width:
        for row in cells:
            _say(console, row[0], 2)
            for heading, cell in zip(headings[1:], row[1:], strict=True):
                _say(console, f"{heading}: {cell}", 4)
        return
    table = Table(box=None, padding=(0, 0, 0, 2), pad_edge=True)
    for heading, width in zip(headings, least, strict=True):
        wraps = heading in words
        justify: JustifyMethod = "left" if wraps else "right"
        table.add_column(Text(heading, style="italic"), justify=justify, no_wrap=not wraps, min_width=width)
    for row in cells:
        table.add_row(*(Text(cell) for cell in row))
    console.print(table)
