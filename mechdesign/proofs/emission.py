"""From a design's multipliers in floating point to a proof in integers, as near to the design's bound as is needed."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from mechdesign.mechanism import Certificate, Proof
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.objectives import RatioType
from mechdesign.objectives.base import is_separable
from mechdesign.objectives.exact_form import ConvexOfRatio, ExactForm
from mechdesign.objectives.ratio import Ratio
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.proofs.checking import unproved
from mechdesign.question import Question
from mechdesign.solve.pricing.support import support

#: By how much the rows are raised for the rounding of the excess, relative to their sizes; four times that, and so on.
MARGIN, TRIES = 4e-15, 12
#: The most chords, and how often intervals are halved.
MOST_ENDS, HALVINGS = 2000, 40
#: Intervals are wider than this share of a ratio.
NARROW = 1e-7


def proved(question: Question, inputs: Problem, matrix: Array, certificate: Certificate, gap: float) -> Proof | None:
    """Return a proof whose bound is off the certificate's by at most a share `gap` of its size, if one is found.

    Multipliers and excess are those of floating point. The rows are raised until the exact check passes.
    """
    objective, notion = question.objective, question.notion
    form = objective.exact_form(inputs)
    rows = np.asarray(certificate.multipliers.rows, dtype=float)
    if form is None or not is_separable(objective) or len(rows) != inputs.n:
        return None
    size = max(abs(math.fsum(rows)), 1e-3 * float(np.abs(rows).sum()), 1e-300)
    if isinstance(objective, RatioType) and isinstance(form, ConvexOfRatio):
        allowed = objective.to_utility(certificate.bound, inputs) - math.fsum(rows) + gap * size
        ends, excess = _ends(notion, objective.ratio(inputs), form, inputs, matrix, rows, allowed)
    else:
        gains = objective.gains(inputs)
        assert gains is not None, "all other exact forms are of finitely many decisions"
        ends, excess = np.zeros(0), _excess(notion, inputs, gains - rows)
    return _raised(form, notion, inputs, rows, excess, ends, size)


def _raised(
    form: ExactForm, notion: Notion, inputs: Problem, rows: Array, excess: float, ends: Array, size: float
) -> Proof | None:
    """Return the proof whose rows are raised by the excess and a margin: the first of some that passes the check."""
    normal, least = _normal(notion, inputs), MARGIN * (float(np.abs(rows).sum()) + size)
    # Where nothing can be gained there is nothing to round.
    for margin in (0.0, *(least * 4.0**i for i in range(TRIES))):
        proof = Proof(rows + (excess + margin) * normal, ends)
        if unproved(form, notion, inputs, proof) is None:
            return proof
    return None


def _normal(notion: Notion, inputs: Problem) -> Array:
    simple, over = plain(notion, inputs)
    return simple.normal(over)


def _excess(notion: Notion, inputs: Problem, functionals: Array) -> float:
    """Return the largest value of functionals on the slice of the cone."""
    return float(_excesses(notion, inputs, functionals).max())


def _excesses(notion: Notion, inputs: Problem, functionals: Array) -> Array:
    simple, over = plain(notion, inputs)
    return support(simple, over, functionals).values


def _ends(
    notion: Notion, ratio: Ratio, form: ConvexOfRatio, inputs: Problem, matrix: Array, rows: Array, allowed: float
) -> tuple[Array, float]:
    """Return ends of chords that cover all ratios, halved where they exceed `allowed`, and their excess."""
    least, most = (float(end) for end in form.range)
    if form.range == (Fraction(least), Fraction(most)) and least == most:
        ends = np.array([least])
        return ends, float(_excesses(notion, inputs, np.atleast_2d(ratio.values(ends)[0] * ratio.b - rows)).max())
    low, high = least - float(_apart(least)), most + float(_apart(most))
    if math.isfinite(ratio.f.least):
        low = max(low, 0.0)
    # Chords that cross a kink, or where f is least, are wide: they end there.
    own, centre = ratio.at(matrix[:, matrix.max(axis=0) > 0]), ratio.f.centre
    own = np.sort(np.append(own[np.abs(own - centre) > _apart(centre)], centre))
    # In floating point the chord of a narrow interval has few digits.
    own = own[(own - low > _apart(own)) & (high - own > _apart(high)) & (np.diff(own, append=np.inf) > _apart(own))]
    ends = np.concatenate([[low], own, [high]])
    known: dict[tuple[float, float], float] = {}
    for halving in range(HALVINGS + 1):
        pairs = list(zip(ends[:-1].tolist(), ends[1:].tolist(), strict=True))
        new = np.array([pair for pair in pairs if pair not in known])
        if len(new):
            found = _excesses(notion, inputs, ratio.chords(new[:, 0], new[:, 1]) - rows)
            known.update(zip(map(tuple, new.tolist()), found.tolist(), strict=True))
        wide = np.array([known[pair] > allowed for pair in pairs])
        middles = (ends[:-1] + ends[1:])[wide] / 2.0
        middles = middles[(middles > ends[:-1][wide]) & (middles < ends[1:][wide])]
        if not len(middles) or len(ends) + len(middles) > MOST_ENDS or halving == HALVINGS:
            break
        ends = np.unique(np.concatenate([ends, middles]))
    return ends, max(known[pair] for pair in pairs)


def _apart(ratio: Array | float) -> Array:
    return NARROW * np.maximum(np.abs(ratio), 1e-200)
