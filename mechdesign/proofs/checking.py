"""What a proof shows of a mechanism, in exact arithmetic: its value, a bound, and the gaps between the two.

``mechdesign_check`` reads the same proofs without the package; the two share no code.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from mechdesign.errors import CertificateError
from mechdesign.exact import ONE, Integers, dyadic, float_above, float_below, integers
from mechdesign.mechanism import Certificate, Multipliers, Proof
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.objectives.exact_form import ExactForm
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.question.members_by_name import members
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.pricing.revealing_outputs import decided
from mechdesign.tolerances import SPAN_SHARE

#: Exponentials of more than this are not worth their digits, and no reader takes them.
LARGEST_LEVEL = 5000.0
#: Numbers of a matrix that are read in a second or two.
LARGEST_MATRIX = 250_000


def refusal(question: Question) -> str | None:
    """Return why no proof in integers is known for a question, None where one can be looked for."""
    notion, objective = question.notion, question.objective
    inputs = notion.inputs(question.problem)
    for kind, member in ((Notion, notion), (Objective, objective)):
        if type(member) not in members(kind).values():
            return f"{member.name} is a class of your own, which no reader knows"
    if question.outputs is not None:
        return "proofs do not count a bound on the number of outputs"
    if inputs.is_hidden:
        return "a hidden secret is not covered yet"
    if inputs.n * (objective.outputs(inputs) or 1) > LARGEST_MATRIX:
        return f"{inputs.n} inputs and as many decisions are more numbers than readers of proofs take"
    if any(math.isfinite(level) and level > LARGEST_LEVEL for level in notion.parameters):
        return f"levels are at most {LARGEST_LEVEL:g}"
    if (
        len(notion.budget(inputs))
        or notion.nonnegative_exactly(np.zeros((1, inputs.secrets), dtype=object), inputs) is None
    ):
        return f"{notion.name} is not covered yet"
    if objective.exact_form(inputs) is None:
        return f"{objective.name} is not covered yet, or not for these inputs"
    return None


def unproved(form: ExactForm, notion: Notion, inputs: Problem, proof: Proof) -> str | None:
    """Return what of a proof fails, None where it shows its bound."""
    functionals = form.functionals(proof.ends.tolist())
    if functionals is None:
        return "its chords do not cover all ratios"
    if len(proof.rows) != inputs.n:
        return f"it has {len(proof.rows)} rows for {inputs.n} inputs"
    rows = np.array([Fraction(row) for row in proof.rows.tolist()], dtype=object)
    # Signs are the same in any unit: integers are quicker than fractions.
    beyond: Integers = np.array([integers(rows - functional) for functional in functionals], dtype=object)
    shown = notion.nonnegative_exactly(beyond, inputs)
    if shown is None:
        return f"there is no test for {notion.name}"
    failed = np.flatnonzero(~shown)
    return f"functional {failed[0]} is above its rows on some column" if len(failed) else None


def checked(
    question: Question, inputs: Problem, matrix: Array, multipliers: Multipliers, route: str, proof: Proof
) -> Certificate:
    """Return what a proof shows of a matrix with a column for each decision, every number rounded outward.

    Raises
    ------
    CertificateError
        The proof fails, or there is none for such a question.
    """
    objective, why = question.objective, refusal(question)
    form = None if why is not None else objective.exact_form(inputs)
    numerators = dyadic(decided(matrix, objective, inputs))
    if form is None or numerators is None:
        raise CertificateError(f"There is no proof in integers for this question: {why or 'its matrix is none'}.")
    failed = unproved(form, question.notion, inputs, proof)
    if failed is not None:
        raise CertificateError(f"The proof fails: {failed}.")
    reached = [utility / ONE for utility in form.utility(numerators)]
    own = [end for utility in reached for end in form.value(utility)]
    idle = [end for utility in form.idle() for end in form.value(utility)]
    bounds = form.value(sum((Fraction(row) for row in proof.rows.tolist()), Fraction(0)))
    if objective.sense == "minimise":
        value, bound = float_above(max(own)), max(float_below(min(bounds)), objective.lowest)
        gain = min(idle) - Fraction(value)
    else:
        value, bound = float_below(min(own)), float_above(max(bounds))
        gain = Fraction(value) - max(idle)
    apart = abs(Fraction(value) - Fraction(bound))
    size = max(abs(value), abs(bound), SPAN_SHARE * span(objective, inputs))
    # A zero has no sign.
    claims = value + 0.0, bound + 0.0, _over(apart, Fraction(size))
    return Certificate(*claims, route, multipliers, _over(apart, gain), proof)


def _over(apart: Fraction, size: Fraction) -> float:
    """Return the quotient, rounded up; infinite where nothing positive divides something."""
    if not apart:
        return 0.0
    return float_above(apart / size) if size > 0 else math.inf
