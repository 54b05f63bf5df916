"""Known mechanisms at the level that is asked of a design, under any notion."""

from __future__ import annotations

import math
from collections.abc import Iterator

from mechdesign.baselines.made import fits
from mechdesign.baselines.strongest import LARGEST, has_own_epsilon, made_at, makers, strongest_known
from mechdesign.baselines.subset_selection import best_size
from mechdesign.notions.plain import plain
from mechdesign.parameters.checks import Array
from mechdesign.question import Question

#: Matrices of more entries than this take many seconds: they are named and not made.
MOST_COMPARED = 1 << 20


def known_mechanisms(question: Question) -> Iterator[tuple[str, str, Array | None]]:
    """Yield the known mechanisms that fit by name, with a note, but k-ary response and mechanisms of too many outputs.

    Those of LDP and of a metric have the epsilon of the notion; under any other notion the largest epsilon of LDP at
    which they are private by its exact check. In place of a matrix of more than `MOST_COMPARED` entries stands None.
    """
    notion, problem = plain(question.notion, question.notion.inputs(question.problem))
    if problem.data_of_input is not None:
        return
    if not has_own_epsilon(notion, problem):
        for name, strong, epsilon in strongest_known(notion, problem, question.objective):
            most = "the most that is tried" if epsilon >= 0.999 * LARGEST else "the most that is private here"
            yield name, f"md.baselines at LDP({epsilon:.6g}), {most}", strong.matrix
        return
    for name, make in makers(notion, problem, question.objective).items():
        entries = _entries(name, problem.n, notion.parameter)
        if entries > MOST_COMPARED:
            if fits(entries):
                yield name, f"md.baselines; not computed by the way: its matrix has {entries:,} entries", None
            continue
        made = made_at(make, notion.parameter, notion, problem)
        if made is not None:
            yield name, "md.baselines, at the same epsilon", made.matrix


def _entries(name: str, n: int, epsilon: float) -> int:
    """Return how many entries the matrix of a known mechanism of LDP has, where they may be many; 0 elsewhere."""
    if name == "subset selection":
        return n * math.comb(n, best_size(n, epsilon))
    return n << n if name.endswith("unary encoding") else 0
