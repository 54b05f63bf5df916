"""Relative entropy between two distributions, seen through the outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.objectives.divergence_generators import KLGenerator
from mechdesign.objectives.f_divergence import Divergence
from mechdesign.objectives.near_one import NEAR, entropy_change, log_ratio
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class KLDivergence(Divergence):
    r"""sum_y p_y ln(p_y / s_y) with ``p = first Q`` and ``s = second Q``, in nats; maximised. No prior is used.

    It is the exponent at which a test of `second` against `first` stops erring (Stein). Of ratio type with
    ``f(t) = t ln t``; infinite where an output has ``s_y = 0 < p_y``, and refused where a notion allows that.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Distributions over the inputs, kept as given; zeros are allowed.

    Raises
    ------
    DomainError
        Vectors that are no distributions, or whose lengths differ from each other or from the number of inputs.

    References
    ----------
    Y. Yoshida, M.-H. Yung, M. Hayashi, "Optimal Mechanism for Randomized Responses under Universally Composable
    Security Measure", IEEE ISIT 2019, Section V, after eq. (20).

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.KLDivergence(first=[1, 0], second=[0, 1])
    >>> round(objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)), 6)
    0.549306
    """

    card = Card(
        "Kullback-Leibler divergence of the outputs' two distributions",
        latex=r"\sum_y p_y \ln \frac{p_y}{s_y}",
        search=("hypothesis testing",),
        works=("yoshida",),
        examples=(lambda rng: (KLDivergence(**hypotheses(4, rng)), Problem(n=4)),),
        sized=lambda problem, rng: KLDivergence(**hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(KLDivergence(**two_ends()), math.log(3) / 2, "(3/4 - 1/4) ln 3 nats"),
    )

    first: Array
    second: Array

    if TYPE_CHECKING:

        def __init__(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    unit = "nats"
    generator = KLGenerator()

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the mean log-likelihood ratio under `first`, infinite where `second` excludes what it gives."""
        p, s = self.pair(matrix)
        given = p > 0
        if np.any(s[given] == 0):
            return float("inf")
        # p ln(p / s) - p + s is never negative, and both distributions sum to one: nothing cancels between outputs.
        apart, p, rest = self.apart(matrix)[given], p[given], float(s[~given].sum())
        s = s[given]
        near = np.abs(apart) <= NEAR * s
        far = ~near
        logs = log_ratio(p[far], s[far], apart[far])
        terms = float(np.sum(s[near] * entropy_change(apart[near] / s[near])))
        return terms + float(np.sum(p[far] * logs - apart[far])) + rest
