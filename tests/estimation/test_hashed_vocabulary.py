"""Words hashed into buckets: the hash, estimates without bias over the key, and what collisions cost."""

from __future__ import annotations

import hashlib
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

import mechdesign as md
from mechdesign.estimation import hashed_vocabulary
from mechdesign.estimation.word_frequencies import WordFrequencies

WORDS = [f"w{k}" for k in range(30)]
SHARES = 1.0 / np.arange(1.0, 31.0) / (1.0 / np.arange(1.0, 31.0)).sum()


def certain(buckets, shares):
    """Return the estimate of reports without noise: the buckets' shares, of a billion people."""
    mechanism = md.Mechanism(np.eye(buckets), problem=md.Problem(n=buckets))
    return mechanism.estimate(counts=np.rint(shares * 10**9).astype(int), method="unbiased")


def test_a_bucket_is_the_keyed_hash_of_the_text():
    def by_definition(key, text, buckets):
        digest = hashlib.blake2b(text.encode(), digest_size=8, key=key, salt=b"").digest()
        return int.from_bytes(digest, "little") % buckets

    texts = ["tea", "maté", "麦茶", "a longer text, with 7 words"]
    for key, buckets in ((b"\x00\xff", 1000), (b"k" * 64, 2**31 - 1)):
        found = md.HashedVocabulary(buckets, key).bucket_of(texts)
        assert found.tolist() == [by_definition(key, text, buckets) for text in texts]
    # What was hashed once stays where it is.
    kept = md.HashedVocabulary(1024, "drinks, spring 2026").bucket_of([["tea", "mate"], ["mate", "tea"]])
    assert kept.tolist() == [[667, 603], [603, 667]]


def test_texts_have_one_bucket_in_either_unicode_form():
    vocabulary = md.HashedVocabulary(10**6, "k")
    assert len(set(vocabulary.bucket_of(["caf\u00e9", "cafe\u0301"]).tolist())) == 1
    assert vocabulary.bucket_of(pd.Series(["tea", "milk"])).tolist() == vocabulary.bucket_of(["tea", "milk"]).tolist()


def test_a_key_is_drawn_once_and_equal_keys_are_one_vocabulary():
    one, other = md.HashedVocabulary(1 << 20), md.HashedVocabulary(1 << 20)
    assert len(one.key) == 16 and one.key != other.key and one != other
    again = eval(repr(one), {name: getattr(md, name) for name in md.__all__})
    assert again == one and hash(again) == hash(one) and again.bucket_of(["tea"]) == one.bucket_of(["tea"])
    assert md.HashedVocabulary(8, "k") == md.HashedVocabulary(8, b"k")


def test_every_bucket_is_equally_likely_if_digests_beyond_the_last_multiple_are_hashed_again(monkeypatch):
    # Of bytes 200 to 255, which 200 buckets leave over, the first 56 buckets would have twice their share.
    monkeypatch.setattr(hashed_vocabulary, "DIGEST_BYTES", 1)
    found = np.bincount(md.HashedVocabulary(200, "even").bucket_of(list(map(str, range(100_000)))), minlength=200)
    statistic = float(((found - 500.0) ** 2 / 500.0).sum())
    assert abs(statistic - 199.0) < 5.0 * np.sqrt(2.0 * 199.0)
    assert abs(found[:56].sum() - 28_000) < 5.0 * np.sqrt(100_000 * 0.28 * 0.72)


def exact_moments(functions, shares, buckets):
    """Return the mean and the variance of the estimate of word 0 over all functions of a family, as fractions."""
    found = []
    for values in functions:
        bucket = sum((share for share, at in zip(shares, values, strict=True) if at == values[0]), Fraction(0))
        found.append((bucket - Fraction(1, buckets)) / (1 - Fraction(1, buckets)))
    mean = sum(found, Fraction(0)) / len(found)
    return mean, sum(((one - mean) ** 2 for one in found), Fraction(0)) / len(found)


def variance_by_definition(values, shares, buckets):
    """Return the estimate of what collisions add to the variance of word 0, from the buckets' shares alone."""
    sums = [sum((f for f, at in zip(shares, values, strict=True) if at == b), Fraction(0)) for b in range(buckets)]
    apart = 1 - Fraction(1, buckets)
    squares = (sum(one * one for one in sums) - Fraction(1, buckets)) / apart
    found = (sums[values[0]] - Fraction(1, buckets)) / apart
    return (squares - found * found) / (buckets - 2)


def test_the_formulas_are_exact_over_families_of_hash_functions():
    """Polynomials over five elements: lines are pairwise independent, parabolas independent in threes."""
    q, shares = 5, [Fraction(k, 15) for k in (1, 5, 4, 3, 2)]
    lines = [[(a + b * x) % q for x in range(q)] for a, b in product(range(q), repeat=2)]
    curves = [[(a + b * x + c * x * x) % q for x in range(q)] for a, b, c in product(range(q), repeat=3)]
    others = sum((share**2 for share in shares[1:]), Fraction(0))
    assert exact_moments(curves, shares, q) == (shares[0], others / (q - 1))
    estimated = [variance_by_definition(values, shares, q) for values in curves]
    assert sum(estimated, Fraction(0)) / len(curves) == others / (q - 1)
    mean, variance = exact_moments(lines, shares, q)
    # Independence in pairs is enough for the mean alone.
    assert mean == shares[0] and variance != others / (q - 1)


