"""The triangular model: the report says whether either of a sensitive and a harmless answer is yes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mechdesign.baselines.survey_designs.instructed import instructed, probability
from mechdesign.mechanism import Mechanism

OUTPUTS = ("neither", "at least one")


def triangular(p: Any) -> Mechanism:
    r"""Return the triangular model: ``Pr("neither" | yes) = 0``, ``Pr("neither" | no) = 1 - p``.

    Instruction: *Here are two questions. Have you done it? Were you born between August and December? Tick "neither" if
    your answer to both is no, otherwise "at least one".* Here p is the share of people who are born then.

    With a share ``s`` of "at least one" the estimate is ``(s - p) / (1 - p)``, with variance ``s (1 - s) / (1 - p)^2``
    a report. A report of "neither" shows who has not done it: there is no level of LDP, and people who have done it may
    say the safe "neither".

    Parameters
    ----------
    p : float, Fraction or str
        The share of people with the harmless attribute, from 0 to 1. At 1 reports say nothing.

    Returns
    -------
    Mechanism
        Inputs "yes" and "no", outputs "neither" and "at least one".

    Raises
    ------
    DomainError
        p is no probability.

    References
    ----------
    J.-W. Yu, G.-L. Tian, M.-L. Tang, "Two New Models for Survey Sampling with Sensitive Characteristic: Design and
    Analysis", Metrika 67 (2008).

    Examples
    --------
    >>> import mechdesign as md
    >>> model = md.baselines.triangular("1/2")
    >>> round(float(model.estimate({"neither": 400, "at least one": 600}).frequencies[0]), 6), float(md.audit(model))
    (0.2, inf)
    """
    harmless = probability("p", p)
    return instructed([[Fraction(0), Fraction(1)], [1 - harmless, harmless]], OUTPUTS)
