"""Functions that a user gives: each is checked to take what it will be called with."""

from __future__ import annotations

import inspect
from typing import Any

from mechdesign.errors import DomainError


def function(argument: str, value: Any, count: int, rule: str, remedy: str, *, classes: bool = False) -> Any:
    """Return `value`, which has to be a function of `count` arguments, and a class only with `classes`.

    Raises
    ------
    DomainError
        It cannot be called with that many.
    """
    if not callable(value):
        raise DomainError(argument, value, rule, remedy)
    if isinstance(value, type) and not classes:
        raise DomainError(argument, value, rule, f"give a function, or an instance of {value.__name__}; {remedy}")
    try:
        inspect.signature(value).bind(*[None] * count)
    except ValueError:
        # Some of those that are not written in Python do not say what they take.
        return value
    except TypeError as error:
        raise DomainError(argument, value, f"{rule} ({error})", remedy) from None
    return value
