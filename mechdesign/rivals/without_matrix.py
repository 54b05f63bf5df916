"""What one would use instead for more inputs than a matrix can have: known mechanisms by their formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from mechdesign.baselines.subset_selection import best_size
from mechdesign.errors import UnsupportedError
from mechdesign.estimation.planning import population
from mechdesign.families import Hadamard, KaryResponse
from mechdesign.families.best import MOST_WITH_MATRIX, ratio_below
from mechdesign.families.finite_field import prime_powers
from mechdesign.families.pure_protocol import cover_variances
from mechdesign.many_inputs import CoveredSets, sort_of
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.mechanism.implicit import OF_ENTRY
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.rivals.rival import Rival, frequency_variance, rivals
from mechdesign.runtime.memory import GIGABYTE, ceiling
from mechdesign.tolerances import LARGEST_EXPONENT


def is_by_formula(question: Question, inputs: Problem) -> bool:
    """Return whether known mechanisms are compared by formulas: LDP, many inputs, and an objective that has them."""
    many = inputs.n > MOST_WITH_MATRIX and is_ldp_of_inputs(question.notion, inputs)
    return many and sort_of(question.objective, inputs) is not None


def rivals_of(question: Question) -> tuple[Rival, ...]:
    """Return what one would use instead: by formulas for many inputs, else by matrices.

    Raises
    ------
    UnsupportedError
        Matrices that there is no memory for.
    """
    inputs = question.notion.inputs(question.problem)
    if is_by_formula(question, inputs):
        return rivals_by_formula(question, inputs)
    needed, allowed = OF_ENTRY * inputs.n**2, ceiling()
    if needed > allowed.bytes:
        size = f"{needed / GIGABYTE:.3g} GB, more than {allowed.source}"
        raise UnsupportedError(f"Known mechanisms of {inputs.n} inputs have matrices that would take about {size}.")
    return rivals(question)


def rivals_by_formula(question: Question, inputs: Problem) -> tuple[Rival, ...]:
    """Return known mechanisms with their values, and the sum of the variances of estimates of all frequencies.

    Examples
    --------
    >>> import mechdesign as md
    >>> asked = Question(md.Problem(n=10_000), md.LDP(1.0), md.InformationDesign("A"))
    >>> {rival.name: f"{rival.value:.0f}" for rival in rivals_by_formula(asked, asked.problem)}["Hadamard response"]
    '46827'
    """
    objective, theta = question.objective, population(inputs)
    level = question.notion.parameter
    epsilon = min(level, LARGEST_EXPONENT)
    sort = sort_of(objective, inputs)
    assert sort is not None, "`is_by_formula` says that there is a formula"
    rows = [
        Rival("no privacy", objective.no_privacy(inputs), math.inf, False, "the input itself", _identity(theta)),
        Rival("uninformative", objective.uninformative(inputs), 0.0, True, "ignores its input", math.inf),
    ]
    # What has more outputs than the question allows is no rival, and all of these have at least as many as inputs.
    for name, note, sets in _known(inputs.n, epsilon) if question.outputs is None else ():
        value = sort.value_of_sets(objective, inputs, ratio_below(epsilon), sets)
        variance = float(np.sum(cover_variances(theta, sets.own, sets.other)))
        rows.append(Rival(name, value, level, True, note, variance))
    return tuple(rows)


def _identity(theta: Array) -> float:
    return float((theta * (1.0 - theta)).sum())


def variance_of(mechanism: Mechanism, inputs: Problem) -> float:
    """Return the sum of the variances of the estimates of all frequencies from one report, as `frequency_variance`."""
    if isinstance(mechanism, ImplicitMechanism):
        return float(mechanism.family.variances(population(inputs)).sum())
    return frequency_variance(mechanism.matrix, inputs)


def _known(n: int, epsilon: float) -> Iterator[tuple[str, str, CoveredSets]]:
    """Yield known mechanisms with the sets of inputs that their reports cover."""
    ratio, root = math.exp(epsilon), math.exp(epsilon / 2.0)
    exact = ratio_below(epsilon)
    q = min(prime_powers(max(3, min(256, math.ceil(ratio + 2.0)))), key=lambda size: abs(size - ratio - 1.0))
    size = best_size(n, epsilon)
    held, share = size * ratio / (size * ratio + n - size), Fraction(1, q)
    yield "subset selection", f"sets of {size}", CoveredSets(held, (size - held) / (n - 1), Fraction(size, n))
    hashed = CoveredSets(ratio / (ratio + q - 1.0), 1.0 / q, share, share * (1 - share) / n)
    yield "local hashing", f"functions of {q} values", hashed
    for family, note in ((KaryResponse(n, exact), "the truth, or another input"), (Hadamard(n, exact), "its columns")):
        sets = CoveredSets.of(family)
        assert sets is not None, "both are block designs"
        yield family.name, note, sets
    yield "optimised unary encoding", "a bit for each input", CoveredSets(0.5, 1.0 / (ratio + 1.0))
    yield "symmetric unary encoding", "basic RAPPOR", CoveredSets(root / (root + 1.0), 1.0 / (root + 1.0))
