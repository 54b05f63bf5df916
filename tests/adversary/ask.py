"""The package is asked: a question becomes its objects, is designed, saved and loaded; or a snippet for a reader."""

from __future__ import annotations

import dataclasses
import json
import math
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

import mechdesign as md
import mechdesign_check
from mechdesign import objectives
from mechdesign.designing.proving import with_proof
from mechdesign.files.checksums import sealed
from mechdesign.proofs import refusal
from mechdesign.runtime.deadline import reading
from mechdesign.testing.clock import CountingClock
from tests.adversary.world import Member, Question

#: Generators by the name of their divergence.
GENERATORS = {"KLDivergence": "KLGenerator", "Power": "PowerGenerator"}

#: Seconds that a look at the clock takes, and nothing else: a limit ends a design at the same place on any machine.
LOOK = 0.01


@dataclasses.dataclass(frozen=True)
class Answer:
    """What the package said: a matrix with its claims, or why there is none."""

    matrix: list[list[float]] | None = None
    value: float = math.nan
    bound: float = math.nan
    gap: float = math.nan
    gap_of_gain: float | None = None
    route: str = ""
    warned: bool = False
    loaded: str = "the same"
    #: The bound of what was loaded, NaN where nothing was.
    loaded_bound: float = math.nan
    error: str = ""
    #: An error of the package's own, by its class; empty for any other.
    own_error: str = ""
    #: By a clock that counts looks.
    seconds: float = 0.0
    #: What the reader of proofs says of the design's proof that is not "proved".
    proof: str = ""
    #: Why none was found where a proof in integers is known.
    proof_missed: str = ""
    #: The bound that is proved, NaN where none is.
    proved_bound: float = math.nan
    #: What a route's matrix passed its own bound by, where another route answered then.
    refuted: str = ""


def notion(members: tuple[Member, ...]) -> Any:
    made = [getattr(md, name)(**given) for name, given in members]
    return made[0] if len(made) == 1 else md.Intersection(made)


def objective(member: Member) -> Any:
    name, given = member
    if name == "FDivergence":
        generator, order = given["f"]
        kind = getattr(objectives, GENERATORS.get(generator, f"{generator}Generator"))
        given = {**given, "f": kind() if order is None else kind(order)}
    return getattr(md, name)(**given)


def problem(question: Question) -> Any:
    made = md.Problem(question.prior, question.values, n=question.n)
    return made if question.hidden is None else made.hidden(**question.hidden)


def ask(question: Question) -> Answer:
    """Return the package's answer, whatever it raises."""
    clock = CountingClock(LOOK)
    with warnings.catch_warnings(record=True) as caught, reading(clock):
        warnings.simplefilter("always")
        try:
            asked = problem(question), notion(question.notions), objective(question.objective)
            design = md.design(*asked, **question.keywords)
        except md.MechdesignError as error:
            return Answer(error=f"{type(error).__name__}: {error}", own_error=type(error).__name__)
        except Exception as error:  # noqa: BLE001 # whatever is raised is what is looked for
            last = traceback.extract_tb(error.__traceback__)[-1]
            place = f"{Path(last.filename).name}:{last.lineno}"
            return Answer(error=f"{type(error).__name__} at {place}: {error}")
    return Answer(
        getattr(design, "by_decision", design.matrix).tolist(),
        float(design.value),
        float(design.bound),
        float(design.gap),
        getattr(design, "gap_of_gain", None),
        design.route,
        any(issubclass(entry.category, md.GapWarning) for entry in caught),
        *_loaded(design),
        seconds=clock.seconds,
        **_proved(design),
        refuted=next((a.outcome for a in design.attempts if "CertificateError" in a.outcome), ""),
    )


def _loaded(design: Any) -> tuple[str, float]:
    """Return what a saved design loads as, the same or what differs, and the bound that is derived again."""
    made = design.mechanism
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            path = made.save(Path(folder) / "one.json")
            read = md.load(path)
        except Exception as error:  # noqa: BLE001 # likewise
            return f"{type(error).__name__}: {error}", math.nan
    same = (read.matrix.tolist(), read.outputs, read.question) == (made.matrix.tolist(), made.outputs, made.question)
    # A design in haste may claim less than what follows without a time limit.
    return "the same" if same else "another mechanism", float(read.certificate.bound)


def _proved(design: Any) -> dict[str, Any]:
    """Return what the reader of proofs says of the design's file with a proof."""
    proved, why = with_proof(design, 1e-6)
    if why is not None:
        known = refusal(design.mechanism.asked) is None and "constraints" not in why
        return {"proof_missed": why if known else ""}
    data = sealed(json.loads(json.dumps(proved.mechanism.to_dict())))
    try:
        mechdesign_check.check(data)
    except (mechdesign_check.Unproved, mechdesign_check.Unreadable) as error:
        return {"proof": f"{type(error).__name__}: {error}", "proved_bound": float(proved.bound)}
    return {"proved_bound": float(proved.bound)}


def snippet(question: Question) -> str:
    """Return Python that asks the same question."""
    made = f"md.Problem({question.prior!r}, {question.values!r}, n={question.n})"
    hidden = "" if question.hidden is None else f".hidden({_arguments(question.hidden)})"
    names = " & ".join(f"md.{name}({_arguments(given)})" for name, given in question.notions)
    name, given = question.objective
    shown = dict(given)
    lines = ["import mechdesign as md", "from math import inf"]
    prefix = ""
    if name == "FDivergence":
        generator, order = shown.pop("f")
        lines.append("from mechdesign import objectives")
        kind = GENERATORS.get(generator, f"{generator}Generator")
        prefix = f"objectives.{kind}({'' if order is None else order}), "
    asked = f"md.{name}({prefix}{_arguments(shown)})"
    keywords = "".join(f", {key}={value!r}" for key, value in question.keywords.items())
    lines.append(f"design = md.design({made}{hidden}, {names}, {asked}{keywords})")
    return "\n".join(lines)


def _arguments(given: dict[str, Any]) -> str:
    return ", ".join(f"{key}={value!r}" for key, value in given.items())
