"""Published mechanisms for a number of an interval: their worst-case variances and errors, by formula."""

from __future__ import annotations

import math

from mechdesign.parameters.checks import real
from mechdesign.problem.interval import given_interval

#: The name of the mechanism of two outputs.
TWO_OUTPUTS = "two outputs"
#: The epsilon from which the hybrid mechanism mixes; below it is that of two outputs.
HYBRID_FROM = 0.61
#: The steepness of the piecewise mechanism and of its later variant, as shares of epsilon.
STEEP, LESS_STEEP = 1.0 / 2.0, 1.0 / 3.0


def numeric_variances(low: float, high: float, epsilon: float) -> dict[str, float]:
    r"""Return the largest variance of one report, over all numbers of an interval, of published LDP mechanisms.

    For [-1, 1], with ``E = e^epsilon``: two outputs (Duchi et al.) ``coth(epsilon / 2)^2``; Laplace noise of scale
    ``2 / epsilon``: ``8 / epsilon^2``; the piecewise mechanism of steepness t, whose report is uniform on a window with
    the probability ``E / (t + E)``, at ``t = e^(epsilon/2)`` (PM) and ``e^(epsilon/3)`` (PM-SUB); the hybrid mechanism,
    which takes PM with the probability ``1 - e^(-epsilon/2)`` and two outputs otherwise, for epsilon above 0.61.

    Parameters
    ----------
    low, high : float
        The ends of the interval, finite.
    epsilon : float
        Above 0 nats, finite.

    Returns
    -------
    dict of str to float
        In squared units, by the name of the mechanism.

    Raises
    ------
    DomainError
        Ends that are not in their order; an epsilon that is not positive and finite.

    References
    ----------
    J. Duchi, M. Jordan, M. Wainwright, "Minimax Optimal Procedures for Locally Private Estimation", Journal of the
    American Statistical Association 113 (2018).

    N. Wang, X. Xiao, Y. Yang, J. Zhao, S. C. Hui, H. Shin, J. Shin, G. Yu, "Collecting and Analyzing Multidimensional
    Data with Local Differential Privacy", IEEE ICDE 2019.

    Y. Zhao, J. Zhao, M. Yang, T. Wang, N. Wang, L. Lyu, D. Niyato, K.-Y. Lam, "Local Differential Privacy based
    Federated Learning for the Internet of Things", IEEE Internet of Things Journal 8 (2021).

    Examples
    --------
    >>> import mechdesign as md
    >>> round(md.baselines.numeric_variances(-1, 1, 1.0)["hybrid mechanism"], 3)
    4.289
    """
    ends, level = given_interval(low, high), real("epsilon", epsilon, math.ulp(0.0))
    half = 0.5 * ends[1] - 0.5 * ends[0]
    two = 1.0 / math.tanh(level / 2.0) ** 2
    share = -math.expm1(-level / 2.0) if level > HYBRID_FROM else 0.0
    steep, less = _variances(level, STEEP), _variances(level, LESS_STEEP)
    # The second moment of two outputs is one for all numbers, and the mixture's variance is largest at an end.
    mixed = max(
        share * at_end + (1.0 - share) * (two - square) for at_end, square in zip(steep, (0.0, 1.0), strict=True)
    )
    found = {
        TWO_OUTPUTS: two,
        "Laplace noise": 8.0 / level**2,
        "piecewise mechanism": max(steep),
        "piecewise mechanism of less steepness": max(less),
        "hybrid mechanism": mixed,
    }
    return {name: half**2 * value for name, value in found.items()}


def numeric_errors(low: float, high: float, epsilon: float) -> dict[str, float]:
    r"""Return the largest expected error, over all numbers of an interval, of the optimal piecewise LDP mechanism.

    On [0, 1] its report has the density ``e^(epsilon/2)`` on a window of length ``w = 1 / (e^(epsilon/2) + 1)`` about
    the number, moved into the interval at its ends, and ``e^(-epsilon/2)`` elsewhere. Errors are largest at the ends.

    Parameters
    ----------
    low, high : float
        The ends of the interval, finite.
    epsilon : float
        Above 0 nats, finite.

    Returns
    -------
    dict of str to float
        By the name of the loss: "absolute", in the unit of the interval, ``w`` on [0, 1]; "squared", in squared units,
        ``(e^(epsilon/2) w^3 + e^(-epsilon/2) (1 - w^3)) / 3``.

    Raises
    ------
    DomainError
        Ends that are not in their order; an epsilon that is not positive and finite.

    References
    ----------
    Y. Zheng, S. Mishra, Y. Hu, "Optimal Piecewise-based Mechanism for Collecting Bounded Numerical Data under Local
    Differential Privacy", Proceedings on Privacy Enhancing Technologies 2025.

    Examples
    --------
    >>> import mechdesign as md
    >>> round(md.baselines.numeric_errors(0, 1, 2.0)["absolute"], 4)
    0.2689
    """
    ends, level = given_interval(low, high), real("epsilon", epsilon, math.ulp(0.0))
    outside, length = math.exp(-level / 2.0), ends[1] - ends[0]
    window = outside / (1.0 + outside)
    squared = (window**2 / (1.0 + outside) + outside * (1.0 - window**3)) / 3.0
    return {"absolute": window * length, "squared": squared * length**2}


def _variances(epsilon: float, share: float) -> tuple[float, float]:
    """Return the variance of a piecewise mechanism's report at 0 and at an end of [-1, 1].

    It is linear in the square of the number, so that it is largest at one of the two.
    """
    # In powers of e^-epsilon, as those of e^epsilon overflow.
    least, beside, over = math.exp(-epsilon), math.exp(-(1.0 - share) * epsilon), -math.expm1(-epsilon)
    reach, scale = (math.exp(-share * epsilon) + least) / over, (1.0 + beside) / over
    # The density outside of a window of length 2 reach, and the probability that the window has beyond that.
    outside = beside / (1.0 + beside) / (2.0 * scale)
    more = 1.0 / (1.0 + beside) - outside * 2.0 * reach
    at_zero = outside * 2.0 * (scale + reach) ** 3 / 3.0 + more * reach**2 / 3.0
    # The window is about scale times the number: more scale^2 - 1, without cancellation.
    return at_zero, at_zero + (beside + least * (2.0 - least)) / over**2 - 2.0 * outside * reach * scale**2
