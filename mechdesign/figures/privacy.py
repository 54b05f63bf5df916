"""Whether the mechanism behind a published point is private, by the exact audit."""

from __future__ import annotations

from typing import Any

from mechdesign.errors import DomainError
from mechdesign.mechanism.audit import audit
from mechdesign.notions import Notion
from mechdesign.problem import Problem


def private(matrix: Any, notion: Notion, problem: Problem) -> bool:
    """Return whether a matrix keeps a notion; one that is no mechanism, by a negative entry or a row's sum, does not.

    A published matrix of floats counts as private where it misses the level by their rounding alone.
    """
    try:
        found = audit(matrix, notion, problem)
    except DomainError:
        return False
    return found.holds or found.missed_by_rounding
