"""One run of a solver on an instance: made in a process of its own, and scored here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mechdesign.bench.answer import Answer
from mechdesign.bench.instance import Instance
from mechdesign.bench.judging import Score, judged, judged_matrix
from mechdesign.bench.running.child import Order
from mechdesign.bench.running.isolated import run_isolated
from mechdesign.bench.running.record import Conditions, Run
from mechdesign.bench.solvers import BenchSolver
from mechdesign.errors import MechdesignError


@dataclass(frozen=True)
class Asked:
    """One run that is asked for.

    Attributes
    ----------
    set_name : str
        The set.
    instance : Instance
        The program.
    solver : BenchSolver
        The solver.
    version : str
        Its version.
    order : Order
        What its process is asked for.
    conditions : Conditions
        Under what conditions.
    """

    set_name: str
    instance: Instance
    solver: BenchSolver
    version: str
    order: Order
    conditions: Conditions

    @property
    def key(self) -> tuple[str, str, str, float]:
        """What makes it another run."""
        return self.set_name, self.instance.name, self.solver.name, self.order.accuracy

    def is_answered_by(self, held: Run) -> bool:
        """Return whether a run that a file holds need not be made again."""
        return held.stands(self.version, self.conditions)

    def ended(self, outcome: str, why: str, **more: Any) -> Run:
        """Return the run with its outcome and the facts in `more`."""
        instance, order = self.instance, self.order
        of = self.set_name, instance.name, instance.form, instance.kind, self.solver.name, self.version, order.accuracy
        return Run(*of, outcome, why, **more, conditions=self.conditions)


def run_of(asked: Asked) -> Run:
    """Return the run, made in a process of its own, with the score of its answer."""
    instance, order = asked.instance, asked.order
    returned = run_isolated(order)
    outcome, why, score, answer = returned.outcome, returned.why, None, returned.answer
    if outcome == "answered":
        try:
            score = _score(instance, answer, order.accuracy)
        except MechdesignError as error:
            outcome, why = "malformed", str(error)
    plain = answer if isinstance(answer, Answer) else Answer()
    return asked.ended(
        outcome,
        why,
        status=plain.status if outcome == "answered" else "",
        iterations=plain.iterations,
        seconds=returned.seconds,
        processor=returned.processor,
        warm_up=returned.warm_up,
        peak=returned.peak,
        score=score,
        notes=returned.notes,
    )


def _score(instance: Instance, answer: Any, accuracy: float) -> Score:
    if isinstance(answer, Answer):
        return judged(instance, answer, accuracy)
    return judged_matrix(instance, answer["matrix"], answer["multipliers"])
