"""What a proof shows of a mechanism, in exact arithmetic: its value, a bound, and the gaps between the two.

``mechdesign_check`` reads the same proofs without the package; the two share no code.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.columns.dual import Shown
from mechdesign.errors import CertificateError
from mechdesign.exact import ONE, Fractions, dyadic, float_above, float_below, fractions, integers
from mechdesign.mechanism import Certificate, Multipliers, Proof
from mechdesign.notions import CentralizedIP, Notion
from mechdesign.objectives import Objective
from mechdesign.objectives.exact_convex import ConvexOfColumn
from mechdesign.objectives.exact_form import ExactForm
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.proofs.extreme_columns import extreme_columns, no_extreme_columns
from mechdesign.question import Question
from mechdesign.question.members_by_name import members
from mechdesign.solve.certificate.claims import span
from mechdesign.solve.pricing.revealing_outputs import decided
from mechdesign.tolerances import SPAN_SHARE

#: Exponentials of more than this are not worth their digits, and no reader takes them.
LARGEST_LEVEL = 5000.0
#: Numbers of a matrix that are read in a second or two.
LARGEST_MATRIX = 250_000
#: Sums of records up to which a reader takes convolutions in a second.
MOST_SUMS = 60


def refusal(question: Question) -> str | None:
    """Return why no proof in integers is known for a question, None where one can be looked for."""
    notion, objective = question.notion, question.objective
    inputs = notion.inputs(question.problem)
    for kind, member in ((Notion, notion), (Objective, objective)):
        if type(member) not in members(kind).values():
            return f"{member.name} is a class of your own, which no reader knows"
    if question.outputs is not None:
        return "proofs do not count a bound on the number of outputs"
    if inputs.n * (objective.outputs(inputs) or 1) > LARGEST_MATRIX:
        return f"{inputs.n} inputs and as many decisions are more numbers than readers of proofs take"
    if any(math.isfinite(level) and level > LARGEST_LEVEL for level in notion.parameters):
        return f"levels are at most {LARGEST_LEVEL:g}"
    form, uncovered = objective.exact_form(inputs), _uncovered(question, inputs)
    if form is None:
        return f"{objective.name} is not covered yet, or not for these inputs"
    if uncovered is None and isinstance(form, ConvexOfColumn):
        uncovered = no_extreme_columns(notion, inputs, form.alike, objective.name)
    return None if uncovered is None else f"{uncovered} is not covered yet"


def is_direct(notion: Notion, inputs: Problem) -> bool:
    """Return whether a functional of the inputs is one of the secrets of a single notion: a proof need not give it."""
    return len(notion.members()) == 1 and not inputs.is_hidden


def _uncovered(question: Question, inputs: Problem) -> str | None:
    """Return the part of a notion that proofs do not cover, in words; None if they cover everything."""
    notion = question.notion
    for part in notion.members():
        if not _has_test(part, inputs):
            return part.name
        if isinstance(part, CentralizedIP) and inputs.n > MOST_SUMS:
            return f"{part.name} of more than {MOST_SUMS} inputs"
    if is_direct(notion, inputs):
        return None
    curved = next((part for part in notion.members() if not part.polyhedral), None)
    if curved is not None:
        return f"{curved.name} of a hidden secret, or beside another notion,"
    widened = inputs != question.problem and len(notion.members()) > 1
    if widened or any(part.columns(inputs).revealed for part in notion.members()):
        return "a notion with inputs of its own, or that lets inputs be revealed, beside another notion"
    return None


def _has_test(part: Notion, inputs: Problem) -> bool:
    nothing = np.zeros((1, inputs.secrets), dtype=object)
    shape = part.columns(inputs)
    return shape.nonnegative(nothing) is not None and len(shape.budget()) == len(shape.exact_limits())


def unproved(form: ExactForm, notion: Notion, inputs: Problem, proof: Proof) -> str | None:
    """Return what of a proof fails, None where it shows its bound."""
    if len(proof.weights) != form.weighed:
        return f"it has {len(proof.weights)} weights in place of {form.weighed}"
    if proof.lines.shape != (form.lined, form.lined):
        return f"it has lines of the shape {proof.lines.shape} in place of {form.lined}"
    form = form.along(proof.lines)
    if isinstance(form, ConvexOfColumn):
        return _above_columns(form, notion, inputs, proof)
    functionals = form.functionals(proof.ends.tolist(), proof.weights.tolist())
    if functionals is None:
        return "its chords do not cover all ratios, or its weights are none"
    parts, budgets = notion.members(), sum(len(part.columns(inputs).exact_limits()) for part in notion.members())
    direct, count = is_direct(notion, inputs), len(functionals)
    shapes = (inputs.n,), (budgets,), (0, 0, 0) if direct else (count, len(parts), inputs.secrets)
    if (proof.rows.shape, proof.budget.shape, proof.on_secrets.shape) != shapes:
        return f"its rows, budgets and functionals of the secrets have not the shapes {shapes}"
    if budgets and proof.budget.min() < 0:
        return "a budget counts less than nothing"
    rows = fractions(proof.rows)
    beyond = np.array([rows - functional for functional in functionals], dtype=object)
    on_secrets = beyond[:, None, :] if direct else fractions(proof.on_secrets)
    failed = np.zeros(count, dtype=bool) if direct else _left_over(beyond, on_secrets, inputs)
    places = _places(proof.own, (count, len(parts)))
    if places is None:
        return "a number of its own belongs to no functional and notion, or is there twice"
    start = 0
    for index, part in enumerate(parts):
        end = start + len(part.columns(inputs).exact_limits())
        numbers = [places.get((k, index), {}) for k in range(count)]
        shown = shown_by(part, inputs, on_secrets[:, index], proof.budget[start:end], numbers)
        failed, start = failed | ~shown, end
    return f"functional {np.flatnonzero(failed)[0]} is above its rows on some column" if failed.any() else None


def _above_columns(form: ConvexOfColumn, notion: Notion, inputs: Problem, proof: Proof) -> str | None:
    """Return what is wrong with a proof that compares a utility with its rows at every extreme column, or None."""
    parts = [proof.ends, proof.budget, proof.on_secrets, proof.own]
    if proof.rows.shape != (inputs.n,) or any(part.size for part in parts):
        return "it has not one row for each input, or other parts than rows"
    alike = form.alike and len(set(proof.rows.tolist())) == 1
    form, columns = form.averaged() if alike else form, extreme_columns(notion, inputs, alike)
    if columns is None:
        return "there are too many extreme columns"
    rows = fractions(proof.rows)
    above = next((k for k, column in enumerate(columns) if form.mu(column)[1] > rows @ column), None)
    return None if above is None else f"the utility of column {above} is above its rows"


def _left_over(beyond: Fractions, on_secrets: Fractions, inputs: Problem) -> npt.NDArray[np.bool_]:
    """Return where the functionals of the secrets, as the inputs see them, add up to more than the rows leave."""
    channel = inputs.exactly_seen_by_secret(np.eye(inputs.n, dtype=int).astype(object))
    found = on_secrets.sum(axis=1) @ channel > beyond * int(channel[0].sum())
    return np.asarray(found.astype(bool).any(axis=1))


def _places(own: Array, shape: tuple[int, int]) -> dict[tuple[int, int], dict[int, float]] | None:
    """Return the numbers of a proof's table by functional and part, and then by place; None where a line is wrong."""
    found: dict[tuple[int, int], dict[int, float]] = {}
    for functional, part, place, number in own.tolist():
        inside = 0 <= functional < shape[0] and 0 <= part < shape[1] and place >= 0
        if not inside or any(index != int(index) for index in (functional, part, place)):
            return None
        at = found.setdefault((int(functional), int(part)), {})
        if int(place) in at:
            return None
        at[int(place)] = number
    return found


