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
    >>> print(notion, problem)
    LDP(epsilon=1) Problem(n=2)
    """
    if problem.is_hidden and problem.secret_is_input:
        problem = replace(
            problem, data_given_secret=None, secret_prior=None, secret_given_data=None, secret_labels=None
        )
    # What a class says need not hold of one derived from it.
    return (notion.plain(problem) if "plain" in vars(type(notion)) else notion), problem
