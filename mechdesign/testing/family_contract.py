"""What every family of mechanisms without a matrix must satisfy: formulas, sampler and transforms are of one matrix."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import product
from typing import Final

import numpy as np
import numpy.typing as npt

from mechdesign.families import BlockDesign, Family, UnaryEncoding
from mechdesign.families.family import Reports
from mechdesign.testing.contract import Clause, require, run
from mechdesign.testing.sampler_contract import FALSE_ALARM, chi_square_chance

#: Reports that are drawn for one input.
DRAWS: Final = 60_000
#: Two sums of floats, relative to one plus their size.
ROUNDING: Final = 1e-9


def check_family(family: Family, rng: np.random.Generator) -> None:
    """Check every clause of the contract of families, of one that is small enough for its matrix.

    Raises
    ------
    BrokenContractError
        With the clause and what was found.
    """
    run(FAMILY_CLAUSES, f"{family.name} of {family.n} inputs", family, rng)


def covers_are_even(family: Family, rng: np.random.Generator) -> None:
    """Inputs of a group are covered by equally many reports of each kind, and so are any two inputs of two groups."""
    inside, groups = family.incidence().astype(np.int64), family.groups
    require(inside.shape == (family.n, family.outputs), f"there are {inside.shape[1]} reports, not {family.outputs}")
    kinds = family.kind_of(reports_of(family))
    for kind, (b, c) in product(range(len(family.law.kinds)), product(range(family.law.kinds.shape[1]), repeat=2)):
        of_kind = inside[:, kinds == kind]
        block = (of_kind @ of_kind.T)[np.ix_(groups == b, groups == c)]
        once, apart = np.diag(block), block[~np.eye(len(block), dtype=bool)] if b == c else block
        require(b != c or len(set(once.tolist())) == 1, f"inputs are covered {sorted(set(once.tolist()))} times")
        found = sorted(set(apart.ravel().tolist()))
        require(len(found) <= 1, f"two inputs are covered {found} times")
        if isinstance(family, BlockDesign):
            said = family.design[1:]
            require((once[0], *found) == said, f"one input and two are covered {once[0]} and {found} times, not {said}")


def rows_are_laws(family: Family, rng: np.random.Generator) -> None:
    """Probabilities sum to one, have the ratio E, and cover inputs as the law says: exactly."""
    x, other = (int(each) for each in rng.choice(family.n, size=2, replace=False))
    row, beside, inside = law(family, x), law(family, other), family.incidence()
    kinds, groups = family.kind_of(reports_of(family)), family.groups
    require(sum(row) == 1 and sum(beside) == 1, f"two rows sum to {sum(row)} and {sum(beside)}")
    named = getattr(family, "probability", None)
    if named is not None:
        require(row == [named(x, y) for y in range(family.outputs)], "probability() is not the law")
    most = max(one / two for one, two in zip(row, beside, strict=True))
    require(most == family.ratio, f"two probabilities of an output are in the ratio {most}, not {family.ratio}")
    for kind in range(len(family.law.kinds)):
        covered = ((x, family.law.own[kind, groups[x]]), (other, family.law.other[kind, groups[other], groups[x]]))
        for z, said in covered:
            share = sum((row[y] for y in np.flatnonzero(inside[z] & (kinds == kind))), Fraction(0))
            require(float(share) == said, f"input {z} is covered with probability {float(share)}, not {said}")


def pairs_are_of_rows(family: Family, rng: np.random.Generator) -> None:
    """Two rows for each sort of pair are two rows of the matrix, reports with the same two entries added up."""
    groups, found = family.groups, set()
    for b, c in product(range(len(family.law.kinds)), repeat=2):
        x, z = int(np.flatnonzero(groups == b)[0]), int(np.flatnonzero(groups == c)[-1])
        found.add(_added(law(family, x), law(family, z)))
    both = [pair[order] * Fraction(1, int(pair[0].sum())) for pair in family.pairs for order in ([0, 1], [1, 0])]
    said = {_added(*rows) for rows in both}
    for pair in family.pairs:
        require(bool(np.all(pair[2] <= pair[:2].min(axis=0))), "the least of all rows is above one of them")
        share = Fraction(int(pair[2].sum()), int(pair[0].sum()))
        require(share == sum(family.least_of_each()), f"the least rows have the mass {share}")
    require(found == said, f"{len(found - said)} sorts of pairs of rows are left out, {len(said - found)} made up")


def _added(first: Iterable[Fraction], second: Iterable[Fraction]) -> frozenset[tuple[Fraction, Fraction]]:
    """Return two rows as ratios with the probability of each under the first."""
    sums: dict[Fraction, Fraction] = {}
    for p, q in zip(first, second, strict=True):
        if q:
            sums[p / q] = sums.get(p / q, Fraction(0)) + p
    return frozenset(sums.items())


def sampler_follows_the_row(family: Family, rng: np.random.Generator) -> None:
    """Reports of an input of each group pass a chi-square test of its row at 1e-6."""
    for group in range(len(family.law.kinds)):
        x = int(rng.choice(np.flatnonzero(family.groups == group)))
        found = numbers_of(family.sample(np.full(DRAWS, x), rng.bytes))
        require(found.min() >= 0 and found.max() < family.outputs, "a report is no output")
        row = np.array([float(mass) for mass in law(family, x)])
        chance = chi_square_chance(np.bincount(found, minlength=family.outputs), row)
        require(chance > FALSE_ALARM, f"a chi-square test gives the reports of an input the chance {chance:.1g}")


def transforms_are_sums(family: Family, rng: np.random.Generator) -> None:
    """Covers of inputs, and weights that reports cover, are what the matrix of covers says."""
    inside = family.incidence().astype(float)
    every = reports_of(family)
    counts = rng.integers(0, 9, size=family.outputs).astype(float)
    seen = np.flatnonzero(counts)
    covers = family.covers_of(every[seen], counts[seen])
    require(np.allclose(covers, inside @ counts, rtol=ROUNDING, atol=ROUNDING), "covers differ from their sums")
    weights = rng.normal(size=family.n)
    found = family.covered_weight(weights, every)
    require(np.allclose(found, weights @ inside, rtol=ROUNDING, atol=ROUNDING), "weights differ from their sums")
    inputs = rng.integers(family.n, size=len(every))
    beside = inside[inputs, np.arange(len(every))] > 0
    require((family.covers(inputs, every) == beside).all(), "covers of single inputs differ from the matrix")
    require((family.incidence(every[seen]) == inside[:, seen]).all(), "covers of some reports differ from the matrix")


def estimates_are_unbiased(family: Family, rng: np.random.Generator) -> None:
    """The estimate of each frequency has it as its expectation, and the variance that is said, under every law."""
    inside, known, groups = family.incidence(), family.law, family.groups
    kinds = family.kind_of(reports_of(family))
    matrix = np.where(inside, float(family.ratio), 1.0) * np.array([float(p) for p in family.least_of_each()])
    counted = known.slopes[kinds][:, groups].T * inside + known.offsets[kinds][:, groups].T
    require(np.allclose(matrix @ counted.T, np.eye(family.n), atol=ROUNDING), "an estimate has a bias")
    theta, weights = rng.dirichlet(np.ones(family.n)), rng.normal(size=family.n)
    variances = counted**2 @ (theta @ matrix) - theta**2
    require(np.allclose(family.variances(theta), variances, rtol=ROUNDING), "variances differ")
    figure = family.figure_of(weights, reports_of(family))
    require(np.allclose(figure, weights @ counted, rtol=ROUNDING, atol=ROUNDING), "a figure differs from its sum")
    equal = float(family.variances().sum())
    require(abs(equal - family.total_variance()) <= ROUNDING * equal, "the total variance differs from its sum")


def law(family: Family, x: int) -> list[Fraction]:
    """Return the row of an input: a report that covers it is E times as likely as from one that it does not cover."""
    covered = family.incidence()[x].tolist()
    return [low * (family.ratio if own else 1) for low, own in zip(family.least_of_each(), covered, strict=True)]


def reports_of(family: Family) -> Reports:
    """Return all reports in the order of their numbers."""
    if isinstance(family, UnaryEncoding):
        return np.packbits(family.incidence().T, axis=1, bitorder="little")
    return np.arange(family.outputs)


def numbers_of(reports: Reports) -> npt.NDArray[np.int64]:
    """Return the number of each report; of a row of bits it has these bits."""
    if reports.ndim == 1:
        return reports
    return np.asarray(reports.astype(np.int64) @ 256 ** np.arange(reports.shape[1]))


FAMILY_CLAUSES: Final[dict[str, Clause]] = {
    "even covers": covers_are_even,
    "exact laws": rows_are_laws,
    "pairs of rows": pairs_are_of_rows,
    "sampler": sampler_follows_the_row,
    "transforms": transforms_are_sums,
    "estimates": estimates_are_unbiased,
}
