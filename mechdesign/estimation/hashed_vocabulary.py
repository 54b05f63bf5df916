"""Texts that nobody can list, hashed into buckets by a key: what people answer, and the frequencies of single words."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.estimation.cover_estimate import CoverEstimate
from mechdesign.estimation.estimating import Estimate
from mechdesign.estimation.word_frequencies import WordFrequencies
from mechdesign.parameters.checks import frozen, names, whole
from mechdesign.problem import Problem
from mechdesign.problem.texts import answers_in_words

#: Of two buckets the estimates of one say nothing that the other does not, and nothing of collisions.
LEAST = 3
#: Bytes of a digest, which is a number; of a key that is drawn; and of the longest key that BLAKE2b takes.
DIGEST_BYTES, KEY_BYTES, MOST_KEY_BYTES = 8, 16, hashlib.blake2b.MAX_KEY_SIZE


@dataclass(frozen=True)
class HashedVocabulary:
    r"""``h(w) = BLAKE2b_key(w)`` in B buckets, for words that are not known: people answer the bucket of their word.

    With F the share of the people whose word is in the bucket of w, ``f_w = (F - 1/B) / (1 - 1/B)`` is the frequency of
    w without bias over the key, as two words share a bucket with probability 1/B. Other words in the bucket of w add
    the variance ``(sum_v f_v^2 - f_w^2) / (B - 1)`` to the variance of the estimate of F.

    Parameters
    ----------
    buckets : int
        B, at least 3. More buckets let fewer words collide, and hardly change the mechanism's noise under LDP.
    key : bytes or str, optional
        At most 64 bytes; of a text its bytes in UTF-8. By default 16 bytes from the operating system. Everybody who
        hashes has to have it, and ``repr`` writes it. It has to be chosen without a look at the answers, and need not
        be secret.

    Attributes
    ----------
    problem : Problem
        Of B inputs, for a mechanism.

    Raises
    ------
    DomainError
        Fewer than 3 buckets; a key that is empty, too long, or neither bytes nor a text.

    Notes
    -----
    A digest is a whole number below ``2^64``; numbers beyond the last multiple of B are hashed again with another salt,
    so that every bucket is equally likely. Texts are compared in the Unicode form NFC. Frequencies are unbiased for
    every family of hash functions that is pairwise independent; the variance holds for those in which every three words
    have independent values (strongly universal_3), for which keyed BLAKE2b is taken. Privacy does not depend on the
    hash at all: it is computed before the mechanism, by the person.

    References
    ----------
    M. N. Wegman, J. L. Carter, "New Hash Functions and Their Use in Authentication and Set Equality", Journal of
    Computer and System Sciences 22 (1981)

    M.-J. Saarinen, J.-P. Aumasson, "The BLAKE2 Cryptographic Hash and Message Authentication Code (MAC)", RFC 7693
    (2015)

    Examples
    --------
    >>> import mechdesign as md
    >>> vocabulary = md.HashedVocabulary(1024, key="drinks, spring 2026")
    >>> vocabulary.bucket_of(["mate", "tea", "mate"]).tolist()
    [603, 667, 603]
    >>> mechanism = md.baselines.subset_selection(vocabulary.problem, 4.0)
    >>> people = ["mate"] * 6000 + ["tea"] * 3000 + [f"drink {k}" for k in range(1000)]
    >>> reports = mechanism.simulate(vocabulary.bucket_of(people), seed=1)
    >>> found = vocabulary.frequencies(mechanism.estimate(reports), ["mate", "tea"])
    >>> found.frequencies.round(2).tolist()
    [0.6, 0.29]
    """

    buckets: int
    key: bytes = None  # type: ignore[assignment] # drawn then

    if TYPE_CHECKING:
        # A text becomes bytes.
        def __init__(self, buckets: int, key: bytes | str | None = None) -> None: ...

    def __post_init__(self) -> None:
        object.__setattr__(self, "buckets", whole("buckets", self.buckets, LEAST))
        object.__setattr__(self, "key", _key(self.key))

    @cached_property
    def problem(self) -> Problem:
        """The problem that people answer: their bucket, a number from 0."""
        return Problem(n=self.buckets)

    def bucket_of(self, texts: Any) -> npt.NDArray[np.int64]:
        """Return the bucket of each text, in the shape of `texts`: what `sample` takes of `problem`.

        Parameters
        ----------
        texts : sequence or array of str
            One for each person.

        Returns
        -------
        ndarray of int
            Numbers from 0.

        Raises
        ------
        DomainError
            An answer that is missing, blank or no text.

        Examples
        --------
        >>> HashedVocabulary(10**6, key=b"spring").bucket_of([["mate", "tea"], ["tea", "mate"]]).tolist()
        [[228304, 798216], [798216, 228304]]
        """
        words, shape = answers_in_words("texts", texts)
        distinct = dict.fromkeys(words)
        buckets = dict(zip(distinct, self._hashed(list(distinct)).tolist(), strict=True))
        return np.fromiter(map(buckets.__getitem__, words), dtype=np.int64, count=len(words)).reshape(shape)

    def frequencies(self, estimate: CoverEstimate | Estimate, words: Any) -> WordFrequencies:
        """Return the frequency of each of some words, from an estimate of the frequencies of the buckets.

        Standard errors count the draw of people, the mechanism's noise and, over the key, other words in the bucket.

        Parameters
        ----------
        estimate : CoverEstimate or Estimate
            Of the reports of a mechanism of `problem`, by the method "unbiased".
        words : sequence of str
            Distinct candidates, in any number: words of a dictionary, say. A word that nobody has is estimated as 0, up
            to its error.

        Returns
        -------
        WordFrequencies
            ``labels``, ``frequencies``, ``standard_errors``, ``interval(level)``.

        Raises
        ------
        DomainError
            An estimate by another method, or of another number of inputs; words that are missing, or there twice.

        Examples
        --------
        >>> import mechdesign as md
        >>> vocabulary = md.HashedVocabulary(256, key="k")
        >>> mechanism = md.baselines.randomised_response(vocabulary.problem, 5.0)
        >>> reports = mechanism.simulate(vocabulary.bucket_of(["tea"] * 900 + ["mate"] * 100), seed=1)
        >>> found = vocabulary.frequencies(mechanism.estimate(reports, method="unbiased"), ["tea", "mate"])
        >>> found.frequencies.round(2).tolist(), found.standard_errors.round(2).tolist()
        ([0.89, 0.1], [0.04, 0.06])
        """
        _require_unbiased(estimate, self.buckets)
        given = names("words", answers_in_words("words", words)[0])
        at = self.bucket_of(given)
        apart = 1.0 - 1.0 / self.buckets
        shares, variances = np.asarray(estimate.frequencies), np.asarray(estimate.standard_errors) ** 2
        found = (shares - 1.0 / self.buckets) / apart
        own = variances / apart**2
        # Two people have one bucket if they have one word, or by chance: this is sum_v f_v^2, without bias.
        squares = (float((shares**2 - variances).sum()) - 1.0 / self.buckets) / apart
        # Of found^2 collisions are a part, too: B - 2 in place of B - 1 makes up for it.
        others = np.maximum(squares - (found**2 - own), 0.0) / (self.buckets - 2)
        errors = np.sqrt(own + others)
        numbers, spread, collisions = (frozen(column[at]) for column in (found, errors, np.sqrt(others)))
        return WordFrequencies(given, tuple(at.tolist()), numbers, spread, collisions, estimate.reports)

    def _hashed(self, words: list[str]) -> npt.NDArray[np.int64]:
        """Return the bucket of each of some distinct texts."""
        limit = 2 ** (8 * DIGEST_BYTES)
        usable = limit - limit % self.buckets
        numbers = np.zeros(len(words), dtype=np.uint64)
        left, salt = np.arange(len(words)), 0
        while len(left):
            drawn = b"".join(self._digest(words[at], salt) for at in left.tolist())
            numbers[left] = _whole_numbers(drawn)
            left, salt = left[numbers[left] > np.uint64(usable - 1)], salt + 1
        return np.asarray(numbers % np.uint64(self.buckets), dtype=np.int64)

    def _digest(self, word: str, salt: int) -> bytes:
        # Lone surrogates have bytes of their own here: no two texts have one form.
        encoded = word.encode("utf-8", "surrogatepass")
        salted = salt.to_bytes(8, "little")
        return hashlib.blake2b(encoded, digest_size=DIGEST_BYTES, key=self.key, salt=salted).digest()


def _whole_numbers(digests: bytes) -> npt.NDArray[np.uint64]:
    """Return each digest as a whole number, its first byte the lowest."""
    parts = np.frombuffer(digests, dtype=np.uint8).reshape(-1, DIGEST_BYTES).astype(np.uint64)
    shifts = np.arange(0, 8 * DIGEST_BYTES, 8, dtype=np.uint64)
    return np.asarray((parts << shifts).sum(axis=1), dtype=np.uint64)


def _key(given: Any) -> bytes:
    """Return the given key as bytes, or a new one from the operating system."""
    if given is None:
        return os.urandom(KEY_BYTES)
    if not isinstance(given, bytes | str):
        raise DomainError("key", given, "it has to be bytes or a text", "leave it out to have one drawn")
    key = given.encode("utf-8", "surrogatepass") if isinstance(given, str) else given
    if not 0 < len(key) <= MOST_KEY_BYTES:
        rule = f"BLAKE2b takes keys of 1 to {MOST_KEY_BYTES} bytes"
        raise DomainError("key", f"of {len(key)} bytes", rule, "give another one, or leave it out to have one drawn")
    return key


def _require_unbiased(estimate: Any, buckets: int) -> None:
    """Raise unless this is an unbiased estimate of the frequencies of all buckets."""
    if not isinstance(estimate, CoverEstimate | Estimate):
        rule = "it has to be an estimate of the frequencies of the buckets"
        raise DomainError("estimate", type(estimate).__name__, rule, "give mechanism.estimate(reports)")
    if estimate.problem.n != buckets:
        rule = f"the vocabulary has {buckets} buckets"
        remedy = "give an estimate of a mechanism of vocabulary.problem"
        raise DomainError("estimate", f"of {estimate.problem.n} inputs", rule, remedy)
    if estimate.method != "unbiased":
        rule = "words have unbiased frequencies only by unbiased ones of buckets"
        remedy = 'give mechanism.estimate(reports, method="unbiased")'
        raise DomainError("estimate", f'by the method "{estimate.method}"', rule, remedy)
