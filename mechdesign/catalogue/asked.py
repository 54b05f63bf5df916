"""Call a function of a card: what it raises, or returns of a wrong type, becomes an error that names the field."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mechdesign.errors import DomainError, written


def asked(member: type, field: str, function: Callable[..., Any], *given: Any) -> Any:
    """Return what a function of a member's card returns.

    Raises
    ------
    DomainError
        The function raises.

    Examples
    --------
    >>> import mechdesign as md
    >>> asked(md.LDP, "promise", lambda notion: {}["level"], md.LDP(1.0))
    Traceback (most recent call last):
    mechdesign.errors.DomainError: LDP.card.promise is a function, but it raises KeyError ('level'); correct it.
    """
    try:
        return function(*given)
    except Exception as error:
        rule = f"it raises {type(error).__name__} ({str(error).rstrip('.')})"
        raise DomainError(_place(member, field), "a function", rule, "correct it") from error


def of_type(member: type, field: str, found: Any, kinds: type | tuple[type, ...], what: str) -> Any:
    """Return what a function of a member's card returned.

    Raises
    ------
    DomainError
        It is of none of the `kinds`, which are `what` in words.

    Examples
    --------
    >>> import mechdesign as md
    >>> of_type(md.LDP, "promise", None, str, "a text")
    Traceback (most recent call last):
    mechdesign.errors.DomainError: LDP.card.promise is a function, but it returned None; let it return a text.
    """
    if not isinstance(found, kinds):
        raise wrong(member, field, f"it returned {written(found)}", f"let it return {what}")
    return found


def wrong(member: type, field: str, rule: str, remedy: str) -> DomainError:
    """Return the error that says what is wrong with a function of a member's card."""
    return DomainError(_place(member, field), "a function", rule, remedy)


def _place(member: type, field: str) -> str:
    return f"{member.__name__}.card.{field}"
