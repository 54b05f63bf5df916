r"""The Renyi capacity of a mechanism: the most that its outputs betray of the input, whatever the prior."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.accounting.renyi_profile import orders_of, renyi_profile
from mechdesign.exact import Integers, float_above, log_enclosed
from mechdesign.parameters.checks import Array, frozen
from mechdesign.tolerances import LARGEST_EXPONENT

#: Steps of the search for the prior of the largest leakage.
STEPS = 2000
#: Roundings of a divergence for each output, with room.
ROUNDINGS = 8.0


def renyi_capacity(numerators: Integers, orders: npt.ArrayLike) -> Array:
    """Return the largest Sibson mutual information over all priors, at each of `orders`, in nats, rounded up.

    For every distribution q of outputs ``max_x D_a(Q[x, .] || q)`` is at least that, and equal at the best q. The
    search is for the prior whose q that is; the value is the bound of this q, with the rounding of floats added.
    Maximal leakage, at an infinite order, is computed in fractions. Arguments and errors are those of
    `Mechanism.renyi_capacity`; rows of `numerators`, shape (n, m), have one sum.

    Examples
    --------
    >>> renyi_capacity(np.array([[3, 1], [1, 3]]), [1.0, 2.0, np.inf]).round(6).tolist()
    [0.130812, 0.223144, 0.405465]
    """
    wanted = orders_of(orders)
    found = np.array([_largest(numerators, float(order)) for order in wanted])
    # It grows with the order, and with a row for q it is a divergence of two rows.
    return frozen(np.minimum(np.minimum(found, _largest(numerators, math.inf)), renyi_profile(numerators, wanted)))


def _largest(numerators: Integers, order: float) -> float:
    total = sum(numerators[0].tolist())
    if math.isinf(order):
        return float_above(log_enclosed(Fraction(sum(numerators.max(axis=0).tolist()), total))[1])
    # Rows that are alike need only one of them, as do outputs that no row has.
    used = numerators[:, numerators.any(axis=0)]
    if np.all(used == used[0]):
        return 0.0
    matrix = np.unique(used.astype(float) / float(total), axis=0)
    with np.errstate(divide="ignore"):
        logs = np.log(matrix)
    divergences, rounding = _divergences(logs, _outputs(logs, _best_prior(logs, order), order), order)
    return math.nextafter(float(divergences.max()) + rounding, math.inf)


def _best_prior(logs: Array, order: float) -> Array:
    """Return the prior of the largest Sibson mutual information, shape (n,), for the rows of shape (n, m)."""
    from scipy.optimize import minimize

    power = order - 1.0

    def leaked(weights: Array) -> tuple[float, Array]:
        """Return the negative Sibson mutual information at the prior proportional to weights, and its gradient."""
        total = float(weights.sum())
        prior = weights / total
        each = _divergences(logs, _outputs(logs, prior, order), order)[0]
        if power == 0.0:
            information = float(prior @ each)
            return -information, -(each - information) / total
        information = _mean_of_powers(prior, each, power)
        return -information, -np.expm1(np.minimum(power * (each - information), LARGEST_EXPONENT)) / (power * total)

    n = len(logs)
    options = {"maxiter": STEPS, "maxfun": 2 * STEPS, "ftol": 1e-16, "gtol": 1e-13, "maxcor": 30}
    found = minimize(leaked, np.ones(n), jac=True, method="L-BFGS-B", bounds=[(0.0, None)] * n, options=options)
    return np.asarray(found.x / float(found.x.sum()))


def _mean_of_powers(prior: Array, each: Array, power: float) -> float:
    """Return ``ln(sum_x P_x e^(power each_x)) / power``, each of shape (n,)."""
    used = prior > 0
    prior, powers = prior[used], power * each[used]
    peak = float(powers.max())
    if peak <= 1.0:
        # Next to order 1 the mean is next to 1, and its logarithm would lose digits.
        return math.log1p(float(prior @ np.expm1(powers))) / power
    return (peak + math.log(float(prior @ np.exp(powers - peak)))) / power


def _outputs(logs: Array, prior: Array, order: float) -> Array:
    """Return logarithms of ``q ~ (sum_x P_x Q[x, y]^a)^(1/a)``, shape (m,)."""
    with np.errstate(divide="ignore"):
        terms = np.log(prior)[:, None] + order * logs
    peak = terms.max(axis=0)
    norms = (peak + np.log(np.exp(terms - peak).sum(axis=0))) / order
    return np.asarray(norms - (float(norms.max()) + math.log(float(np.exp(norms - norms.max()).sum()))))


def _divergences(logs: Array, outputs: Array, order: float) -> tuple[Array, float]:
    """Return ``D_a(Q[x, .] || q)`` for each row, shape (n,), and how far rounding may have moved one of them."""
    matrix = np.exp(logs)
    ratios = np.where(matrix > 0, logs - outputs, 0.0)
    most = float(np.abs(ratios).max()) + float(-logs[np.isfinite(logs)].min())
    rounding = ROUNDINGS * math.ulp(1.0) * (logs.shape[1] + 16) * (1.0 + most)
    if order == 1.0:
        return np.asarray((matrix * ratios).sum(axis=1)), rounding
    power = order - 1.0
    if power * float(ratios.max()) <= 1.0:
        return np.asarray(np.log1p((matrix * np.expm1(power * ratios)).sum(axis=1)) / power), rounding
    terms = np.where(matrix > 0, logs + power * ratios, -np.inf)
    peak = terms.max(axis=1)
    return np.asarray((peak + np.log(np.exp(terms - peak[:, None]).sum(axis=1))) / power), rounding
