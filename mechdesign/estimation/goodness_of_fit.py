r"""Whether reports fit the design: the likelihood-ratio test that their law is ``theta Q`` for some population theta.

With f the shares of N reports and q the law of the likeliest population, ``G = 2 N sum_y f_y ln(f_y / q_y)``. The laws
that a design gives are the polytope of the rows of Q, so that G also measures the distance from it where Q is square.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mechdesign.estimation.likelihood import Likeliest, likeliest
from mechdesign.estimation.sampling import Indices
from mechdesign.parameters.checks import Array
from mechdesign.runtime.threads import blas_limited
from mechdesign.tolerances import ROUNDING

Test = Literal["exact", "chi-square", "pooled"]

#: Reports that would fit worse less often than this are said not to fit.
UNLIKELY = 1e-3

#: Outputs that expect fewer reports are pooled: the chi-square law needs some of each.
EXPECTED = 5.0

#: Pools are no more than this, so that the test takes milliseconds of thousands of outputs.
POOLS = 200

#: The log-likelihood of the nearest law may miss the largest by this, in nats per report.
NEAR = 1e-9


@dataclass(frozen=True)
class GoodnessOfFit:
    """A test of whether the reports can come from the mechanism, whatever the population; ``Estimate.fit`` returns it.

    The null hypothesis is that each report has the law ``theta Q`` for one population theta. Three tests are used:

    - "exact", for mechanisms of two outputs: the largest probability, over all populations, of a likelihood ratio as
      large as the observed one. It is attained at one of the two extreme laws, as binomial laws are unimodal.
    - "chi-square", where every output expects 5 reports or more: G, divided by Williams' correction, has about a
      chi-square law of m - r degrees, m the number of outputs and r the rank of the rows of Q on whose face the
      nearest law lies. Given that face the test is valid at its boundary too (Wollan and Dykstra).
    - "pooled", elsewhere: outputs that expect few reports are pooled for that test. Beside it stands the test of each
      output alone, whose probability lies between the ends of its column, by binomial tails and Bonferroni's
      inequality; the p-value is twice the smaller one.

    A chi-square p-value is an approximation, and of a very small one only the magnitude counts. `bound` is no
    approximation: it is twice the smaller of Agrawal's bound ``e^-g (e g / (m - 1))^(m - 1)`` with ``g = G / 2``, which
    holds of every fixed law and so of the nearest one, and of the test of single outputs.

    Attributes
    ----------
    statistic : float
        G in nats, that of the pooled outputs under "pooled"; 0 where some population has exactly the observed shares.
    degrees : int
        Degrees of freedom; 0 where the nearest law is the observed one, as of a square matrix inside of the polytope.
    p_value : float
        The probability of reports that fit no better, if the mechanism drew them.
    bound : float
        At most this is that probability, for any number of reports.
    method : {"exact", "chi-square", "pooled"}
        Which test gave the p-value.

    References
    ----------
    R. Agrawal, "Finite-Sample Concentration of the Multinomial in Relative Entropy", IEEE Transactions on Information
    Theory 66 (2020).

    P. C. Wollan, R. L. Dykstra, "Conditional Tests with an Order Restriction as a Null Hypothesis", Advances in Order
    Restricted Statistical Inference, Springer 1986.

    D. A. Williams, "Improved Likelihood Ratio Tests for Complete Contingency Tables", Biometrika 63 (1976).

    Examples
    --------
    Under Warner's design with p = 0.7 at least 30 % say yes, whatever the truth; here 3 of 300 did.

    >>> found = goodness_of_fit(np.array([[0.7, 0.3], [0.3, 0.7]]), np.array([3, 297]), rank=2)
    >>> found.method, f"{found.p_value:.1e}", found.fits
    ('exact', '1.2e-41', False)
    """

    statistic: float
    degrees: int
    p_value: float
    bound: float
    method: Test

    @property
    def fits(self) -> bool:
        """Whether the p-value is at least 0.001."""
        return self.p_value >= UNLIKELY

    def sentence(self) -> str:
        """Return what a misfit means, in words."""
        proved = f"at most {self.bound:.1e}" if self.bound > 0.0 else _written(0.0)
        how = "exact" if self.method == "exact" else f"approximate; proved to be {proved}"
        odds = f"whatever the population, they would fit as badly with probability {_written(self.p_value)} ({how})"
        causes = "outputs in another order, reports of another mechanism, or people who did not follow the instruction"
        return f"The reports do not fit the design: {odds}. Usual causes: {causes}."


@blas_limited(1)
def goodness_of_fit(matrix: Array, counts: Indices, rank: int, found: Likeliest | None = None) -> GoodnessOfFit:
    """Return the test of the reports of each output against the laws that the rows of a matrix, shape (n, m), span.

    The likeliest population is computed if it is not given. Outputs that the matrix never gives have no reports.
    """
    given = matrix.any(axis=0)
    rows, seen = matrix[:, given], counts[given]
    if len(seen) < 2:
        return GoodnessOfFit(0.0, 0, 1.0, 1.0, "exact")
    if len(seen) == 2:
        statistic, p_value = _binomial(rows, seen)
        return GoodnessOfFit(statistic, int(statistic > 0.0), p_value, p_value, "exact")
    best = found or likeliest(rows, seen / seen.sum(), NEAR)
    full = rank == len(rows)
    expected = best.theta @ rows * seen.sum()
    statistic = _ratio(expected, seen, best.gap)
    alone = _single_outputs(rows, seen)
    bound = min(1.0, 2.0 * min(_agrawal(statistic / 2.0, len(seen) - 1), alone))
    if expected.min() >= EXPECTED:
        degrees = len(seen) - _face_rank(rows, seen, best.theta, full)
        return GoodnessOfFit(statistic, degrees, _chi_square(statistic, degrees, expected), bound, "chi-square")
    pooled, p_value, degrees = _pooled(rows, seen, expected)
    return GoodnessOfFit(pooled, degrees, min(1.0, 2.0 * min(p_value, alone)), bound, "pooled")


def _ratio(expected: Array, counts: Indices, gap: float) -> float:
    """Return a lower bound on G of the nearest law, from a population of nearly the largest likelihood."""
    from scipy.special import kl_div

    total = float(counts.sum())
    missed = gap + 4.0 * np.finfo(float).eps
    return max(0.0, 2.0 * float(kl_div(counts, expected).sum()) - 2.0 * total * missed)


def _face_rank(rows: Array, counts: Indices, theta: Array, full: bool) -> int:
    """Return the rank of the rows on the face of the nearest law: those towards which the likelihood does not fall."""
    law = theta @ rows
    slack = 1.0 - rows @ np.divide(counts / counts.sum(), law, out=np.zeros_like(law), where=law > 0)
    face = theta > slack
    # Of independent rows the rank is their number.
    return int(np.count_nonzero(face)) if full else int(np.linalg.matrix_rank(rows[face], tol=ROUNDING))


def _chi_square(statistic: float, degrees: int, expected: Array) -> float:
    from scipy.special import chdtrc

    if degrees <= 0:
        return 1.0
    total = float(expected.sum())
    williams = 1.0 + (float((total / expected).sum()) - 1.0) / (6.0 * total * (len(expected) - 1))
    return float(chdtrc(degrees, statistic / williams))


def _pooled(rows: Array, counts: Indices, expected: Array) -> tuple[float, float, int]:
    """Return G, its p-value and its degrees once outputs that expect few reports are taken together."""
    group = _groups(expected, rows)
    pools = int(group.max()) + 1
    if pools < 2:
        return 0.0, 1.0, 0
    few, seen = np.zeros((len(rows), pools)), np.zeros(pools)
    np.add.at(few.T, group, rows.T)
    np.add.at(seen, group, counts)
    whole = seen.astype(np.int64)
    # Inputs whose outputs fell into one group are alike now.
    few = few[np.unique(few.round(15), axis=0, return_index=True)[1]]
    if pools == 2:
        statistic, p_value = _binomial(few, whole)
        return statistic, p_value, int(statistic > 0.0)
    best = likeliest(few, seen / seen.sum(), NEAR)
    law = best.theta @ few * seen.sum()
    statistic = _ratio(law, whole, best.gap)
    degrees = pools - _face_rank(few, whole, best.theta, full=False)
    return statistic, _chi_square(statistic, degrees, law), degrees


def _groups(expected: Array, rows: Array) -> Indices:
    """Return the group of each output: in the order of their mean probability, closed once a group expects enough."""
    group, held, last = np.zeros(len(expected), dtype=np.int64), 0.0, 0
    enough = max(EXPECTED, float(expected.sum()) / POOLS)
    # An order by the reports would put outputs that happen to have few together, which is a misfit of its own.
    for y in np.argsort(rows.mean(axis=0), kind="stable"):
        if held >= enough:
            last, held = last + 1, 0.0
        group[y], held = last, held + float(expected[y])
    if held < enough and last:
        group[group == last] = last - 1
    return group


def _binomial(rows: Array, counts: Indices) -> tuple[float, float]:
    """Return G and its exact p-value where there are two outputs: the largest over the laws that rows span."""
    total, seen = int(counts.sum()), int(counts[0])
    low, high = float(rows[:, 0].min()), float(rows[:, 0].max())
    if low <= seen / total <= high:
        return 0.0, 1.0
    if seen / total > high:
        seen, low, high = total - seen, 1.0 - high, 1.0 - low
    statistic = _two_cells(seen, total, low)
    # As far on the other side; the probability of both sides is largest at one of the two extreme laws.
    start = math.ceil(high * total)
    mirrored = bisect_left(range(start, total + 1), statistic, key=lambda count: _two_cells(count, total, high)) + start
    return statistic, max(_at_most(seen, total, end) + _at_least(mirrored, total, end) for end in (low, high))


def _two_cells(count: int, total: int, share: float) -> float:
    """Return G of a count against a probability."""
    from scipy.special import kl_div

    return 2.0 * float(kl_div(count, total * share) + kl_div(total - count, total * (1.0 - share)))


def _at_least(count: int, total: int, share: float) -> float:
    from scipy.special import betainc

    if count > total:
        return 0.0
    return float(betainc(count, total - count + 1, share)) if count else 1.0


def _at_most(count: int, total: int, share: float) -> float:
    return _at_least(total - count, total, 1.0 - share)


def _agrawal(half: float, degrees: int) -> float:
    """Return Agrawal's bound on the probability that N times the relative entropy reaches `half`, of m - 1 degrees."""
    return math.exp(degrees - half + degrees * math.log(half / degrees)) if half > degrees else 1.0


def _single_outputs(rows: Array, counts: Indices) -> float:
    """Return a p-value of all outputs alone: the probability of each lies between the ends of its column."""
    from scipy.special import betainc

    total = counts.sum()
    # The tail of a count of 0 upward, and of all reports downward, is 1.
    many = np.where(counts > 0, betainc(np.maximum(counts, 1), total - counts + 1.0, rows.max(axis=0)), 1.0)
    others = total - counts
    few = np.where(others > 0, betainc(np.maximum(others, 1), counts + 1.0, 1.0 - rows.min(axis=0)), 1.0)
    return min(1.0, 2.0 * len(counts) * float(min(many.min(), few.min())))


def _written(probability: float) -> str:
    return f"{probability:.1e}" if probability > 0.0 else "below 1e-300"
