"""Estimates of a survey: of all people, or of each group of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.estimation.estimating import Estimate
from mechdesign.estimation.from_reports import estimated, matrix_of, require_possible, surveyed, with_warning
from mechdesign.estimation.identifiability import Identifiability
from mechdesign.estimation.numbers_of_people import Method, known_method
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.grouped import GroupedEstimate
from mechdesign.estimation.surveys.reading import Drawn, groups_of
from mechdesign.exact import Integers
from mechdesign.problem import Problem


def of_survey(
    numerators: Integers,
    people: tuple[Any, Indices],
    drawn: Drawn,
    groups: Any,
    *,
    problem: Problem,
    method: Method,
    known: Identifiability,
) -> Estimate | GroupedEstimate:
    """Return the estimate of a survey, or one for each group of people.

    Parameters
    ----------
    numerators : ndarray of int, shape (n, m)
        The mechanism's matrix over a power of two.
    people : tuple of object and ndarray of int, shape (N,)
        The reports as they were given, whose index columns of pandas have to share, and as numbers of outputs.
    drawn : Drawn
        How people were drawn.
    groups : object, optional
        The group of each person.
    problem : Problem
        The inputs.
    method : {"likelihood", "unbiased"}
        Of groups of people who were all drawn alike.
    known : Identifiability
        What reports identify.

    Raises
    ------
    DomainError
        No reports, or some of an output that the mechanism never gives; what `Drawn.sample` refuses; a group that
        weighs nothing.
    """
    outputs, (reports, found) = numerators.shape[1], people
    if not len(found):
        raise DomainError("reports", "empty", "an estimate needs reports", "give at least one")
    require_possible(numerators, np.bincount(found, minlength=outputs))
    members = None if groups is None else groups_of(groups, reports, len(found))
    if not drawn.given and members is not None:
        # Everybody counts alike: each group is a sample of its own.
        parts = {
            label: estimated(numerators, np.bincount(found[at], minlength=outputs), problem, method, known)
            for label, at in zip(members.labels, _members(members.codes, len(members.labels)), strict=True)
        }
        return _grouped(parts)
    known_method(method)
    sample = drawn.sample(matrix_of(numerators), reports, found)
    if members is None:
        made = surveyed(sample.matrix, sample.counts(), problem, known, sample.survey())
        return with_warning(made, stacklevel=4)
    parts = {}
    for label, at in zip(members.labels, _members(members.codes, len(members.labels)), strict=True):
        if not sample.weights[at].any():
            rule = "all of its reports weigh nothing, so that nothing is known of it"
            raise DomainError("groups", f"with {label!r}", rule, "leave these reports out, or merge the group")
        parts[label] = surveyed(sample.matrix, sample.counts(at), problem, known, sample.survey(at))
    return _grouped(parts)


def _members(codes: Indices, count: int) -> list[Indices]:
    """Return the numbers of the people of each group."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes, minlength=count))[:-1])


def _grouped(parts: dict[Any, Estimate]) -> GroupedEstimate:
    for label, made in parts.items():
        with_warning(made, f"Group {label}: ", stacklevel=5)
    return GroupedEstimate(parts)
