"""What every family of mechanisms without a matrix must satisfy: formulas, sampler and transforms are of one matrix."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

import numpy as np

from mechdesign.families import Family
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


def it_is_a_design(family: Family, rng: np.random.Generator) -> None:
    """Of N reports K cover each input, and L cover two given ones."""
    inside = family.incidence().astype(np.int64)
    reports, covering, both = family.design
    require(inside.shape == (family.n, reports), f"there are {inside.shape[1]} reports, not {reports}")
    pairs = inside @ inside.T
    require((np.diag(pairs) == covering).all(), f"inputs are covered {sorted(set(np.diag(pairs)))} times")
    apart = pairs[~np.eye(family.n, dtype=bool)]
    require((apart == both).all(), f"two inputs are covered {sorted(set(apart.tolist()))} times, not {both}")


def rows_are_laws(family: Family, rng: np.random.Generator) -> None:
    """Probabilities sum to one, have two values in the ratio E, and cover inputs as `own` and `other` say: exactly."""
    x, other = (int(each) for each in rng.choice(family.n, size=2, replace=family.n < 2))
    row = [family.probability(x, y) for y in range(family.outputs)]
    require(sum(row) == 1, f"a row sums to {sum(row)}")
    require(max(row) <= family.ratio * min(row), f"two probabilities of a row are in the ratio {max(row) / min(row)}")
    inside = family.incidence()
    shares = [sum((row[y] for y in np.flatnonzero(inside[z])), Fraction(0)) for z in (x, other)]
    require(shares[0] == family.own, f"the own input is covered with probability {shares[0]}, not {family.own}")
    if x != other:
        require(shares[1] == family.other, f"another one is covered with probability {shares[1]}, not {family.other}")


def sampler_follows_the_row(family: Family, rng: np.random.Generator) -> None:
    """Reports of an input pass a chi-square test of its row at 1e-6."""
    x = int(rng.integers(family.n))
    found = family.sample(np.full(DRAWS, x), rng.bytes)
    require(found.min() >= 0 and found.max() < family.outputs, "a report is no output")
    law = np.array([float(family.probability(x, y)) for y in range(family.outputs)])
    chance = chi_square_chance(np.bincount(found, minlength=family.outputs), law)
    require(chance > FALSE_ALARM, f"a chi-square test gives the reports of an input the chance {chance:.1g}")


def transforms_are_sums(family: Family, rng: np.random.Generator) -> None:
    """Covers of inputs, and weights that reports cover, are what the matrix of covers says."""
    inside = family.incidence().astype(float)
    counts = rng.integers(0, 9, size=family.outputs).astype(float)
    seen = np.flatnonzero(counts)
    covers = family.covers_of(seen, counts[seen])
    require(np.allclose(covers, inside @ counts, rtol=ROUNDING, atol=ROUNDING), "covers differ from their sums")
    weights = rng.normal(size=family.n)
    found = family.covered_weight(weights, np.arange(family.outputs))
    require(np.allclose(found, weights @ inside, rtol=ROUNDING, atol=ROUNDING), "weights differ from their sums")


def variances_are_of_the_law(family: Family, rng: np.random.Generator) -> None:
    """The variance of an estimate is the variance of its share of covers under the law of the reports."""
    theta = rng.dirichlet(np.ones(family.n))
    inside = family.incidence()
    law = theta @ np.where(inside, float(family.ratio), 1.0) * float(family.least)
    share = inside @ law
    gap = float(family.own - family.other)
    require(np.allclose(family.variances(theta), share * (1.0 - share) / gap**2, rtol=ROUNDING), "variances differ")
    equal = float(family.variances().sum())
    require(abs(equal - family.total_variance()) <= ROUNDING * equal, "the total variance differs from its sum")


FAMILY_CLAUSES: Final[dict[str, Clause]] = {
    "a 2-design": it_is_a_design,
    "exact laws": rows_are_laws,
    "sampler": sampler_follows_the_row,
    "transforms": transforms_are_sums,
    "variances": variances_are_of_the_law,
}
