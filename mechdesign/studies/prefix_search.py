"""Frequent words of a vocabulary that is not known, found prefix by prefix: heavy hitters under LDP."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.estimation.cover_estimate import CoverEstimate
from mechdesign.estimation.intervals import clopper_pearson, each_level, probability
from mechdesign.families.best import families_for, ratio_below
from mechdesign.files.tables import Tabular
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.parameters.checks import first_repeated, names, one_form, real, whole
from mechdesign.problem import Problem
from mechdesign.problem.texts import answers_in_words
from mechdesign.question.given import required
from mechdesign.tolerances import LARGEST_EXPONENT

#: What stands behind a prefix, for the rest of the word; alone it is every word that no candidate holds.
REST = "\N{HORIZONTAL ELLIPSIS}"
#: More candidates are not listed.
MOST_CANDIDATES = 1 << 21
#: The columns of the table.
COLUMNS = ("label", "estimate", "low", "high")


@dataclass(frozen=True, eq=False)
class PrefixSearch(Tabular, Displayed):
    r"""Prefixes p whose share ``f_p = Pr(word starts with p)`` is above a threshold, each round some symbols longer.

    A round asks people which candidate their word is of: each prefix that was kept, longer by every choice of some
    symbols, each word that ends before, and all else. Prefixes are kept whose exact confidence intervals lie above the
    threshold, and the next round asks other people. After the last round what is kept are words.

    Parameters
    ----------
    notion : LDP
        What every report keeps private, ``md.LDP(epsilon)``.
    alphabet : str
        The distinct symbols that words are made of.
    length : int
        Of the longest word that is looked for. Words that are longer, or have other symbols, are in no final candidate.
    step : int
        Symbols that a round adds: with more of them there are fewer rounds, of more people and more candidates each.
    level : float
        The probability with which all intervals of all rounds hold at once, at least: above 0 and below 1.
    threshold : float
        The share above which a prefix has to lie certainly, from 0 to 1.
    kept : sequence of str
        The prefixes that the rounds so far have kept, each with an ellipsis behind it, and the words, without one; with
        `round` and the other numbers it is all that has to be saved between two rounds.
    round : int
        How many rounds are over.
    estimate : CoverEstimate, optional
        Of the last round's reports, for the table of what is kept; `after` sets it.

    Raises
    ------
    DomainError
        Symbols that are there twice, or the ellipsis; numbers out of range; epsilon 0; prefixes of another round.
    UnsupportedError
        Another notion than LDP.

    Notes
    -----
    Each person answers in one round, and epsilon is spent once. Somebody who answered in several would have spent their
    sum, `summed_level` in all of them, and intervals are for other people in each round, drawn at random.

    A round's intervals are Clopper and Pearson's of the number of reports that cover a candidate, at the level ``1 - (1
    - level) / (rounds n)`` for n candidates. With the probability `level` nothing is ever kept whose share is not above
    the threshold, whatever the population is: this holds given what the rounds before have kept, as their people are
    others.

    References
    ----------
    R. Bassily, K. Nissim, U. Stemmer, A. Thakurta, "Practical Locally Private Heavy Hitters", NeurIPS 2017

    T. Wang, N. Li, S. Jha, "Locally Differentially Private Heavy Hitter Identification", IEEE Transactions on
    Dependable and Secure Computing 18 (2021)

    Examples
    --------
    >>> import mechdesign as md
    >>> search = md.PrefixSearch(md.LDP(2.0), "aemt", 4, step=2)
    >>> people = np.random.default_rng(1).choice(["mate", "tea", "eat"], size=40_000, p=[0.5, 0.3, 0.2])
    >>> for asked in (people[:20_000], people[20_000:]):
    ...     search = search.after(search.mechanism.simulate(search.answers_of(asked), seed=search.round))
    ...     print(search.kept)
    ('ea…', 'ma…', 'te…')
    ('eat', 'mate', 'tea')
    """

    notion: Notion
    alphabet: str
    length: int
    step: int = 1
    level: float = 0.95
    threshold: float = 0.0
    kept: tuple[str, ...] = (REST,)
    round: int = 0
    estimate: CoverEstimate | None = None

    def __post_init__(self) -> None:
        notion = required("notion", self.notion, Notion)
        if not is_ldp_of_inputs(notion, Problem(n=2)):
            raise UnsupportedError(f"Prefixes are found under LDP, not {notion}: give md.LDP(epsilon).")
        if notion.parameter == 0.0:
            raise DomainError("notion", notion, "at epsilon 0 reports say nothing", "give a level above 0")
        checked = {
            "alphabet": _symbols(self.alphabet),
            "length": whole("length", self.length, 1),
            "step": whole("step", self.step, 1),
            "level": probability(self.level),
            "threshold": real("threshold", self.threshold, 0.0, 1.0),
            "kept": names("kept", self.kept),
            "round": whole("round", self.round, 0),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        length = self.step * self.round
        wrong = [each for each in self.kept if each.endswith(REST) and not len(each) - 1 == length < self.length]
        if wrong:
            rule = f"after round {self.round} of {self.rounds} prefixes have {length} symbols and the ellipsis"
            rule = rule if self.round < self.rounds else f"after round {self.round} all that is kept are words"
            raise DomainError("kept", wrong[0], rule, "give kept and round as a search had them")

    @property
    def rounds(self) -> int:
        """How many rounds there are, if none of them ends the search: ``ceil(length / step)``."""
        return -(-self.length // self.step)

    @property
    def is_complete(self) -> bool:
        """Whether no prefix is left to make longer: all that is kept are words."""
        return not any(each.endswith(REST) for each in self.kept)

    @property
    def words(self) -> tuple[str, ...]:
        """The words that are kept so far."""
        return tuple(each for each in self.kept if not each.endswith(REST))

    @property
    def summed_level(self) -> float:
        """The level of the reports of a person who answers in every round, ``rounds epsilon``, in nats."""
        return self.rounds * self.notion.parameter

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """The prefixes and words that the next round asks for.

        Raises
        ------
        UnsupportedError
            The search is complete.
        DomainError
            More than two million.
        """
        if self.is_complete:
            raise UnsupportedError("The search is complete: no prefix is left to make longer; see words and to_pandas.")
        opened, added = len(self.kept) - len(self.words), self._depth - self.step * self.round
        # Of many symbols it is not worked out: the number has as many digits.
        if added * math.log2(len(self.alphabet)) + math.log2(opened) > math.log2(MOST_CANDIDATES):
            rule = f"{opened} prefixes with {added} of {len(self.alphabet)} symbols behind them are too many candidates"
            raise DomainError("step", self.step, rule, "add fewer symbols at once")
        return (*self.words, *self._longer())

    @property
    def _depth(self) -> int:
        """How many symbols the prefixes of the next round have."""
        return min(self.step * (self.round + 1), self.length)

    def _longer(self) -> Iterator[str]:
        """Yield the candidates of each prefix, the shortest first: words that end before the depth, then prefixes."""
        depth, end = self._depth, "" if self._depth == self.length else REST
        for prefix in [each.removesuffix(REST) for each in self.kept if each.endswith(REST)]:
            for size in range(depth - len(prefix) + 1):
                behind = end if len(prefix) + size == depth else ""
                for symbols in product(self.alphabet, repeat=size):
                    if prefix or symbols:
                        yield prefix + "".join(symbols) + behind

    @cached_property
    def problem(self) -> Problem:
        """What people answer in the next round: their candidate, or the last one for all else."""
        return Problem(labels=(*self.candidates, REST))

    @cached_property
    def mechanism(self) -> ImplicitMechanism:
        """The mechanism of the next round: the family of least variance for the number of candidates."""
        ratio = ratio_below(min(self.notion.parameter, LARGEST_EXPONENT))
        best = min(families_for(self.problem.n, ratio), key=lambda one: one.total_variance())
        return ImplicitMechanism(best, problem=self.problem, notion=self.notion)

    @cached_property
    def _answers(self) -> frozenset[str]:
        return frozenset(self.candidates)

    def answers_of(self, texts: Any) -> npt.NDArray[np.object_]:
        """Return the candidate of the next round that each word is of: what `sample` takes of `mechanism`.

        Parameters
        ----------
        texts : sequence or array of str
            One word for each person.

        Returns
        -------
        ndarray of object
            Labels of `problem`.

        Raises
        ------
        DomainError
            A word that is missing, blank or no text.
        UnsupportedError
            The search is complete.

        Examples
        --------
        >>> import mechdesign as md
        >>> search = md.PrefixSearch(md.LDP(1.0), "abc", 4, step=2)
        >>> search.answers_of(["a", "abba", "bad", "cc"]).tolist()
        ['a', 'ab…', 'ba…', 'cc…']
        """
        words, shape = answers_in_words("texts", texts)
        found = {word: self._answer_of(word) for word in dict.fromkeys(words)}
        return np.array([found[word] for word in words], dtype=object).reshape(shape)

    def _answer_of(self, word: str) -> str:
        if word in self._answers and not word.endswith(REST):
            return word
        prefix = word[: self._depth] + REST
        return prefix if len(word) >= self._depth and prefix in self._answers else REST

    def after(self, reports: Any) -> PrefixSearch:
        """Return the search after the next round, whose people gave these reports.

        Parameters
        ----------
        reports : array_like
            What `sample` of `mechanism` returned, one for each person.

        Returns
        -------
        PrefixSearch
            With what is kept, and the round counted.

        Raises
        ------
        DomainError
            No reports, or others than the mechanism's.
        UnsupportedError
            The search is complete.

        Examples
        --------
        >>> import mechdesign as md
        >>> search = md.PrefixSearch(md.LDP(2.0), "abc", 4)
        >>> people = ["abba"] * 500 + ["bab"] * 500
        >>> search.after(search.mechanism.simulate(search.answers_of(people), seed=1)).kept
        ('a…', 'b…')
        """
        found = self.mechanism.estimate(reports)
        low = found.interval(self._level_of_round, simultaneous=True, how="exact")[:-1, 0]
        kept = tuple(self.candidates[at] for at in np.flatnonzero(low > self.threshold))
        return replace(self, kept=kept, round=self.round + 1, estimate=found)

    @property
    def _level_of_round(self) -> float:
        return 1.0 - (1.0 - self.level) / self.rounds

    def kept_with(self, frequency: float, people: int) -> float:
        """Return the probability that the next round keeps a candidate of that share: exact, of a binomial number.

        A prefix is at least as frequent as each of its words. A word is found if every round keeps it.

        Parameters
        ----------
        frequency : float
            Its share of the population, from 0 to 1.
        people : int
            How many people answer in the round.

        Returns
        -------
        float
            From 0 to 1.

        Raises
        ------
        DomainError
            Numbers out of range.
        UnsupportedError
            The search is complete.

        Examples
        --------
        >>> import mechdesign as md
        >>> search = md.PrefixSearch(md.LDP(1.0), "abcdefgh", 5)
        >>> [round(search.kept_with(share, 20_000), 3) for share in (0.0, 0.05, 0.1)]
        [0.001, 0.842, 1.0]
        """
        from scipy.special import bdtrc

        share, reports = real("frequency", frequency, 0.0, 1.0), whole("people", people, 1)
        law, level = self.mechanism.family.law, each_level(self._level_of_round, True, self.problem.n)
        slope, offset = float(law.slopes[0, 0]), float(law.offsets[0, 0])

        def is_kept(covers: int) -> bool:
            low = float(clopper_pearson(np.array([float(covers)]), reports, level)[0, 0])
            return slope * low + offset > self.threshold

        least = bisect_left(range(reports + 1), True, key=is_kept)
        other = float(law.other[0, 0, 0])
        return float(bdtrc(least - 1, reports, other + share * (float(law.own[0, 0]) - other)))

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        if self.estimate is None or not self.kept:
            return []
        at = [self.estimate.problem.places.table[each] for each in self.kept]
        ends = self.estimate.interval(self._level_of_round, simultaneous=True, how="exact")[at]
        numbers = np.column_stack([self.estimate.frequencies[at], ends]).tolist()
        return [dict(zip(COLUMNS, (name, *row), strict=True)) for name, row in zip(self.kept, numbers, strict=True)]

    def __repr__(self) -> str:
        return f"PrefixSearch({self.notion}, round {self.round} of {self.rounds}, {len(self.kept)} kept)"

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return what is kept with its shares, and what the reports of one person add up to."""
        spent = self.notion.parameter
        said = (
            f"{self.round} of {self.rounds} rounds are over{', and no more are needed' * self.is_complete}.",
            f"A person who answers in one round spends epsilon {spent:g}; in all of them {self.summed_level:g}.",
        )
        records = self._records()

        def row(k: int) -> tuple[str, ...]:
            return (str(records[k]["label"]), *(f"{records[k][name]:z.6f}" for name in COLUMNS[1:]))

        level = f"{100 * self.level:.4g} % together, from"
        table = Table.of(
            "Kept", ("prefix or word", "share", level, "to"), len(records), row, ("prefix or word",), "rows"
        )
        return (Lines("Prefix search", said), *((table,) if records else ()))


def _symbols(alphabet: Any) -> str:
    """Return the symbols as a text, each of them once."""
    if not isinstance(alphabet, str) or not alphabet:
        rule = "it has to be a text of the symbols that words are made of"
        raise DomainError("alphabet", alphabet, rule, 'give "abcdefghijklmnopqrstuvwxyz", say')
    symbols = one_form(alphabet)
    if len(set(symbols)) < len(symbols):
        raise DomainError("alphabet", first_repeated(symbols), "symbols have to be distinct", "name each of them once")
    if REST in symbols:
        raise DomainError("alphabet", REST, "it stands for the rest of a word", "leave it out")
    return symbols
