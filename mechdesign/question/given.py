"""The parts of a question as somebody gives them: each of its kind, or a sentence that says how one is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any

import numpy as np

from mechdesign.catalogue.vocabulary import meant
from mechdesign.errors import DomainError, nearest
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.calls import example
from mechdesign.parameters.checks import LARGEST_WHOLE
from mechdesign.problem import Problem
from mechdesign.question.derived_members import require_consistent
from mechdesign.question.members_by_name import members
from mechdesign.tolerances import LARGEST_EXPONENT

#: One of each kind, as one would write it.
USUAL: dict[type, str] = {
    Notion: "md.LDP(1.0)",
    Objective: "md.MMSE()",
    Problem: "md.Problem(prior=[0.2, 0.8])",
}


def required(argument: str, given: Any, kind: type) -> Any:
    """Return `given`, which has to be a problem, a notion or an objective, as `kind` says.

    Raises
    ------
    DomainError
        It is something else; with how one is made of it, where that can be seen. Or its class overrides some formulas
        of a class of the catalogue and inherits the others.

    Examples
    --------
    >>> required("objective", "MMSE", Objective)
    Traceback (most recent call last):
    mechdesign.errors.DomainError: objective is MMSE, but it has to be an Objective; give md.MMSE().
    """
    if isinstance(given, kind):
        if kind is not Problem:
            require_consistent(argument, given)
        return given
    article = "an" if kind.__name__[0] in "AEIOU" else "a"
    remedy = _of_data(given) if kind is Problem else _of_member(given, kind)
    raise DomainError(argument, given, f"it has to be {article} {kind.__name__}", remedy or f"give {USUAL[kind]}, say")


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
    >>> require_over_interval(md.Problem.from_interval(0, 1), md.LDP(1.0), md.HammingLoss())
    Traceback (most recent call last):
    mechdesign.errors.DomainError: objective is HammingLoss(), but its value is that of the points, and not of every \
number of the interval; ask for MMSE, UnbiasedMean, WorstCaseLoss of every number, or give md.Problem(values=...) of \
the points.
    """
    if problem.interval is None:
        return
    if not all(part.closed_under_preprocessing for part in notion.parts()):
        rule = "numbers between the points, which are rounded at random, need not be private under it"
        raise DomainError("notion", notion, rule, "give md.LDP, or md.Problem(values=...) of the points")
    if objective is not None and not objective.holds_over_intervals:
        rule = "its value is that of the points, and not of every number of the interval"
        catalogue: dict[str, Any] = members(Objective)
        known = (name for name, each in catalogue.items() if each.holds_over_intervals)
        remedy = f"ask for {', '.join(known)} of every number, or give md.Problem(values=...) of the points"
        raise DomainError("objective", objective, rule, remedy)


def call_of(member: type) -> str:
    """Return a call of a class of the catalogue with examples of the parameters that it needs.

    Examples
    --------
    >>> from mechdesign.notions import AsymmetricLIP
    >>> call_of(AsymmetricLIP)
    'md.AsymmetricLIP(0.5, 0.5)'
    """
    domains = getattr(member, "domains", {})
    needed = [field.name for field in fields(member)] if is_dataclass(member) else []
    given = [name for name in needed if _has_no_default(member, name)]
    return f"md.{member.__name__}({', '.join(example(name, domains) for name in given)})"


def _has_no_default(member: Any, name: str) -> bool:
    field = next(field for field in fields(member) if field.name == name)
    return field.init and field.default is MISSING and field.default_factory is MISSING


def _of_data(given: Any) -> str | None:
    """Return how a problem is made of what was given instead."""
    if isinstance(given, type):
        return f"call it: {USUAL[Problem]}, say"
    if isinstance(given, Mapping):
        return "give md.Problem.from_counts(...), which takes labels with their counts"
    if isinstance(given, int | np.integer) and not isinstance(given, bool) and 0 < given <= LARGEST_WHOLE:
        return f"give md.Problem(n={given}) for so many inputs"
    if isinstance(given, list | tuple | np.ndarray) or hasattr(given, "to_numpy"):
        return "give md.Problem(prior=...), md.Problem.from_counts(...) or md.Problem.from_records(...)"
    return None


def _of_member(given: Any, kind: type) -> str | None:
    """Return how a notion or an objective is made of what was given instead."""
    known = members(kind)
    if isinstance(given, type):
        named = known.get(given.__name__) is given
        return f"call it: {call_of(given) if named else f'{given.__name__}(...)'}"
    if isinstance(given, str):
        found = [name for name in meant(given, known) if name in known]
        if found:
            return f"give {' or '.join(call_of(known[name]) for name in found)}"
        return f"give an instance such as {USUAL[kind]}; {nearest(given, known)}"
    if kind is Notion and isinstance(given, int | float) and 0 <= given <= LARGEST_EXPONENT:
        return f"give the notion with that level, md.LDP({given}), say"
    return None
