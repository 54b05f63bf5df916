"""Statements that nobody designed: multipliers found for the reader's own reading of a question, as strong as it takes.

A proof is taken to a question beside its own (another level, prior, notion or loss), its multipliers are moved until
the reader accepts them, and then strengthened while it does. What it calls proved then is held against the rivals.
"""

from __future__ import annotations

import json
import math
import random
import warnings
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import mechdesign as md
import mechdesign_check as reader
from mechdesign.designing.proving import with_proof
from mechdesign.files.checksums import sealed
from mechdesign.question import Question as Asked
from tests.adversary.ask import notion, objective, problem
from tests.adversary.judge import best_rival, passes
from tests.adversary.numbers import ONE
from tests.adversary.value import maximised
from tests.adversary.world import Member, Question, world_of

Data = dict[str, Any]
#: Sizes of the steps by which multipliers are strengthened, relative to the largest: the last ones are rounding.
STEPS = [2.0**-k for k in range(1, 44)]
#: Multipliers are weakened at most so often, each time by twice as much.
DOUBLINGS = 70
WHOLE = 1 << 53
#: Rivals of more inputs are weak, and statements take long.
MOST_INPUTS = 5
#: Notions that are asked in place of another of the same parameter.
BESIDE = ("LDP", "LIP", "MaxLift", "WorstCaseLIP", "StrongL1", "MaximalLeakage")


def statements(question: Question, seed: str) -> Iterator[tuple[str, Question, Data]]:
    """Yield what the reader calls proved of a question and of those beside it: why, the question and the file."""
    data = _proved(question) if question.n <= MOST_INPUTS and question.outputs is None else None
    if data is None:
        return
    for why, beside in neighbours(question, random.Random(seed)):
        found = crafted(data, beside)
        if found is not None:
            yield why, beside, found


def is_false(question: Question, data: Data, seed: str) -> bool:
    """Return whether a private mechanism beats the bound of a file."""
    world = world_of(question)
    best = best_rival(question, world, [[ONE] * world.n], seed)[1]
    return best is not None and passes(best, data["claims"]["bound"], maximised(question.objective))


def neighbours(question: Question, rng: random.Random) -> Iterator[tuple[str, Question]]:
    """Yield the question itself, and others that a careless reading takes for it."""
    yield "the same", question
    for why, change in (("a higher level", 1.25), ("a lower level", 0.75)):
        yield why, replace(question, notions=tuple(_at(each, change) for each in question.notions))
    if len(question.notions) > 1:
        yield "a part less", replace(question, notions=question.notions[:1])
    name, given = question.notions[0]
    if len(question.notions) == 1 and name in BESIDE:
        other = rng.choice([each for each in BESIDE if each != name])
        yield f"{other} in its place", replace(question, notions=((other, given),))
    if question.prior is not None and question.hidden is None:
        moved = [p * rng.uniform(0.5, 2.0) for p in question.prior]
        yield "another prior", replace(question, prior=[p / math.fsum(moved) for p in moved])
    if question.values is not None:
        yield "other values", replace(question, values=[2.0 * value + 1.0 for value in question.values])
    if "loss" in question.objective[1]:
        name, given = question.objective
        loss = [[entry * rng.uniform(0.5, 2.0) for entry in row] for row in given["loss"]]
        yield "another loss", replace(question, objective=(name, {**given, "loss": loss}))


def _at(member: Member, change: float) -> Member:
    """Return a notion at another level."""
    name, given = member
    return name, {
        key: value * change if key in ("epsilon", "upper", "lower") and isinstance(value, float) else value
        for key, value in given.items()
    }


def _proved(question: Question) -> Data | None:
    """Return the file of a proved design of the question; None without one."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            made = md.design(problem(question), notion(question.notions), objective(question.objective))
        except md.MechdesignError:
            return None
    proved, why = with_proof(made, 1e-6)
    return None if why is not None else json.loads(json.dumps(proved.mechanism.to_dict()))


def crafted(data: Data, question: Question) -> Data | None:
    """Return the strongest statement on another question that the reader makes of a proof; None where it makes none."""
    try:
        asked = Asked(problem(question), notion(question.notions), objective(question.objective)).to_dict()
    except md.MechdesignError:
        return None
    made = {**data, "question": json.loads(json.dumps(asked)), "proof": dict(data["proof"])}
    inputs = len(data["numerators"])
    # The mechanism that says nothing keeps everything private, so that the statement is about the bound alone.
    made |= {"numerators": [[WHOLE]] * inputs, "outputs": data["outputs"][:1]}
    if "decisions" in made["proof"]:
        made["proof"]["decisions"] = [0]
    rows = strongest(made, made["proof"]["rows"])
    if rows is None:
        return None
    made["proof"]["rows"] = rows
    value, bound = _claims(made)
    upward = maximised(question.objective)
    # Each to the side on which it claims less.
    ends = (min(value), max(bound)) if upward else (max(value), min(bound))
    made["claims"] = {**made["claims"], "value": _rounded(ends[0], not upward), "bound": _rounded(ends[1], upward)}
    made = sealed({key: each for key, each in made.items() if key != "checksum"})
    try:
        reader.check(made)
    except (reader.Unproved, reader.Unreadable):
        return None
    return made


def strongest(data: Data, rows: list[float]) -> list[float] | None:
    """Return multipliers that the reader accepts, moved down, all of them and one by one, as far as it does."""
    size = max(1e-9, *(abs(row) for row in rows))
    taken = _first(data, rows, size)
    if taken is None:
        return None
    every = [[1.0] * len(rows), *([float(x == y) for x in range(len(rows))] for y in range(len(rows)))]
    for step in STEPS:
        for line in every:
            tried = [row - size * step * entry for row, entry in zip(taken, line, strict=True)]
            if _accepted(data, tried):
                taken = tried
    return taken


def _first(data: Data, rows: list[float], size: float) -> list[float] | None:
    """Return the rows moved up until the reader accepts them."""
    for k in range(DOUBLINGS):
        tried = [row + (size * 2.0 ** (k - 45) if k else 0.0) for row in rows]
        if _accepted(data, tried):
            return tried
    return None


def _accepted(data: Data, rows: list[float]) -> bool:
    made = {**data, "proof": {**data["proof"], "rows": rows}}
    try:
        _claims(made)
    except (reader.Unproved, reader.Unreadable):
        return False
    return True


def _claims(data: Data) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Return what the reader makes of a file: its value and its bound, each within two fractions."""
    world, parts, useful = reader.asked(data)
    bound = useful.of_utility(reader.most_utility(data["proof"], parts, world, useful))
    return tuple(useful.value(reader.columns_of(data), data["proof"])), tuple(bound)


def _rounded(number: Any, up: bool) -> float:
    """Return a float on the given side of a fraction."""
    near = float(number)
    beyond: Callable[[float, float], float] = math.nextafter
    if up:
        return near if near >= number else beyond(near, math.inf)
    return near if near <= number else beyond(near, -math.inf)
