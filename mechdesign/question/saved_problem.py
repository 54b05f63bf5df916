"""A problem as plain data, and what a file may say of one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.notions import Notion
from mechdesign.problem import Problem
from mechdesign.question.plain_values import plain_value

#: What a saved problem keeps; the rest follows from it.
PROBLEM_FIELDS = (
    "prior",
    "values",
    "labels",
    "n",
    "prior_source",
    "data_of_input",
    "interval",
    "secret_given_data",
    "data_given_secret",
    "secret_prior",
    "secret_labels",
)
#: Those of them that `Problem.hidden` takes.
HIDDEN_FIELDS = PROBLEM_FIELDS[-4:]


def problem_from_dict(data: Mapping[str, Any], notion: Notion | None) -> Problem:
    """Return the problem that `problem_to_dict` wrote; raise DomainError of a part that no such problem has."""
    given = dict(data)
    for key, value in given.items():
        if key not in PROBLEM_FIELDS:
            raise DomainError(f"problem.{key}", value, "a saved problem has no such part", "leave it out")
    hidden = {name: given.pop(name, None) for name in HIDDEN_FIELDS}
    problem = Problem(**given)
    if problem.data_of_input is not None and notion is not None:
        _require_inputs_of(notion, problem.data_of_input)
    return problem.hidden(**hidden) if any(value is not None for value in hidden.values()) else problem


def _require_inputs_of(notion: Notion, data_of_input: npt.NDArray[np.int64]) -> None:
    """Raise unless the notion makes such inputs: under another one they would change what an objective means."""
    try:
        made = notion.inputs(Problem(n=int(data_of_input.max()) + 1)).data_of_input
    except DomainError:
        made = None
    if made is None or not np.array_equal(made, data_of_input):
        rule = f"{notion.name} makes no such inputs"
        raise DomainError("problem.data_of_input", data_of_input.tolist(), rule, "leave it out")


def problem_to_dict(problem: Problem) -> dict[str, Any]:
    """Return the problem as plain data, as a file has it."""
    kept = {name: plain_value(getattr(problem, name)) for name in PROBLEM_FIELDS}
    if problem.secret_given_data is not None:
        # The channel and the secret's prior follow from it, and are rounded.
        kept["data_given_secret"] = kept["secret_prior"] = None
    return {name: value for name, value in kept.items() if value is not None}
