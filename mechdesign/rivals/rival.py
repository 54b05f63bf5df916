"""What one would use instead of a design: known mechanisms and published forms, on the same question."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mechdesign.baselines import no_privacy, strongest_randomised_response
from mechdesign.baselines.known_mechanisms import known_mechanisms
from mechdesign.baselines.numeric_variances import TWO_OUTPUTS, numeric_errors, numeric_variances
from mechdesign.baselines.subset_selection import best_size, total_variance
from mechdesign.displays import Record, Table
from mechdesign.displays.numbers import digits, rounded_up
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.notions.plain import plain
from mechdesign.objectives import InformationDesign, Objective
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.solve.repair.rounded import rounded
from mechdesign.tolerances import DENOMINATOR_BITS, MISSED_BY_ROUNDING, ROUNDING

#: The variance of estimated frequencies takes cubic time: of more inputs it is not computed by the way, and of more
#: than the lesser number by one factorisation.
MOST_INPUTS, BY_VALUE = 1000, 200
#: Contrasts of frequencies whose information is below this share of the largest count as not identified.
IDENTIFIED = 1e-8
#: Two values that differ by a smaller share are said to be as good as each other.
SAME = 5e-4
#: The rival that reports the input itself.
NO_PRIVACY = "no privacy"
#: The rival of least error whose density has pieces.
PIECEWISE = "optimal piecewise mechanism"


@dataclass(frozen=True)
class Rival(Record):
    """What one would use instead: its value on the same question, its level, and whether it is private.

    Attributes
    ----------
    name : str
        What it is called.
    value : float
        The objective in its own sense; NaN where the matrix is too large to be made by the way.
    level : float
        The level of the notion, in floating point; infinite where nothing is hidden.
    private : bool
        Whether the notion holds.
    note : str
        What it is, or why it is not private.
    variance : float
        The sum of the variances of the estimated frequencies of all inputs, of one report, where the population is the
        prior (uniform where none is known); infinite where reports do not identify them, NaN where it was not computed.
    """

    name: str
    value: float
    level: float
    private: bool
    note: str
    variance: float = math.nan


def rivals(question: Question) -> tuple[Rival, ...]:
    """Return no privacy, no information, the known mechanisms that fit, and the published closed forms.

    Known mechanisms fit where their matrices are not too large; those of a metric stand beside designs under a metric.
    Each gets the largest parameter that the notion allows, so that it is compared at the same level.
    What has more outputs than the question allows is no rival.
    """
    notion, objective = question.notion, question.objective
    inputs = notion.inputs(question.problem)
    objective.check(inputs)
    identity = no_privacy(inputs.n)
    found = [
        Rival(
            NO_PRIVACY,
            objective.no_privacy(inputs),
            notion.level(identity, inputs).value,
            # Where the level is large, or the notion asks little, nothing has to be hidden.
            notion.holds_exactly(np.eye(inputs.n, dtype=np.int64) << DENOMINATOR_BITS, inputs),
            "the input itself",
            frequency_variance(identity, inputs),
        ),
        Rival(
            "uninformative",
            objective.uninformative(inputs),
            notion.columns(inputs).least_level,
            True,
            "ignores its input",
            frequency_variance(np.ones((inputs.n, 1)), inputs),
        ),
    ]
    response = strongest_randomised_response(notion, inputs)
    found += _rival("k-ary randomised response", response, question, inputs, "the strongest one that the notion allows")
    for name, note, matrix in known_mechanisms(question):
        if matrix is None:
            found.append(_not_made(name, note, question, inputs))
        else:
            found += _rival(name, matrix, question, inputs, note)
    return (*found, *_of_numbers(question, inputs), *_published(question, inputs))


def _rival(
    name: str, matrix: Array, question: Question, inputs: Problem, note: str, private: bool = True
) -> list[Rival]:
    """Return the rival of that matrix; none where the objective has no value for it, or it has too many outputs."""
    value = value_of(matrix, question.objective, inputs)
    if value is None or not _few_enough(matrix, question):
        return []
    level = question.notion.level(matrix, inputs).value
    # A printed form that is not private may be no matrix of probabilities either.
    variance = frequency_variance(matrix, inputs) if private else math.nan
    return [Rival(name, value, level, private, note, variance)]


def _not_made(name: str, note: str, question: Question, inputs: Problem) -> Rival:
    """Return a rival under LDP whose matrix is too large, with the value of its formula under equal frequencies."""
    epsilon, n, objective = question.notion.parameter, inputs.n, question.objective
    value = variance = math.nan
    if name == "subset selection" and (inputs.prior is None or _is_equal(inputs.prior)):
        variance = total_variance(n, epsilon, best_size(n, epsilon))
        if isinstance(objective, InformationDesign) and objective.criterion == "A" and not objective.is_weighted:
            value = variance if objective.theta is None or _is_equal(objective.theta) else value
    return Rival(name, value, epsilon, True, note, variance)


def _of_numbers(question: Question, inputs: Problem) -> list[Rival]:
    """Return the published mechanisms for a number of an interval under LDP, whose reports are numbers too."""
    notion = question.notion
    if inputs.interval is None or not is_ldp_of_inputs(notion, inputs) or not notion.epsilon > 0.0:
        return []
    low, high = inputs.interval
    found: dict[str, float] = {}
    if question.objective.distance:
        found = {PIECEWISE: numeric_errors(low, high, notion.epsilon)[question.objective.distance]}
    elif question.objective.kind == "unbiased":
        found = numeric_variances(low, high, notion.epsilon)
    what = "error" if PIECEWISE in found else "variance"
    # Two outputs are stochastic rounding, which has a matrix.
    return [
        Rival(name, value, notion.epsilon, True, f"its largest {what} over the interval, by formula")
        for name, value in found.items()
        if name != TWO_OUTPUTS
    ]


def _is_equal(frequencies: Array) -> bool:
    return bool(np.ptp(frequencies) <= ROUNDING * np.max(frequencies))


def _published(question: Question, inputs: Problem) -> list[Rival]:
    from mechdesign.theorems import published

    notion, inputs = plain(question.notion, inputs)
    asked = Question(inputs, notion, question.objective)
    found: list[Rival] = []
    for theorem in published().values():
        if theorem.form is None or theorem.paper == "ours" or theorem.form.refusal(asked) is not None:
            continue
        matrix, outside = theorem.printed(asked).matrix, theorem.domain(asked)
        # As printed it may miss the notion by the rounding of floats: the private matrix next to it can be used.
        mended = None if outside is not None else rounded(matrix, notion, inputs)
        if mended is not None and mended.moved <= MISSED_BY_ROUNDING:
            matrix, note = mended.matrix, theorem.described(asked)
        else:
            note = f"NOT PRIVATE: {outside or 'its matrix is not, in exact arithmetic'}"
        found += _rival(f"closed form, {theorem.name}", matrix, question, inputs, note, not note.startswith("NOT"))
    return found


def frequency_variance(matrix: Array, problem: Problem) -> float:
    """Return the sum over inputs of the variance of the best unbiased estimate of their frequencies, of one report.

    The trace of the inverse information about the frequencies where these are the prior (uniform where none is known);
    infinite where the outputs do not identify them, NaN where the notion widens the inputs or there are more than
    `MOST_INPUTS`. Estimates of N reports have the N-th part of it.

    Examples
    --------
    >>> frequency_variance(np.array([[0.75, 0.25], [0.25, 0.75]]), Problem(prior=[0.5, 0.5]))
    2.0
    """
    if problem.data_of_input is not None or not 2 <= problem.n <= MOST_INPUTS:
        return math.nan
    population = np.full(problem.n, 1.0 / problem.n) if problem.prior is None else problem.prior
    if problem.n <= BY_VALUE:
        return InformationDesign("A", theta=population).value(matrix, problem)
    return _variance(np.asarray(matrix), population / population.sum())


def _variance(matrix: Array, population: Array) -> float:
    """Return the variance by one QR factorisation: ``||R^-1||^2`` with ``R'R`` the information, never formed itself."""
    law = population @ matrix
    scaled = matrix[:, law > 0] / np.sqrt(law[law > 0])
    n, outputs = scaled.shape
    if outputs < n:
        return math.inf
    # Helmert's basis of the directions that sum to zero.
    sizes = np.arange(1.0, n)
    sums = np.cumsum(scaled, axis=0)[:-1]
    contrasts = (sums - sizes[:, None] * scaled[1:]) / np.sqrt(sizes * (sizes + 1.0))[:, None]
    triangle = np.linalg.qr(contrasts.T, mode="r")
    diagonal = np.abs(np.diag(triangle))
    if diagonal.min() <= IDENTIFIED * diagonal.max():
        return math.inf
    return float((np.linalg.inv(triangle) ** 2).sum())


