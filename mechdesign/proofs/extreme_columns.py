"""Columns, in exact arithmetic, whose nonnegative combinations are all that a notion allows, and a little more.

A convex and homogeneous utility of a column is at most its rows everywhere once it is there.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from mechdesign.columns.pair_ratios import EveryPair
from mechdesign.columns.ratio_in_blocks import RatioInBlocks
from mechdesign.exact import Integers, exp_above, integers
from mechdesign.notions import Notion
from mechdesign.problem import Problem
from mechdesign.solve.pricing.double_description import GivenUp, cut_in_order, orthant
from mechdesign.solve.pricing.exact_rays import WholeNumbers

#: Inputs up to which all sets are listed, and those up to which a cone is cut by one row after the other.
MOST_LISTED, MOST_CUT = 11, 9
#: Comparisons of a pair of columns with a third before they are too many: some ten seconds.
EFFORT = 4e9
#: Pairs of columns that the rows, in their order, leave on both sides: with more, readers of proofs give up.
MOST_PAIRS = 1_000_000
#: The most columns of those that they look at: with more, readers of proofs take a minute.
MOST_COLUMNS = 1500


def no_extreme_columns(notion: Notion, inputs: Problem, alike: bool, objective: str) -> str | None:
    """Return which question has no list of columns, in words, by its objective's name; None where one can be made.

    `alike` says that mu is the same for all orders of the inputs: one set of each size is enough then.
    """
    if any(
        part.columns(inputs).exact_rows() is None or len(part.columns(inputs).exact_limits())
        for part in notion.members()
    ):
        return f"{objective} under {notion.name}"
    most = MOST_CUT
    if is_two_valued(notion, inputs):
        most = inputs.n if alike else MOST_LISTED
    return None if inputs.n <= most else f"{objective} of more than {most} inputs under {notion.name}"


@lru_cache(maxsize=16)
def extreme_columns(notion: Notion, inputs: Problem, alike: bool) -> Integers | None:
    """Return the columns as integers, shape (columns, n); None where they are too many."""
    units = np.eye(inputs.n, dtype=int).astype(object)
    revealed = units[list(notion.columns(inputs).revealed)]
    ratio_of_all = _ratio_of_all(notion, inputs)
    if ratio_of_all is not None:
        ratio = exp_above(ratio_of_all)
        members = _one_of_each_size(inputs.n) if alike else _sets(inputs.n)
        return np.vstack(
            [revealed, np.where(members, *np.array([[ratio.numerator], [ratio.denominator]], dtype=object))]
        )
    given = [rows for rows in (part.columns(inputs).exact_rows() for part in notion.members()) if rows is not None]
    assert len(given) == len(notion.members()), "no_extreme_columns() was asked first"
    over_secrets = np.vstack(given)
    seen = over_secrets @ inputs.exactly_seen_by_secret(units)
    rows = np.array([integers(row) for row in seen], dtype=object).reshape(-1, inputs.n)
    try:
        found = cut_in_order(orthant(inputs.n, object), rows, WholeNumbers(EFFORT), MOST_PAIRS).rays
    except GivenUp:
        return None
    return np.vstack([revealed, found]) if len(found) <= MOST_COLUMNS else None


def is_two_valued(notion: Notion, inputs: Problem) -> bool:
    """Return whether the extreme columns have two values with one ratio."""
    return _ratio_of_all(notion, inputs) is not None


def _ratio_of_all(notion: Notion, inputs: Problem) -> float | None:
    """Return epsilon if the columns are those with ratios of any two entries up to ``e^epsilon``; None elsewhere."""
    shape = notion.columns(inputs)
    if isinstance(shape, EveryPair) or (isinstance(shape, RatioInBlocks) and len(shape.blocks) == 1):
        return shape.epsilon
    return None


def _sets(n: int) -> Integers:
    """Return which inputs are in each set that is not empty, shape (2^n - 1, n)."""
    return np.array((np.arange(1, 2**n)[:, None] >> np.arange(n)) & 1, dtype=bool)


def _one_of_each_size(n: int) -> Integers:
    return np.tri(n, dtype=bool)
