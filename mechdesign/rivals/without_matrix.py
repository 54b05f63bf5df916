"""What one would use instead for more inputs than a matrix can have: known mechanisms by their formulas."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from mechdesign.baselines.subset_selection import best_size
from mechdesign.errors import UnsupportedError
from mechdesign.estimation.planning import population
from mechdesign.families import Hadamard, KaryResponse
from mechdesign.families.best import MOST_WITH_MATRIX, ratio_below
from mechdesign.families.finite_field import prime_powers
from mechdesign.families.pure_protocol import cover_variances
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.mechanism.implicit import OF_ENTRY
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives.information_design import is_design
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.rivals.rival import Rival, frequency_variance, rivals
from mechdesign.runtime.memory import GIGABYTE, ceiling


def is_of_all_frequencies(objective: object) -> bool:
    """Return whether the objective is the sum of the variances of all frequencies, which count alike.

    Examples
    --------
    >>> import mechdesign as md
    >>> is_of_all_frequencies(md.InformationDesign("A")), is_of_all_frequencies(md.InformationDesign("D"))
    (True, False)
    """
    return is_design(objective) and objective.criterion == "A" and not objective.is_weighted


def is_by_formula(question: Question, inputs: Problem) -> bool:
    """Return whether known mechanisms are compared by formulas: LDP, all frequencies, and many inputs."""
    of_all = is_of_all_frequencies(question.objective)
    return inputs.n > MOST_WITH_MATRIX and of_all and is_ldp_of_inputs(question.notion, inputs)


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
    """Return known mechanisms with the sum of the variances of their estimates of all frequencies.

    Examples
    --------
    >>> import mechdesign as md
    >>> asked = Question(md.Problem(n=10_000), md.LDP(1.0), md.InformationDesign("A"))
    >>> {rival.name: f"{rival.value:.0f}" for rival in rivals_by_formula(asked, asked.problem)}["Hadamard response"]
    '46827'
    """
    objective: Any = question.objective
    epsilon, theta = question.notion.parameter, objective.theta_of(inputs)
    least = objective.no_privacy(inputs)
    rows = [
        Rival("no privacy", least, math.inf, False, "the input itself", least),
        Rival("uninformative", math.inf, 0.0, True, "ignores its input", math.inf),
    ]
    # What has more outputs than the question allows is no rival, and all of these have at least as many as inputs.
    for name, note, own, other in _covers(inputs.n, epsilon) if question.outputs is None else ():
        total = _total(theta, own, other)
        rows.append(Rival(name, total, epsilon, True, note, total))
    return tuple(rows)


def variance_of(mechanism: Mechanism, inputs: Problem) -> float:
    """Return the sum of the variances of the estimates of all frequencies from one report, as `frequency_variance`."""
    if isinstance(mechanism, ImplicitMechanism):
        return float(mechanism.variances_planned(population(inputs)).sum())
    return frequency_variance(mechanism.matrix, inputs)


def _covers(n: int, epsilon: float) -> Iterator[tuple[str, str, float, float]]:
    """Yield known mechanisms with the probabilities that a report covers the person's input, and another one."""
    ratio, root = math.exp(epsilon), math.exp(epsilon / 2.0)
    exact = ratio_below(epsilon)
    q = min(prime_powers(max(3, min(256, math.ceil(ratio + 2.0)))), key=lambda size: abs(size - ratio - 1.0))
    size = best_size(n, epsilon)
    held = size * ratio / (size * ratio + n - size)
    yield "subset selection", f"sets of {size}", held, (size - held) / (n - 1)
    yield "local hashing", f"functions of {q} values", ratio / (ratio + q - 1.0), 1.0 / q
    for family, note in ((KaryResponse(n, exact), "the truth, or another input"), (Hadamard(n, exact), "its columns")):
        yield family.name, note, float(family.own), float(family.other)
    yield "optimised unary encoding", "a bit for each input", 0.5, 1.0 / (ratio + 1.0)
    yield "symmetric unary encoding", "basic RAPPOR", root / (root + 1.0), 1.0 / (root + 1.0)


def _total(theta: Array, own: float, other: float) -> float:
    return float(np.sum(cover_variances(theta, own, other)))
