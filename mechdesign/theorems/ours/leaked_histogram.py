"""The least histogram error under maximal leakage: the likeliest inputs are revealed, the others share an output.

Columns are mixtures of indicators of sets S, each of which takes 1 of the budget and gains ``A / s`` with
``s = P(S)`` and ``A = sum_S P_x^2``. Let p be the mass of the likeliest input but r, m that of all after it, ``a m``
the sum of their squares, ``T = m + p``, ``nu = p (m + a) / T``, and ``lam_x = P_x - nu`` for the r likeliest,
``P_x (2 P_x - p - a) / T`` for the others: the input of mass p has ``p - nu``. The sum of lam and ``(r + 1) nu`` is
what revealing r inputs gains, that of lam and ``(r + 2) nu`` what r + 1 gain, so that mixtures of both are optimal if
``A / s <= lam(S) + nu`` for all S.

If one of the r likeliest, of mass P, is in S beside others of mass t and squares B, then ``A / s - P`` is
``(B - P t) / (P + t)``, which falls with P, while ``lam - P`` is -nu: so let ``P = p``. Then S is j inputs of mass p
and others of those after it, and what is to be shown is ``f >= 0`` with
``f = A (2 s - T) + s (p (m + a) - s (p + a))``.

If ``2 s <= T`` and ``s >= p``, then ``A <= s p`` and ``f >= s (p - a) (s - p)``. If ``s < p``, then j = 0 and
``A <= s^2``, ``f >= s (p - s) (m + a - 2 s)``; where that is negative ``s^2 > a m``, as ``m + s^2 / m >= 2 s``, and
from ``A <= a m`` follows ``f >= (m - s) (p (s - a) - a (m - s)) >= (m - s) (s^2 - a m)``.

If ``2 s > T``, let d be the mass of those after p that are not in S, B their squares. Then ``f`` is
``(p - a) (j p - d) ((j - 1) p - d) + (p d - B) (2 s - T)``, where ``B <= p d``: at least 0 unless
``(j - 1) p < d < j p``. There ``B <= (j - 1) p^2 + (d - (j - 1) p)^2``, and
``f >= (d - (j - 1) p) (j p - d) (m + a + 2 (j - 1) p - 2 d)``, at least 0 for j > 1 as ``d <= m`` and
``d <= 2 (j - 1) p``. For j = 1 it is, unless ``2 d > m + a``; then ``d^2 > a m`` and ``B <= a m``, so that
``f >= (m - d) (p (d - a) - a (m - d)) >= (m - d) (d^2 - a m)``.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from mechdesign.notions import MaximalLeakage
from mechdesign.objectives import HistogramMMSE
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real, Whole


def sharing(prior: Array, revealed: int) -> Array:
    """Return the mechanism that reveals some of the likeliest inputs, the others sharing an output, shape (n, n)."""
    matrix = np.zeros((len(prior), len(prior)))
    for place, x in enumerate(np.argsort(-prior, kind="stable")):
        matrix[x, min(place, revealed)] = 1.0
    return matrix


def left(prior: Array, revealed: int) -> float:
    """Return the histogram error of that mechanism: of the others, their mass less the mean of their probabilities."""
    others = np.sort(prior)[: max(len(prior) - revealed, 0)]
    return float(others.sum() - (others**2).sum() / others.sum()) if len(others) else 0.0


def published(question: Question) -> Published:
    """Return the mixture of the two mechanisms whose leakages are nearest to epsilon, with its error."""
    prior, ratio = question.problem.required_prior, float(np.exp(question.notion.parameter))
    whole = min(int(ratio), len(prior))
    share = min(ratio, len(prior)) - whole
    mixed = np.hstack([(1.0 - share) * sharing(prior, whole - 1), share * sharing(prior, whole)])
    return Published(mixed, (1.0 - share) * left(prior, whole - 1) + share * left(prior, whole))


def asked(point: Point) -> Question:
    """Return the point's question."""
    return Question(Problem(prior=point.prior), MaximalLeakage(point.epsilon), HistogramMMSE())


LEAKED_HISTOGRAM = Theorem(
    key="ours/histogram-maximal-leakage",
    place="histogram error under maximal leakage",
    kind="exact optimum",
    words=(
        "Under maximal leakage at ln k, k a whole number, revealing the k - 1 likeliest inputs while all others share "
        "an output has the least histogram error; between two such levels a mixture of both mechanisms has, so that "
        "the error is linear in e^epsilon there."
    ),
    latex=r"m_k - \frac{\sum_{x \ge k} P_x^2}{m_k}, \quad m_k = \sum_{x \ge k} P_x, \quad P_1 \ge \ldots \ge P_n",
    origin="not published, as far as we know; proved at the head of its file",
    family=Family(
        {"n": Whole(2, 6), "epsilon": Real(0.02, 2.0), "prior": Distribution("n", least=0.002)}, subject=asked
    ),
    printed=published,
    # At full disclosure the error is zero, and what the difference of its terms leaves is rounding.
    test=partial(is_optimal, scale=0.1),
)
