"""Words that are known beforehand, and one category for all other answers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.parameters.checks import names, text
from mechdesign.parameters.labels import Places
from mechdesign.problem.bins import bins_of_labels
from mechdesign.problem.columns_of_data import array, refuse_mixtures
from mechdesign.problem.missing import absences, missing_rule, suspects
from mechdesign.problem.problem import Problem


@dataclass(frozen=True)
class KnownVocabulary:
    """``g(w) = w`` if w is one of the words that are known, and the category `other` if it is not.

    A problem refuses answers that it does not have. This is the declaration that they are one more category, whose
    frequency is estimated like the others: it says how much the list misses.

    Parameters
    ----------
    words : sequence of str
        Distinct answers, in their order; chosen without a look at the answers of those who report.
    other : str
        What the category of all other answers is called; none of the words.

    Attributes
    ----------
    labels : tuple of str
        The words, and `other` as the last one.
    problem : Problem
        Of these labels, for a mechanism.

    Raises
    ------
    DomainError
        Words that are missing, or there twice; `other` among them; words that are bins of numbers.

    Examples
    --------
    >>> import mechdesign as md
    >>> vocabulary = md.KnownVocabulary(["coffee", "tea"])
    >>> vocabulary.answers_of(["tea", "mate", "coffee", None]).tolist()
    ['tea', 'other', 'coffee', None]
    >>> md.Problem.from_records(vocabulary.answers_of(["tea", "mate", "coffee"]), categories=vocabulary.labels)
    Problem(n=3, prior=[0.333333, 0.333333, 0.333333], labels=['coffee', 'tea', 'other'])
    """

    words: tuple[str, ...]
    other: str = field(default="other")

    def __post_init__(self) -> None:
        given = names("words", self.words)
        known, other = Places(given), text("other", self.other)
        if not given:
            raise DomainError("words", "empty", "there has to be a known answer", "give at least one")
        if bins_of_labels(given) is not None:
            rule = "words that are bins of numbers have no others"
            raise DomainError("words", given[0], rule, "give bins that hold all answers, the last one wide enough")
        if int(known.of([other])[0]) >= 0:
            rule = "it is one of the words, and would hold its people, too"
            raise DomainError("other", other, rule, 'give another name, other="none of these", say')
        object.__setattr__(self, "words", given)
        object.__setattr__(self, "other", other)

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The words, and the category of all others as the last one."""
        return (*self.words, self.other)

    @cached_property
    def problem(self) -> Problem:
        """The problem that people answer: a word, or the category of all others."""
        return Problem(labels=self.labels)

    @cached_property
    def _places(self) -> Places:
        return Places(self.labels)

    def answers_of(self, records: Any, *, missing: Any = None) -> npt.NDArray[np.object_]:
        """Return each answer as one of the labels, in the shape of `records`: what `sample` takes of `problem`.

        A missing answer is no other answer: None, NaN, texts such as "" and "NA", and the codes in `missing` stay as
        they are unless they are words, and are refused or counted by what takes them next.

        Parameters
        ----------
        records : sequence or array
            One answer for each person; a label is its ``str``.
        missing : str, number or sequence, optional
            Further codes of a missing answer.

        Returns
        -------
        ndarray of object
            Labels, and missing answers.

        Raises
        ------
        DomainError
            Answers of several kinds; codes that are neither texts nor numbers.

        Examples
        --------
        >>> KnownVocabulary(["yes", "no"]).answers_of(["no", "perhaps", -9], missing=-9).tolist()
        ['no', 'other', -9]
        """
        given = array("records", records)
        flat = given.reshape(-1)
        absent = suspects(flat) | absences(flat, missing_rule(missing, drop_missing=False))
        if flat.dtype.kind == "O" and not absent.all():
            refuse_mixtures("records", flat[~absent])
        found = self._places.of(list(map(str, flat.tolist())))
        kept = absent & (found < 0)
        answers = np.array(self.labels, dtype=object)[np.where(found < 0, len(self.words), found)]
        answers[kept] = flat[kept]
        return np.asarray(answers.reshape(given.shape))
