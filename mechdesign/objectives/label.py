"""A label T of the datum: how labels see a column, and checks of the table that gives their probabilities."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.exact import Fractions, fractions
from mechdesign.objectives.decisions import data_count, datum_of_input, shares
from mechdesign.objectives.exact_form import prior_shares
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class Seen:
    """What labels see of the inputs.

    Attributes
    ----------
    channel : ndarray, shape (labels, n)
        ``Pr(X = x | T = t)``, for the labels that have any mass that a float has all digits of.
    problem : Problem
        Whose inputs are those labels, with their prior.
    """

    channel: Array
    problem: Problem


def seen_by_label(label_given_data: Array, problem: Problem) -> Seen:
    """Return what labels see, from ``Pr(T = t | X = x)``, shape (labels, data).

    Examples
    --------
    >>> import mechdesign as md
    >>> sees = seen_by_label(np.array([[1.0, 0.5], [0.0, 0.5]]), md.Problem(prior=[0.5, 0.5]))
    >>> sees.problem.prior.tolist(), sees.channel.round(3).tolist()
    ([0.75, 0.25], [[0.667, 0.333], [0.0, 1.0]])
    """
    return _seen(tuple(map(tuple, label_given_data.tolist())), problem)


@lru_cache(maxsize=32)
def _seen(rows: tuple[tuple[float, ...], ...], problem: Problem) -> Seen:
    given = np.array(rows)[:, datum_of_input(problem)]
    joint = given / given.sum(axis=0) * shares(problem)
    masses = joint.sum(axis=1)
    # The reciprocal of a subnormal mass is no number, and its label is worth nothing.
    met = masses >= np.finfo(float).tiny
    return Seen(joint[met] / masses[met, None], Problem(prior=masses[met] / masses[met].sum()))


def exact_joint(label_given_data: Array, problem: Problem) -> Fractions:
    """Return ``Pr(T = t, X = x)`` in fractions, shape (labels, n), each column of the table divided by its sum."""
    given = fractions(label_given_data)[:, datum_of_input(problem)]
    return np.asarray(given / given.sum(axis=0) * prior_shares(problem))


def check_labels(label_given_data: Array, problem: Problem) -> None:
    """Refuse a table that has not one column for each datum.

    Raises
    ------
    DomainError
        With the number of data.
    """
    data = data_count(problem)
    if label_given_data.shape[1] != data:
        rule = f"it has to have one column for each of the {data} inputs"
        raise DomainError(
            "label_given_data", f"of shape {label_given_data.shape}", rule, "check whether it is transposed"
        )
