"""Known mechanisms at the largest epsilon at which they are private, under notions that are no LDP themselves."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from mechdesign.baselines.exponential import exponential
from mechdesign.baselines.geometric import geometric
from mechdesign.baselines.hadamard_response import hadamard_response
from mechdesign.baselines.stochastic_rounding import stochastic_rounding
from mechdesign.baselines.subset_selection import best_size, subset_selection
from mechdesign.baselines.unary_encoding import unary_encoding
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.mechanism import Mechanism
from mechdesign.notions import LDP, MetricDP, Notion
from mechdesign.objectives import Objective
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.information_design import is_of_one_figure
from mechdesign.problem import Problem

#: The epsilon is searched between these, in so many halvings of its logarithm, where the matrix has no more entries
#: than that. Beyond the largest, matrices of multiples of 2^-53 change no more.
LEAST, LARGEST, BISECTIONS, MOST_ENTRIES = 1e-4, 36.0, 40, 1 << 13


def has_own_epsilon(notion: Notion, problem: Problem) -> bool:
    """Return whether known mechanisms at the notion's own epsilon are private: they were designed for it."""
    return isinstance(notion, LDP | MetricDP) and not problem.is_hidden


def strongest_known(notion: Notion, problem: Problem, objective: Objective) -> Iterator[tuple[str, Mechanism, float]]:
    """Yield the known mechanisms of LDP by name, each at the largest epsilon at which it is private, with that epsilon.

    Parameters
    ----------
    notion : Notion
        In plain form.
    problem : Problem
        Over the mechanism's inputs.
    """
    for name, make in makers(notion, problem, objective).items():
        made, epsilon = strongest(partial(_small, name, make, problem), notion, problem)
        if name == "subset selection" and made is not None:
            # Of one size, which fits that epsilon: another one would be private at another.
            made, epsilon = strongest(partial(_of_size, problem, best_size(problem.n, epsilon)), notion, problem)
        if made is not None:
            yield name, made, epsilon


def makers(notion: Notion, problem: Problem, objective: Objective) -> dict[str, Callable[[float], Mechanism]]:
    """Return the known mechanisms by name, as functions of epsilon."""
    if isinstance(notion, MetricDP):
        if not has_own_epsilon(notion, problem):
            return {}
        steps = np.abs(np.subtract.outer(np.arange(problem.n), np.arange(problem.n)))
        step = float(notion.distance[0, -1]) / max(problem.n - 1, 1)
        of_metric: dict[str, Callable[[float], Mechanism]] = {
            "exponential mechanism": lambda epsilon: exponential(problem, epsilon, notion.distance)
        }
        if math.isfinite(step) and np.array_equal(notion.distance, step * steps):
            of_metric["geometric mechanism"] = lambda epsilon: geometric(problem, epsilon * step)
        return of_metric
    of_figure: dict[str, Callable[[float], Mechanism]] = {}
    if isinstance(objective, EstimatorVariance) or is_of_one_figure(objective):
        figure = objective.figure(problem)
        of_figure["stochastic rounding"] = lambda epsilon: stochastic_rounding(problem, epsilon, figure)
    return of_figure | {
        "optimised unary encoding": lambda epsilon: unary_encoding(problem, epsilon),
        "symmetric unary encoding": lambda epsilon: unary_encoding(problem, epsilon, optimised=False),
        "subset selection": lambda epsilon: subset_selection(problem, epsilon),
        "Hadamard response": lambda epsilon: hadamard_response(problem, epsilon),
    }


def made_at(make: Callable[[float], Mechanism], epsilon: float, notion: Notion, inputs: Problem) -> Mechanism | None:
    """Return the mechanism at that epsilon, None where it cannot be made or is not private."""
    try:
        made = make(epsilon)
        return made if notion.holds_exactly(made.numerators, inputs) else None
    except (DomainError, UnsupportedError):
        # Without a matrix there may be no memory for one.
        return None


def strongest(make: Callable[[float], Mechanism], notion: Notion, inputs: Problem) -> tuple[Mechanism | None, float]:
    """Return a known mechanism at the largest epsilon at which it is private, by bisection, and that epsilon.

    The search is by the level in floating point, the end by the exact check. None where it is private at no epsilon
    from `LEAST` on, or where it is too large to be made many times.
    """

    def within(epsilon: float) -> bool:
        try:
            matrix = make(epsilon).matrix
        except DomainError:
            return False
        return matrix.size <= MOST_ENTRIES and notion.level(matrix, inputs).excess(notion) <= 0

    low, high = LEAST, LARGEST
    if not within(low):
        return None, 0.0
    for _ in range(BISECTIONS):
        # In logarithms, as epsilon may be anything between two powers of ten.
        middle = math.sqrt(low * high)
        low, high = (middle, high) if within(middle) else (low, middle)
    for margin in (0.0, 1e-12, 1e-9, 1e-6):
        found = made_at(make, low * (1.0 - margin), notion, inputs)
        if found is not None:
            return found, low * (1.0 - margin)
    return None, 0.0


def _small(name: str, make: Callable[[float], Mechanism], problem: Problem, epsilon: float) -> Mechanism:
    """Return the mechanism; raise before one of too many outputs is made, which takes seconds."""
    outputs = 2**problem.n if "unary" in name else 0
    if name == "subset selection":
        outputs = math.comb(problem.n, best_size(problem.n, epsilon))
    if problem.n * outputs > MOST_ENTRIES:
        raise DomainError("epsilon", epsilon, f"the {name} has too many outputs there", "ask for it by name")
    return make(epsilon)


def _of_size(problem: Problem, size: int, epsilon: float) -> Mechanism:
    return subset_selection(problem, epsilon, size)
