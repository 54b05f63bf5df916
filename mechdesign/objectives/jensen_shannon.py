"""Jensen-Shannon divergence between two distributions, seen through the outputs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor, two_ends
from mechdesign.catalogue.drawn import hypotheses
from mechdesign.objectives.divergence_generators import JensenShannonGenerator
from mechdesign.objectives.f_divergence import Divergence
from mechdesign.objectives.near_one import NEAR, log_ratio, mean_entropy
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class JensenShannon(Divergence):
    r"""(1/2) sum_y p_y ln(p_y / h_y) + s_y ln(s_y / h_y) with ``h = (p + s) / 2``, in nats; maximised.

    Here ``p = first Q`` and ``s = second Q``: it is the mutual information of the output and a fair coin that chooses
    between the two, at least 0 and at most ln 2. No prior is used. Of ratio type with
    ``f(t) = (t ln t - (1 + t) ln((1 + t) / 2)) / 2``.

    Parameters
    ----------
    first, second : array_like, shape (n,)
        Distributions over the inputs, kept as given; zeros are allowed.

    Raises
    ------
    DomainError
        Vectors that are no distributions, or whose lengths differ from each other or from the number of inputs.

    Examples
    --------
    >>> import mechdesign as md
    >>> objective = md.JensenShannon(first=[1, 0], second=[0, 1])
    >>> round(objective.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)), 6)
    0.130812
    """

    card = Card(
        "Jensen-Shannon divergence of the outputs' two distributions",
        latex=r"\frac{1}{2} \sum_y \left(p_y \ln \frac{p_y}{h_y} + s_y \ln \frac{s_y}{h_y}\right), \quad h "
        r"= \frac{p + s}{2}",
        examples=(lambda rng: (JensenShannon(**hypotheses(4, rng)), Problem(n=4)),),
        sized=lambda problem, rng: JensenShannon(**hypotheses(problem.n, rng)),
        anchor=lambda: Anchor(
            JensenShannon(**two_ends()), 0.75 * math.log(3) - math.log(2), "(3/4) ln(3/2) + (1/4) ln(1/2) nats"
        ),
    )

    first: Array
    second: Array

    if TYPE_CHECKING:

        def __init__(self, first: npt.ArrayLike, second: npt.ArrayLike) -> None: ...

    unit = "nats"
    generator = JensenShannonGenerator()

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the mean of both relative entropies to the mixture."""
        p, s = self.pair(matrix)
        apart, met = self.apart(matrix), p + s > 0
        # With u = (p - s) / (p + s) each output adds ((1 + u) ln(1 + u) + (1 - u) ln(1 - u)) / 2 times its mean.
        u = apart[met] / (p + s)[met]
        near = np.abs(u) <= NEAR / 2.0
        terms = np.empty(len(u))
        # The same as f at the ratio (1 + u) / (1 - u), times (1 - u).
        terms[near] = (1.0 - u[near]) * 2.0 * mean_entropy(2.0 * u[near] / (1.0 - u[near]))
        sides, mean = np.stack([p[met], s[met]])[:, ~near], (p + s)[met][~near] / 2.0
        changes = np.outer([0.5, -0.5], apart[met][~near])
        terms[~near] = np.sum(sides * log_ratio(sides, mean + 0.0 * sides, changes), axis=0) / mean
        return float((p + s)[met] @ terms) / 4.0
