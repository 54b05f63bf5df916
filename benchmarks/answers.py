"""Record what the package answers to some 560 questions, to the last bit, and compare it with an earlier record.

    python -m benchmarks answers --write before.tsv
    python -m benchmarks answers --against before.tsv

For changes that should change no answer. A record holds for one machine and one set of versions: write it before such a
change and compare after it. Nothing depends on time: there are no time limits, and one thread.
"""

from __future__ import annotations

import csv
import hashlib
import json
import tempfile
import warnings
import zlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

import mechdesign as md
from benchmarks.measuring import machine
from mechdesign.catalogue.drawn import random_problem
from mechdesign.runtime.deadline import reading
from mechdesign.testing import sized
from mechdesign.testing.clock import CountingClock

#: Numbers of inputs at which every pair of members is asked, and at which every third is.
SMALL, LARGER = 3, 12


@dataclass(frozen=True)
class Answer:
    """What one question was answered with: either a design, its floats in hexadecimal, or the sentence of a refusal."""

    question: str
    route: str = ""
    value: str = ""
    bound: str = ""
    gap: str = ""
    outputs: str = ""
    #: SHA-256 of the matrix.
    matrix: str = ""
    refusal: str = ""
    #: SHA-256 of why each other route was not taken.
    refusals: str = ""


Question = tuple[str, Callable[[], list[md.Design | md.Mechanism]]]


def answers(questions: Iterable[Question]) -> Iterator[Answer]:
    """Return the answer to each question; one with several designs (a frontier) has several."""
    for name, ask in questions:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", md.GapWarning)
                found = ask()
        except md.MechdesignError as error:
            yield Answer(name, refusal=f"{type(error).__name__}: {error}".replace("\n", " "))
            continue
        for place, one in enumerate(found):
            yield _answer(name if len(found) == 1 else f"{name} [{place}]", one)


def _answer(name: str, found: md.Design | md.Mechanism) -> Answer:
    matrix = np.ascontiguousarray(found.matrix)
    # A mechanism of a file has its certificate's numbers.
    numbers = found if isinstance(found, md.Design) else found.claimed
    return Answer(
        name,
        found.route if isinstance(found, md.Design) else "",
        float(numbers.value).hex(),
        float(numbers.bound).hex(),
        float(numbers.gap).hex(),
        str(matrix.shape[1]),
        hashlib.sha256(matrix.tobytes()).hexdigest(),
        refusals=_digest(dict(found.refusals)) if isinstance(found, md.Design) else "",
    )


def _digest(refusals: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(refusals, sort_keys=True).encode("ascii")).hexdigest()


def questions() -> list[Question]:
    """Return the questions, each with its name."""
    pairs = list(product(sized.NOTIONS, sized.OBJECTIVES))
    return [*_pairs(pairs, SMALL), *_pairs(pairs[::3], LARGER), *_others()]


def _pairs(pairs: Iterable[tuple[str, str]], n: int) -> Iterator[Question]:
    """Yield a question of each notion and objective with n data, always the same, where there is one of that size."""
    for notion, objective in pairs:
        name = f"{notion}, {objective}, n = {n}"
        asked = sized.some_pair(notion, objective, n, np.random.default_rng(zlib.crc32(name.encode())))
        if asked is not None:
            yield name, _designed(*asked)


def _others() -> Iterator[Question]:
    """Yield questions with a hidden secret, with keywords, of frontiers, and of files."""
    rng = np.random.default_rng(20)
    problem = sized.sized_problem(6, rng)
    hidden = random_problem(6, rng, secrets=3)
    for notion in (md.LDP(1.0), md.LIP(0.7), md.MaxLift(0.4), md.WorstCaseLIP(0.8), md.ApproximateLDP(0.5, 0.1)):
        kind = type(notion).__name__
        for objective in (md.MMSE(), md.MutualInformation(), md.ErrorProbability()):
            what = f"{kind}, {type(objective).__name__}"
            yield f"{what}, hidden secret", _designed(hidden, notion, objective)
            yield f"{what}, outputs=3", _designed(problem, notion, objective, outputs=3)
            yield f"{what}, route known", _designed(problem, notion, objective, route="known")
        yield f"{kind}, HammingLoss, subject_to", _designed(problem, notion, md.HammingLoss(), subject_to=_truthful)
        yield f"{kind}, MMSE, frontier", _levels(problem, notion, md.MMSE())
        yield f"{kind}, AbsoluteError, frontier", _levels(problem, notion, md.AbsoluteError())
        yield f"{kind}, MMSE, file", _loaded(problem, notion, md.MMSE())
    large = sized.sized_problem(500, rng)
    for seconds in (0.0, 5.0):
        name = f"LIP, AbsoluteError, n = 500, time_limit=3, refusals read {seconds:g} s later"
        yield name, _read_late(large, md.LIP(1.0), md.AbsoluteError(), seconds)


