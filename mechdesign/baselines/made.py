"""From integers over ``2**53`` to a known mechanism: what was asked checked first, and its privacy last."""

from __future__ import annotations

import math
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
from mechdesign.tolerances import DENOMINATOR_BITS

#: Matrices of more entries than this (8 MB) are not made.
MOST_ENTRIES = 1 << 20


def asked(problem: Any, epsilon: Any) -> tuple[Problem, float]:
    """Return the problem and epsilon, which has to be finite and at least 0.

    Raises
    ------
    DomainError
        The problem is none; epsilon negative, NaN or infinite.
    """
    return required("problem", problem, Problem), real("epsilon", epsilon, 0.0)


def require_small(problem: Problem, outputs: int, what: str) -> None:
    """Raise unless the matrix has at most `MOST_ENTRIES` entries."""
    if problem.n * outputs > MOST_ENTRIES:
        rule = f"{what} then has {_count(outputs)} outputs, and a matrix has at most {MOST_ENTRIES} entries"
        most = math.isqrt(MOST_ENTRIES)
        remedy = f"merge inputs: no known mechanism here takes more than {most}"
        if problem.n <= most:
            remedy = "use randomised_response, which has as many outputs as inputs"
        raise DomainError("problem", f"of {problem.n} inputs", rule, remedy)


def _count(outputs: int) -> str:
    return str(outputs) if outputs < 10**6 else f"{outputs:.3g}" if outputs < 10**300 else "more than 1e300"


def made(numerators: Integers, outputs: Sequence[str], problem: Problem, notion: Notion) -> Mechanism:
    """Return the mechanism of those integers over ``2**53``, after the notion's exact check over the inputs.

    What holds for the inputs holds for every secret behind them.
    """
    if not notion.holds_exactly(numerators, Problem(n=problem.n)):
        raise CertificateError(f"The rounded mechanism does not satisfy {notion}; please report this.")
    return Mechanism(np.ldexp(numerators.astype(float), -DENOMINATOR_BITS), outputs, problem=problem)