def _few_enough(matrix: Array, question: Question) -> bool:
    return question.outputs is None or int(np.count_nonzero(matrix.max(axis=0))) <= question.outputs


def value_of(matrix: Array, objective: Objective, problem: Problem) -> float | None:
    """Return the value of `matrix`, its outputs free to recommend what is best; None where they cannot."""
    if is_separable(objective) and problem.interval is None:
        kept = matrix[:, np.asarray(matrix).max(axis=0) > 0]
        return objective.from_utility(float(objective.column_utility(kept, problem).sum()), problem)
    # Over an interval a value is no sum over columns.
    if is_separable(objective) or objective.outputs(problem) in (None, matrix.shape[1]):
        return objective.value(matrix, problem)
    return None


def improvement(value: float, rival: Rival, objective: Objective) -> float:
    """Return how much better a value is than the rival's, as a share of the latter."""
    better = rival.value - value if objective.sense == "minimise" else value - rival.value
    return better / abs(rival.value) if rival.value and math.isfinite(rival.value) else math.nan


def improvements(value: float, found: Sequence[Rival], objective: Objective) -> tuple[str, ...]:
    """Return in words how much better a value is than each private rival's, where that can be said."""
    said = []
    for rival in found:
        gain = improvement(value, rival, objective)
        if rival.private and not math.isnan(gain):
            much = f"{100 * abs(gain):.1f} % {'better than' if gain > 0 else 'worse than'}"
            said.append(f"{'as good as' if abs(gain) < SAME else much} {rival.name}")
    return tuple(said)


