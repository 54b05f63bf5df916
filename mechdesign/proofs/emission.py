"""From a design's multipliers in floating point to a proof in integers, as near to the design's bound as is needed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from mechdesign.mechanism import Certificate, Multipliers, Proof
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.objectives import InformationDesign, RatioType
from mechdesign.objectives.base import PiecewiseLinear, is_separable
from mechdesign.objectives.exact_convex import ConvexOfColumn
from mechdesign.objectives.exact_form import ConvexOfRatio, ExactForm
from mechdesign.objectives.exact_worst_case import SumOfLargest
from mechdesign.objectives.frequency_covariance import contrasts, covariance_of
from mechdesign.objectives.ratio import Ratio
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.proofs.checking import unproved
from mechdesign.proofs.extreme_columns import extreme_columns, is_two_valued
from mechdesign.proofs.witnesses import charged, witness
from mechdesign.question import Question
from mechdesign.solve.pricing.support import support

#: By how much the rows are raised for the rounding of the excess, relative to their sizes; four times that, and so on.
MARGIN, TRIES = 4e-15, 12
#: No bound is raised by more than its size, or than rounding of this share of the functionals.
ROUNDING = 1e-6
#: The most chords, and how often intervals are halved.
MOST_ENDS, HALVINGS = 2000, 40
#: No chord is nearer than this share of the utility's size.
RESOLVED = 1e-14
#: Intervals are wider than this share of a ratio.
NARROW = 1e-7


def proved(question: Question, inputs: Problem, matrix: Array, certificate: Certificate, gap: float) -> Proof | None:
    """Return a proof whose bound is off the certificate's by at most a share `gap` of its size, if one is found.

    Multipliers and excess are those of floating point. The rows are raised until the exact check passes.
    """
    objective, notion = question.objective, question.notion
    form = objective.exact_form(inputs)
    if isinstance(form, ConvexOfColumn):
        return _at_columns(form, question, inputs, matrix, certificate)
    limits = [float(limit) for part in notion.members() for limit in part.columns(inputs).exact_limits()]
    given = None if form is None else _multipliers(form, question, inputs, certificate, limits)
    if form is None or given is None:
        return None
    rows, nu, weights = given
    shown = math.fsum([*rows, *(nu * limits)])
    size = max(abs(shown), 1e-3 * float(np.abs(rows).sum()), 1e-300)
    ends = np.zeros(0)
    if isinstance(objective, RatioType) and isinstance(form, ConvexOfRatio):
        ratio, priced = objective.ratio(inputs), partial(_excesses, notion, inputs, nu)
        beyond = objective.to_utility(certificate.bound, inputs) - shown
        ends = _ends(priced, ratio, form, matrix, rows, beyond + _slack(question, inputs, certificate, gap, size))
    exactly = form.functionals(ends.tolist(), weights.tolist())
    if exactly is None:
        return None
    # Those of floating point have few digits where an interval is narrow.
    functionals = np.array(exactly, dtype=float)
    best = next((each for each in functionals if np.all(functionals <= each)), None)
    if best is not None:
        # Whoever always decides for this one loses nothing.
        rows, nu = best, np.zeros(len(limits))
    # Where nothing may be spent, a charge costs nothing.
    nu = np.where(np.array(limits) > 0, nu, 4.0 * float(np.abs(rows - functionals).sum(axis=1).max()))
    found = witness(notion, inputs, functionals - rows, nu)
    if found is None or found.excess * inputs.n > max(size, ROUNDING * float(np.abs(functionals).max())):
        return None
    proof = Proof(rows, ends, nu, found.on_secrets, found.own, weights)
    return _raised(form, notion, inputs, proof, found.excess, size)


def _multipliers(
    form: ExactForm, question: Question, inputs: Problem, certificate: Certificate, limits: list[float]
) -> tuple[Array, Array, Array] | None:
    """Return rows, budgets and weights of a certificate, as a proof has them; None where it has others."""
    if isinstance(form, SumOfLargest):
        return np.zeros(inputs.n), np.zeros(len(limits)), np.zeros(0)
    objective, multipliers, weights = question.objective, certificate.multipliers, np.zeros(0)
    rows, nu = (np.asarray(part, dtype=float) for part in (multipliers.rows, multipliers.budget))
    if not len(nu) and not any(limits):
        nu = np.zeros(len(limits))
    if isinstance(objective, PiecewiseLinear):
        weights = objective.convex_weights(multipliers.weights, inputs)
    elif not is_separable(objective):
        return None
    return None if (len(rows), len(nu)) != (inputs.n, len(limits)) else (rows, np.maximum(nu, 0.0), weights)


def _slack(question: Question, inputs: Problem, certificate: Certificate, gap: float, size: float) -> float:
    """Return what a share `gap` of the value, or of the utility's size, is as a utility: the smaller one."""
    objective = question.objective
    weaker = certificate.bound + (gap if objective.sense == "maximise" else -gap) * abs(certificate.bound)
    of_value = objective.to_utility(weaker, inputs) - objective.to_utility(certificate.bound, inputs)
    return min(gap * size, max(of_value, RESOLVED * size))


