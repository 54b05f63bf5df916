"""Theorems of the user's own for the route `closed_form`: ruled on by the referee before they are used."""

from __future__ import annotations

from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING

from mechdesign.errors import DomainError

if TYPE_CHECKING:
    from mechdesign.theorems import Theorem


def ruled_on(theorems: Iterable[Theorem], route: str) -> tuple[tuple[Theorem, str | None], ...]:
    """Return each theorem with why its mechanism must not be used; None where the referee confirmed it.

    Raises
    ------
    DomainError
        Another route than closed_form; what `own_theorems` refuses.
    """
    if theorems == ():
        return ()
    # Loaded where there are any: other designs need no theorems.
    from mechdesign.theorems.own import own_theorems

    found = own_theorems("theorems", theorems)
    if found and route != "closed_form":
        rule, remedy = "theorems are used by the route closed_form alone", 'add route="closed_form", or leave them out'
        raise DomainError("theorems", ", ".join(theorem.key for theorem in found), rule, remedy)
    return tuple((theorem, _why_not(theorem)) for theorem in found)


def _why_not(theorem: Theorem) -> str | None:
    from mechdesign.theorems.confirmed import CONFIRMED

    # The referee holds claims against designs, and stands above them: it is looked up when it is needed.
    ruling = import_module("mechdesign.referee").referee(theorem)
    if ruling.verdict in CONFIRMED:
        return None
    against = f" ({ruling.counterexample})" if ruling.counterexample else ""
    return f"the referee's verdict is {ruling.verdict!r}{against}"
