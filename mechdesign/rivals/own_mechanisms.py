"""Mechanisms of one's own beside a design: their values on its question, each at the level that it has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.many_inputs import sort_of
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.mechanism.audit import audit
from mechdesign.notions.base import Notion
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.rivals.rival import Rival, frequency_variance, value_of
from mechdesign.rivals.without_matrix import is_by_formula, variance_of
from mechdesign.solve.pricing.revealing_outputs import best_decisions, by_decision, by_output

Named = tuple[tuple[str, Mechanism], ...]


def named_mechanisms(mechanisms: Any) -> Named:
    """Return mechanisms with a name each, of a mapping its keys.

    Parameters
    ----------
    mechanisms : mapping, or sequence of Mechanism or Design
        One mechanism alone is a sequence of one.

    Raises
    ------
    DomainError
        What is no mechanism.
    """
    alone = hasattr(mechanisms, "mechanism") or isinstance(mechanisms, Mechanism)
    if isinstance(mechanisms, Mapping):
        pairs = [(str(name), each) for name, each in mechanisms.items()]
    elif alone or not isinstance(mechanisms, Sequence):
        pairs = [("own mechanism", mechanisms)]
    else:
        several = len(mechanisms) > 1
        pairs = [(f"own mechanism {k + 1}" if several else "own mechanism", each) for k, each in enumerate(mechanisms)]
    found = []
    for name, each in pairs:
        given = getattr(each, "mechanism", each)
        if not isinstance(given, Mechanism):
            rule, remedy = (
                "each has to be a Mechanism or a Design",
                "md.Mechanism(matrix, outputs) makes one of a matrix",
            )
            raise DomainError("mechanisms", type(each).__name__, rule, remedy)
        found.append((name, given))
    return tuple(found)


def own_rivals(question: Question, mechanisms: Named) -> tuple[Rival, ...]:
    """Return mechanisms of one's own as rivals on a question: value, exact level, and whether the notion holds.

    Raises
    ------
    DomainError
        A mechanism over other inputs than the question's.
    """
    return tuple(_rival(question, name, given) for name, given in mechanisms)


def _beyond(level: float, notion: Notion) -> str:
    """Return a level that is too high, in six digits, or in all where six are the digits of the level asked for."""
    shown, asked = f"{level:.6g}", getattr(notion, "epsilon", None)
    if isinstance(asked, float) and f"{asked:.6g}" == shown:
        return f"{level!r}, above {asked!r}"
    return shown


def _rival(question: Question, name: str, given: Mechanism) -> Rival:
    notion, inputs = question.notion, question.notion.inputs(question.problem)
    require_inputs(given, inputs)
    ordered = given.over(inputs)
    if isinstance(given, ImplicitMechanism) and is_by_formula(question, inputs):
        return _rival_by_formula(question, name, given)
    found = audit(ordered.matrix, notion, question.problem)
    value = value_of(matrix_by_decision(ordered, question, inputs), question.objective, inputs)
    over = question.outputs is not None and int(np.count_nonzero(ordered.matrix.max(axis=0))) > question.outputs
    notes = [] if found.holds else [f"NOT PRIVATE: its level is {_beyond(float(found), notion)}"]
    notes += ["more outputs than are allowed"] if over else []
    notes += ["its outputs are no decisions of the objective"] if value is None else []
    variance = frequency_variance(ordered.matrix, inputs)
    worth = math.nan if value is None else value
    return Rival(name, worth, float(found), found.holds, "; ".join(notes) or "yours", variance)


def _rival_by_formula(question: Question, name: str, given: ImplicitMechanism) -> Rival:
    """Return a mechanism without a matrix as a rival: its value and level by formula, and its estimates' variances."""
    found = audit(given, question.notion, question.problem)
    notes = [] if found.holds else [f"NOT PRIVATE: its level is {_beyond(float(found), question.notion)}"]
    over = question.outputs is not None and given.used_outputs > question.outputs
    notes += ["more outputs than are allowed"] if over else []
    inputs = question.problem
    sort = sort_of(question.objective, inputs)
    assert sort is not None, "`is_by_formula` says that there is a formula"
    worth = sort.value(question.objective, inputs, given.family)
    notes += ["its value has no formula"] if math.isnan(worth) else []
    return Rival(name, worth, float(found), found.holds, "; ".join(notes) or "yours", variance_of(given, inputs))


def require_inputs(given: Mechanism, inputs: Problem) -> None:
    """Raise unless a mechanism has a row for each input of a question."""
    rows = given.inputs.n
    if rows != inputs.n:
        rule = f"the question has {inputs.n} inputs"
        raise DomainError("mechanism", f"of {rows} inputs", rule, "make it of the question's problem")


def matrix_by_decision(given: Mechanism, question: Question, inputs: Problem) -> Array:
    """Return the matrix with a column for each decision; as it is if outputs are no list of decisions."""
    notion, objective = question.notion, question.objective
    count = objective.outputs(inputs)
    if count is None:
        return given.matrix
    try:
        return by_decision(given.matrix, given.outputs, objective, notion, inputs)[0]
    except DomainError:
        # Outputs of other names are sets, bits or labels: whoever reads them takes the best decision.
        if is_separable(objective):
            return frozen(by_output(given.matrix, objective, notion, inputs))
        return frozen(given.matrix @ np.eye(count)[best_decisions(objective, given.matrix, inputs)])
