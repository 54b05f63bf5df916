"""Which LDP or LIP is implied by a notion: the bound of an optimum under that one holds for this one."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.columns.prior_set import PriorSet
from mechdesign.notions.base import Notion
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lip import LIP
from mechdesign.problem import Problem

#: More than a sum along a path is off by rounding.
OUTWARD = 1.0 + 2.0**-40


def wider(notion: Notion, problem: Problem) -> Notion | None:
    """Return LDP or LIP if the columns of `notion` satisfy it, by their shape alone; None if neither is known.

    A prior that is one of several gives LIP; bounds of pairs give LDP at the largest of them.

    Examples
    --------
    >>> import mechdesign as md
    >>> survey = md.Problem(prior=[0.5, 0.3, 0.2])
    >>> wider(md.NearPriorLIP(1.0, 0.1), survey)
    LIP(epsilon=1.0)
    >>> round(wider(md.PairwiseLDP([[0, 1, 2], [1, 0, 1], [2, 1, 0]], 0.5), survey).epsilon, 9)
    1.0
    """
    shape = notion.columns(problem)
    if shape.of_secret is not shape or shape.revealed or len(shape.budget()) or problem.data_of_input is not None:
        return None
    if isinstance(shape, PriorSet):
        # A prior that was rounded need not be one of the set, and a notion of one's own may have any set.
        known = problem.prior is not None and shape.has_prior(np.array(problem.exact_prior, dtype=object))
        return LIP(shape.epsilon) if known else None
    exponents = shape.pair_exponents
    if exponents is None or type(notion) is LDP:
        return None
    largest = float(exponents.max())
    return LDP(largest * OUTWARD) if math.isfinite(largest) else None
