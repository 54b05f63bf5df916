"""The certified optima of the benchmark's questions: ``python -m benchmarks.optima``, minutes for the large ones.

Each question is designed by several routes and solvers. Of the values the best counts and of the bounds the best, as
each is true by itself. Where a bound as near has a proof in integers, its design is what counts; ``--proofs`` looks for
those alone, ``--only LABEL`` asks one question.
"""

from __future__ import annotations

import argparse
import json
import warnings
from typing import Any

import mechdesign as md
from mechdesign.bench.sets import OPTIMA, SETS
from mechdesign.bench.sets.drafts import Draft
from mechdesign.files.atomic_writes import write
from mechdesign.notions import MetricDP

#: Seconds for each design, and the gap from which on no further one is made.
SECONDS, ENOUGH = 400.0, 1e-11
#: Seconds for a design with a proof, and by what share of its value it may leave more than the certified optimum does.
OF_PROOF, MORE = 60.0, 1e-10


def optimum(draft: Draft) -> tuple[float, float]:
    """Return the best value and the best bound of several designs."""
    question = draft.question
    ways: list[dict[str, Any]] = (
        [{"route": "maps"}] if isinstance(question.notion, MetricDP) and question.problem.n > 20 else []
    )
    ways += [{}, {"solver": "HIGHS"}, {"solver": "CLARABEL"}]
    better = min if question.objective.sense == "minimise" else max
    worse = max if question.objective.sense == "minimise" else min
    value = bound = None
    for way in ways:
        try:
            made = md.design(
                question.problem, question.notion, question.objective, gap=ENOUGH, time_limit=SECONDS, **way
            )
        except md.MechdesignError:
            continue
        value = made.value if value is None else better(value, made.value)
        bound = made.bound if bound is None else worse(bound, made.bound)
        if abs(value - bound) <= ENOUGH * abs(value):
            break
    assert value is not None and bound is not None, f"no way answers {draft.label}"
    return value, bound


def proved(draft: Draft, value: float, bound: float) -> tuple[float, float] | None:
    """Return value and bound of a design whose bound has a proof in integers, if it is as near; None for none."""
    question = draft.question
    try:
        made = md.design(
            question.problem, question.notion, question.objective, gap=ENOUGH, time_limit=OF_PROOF, proof=True
        )
    except md.MechdesignError:
        return None
    near = abs(made.value - made.bound) <= abs(value - bound) + MORE * abs(value)
    return (made.value, made.bound) if made.mechanism.claimed.proved and near else None


def main() -> None:
    """Write the optima of the sets that are named, and keep the others."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="*", default=sorted(SETS))
    parser.add_argument("--only", metavar="LABEL", help="the question to ask; all by default")
    parser.add_argument("--proofs", action="store_true", help="keep the optima, and look for proofs of them")
    warnings.simplefilter("ignore")
    found = json.loads(OPTIMA.read_text(encoding="utf-8")) if OPTIMA.exists() else {}
    asked = parser.parse_args()
    labels = {draft.label for name in asked.sets for draft in SETS[name]()}
    if asked.only is not None and asked.only not in labels:
        parser.error(f"{asked.only} is no question of {', '.join(asked.sets)}")
    for name in asked.sets:
        for draft in (each for each in SETS[name]() if asked.only in (None, each.label)):
            value, bound = found[draft.label][:2] if asked.proofs else optimum(draft)
            exact = proved(draft, value, bound)
            found[draft.label] = [value, bound] if exact is None else [*exact, True]
            said = "certified" if exact is None else "proved"
            print(f"{draft.label:32s} {value!r} {abs(value - bound) / abs(value):.1e} {said}", flush=True)
    lines = ",\n".join(f"{json.dumps(label)}: {json.dumps(pair)}" for label, pair in sorted(found.items()))
    write(OPTIMA, f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
