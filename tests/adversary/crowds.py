"""Accounts of many reports, judged by the exact law of all: ``python -m tests.adversary.crowds --accounts 200``."""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

from flint import arb, fmpq

import mechdesign as md
from mechdesign.accounting.privacy_curve import PrivacyCurve

Law = dict[tuple[int, ...], Fraction]
Rows = list[list[Fraction]]


def some_rows(rng: random.Random, zeros: bool) -> Rows:
    """Return a matrix of 2 or 3 inputs and 2 to 4 outputs; with `zeros` an entry may be 0."""
    outputs = rng.randint(2, 4)
    rows = []
    for _ in range(rng.randint(2, 3)):
        entries = [rng.choice((1, 2, 3, 7, 40)) for _ in range(outputs)]
        if zeros and rng.random() < 0.5:
            entries[rng.randrange(outputs)] = 0
        rows.append([Fraction(entry, sum(entries)) for entry in entries])
    return rows


def counts(rows: Rows, inputs: tuple[int, ...]) -> Law:
    """Return the law of how often each output is reported."""
    law: Law = {(0,) * len(rows[0]): Fraction(1)}
    for x in inputs:
        after: Counter[tuple[int, ...]] = Counter()
        for seen, p in law.items():
            for y, q in enumerate(rows[x]):
                if q:
                    after[tuple(c + (k == y) for k, c in enumerate(seen))] += p * q
        law = dict(after)
    return law


def sequences(matrices: list[Rows], x: int) -> Law:
    """Return the law of one report of each matrix, of one input."""
    law: Law = {}
    for ys in product(*(range(len(rows[0])) for rows in matrices)):
        p = Fraction(1)
        for rows, y in zip(matrices, ys, strict=True):
            p *= rows[x][y]
        law[ys] = p
    return law


def delta(first: Law, second: Law, epsilon: float) -> arb:
    """Return ``sum of (first - e^epsilon second)_+`` as a ball."""
    factor = arb(fmpq(*epsilon.as_integer_ratio())).exp()
    total = arb(0)
    for key, p in first.items():
        gap = arb(fmpq(p.numerator, p.denominator)) - factor * _ball(second.get(key, Fraction(0)))
        total += gap if gap > 0 else arb(0) if gap < 0 else gap.union(arb(0))
    return total


def _ball(p: Fraction) -> arb:
    return arb(fmpq(p.numerator, p.denominator))


def of_crowd(rows: Rows, people: int, reports: int, epsilon: float) -> arb:
    """Return the largest delta over two inputs of one person and all inputs of the others."""
    worst = arb(0)
    for x, z in permutations(range(len(rows)), 2):
        for others in combinations_with_replacement(range(len(rows)), people - 1):
            laws = [counts(rows, (one, *others) * reports) for one in (x, z)]
            worst = worst.max(delta(*laws, epsilon))
    return worst


def of_series(matrices: list[Rows], epsilon: float) -> arb:
    """Return the largest delta over two inputs of one person who makes one report of each matrix."""
    laws = [sequences(matrices, x) for x in range(len(matrices[0]))]
    worst = arb(0)
    for first, second in permutations(laws, 2):
        worst = worst.max(delta(first, second, epsilon))
    return worst


def failures(seed: str) -> Iterator[str]:
    """Yield what is wrong with the accounts of one random mechanism."""
    rng = random.Random(seed)
    rows = some_rows(rng, zeros=rng.random() < 0.4)
    made = md.Mechanism([[str(entry) for entry in row] for row in rows])
    epsilon = rng.choice((0.0, 0.01, 0.3, 1.0, 2.5))
    people, reports = rng.choice(((2, 1), (3, 1), (4, 1), (2, 2), (3, 2), (2, 3)))
    crowd = made.shuffled(people, reports=reports)
    true = of_crowd(rows, people, reports, epsilon)
    yield from _outside(f"{people} people, {reports} reports", crowd, true, epsilon)
    other = some_rows(rng, zeros=False)
    other = (other * 3)[: len(rows)]
    times = rng.randint(1, 3)
    second = md.Mechanism([[str(entry) for entry in row] for row in other])
    series = md.composed([made] * times + [second])
    yield from _outside(f"{times} reports and one", series, of_series([rows] * times + [other], epsilon), epsilon)


def _outside(name: str, found: PrivacyCurve, true: arb, epsilon: float) -> Iterator[str]:
    low, high = found.delta_below(epsilon), found.delta(epsilon)
    if true < _ball(Fraction(low)):
        yield f"{name}: delta_below({epsilon}) is {low!r}, and the delta is {true.str(12)}"
    if true > _ball(Fraction(high)):
        yield f"{name}: delta({epsilon}) is {high!r}, and the delta is {true.str(12)}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--accounts", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    found = [(f"{given.seed}/{k}", said) for k in range(given.accounts) for said in failures(f"{given.seed}/{k}")]
    for seed, said in found:
        print(f"{seed}: {said}")
    print(f"{given.accounts} mechanisms, {len(found)} false bounds")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
