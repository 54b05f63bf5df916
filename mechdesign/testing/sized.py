"""An instance of every member at any number of inputs: pairs of notion and objective are made from these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from typing import Any

from mechdesign.catalogue import card_of
from mechdesign.catalogue.drawn import Rng, random_prior
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.problem import Problem
from mechdesign.testing.catalogue import all_notions, all_objectives

#: An instance for a problem, None where there is none of that size.
Sized = Callable[[Problem, Rng], Any]


def sized_problem(n: int, rng: Rng) -> Problem:
    """Return a problem with a random prior and values, all of them positive masses."""
    return Problem(prior=random_prior(n, rng), values=rng.normal(size=n))


def sized_of(member: type) -> Sized:
    """Return what makes an instance for a problem of any size: its card's, or the class at its defaults and level 1.

    Examples
    --------
    >>> import numpy as np
    >>> import mechdesign as md
    >>> problem, rng = md.Problem(prior=[0.5, 0.5]), np.random.default_rng(0)
    >>> sized_of(md.LIP)(problem, rng), sized_of(md.MaxLift)(problem, rng), sized_of(md.MMSE)(problem, rng)
    (LIP(epsilon=1.0), MaxLift(epsilon=0.5), MMSE())
    """
    sized = card_of(member).sized
    if sized is not None:
        return sized
    asked = [field.name for field in fields(member) if field.default is MISSING and field.default_factory is MISSING]
    if not asked:
        return lambda problem, rng: member()
    if asked == [getattr(member, "level_name", None)]:
        return lambda problem, rng: member(1.0)
    return lambda problem, rng: None


#: Each notion at about one nat, over a problem; None where it cannot have that many inputs.
NOTIONS: dict[str, Sized] = {name: sized_of(member) for name, member in sorted(all_notions().items())}
#: Each objective over the inputs of a mechanism.
OBJECTIVES: dict[str, Sized] = {name: sized_of(member) for name, member in sorted(all_objectives().items())}


def as_asked(notion: Notion, problem: Problem) -> Problem:
    """Return the problem as it is asked of the notion: without a prior where that follows from the notion itself.

    Examples
    --------
    >>> import mechdesign as md
    >>> survey = md.Problem(prior=[0.25, 0.5, 0.25], values=[0, 1, 2])
    >>> as_asked(md.CentralizedIP(1.0, ((0.4, 0.6),) * 2), survey).prior, as_asked(md.LDP(1.0), survey) == survey
    (None, True)
    """
    if notion.needs_prior:
        return problem
    bare = Problem(n=problem.n, values=problem.values)
    return bare if notion.inputs(bare).prior is not None else problem


def some_pair(notion: str, objective: str, n: int, rng: Rng) -> tuple[Problem, Notion, Objective] | None:
    """Return a question with a notion and an objective of n data, or None if none of that size is made."""
    problem = sized_problem(n, rng)
    made = NOTIONS[notion](problem, rng)
    if made is None:
        return None
    problem = as_asked(made, problem)
    wanted = OBJECTIVES[objective](made.inputs(problem), rng)
    return None if wanted is None else (problem, made, wanted)
