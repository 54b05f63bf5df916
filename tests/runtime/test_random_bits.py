"""Integers and coins from given bytes: each word decides as it has to, and no more of them are read than are needed."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.random_bits import byte_coins, coins, is_below, uniform, uniform_below

#: The share 1/3 has one digit only, in base 2**62 as in base 256: a third of what is left is a third.
THIRD, DIGIT, BYTE = Fraction(1, 3), (2**62 - 1) // 3, 85


class Given:
    """A source of given bytes, which fails where more are asked for."""

    def __init__(self, *parts: bytes) -> None:
        self.left = b"".join(parts)

    def __call__(self, size: int) -> bytes:
        assert size <= len(self.left), "more bytes are asked for than are needed"
        found, self.left = self.left[:size], self.left[size:]
        return found


def draws(*numbers: int, bits: int = 62, word: int = 64) -> bytes:
    """Return words whose top bits are these numbers; the bits below are ones, and count for nothing."""
    low = (1 << (word - bits)) - 1
    return b"".join(((number << (word - bits)) | low).to_bytes(word // 8, "little") for number in numbers)


@pytest.mark.parametrize("word", [8, 16, 32, 64])
@pytest.mark.parametrize("bits", [1, 3, 8])
def test_integers_are_the_top_bits_of_words(word, bits):
    numbers = np.arange(12) % 2**bits
    source = Given(draws(*numbers.tolist(), bits=bits, word=word))
    assert uniform(12, bits, source, word).tolist() == numbers.tolist() and not source.left


@pytest.mark.parametrize("given", [b"", b"\x00" * 15, b"\x00" * 17, b"\x00" * 24])
def test_another_number_of_bytes_than_was_asked_is_refused(given):
    with pytest.raises(md.RandomnessError, match=f"gave {len(given)} of 16 bytes; nothing was sampled"):
        uniform(2, 5, lambda size: given)


def test_a_source_that_fails_is_told():
    def failing(size):
        raise OSError("no entropy")

    with pytest.raises(md.RandomnessError, match=r"failed \(no entropy\); nothing was sampled"):
        uniform(2, 5, failing)


@pytest.mark.parametrize(
    ("limit", "bits", "word", "drawn", "found"),
    [
        (5, 3, 32, [7, 4, 5, 0], [0, 4]),
        (6, 3, 32, [5, 6, 7, 3], [5, 3]),
        (8, 3, 32, [7, 4], [7, 4]),
        (1, 1, 32, [1, 0, 1, 0], [0, 0]),
        (2, 1, 32, [1, 0], [1, 0]),
        (2**32, 32, 32, [2**32 - 1, 0], [2**32 - 1, 0]),
        (2**32 + 1, 33, 64, [2**32, 2**32 + 1, 7], [2**32, 7]),
        (2**62, 62, 64, [2**62 - 1, 2**61], [2**62 - 1, 2**61]),
    ],
)
def test_draws_that_are_not_below_a_limit_are_drawn_again(limit, bits, word, drawn, found):
    source = Given(draws(*drawn, bits=bits, word=word))
    assert uniform_below(limit, 2, source).tolist() == found and not source.left


def test_coins_read_on_where_the_first_digit_does_not_decide():
    source = Given(draws(DIGIT - 1, DIGIT, DIGIT + 1, 0, DIGIT, DIGIT, DIGIT - 1, DIGIT, DIGIT + 1))
    assert coins(THIRD, 5, source).tolist() == [True, True, False, True, False] and not source.left


@pytest.mark.parametrize("numerator", [1, 3, 2**61, 2**62 - 1])
def test_coins_of_one_digit_are_decided_by_it(numerator):
    share, source = Fraction(numerator, 2**62), Given(draws(numerator - 1, numerator))
    assert coins(share, 2, source).tolist() == [True, False] and not source.left


@pytest.mark.parametrize(("second", "below"), [(DIGIT - 1, True), (DIGIT + 1, False)])
def test_a_number_whose_first_bits_are_drawn_is_compared_by_the_next_ones(second, below):
    assert is_below(DIGIT - 1, THIRD, Given()) and not is_below(DIGIT + 1, THIRD, Given())
    source = Given(draws(second))
    assert is_below(DIGIT, THIRD, source) == below and not source.left
    assert not is_below(5, Fraction(5, 2**62), Given())


def test_coins_of_a_byte_read_on_where_it_does_not_decide():
    first = bytes([BYTE - 1, BYTE, BYTE + 1, 0, BYTE, 255])
    source = Given(first, draws(DIGIT - 1, DIGIT + 1))
    assert byte_coins(THIRD, 6, source).tolist() == [True, True, False, True, False, False] and not source.left


@pytest.mark.parametrize("numerator", [0, 1, 100, 256])
def test_of_all_bytes_as_many_are_heads_as_the_share_says(numerator):
    source = Given(bytes(range(256)))
    found = byte_coins(Fraction(numerator, 256), 256, source)
    assert found.tolist() == [byte < numerator for byte in range(256)] and not source.left
