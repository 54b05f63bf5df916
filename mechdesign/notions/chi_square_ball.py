"""The support function of the columns whose lift deviates from 1 by at most epsilon under the prior."""

from __future__ import annotations

import numpy as np

from mechdesign.notions.cone import Support, raised, rounding_unit
from mechdesign.parameters.checks import Array


def of_ball(gains: Array, prior: Array, epsilon: float) -> Support:
    """Maximise ``E[gains q]`` over ``q >= 0`` of mean 1 and deviation at most epsilon, for each row of `gains`."""
    order = np.argsort(-gains, axis=1, kind="stable")
    chosen = behind_largest(gains, prior, epsilon)
    weights, ranked = prior[order], np.take_along_axis(gains, order, axis=1)
    # From the largest gain down, so that what cancels is small.
    behind = ranked[:, :1] - ranked
    raised_to = np.minimum(behind, chosen[:, None])
    center = (weights * raised_to).sum(axis=1)
    deviation = np.sqrt((weights * (raised_to - center[:, None]) ** 2).sum(axis=1))
    values = ranked[:, 0] - center + epsilon * deviation
    ratios = np.maximum(chosen[:, None] - behind, 0.0)
    flat = ratios.max(axis=1) <= 0
    ratios[flat] = behind[flat] <= chosen[flat, None]
    if epsilon == 0:
        ratios[:] = 1.0
    ratios /= (weights * ratios).sum(axis=1, keepdims=True)
    columns = np.empty_like(ratios)
    np.put_along_axis(columns, order, ratios, axis=1)
    sizes = np.abs(ranked[:, 0]) + raised_to.max(axis=1)
    return raised(values, 4.0 * rounding_unit(len(prior)) * (1.0 + epsilon) * sizes, columns.T)


def behind_largest(gains: Array, prior: Array, epsilon: float) -> Array:
    """Return how far behind the largest gain the entries of the best column become zero, for each row of `gains`."""
    order = np.argsort(-gains, axis=1, kind="stable")
    weights, ranked = prior[order], np.take_along_axis(gains, order, axis=1)
    behind = ranked[:, :1] - ranked
    sums = weights.cumsum(axis=1)
    mean = (weights * behind).cumsum(axis=1) / sums
    variance = np.maximum((weights * behind**2).cumsum(axis=1) / sums - mean**2, 0.0)
    room = sums * (1.0 + epsilon**2) - 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        # q = (gain - theta)^+ over its mean: the deviation is epsilon where theta is this far behind.
        theta = mean + np.sqrt(variance / room)
    theta = np.where(room > 0, theta, np.inf)
    following = np.hstack([behind[:, 1:], np.full((len(gains), 1), np.inf)])
    fits = theta <= following
    first = np.where(fits.any(axis=1), fits.argmax(axis=1), gains.shape[1] - 1)
    chosen = theta[np.arange(len(gains)), first]
    # One input (or equal ones) can hold all the mass, or no deviation is allowed at all.
    return np.asarray(np.where(np.isfinite(chosen), chosen, behind[:, -1]))
