"""The crosswise model: the report says whether the sensitive and a harmless answer are the same."""

from __future__ import annotations

from typing import Any

from mechdesign.baselines.survey_designs.instructed import instructed, probability
from mechdesign.mechanism import Mechanism

OUTPUTS = ("same", "different")


def crosswise(p: Any) -> Mechanism:
    r"""Return the crosswise model: ``Pr("same" | yes) = p``, ``Pr("same" | no) = 1 - p``.

    Instruction: *Here are two questions. Have you done it? Were you born in January or February? Tick "same" if your
    answer to both is yes or to both is no, "different" if it is yes to just one.* Here p is the share of people who are
    born then, independently of what they have done.

    No device is needed and no report is the safe one. With a share ``s`` of "same" the estimate is
    ``(s - (1 - p)) / (2 p - 1)``, as in Warner's design with that p.

    Parameters
    ----------
    p : float, Fraction or str
        The share of people with the harmless attribute, from 0 to 1. At 1/2 reports say nothing.

    Returns
    -------
    Mechanism
        Inputs "yes" and "no", outputs "same" and "different".

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
    >>> model = md.baselines.crosswise("1/6")
    >>> round(float(model.estimate({"same": 700, "different": 300}).frequencies[0]), 6)
    0.2
    """
    both = probability("p", p)
    return instructed([[both, 1 - both], [1 - both, both]], OUTPUTS)
