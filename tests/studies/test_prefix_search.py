"""Frequent words prefix by prefix: what is found, how surely, and that nothing is kept which is too rare."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

import mechdesign as md

#: Of a thousand estimates of the right mechanism about one has a p-value below 0.001.
pytestmark = pytest.mark.filterwarnings("ignore:The reports do not fit:mechdesign.errors.FitWarning")
WORDS = ("a", "an", "ant", "bee", "beetle", "cat", "caterpillar", "d\u00e9j\u00e0", "dodo")
SHARES = np.array([0.2, 0.1, 0.15, 0.14, 0.12, 0.1, 0.15, 0.02, 0.02])
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def searched(search, words, shares, people, seed):
    """Return the search at its end: other people in each round, drawn at random."""
    rng = np.random.default_rng(seed)
    while not search.is_complete:
        asked = rng.choice(np.array(words), size=people, p=shares)
        search = search.after(search.mechanism.simulate(search.answers_of(asked), seed=rng.integers(1 << 30)))
    return search


def test_candidates_are_what_is_kept_longer_and_the_words_that_end():
    search = md.PrefixSearch(md.LDP(1.0), "ab", 3, step=2)
    assert search.candidates == ("a", "b", "aa\u2026", "ab\u2026", "ba\u2026", "bb\u2026")
    words = ["a", "b", "ab", "aba", "abab", "ax", "\u00e9", "baxter"]
    assert search.answers_of(words).tolist() == [
        *("a", "b", "ab\u2026", "ab\u2026", "ab\u2026", "\u2026", "\u2026", "ba\u2026")
    ]
    # The last round asks for words: what is longer than they are is none of them.
    last = md.PrefixSearch(md.LDP(1.0), "ab", 3, step=2, kept=("a", "ab\u2026"), round=1)
    assert last.candidates == ("a", "ab", "aba", "abb") and last.problem.labels[-1] == "\u2026"
    assert last.answers_of(words).tolist() == [*("a", "\u2026", "ab", "aba", "\u2026", "\u2026", "\u2026", "\u2026")]
    assert last.answers_of([["ab\u2026", "\u2026"]]).tolist() == [["\u2026", "\u2026"]]
    assert not last.is_complete and md.PrefixSearch(md.LDP(1.0), "ab", 3, kept=("a",), round=1).is_complete


def test_frequent_words_are_found_and_no_others():
    search = md.PrefixSearch(md.LDP(2.0), LETTERS, 6, step=2)
    frequent = {word for word, share in zip(WORDS, SHARES, strict=True) if share >= 0.1} - {"caterpillar"}
    found = [searched(search, WORDS, SHARES, 20_000, seed) for seed in range(10)]
    assert all(set(one.words) == frequent and one.round == one.rounds == 3 for one in found)
    rows = found[0].to_pandas()
    truth = dict(zip(WORDS, SHARES, strict=True))
    assert all(row.low <= truth[row.label] <= row.high and row.low > 0 for row in rows.itertuples())
    assert "A person who answers in one round spends epsilon 2; in all of them 6." in str(found[0])


def test_nothing_is_kept_that_nobody_has():
    """Of 300 rounds about words of other symbols, a false prefix is in no more than the level allows."""
    search = md.PrefixSearch(md.LDP(1.0), LETTERS, 1, level=0.8)
    false, alone = 0, 0
    for seed in range(300):
        found = search.after(search.mechanism.simulate(search.answers_of(["7"] * 2000), seed=seed))
        false += bool(found.kept)
        alone += bool((found.estimate.interval(0.8, how="exact")[:-1, 0] > 0).any())
    # An interval lies above its share with half of what it misses.
    assert false <= binom.ppf(0.999, 300, 0.1)
    assert alone > binom.ppf(0.999, 300, 0.2)


def test_nothing_is_kept_whose_share_is_only_the_threshold():
    words = [f"{a}{b}" for a in "ab" for b in "abcde"]
    search = md.PrefixSearch(md.LDP(2.0), "abcde", 2, level=0.8, threshold=0.1)
    found = [searched(search, words, np.full(10, 0.1), 3000, seed) for seed in range(150)]
    # All of them ask for the words in the last round, and none of these may be kept.
    assert all(set(one.estimate.labels) > set(words) for one in found)
    assert sum(bool(one.kept) for one in found) <= binom.ppf(0.999, 150, 0.1)


@pytest.mark.parametrize("epsilon", [0.5, 4.0])
def test_the_probability_to_be_kept_is_right(epsilon):
    search = md.PrefixSearch(md.LDP(epsilon), LETTERS, 4, threshold=0.02)
    grid = np.linspace(0.0, 1.0, 201)
    chances = [search.kept_with(share, 4000) for share in grid]
    assert (np.diff(chances) >= 0).all() and chances[-1] > 0.999
    share = float(grid[np.searchsorted(chances, 0.7)])
    people = ["x"] * round(4000 * share) + ["y"] * (4000 - round(4000 * share))
    rng, kept = np.random.default_rng(5), 0
    for seed in range(200):
        asked = rng.choice(people, size=4000)
        kept += "x\u2026" in search.after(search.mechanism.simulate(search.answers_of(asked), seed=seed)).kept
    assert binom.ppf(0.0005, 200, search.kept_with(share, 4000)) <= kept
    assert kept <= binom.ppf(0.9995, 200, search.kept_with(share, 4000))


def test_levels_of_rounds_add_up_if_a_person_answers_in_all():
    words, search = ["aa", "ab", "bb"], md.PrefixSearch(md.LDP(1.5), "ab", 2)
    again = md.PrefixSearch(md.LDP(1.5), "ab", 2, kept=("a\u2026", "b\u2026"), round=1)
    made = []
    for one in (search, again):
        assert md.audit(one.mechanism).holds and not md.audit(one.mechanism, md.LDP(1.4)).holds
        rows = [one.problem.labels.index(answer) for answer in one.answers_of(words)]
        made.append(md.Mechanism(one.mechanism.matrix[rows]))
    both = md.together(made)
    assert search.summed_level == 3.0 and md.audit(both, md.LDP(3.0)).holds
    assert not md.audit(both, md.LDP(1.6)).holds


def test_a_search_that_keeps_nothing_is_at_its_end():
    search = md.PrefixSearch(md.LDP(1.0), "ab", 3)
    found = search.after(search.mechanism.simulate(search.answers_of(["c"] * 50), seed=1))
    assert found.is_complete and found.kept == () == found.words and len(found.to_pandas()) == 0
    assert "no more are needed" in str(found)
    for call in (lambda: found.candidates, lambda: found.after([0]), lambda: found.kept_with(0.1, 100)):
        with pytest.raises(md.UnsupportedError, match="The search is complete"):
            call()


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: md.PrefixSearch(md.MaxLift(1.0), "ab", 3), md.UnsupportedError, "under LDP, not MaxLift"),
        (lambda: md.PrefixSearch(1.0, "ab", 3), md.DomainError, r"give the notion .* md.LDP\(1.0\)"),
        (lambda: md.PrefixSearch(md.LDP(0.0), "ab", 3), md.DomainError, "at epsilon 0 reports say nothing"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "aba", 3), md.DomainError, "alphabet is a, but symbols have to be dist"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "a\u2026", 3), md.DomainError, "stands for the rest of a word"),
        (lambda: md.PrefixSearch(md.LDP(1.0), ["a"], 3), md.DomainError, "a text of the symbols"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 0), md.DomainError, "length is 0"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 3, step=0), md.DomainError, "step is 0"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 3, level=95), md.DomainError, "give 0.95"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 3, threshold=2), md.DomainError, "threshold is 2"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 3, kept=("a\u2026",)), md.DomainError, "prefixes have 0 symbols"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 1, kept=("a\u2026",), round=1), md.DomainError, "are words"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 3, kept="a"), md.DomainError, "sequence of names"),
        (lambda: md.PrefixSearch(md.LDP(1.0), LETTERS, 99, step=90).problem, md.DomainError, "add fewer symbols"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 3).answers_of(["a", ""]), md.DomainError, r"texts\[1\] is blank"),
        (lambda: md.PrefixSearch(md.LDP(1.0), "ab", 3).kept_with(2.0, 9), md.DomainError, "frequency is 2"),
    ],
)
def test_what_is_no_search_is_refused(make, error, message):
    with pytest.raises(error, match=message):
        make()
