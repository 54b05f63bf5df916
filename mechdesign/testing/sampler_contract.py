"""What every sampler must satisfy: it draws the law of the matrix's own integers, or nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from mechdesign.errors import RandomnessError
from mechdesign.estimation.sampling import Indices
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Source
from mechdesign.testing.contract import Clause, require, run

Sampler = Callable[[Integers, Indices, int, Source | None], Indices]

#: A sound sampler is refused this often; a row that is off by a hundredth is found out of so many draws.
FALSE_ALARM: Final = 1e-6
DRAWS: Final = 3_000_000


def check_sampler(sample: Sampler, rng: np.random.Generator) -> None:
    """Check every clause of the contract of samplers.

    Parameters
    ----------
    sample : callable
        Takes numerators (n, m) over ``2**bits``, rows, bits and a source of bytes, as `channel.sampling.sample` does;
        each report takes the top bits of the next word of 64 bits, the lowest byte first.
    rng : numpy.random.Generator
        Where rows come from.

    Raises
    ------
    BrokenContractError
        With the clause and what was found.
    """
    run(SAMPLER_CLAUSES, "sampler", sample, rng)


def every_draw_counts(sample: Sampler, rng: np.random.Generator) -> None:
    """All integers below 2**bits together give each output exactly as often as its numerator says."""
    for bits, outputs in ((1, 2), (3, 5), (8, 1), (8, 7), (12, 300), (16, 16)):
        numerators = rows_over(2**bits, 3, outputs, rng)
        # Below the bits that count anything may stand.
        words = (np.arange(2**bits, dtype=np.uint64) << np.uint64(64 - bits)) + rng.integers(
            2 ** (64 - bits) - 1, size=2**bits, dtype=np.uint64, endpoint=True
        )
        for x, row in enumerate(numerators):
            given = bytes_of(words)
            found = sample(numerators, np.full(2**bits, x), bits, given)
            counted = np.bincount(found, minlength=outputs)
            wrong = f"of all {2**bits} draws row {row.tolist()[:8]} got {counted.tolist()[:8]}"
            require(np.array_equal(counted, row), wrong)


def law_is_the_row(sample: Sampler, rng: np.random.Generator) -> None:
    """Drawn from random bytes at 53 bits, outputs pass a chi-square test at 1e-6."""
    for outputs in (2, 16):
        numerators = rows_over(2**53, 2, outputs, rng)
        found = sample(numerators, np.full(DRAWS, 1), 53, rng.bytes)
        chance = chi_square_chance(np.bincount(found, minlength=outputs), numerators[1] / 2.0**53)
        require(chance > FALSE_ALARM, f"a chi-square test gives the outputs of a row the chance {chance:.1g}")


def failure_returns_nothing(sample: Sampler, rng: np.random.Generator) -> None:
    """A source that fails, or gives too few or too many bytes, raises at whichever call it happens."""
    numerators, rows = rows_over(2**53, 2, 4, rng), np.zeros(40_000, dtype=np.int64)
    calls = 0

    def counting(wanted: int) -> bytes:
        nonlocal calls
        calls += 1
        return bytes(wanted)

    sample(numerators, rows, 53, counting)
    require(calls > 0, "the sampler never asked its source")
    for last in {1, calls}:
        for wrong in (_raises, lambda wanted: bytes(wanted - 1), lambda wanted: bytes(wanted + 1), lambda _: b""):
            try:
                sample(numerators, rows, 53, _wrong_at(last, wrong))
            except RandomnessError:
                continue
            raise AssertionError(f"a source that is wrong at its call {last} of {calls} was let through")


def nothing_is_kept(sample: Sampler, rng: np.random.Generator) -> None:
    """Every call asks for all its randomness anew, as much for each input: forked processes share none."""
    numerators = rows_over(2**53, 3, 5, rng)
    # A row that is certain of its output takes as much as any other.
    numerators[0] = np.where(np.arange(5) == 3, 2**53, 0)
    asked: list[int] = []

    def source(wanted: int) -> bytes:
        asked[-1] += wanted
        return rng.bytes(wanted)

    for x in (0, 0, 1, 2):
        asked.append(0)
        sample(numerators, np.full(1000, x), 53, source)
    require(min(asked) == max(asked), f"calls of equal size asked for {asked} bytes")
    require(asked[0] * 8 >= 53 * 1000, f"1000 reports took {asked[0]} bytes, of 53 bits each")


def rows_over(total: int, rows: int, outputs: int, rng: np.random.Generator) -> Integers:
    """Return rows of integers that sum to `total`, some of them 0."""
    shares = rng.dirichlet(np.ones(outputs), size=rows) * (rng.random((rows, outputs)) < 0.8)
    numerators = np.floor(shares * total).astype(np.int64)
    numerators[np.arange(rows), rng.integers(outputs, size=rows)] += total - numerators.sum(axis=1)
    return numerators


def bytes_of(words: npt.NDArray[np.uint64]) -> Source:
    """Return a source that gives the bytes of `words`, in their order, and fails after the last."""
    left = words.astype("<u8").tobytes()

    def read(wanted: int) -> bytes:
        nonlocal left
        given, left = left[:wanted], left[wanted:]
        return given

    return read


def chi_square_chance(counts: Indices, law: Array) -> float:
    """Return the probability that a chi-square test of `counts` against `law` finds as much or more."""
    from scipy.special import gammaincc

    expected = law * counts.sum()
    if np.any(counts[expected == 0] > 0):
        return 0.0
    possible = expected > 0
    statistic = float(((counts - expected)[possible] ** 2 / expected[possible]).sum())
    return float(gammaincc((possible.sum() - 1) / 2.0, statistic / 2.0)) if possible.sum() > 1 else 1.0


def _raises(wanted: int) -> bytes:
    raise OSError("no entropy")


def _wrong_at(call: int, wrong: Callable[[int], bytes]) -> Source:
    made = 0

    def read(wanted: int) -> bytes:
        nonlocal made
        made += 1
        return wrong(wanted) if made == call else bytes(wanted)

    return read


SAMPLER_CLAUSES: Final[dict[str, Clause]] = {
    "every draw": every_draw_counts,
    "law": law_is_the_row,
    "failure": failure_returns_nothing,
    "nothing kept": nothing_is_kept,
}
