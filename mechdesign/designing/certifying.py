"""Another private mechanism for a design's question: the value that it reaches, beside the design's bound."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.mechanism import Certificate, Mechanism
from mechdesign.proofs import derived_again
from mechdesign.question import Question
from mechdesign.rivals.own_mechanisms import matrix_by_decision, require_inputs
from mechdesign.solve.pricing.revealing_outputs import by_decision, listed


def certified(question: Question, claims: Certificate, mechanism: Any) -> Mechanism:
    """Return the mechanism as an answer to the question, with its own value and the bound that `claims` derives.

    Where outputs stand for decisions, those of other names are taken as the decision that is best for each of them.

    Raises
    ------
    DomainError
        No mechanism; one of other inputs, of more outputs than the question allows, that does not satisfy the notion in
        exact arithmetic, or on which the objective is infinite.
    UnsupportedError
        The bound counts constraints of one's own, which the mechanism need not satisfy.
    """
    given = getattr(mechanism, "mechanism", mechanism)
    if not isinstance(given, Mechanism):
        remedy = "md.rounded(matrix, notion, problem) makes one of a matrix"
        raise DomainError("mechanism", type(given).__name__, "it has to be a Mechanism or a Design", remedy)
    if claims.multipliers.of_own_constraints:
        raise UnsupportedError(
            "The bound is over mechanisms that satisfy subject_to, which this one need not; design without subject_to."
        )
    notion, objective = question.notion, question.objective
    inputs = notion.inputs(question.problem)
    require_inputs(given, inputs)
    given = given.over(inputs)
    made = Mechanism(*listed(matrix_by_decision(given, question, inputs), objective, notion, inputs), question)
    if not notion.holds_exactly(made.numerators, inputs):
        rule = f"it does not satisfy {notion} in exact arithmetic"
        remedy = "md.audit(mechanism, notion, problem) says its level, md.rounded(...) gives the private one beside it"
        raise DomainError("mechanism", repr(given), rule, remedy)
    taken = int(np.count_nonzero(made.matrix.max(axis=0)))
    if question.outputs is not None and taken > question.outputs:
        rule = f"the question allows {question.outputs} outputs"
        raise DomainError("mechanism", f"of {taken} outputs", rule, "design without outputs, or give one of fewer")
    full = by_decision(made.matrix, made.outputs, objective, notion, inputs)[0]
    return Mechanism(made.matrix, made.outputs, question, derived_again(question, inputs, full, claims))
