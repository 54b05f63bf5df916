"""Invariant post-randomisation: categories are replaced at random, and their frequencies stay as they are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from mechdesign.baselines.survey_designs.instructed import instructed, probability
from mechdesign.errors import DomainError
from mechdesign.mechanism import Mechanism
from mechdesign.parameters.labels import named
from mechdesign.problem import Problem
from mechdesign.question.given import required


def invariant_pram(problem: Problem, share: Any) -> Mechanism:
    r"""Return the invariant post-randomisation matrix: ``Q[x, x] = 1 - s t / P_x``, ``Q[x, y] = s t / ((n - 1) P_x)``.

    t is the least frequency, so that a share s of the rarest category is replaced and of every other one less. Then
    ``P Q = P``: expected frequencies in the published file are those of the original one, and need no estimate.

    Parameters
    ----------
    problem : Problem
        Its prior P has the frequencies of the file; at least two categories.
    share : float, Fraction or str
        The share s of the rarest category that is replaced, from 0 to 1.

    Returns
    -------
    Mechanism
        Inputs and outputs are the categories.

    Raises
    ------
    DomainError
        A problem without a prior, or with one category; a share that is no probability.

    References
    ----------
    J. Gouweleeuw, P. Kooiman, L. Willenborg, P.-P. de Wolf, "Post Randomisation for Statistical Disclosure Control:
    Theory and Implementation", Journal of Official Statistics 14 (1998).

    Examples
    --------
    >>> import mechdesign as md
    >>> file = md.Problem.from_counts({"employed": 600, "looking": 200, "studying": 200})
    >>> made = md.baselines.invariant_pram(file, "1/2")
    >>> (file.prior @ made.matrix).round(9).tolist(), made.matrix[1].tolist()
    ([0.6, 0.2, 0.2], [0.25, 0.5, 0.25])
    """
    known, replaced = required("problem", problem, Problem), probability("share", share)
    if known.n < 2:
        raise DomainError("problem", "of one category", "there is nothing to replace it by", "give two or more")
    prior = [Fraction(each) for each in known.required_prior.tolist()]
    least = min(prior)
    if least <= 0:
        raise DomainError("problem.prior", "with a category that nobody has", "frequencies are above 0", "leave it out")
    moved = [replaced * least / each for each in prior]
    rows = [[1 - away if x == y else away / (known.n - 1) for y in range(known.n)] for x, away in enumerate(moved)]
    return instructed(rows, named(known.labels, known.n), known)
