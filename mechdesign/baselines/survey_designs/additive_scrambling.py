"""Additive scrambling: a number is reported with a random number added to it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mechdesign.baselines.survey_designs.instructed import instructed, several, to_one
from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.parameters import checks
from mechdesign.parameters.written_numbers import written
from mechdesign.problem import Problem
from mechdesign.problem.given_matrix import exact_number

#: A matrix of more reports is none to be printed and filled in.
MOST_REPORTS = 10_000


def additive_scrambling(values: Any, noise: Any) -> Mechanism:
    r"""Return additive scrambling of a number: ``Q[x, y] = Pr(noise = y - x)``.

    Instruction: *Draw a card, unseen, and add the number on it to your answer.* The answer is one of `values`.

    The mean of the answers is the mean of the reports less the mean of the noise, with the variances of both added.
    The least and the largest report show the answer, so that there is no level of LDP.

    Parameters
    ----------
    values : array_like, shape (n,)
        The answers, distinct finite numbers.
    noise : mapping or Series
        From the numbers that are added to their probabilities, which sum to 1.

    Returns
    -------
    Mechanism
        Inputs are the values, outputs the sums, in increasing order.

    Raises
    ------
    DomainError
        Values that are not distinct finite numbers; noise without names, or whose names are no numbers, or whose
        probabilities do not sum to 1.

    References
    ----------
    K. H. Pollock, Y. Bek, "A Comparison of Three Randomized Response Models for Quantitative Data", Journal of the
    American Statistical Association 71 (1976).

    Examples
    --------
    >>> import mechdesign as md
    >>> cards = md.baselines.additive_scrambling([0, 1, 2], {0: "1/4", 1: "1/2", 2: "1/4"})
    >>> cards.outputs, cards.matrix[0].tolist()
    (('0', '1', '2', '3', '4'), [0.25, 0.5, 0.25, 0.0, 0.0])
    """
    answers = _exactly("values", checks.vector("values", values).tolist())
    if len(set(answers)) < len(answers):
        raise DomainError("values", values, "answers are distinct", "leave out what is there twice")
    chances = to_one("noise", several("noise", noise))
    added = dict(zip(_exactly("noise", chances), chances.values(), strict=True))
    reports = sorted({answer + each for answer in answers for each in added})
    if len(reports) > MOST_REPORTS:
        rule = f"there are more than {MOST_REPORTS} sums of an answer and a number"
        raise DomainError("noise", f"with {len(added)} numbers", rule, "round answers and noise to one grid")
    rows = [[added.get(report - answer, Fraction()) for report in reports] for answer in answers]
    names = [written(float(report)) for report in reports]
    return instructed(rows, names, Problem(values=[float(answer) for answer in answers]))


def _exactly(argument: str, numbers: Any) -> list[Fraction]:
    """Return numbers as people write them, exactly: 0.1 is a tenth, so that sums that look equal are."""
    return [exact_number(written(each) if isinstance(each, float) else each, argument) for each in numbers]
