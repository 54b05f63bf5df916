"""Two rounds of randomisation: a permanent report of each person, which is kept, and fresh reports drawn from it."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations_with_replacement
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np

from mechdesign.accounting.privacy_loss import largest_ratio, rules_out
from mechdesign.errors import DomainError
from mechdesign.exact import Integers, float_above, log_above
from mechdesign.files.appended_rows import AppendedRows
from mechdesign.files.rows import RowFormat
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.parameters.checks import Array, EqualByContent, whole

#: What a file of permanent reports holds.
PERMANENT = RowFormat("mechdesign permanent reports", 1, "sampler", lambda row: row["person"])
#: Multisets of reports whose joint law is computed.
MOST_MULTISETS = 200_000


@dataclass(frozen=True, eq=False)
class Longitudinal(EqualByContent):
    r"""A permanent mechanism whose output is kept, and an instantaneous one that is applied to it for each report.

    With P the permanent matrix and I the instantaneous one, k reports of a person with input x have the law
    :math:`\sum_z P[x, z] \prod_i I[z, y_i]`: one report is as private as P I, and all reports ever as P alone.

    Attributes
    ----------
    permanent, instantaneous : Mechanism
        The instantaneous one takes the outputs of the permanent one.

    References
    ----------
    U. Erlingsson, V. Pihur, A. Korolova, "RAPPOR: Randomized Aggregatable Privacy-Preserving Ordinal Response", ACM CCS
    2014.

    Examples
    --------
    >>> import mechdesign as md
    >>> truth = md.Problem(labels=["no", "yes"])
    >>> kept = md.baselines.randomised_response(truth, 2.0)
    >>> daily = md.longitudinal(kept, md.baselines.randomised_response(truth, 1.0))
    >>> round(daily.lifetime, 6), round(daily.one_report, 6), round(daily.reports(7), 6)
    (2.0, 0.735326, 1.993408)
    """

    permanent: Mechanism
    instantaneous: Mechanism

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism of one report, to estimate from: the product of the two, rounded to multiples of ``2**-53``."""
        product = self._product
        total = int(product[0].sum())
        rows = [[Fraction(int(entry), total) for entry in row] for row in product.tolist()]
        return Mechanism(rows, self.instantaneous.outputs, problem=self.permanent.inputs)

    @property
    def _product(self) -> Integers:
        return np.asarray(self.permanent.numerators.astype(object) @ self.instantaneous.numerators.astype(object))

    @property
    def one_report(self) -> float:
        """The level of LDP of one report, in nats, rounded upward."""
        return _level(self._product)

    @property
    def lifetime(self) -> float:
        """The level of LDP of all reports that a person ever makes, in nats, rounded upward.

        In the end they separate the permanent reports whose instantaneous rows differ.
        """
        return _level(self._separated)

    @property
    def _separated(self) -> Integers:
        """The permanent matrix in integers, outputs of the same instantaneous row added up."""
        rows = [tuple(row) for row in self.instantaneous.numerators.tolist()]
        alike = {row: [z for z, other in enumerate(rows) if other == row] for row in rows}
        kept = self.permanent.numerators.astype(object)
        return np.stack([kept[:, columns].sum(axis=1) for columns in alike.values()], axis=1)

    @property
    def seen_at_last(self) -> Array:
        """The law of what all reports ever show of a person, shape (n, k): permanent reports that can be separated."""
        counts = self._separated
        return np.asarray(counts / sum(counts[0].tolist()), dtype=float)

    def joint(self, count: int) -> Array:
        """Return the law of the multiset of `count` reports of one person, shape (n, multisets), in floating point."""
        columns = np.stack(list(self._joint(count)), axis=1)
        outputs, totals = range(self.instantaneous.numerators.shape[1]), [sum(self.permanent.numerators[0].tolist())]
        totals += [sum(self.instantaneous.numerators[0].tolist())] * count
        orders = [
            math.factorial(count) // math.prod(map(math.factorial, Counter(chosen).values()))
            for chosen in combinations_with_replacement(outputs, count)
        ]
        return np.asarray(columns * np.array(orders, dtype=object) / math.prod(totals), dtype=float)

    def reports(self, count: int) -> float:
        """Return the level of LDP of `count` reports of one person together, in nats, rounded upward.

        Parameters
        ----------
        count : int
            At least 1.

        Raises
        ------
        DomainError
            So many reports that their multisets are too many; `lifetime` bounds any number of them.
        """
        times, outputs = whole("count", count, 1), self.instantaneous.numerators.shape[1]
        sorts = math.comb(times + outputs - 1, outputs - 1)
        if sorts > MOST_MULTISETS:
            rule = f"{times} reports of {outputs} outputs are {sorts} multisets, more than {MOST_MULTISETS}"
            raise DomainError("count", count, rule, "take lifetime, which bounds any number of reports")
        return _level(np.stack(list(self._joint(times)), axis=1))

    def _joint(self, times: int) -> Iterator[Integers]:
        """Yield the column of each sequence of reports up to its order, in integers."""
        kept, fresh = (made.numerators.astype(object) for made in (self.permanent, self.instantaneous))
        for outputs in combinations_with_replacement(range(fresh.shape[1]), times):
            yield kept @ fresh[:, outputs].prod(axis=1)

    def remembering(self, path: str | Path) -> PermanentReports:
        """Return a sampler that keeps the permanent report of each person in a file.

        Parameters
        ----------
        path : str or Path
            A file of lines, one for each person, which never holds an answer. It is locked while the sampler is open.

        Raises
        ------
        DomainError
            Another sampler has the file open; it holds something else, or reports of another permanent mechanism.
        WriteError
            It cannot be written.
        """
        return PermanentReports(self, path)

    def __repr__(self) -> str:
        n, kept = self.permanent.numerators.shape
        return f"Longitudinal({n} inputs, {kept} permanent reports, {len(self.instantaneous.outputs)} outputs)"


