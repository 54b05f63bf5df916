"""The mean of the positive part of a sum of many independent losses, from above and from below."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array

#: Numbers of the grid, and the probability of a sum that the grid does not hold.
GRID, TAIL = 1 << 17, 1e-20
#: The rounding of one operation, and how many of them a number of a transform takes for each doubling of its length.
UNIT, OPERATIONS = float(np.finfo(float).eps), 8.0
#: Steps of the bisection for the tilt.
STEPS = 60
#: By what share a loss is moved to its neighbours on the grid beyond its rounding.
ROUNDED = 1e-12


def positive_part(losses: Array, probabilities: Array, count: int, *, upward: bool) -> float:
    r"""Return ``E[(L_1 + ... + L_n)_+]`` of independent losses of one law, whose mean is at most 0.

    The law is moved to multiples of a step so that it becomes larger in convex order, or smaller, as the result does.
    It is tilted by :math:`e^{\theta l}` until its mean is 0, so that a Fourier transform gives many digits of the
    sum's law where it counts; the rounding of the transform and what the grid does not hold are added, or taken off.

    Parameters
    ----------
    losses : ndarray, shape (k,)
        The values of a loss.
    probabilities : ndarray, shape (k,)
        Their probabilities.
    count : int
        n.
    upward : bool
        Whether the result is rounded upward.

    Examples
    --------
    >>> law = np.array([1.0, -1.5]), np.array([0.5, 0.5])
    >>> found = [positive_part(*law, 2, upward=upward) for upward in (False, True)]
    >>> bool(found[0] <= 0.5 <= found[1] < 0.501)
    True
    """
    most = float(losses.max())
    if most <= 0.0:
        return 0.0
    if float(np.ptp(losses)) == 0.0:
        return count * most
    theta = _tilt(losses, probabilities)
    tilted = probabilities * np.exp(theta * (losses - most))
    tilted /= tilted.sum()
    mean = float(tilted @ losses)
    spread, span = float(tilted @ (losses - mean) ** 2), float(np.ptp(losses))
    # Bernstein: but for a probability of TAIL the tilted sum stays so near to its mean.
    tail = math.log(2.0 / TAIL)
    width = min(math.sqrt(2.0 * count * spread * tail) + 2.0 * span * tail / 3.0, count * span) + span
    step = 2.04 * width / GRID
    values, weights = (_split if upward else _shrunk)(losses, probabilities, step)
    return _of_grid(values, weights, count, step, upward=upward)


def _of_grid(values: npt.NDArray[np.int64], weights: Array, count: int, step: float, *, upward: bool) -> float:
    top = float(values.max()) * step
    if top <= 0.0:
        return 0.0
    # Of the law on the grid: with the tilt of the losses themselves the mean of e^(theta loss) could overflow.
    theta = _tilt(np.asarray(values * step, dtype=float), weights)
    tilted = weights * np.exp(theta * (values * step - top))
    total = float(tilted.sum())
    tilted /= total
    # The logarithm of the mean of e^(theta loss), of all losses together.
    scale = count * (math.log(total) + theta * top)
    start = math.floor(count * float(tilted @ values) - GRID / 2)
    line = np.zeros(GRID)
    np.add.at(line, values % GRID, tilted)
    spectrum = np.fft.rfft(line)
    power = np.exp(count * np.log(np.where(spectrum == 0, np.finfo(float).tiny, spectrum)))
    masses = np.maximum(np.fft.irfft(power, GRID), 0.0)
    sums = (start + (np.arange(GRID) - start) % GRID) * step
    at = sums > 0.0
    worth = sums[at] * np.exp(scale - theta * sums[at])
    error = OPERATIONS * UNIT * (count + math.log2(GRID)) * float(np.abs(power).mean()) * float(worth.sum())
    # Beyond the grid a sum s counts for s e^(-theta s) at most.
    largest = count * top if theta == 0.0 else min(count * top, 1.0 / (math.e * theta))
    error += TAIL * math.exp(min(scale, 0.0)) * max(largest, 0.0)
    found = float(masses[at] @ worth)
    return found + error if upward else max(found - error, 0.0)


def _tilt(losses: Array, probabilities: Array) -> float:
    """Return the theta of at least 0 at which the tilted mean is 0, or the largest one that keeps digits."""
    most = float(losses.max())
    low, high = 0.0, 1.0 / most
    while _tilted_mean(losses, probabilities, high) < 0.0 and high * most < 600.0:
        low, high = high, 2.0 * high
    for _ in range(STEPS):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _tilted_mean(losses, probabilities, middle) < 0.0 else (low, middle)
    return low


def _tilted_mean(losses: Array, probabilities: Array, theta: float) -> float:
    return float((probabilities * np.exp(theta * (losses - losses.max()))) @ losses)


def _split(losses: Array, probabilities: Array, step: float) -> tuple[npt.NDArray[np.int64], Array]:
    """Return a law on multiples of the step with no smaller a mean that is larger in increasing convex order."""
    below = np.floor(losses / step)
    part = np.minimum(losses / step - below + ROUNDED, 1.0)
    values = np.concatenate([below, below + 1.0]).astype(np.int64)
    return values, np.concatenate([probabilities * (1.0 - part), probabilities * part])


def _shrunk(losses: Array, probabilities: Array, step: float) -> tuple[npt.NDArray[np.int64], Array]:
    """Return a law on multiples of the step that is smaller in increasing convex order.

    Losses are drawn towards their mean, as little as makes every mean of ``(loss - t)_+`` no larger.
    """
    mean, span = float(probabilities @ losses), float(np.ptp(losses))
    share = min(step / max(span, step), 0.5)
    while share < 1.0:
        below = np.floor((mean + (1.0 - share) * (losses - mean)) / step)
        part = np.maximum((mean + (1.0 - share) * (losses - mean)) / step - below - ROUNDED, 0.0)
        values = np.concatenate([below, below + 1.0])
        weights = np.concatenate([probabilities * (1.0 - part), probabilities * part])
        ends = np.concatenate([values * step, losses])[:, None]
        ours = np.maximum(values * step - ends, 0.0) @ weights
        theirs = np.maximum(losses - ends, 0.0) @ probabilities
        if np.all(ours <= theirs * (1.0 - 4.0 * UNIT * len(losses))) or np.all(ours <= theirs):
            return values.astype(np.int64), weights
        share *= 1.5
    return np.array([math.floor(mean / step)]), np.ones(1)
