"""Every route and every solver on one question, beside what one would use instead."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any

from mechdesign.designing.answer import answered, asked
from mechdesign.designing.proving import Proofs, manners
from mechdesign.designing.settings import Settings
from mechdesign.designing.without_matrix import ROUTE as FAMILY
from mechdesign.designing.without_matrix import is_asked
from mechdesign.displays import Block, Displayed, Lines, Record, Table
from mechdesign.displays.numbers import outward, rounded_up
from mechdesign.errors import InfeasibleError, MechdesignError, UnsupportedError
from mechdesign.files.tables import OfRows
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.rivals.own_mechanisms import Named, named_mechanisms, own_rivals
from mechdesign.rivals.rival import Rival, rival_tables
from mechdesign.rivals.without_matrix import rivals_of
from mechdesign.runtime.deadline import now
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.solvers.catalogue import installed_solvers
from mechdesign.tolerances import GAP


@dataclass(frozen=True)
class Row(Record):
    """What one route with one solver made of the question; numbers are NaN where it refused or failed.

    Attributes
    ----------
    route : str
        The route's name.
    solver : str
        The solver's name; a dash where none was called.
    value : float
        The objective in its own sense.
    bound : float
        No mechanism does better than this.
    gap : float
        The certified relative gap.
    level : float
        The exact level of the matrix, rounded up.
    seconds : float
        How long it took.
    outcome : str
        "certified", "gap wider than asked", or the sentence of the refusal or failure.
    proved : bool
        Whether the bound is proved in integers; otherwise it is certified in floating point.
    """

    route: str
    solver: str
    value: float
    bound: float
    gap: float
    level: float
    seconds: float
    outcome: str
    proved: bool = False


COLUMNS = tuple(field.name for field in fields(Row))
#: How the sentence of a route begins that is made for other questions.
REFUSAL = "The route {} refuses"
#: What a route says that was made for the question, and would take more memory or time than there is.
TOO_LARGE = "would take about"
#: What is said of other routes, if the question is answered without a matrix.
OTHERS = "all other routes: they make a matrix of {n} inputs, and are left out; md.design(..., route=...) tries one"


@dataclass(frozen=True)
class Comparison(OfRows[Row], Displayed):
    """The rows of `compare`, and whether all certified values agree.

    Attributes
    ----------
    question : Question
        What was asked.
    rows : tuple of Row
        One for each route and solver.
    complete : bool
        Whether every route and solver was tried: not after Ctrl-C.
    mechanisms : tuple of (str, Mechanism)
        The mechanisms of one's own that are held beside the answers.
    """

    question: Question
    rows: tuple[Row, ...]
    complete: bool = True
    mechanisms: Named = ()

    @cached_property
    def rivals(self) -> tuple[Rival, ...]:
        """What one would use instead, on the same question: the mechanisms of one's own, then known ones that fit."""
        own = own_rivals(self.question, self.mechanisms)
        try:
            return (*own, *rivals_of(self.question))
        except MechdesignError:
            # Some objectives have nothing to compare by.
            return own

    @property
    def spread(self) -> float:
        """Largest relative difference between two certified values; each lies within its own gap of the optimum."""
        values = [row.value for row in self.rows if row.outcome == "certified"]
        if len(values) < 2 or max(map(abs, values)) == 0:
            return 0.0
        return (max(values) - min(values)) / max(map(abs, values))

    @property
    def consistent(self) -> bool:
        """Whether no row's value is better than another row's bound, up to rounding."""
        utility = self.question.objective.to_utility
        inputs = self.question.notion.inputs(self.question.problem)
        known = [(utility(r.value, inputs), utility(r.bound, inputs)) for r in self.rows if not math.isnan(r.value)]
        if not known:
            return True
        best, least = max(value for value, _ in known), min(bound for _, bound in known)
        return best - least <= 1e-9 * max(abs(best), abs(least))

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def __repr__(self) -> str:
        certified = sum(row.outcome == "certified" for row in self.rows)
        return f"Comparison({self.question.notion}, {self.question.objective}, {certified} of {len(self)} certified)"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the question and the report of the command."""
        return (*self.question.display(), *self.story())

    def story(self) -> tuple[Block, ...]:
        """Return a table of the routes' and solvers' answers, and why the others did not answer."""
        answered = [row for row in self if not math.isnan(row.value)]
        cells = [
            (
                *(r.route, r.solver, *outward(r.value, r.bound, self.question.objective.sense, 9)),
                *(rounded_up(r.gap, 2), rounded_up(r.level, 6), f"{r.seconds:.2f}"),
            )
            for r in answered
        ]
        refused = [row for row in self if row.outcome.startswith(REFUSAL.format(row.route))]
        refusing = [row.route for row in refused if TOO_LARGE not in row.outcome]
        failed = (row for row in self if math.isnan(row.value) and row.route not in refusing)
        others = tuple(f"{_who(row)}: {row.outcome}" for row in failed)
        if refusing:
            others = (*others, f"made for other questions: {', '.join(refusing)} (the rows, or --json, say why)")
        if any(row.route == FAMILY for row in self):
            others = (*others, OTHERS.format(n=self.question.problem.n))
        passes = "no value passes" if self.consistent else "one of them is WRONG, for a value passes"
        proved = sum(row.proved for row in answered)
        agreement = f"certified values differ by {rounded_up(self.spread, 2)} relative; {passes} another's bound"
        return (
            Table("Answers", COLUMNS[:7], tuple(cells), ("route", "solver")),
            *([Lines("No answer", others)] if others else []),
            *(rival_tables("Beside them, on the same rows", self.rivals) if self.rivals else []),
            Lines("Agreement", (agreement, *([manners(proved, len(answered))] if answered else []))),
        )


def _who(row: Row) -> str:
    return row.route if row.solver == "-" else f"{row.route} with {row.solver}"


def compare(
    problem: Problem,
    notion: Notion,
    objective: Objective,
    *,
    outputs: int | None = None,
    gap: float = GAP,
    time_limit: float | None = None,
    memory_limit: float | None = None,
    proof: bool = False,
    mechanisms: Any = (),
) -> Comparison:
    """Answer one question by every route with every solver, and tabulate the results.

    A question that `design` answers without a matrix has one row, of the route ``family``; other routes would make the
    matrix, and are left out.

    Parameters
    ----------
    problem : Problem
        Who may hold what.
    notion : Notion
        What has to stay private.
    objective : Objective
        What has to stay useful: together, the question, as for `design`.
    outputs : int, optional
        At most how many outputs a mechanism may have, as for `design`.
    gap : float
        The relative gap asked of each.
    time_limit : float, optional
        Seconds for each route and solver.
    memory_limit : float, optional
        Gigabytes that a program may take by our estimate, as for `design`.
    proof : bool
        Look for a proof in integers of each bound that reaches the gap, as for `design`: value, bound and gap of a row
        that is `proved` are exact numbers rounded outward.
    mechanisms : mapping from names, or sequence of Mechanism or Design, optional
        Mechanisms of one's own over the same inputs, which `rivals` holds beside the answers: each with its value and
        the level that it has, private or not.

    Returns
    -------
    Comparison
        A sequence of rows; refusals and failures are rows too. Those that were done, and not `complete`, after Ctrl-C.
        Its `rivals` are `mechanisms` and the known mechanisms that fit.

    Raises
    ------
    DomainError
        What `design` refuses of every route; a mechanism over other inputs, or what is none.

    Warns
    -----
    ProofWarning
        Proofs were asked for, and certified rows have none: once, with their number and why the first has none.

    Examples
    --------
    >>> import mechdesign as md
    >>> table = md.compare(md.Problem(prior=[0.4, 0.6], values=[0, 1]), md.LIP(1.0), md.MMSE())
    >>> sorted({row.route for row in table if row.outcome == "certified"})
    ['closed_form', 'columns', 'rays']
    """
    # A bad number is said once, not in every row.
    settings = Settings(outputs=outputs, gap=gap, time_limit=time_limit, memory_limit=memory_limit, proof=proof)
    question, proofs = asked(problem, notion, objective, settings.outputs), Proofs(settings.proof)
    own = named_mechanisms(mechanisms)
    # Refused before the work, not after it.
    own_rivals(question, own)
    rows: list[Row] = []
    complete = True
    try:
        # Row by row: what an interruption leaves counts.
        for row in _rows(question, settings, proofs):
            rows += [row]
    except KeyboardInterrupt:
        if not rows:
            raise
        complete = False
    proofs.warn()
    return Comparison(question, tuple(rows), complete, own)


def _rows(question: Question, settings: Settings, proofs: Proofs) -> Iterator[Row]:
    if is_asked(question, question.notion.inputs(question.problem), settings):
        yield _row(question, replace(settings, route=FAMILY), proofs)
        return
    for name, route in ROUTES.items():
        solvers: list[str | None] = [s for s in route.solvers if s in installed_solvers()]
        for solver in solvers or [None]:
            row = _row(question, replace(settings, route=name, solver=solver), proofs)
            yield row
            if proofs.interrupted:
                raise KeyboardInterrupt
            if row.solver == "-":
                break


def _row(question: Question, settings: Settings, proofs: Proofs) -> Row:
    started, route, solver = now(), settings.route, str(settings.solver or "-")
    nothing = (math.nan,) * 4
    try:
        made = answered(question.problem, question.notion, question.objective, settings)
        if made.interrupted:
            raise KeyboardInterrupt
        certified = made.gap <= settings.gap
        made = proofs.of(made, settings.gap, started, settings.time_limit) if certified else made
    except UnsupportedError as error:
        return Row(route, "-", *nothing, now() - started, str(error))
    except (InfeasibleError, MechdesignError) as error:
        return Row(route, solver, *nothing, now() - started, str(error))
    except MemoryError:
        said = f"Route {route}: there is no memory for its matrices; merge inputs into fewer."
        return Row(route, solver, *nothing, now() - started, said)
    seconds, claimed = now() - started, (made.value, made.bound, made.gap)
    outcome = "certified" if certified else "gap wider than asked"
    proved = made.mechanism.claimed.proved
    return Row(route, made.solver_stats.name, *claimed, float(made.audit), seconds, outcome, proved)