def value_said(rival: Rival) -> str:
    """Return the value in digits, or that it was not computed or is infinite."""
    if math.isnan(rival.value):
        return "not computed"
    return "unbounded" if math.isinf(rival.value) else digits(rival.value, 8)


def level_said(rival: Rival) -> str:
    """Return the level in digits, rounded up; a mechanism of infinite level has none."""
    return "none" if math.isinf(rival.level) else rounded_up(rival.level, 6)


def variance_said(rival: Rival) -> str:
    """Return the variance of the estimated frequencies in digits; empty if it was not computed or is not private."""
    if math.isnan(rival.variance) or not rival.private:
        return ""
    return "unbounded" if math.isinf(rival.variance) else f"{rival.variance:.6g}"


def rival_tables(title: str, found: Sequence[Rival]) -> list[Table]:
    """Return tables of mechanisms with value and level, and, where known, the variance of estimated frequencies."""
    heads = ("mechanism", "value", "level", "private", "note")
    cells = [(r.name, value_said(r), level_said(r), "yes" if r.private else "NO", r.note) for r in found]
    tables = [Table(title, heads, tuple(cells), ("mechanism", "note"))]
    known = [r for r in found if r.private and not math.isnan(r.variance)]
    if any(math.isfinite(r.variance) for r in known):
        rows = [(r.name, variance_said(r)) for r in known]
        said = "The frequencies of all values, estimated from its reports"
        tables.append(Table(said, ("mechanism", "variance x reports"), tuple(rows), ("mechanism",)))
    return tables
