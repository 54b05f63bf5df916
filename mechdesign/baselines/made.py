"""From integers over ``2**53`` to a known mechanism: what was asked checked first, and its privacy last."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mechdesign.errors import CertificateError, DomainError
from mechdesign.exact import Integers
from mechdesign.families.best import families_for, ratio_below
from mechdesign.families.family import cover_variances
from mechdesign.mechanism import Mechanism
from mechdesign.notions import Notion
from mechdesign.parameters.checks import real
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.runtime.memory import GIGABYTE, TRIFLE, ceiling
from mechdesign.tolerances import DENOMINATOR_BITS

#: Bytes for each entry while a known mechanism is made and checked (41 to 74 measured, n = 18 to 2925).
OF_ENTRY = 80.0


def asked(problem: Any, epsilon: Any) -> tuple[Problem, float]:
    """Return the problem and epsilon, which has to be finite and at least 0.

    Raises
    ------
    DomainError
        The problem is none; epsilon negative, NaN or infinite.
    """
    return required("problem", problem, Problem), real("epsilon", epsilon, 0.0)


def require_small(problem: Problem, outputs: int, what: str, epsilon: float) -> None:
    """Raise unless there is memory for a matrix of so many outputs: the limit that a design has, too."""
    needed, allowed = _needed(problem.n, outputs), ceiling()
    if needed <= max(allowed.bytes, TRIFLE):
        return
    rule = f"{what} then has {_count(outputs)} outputs and takes {_size(needed)}, more than {allowed.source}"
    few = f"use {_in_its_place(problem.n, epsilon)}" if outputs > problem.n else "merge inputs into fewer categories"
    raise DomainError("problem", f"of {problem.n} inputs", rule, few)


def fits(entries: int) -> bool:
    """Return whether there is memory for a known mechanism of so many entries."""
    # A count of sets may be larger than any float.
    return _needed(1, entries) <= max(ceiling().bytes, TRIFLE)


def _needed(n: int, outputs: int) -> float:
    return OF_ENTRY * n * outputs if outputs < 10**300 else math.inf


def _in_its_place(n: int, epsilon: float) -> str:
    """Return the mechanism without a matrix whose estimates of rare values have the least variance, with that."""
    if epsilon == 0.0:
        return "randomised_response: at epsilon 0 every mechanism is constant"
    made = families_for(n, ratio_below(epsilon))
    rare = np.zeros(1)
    variances = [float(cover_variances(rare, float(one.own), float(one.other))[0]) for one in made]
    least = min(variances)
    name = "randomised_response" if variances[-1] == least else "projective_response"
    return f"{name}, whose variance of a rare value's frequency is {least:.4g} a report"


def _size(needed: float) -> str:
    return f"about {needed / GIGABYTE:.3g} GB" if needed < math.inf else "more memory than there is"


def _count(outputs: int) -> str:
    return str(outputs) if outputs < 10**6 else f"{outputs:.3g}" if outputs < 10**300 else "more than 1e300"


def made(numerators: Integers, outputs: Sequence[str], problem: Problem, notion: Notion) -> Mechanism:
    """Return the mechanism of those integers over ``2**53``, which satisfies the notion in exact arithmetic."""
    try:
        return Mechanism(np.ldexp(numerators.astype(float), -DENOMINATOR_BITS), outputs, problem=problem, notion=notion)
    except DomainError as error:
        raise CertificateError(f"The rounded mechanism does not satisfy {notion}; please report this.") from error
