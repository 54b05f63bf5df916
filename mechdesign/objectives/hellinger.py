"""Squared Hellinger distance between two distributions, seen through the outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.objectives.divergence_generators import HellingerGenerator
from mechdesign.objectives.f_divergence import Divergence
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class Hellinger(Divergence):
    r"""1 - sum_y sqrt(p_y s_y) with ``p = first Q`` and ``s = second Q``, between 0 and 1; maximised. No prior is used.

    Of ratio type with ``f(t) = (sqrt(t) - 1)^2 / 2``, which has the same sum.

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
    Security Measure", IEEE ISIT 2019, Section V, before eq. (20), with ``f(x) = 1 - sqrt(x)``.

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.Hellinger(first=[1, 0], second=[0, 1])
    >>> round(objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)), 6)
    0.133975
    """

    card = Card(
        "squared Hellinger distance of the outputs' two distributions",
        latex=r"1 - \sum_y \sqrt{p_y s_y}",
        works=("yoshida",),
        examples=(lambda rng: (Hellinger(**hypotheses(3, rng)), Problem(n=3)),),
        sized=lambda problem, rng: Hellinger(**hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(Hellinger(**two_ends()), 1 - math.sqrt(3) / 2, "1 - 2 sqrt(3) / 4"),
    )

    first: Array
    second: Array

    if TYPE_CHECKING:

        def __init__(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    unit = "between 0 and 1"
    generator = HellingerGenerator()

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return half the squared distance of the square roots, a form of the value without cancellation."""
        p, s = self.pair(matrix)
        roots = np.sqrt(p) + np.sqrt(s)
        return float(np.sum(np.divide(self.apart(matrix), roots, out=np.zeros(len(p)), where=roots > 0) ** 2) / 2.0)