def _at_columns(
    form: ConvexOfColumn, question: Question, inputs: Problem, matrix: Array, certificate: Certificate
) -> Proof | None:
    """Return a proof that compares the utility with the rows at every extreme column."""
    objective, multipliers = question.objective, certificate.multipliers
    rows, lines = np.asarray(multipliers.rows, dtype=float), np.zeros((0, 0))
    alike = form.alike and is_two_valued(question.notion, inputs)
    if isinstance(objective, InformationDesign):
        lines, rows = _lines(objective, inputs, matrix, multipliers, alike)
        form = form.along(lines)
    if alike:
        # Of equal rows one set of each size is looked at.
        form, rows = form.averaged(), np.full(inputs.n, rows.mean())
    columns = extreme_columns(question.notion, inputs, alike)
    if columns is None or len(rows) != inputs.n:
        return None
    floats = (columns / columns.max(axis=1, keepdims=True)).astype(float)
    simple, over = plain(question.notion, inputs)
    excess = float(((form.rough(floats.T) - floats @ rows) / (floats @ simple.columns(over).normal)).max())
    size = max(abs(float(rows.sum())), abs(excess))
    return _raised(form, question.notion, inputs, Proof(rows, lines=lines), excess, size)


def _lines(
    objective: InformationDesign, inputs: Problem, matrix: Array, multipliers: Multipliers, alike: bool
) -> tuple[Array, Array]:
    """Return lines near the covariance of the matrix, and the rows that bound what is linear in their squares."""
    slope, rows = multipliers.weights, np.asarray(multipliers.rows, dtype=float)
    if alike or slope is None or slope.shape != (inputs.n, inputs.n) or not rows.sum() > 0:
        return covariance_of(matrix, objective.theta_of(inputs)), np.zeros(inputs.n)
    # Of all lines with the slope as their square those whose weighted trace is largest.
    basis, loading = contrasts(inputs.n), np.linalg.cholesky(objective.loading(inputs))
    root = np.linalg.cholesky(objective.positive_slope(slope, inputs))
    left, sizes, right = np.linalg.svd(root.T @ loading)
    share = float(sizes.sum() / rows.sum())
    inner = share * np.linalg.solve(loading.T, right.T @ left.T @ root.T)
    return np.asarray(basis @ inner @ basis.T), rows * share**2


def _raised(form: ExactForm, notion: Notion, inputs: Problem, proof: Proof, excess: float, size: float) -> Proof | None:
    """Return the proof whose rows are raised by the excess and a margin: the first of some that passes the check."""
    simple, over = plain(notion, inputs)
    normal, least = simple.columns(over).normal, MARGIN * (float(np.abs(proof.rows).sum()) + size)
    # Where nothing can be gained there is nothing to round.
    for margin in (0.0, *(least * 4.0**i for i in range(TRIES))):
        raised = replace(proof, rows=proof.rows + (excess + margin) * normal)
        if unproved(form, notion, inputs, raised) is None:
            return raised
    return None


def _excesses(notion: Notion, inputs: Problem, nu: Array, functionals: Array) -> Array:
    """Return the largest value of each functional, less its charge, on the slice of the cone."""
    simple, over = plain(notion, inputs)
    return support(simple, over, functionals, charged(simple, over, nu)).values


def _ends(
    priced: Callable[[Array], Array], ratio: Ratio, form: ConvexOfRatio, matrix: Array, rows: Array, allowed: float
) -> Array:
    """Return ends of chords that cover all ratios, halved where they exceed `allowed`."""
    least, most = (float(end) for end in form.range)
    if form.range == (Fraction(least), Fraction(most)) and least == most:
        return np.array([least])
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
            found = priced(ratio.chords(new[:, 0], new[:, 1]) - rows)
            known.update(zip(map(tuple, new.tolist()), found.tolist(), strict=True))
        wide = np.array([known[pair] > allowed for pair in pairs])
        middles = (ends[:-1] + ends[1:])[wide] / 2.0
        middles = middles[(middles > ends[:-1][wide]) & (middles < ends[1:][wide])]
        if not len(middles) or len(ends) + len(middles) > MOST_ENDS or halving == HALVINGS:
            break
        ends = np.unique(np.concatenate([ends, middles]))
    return np.asarray(ends)


def _apart(ratio: Array | float) -> Array:
    return NARROW * np.maximum(np.abs(ratio), 1e-200)
