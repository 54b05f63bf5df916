"""From integers over ``2**53`` to a known mechanism: what was asked checked first, and its privacy last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mechdesign.errors import CertificateError, DomainError
from mechdesign.exact import Integers
from mechdesign.mechanism import Mechanism
from mechdesign.notions import Notion
from mechdesign.parameters.checks import real
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.runtime.memory import GIGABYTE, TRIFLE, ceiling
from mechdesign.tolerances import DENOMINATOR_BITS

#: Bytes for each entry while a known mechanism is made and checked (41 to 74 measured, n = 18 to 2925).
OF_ENTRY = 80.0
#: More entries than any memory has room for.
MOST_COUNTED = 1 << 62


def asked(problem: Any, epsilon: Any) -> tuple[Problem, float]:
    """Return the problem and epsilon, which has to be finite and at least 0.

    Raises
    ------
    DomainError
        The problem is none; epsilon negative, NaN or infinite.
    """
    return required("problem", problem, Problem), real("epsilon", epsilon, 0.0)


def require_small(problem: Problem, what: str) -> None:
    """Raise unless a square matrix of all inputs fits into memory: the limit that a design has, too."""
    if fits(problem.n**2):
        return
    needed = OF_ENTRY * problem.n**2 / GIGABYTE
    rule = f"{what} then has {problem.n} outputs and takes about {needed:.3g} GB, more than {ceiling().source}"
    raise DomainError("problem", f"of {problem.n} inputs", rule, "merge inputs into fewer categories")


def fits(entries: int) -> bool:
    """Return whether there is memory for a known mechanism of `entries` entries."""
    # A count of sets may be larger than any float.
    return entries < MOST_COUNTED and OF_ENTRY * entries <= max(ceiling().bytes, TRIFLE)


def made(numerators: Integers, outputs: Sequence[str], problem: Problem, notion: Notion) -> Mechanism:
    """Return the mechanism of those integers over ``2**53``, which satisfies the notion in exact arithmetic."""
    try:
        return Mechanism(np.ldexp(numerators.astype(float), -DENOMINATOR_BITS), outputs, problem=problem, notion=notion)
    except DomainError as error:
        raise CertificateError(f"The rounded mechanism does not satisfy {notion}; please report this.") from error