def shown_by(
    part: Notion, inputs: Problem, functionals: Fractions, charges: Array, own: list[dict[int, float]]
) -> npt.NDArray[np.bool_]:
    """Return which functionals of the secrets a notion's test shows to be nonnegative, each in a unit of its own."""
    # Signs are the same in any unit: integers are quicker than fractions.
    lines = [
        integers([*functional, *charges, *numbers.values()])
        for functional, numbers in zip(functionals, own, strict=True)
    ]
    k, end = inputs.secrets, inputs.secrets + len(charges)
    counted = np.array([line[k:end] for line in lines], dtype=object).reshape(len(lines), len(charges))
    numbers = [dict(zip(each, line[end:], strict=True)) for each, line in zip(own, lines, strict=True)]
    given = np.array([line[:k] for line in lines], dtype=object)
    shown = part.columns(inputs).nonnegative(given, Shown(counted, numbers))
    assert shown is not None, "a notion without a test was refused"
    return shown


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
    form = form.along(proof.lines)
    reached = [utility / ONE for utility in form.utility(numerators)]
    own = [end for utility in reached for end in form.value(utility)]
    bounds = form.value(shown_of(question.notion, inputs, proof))
    if objective.sense == "minimise":
        value, bound = float_above(max(own)), max(float_below(min(bounds)), objective.lowest)
    else:
        value, bound = float_below(min(own)), float_above(max(bounds))
    apart = abs(Fraction(value) - Fraction(bound))
    size = max(abs(value), abs(bound), SPAN_SHARE * span(objective, inputs))
    # A zero has no sign.
    claims = value + 0.0, bound + 0.0, _over(apart, Fraction(size))
    return Certificate(
        *claims, route, multipliers, _over_gain(apart, form, value, objective.sense == "minimise"), proof
    )


def shown_of(notion: Notion, inputs: Problem, proof: Proof) -> Fraction:
    """Return the utility that no mechanism passes where the proof holds."""
    limits = [limit for part in notion.members() for limit in part.columns(inputs).exact_limits()]
    charged = sum((Fraction(nu) * limit for nu, limit in zip(proof.budget.tolist(), limits, strict=True)), Fraction(0))
    return sum((Fraction(row) for row in proof.rows.tolist()), charged)


def _over_gain(apart: Fraction, form: ExactForm, value: float, minimised: bool) -> float:
    """Return what a difference of values is relative to what is gained over a mechanism that ignores its input."""
    idle = form.idle()
    if idle is None:
        return 0.0
    ends = [end for utility in idle for end in form.value(utility)]
    return _over(apart, min(ends) - Fraction(value) if minimised else Fraction(value) - max(ends))


def _over(apart: Fraction, size: Fraction) -> float:
    """Return the quotient, rounded up; infinite where nothing positive divides something."""
    if not apart:
        return 0.0
    return float_above(apart / size) if size > 0 else math.inf
