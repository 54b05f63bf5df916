"""Forced response: a random device decides for some what they say, whatever the truth."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from mechdesign.baselines.survey_designs.instructed import ATTRIBUTE, instructed, probability, several
from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.parameters.columns import has_labels
from mechdesign.problem import Problem


def forced_response(yes: Any, no: Any = None) -> Mechanism:
    r"""Return the forced-response design: ``Q[x, y] = f_y + (1 - sum f) 1{x = y}``, f_y the share forced to say y.

    Instruction: *Throw a die, unseen. On a 1 say "no", on a 6 say "yes", on anything else say the truth.* Here
    f_yes = f_no = 1/6.

    With a share ``s`` of y, the estimate is ``(s - f_y) / (1 - sum f)``, with variance ``s (1 - s) / (1 - sum f)^2`` a
    report. The level of LDP is ``max_y ln(1 + (1 - sum f) / f_y)`` nats, infinite if some answer is never forced and
    there are others.

    Parameters
    ----------
    yes : float, Fraction or str; or mapping or Series
        The probability of being forced to say "yes"; or of several answers by their names, which are then the answers.
    no : float, Fraction or str, optional
        The probability of being forced to say "no"; beside a number alone.

    Returns
    -------
    Mechanism
        Inputs and outputs "yes" and "no", or the names of the mapping.

    Raises
    ------
    DomainError
        What is no probability; probabilities that sum to one or more; a number without the other one.

    References
    ----------
    R. F. Boruch, "Assuring Confidentiality of Responses in Social Research: A Note on Strategies", The American
    Sociologist 6 (1971).

    J. A. Fox, P. E. Tracy, "Randomized Response: A Method for Sensitive Surveys", Sage 1986.

    Examples
    --------
    >>> import mechdesign as md
    >>> die = md.baselines.forced_response("1/6", "1/6")
    >>> round(float(die.estimate({"yes": 300, "no": 700}).frequencies[0]), 6), round(float(md.audit(die)), 6)
    (0.2, 1.609438)
    >>> md.baselines.forced_response({"never": 0.125, "rarely": 0.125, "often": 0.25}).matrix[0].tolist()
    [0.625, 0.125, 0.25]
    """
    if isinstance(yes, Mapping) or has_labels(yes):
        if no is not None:
            raise DomainError("no", no, "a mapping has the probabilities of all answers", "leave it out")
        forced = several("yes", yes)
    elif no is None:
        raise DomainError("no", None, "two answers have two probabilities", "give both, or a mapping of several")
    else:
        forced = dict(zip(ATTRIBUTE, (probability("yes", yes), probability("no", no)), strict=True))
    free = 1 - sum(forced.values(), Fraction())
    if free <= 0:
        rule = "nobody is left who says the truth"
        raise DomainError("yes", f"of sum {float(1 - free)!r} with the others", rule, "give smaller probabilities")
    rows = [[chance + (free if x == y else 0) for y, chance in forced.items()] for x in forced]
    return instructed(rows, tuple(forced), Problem(labels=tuple(forced)))