def test_estimates_and_standard_errors_hold_over_many_keys():
    truth, found, errors = SHARES[3], [], []
    for key in range(2500):
        vocabulary = md.HashedVocabulary(16, f"key {key}")
        shares = np.bincount(vocabulary.bucket_of(WORDS), SHARES, minlength=16)
        one = vocabulary.frequencies(certain(16, shares), [WORDS[3], "nobody's"])
        found.append(one.frequencies)
        errors.append(one.standard_errors)
    values, squares = np.array(found), np.array(errors) ** 2
    right = (np.sum(SHARES**2) - np.array([truth, 0.0]) ** 2) / 15
    deviation = np.sqrt(right / 2500)
    assert (np.abs(values.mean(axis=0) - [truth, 0.0]) < 4.0 * deviation).all()
    assert np.allclose(values.var(axis=0), right, rtol=0.15)
    assert np.allclose(squares.mean(axis=0), right, rtol=0.04)


@pytest.mark.parametrize("make", [md.baselines.randomised_response, md.baselines.local_hashing])
def test_intervals_cover_words_with_the_noise_of_a_mechanism(make):
    rng, inside, apart, errors = np.random.default_rng(4), [], [], []
    for key in range(400):
        vocabulary = md.HashedVocabulary(64, f"key {key}")
        mechanism = make(vocabulary.problem, 1.0)
        people = rng.choice(30, size=4000, p=SHARES)
        reports = mechanism.simulate(vocabulary.bucket_of(WORDS)[people], seed=1000 + key, by="index")
        one = vocabulary.frequencies(mechanism.estimate(reports, method="unbiased"), WORDS)
        low, high = one.interval(0.9).T
        inside.append((low <= SHARES) & (high >= SHARES))
        apart.append(one.frequencies - SHARES)
        errors.append(one.standard_errors)
        assert (one.collision_errors < one.standard_errors).all()
    # Collisions are rare and large: intervals of normal quantiles cover more often than they say, at this level.
    assert 0.89 < np.mean(inside) < 0.96
    assert np.mean(np.square(apart)) == pytest.approx(np.mean(np.square(errors)), rel=0.1)


def test_words_of_one_bucket_are_said_to_be():
    vocabulary = md.HashedVocabulary(3, "k")
    found = vocabulary.frequencies(certain(3, np.array([0.25, 0.25, 0.5])), WORDS[:8])
    assert "8 of 8 words share a bucket" in str(found) and len(found) == 8 and "8 words" in repr(found)
    assert [row["bucket"] for row in found.to_pandas().to_dict("records")] == vocabulary.bucket_of(WORDS[:8]).tolist()
    alone = WordFrequencies(("a",), (1,), *np.array([[0.5], [0.1], [0.01]]), reports=9)
    assert "share" not in str(alone)


def test_intervals_of_words_are_normal():
    some = WordFrequencies(("a", "b"), (1, 2), *np.array([[0.5, 0.2], [0.1, 0.03], [0.01, 0.01]]), reports=9)
    for level, z in ((0.9, 1.644854), (0.95, 1.959964)):
        assert some.interval(level).ravel() == pytest.approx(
            [0.5 - 0.1 * z, 0.5 + 0.1 * z, 0.2 - 0.03 * z, 0.2 + 0.03 * z], abs=1e-7
        )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: md.HashedVocabulary(2, "k"), "buckets is 2, but it has to be at least 3"),
        (lambda: md.HashedVocabulary(8, ""), "key is of 0 bytes, but BLAKE2b takes keys of 1 to 64 bytes"),
        (lambda: md.HashedVocabulary(8, "é" * 33), "key is of 66 bytes"),
        (lambda: md.HashedVocabulary(8, 7), "key is 7, but it has to be bytes or a text"),
        (lambda: md.HashedVocabulary(8, "k").bucket_of(["a", None]), r"texts\[1\] is None, but nothing may be missing"),
        (lambda: md.HashedVocabulary(8, "k").bucket_of(["a", " "]), r"texts\[1\] is blank, but nothing may be missing"),
        (lambda: md.HashedVocabulary(8, "k").bucket_of([3, 4]), r"texts\[0\] is 3, but answers in words are texts"),
        (lambda: md.HashedVocabulary(8, "k").bucket_of(np.array([0.5, np.nan])), r"texts\[0\] is 0.5"),
    ],
)
def test_what_is_no_vocabulary_or_no_text_is_refused(make, message):
    with pytest.raises(md.DomainError, match=message):
        make()


def test_what_is_no_unbiased_estimate_of_the_buckets_is_refused():
    vocabulary = md.HashedVocabulary(8, "k")
    mechanism = md.baselines.projective_response(vocabulary.problem, 1.0)
    nearest = mechanism.estimate([0, 1, 2], method="nonnegative")
    other = md.baselines.projective_response(md.Problem(n=9), 1.0).estimate([0, 1, 2])
    right = mechanism.estimate([0, 1, 2])
    for estimate, words, message in (
        (nearest, ["tea"], 'by the method "nonnegative", but .* give mechanism.estimate'),
        (md.baselines.randomised_response(vocabulary.problem, 1.0).estimate([0, 1]), ["tea"], '"likelihood"'),
        (other, ["tea"], "of 9 inputs, but the vocabulary has 8 buckets"),
        ([0.5] * 8, ["tea"], "estimate is list, but it has to be an estimate"),
        (right, ["tea", "tea"], "words is tea, but names have to be distinct"),
        (right, ["tea", ""], r"words\[1\] is blank"),
    ):
        with pytest.raises(md.DomainError, match=message):
            vocabulary.frequencies(estimate, words)
