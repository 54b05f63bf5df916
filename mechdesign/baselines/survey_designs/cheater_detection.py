"""The cheater detection model: two samples estimate how many say "no" whatever the device says."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mechdesign.baselines.survey_designs.instructed import ATTRIBUTE, instructed, probability
from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.problem import Problem

INPUTS = ("yes", "no", "cheats")


def cheater_detection(p: Any, q: Any, *, first: Any = "1/2") -> Mechanism:
    r"""Return the cheater detection model: people who are honest with "yes", honest with "no", or always say "no".

    Instruction: *Throw a die, unseen. On a 6 (probability p in the first sample, q in the second) say "yes", otherwise
    say the truth.* Cheaters say "no" without looking.

    With shares ``s`` and ``t`` of "yes" in the two samples, the honest "no" are ``b = (t - s) / (q - p)`` of all, and
    the honest "yes" ``s - p b``; the rest cheats. Who has the attribute is between the second and the sum of the second
    and the third.

    Parameters
    ----------
    p, q : float, Fraction or str
        The probability of being forced to say "yes" in the first and in the second sample, from 0 to 1; not equal.
    first : float, Fraction or str
        The probability that a person is in the first sample.

    Returns
    -------
    Mechanism
        Inputs "yes", "no" and "cheats", outputs "1: yes", "1: no", "2: yes" and "2: no".

    Raises
    ------
    DomainError
        What is no probability; p and q equal.

    References
    ----------
    S. J. Clark, R. A. Desharnais, "Honest Answers to Embarrassing Questions: Detecting Cheating in the Randomized
    Response Model", Psychological Methods 3 (1998).

    Examples
    --------
    >>> import mechdesign as md
    >>> die = md.baselines.cheater_detection("1/6", "5/6")
    >>> found = die.estimate({"1: yes": 180, "1: no": 420, "2: yes": 420, "2: no": 180})
    >>> found.frequencies.round(6).tolist()
    [0.2, 0.6, 0.2]
    """
    forced = probability("p", p), probability("q", q)
    if forced[0] == forced[1]:
        raise DomainError("q", q, "samples alike do not separate cheaters from an honest no", "give another q than p")
    share = probability("first", first)
    of_sample = (share, 1 - share)
    rows = [
        [part for chance, yes in zip(of_sample, said, strict=True) for part in (chance * yes, chance * (1 - yes))]
        for said in ((Fraction(1), Fraction(1)), forced, (Fraction(0), Fraction(0)))
    ]
    return instructed(
        rows, [f"{sample}: {answer}" for sample in (1, 2) for answer in ATTRIBUTE], Problem(labels=INPUTS)
    )
