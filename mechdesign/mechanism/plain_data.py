"""A mechanism as plain data, key by key, as its file holds it: with question and proof, or with its notion alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Integers
from mechdesign.families import FAMILIES, Family
from mechdesign.mechanism.certificate import Certificate, Multipliers, Proof
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.question.members_by_name import notion_from_dict
from mechdesign.question.question import member_to_dict
from mechdesign.question.saved_problem import problem_from_dict, problem_to_dict
from mechdesign.tolerances import DENOMINATOR_BITS

SCHEMA = "mechdesign mechanism"
#: A file is what saving writes, key by key: a change of what is written, be it a new parameter of a member of the
#: catalogue, is a new version. Mechanisms without a question, without a notion too, and with a proof in integers have
#: versions of their own, which older readers refuse; so have those without a matrix.
SCHEMA_VERSION, WITHOUT_QUESTION, WITH_PROOF, WITHOUT_NOTION, WITHOUT_MATRIX = 4, 5, 6, 7, 8
#: The versions that are written.
WRITTEN = (SCHEMA_VERSION, WITHOUT_QUESTION, WITH_PROOF, WITHOUT_NOTION, WITHOUT_MATRIX)
#: Files of these versions can be read: 2 knows no bound on the number of outputs, 3 was not read strictly.
READABLE_VERSIONS = (2, 3, *WRITTEN)
#: The version of the proofs in files: what `mechdesign_check` reads.
PROOF_VERSION = 2

#: The parts of a proof, and those that every file with one has.
OF_PROOF, ALWAYS = ("rows", "ends", "budget", "on_secrets", "own", "weights", "lines", "decisions"), ("rows", "ends")

#: The multipliers that most certificates do without, and those of them that only a bound on the outputs needs.
OPTIONAL = ("weights", "own_cost", "by_order", "tree", "leaves")
IN_TREES = ("tree", "leaves")


def of_design(question: Question, certificate: Certificate, outputs: Sequence[str], matrix: Integers) -> dict[str, Any]:
    """Return the contents of the file of a designed mechanism: question, matrix, certificate and proof."""
    multipliers, proof = certificate.multipliers, certificate.proof
    return {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION if proof is None else WITH_PROOF,
        "question": question.to_dict(),
        **_entries(outputs, matrix),
        "claims": _claims(certificate),
        "multipliers": {
            "rows": _listed(multipliers.rows),
            "budget": _listed(multipliers.budget),
            "own_constant": float(multipliers.own_constant),
            **{name: _listed(getattr(multipliers, name)) for name in OPTIONAL},
            **({} if multipliers.flows is None else {"flows": _listed(multipliers.flows)}),
        },
        **({} if proof is None else {"proof": _proof(proof)}),
    }


def of_matrix(problem: Problem, notion: Notion | None, outputs: Sequence[str], matrix: Integers) -> dict[str, Any]:
    """Return the contents of the file of a mechanism without a question: who reports, and the notion if known."""
    return {
        "schema": SCHEMA,
        "schema_version": WITHOUT_NOTION if notion is None else WITHOUT_QUESTION,
        "problem": problem_to_dict(problem),
        **({} if notion is None else {"notion": member_to_dict(notion)}),
        **_entries(outputs, matrix),
    }


def of_family(
    family: Family,
    question: Question | None,
    certificate: Certificate | None,
    problem: Problem | None,
    notion: Notion | None,
) -> dict[str, Any]:
    """Return the contents of the file of a mechanism without a matrix: its family by name and numbers."""
    parameters = {part.name: getattr(family, part.name) for part in fields(family) if part.name != "n"}
    parameters = {name: list(value) if type(value) is tuple else value for name, value in parameters.items()}
    made: dict[str, Any] = {"schema": SCHEMA, "schema_version": WITHOUT_MATRIX}
    if question is not None and certificate is not None:
        made |= {"question": question.to_dict(), "claims": _claims(certificate)}
        if certificate.multipliers.weights is not None:
            made["claims"]["slope"] = certificate.multipliers.weights.tolist()
    else:
        made |= {"problem": problem_to_dict(problem or Problem(n=family.n))}
        assert notion is not None, "a mechanism without a matrix has a question or a notion"
        made |= {"notion": member_to_dict(notion)}
    return {**made, "family": {"name": type(family).__name__, **parameters, "ratio": str(family.ratio)}}


def arguments_of_family(data: dict[str, Any], own: Sequence[type] = ()) -> dict[str, Any]:
    """Return the arguments of the mechanism without a matrix that such data is of.

    Raises
    ------
    KeyError, TypeError, ValueError
        A part is missing, or is none.
    """
    if "question" in data:
        question = Question.from_dict(data["question"], own)
        claims = data["claims"]
        slope = np.array(claims["slope"], dtype=float) if "slope" in claims else None
        none = Multipliers(np.zeros(0), weights=slope)
        numbers = (float(claims["value"]), float(claims["bound"]), float(claims["gap"]))
        certificate = Certificate(*numbers, str(claims["route"]), none)
        inputs = question.notion.inputs(question.problem)
        return {"family": _family(data["family"], inputs.n), "question": question, "certificate": certificate}
    notion = notion_from_dict(data["notion"], own=own)
    problem = problem_from_dict(data["problem"], notion)
    return {"family": _family(data["family"], problem.n), "problem": problem, "notion": notion}


def _family(data: dict[str, Any], n: int) -> Family:
    """Return the family that a file names, for n inputs."""
    kinds = {kind.__name__: kind for kind in FAMILIES}
    if data["name"] not in kinds:
        raise ValueError(f"its family is {data['name']!r:.40}, not one of {', '.join(sorted(kinds))}")
    kind = kinds[data["name"]]
    wanted = {part.name for part in fields(kind)} - {"n", "ratio"}
    numbers = {name: _numbers(value) for name, value in data.items() if name not in ("name", "ratio")}
    if set(numbers) != wanted or None in numbers.values():
        raise ValueError(f"its family has other numbers than {', '.join(sorted(wanted)) or 'none'}")
    made: Family = kind(n, Fraction(data["ratio"]), **numbers)
    return made


def _numbers(value: Any) -> int | float | tuple[int, ...] | None:
    """Return a number or a list of whole numbers; None if it is neither."""
    if type(value) is list:
        return tuple(value) if all(type(entry) is int for entry in value) else None
    return value if type(value) in (int, float) else None


def _claims(certificate: Certificate) -> dict[str, Any]:
    return {
        "value": float(certificate.value),
        "bound": float(certificate.bound),
        "gap": float(certificate.gap),
        "route": certificate.route,
    }


def arguments(data: dict[str, Any], own: Sequence[type] = ()) -> dict[str, Any]:
    """Return the arguments of the `Mechanism` that such data is of; `own` as `Question.from_dict` takes them.

    Raises
    ------
    KeyError, TypeError, ValueError
        A part is missing, or is none; UnknownMemberError and DomainError are ValueErrors.
    """
    numerators = _numerators(data["numerators"], data["denominator_bits"])
    if not all(isinstance(name, str) for name in data["outputs"]):
        raise ValueError("its outputs are no texts")
    made = {"matrix": np.ldexp(numerators.astype(float), -DENOMINATOR_BITS), "outputs": tuple(data["outputs"])}
    if data["schema_version"] == WITHOUT_NOTION:
        return {**made, "problem": problem_from_dict(data["problem"], None)}
    if data["schema_version"] == WITHOUT_QUESTION:
        notion = notion_from_dict(data["notion"], own=own)
        return {**made, "problem": problem_from_dict(data["problem"], notion), "notion": notion}
    return {**made, "question": Question.from_dict(data["question"], own), "certificate": _certificate(data)}


def _entries(outputs: Sequence[str], matrix: Integers) -> dict[str, Any]:
    return {"outputs": list(outputs), "denominator_bits": DENOMINATOR_BITS, "numerators": matrix.tolist()}


def _certificate(data: dict[str, Any]) -> Certificate:
    """Return the claims with their multipliers, as they stand there."""
    multipliers, claims = data["multipliers"], data["claims"]
    # Files of version 2 have no tree, and flows have those of maps alone; what every file has is asked for by name.
    optional = {name: multipliers.get(name) if name in IN_TREES else multipliers[name] for name in OPTIONAL}
    optional["flows"] = multipliers.get("flows")
    return Certificate(
        float(claims["value"]),
        float(claims["bound"]),
        float(claims["gap"]),
        str(claims["route"]),
        Multipliers(
            frozen(multipliers["rows"]),
            frozen(multipliers["budget"]),
            own_constant=float(multipliers["own_constant"]),
            **{name: None if given is None else frozen(given) for name, given in optional.items()},
        ),
        proof=_read_proof(data),
    )


def _proof(proof: Proof) -> dict[str, Any]:
    parts = {name: _listed(getattr(proof, name)) for name in OF_PROOF}
    # Indices are written as integers, for people and for strict readers.
    parts["own"] = [[*map(int, place), number] for *place, number in parts["own"]]
    parts["decisions"] = [int(decision) for decision in parts["decisions"]]
    return {"version": PROOF_VERSION, **{name: part for name, part in parts.items() if part or name in ALWAYS}}


def _read_proof(data: dict[str, Any]) -> Proof | None:
    """Return the proof of a file, None for the versions that have none."""
    if data["schema_version"] != WITH_PROOF:
        return None
    given = data["proof"]
    if given["version"] != PROOF_VERSION:
        raise ValueError(f"its proof has the version {given['version']!r:.40}, not {PROOF_VERSION}")
    held = {name: given[name] for name in OF_PROOF if name in ALWAYS or name in given}
    if set(given) != {"version", *held} or not all(held[name] for name in held if name not in ALWAYS):
        raise ValueError(f"its proof holds {', '.join(map(str, given))!s:.80}")
    return Proof(**{name: frozen(part) for name, part in held.items()})


def _listed(numbers: Array | None) -> Any:
    return None if numbers is None else np.asarray(numbers, dtype=float).tolist()


def _numerators(rows: Any, bits: Any) -> npt.NDArray[np.int64]:
    """Return the integers over ``2**53`` as a matrix; raise ValueError unless each row sums to exactly ``2**53``."""
    if type(bits) is not int or bits != DENOMINATOR_BITS:
        raise ValueError(f"denominator_bits is {bits!r:.40}, not {DENOMINATOR_BITS}")
    if not (isinstance(rows, list) and rows and all(isinstance(row, list) for row in rows)):
        raise ValueError("its numerators are no matrix")
    if not rows[0] or len(set(map(len, rows))) > 1:
        raise ValueError("its numerators are no matrix")
    for index, row in enumerate(rows):
        # In Python's integers, whatever their size: true, 3.0 and "3" are none.
        if set(map(type, row)) != {int} or min(row) < 0 or sum(row) != 1 << DENOMINATOR_BITS:
            raise ValueError(f"numerators[{index}] are no integers from 0 on that sum to 2**{DENOMINATOR_BITS}")
    return np.array(rows, dtype=np.int64)
