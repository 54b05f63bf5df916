"""Every route and every solver on one question; and a design beside what one would use without it."""

from __future__ import annotations

import math
import time
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.baselines import no_privacy, strongest_randomised_response
from mechdesign.designing import design
from mechdesign.designs import Design
from mechdesign.domains import Array, real
from mechdesign.errors import GapWarning, InfeasibleError, MechdesignError, UnsupportedError
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.objectives.base import is_separable
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.solve.backends import installed_solvers
from mechdesign.solve.routes import ROUTES
from mechdesign.tables import OfRows


@dataclass(frozen=True)
class Row:
    """What one route with one solver made of the question; numbers are NaN where it refused or failed."""

    route: str
    solver: str
    value: float
    bound: float
    gap: float
    #: The exact level of the matrix, rounded up.
    level: float
    seconds: float
    #: "certified", "gap wider than asked", or the sentence of the refusal or failure.
    outcome: str


@dataclass(frozen=True)
class Comparison(OfRows[Row]):
    """The rows of `compare`, and whether all certified values agree."""

    question: Question
    rows: tuple[Row, ...]

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


def compare(
    problem: Problem,
    notion: Notion,
    objective: Objective,
    *,
    outputs: int | None = None,
    gap: float = 1e-6,
    time_limit: float | None = None,
    memory_limit: float | None = None,
) -> Comparison:
    """Answer one question by every route with every solver, and tabulate what each made of it.

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

    Returns
    -------
    Comparison
        A sequence of rows; refusals and failures are rows too.

    Examples
    --------
    >>> import mechdesign as md
    >>> table = md.compare(md.Problem(prior=[0.4, 0.6], values=[0, 1]), md.LIP(1.0), md.MMSE())
    >>> sorted({row.route for row in table if row.outcome == "certified"})
    ['closed_form', 'columns', 'rays']
    """
    # A bad number is said once, not in every row.
    limits = {
        "gap": real("gap", gap, 0.0, 1.0),
        "time_limit": None if time_limit is None else real("time_limit", time_limit, 0.0),
        "memory_limit": None if memory_limit is None else real("memory_limit", memory_limit, 0.0),
    }
    question, rows = Question(problem, notion, objective, outputs), []
    for name, route in ROUTES.items():
        solvers: list[str | None] = [s for s in route.solvers if s in installed_solvers()]
        for solver in solvers or [None]:
            row = _row(question, name, solver, limits)
            rows.append(row)
            if row.solver == "-":
                break
    return Comparison(question, tuple(rows))


def _row(question: Question, route: str, solver: str | None, limits: dict[str, Any]) -> Row:
    started = time.perf_counter()
    nothing = (math.nan,) * 4
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", GapWarning)
            made = design(
                question.problem,
                question.notion,
                question.objective,
                route=route,
                outputs=question.outputs,
                solver=solver,
                **limits,
            )
    except UnsupportedError as error:
        return Row(route, "-", *nothing, time.perf_counter() - started, str(error))
    except (InfeasibleError, MechdesignError) as error:
        return Row(route, solver or "-", *nothing, time.perf_counter() - started, str(error))
    seconds = time.perf_counter() - started
    outcome = "certified" if made.gap <= limits["gap"] else "gap wider than asked"
    return Row(route, made.solver_stats.name, made.value, made.bound, made.gap, float(made.audit), seconds, outcome)


@dataclass(frozen=True)
class Rival:
    """What one would use instead: its value on the same question, its level, and whether it is private."""

    name: str
    value: float
    #: The level of the notion, in floating point; infinite where nothing is hidden.
    level: float
    private: bool
    note: str


def rivals(question: Question) -> tuple[Rival, ...]:
    """Return no privacy, no information, k-ary randomised response and the published closed forms.

    Randomised response gets the largest parameter that the notion allows, so that it is compared at the same level.
    What has more outputs than the question allows is no rival.
    """
    notion, objective = question.notion, question.objective
    inputs = notion.inputs(question.problem)
    objective.check(inputs)
    identity = no_privacy(inputs.n)
    found = [
        Rival(
            "no privacy", objective.no_privacy(inputs), notion.level(identity, inputs).value, False, "the input itself"
        ),
        Rival("uninformative", objective.uninformative(inputs), notion.least_level(inputs), True, "ignores its input"),
    ]
    response = strongest_randomised_response(notion, inputs)
    value = value_of(response, objective, inputs)
    if value is not None and _few_enough(response, question):
        level = notion.level(response, inputs).value
        found.append(Rival("k-ary randomised response", value, level, True, "the strongest one that the notion allows"))
    return (*found, *_published(question, inputs))


def _published(question: Question, inputs: Problem) -> list[Rival]:
    from mechdesign.theorems import published

    asked = Question(inputs, question.notion, question.objective)
    found: list[Rival] = []
    for theorem in published().values():
        if theorem.form is None or theorem.paper == "ours" or theorem.form.refusal(asked) is not None:
            continue
        printed = theorem.printed(asked).matrix
        value = value_of(printed, question.objective, inputs)
        if value is None or not _few_enough(printed, question):
            continue
        level = question.notion.level(printed, inputs).value
        outside = theorem.domain(asked)
        note = theorem.told(asked) if outside is None else f"NOT PRIVATE: {outside}"
        found.append(Rival(f"closed form, {theorem.name}", value, level, outside is None, note))
    return found


def _few_enough(matrix: Array, question: Question) -> bool:
    return question.outputs is None or int(np.count_nonzero(matrix.max(axis=0))) <= question.outputs


def value_of(matrix: Array, objective: Objective, problem: Problem) -> float | None:
    """Return the value of `matrix`, its outputs free to recommend what is best; None where they cannot."""
    if is_separable(objective):
        kept = matrix[:, np.asarray(matrix).max(axis=0) > 0]
        return objective.from_utility(float(objective.column_utility(kept, problem).sum()), problem)
    if matrix.shape[1] == objective.outputs(problem) or objective.kind == "design":
        return objective.value(matrix, problem)
    return None


def improvement(made: Design, rival: Rival) -> float:
    """Return how much better the design is than the rival, as a share of the rival's value."""
    objective = made.mechanism.asked.objective
    better = rival.value - made.value if objective.sense == "minimise" else made.value - rival.value
    return better / abs(rival.value) if rival.value else math.nan
