"""Frequent and rare inputs apart, with reports of two kinds: one of rare inputs alone, one of frequent inputs."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.displays.blocks import listed
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.exact import Integers as Exact
from mechdesign.families.block_design import BlockDesign
from mechdesign.families.cover_law import CoverLaw
from mechdesign.families.family import Family, Reports, over_one_denominator
from mechdesign.families.subset_selection import SubsetSelection
from mechdesign.parameters.checks import Array
from mechdesign.runtime.random_bits import Integers, Source, coins, uniform_below

#: Reports are integers below two to this power.
MOST_BITS = 62
#: The numbers of the two groups, and of the two kinds of reports.
RARE, FREQUENT = 0, 1


@dataclass(frozen=True, eq=False)
class TwoGroups(Family):
    r"""Reports of two kinds for inputs in two groups, for populations that are known to be unequal.

    A report of the first kind is a subset of the rare inputs (`SubsetSelection`): it covers no frequent one. One of the
    second kind is a subset of the frequent inputs, together with another subset of the rare ones, or with none. A
    report of kind k that covers a share :math:`\kappa_{kb}` of group b has the probability :math:`c_k / N_k`, N_k being
    how many there are of its kind, and E times as much if it covers the person's input, where

    .. math:: c_0 (1 + (E - 1) \kappa_{0b}) + c_1 (1 + (E - 1) \kappa_{1b}) = 1

    for both groups b. Reports of the first kind are likelier from people of rare inputs, so that each has more
    information on them.

    Parameters
    ----------
    n : int
        Inputs.
    ratio : Fraction
        E, at most ``e^epsilon``.
    frequent : tuple of int
        The frequent inputs, in order; the others are rare.
    alone : tuple of int
        q and k of the subsets of rare inputs in reports of the first kind: they cover a share ``k / q``.
    covered : tuple of int
        q and k of the subsets of frequent inputs in reports of the second kind.
    beside : tuple of int
        q and k of the subsets of rare inputs in reports of the second kind; k may be 0.
    share : float
        The share of people with frequent inputs for which estimates are best.

    Raises
    ------
    DomainError
        Fewer than two frequent or rare inputs; subsets with which no such probabilities exist.

    Examples
    --------
    >>> made = TwoGroups(20, Fraction(20), frequent=(0, 1, 2), alone=(4, 1), covered=(3, 2), beside=(2, 0), share=0.6)
    >>> made.outputs, made.weights
    (258, (Fraction(8, 49), Fraction(3, 49)))
    >>> float(sum(made.probability(7, y) for y in range(made.outputs)))
    1.0
    """

    frequent: tuple[int, ...]
    alone: tuple[int, int]
    covered: tuple[int, int]
    beside: tuple[int, int]
    share: float

    name: ClassVar[str] = "two kinds of reports"

    def __post_init__(self) -> None:
        super().__post_init__()
        chosen = np.array(self.frequent, dtype=np.int64)
        if not 2 <= len(chosen) <= self.n - 2 or chosen[0] < 0 or chosen[-1] >= self.n or (np.diff(chosen) <= 0).any():
            rule = f"it has to have 2 to {self.n - 2} numbers of inputs, in order"
            raise DomainError("frequent", f"{len(chosen)} numbers", rule, "give the numbers of the frequent inputs")
        if any(len(pair) != 2 for pair in (self.alone, self.covered, self.beside)):
            raise DomainError("alone, covered, beside", "other numbers", "each is a pair", "give q and k")
        if not 0.0 < self.share < 1.0:
            raise DomainError("share", self.share, "it has to lie between 0 and 1", "give the frequent inputs' share")
        if min(self.weights) <= 0:
            rule = "such reports have to cover a larger share of the frequent inputs than of the rare ones"
            raise DomainError("beside", self.beside, rule, "give a smaller k, or 0")
        if self.outputs >= 1 << MOST_BITS:
            raise DomainError("n", self.n, f"reports would have more than {MOST_BITS} bits", "give smaller fields")

    def __repr__(self) -> str:
        subsets = ", ".join(f"{name}={getattr(self, name)}" for name in ("alone", "covered", "beside"))
        chosen = f"frequent={listed(self.frequent)} of {len(self.frequent)}"
        return f"{type(self).__name__}(n={self.n}, ratio={float(self.ratio):.9g}, {chosen}, {subsets})"

    @cached_property
    def groups(self) -> Integers:
        """The group of each input, shape (n,): 1 for frequent ones, 0 for rare ones."""
        found = np.zeros(self.n, dtype=np.int64)
        found[list(self.frequent)] = FREQUENT
        return found

    @cached_property
    def _members(self) -> tuple[Integers, Integers]:
        """The rare inputs and the frequent ones."""
        return np.flatnonzero(self.groups == RARE), np.flatnonzero(self.groups == FREQUENT)

    @cached_property
    def _places(self) -> Integers:
        """The place of each input in its group, shape (n,)."""
        found = np.empty(self.n, dtype=np.int64)
        for members in self._members:
            found[members] = np.arange(len(members))
        return found

    @cached_property
    def parts(self) -> tuple[tuple[BlockDesign | None, BlockDesign | None], ...]:
        """The family that reports of each kind cover the inputs of each group by; None if they cover none."""
        rare, frequent = (len(members) for members in self._members)
        alone = SubsetSelection.smallest(rare, self.ratio, *self.alone)
        joint = SubsetSelection.smallest(rare, self.ratio, *self.beside) if self.beside[1] else None
        return (alone, None), (joint, SubsetSelection.smallest(frequent, self.ratio, *self.covered))

    @cached_property
    def shares(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The share of each group's inputs that reports of each kind cover, on average over the reports."""
        return tuple((_covered(parts[0]), _covered(parts[1])) for parts in self.parts)

    @cached_property
    def weights(self) -> tuple[Fraction, Fraction]:
        """The probability of each kind from an input that none of its reports covered."""
        rare, frequent = ([1 + (self.ratio - 1) * kind[group] for kind in self.shares] for group in (RARE, FREQUENT))
        determinant = rare[0] * frequent[1] - rare[1] * frequent[0]
        if determinant == 0:
            return Fraction(0), Fraction(0)
        return (frequent[1] - rare[1]) / determinant, (rare[0] - frequent[0]) / determinant

    @cached_property
    def _sizes(self) -> tuple[int, int, int]:
        """Return the sizes of the first kind's subsets, and of the rare and the frequent part of the second kind's."""
        (alone, _), (joint, covered) = self.parts
        assert alone is not None and covered is not None, "each kind covers something"
        return alone.outputs, 1 if joint is None else joint.outputs, covered.outputs

    @property
    def outputs(self) -> int:
        """How many reports there are."""
        alone, joint, covered = self._sizes
        return alone + joint * covered

    def kind_of(self, reports: Integers) -> Integers:
        """Return the kind of each report, shape (k,): 1 if it may cover frequent inputs, 0 if it cannot."""
        return np.asarray(reports >= self._sizes[0], dtype=np.int64)

    def _halves(self, reports: Integers, kind: int) -> tuple[Integers, Integers]:
        """Return the numbers of the subsets of rare and of frequent inputs, of reports of one kind."""
        if kind == 0:
            return reports, np.zeros_like(reports)
        frequent, rare = np.divmod(reports - self._sizes[0], self._sizes[1])
        return rare, frequent

    @cached_property
    def law(self) -> CoverLaw:
        """How likely reports of each kind are, and cover an input, by the two groups."""
        rise, groups = self.ratio - 1, (RARE, FREQUENT)
        kinds, own, other, relative = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2, 2)), np.zeros((2, 2))
        people = (1 - Fraction(self.share), Fraction(self.share))
        for kind, (weight, shares) in enumerate(zip(self.weights, self.shares, strict=True)):
            likely = weight * (1 + rise * sum(people[b] * shares[b] for b in groups))
            for b, c in product(groups, groups):
                kinds[kind, c] = float(weight * (1 + rise * shares[c]))
                other[kind, b, c] = float(weight * self._met(kind, b, c))
            for b in groups:
                own[kind, b] = float(weight * shares[b] * self.ratio)
                # The best estimate weighs a report by the inverse of its probability.
                relative[kind, b] = float(weight / likely) if shares[b] else 0.0
        return CoverLaw(kinds, own, other, relative)

    def _met(self, kind: int, b: int, c: int) -> Fraction:
        """Return the probability, over the kind's weight, of covering an input of b, from another one of c."""
        part, share, rise = self.parts[kind][b], self.shares[kind][b], self.ratio - 1
        if part is None:
            return Fraction(0)
        if b != c:
            return share * (1 + rise * self.shares[kind][c])
        reports, _, both = part.design
        return share + rise * Fraction(both, reports)

    @cached_property
    def pairs(self) -> tuple[Exact, ...]:
        """Two rows and the least of all rows, for two rare inputs, for two frequent ones, and for one of each."""
        sorts = ((RARE, RARE), (FREQUENT, FREQUENT), (RARE, FREQUENT))
        return tuple(
            over_one_denominator([cell for kind in (0, 1) for cell in self._pair(kind, *sort)]) for sort in sorts
        )

    def pair_of(self, x: int, z: int) -> Exact:
        """Return two rows for a pair of inputs, as integers of one sum, shape (2, k)."""
        b, c = int(self.groups[x]), int(self.groups[z])
        order = [0, 0] if x == z else [1, 0] if b > c else [0, 1]
        return self.pairs[2 if b != c else b][order]

    def _pair(self, kind: int, b: int, c: int) -> list[tuple[Fraction, Fraction, Fraction]]:
        """Return the probabilities of reports that cover both of two inputs or so, from each of them, and the least."""
        first, second = self.shares[kind][b], self.shares[kind][c]
        part = self.parts[kind][b]
        both = first * second
        if b == c and part is not None:
            both = Fraction(part.design[2], part.design[0])
        cells = ((both, 1, 1), (first - both, 1, 0), (second - both, 0, 1), (1 - first - second + both, 0, 0))
        weight = self.weights[kind]
        return [(weight * cell * self.ratio**x, weight * cell * self.ratio**z, weight * cell) for cell, x, z in cells]

    def covers(self, inputs: Integers, reports: Integers) -> npt.NDArray[np.bool_]:
        """Return whether each report covers the input beside it, shape (k,)."""
        found, kinds, groups = np.zeros(len(inputs), dtype=bool), self.kind_of(reports), self.groups[inputs]
        for kind, group in product((0, 1), (RARE, FREQUENT)):
            part, at = self.parts[kind][group], np.flatnonzero((kinds == kind) & (groups == group))
            if part is not None and len(at):
                found[at] = part.covers(self._places[inputs[at]], self._halves(reports[at], kind)[group])
        return found

    def probability(self, x: int, y: int) -> Fraction:
        """Return ``Pr(y | x)``."""
        at, report = np.array([x]), np.array([y])
        alone, joint, covered = self._sizes
        kind = int(self.kind_of(report)[0])
        least = self.weights[kind] / (alone if kind == 0 else joint * covered)
        return self.ratio * least if self.covers(at, report)[0] else least

    def sample(self, inputs: Integers, read: Source) -> Integers:
        """Return a report for each input, of exactly its law, from a source of random bytes; shape (k,)."""
        found, groups = np.empty(len(inputs), dtype=np.int64), self.groups[inputs]
        for group in (RARE, FREQUENT):
            at = np.flatnonzero(groups == group)
            first = self.weights[0] * (1 + (self.ratio - 1) * self.shares[0][group])
            kinds = coins(1 - first, len(at), read).astype(np.int64)
            for kind in (0, 1):
                chosen, part = at[kinds == kind], self.parts[kind][group]
                own = None if part is None else part.sample(self._places[inputs[chosen]], read)
                found[chosen] = self._drawn(kind, group, own, len(chosen), read)
        return found

    def _drawn(self, kind: int, group: int, own: Integers | None, count: int, read: Source) -> Integers:
        """Return reports of a kind, the number of whose subset of a group is given, if it has one."""
        halves = [np.zeros(count, dtype=np.int64)] * 2
        for each, part in enumerate(self.parts[kind]):
            if part is not None:
                given = own if each == group else None
                halves[each] = uniform_below(part.outputs, count, read) if given is None else given
        alone, joint, _ = self._sizes
        return halves[RARE] if kind == 0 else alone + halves[FREQUENT] * joint + halves[RARE]

    def covers_of(self, reports: Integers, counts: Array) -> Array:
        """Return how often each input is covered, shape (n,), by distinct reports with their counts, shape (k,)."""
        found, kinds = np.zeros(self.n), self.kind_of(reports)
        for kind, group in product((0, 1), (RARE, FREQUENT)):
            part, at = self.parts[kind][group], np.flatnonzero(kinds == kind)
            if part is not None and len(at):
                seen, places = np.unique(self._halves(reports[at], kind)[group], return_inverse=True)
                found[self._members[group]] += part.covers_of(seen, np.bincount(places, counts[at]).astype(float))
        return found

    def covered_weight(self, weights: Array, reports: Integers) -> Array:
        """Return the sum of the weights, shape (n,), of the inputs that each report covers, shape (k,)."""
        found, kinds = np.zeros(len(reports)), self.kind_of(reports)
        for kind, group in product((0, 1), (RARE, FREQUENT)):
            part, at = self.parts[kind][group], np.flatnonzero(kinds == kind)
            if part is not None and len(at):
                halves = self._halves(reports[at], kind)[group]
                found[at] += part.covered_weight(weights[self._members[group]], halves)
        return found

    def matrix_numerators(self) -> Exact:
        """Refuse to make the matrix.

        Raises
        ------
        UnsupportedError
            Always.
        """
        raise UnsupportedError(
            "Reports of two kinds have no matrix over one denominator; probability(x, y) of the family is exact."
        )

    def least_of_each(self) -> list[Fraction]:
        """Return the probability of each report from an input that it does not cover, in the order of their numbers."""
        alone, joint, covered = self._sizes
        first, second = self.weights[0] / alone, self.weights[1] / (joint * covered)
        return [first] * alone + [second] * (joint * covered)

    def incidence(self, reports: Reports | None = None) -> npt.NDArray[np.bool_]:
        """Return which report covers which input, shape (n, k), of all reports by default."""
        seen = np.arange(self.outputs) if reports is None else reports
        x, y = np.divmod(np.arange(self.n * len(seen)), len(seen))
        return self.covers(x, seen[y]).reshape(self.n, len(seen))

    def sentences(self) -> tuple[str, ...]:
        """Return the numbers of frequent and rare inputs, what reports cover of them, and the ratio, in sentences."""
        rare, frequent = (len(members) for members in self._members)
        alone, _, _ = self._sizes
        (first, _), (joint, covered) = self.shares
        return (
            f"{self.name} for {frequent} frequent and {rare} rare inputs: {self.outputs} outputs, numbers from 0.",
            f"{alone} outputs cover rare inputs alone, {float(first):.3g} of them each.",
            f"The others cover {float(covered):.3g} of the frequent inputs and {float(joint):.3g} of the rare ones.",
            f"One that covers the person's input is {float(self.ratio):.9g} times as likely as one that does not.",
        )

    @property
    def covers_in_words(self) -> str:
        """How likely reports cover the person's input, in a sentence."""
        rare, frequent = self.law.own.sum(axis=0)
        said = f"with probability {rare:.6g} if it is rare, and with {frequent:.6g} if it is frequent"
        return f"A report covers the person's own input {said}."

    @property
    def parameters_in_words(self) -> str:
        """How many frequent inputs there are, and the shares of the subsets, in parentheses."""
        parts = zip(("alone", "covered", "beside"), (self.alone, self.covered, self.beside), strict=True)
        shares = ", ".join(f"{name} {k}/{q}" for name, (q, k) in parts)
        return f" ({len(self.frequent)} frequent, {shares})"


def _covered(part: BlockDesign | None) -> Fraction:
    """Return the share of its inputs that a report covers, on average."""
    return Fraction(0) if part is None else Fraction(part.design[1], part.design[0])
