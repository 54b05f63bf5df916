"""What can be asked of the real numbers of an interval: notions and objectives that hold between its points."""

from __future__ import annotations

from mechdesign.errors import DomainError
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem


def require_over_interval(problem: Problem, notion: Notion, objective: Objective | None = None) -> None:
    """Raise if a problem is over an interval, and what is asked at its points need not hold between them.

    Raises
    ------
    DomainError
        A notion under which numbers that are rounded at random need not be private, or an objective whose value is that
        of the points alone.

    Examples
    --------
    >>> import mechdesign as md
    >>> require_over_interval(md.Problem.from_interval(0, 1), md.LDP(1.0), md.MMSE())
    Traceback (most recent call last):
    mechdesign.errors.DomainError: objective is MMSE(), but its value is that of the points, and not of every number \
of the interval; ask for md.UnbiasedMean(), or give md.Problem(values=...) of the points.
    """
    if problem.interval is None:
        return
    if not all(part.closed_under_preprocessing for part in notion.parts()):
        rule = "numbers between the points, which are rounded at random, need not be private under it"
        raise DomainError("notion", notion, rule, "give md.LDP, or md.Problem(values=...) of the points")
    if objective is not None and not objective.holds_over_intervals:
        rule = "its value is that of the points, and not of every number of the interval"
        remedy = "ask for md.UnbiasedMean(), or give md.Problem(values=...) of the points"
        raise DomainError("objective", objective, rule, remedy)
