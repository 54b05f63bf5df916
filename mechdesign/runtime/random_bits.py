"""Uniform integers and exact coins from a source of random bytes."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from mechdesign.errors import RandomnessError

Integers = npt.NDArray[np.int64]
#: Returns so many bytes of randomness, or raises.
Source = Callable[[int], bytes]

WORD_BITS, HALF_BITS = 64, 32
#: Bits of a draw that is compared with a share.
COIN_BITS = 62
BYTE_BITS = 8


def uniform(count: int, bits: int, read: Source, word: int = WORD_BITS) -> Integers:
    """Return integers below ``2**bits``, shape (count,): the top bits of words of 64 bits, or of `word` bits.

    Raises
    ------
    RandomnessError
        `read` failed, or gave another number of bytes than was asked.

    Examples
    --------
    >>> uniform(2, 4, lambda size: bytes([16 * (k // 8 + 1) for k in range(size)])).tolist()
    [1, 2]
    """
    wanted = count * word // 8
    try:
        given = read(wanted)
    except (OSError, NotImplementedError) as error:
        raise RandomnessError(
            f"The source of randomness failed ({error}); nothing was sampled. Sample again once it answers."
        ) from error
    if len(given) != wanted:
        raise RandomnessError(
            f"The source of randomness gave {len(given)} of {wanted} bytes; nothing was sampled. Sample again once it "
            "answers."
        )
    words = np.frombuffer(given, dtype=f"<u{word // 8}")
    return np.asarray(words >> words.dtype.type(word - bits), dtype=np.int64)


def uniform_below(limit: int, count: int, read: Source) -> Integers:
    """Return integers from 0 to ``limit - 1``, each as likely as any other, shape (count,); `limit` at most ``2**62``.

    Draws that are not below the limit are drawn again.

    Examples
    --------
    >>> import os
    >>> drawn = uniform_below(3, 100, os.urandom)
    >>> set(drawn.tolist()) <= {0, 1, 2}
    True
    """
    bits = max((limit - 1).bit_length(), 1)
    word = HALF_BITS if bits <= HALF_BITS else WORD_BITS
    found = uniform(count, bits, read, word)
    again = np.flatnonzero(found >= limit)
    while len(again):
        found[again] = uniform(len(again), bits, read, word)
        again = again[found[again] >= limit]
    return found


def coins(share: Fraction, count: int, read: Source) -> npt.NDArray[np.bool_]:
    """Return tosses that are true with a probability of exactly `share`, shape (count,).

    Examples
    --------
    >>> import os
    >>> coins(Fraction(1), 2, os.urandom).tolist(), coins(Fraction(0), 2, os.urandom).tolist()
    ([True, True], [False, False])
    """
    scaled = share * 2**COIN_BITS
    whole = scaled.numerator // scaled.denominator
    drawn = uniform(count, COIN_BITS, read)
    found: npt.NDArray[np.bool_] = drawn < whole
    for k in np.flatnonzero(drawn == whole).tolist():
        found[k] = is_below(whole, share, read)
    return found


def byte_coins(share: Fraction, count: int, read: Source) -> npt.NDArray[np.bool_]:
    """Return tosses as `coins` does, of about one byte of randomness each: for many coins of one share.

    Examples
    --------
    >>> byte_coins(Fraction(1, 2), 3, lambda size: bytes(range(126, 126 + size))).tolist()
    [True, True, False]
    """
    scaled = share * 2**BYTE_BITS
    whole = scaled.numerator // scaled.denominator
    drawn = uniform(count, BYTE_BITS, read, BYTE_BITS)
    found: npt.NDArray[np.bool_] = drawn < whole
    # The rest of the share decides where the first byte does not.
    undecided = np.flatnonzero(drawn == whole) if scaled != whole else np.zeros(0, dtype=np.int64)
    if len(undecided):
        found[undecided] = coins(scaled - whole, len(undecided), read)
    return found


def is_below(drawn: int, share: Fraction, read: Source) -> bool:
    """Return whether a uniform number whose first `COIN_BITS` bits are drawn is below a share.

    More bits are drawn if these do not decide.
    """
    while True:
        scaled = share * 2**COIN_BITS
        whole = scaled.numerator // scaled.denominator
        if drawn != whole:
            return bool(drawn < whole)
        share = scaled - whole
        if share == 0:
            return False
        drawn = int(uniform(1, COIN_BITS, read)[0])