def _designed(
    problem: md.Problem, notion: md.Notion, objective: md.Objective, **keywords: Any
) -> Callable[[], list[md.Design | md.Mechanism]]:
    return lambda: [md.design(problem, notion, objective, **keywords)]


def _truthful(Q: Any) -> list[Any]:
    """Ask that the first input is reported as it is at least three times of ten."""
    return [Q[0, 0] >= 0.3]


def _levels(problem: md.Problem, notion: md.Notion, objective: md.Objective) -> Callable[[], list[Any]]:
    return lambda: list(md.frontier(problem, notion, objective, [0.1, 0.3, 0.6, 0.9]))


def _read_late(
    problem: md.Problem, notion: md.Notion, objective: md.Objective, seconds: float
) -> Callable[[], list[Any]]:
    """Ask with a time limit, on a clock that passes by looks, and read the refusals so many seconds later."""

    def ask() -> list[Any]:
        clock = CountingClock(1e-4)
        with reading(clock):
            made = md.design(problem, notion, objective, time_limit=3.0)
            clock.advance(seconds)
            dict(made.refusals)
        return [made]

    return ask


def _loaded(problem: md.Problem, notion: md.Notion, objective: md.Objective) -> Callable[[], list[Any]]:
    def ask() -> list[Any]:
        with tempfile.TemporaryDirectory() as folder:
            path = md.design(problem, notion, objective).mechanism.save(Path(folder) / "saved.mechanism.json")
            return [md.load(path)]

    return ask


def write(found: Iterable[Answer], path: Path) -> None:
    """Write a record: the versions it was made with, then a line of tab-separated fields for each answer."""
    with path.open("x", encoding="utf-8", newline="") as file:
        file.write(f"# {json.dumps(machine())}\n")
        table = csv.DictWriter(file, [field.name for field in fields(Answer)], dialect="excel-tab")
        table.writeheader()
        table.writerows(asdict(one) for one in found)


def read(path: Path) -> tuple[dict[str, Any], list[Answer]]:
    """Return the versions and the answers of a record."""
    with path.open(encoding="utf-8", newline="") as file:
        made_with: dict[str, Any] = json.loads(file.readline().removeprefix("# "))
        return made_with, [Answer(**row) for row in csv.DictReader(file, dialect="excel-tab")]


def differences(before: Iterable[Answer], after: Iterable[Answer]) -> list[str]:
    """Return a line for each question that is answered otherwise than before."""
    old, new = ({one.question: one for one in found} for found in (before, after))
    lines = [f"{name}: no longer asked" for name in old if name not in new]
    lines += [f"{name}: was not asked before" for name in new if name not in old]
    return lines + [_difference(old[name], new[name]) for name in old if name in new and old[name] != new[name]]


def _difference(old: Answer, new: Answer) -> str:
    """Return which fields differ; numbers in decimals, value and bound by how much of the wider of the two gaps."""
    said = []
    for field in fields(Answer):
        before, after = getattr(old, field.name), getattr(new, field.name)
        if before == after:
            continue
        if field.name in {"value", "bound", "gap"} and before and after:
            said.append(f"{field.name} {_number(before)!r} -> {_number(after)!r}{_share(field.name, old, new)}")
        else:
            said.append(f"{field.name} {before[:90] or '-'} -> {after[:90] or '-'}")
    return f"{old.question}: {'; '.join(said)}"


def _number(text: str) -> float:
    return float.fromhex(text)


def _share(name: str, old: Answer, new: Answer) -> str:
    """Return how much of the wider gap a number moved by: more than 1 means that one of the two bounds is false."""
    if name == "gap":
        return ""
    widest = max(abs(_number(one.value) - _number(one.bound)) for one in (old, new))
    moved = abs(_number(getattr(old, name)) - _number(getattr(new, name)))
    return f" ({moved / widest if widest else float('inf'):.2g} of the gap)" if moved else ""


def main(write_to: Path | None, compare_with: Path | None, console: Console) -> int:
    """Write a record, or compare with one: 1 where an answer differs."""
    asked = questions()
    if write_to is not None and write_to.exists():
        console.print(f"{write_to} exists: it may be the record to compare with, so give another name, or remove it")
        return 2
    here = machine()
    made_with, before = read(compare_with) if compare_with is not None else (here, [])
    changed = [f"{name} {made_with.get(name)} -> {here[name]}" for name in here if made_with.get(name) != here[name]]
    if changed:
        console.print(f"The record is of other versions, which may account for differences: {', '.join(changed)}")
    found = list(answers(track(asked, "questions", console=Console(stderr=True))))
    if write_to is not None:
        write(found, write_to)
        console.print(f"{len(found)} answers to {len(asked)} questions in {write_to}")
        return 0
    lines = differences(before, found)
    for line in lines:
        console.print(line, soft_wrap=True, markup=False, highlight=False)
    console.print(f"{len(lines)} of {len(before)} differ")
    return 1 if lines else 0
