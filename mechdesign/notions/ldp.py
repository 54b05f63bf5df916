"""Local differential privacy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level, twice_the_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, randomised_response
from mechdesign.catalogue.odds import of_every_pair
from mechdesign.catalogue.promises import times
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.ratio_in_blocks import RatioInBlocks
from mechdesign.notions.base import Level, Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    said = times(notion.epsilon, f"any two {of.values}")
    if problem.is_hidden:
        return said
    return f"{said} People who see a report change their odds between the two by no more, whatever they know besides."


@dataclass(frozen=True)
class LDP(Notion):
    r"""Pr(y | s) <= e^epsilon Pr(y | s') for all secrets s, s' and outputs y; epsilon in nats.

    With a hidden secret, ``Pr(y | s) = sum_x W[s, x] Q[x, y]``; otherwise the secret is the input.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. At 0 only mechanisms that ignore the secret remain.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite.

    Notes
    -----
    The extreme rays are ``1 + (e^epsilon - 1) 1_S`` for the sets S of inputs; there are ``2^n`` of them.

    References
    ----------
    J. Duchi, M. Jordan, M. Wainwright, "Local Privacy and Statistical Minimax Rates", IEEE FOCS 2013.

    S.-H. Nam, H.-Y. Park, S.-H. Lee, "Optimal Privacy-Utility Trade-Offs in LDP: Functional and Geometric
    Perspectives", arXiv 2605.02319 (2026), for extreme rays as maximal channels.

    B. Jiang, M. Li, R. Tandon, "Context-aware Data Aggregation with Localized Information Privacy", IEEE CNS 2018,
    Definition 1.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(n=2)
    >>> round(md.LDP(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value, 6)
    1.098612
    """

    card = Card(
        "local differential privacy",
        r"\Pr(y \mid s) \le e^{\epsilon} \Pr(y \mid s^{\prime}) \quad \text{for all } s, s^{\prime}, y",
        means="For any two inputs the probabilities of every output differ at most by the factor e^epsilon; no "
        "prior is needed.",
        usual="the usual choice: nothing has to be known of the answers",
        search=("local privacy", "local model", "PRAM", "epsilon", "staircase mechanism"),
        works=("duchi2013", "jiang_lip", "nam2026"),
        promise=_promise,
        odds=of_every_pair,
        adds_up="level",
        implied_by=(
            Rule("LIP", twice_the_level, "Jiang, Li, Tandon 2018, Theorem 1"),
            Rule("WorstCaseLIP", same_level, "Jiang, Li, Tandon 2019, Theorem 1"),
        ),
        examples=(
            lambda rng: (LDP(0.3), random_problem(4, rng)),
            lambda rng: (LDP(2.0), Problem(n=3)),
            lambda rng: (LDP(1.0), random_problem(3, rng, secrets=3)),
            lambda rng: (LDP(0.7), random_problem(4, rng, secrets=2)),
        ),
        edge=lambda: Edge(LDP(1.0), Problem(n=2), *randomised_response(1.0)),
    )

    epsilon: float
    closed_under_preprocessing = True

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors whose entries have ratios up to ``e^epsilon``."""
        return RatioInBlocks.of_all(problem.secrets, self.epsilon)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln v_s(y) - ln v_s'(y)``; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        high, low = seen.argmax(axis=0), seen.argmin(axis=0)
        used = np.flatnonzero(seen.max(axis=0) > 0)
        ratios = np.zeros(seen.shape[1])
        with np.errstate(divide="ignore"):
            ratios[used] = np.log(seen[high[used], used]) - np.log(seen[low[used], used])
        worst = int(ratios.argmax())
        return Level(float(ratios[worst]), (int(high[worst]), int(low[worst])), worst)


def is_ldp_of_inputs(notion: object, problem: Problem) -> TypeGuard[LDP]:
    """Return whether the notion is LDP and the secret the input itself: any set of inputs may have the ratio e^epsilon.

    Examples
    --------
    >>> import mechdesign as md
    >>> is_ldp_of_inputs(md.LDP(1.0), md.Problem(n=2)), is_ldp_of_inputs(md.MaxLift(1.0), md.Problem(n=2))
    (True, False)
    """
    return isinstance(notion, LDP) and notion.columns(problem).banded


def at_own_epsilon(notion: Any, problem: Problem) -> LDP:
    """Return LDP at the epsilon of a notion that it implies at the same level."""
    return LDP(notion.epsilon)
