"""Many questions over processes, and one table of what was found."""

from __future__ import annotations

import collections
import math
import os
import traceback
from collections.abc import Callable, Sequence
from dataclasses import replace

from joblib import Parallel, delayed

from mechdesign.testing.manners import forget
from tests.adversary.ask import ask, snippet
from tests.adversary.draw import question
from tests.adversary.judge import FAILURES, Verdict, judge

#: Reproducers printed for each kind of failure.
SHOWN = 3
#: Relative errors beyond this are no last places.
LARGE = 1e-9
BLOCK = 10


def verdict(seed: str) -> Verdict:
    """Ask one question and judge the answer."""
    asked = question(seed)
    # The verdict is that of the seed, whatever the process answered before.
    forget()
    answer = ask(asked)
    try:
        found = judge(asked, answer, seed)
    except Exception:  # noqa: BLE001 # one question that it cannot judge must not hide the others
        found = Verdict(seed, asked, replace(answer, error=traceback.format_exc()), {"judge failed": math.nan})
    return found


def _several(seeds: Sequence[str]) -> list[Verdict]:
    return [verdict(seed) for seed in seeds]


def verdicts(
    designs: int, seed: int | str, jobs: int = 1, on_block: Callable[[list[Verdict]], None] | None = None
) -> list[Verdict]:
    """Return the verdicts on so many random questions; the same for the same seed, whatever the number of processes."""
    seeds = [f"{seed}-{i}" for i in range(designs)]
    if jobs == 1:
        return _several(seeds)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ.setdefault(name, "1")
    blocks = [seeds[i : i + BLOCK] for i in range(0, designs, BLOCK)]
    found: list[Verdict] = []
    for some in Parallel(n_jobs=jobs, return_as="generator")(delayed(_several)(block) for block in blocks):
        found += some
        if on_block is not None:
            on_block(found)
    return found


def failing(found: Sequence[Verdict], kind: str) -> list[Verdict]:
    """Return the verdicts with a failure of a kind, the largest first."""
    chosen = [one for one in found if kind in one.failures]
    return sorted(chosen, key=lambda one: -one.failures[kind] if one.failures[kind] == one.failures[kind] else 0.0)


def proofs(found: Sequence[Verdict]) -> tuple[int, int]:
    """Return how many bounds are proved, and how many are not although proofs cover their notion and objective."""
    answers = [one.answer for one in found]
    return sum(not math.isnan(each.proved_bound) for each in answers), sum(bool(each.proof_missed) for each in answers)


def table(found: Sequence[Verdict], shown: int = SHOWN) -> str:
    """Return the counts, the worst of each kind, and the snippets that show it."""
    designs = [one for one in found if not one.answer.error]
    held = [one for one in designs if one.rivals > 1]
    near = sum(one.nearest <= 1e-6 for one in held)
    weak = sum(one.outdone > LARGE for one in held)
    proved, missed = proofs(found)
    lines = [
        f"questions                 {len(found)}",
        f"designs                   {len(designs)}",
        f"refused with a sentence   {sum(one.refused for one in found)}",
        f"held against rivals       {len(held)} (the best of them within 1e-6 of the bound: {near})",
        f"better than all rivals    {weak} (by more than {LARGE:g})",
        f"proved in integers        {proved} (none found, although the notion and the objective are covered: {missed})",
    ]
    for kind in FAILURES:
        chosen = failing(found, kind)
        worst = f"   worst {chosen[0].failures[kind]:.3g}" if chosen else ""
        lines.append(f"{kind:<25} {len(chosen)}{worst}")
        if kind in {"bound beaten", "own bound passed", "value wrong"}:
            large = sum(one.failures[kind] > LARGE for one in chosen)
            lines.append(f"{f'  by more than {LARGE:g}':<25} {large}")
    for kind in FAILURES:
        for one in failing(found, kind)[:shown]:
            lines += ["", f"# {kind}: {one.failures[kind]:.3g} (seed {one.seed}) {said(one)}", snippet(one.question)]
    return "\n".join(lines)


def said(one: Verdict) -> str:
    """Return what the package answered, in a line."""
    answer = one.answer
    if answer.error:
        return answer.error[-600:]
    loaded = "" if answer.loaded == "the same" else f", loaded as {answer.loaded[:120]}"
    return f"value {answer.value!r}, bound {answer.bound!r}, gap {answer.gap:.1e}, route {answer.route}{loaded}"


def by_pair(found: Sequence[Verdict], kind: str) -> list[tuple[str, int]]:
    """Return how often each notion with each objective fails so, most often first."""
    pairs = (
        " & ".join(name for name, _ in one.question.notions) + ", " + one.question.objective[0]
        for one in failing(found, kind)
    )
    return collections.Counter(pairs).most_common()
