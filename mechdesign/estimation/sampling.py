"""Reports drawn from a matrix of integers: ``Pr(y | x) = numerators[x, y] / 2**bits``, exactly."""

from __future__ import annotations

import os

import numpy as np
import numpy.typing as npt

from mechdesign.exact import Integers
from mechdesign.runtime.random_bits import Source, uniform
from mechdesign.tolerances import DENOMINATOR_BITS

Indices = npt.NDArray[np.int64]

#: So many reports are drawn at once: their numbers stay in the processor's cache.
CHUNK = 1 << 13

#: Up to so many outputs it is as quick to compare them all; of so many rows the thresholds stay below 2**63.
FEW_OUTPUTS, MOST_ROWS = 32, 1023


def sample(
    numerators: Integers, inputs: Indices, bits: int = DENOMINATOR_BITS, source: Source | None = None
) -> Indices:
    """Return one output for each of `inputs`, of the law ``numerators[x] / 2**bits`` to the last bit.

    Each report takes one uniform integer below ``2**bits``, and counts the cumulative integers of its row that are not
    above it. The whole row is compared each time, so that the number of operations depends neither on the input nor on
    the output. (What a processor's cache may betray of the row that was read is not covered.)

    Parameters
    ----------
    numerators : integer array, shape (n, m)
        At least 0, with rows that sum to ``2**bits``.
    inputs : integer array
        Rows, from 0 to n - 1.
    bits : int
        From 1 to 63.
    source : callable, optional
        Returns so many bytes; the operating system's by default. Nothing is kept between two calls, so that processes
        that were forked share no randomness.

    Returns
    -------
    integer array, of the shape of `inputs`

    Raises
    ------
    RandomnessError
        The source failed, or gave another number of bytes than was asked; then nothing is returned.

    Examples
    --------
    >>> sample(np.array([[2, 0], [0, 2]]), np.array([0, 1, 1]), bits=1).tolist()
    [0, 1, 1]
    """
    # Looked up at each call: a test, or a platform, may put another in its place.
    read = os.urandom if source is None else source
    # The last cumulative integer is above every draw: it need not be compared.
    thresholds = np.ascontiguousarray(np.cumsum(numerators, axis=1, dtype=np.int64)[:, :-1].T)
    flat = np.ascontiguousarray(inputs, dtype=np.int64).reshape(-1)
    outputs = np.zeros(len(flat), dtype=np.int64)
    for start in range(0, len(flat), CHUNK):
        rows = flat[start : start + CHUNK]
        drawn, counted = uniform(len(rows), bits, read), outputs[start : start + CHUNK]
        for cumulative in thresholds:
            counted += cumulative.take(rows) <= drawn
    return outputs.reshape(np.shape(inputs))


def simulate(numerators: Integers, inputs: Indices, generator: np.random.Generator) -> Indices:
    """Return a simulated report for each input, drawn by numpy's `generator`: reproducible, and therefore not secret.

    Of many outputs the place of each number is searched by halves, which takes a time that depends on it.
    """
    rows, outputs = numerators.shape
    if outputs <= FEW_OUTPUTS or rows > MOST_ROWS:
        return sample(numerators, inputs, source=generator.bytes)
    # One sorted list of the thresholds of all rows, each row above the one before.
    above = np.arange(rows, dtype=np.int64) << DENOMINATOR_BITS
    thresholds = (np.cumsum(numerators, axis=1, dtype=np.int64)[:, :-1] + above[:, None]).reshape(-1)
    flat = np.ascontiguousarray(inputs, dtype=np.int64).reshape(-1)
    found = np.empty(len(flat), dtype=np.int64)
    for start in range(0, len(flat), CHUNK):
        part = flat[start : start + CHUNK]
        drawn = above[part] + uniform(len(part), DENOMINATOR_BITS, generator.bytes)
        found[start : start + CHUNK] = np.searchsorted(thresholds, drawn, side="right") - part * (outputs - 1)
    return found.reshape(np.shape(inputs))
