"""Maximal leakage."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, largest_entries
from mechdesign.catalogue.promises import factor, rare
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.peaks import Peaks
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.ldp import LDP
from mechdesign.notions.max_lift import lifted_or_ldp
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"On average over reports, the probability of guessing {of.it}, or anything that follows from it, grows by "
        f"a factor of at most {factor(notion.epsilon)}, whatever the prior.{rare(notion, of)}"
    )


@dataclass(frozen=True)
class MaximalLeakage(Notion):
    r"""ln sum_y max_s Pr(y | s) <= epsilon over the secrets s; epsilon in nats.

    With a hidden secret ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input. The output raises the
    probability of guessing any function of the secret by a factor of at most ``e^epsilon``, whatever the prior.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. From ``ln k`` on it says nothing of a secret of k values.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite.

    Notes
    -----
    One budget, linear where one secret has the largest entry: the rays are the indicators of the nonempty sets of
    inputs, and each takes 1 of it.

    References
    ----------
    I. Issa, A. B. Wagner, S. Kamath, "An Operational Approach to Information Leakage", IEEE Transactions on Information
    Theory 66 (2020).

    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), Section I.

    Examples
    --------
    >>> import mechdesign as md
    >>> round(md.MaximalLeakage(1.0).level([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)).value, 6)
    0.405465
    """

    card = Card(
        "maximal leakage",
        r"\ln \sum_y \max_s \Pr(y \mid s) \le \epsilon",
        means="ln sum_y max_x Pr(y | x): ln of the mean over the outputs of e^(pointwise maximal leakage), never "
        "more than its largest.",
        search=("maximal alpha-leakage", "quantitative information flow", "Sibson mutual information", "g-leakage"),
        works=("issa2020", "zamani"),
        promise=_promise,
        adds_up="level",
        implied_by=(
            Rule("MaxLift", same_level, "the largest entry of a column is at most e^epsilon times its mass"),
            Rule("LIP", same_level, "the largest entry of a column is at most e^epsilon times its mass"),
            Rule("LDP", same_level, "the largest entry of a column is at most e^epsilon times its mass"),
        ),
        stronger=lifted_or_ldp,
        examples=(
            lambda rng: (MaximalLeakage(0.4), random_problem(4, rng)),
            lambda rng: (MaximalLeakage(0.8), Problem(n=3)),
            lambda rng: (MaximalLeakage(0.2), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: MaximalLeakage(0.3),
        edge=lambda: Edge(MaximalLeakage(0.5), Problem(n=2), *largest_entries(0.5)),
    )

    epsilon: float
    closed_under_preprocessing = True

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors with a bound on the sum of their largest entries."""
        return Peaks(problem.secrets, self.epsilon)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return ``ln sum_y max_s v_s(y)``; its witness is the output whose maximum exceeds its minimum most."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        # Against one secret's own distribution, which sums to one: next to no leakage is not lost in rounding.
        excess = seen.max(axis=0) - seen[0]
        spread = seen.max(axis=0) - seen.min(axis=0)
        output = int(spread.argmax())
        secrets = (int(seen[:, output].argmax()), int(seen[:, output].argmin()))
        return Level(math.log1p(math.fsum(excess)), secrets, output)
