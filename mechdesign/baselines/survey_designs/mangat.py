"""Mangat and Singh's two-stage design: a first device lets some say the truth, the others use Warner's."""

from __future__ import annotations

from typing import Any

from mechdesign.baselines.survey_designs.instructed import ATTRIBUTE, instructed, probability
from mechdesign.mechanism import Mechanism


def mangat(truth: Any, p: Any) -> Mechanism:
    r"""Return the two-stage design: ``Pr("yes" | yes) = T + (1 - T) p``, ``Pr("yes" | no) = (1 - T) (1 - p)``.

    Instruction: *Draw a card from the first deck. If it is red (probability T), say whether you have done it.
    Otherwise draw from the second deck: on red (probability p) say whether you have done it, on black whether you have
    not.*

    It is Warner's design with the probability ``T + (1 - T) p`` of the sensitive statement.

    Parameters
    ----------
    truth : float, Fraction or str
        The probability T of saying the truth, from 0 to 1.
    p : float, Fraction or str
        From 0 to 1.

    Returns
    -------
    Mechanism
        Inputs "yes" and "no", outputs "yes" and "no".

    Raises
    ------
    DomainError
        What is no probability.

    References
    ----------
    N. S. Mangat, R. Singh, "An Alternative Randomized Response Procedure", Biometrika 77 (1990).

    Examples
    --------
    >>> import mechdesign as md
    >>> md.baselines.mangat("1/2", "1/2") == md.baselines.warner("3/4")
    True
    """
    honest, second = probability("truth", truth), probability("p", p)
    yes = honest + (1 - honest) * second
    return instructed([[yes, 1 - yes], [1 - yes, yes]], ATTRIBUTE)
