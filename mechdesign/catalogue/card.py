"""The card of a notion or an objective: what pages say of it beside its mathematics."""

from __future__ import annotations

from dataclasses import dataclass

from mechdesign.errors import DomainError


@dataclass(frozen=True)
class Card:
    r"""What pages say of a notion or an objective; its class has it as ``card``.

    Parameters
    ----------
    full_name : str
        The name in full, as it stands within a sentence; a notion without one is called by its class and parameters.
    latex : str
        The formula in LaTeX, which its page displays; the docstring holds the same in plain text. Empty for none.

    Raises
    ------
    DomainError
        What is no text.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.LDP.card.full_name, md.MaximalLeakage.card.latex
    ('local differential privacy', '\\ln \\sum_y \\max_s \\Pr(y \\mid s) \\le \\epsilon')
    """

    full_name: str = ""
    latex: str = ""

    def __post_init__(self) -> None:
        for name in ("full_name", "latex"):
            given = getattr(self, name)
            if not isinstance(given, str):
                raise DomainError(name, given, "it has to be a text", "write it in quotes, or leave it out")


def require_card(given: object) -> None:
    """Raise unless a class of one's own has a card for its card."""
    if not isinstance(given, Card):
        raise DomainError("card", given, "it has to be a Card", 'write card = md.Card("the name in full")')
