"""Decisions about the datum: which datum an input carries, names of decisions, expected cost of a loss."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.objectives.exact_form import LargestGain, prior_shares
from mechdesign.objectives.magnitudes import check_magnitude
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.tolerances import LARGEST_LOSS, SMALLEST_LOSS


def datum_of_input(problem: Problem) -> npt.NDArray[np.int64]:
    """Return the datum that each input carries, shape (n,)."""
    return np.arange(problem.n) if problem.data_of_input is None else problem.data_of_input


def data_count(problem: Problem) -> int:
    """Return the number of data (of inputs, unless a notion widened them)."""
    return problem.n if problem.data_of_input is None else int(problem.data_of_input.max()) + 1


def mass_by_datum(problem: Problem) -> Array:
    """Return the prior of each input at its datum's row, shape (data, n), without data that have none."""
    weights = np.zeros((data_count(problem), problem.n))
    weights[datum_of_input(problem), np.arange(problem.n)] = shares(problem)
    return np.asarray(weights[weights.sum(axis=1) > 0])


def masses(problem: Problem) -> Array:
    """Return the mass of each datum that has any."""
    if problem.data_of_input is not None:
        return np.asarray(mass_by_datum(problem).sum(axis=1))
    weights = shares(problem)
    return weights[weights > 0]


def likeliest_mass(problem: Problem) -> float:
    """Return the mass of the likeliest datum.

    Examples
    --------
    >>> likeliest_mass(Problem(prior=[0.25, 0.75]))
    0.75
    """
    return float(np.bincount(datum_of_input(problem), shares(problem)).max())


def joint(columns: Array, problem: Problem) -> Array:
    """Return ``Pr(datum, y)``, shape (data, m), without data that have no mass."""
    if problem.data_of_input is not None:
        return np.asarray(mass_by_datum(problem) @ columns)
    # Where inputs are data the product is one of each row: not of a matrix.
    weights = shares(problem)
    met = weights > 0
    return np.asarray(weights[:, None] * columns if met.all() else weights[met, None] * columns[met])


def by_input(of_data: Array, problem: Problem) -> Array:
    """Return ``P_x`` times the row of x's datum, shape (n, m), from rows of the data that have mass."""
    if problem.data_of_input is not None:
        return np.asarray(mass_by_datum(problem).T @ of_data)
    weights = shares(problem)
    met = weights > 0
    found = np.zeros((problem.n, of_data.shape[1]))
    found[met] = weights[met, None] * of_data
    return found


def shares(problem: Problem) -> Array:
    """Return the prior, shape (n,), divided by what it sums to."""
    return np.asarray(problem.required_prior / problem.required_prior.sum())


def decision_names(problem: Problem, count: int) -> tuple[str, ...]:
    """Return the labels where there is one decision for each, and numbers otherwise."""
    if problem.labels is not None and problem.data_of_input is None and count == problem.n:
        return problem.labels
    return tuple(str(d) for d in range(count))


def values_of_data(problem: Problem) -> Array:
    """Return the value of each datum (inputs that carry one datum have one value)."""
    if problem.data_of_input is None:
        return problem.required_values
    values = np.zeros(data_count(problem))
    values[datum_of_input(problem)] = problem.required_values
    return values


def names_of_values(problem: Problem) -> tuple[str, ...]:
    """Return the value that each decision names; data of one value are distinguished by name or number."""
    listed = values_of_data(problem).tolist()
    values = [f"{value:g}" if float(f"{value:g}") == value else repr(value) for value in listed]
    short = [f"{value:.6g}" for value in listed]
    if problem.interval is not None and len(set(short)) == len(short):
        # Points of an interval are fractions that nobody has written.
        values = short
    own, often = problem.data_of_input is None, Counter(values)
    return tuple(
        value if often[value] == 1 else f"{value} ({problem.named(d) if own else d})" for d, value in enumerate(values)
    )


def expected_cost(loss: Array, problem: Problem) -> Array:
    """Return ``P_x loss[datum of x, d]``, shape (n, decisions)."""
    each = loss if problem.data_of_input is None else loss[problem.data_of_input]
    return shares(problem)[:, None] * each


def exact_loss(loss: npt.NDArray[Any], problem: Problem) -> LargestGain:
    """Return the utility of an expected loss, a row for each datum, in fractions."""
    return LargestGain.of_loss(prior_shares(problem), loss[datum_of_input(problem)])


def check_rows(loss: Array, problem: Problem) -> None:
    """Refuse a loss whose rows are not the problem's data, or so large or small that bounds lose their digits."""
    data = data_count(problem)
    if len(loss) != data:
        raise DomainError(
            "loss",
            f"of shape {loss.shape}",
            f"it has to have one row for each of the {data} inputs",
            "check whether it is transposed",
        )
    check_magnitude("loss", loss, SMALLEST_LOSS, LARGEST_LOSS)