class PermanentReports:
    """A sampler that keeps the permanent report of each person in a file, as ``Longitudinal.remembering`` returns it.

    A context manager. A person's first answer is randomised once, and is not kept; every report is a fresh one of that
    permanent report, so that later answers of the same person change nothing.
    """

    def __init__(self, rounds: Longitudinal, path: str | Path) -> None:
        self._rounds = rounds
        kept = rounds.permanent.numerators.shape[1]

        def fault(row: Mapping[str, Any]) -> str | None:
            person, report = row.get("person"), row.get("permanent")
            right = type(person) is str and type(report) is int and 0 <= report < kept
            return None if right else "it is no permanent report"

        self._file = AppendedRows(Path(path), PERMANENT, {"of": _fingerprint(rounds.permanent)}, fault)
        self._reports = {str(row["person"]): int(row["permanent"]) for row in self._file.held.values()}

    def __enter__(self) -> PermanentReports:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, and release its lock."""
        self._file.close()

    def __len__(self) -> int:
        return len(self._reports)

    def report(self, person: str, answer: Any) -> int:
        """Return a fresh report of a person, whose permanent report is drawn and written at the first one.

        Parameters
        ----------
        person : str
            The name of the person, another one for each person.
        answer : object
            The person's answer, as `Mechanism.sample` takes it; it is not looked at once there is a permanent report.

        Returns
        -------
        int
            The number of an output of the instantaneous mechanism.

        Raises
        ------
        DomainError
            A person that is no text; an answer that is no input.
        WriteError
            The permanent report cannot be written: then nothing is reported.
        """
        if not isinstance(person, str):
            raise DomainError("person", person, "it has to be a text", "give an identifier, str(number) say")
        if person not in self._reports:
            drawn = int(self._rounds.permanent.sample(answer))
            self._file.append({"person": person, "permanent": drawn})
            self._reports[person] = drawn
        return int(self._rounds.instantaneous.sample(self._reports[person], by="index"))


def longitudinal(permanent: Mechanism, instantaneous: Mechanism) -> Longitudinal:
    """Return the chain of a permanent mechanism, whose output is kept, and an instantaneous one for each report.

    Parameters
    ----------
    permanent : Mechanism or Design
        Applied once to a person's answer.
    instantaneous : Mechanism or Design
        Applied to the kept output for each report: it takes as many inputs as `permanent` has outputs.

    Returns
    -------
    Longitudinal
        ``one_report``, ``lifetime`` and ``reports(count)`` are exact levels; `mechanism` is of one report, and
        ``remembering(path)`` a sampler that keeps permanent reports.

    Raises
    ------
    DomainError
        What is no mechanism; another number of inputs than outputs.

    Examples
    --------
    >>> import mechdesign as md
    >>> truth = md.Problem(labels=["a", "b", "c"])
    >>> kept = md.baselines.randomised_response(truth, 3.0)
    >>> md.longitudinal(kept, md.baselines.randomised_response(truth, 1.0))
    Longitudinal(3 inputs, 3 permanent reports, 3 outputs)
    """
    given = {"permanent": permanent, "instantaneous": instantaneous}
    first, second = (getattr(made, "mechanism", made) for made in given.values())
    for name, made in zip(given, (first, second), strict=True):
        if not isinstance(made, Mechanism):
            raise DomainError(name, made, "it has to be a Mechanism", "md.Mechanism(matrix, outputs) is one")
    outputs = first.numerators.shape[1]
    if second.inputs.n != outputs:
        rule = f"it takes the {outputs} outputs of the permanent mechanism"
        remedy = "design it for a problem of as many inputs"
        raise DomainError("instantaneous", f"of {second.inputs.n} inputs", rule, remedy)
    return Longitudinal(first, second)


def _level(numerators: Integers) -> float:
    """Return the largest logarithm of a ratio of two rows of integers in one column, rounded upward."""
    if rules_out(numerators):
        return math.inf
    ratio = largest_ratio(numerators)
    return float_above(log_above(ratio.numerator, ratio.denominator))


def _fingerprint(mechanism: Mechanism) -> str:
    """Return what a file of permanent reports is held to belong to a mechanism by."""
    rows = [[str(entry) for entry in row] for row in mechanism.numerators.tolist()]
    return hashlib.sha256(json.dumps([rows, list(map(str, mechanism.outputs))]).encode()).hexdigest()
