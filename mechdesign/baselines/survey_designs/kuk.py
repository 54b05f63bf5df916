"""Kuk's design: the attribute decides from which of two decks cards are drawn, and their colour is reported."""

from __future__ import annotations

from fractions import Fraction
from math import comb
from typing import Any

from mechdesign.baselines.survey_designs.instructed import instructed, probability
from mechdesign.mechanism import Mechanism
from mechdesign.parameters.checks import whole


def kuk(first: Any, second: Any, draws: int = 1) -> Mechanism:
    r"""Return Kuk's design: ``Pr(k red | yes) = C(d, k) a^k (1 - a)^(d - k)``, and b in place of a for no.

    Instruction: *Draw a card from both decks, put it back, d times. If you have done it, report how many of the first
    deck's cards were red, otherwise how many of the second deck's.* Here a and b are the shares of red cards.

    With a mean share ``s`` of red cards the estimate is ``(s - b) / (a - b)``. The level of LDP is d times
    ``max(|ln(a / b)|, |ln((1 - a) / (1 - b))|)`` nats: every draw adds to it.

    Parameters
    ----------
    first, second : float, Fraction or str
        The shares a and b of red cards in the deck of those who have done it and of those who have not; from 0 to 1.
        If they are equal reports say nothing.
    draws : int
        The number d of draws, at least 1.

    Returns
    -------
    Mechanism
        Inputs "yes" and "no", outputs "0" to "d", the number of red cards.

    Raises
    ------
    DomainError
        What is no probability; draws that are no whole number of at least 1.

    References
    ----------
    A. Y. C. Kuk, "Asking Sensitive Questions Indirectly", Biometrika 77 (1990).

    Examples
    --------
    >>> import mechdesign as md
    >>> decks = md.baselines.kuk("8/10", "2/10")
    >>> round(float(decks.estimate({"0": 680, "1": 320}).frequencies[0]), 6), round(float(md.audit(decks)), 6)
    (0.2, 1.386294)
    >>> md.baselines.kuk("8/10", "2/10", draws=5).outputs
    ('0', '1', '2', '3', '4', '5')
    """
    red = probability("first", first), probability("second", second)
    count = whole("draws", draws, 1)
    return instructed([_binomial(count, share) for share in red], [str(k) for k in range(count + 1)])


def _binomial(draws: int, share: Fraction) -> list[Fraction]:
    return [comb(draws, k) * share**k * (1 - share) ** (draws - k) for k in range(draws + 1)]
