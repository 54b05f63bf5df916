"""Which bounds are proved in integers, of every pair at eight inputs and of the examples, and how long that takes."""

from __future__ import annotations

import contextlib
import io
import tempfile
import time
import warnings
import zlib
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

import mechdesign as md
from benchmarks.measuring import Part, Row, apart
from mechdesign.testing import sized

#: Inputs of a pair, fewer for notions that have no more; seconds of a design; the gap that a proof has to show.
INPUTS, SECONDS, GAP = (8, 2), 8.0, 1e-6
#: Shares of the questions that get a design and of which no proof shows that gap.
PROMISED = {"pairs": 0.25, "examples": 0.15}
#: Questions that are timed under LDP, and the seconds that the reader may take at so many inputs.
TIMED, READ = (
    ("MMSE", "AbsoluteError", "HammingLoss", "WorstCaseLoss", "MaxOffDiagonal", "KLDivergence"),
    {16: 0.3, 50: 1.0},
)
#: A proof may take so many times the seconds of its design, or so many seconds where that is more.
TIMES, LEAST = 3.0, 2.0


def outcome(problem: md.Problem, notion: md.Notion, objective: md.Objective) -> str:
    """Return "proved", or why there is no proof of that gap; a refusal of the question starts with "refused"."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            made = md.design(problem, notion, objective, gap=GAP, time_limit=SECONDS, proof=True)
        except md.MechdesignError as error:
            return f"refused: {error}"[:200]
    if not made.certificate.proved:
        return next(str(each.message) for each in caught if issubclass(each.category, md.ProofWarning))
    return "proved" if made.gap <= GAP else f"proved to {made.gap:.1e} only"


def of_pairs(notion: str) -> dict[str, str]:
    """Return what becomes of each objective under a notion."""
    found = {}
    for objective in sized.OBJECTIVES:
        rng = np.random.default_rng(zlib.crc32(f"{notion}, {objective}".encode()))
        asked = next(filter(None, (sized.some_pair(notion, objective, n, rng) for n in INPUTS)), None)
        if asked is not None:
            found[objective] = outcome(*asked)
    return found


def of_examples() -> dict[str, str]:
    """Return what becomes of each question of the examples."""
    from tests.helpers.few_inputs import tasks

    asked = tasks(np.random.default_rng(1))
    return {name: outcome(task.problem, task.notion, task.objective) for name, task in asked.items()}


def timed(objective: str, n: int) -> dict[str, Any]:
    """Return how long a proof and its reader take, as shares of what they may."""
    asked = sized.some_pair("LDP", objective, n, np.random.default_rng(1))
    assert asked is not None
    md.design(*asked)
    reader = import_module("mechdesign_check")
    plain, _ = lapped(lambda: md.design(*asked))
    both, made = lapped(lambda: md.design(*asked, proof=True))
    with tempfile.TemporaryDirectory() as folder:
        path = made.mechanism.save(Path(folder, "timed.mechanism.json"))
        with contextlib.redirect_stdout(io.StringIO()):
            reading, code = lapped(lambda: reader.main([str(path)]))
    emission = (both - plain) / max(TIMES * plain, LEAST)
    return {"emission": emission, "reading": reading / READ[n], "kept": made.certificate.proved and code == 0}


def lapped(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the seconds that some work takes, and what it returns."""
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def speeds() -> list[Row]:
    """Return for each size the largest share of its time that a proof, and its reader, take."""
    rows = []
    for n in READ:
        found = {name: apart("benchmarks.proofs:timed", {"objective": name, "n": n}, 120.0) for name in TIMED}
        kept = all(each.value.get("kept", False) for each in found.values())
        for what in ("emission", "reading"):
            worst = max(found, key=lambda name: found[name].value.get(what, float("inf")))
            share = found[worst].value.get(what)
            note = f"most for {worst}" if share is not None else found[worst].why
            rows.append(Row(f"{what} of a proof under LDP, n = {n}: of its time", share, "", 1.0, kept, note))
    return rows


def measure(quick: bool) -> Part:
    """Return the shares of pairs and of examples without a proof; the short form takes every third notion."""
    names = list(sized.NOTIONS)[:: 3 if quick else 1]
    found = {name: apart("benchmarks.proofs:of_pairs", {"notion": name}, 60.0 + 22 * SECONDS) for name in names}
    lost = [Row(f"pairs under {name}", None, "", note=each.why) for name, each in found.items() if not each.value]
    table = {name: each.value for name, each in found.items()}
    taken = apart("benchmarks.proofs:of_examples", {}, 60.0 + 80 * SECONDS).value
    kinds = {
        "pairs": [said for each in table.values() for said in each.values()],
        "examples": list(taken.values()),
    }
    rows = []
    for kind, outcomes in kinds.items():
        accepted = [said for said in outcomes if not said.startswith("refused")]
        proved = accepted.count("proved")
        note = f"{proved} of {len(accepted)} proved to {GAP:g}"
        share = 1.0 - proved / len(accepted) if accepted else None
        rows.append(Row(f"{kind} without a proof, n <= {INPUTS[0]}", share, "", PROMISED[kind], note=note))
    return Part("proofs", [*rows, *lost, *speeds()], {"pairs": table, "examples": taken})
