"""What a sweep asks: every problem with every notion, objective and level, and what a results file says of that."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

from mechdesign.errors import DomainError
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import entries, number, text
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.question.plain_values import in_json
from mechdesign.question.question import member_to_dict
from mechdesign.question.saved_problem import problem_to_dict
from mechdesign.studies.frontier import Levels
from mechdesign.version import VERSION


@dataclass(frozen=True)
class Asked:
    """One question as it travels to a worker; its notion is made there, so that a bad level fails one row only."""

    index: int
    name: str
    problem: Problem
    notion: Any
    objective: Objective
    level: Levels | None
    keywords: dict[str, Any]


def asked_of(problems: Any, notions: Any, objectives: Any, levels: Any, keywords: dict[str, Any]) -> tuple[Asked, ...]:
    """Return the questions in the order of the product, the last quickest."""
    if isinstance(problems, Mapping):
        named = [(text("the name of a problem", name), problem) for name, problem in problems.items()]
        for name, problem in named:
            required(f"problems[{name!r}]", problem, Problem)
    else:
        named = [(str(place), problem) for place, problem in enumerate(_several("problems", problems, Problem))]
    taken: tuple[Any, ...] = (None,)
    if levels is not None:
        given = entries("levels", levels, "it has to be a sequence of levels", "give a list")
        taken = tuple(_level(f"levels[{place}]", level) for place, level in enumerate(given))
    every = product(named, _several("notions", notions, Notion), _several("objectives", objectives, Objective), taken)
    return tuple(
        Asked(index, name, problem, notion, objective, level, keywords)
        for index, ((name, problem), notion, objective, level) in enumerate(every)
    )


def require_travel(asked: tuple[Asked, ...]) -> None:
    """Raise where a problem, notion or objective cannot be sent to another process, naming it."""
    from joblib.externals.loky.backend.reduction import dumps

    for what in ("problem", "notion", "objective"):
        for each in {id(part): part for part in (getattr(question, what) for question in asked)}.values():
            try:
                dumps(each)
            except Exception as error:  # noqa: BLE001 - what an object of the user's raises is its own
                rule = f"other processes cannot have it ({type(error).__name__}: {error})"
                remedy = "keep in it what can be pickled, or give n_jobs=1"
                raise DomainError(f"{what}s", each, rule, remedy) from None


def _level(argument: str, level: Any) -> Levels:
    """Return the level as numbers; whether they are in the notion's domain is for each row to find."""
    if isinstance(level, tuple | list):
        return tuple(number(argument, part) for part in level)
    return number(argument, level)


def _several(argument: str, given: Any, kind: type) -> tuple[Any, ...]:
    """Return one or several of `kind` (or, of notions, classes) as a tuple."""
    alone = isinstance(given, kind | type)
    found = (given,) if alone else entries(argument, given, f"it has to be one {kind.__name__} or several", "give them")
    for place, each in enumerate(found):
        is_class = kind is Notion and isinstance(each, type) and issubclass(each, Notion)
        if not is_class:
            required(f"{argument}[{place}]", each, kind)
    return found


def names(asked: Asked) -> tuple[int, str, int, str, str, Levels | None]:
    """Return the columns that identify a question in its row: index, problem, inputs, notion, objective and level."""
    notion = asked.notion.__name__ if isinstance(asked.notion, type) else asked.notion.name
    return asked.index, asked.name, asked.problem.n, notion, str(asked.objective), asked.level


def header(asked: tuple[Asked, ...]) -> dict[str, Any]:
    """Return the header of a results file: the version, the number of rows, and a hash of all questions."""
    digest = hashlib.sha256()
    for each in asked:
        notion = each.notion.__name__ if isinstance(each.notion, type) else member_to_dict(each.notion)
        said = [
            each.name,
            problem_to_dict(each.problem),
            notion,
            member_to_dict(each.objective),
            each.level,
            # Hexadecimal, as former results files have it: otherwise none of them could be gone on from.
            {name: hex(given) if type(given) is int else given for name, given in each.keywords.items()},
        ]
        digest.update(json.dumps(in_json(said), sort_keys=True, default=repr).encode())
    return {"mechdesign": VERSION, "rows": len(asked), "sweep": f"sha256:{digest.hexdigest()}"}
