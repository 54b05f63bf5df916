"""What a question needs of its problem, and a problem need not have."""

from __future__ import annotations

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array


def required(name: str, given: Array | None, remedy: str) -> Array:
    """Return what was given under a name, of whatever shape.

    Raises
    ------
    DomainError
        Nothing was given.
    """
    if given is None:
        raise DomainError(name, None, "what is asked of this problem needs it", remedy)
    return given
