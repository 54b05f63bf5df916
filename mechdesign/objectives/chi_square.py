"""Chi-square divergence between two distributions, seen through the outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.objectives.divergence_generators import ChiSquareGenerator
from mechdesign.objectives.f_divergence import Divergence
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class ChiSquare(Divergence):
    r"""sum_y (p_y - s_y)^2 / s_y with ``p = first Q`` and ``s = second Q``; maximised. No prior is used.

    Of ratio type with ``f(t) = (t - 1)^2``; infinite where an output has ``s_y = 0 < p_y``, and refused where a notion
    allows that.

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
    Security Measure", IEEE ISIT 2019, Section V, before eq. (20), with ``f(x) = (x - 1)^2``.

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.ChiSquare(first=[1, 0], second=[0.5, 0.5])
    >>> objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2))
    0.25
    """

    card = Card(
        "chi-square divergence of the outputs' two distributions",
        latex=r"\sum_y \frac{(p_y - s_y)^2}{s_y}",
        works=("yoshida",),
        examples=(lambda rng: (ChiSquare(**hypotheses(3, rng)), Problem(n=3)),),
        sized=lambda problem, rng: ChiSquare(**hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(ChiSquare(**two_ends()), 4 / 3, "(1/2)^2 / (1/4) + (1/2)^2 / (3/4)"),
    )

    first: Array
    second: Array

    if TYPE_CHECKING:

        def __init__(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    unit = "variance of the likelihood ratio"
    generator = ChiSquareGenerator()

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the sum of squared differences over `second`, infinite where it excludes what `first` gives."""
        p, s = self.pair(matrix)
        if np.any(p[s == 0] > 0):
            return float("inf")
        given = s > 0
        return float(np.sum(np.square(self.apart(matrix)[given]) / s[given]))
