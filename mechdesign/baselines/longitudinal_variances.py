"""Published mechanisms of two rounds for frequencies: the variance of one report and of all reports, by formula."""

from __future__ import annotations

import math

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import real, whole

#: At larger levels a hash has as many buckets as at this one, some 2^30: more change no digit.
LARGEST = 21.0


def longitudinal_variances(n: int, lifetime: float, one_report: float) -> dict[str, tuple[float, float]]:
    r"""Return the sums of variances of n equally frequent inputs' estimates of protocols, for one report and for all.

    A protocol supports an input with the probability p if it is the truth and q otherwise; with
    :math:`r = q + (p - q) / n` the sum is :math:`n r (1 - r) / (p - q)^2`. One report has the p and q of the level of
    one report, and all reports of a person whose input stays the same are as good as the permanent one, which has those
    of the level of a lifetime. RAPPOR: :math:`p = 1 - q = e^{\epsilon/2} / (1 + e^{\epsilon/2})`; L-OSUE:
    :math:`p = 1/2, q = 1 / (1 + e^\epsilon)`; L-GRR: :math:`p = e^\epsilon / (e^\epsilon + n - 1)`; LOLOHA, for g
    buckets of a hash: :math:`p = e^\epsilon / (e^\epsilon + g - 1), q = 1 / g`, with g = 2 or the best one for one
    report; dBitFlipPM draws no fresh reports: all of them have the level of one.

    Parameters
    ----------
    n : int
        Inputs, at least 2.
    lifetime, one_report : float
        Nats, above 0; a lifetime is at least one report.

    Returns
    -------
    dict of str to (float, float)
        By the name of the protocol, of one report and of all reports of each person.

    Raises
    ------
    DomainError
        Fewer inputs; a level that is not positive; a lifetime below one report.

    References
    ----------
    U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal Response", ACM CCS
    2014.

    B. Ding, J. Kulkarni, S. Yekhanin, "Collecting Telemetry Data Privately", NeurIPS 2017.

    H. Arcolezi, J.-F. Couchot, B. Al Bouna, X. Xiao, "Improving the utility of locally differentially private protocols
    for longitudinal and multidimensional frequency estimates", Digital Communications and Networks 10 (2024).

    H. Arcolezi, C. Pinzon, C. Palamidessi, S. Gambs, "Frequency Estimation of Evolving Data Under Local Differential
    Privacy", EDBT 2023.

    Examples
    --------
    >>> import mechdesign as md
    >>> one, every = md.baselines.longitudinal_variances(16, lifetime=4.0, one_report=1.0)["L-OSUE"]
    >>> round(one, 2), round(every, 3)
    (60.86, 3.154)
    """
    inputs = whole("n", n, 2)
    first, most = (real(name, of, math.ulp(0.0)) for name, of in (("one_report", one_report), ("lifetime", lifetime)))
    if most < first:
        raise DomainError("lifetime", lifetime, f"one report has {first:g} nats", "give at least those")
    buckets = max(2, round(math.exp(min(first, LARGEST)) + 1.0))

    def of_bits(epsilon: float) -> float:
        held = 1.0 / (1.0 + math.exp(-0.5 * epsilon))
        return _total(inputs, held, 1.0 - held)

    def of_optimised_bits(epsilon: float) -> float:
        return _total(inputs, 0.5, math.exp(-epsilon) / (1.0 + math.exp(-epsilon)))

    def of_buckets(epsilon: float, number: int) -> float:
        return _total(inputs, 1.0 / (1.0 + (number - 1) * math.exp(-epsilon)), 1.0 / number)

    def of_one_of_all(epsilon: float) -> float:
        held = 1.0 / (1.0 + (inputs - 1) * math.exp(-epsilon))
        return _total(inputs, held, (1.0 - held) / (inputs - 1))

    return {
        "RAPPOR": (of_bits(first), of_bits(most)),
        "L-OSUE": (of_optimised_bits(first), of_optimised_bits(most)),
        "L-GRR": (of_one_of_all(first), of_one_of_all(most)),
        "LOLOHA, 2 buckets": (of_buckets(first, 2), of_buckets(most, 2)),
        f"LOLOHA, {buckets} buckets": (of_buckets(first, buckets), of_buckets(most, buckets)),
        "dBitFlipPM, all bits": (of_bits(first), of_bits(first)),
    }


def _total(n: int, held: float, other: float) -> float:
    share = other + (held - other) / n
    return n * share * (1.0 - share) / (held - other) ** 2
