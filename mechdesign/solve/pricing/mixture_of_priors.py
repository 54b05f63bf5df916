"""A bound on the mean information over priors: the information at their mixture, or at a prior near to it."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from mechdesign.notions import Notion
from mechdesign.objectives.information_over_priors import InformationOverPriors
from mechdesign.problem import Problem


def at_mixture(notion: Notion, mean: InformationOverPriors, problem: Problem) -> tuple[Problem, float] | None:
    """Return a problem under whose prior a column carries no less information, and by how much less it may, in nats.

    Information is concave in the prior, and at the mixture p of the priors it is the mean or more. Where the problem's
    own prior P cannot be replaced, it is asked at P, and a column v of mass m is allowed what the slope there gains
    towards p, ``sum_x (p_x - P_x) v_x ln(v_x / m)``, for each unit of the slice; the rest of the slope, ``-sum_x (p_x -
    P_x) v_x``, adds up to nothing over the columns of a mechanism. None where an input has no
    probability at the mixture, or the datum is not the input.

    Examples
    --------
    >>> import mechdesign as md
    >>> mean = md.MeanInformation([[0.5, 0.5], [0.25, 0.75]])
    >>> at_mixture(md.LDP(1.0), mean, md.Problem(n=2))
    (Problem(n=2, prior=[0.375, 0.625]), 0.0)
    """
    if problem.data_of_input is not None or (problem.is_hidden and problem.prior is None):
        return None
    mixed = mean.shares @ (mean.priors / mean.priors.sum(axis=1, keepdims=True))
    if not mixed.min() >= np.finfo(float).tiny:
        return None
    if not keeps_prior(notion, problem):
        return replace(problem, prior=mixed / mixed.sum()), 0.0
    stated, normal = problem.required_prior, notion.columns(problem).normal
    if not normal.min() > 0:
        return None
    more = mixed - stated
    # Of a lift v_x / m, which is at most 1 / P_x, and v ln(m / v) is at most m / e.
    gained = float((np.maximum(more, 0.0) * -np.log(stated) / normal).max())
    lost = float(np.maximum(-more, 0.0).sum()) / math.e * float((stated / normal).max())
    return problem, gained + lost + abs(math.fsum(more))


def keeps_prior(notion: Notion, problem: Problem) -> bool:
    """Return whether the columns are allowed by the problem's own prior: of the inputs, or of a secret."""
    return notion.needs_prior or problem.is_hidden
