"""Total variation between two distributions, seen through the outputs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.objectives.divergence_generators import TotalVariationGenerator
from mechdesign.objectives.f_divergence import Divergence
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class TotalVariation(Divergence):
    r"""``(1/2) sum_y |p_y - s_y|`` with ``p = first Q`` and ``s = second Q``, a probability; maximised.

    One test between the two, equally likely, errs with probability ``(1 - TV) / 2``. Of ratio type with
    ``f(t) = |t - 1| / 2``.

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
    Security Measure", IEEE ISIT 2019, Section I (with the factor 1/2).

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.TotalVariation(first=[1, 0], second=[0, 1])
    >>> objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2))
    0.5
    """

    card = Card(
        "total variation between the outputs' two distributions",
        latex=r"\frac{1}{2} \sum_y \left|p_y - s_y\right|",
        search=("hypothesis testing",),
        works=("yoshida",),
        examples=(lambda rng: (TotalVariation(**hypotheses(4, rng)), Problem(n=4)),),
        sized=lambda problem, rng: TotalVariation(**hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(TotalVariation(**two_ends()), 0.5, "3/4 - 1/4"),
    )

    first: Array
    second: Array

    if TYPE_CHECKING:

        def __init__(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    unit = "probability"
    generator = TotalVariationGenerator()

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return by how much `first` exceeds `second`, summed over the outputs where it does."""
        return float(np.maximum(self.apart(matrix), 0.0).sum())
