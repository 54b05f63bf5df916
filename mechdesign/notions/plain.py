"""The canonical form of a notion and its problem, shared by all notions with equivalent constraints."""

from __future__ import annotations

from dataclasses import replace

from mechdesign.notions.base import Notion
from mechdesign.problem import Problem


def plain(notion: Notion, problem: Problem) -> tuple[Notion, Problem]:
    """Return the plain form of a notion over the mechanism's inputs, and of these inputs.

    Equal questions have one plain form, so that all of them are answered alike.

    Examples
    --------
    >>> import mechdesign as md
    >>> notion, problem = plain(md.WorstCaseLIP(1.0), md.Problem(n=2).hidden(data_given_secret=[[1, 0], [0, 1]]))
    >>> print(notion, problem.is_hidden)
    LDP(epsilon=1) False
    """
    if problem.is_hidden and problem.secret_is_input:
        problem = replace(
            problem, data_given_secret=None, secret_prior=None, secret_given_data=None, secret_labels=None
        )
    return (notion.plain(problem) if defines_method(notion, "plain") else notion), problem


def defines_method(notion: Notion, method: str) -> bool:
    """Return whether the notion's own class has the method: what a class says need not hold of one derived from it.

    Examples
    --------
    >>> import mechdesign as md
    >>> defines_method(md.LDP(1.0), "ldp_on"), defines_method(md.LIP(1.0), "ldp_on")
    (True, False)
    """
    return method in vars(type(notion))
