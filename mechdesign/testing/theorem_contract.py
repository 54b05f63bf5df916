"""What every theorem must satisfy besides its verdict: an error in its constant or its domain does not go unnoticed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any, Never

import numpy as np

from mechdesign.exact import Integers
from mechdesign.notions import Notion
from mechdesign.problem import Problem
from mechdesign.referee import hearing, referee
from mechdesign.testing.contract import Clause, require, run
from mechdesign.theorems.base import Condition, Formula, Theorem
from mechdesign.theorems.checks import Published

#: The planted error: one percent.
PLANTED = 0.01

#: Points at which the numbers of a formula are looked for: some results have a value only for some questions.
SOME = 12


def check_theorem(theorem: Theorem, verdict: str | None = None) -> None:
    """Check every clause of the contract of theorems.

    Parameters
    ----------
    theorem : Theorem
        The member.
    verdict : str, optional
        The referee's verdict on it, where it is known already.

    Raises
    ------
    BrokenContractError
        With the theorem, the clause and what was found.
    """
    run(THEOREM_CLAUSES, theorem.key, theorem, verdict or referee(theorem).verdict)


def constant_matters(theorem: Theorem, verdict: str) -> None:
    """One percent more or less of each number of the formula that holds is caught; or it is said why it is not."""
    formula = sound(theorem, verdict)
    if formula is None:
        return
    planted = plants(theorem, formula, _domain(theorem, verdict))
    missed = [name for name, (more, less) in planted.items() if not (fails(more) or fails(less))]
    unseen = bool(missed) or not planted
    names = ", ".join(missed) or "it has no number"
    require(not unseen or theorem.loose, f"an error of one percent goes unnoticed ({names}), and `loose` says not why")
    require(unseen or not theorem.loose, f"an error of one percent is caught, though `loose` says: {theorem.loose}")


def domain_matters(theorem: Theorem, verdict: str) -> None:
    """Outside its domain the formula that holds fails; or it is said why it does not."""
    formula = sound(theorem, verdict)
    conditions = _domain(theorem, verdict)
    if formula is None or not conditions:
        return
    caught = fails(_alone(theorem, formula, ()))
    require(caught or theorem.wider, "the domain is widened past its edge and nothing fails, and `wider` says not why")
    require(not caught or not theorem.wider, f"the widened domain is caught, though `wider` says: {theorem.wider}")


def form_is_told(theorem: Theorem, verdict: str) -> None:
    """A question of the form is accepted, one about another notion is not, and a condition that fails is named."""
    if theorem.form is None:
        return
    rng = np.random.default_rng(0)
    for _ in range(20):
        question = theorem.family.subject(theorem.family.draw(rng))
        said = theorem.form.refusal(question)
        require(said is None, f"its own question is refused: {said}")
        other = theorem.form.refusal(replace(question, notion=_Other()))
        require(other is not None and len(other.split()) >= 4, f"another notion gets the answer {other!r}")
        missed = [condition for condition in theorem.confirmed if condition.margin(question) < -1e-6]
        said = theorem.domain(question)
        named = not missed or (said is not None and missed[0].left in said and any(c.isdigit() for c in said))
        require(named, f"outside the domain it says {said!r}")


def sound(theorem: Theorem, verdict: str) -> Formula | None:
    """Return the formula that holds, or None where none does."""
    if verdict in {"holds", "holds under a narrower condition"}:
        return theorem.printed
    return theorem.corrected


def fails(theorem: Theorem) -> bool:
    """Return whether the referee finds a failure in the claimed domain."""
    return hearing(theorem).fails()


def plants(theorem: Theorem, formula: Formula, domain: tuple[Condition, ...]) -> dict[str, tuple[Theorem, Theorem]]:
    """Return, for each number of the formula's result by name, the theorem with it too large and too small."""
    names: dict[str, None] = {}
    for point in hearing(_alone(theorem, formula, domain)).plan.claimed[:SOME]:
        names.update(dict.fromkeys(_bumped(formula(theorem.family.subject(point)), 1.0)))
    shares = (1 + PLANTED, 1 - PLANTED)
    made = {name: [_alone(theorem, _off(formula, name, share), domain) for share in shares] for name in names}
    return {name: (more, less) for name, (more, less) in made.items()}


def _domain(theorem: Theorem, verdict: str) -> tuple[Condition, ...]:
    if verdict == "holds":
        return theorem.claimed
    if verdict in {"misprinted", "false"}:
        return (*theorem.claimed, *theorem.corrected_domain)
    return (*theorem.claimed, *theorem.narrower)


def _alone(theorem: Theorem, formula: Formula, conditions: tuple[Condition, ...]) -> Theorem:
    """Return the theorem with this formula as printed and this domain as claimed, and no other."""
    blank: dict[str, Any] = {"narrower": (), "corrected": None, "correction": "", "corrected_domain": ()}
    return replace(theorem, printed=formula, claimed=conditions, **blank)


def _off(formula: Formula, name: str, factor: float) -> Formula:
    def planted(subject: Any) -> Any:
        found: dict[str, Callable[[], Any]] = _bumped(formula(subject), factor)
        return found[name]() if name in found else formula(subject)

    return planted


def _bumped(given: Any, factor: float, name: str = "result") -> dict[str, Callable[[], Any]]:
    """Return, for each number or array of a result by name, the result with that one multiplied by `factor`."""
    if isinstance(given, tuple):
        names = given._fields if isinstance(given, Published) else [str(index) for index in range(len(given))]
        made: dict[str, Callable[[], Any]] = {}
        for at, (part_name, part) in enumerate(zip(names, given, strict=True)):
            for inner, bump in _bumped(part, factor, f"{name}.{part_name}").items():
                made[inner] = partial(_with, given, at, bump)
        return made
    if isinstance(given, bool | str) or given is None:
        return {}
    array = np.asarray(given)
    if array.dtype.kind not in "fiO" or array.size == 0:
        return {}
    if array.ndim == 2 and array.dtype.kind == "f" and np.allclose(array.sum(axis=1), 1) and array.min() >= 0:
        # A transition matrix stays one: its outputs say a little less, or a little more.
        return {name: lambda: factor * array + (1 - factor) * array.mean(axis=0)}
    share = _like(array, factor)
    return {name: lambda: array * share if array.ndim else given * share}


def _like(array: Any, factor: float) -> Any:
    return Fraction(round(factor * 100), 100) if array.dtype == object else factor


def _with(given: Any, at: int, bump: Callable[[], Any]) -> Any:
    parts = [*given[:at], bump(), *given[at + 1 :]]
    return Published(*parts) if isinstance(given, Published) else tuple(parts)


class _Other(Notion):
    """A notion that no theorem is about."""

    epsilon = 1.0

    def cone(self, problem: Problem) -> Never:
        raise AssertionError("a theorem reads the cone of a notion that it is not about")

    def level(self, matrix: Any, problem: Problem) -> Never:
        raise AssertionError("a theorem reads the level of a notion that it is not about")

    def holds_exactly(self, numerators: Integers, problem: Problem) -> Never:
        raise AssertionError("a theorem asks a notion that it is not about")


#: The contract of theorems, by name.
THEOREM_CLAUSES: dict[str, Clause] = {
    "form": form_is_told,
    "constant": constant_matters,
    "domain": domain_matters,
}
