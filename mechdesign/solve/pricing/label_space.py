"""What the report says of a label, priced where the labels are the inputs: they see a mechanism of the same notion.

The label T and the report Y are independent given the datum X, so ``Pr(y | t)`` is a mean of the rows of Q. A notion
that is kept when inputs are replaced at random holds for these means, and bounds the information on the label by the
optimum of a problem that has an input for each label. Elsewhere the information on the label is at most a share of the
information on the datum: the largest total variation between the labels' distributions at two data.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.columns.information_budget import InformationBound
from mechdesign.columns.smooth import SmoothlyBounded
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.objectives.label import Seen, seen_by_label
from mechdesign.objectives.label_information import INFORMATION
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.priced_columns import Columns, Priced, no_columns

#: Data up to which the labels' distributions are compared pair by pair.
MOST_COMPARED = 2000


def seen_by_labels(notion: Notion, objective: Objective, problem: Problem) -> Seen | None:
    """Return what labels see of the inputs, None unless their means of private rows are private, too.

    Examples
    --------
    >>> import mechdesign as md
    >>> about, three = md.LabelInformation([[1, 1, 0], [0, 0, 1]]), md.Problem(prior=[0.25, 0.25, 0.5])
    >>> seen_by_labels(md.LDP(1.0), about, three).problem.n
    2
    """
    table = objective.label_table
    if table is None or problem.prior is None or problem.data_of_input is not None:
        return None
    shape = notion.columns(problem)
    alone = shape.of_secret is shape and notion.members() == (notion,)
    # Distances to the mass and information are convex in the entries, so those of means are no larger.
    kept = notion.closed_under_preprocessing or shape.around_mass or isinstance(shape, SmoothlyBounded)
    charged = len(shape.budget()) and shape.sum_of_peaks is None and not isinstance(shape, SmoothlyBounded)
    if not (alone and kept) or charged:
        return None
    return seen_by_label(table, problem)


def over_labels(columns: Columns, priced: Priced, seen: Seen, over: Array) -> Priced:
    """Return the bound over the inputs that a bound over the labels gives.

    For every column q with ``u = W q``, what the labels see, ``mu(u) <= over . u + excess (c . u)``: the rest is linear
    in q, and largest at one input.

    Parameters
    ----------
    priced : Priced
        Of the labels, at the multipliers `over`.
    over : ndarray, shape (labels,)
    """
    normal = columns.notion.columns(columns.problem).normal
    of_labels = columns.notion.columns(seen.problem).normal
    on_labels = over + priced.bound * of_labels
    linear, rows = seen.channel.T @ on_labels, columns.rows
    sizes = seen.channel.T @ (np.abs(over) + abs(priced.bound) * of_labels) + np.abs(rows)
    blur = rounding_unit(len(rows) + len(over)) * sizes
    values, above = (linear - rows) / normal, (linear - rows + blur) / normal
    return Priced(float(above.max()), float(above.max() - values.max()), no_columns(columns.problem.n))


def multipliers_of_labels(seen: Seen, rows: Array) -> Array:
    """Return multipliers of labels, shape (labels,), whose means at the inputs come nearest to `rows`."""
    return np.asarray(np.linalg.lstsq(seen.channel.T, rows, rcond=None)[0])


def contraction(label_table: Array) -> float:
    """Return the largest total variation between the labels' distributions at two data, rounded up.

    Information on the label is at most this share of the information on the datum (R. L. Dobrushin's coefficient
    bounds the contraction of relative entropy).

    Parameters
    ----------
    label_table : ndarray, shape (labels, data)
        ``Pr(T = t | X = x)``.

    Examples
    --------
    >>> round(contraction(np.array([[0.75, 0.25], [0.25, 0.75]])), 9)
    0.5
    """
    table = label_table / label_table.sum(axis=0)
    if table.shape[1] > MOST_COMPARED:
        return 1.0
    apart = max(float(np.abs(table - column[:, None]).sum(axis=0).max()) for column in table.T)
    return min(0.5 * apart * (1.0 + rounding_unit(len(table))) + rounding_unit(len(table)), 1.0)


def of_datum(columns: Columns, share: float) -> Columns:
    """Return the columns priced by the information on the datum, at multipliers divided by the share."""
    rows, budget = columns.rows / share, columns.budget / share
    scaled = replace(columns.multipliers, rows=columns.multipliers.rows / share)
    return replace(columns, objective=INFORMATION, multipliers=scaled, rows=rows, budget=budget)


def guess_for_label(notion: Notion, objective: Objective, problem: Problem) -> Multipliers | None:
    """Return the multipliers that bound the label's information by a share of the budget of the datum's, or None."""
    bounded = isinstance(notion.columns(problem), InformationBound) and len(notion.columns(problem).budget())
    if not bounded or objective.label_table is None or problem.data_of_input is not None:
        return None
    return Multipliers(np.zeros(problem.n), np.array([contraction(objective.label_table)]))
