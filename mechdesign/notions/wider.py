"""Which LDP or LIP is implied by a notion: the bound of an optimum under that one holds for this one."""

from __future__ import annotations

import math
from fractions import Fraction

from mechdesign.columns.prior_ball import PriorBall
from mechdesign.columns.prior_box import PriorBox
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
    if isinstance(shape, PriorBall):
        # The ball is around the problem's prior.
        return LIP(shape.epsilon)
    if isinstance(shape, PriorBox):
        return LIP(shape.epsilon) if problem.prior is not None and _lies_in(shape, problem) else None
    exponents = shape.pair_exponents
    if exponents is None or type(notion) is LDP:
        return None
    largest = float(exponents.max())
    return LDP(largest * OUTWARD) if math.isfinite(largest) else None


def _lies_in(shape: PriorBox, problem: Problem) -> bool:
    """Return whether the prior is one of the box, which a rounded one need not be."""
    lower, span, room = shape.exact_box
    whole = int(sum(lower)) + room
    mine = [Fraction(entry, sum(problem.exact_prior)) for entry in problem.exact_prior]
    ends = zip(mine, lower.tolist(), span.tolist(), strict=True)
    return all(Fraction(low, whole) <= share <= Fraction(low + more, whole) for share, low, more in ends)
