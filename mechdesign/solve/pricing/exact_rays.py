"""Extreme rays in integers, of cones so thin that rounding would decide what lies in them."""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np

from mechdesign.columns.cone import rounding_unit
from mechdesign.exact import fractions, integers
from mechdesign.notions import Cone, Notion, Rays
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.double_description import Effort, GivenUp, Numbers, cut, orthant, split
from mechdesign.solve.pricing.extreme_rays import MOST_INPUTS, MOST_ROWS, eliminated, with_auxiliary

#: What a product of two integers costs, in comparisons of the enumeration in floating point, and their bits for which
#: it costs as much again (measured).
OF_PRODUCT, BITS = 40.0, 1000.0
#: How far rows may be apart, relative to the size of their terms, to be the same but for rounding.
ALIKE = 1e-9


class WholeNumbers:
    """Integers of any size: a row is tight where its value is 0."""

    def __init__(self, effort: float | None = None) -> None:
        self.effort = Effort(effort)

    def values(self, rays: Numbers, rows: Numbers, sizes: Numbers) -> Numbers:
        """Return the values."""
        self._spend(len(rays) * rows.size, rays, rows)
        return np.asarray(rays @ rows.T)

    def between(self, above: Numbers, below: Numbers, on_above: Numbers, on_below: Numbers) -> Numbers:
        """Return the rays between, without a common divisor."""
        self._spend(2.0 * above.size, above, on_above)
        found = on_above[:, None] * below - on_below[:, None] * above
        return np.asarray(found // np.gcd.reduce(found, axis=1)[:, None]) if len(found) else found

    def rank(self, rays: Numbers) -> int:
        """Return the number of rays that are no combination of those before them."""
        self._spend(rays.size * rays.shape[1], rays, rays)
        basis: dict[int, Numbers] = {}
        for ray in rays:
            left = ray
            for pivot, known in basis.items():
                if left[pivot]:
                    left = left * known[pivot] - known * left[pivot]
            if left.any():
                basis[int(np.flatnonzero(left)[0])] = left // np.gcd.reduce(left)
                if len(basis) == rays.shape[1]:
                    break
        return len(basis)

    def _spend(self, products: float, left: Numbers, right: Numbers) -> None:
        bits = max((int(abs(side).max()).bit_length() for side in (left, right) if side.size), default=0)
        self.effort.spend(OF_PRODUCT * products * (1.0 + bits / BITS))


@lru_cache(maxsize=64)
def exact_rays(notion: Notion, problem: Problem) -> Rays | None:
    """Return the extreme rays of a cone that contains the cone of `notion`, each of largest entry 1, or None.

    What the secret sees of a column, ``W q``, is taken from the exact channel. The rows over it are those of floats,
    moved outward by their rounding; those of 0, 1 and -1 have none. So every column that the notion allows is a mixture
    of these rays, whatever the rows' distance: where no probability may differ at all, those rays are exact.

    None where they are too many, where the notion's rows are not those of a cone over what the secret sees, or where
    it has none.

    Raises
    ------
    OutOfTime
        The deadline passed.
    """
    if problem.n > MOST_INPUTS:
        return None
    cone = _over_secret(notion, problem)
    if cone is None:
        return None
    rows, pieces = cone
    ints = WholeNumbers()
    try:
        whole = cut(orthant(problem.n, object), rows, rows, ints)
        cells = split(whole, pieces, ints) if len(pieces) else [whole]
    except GivenUp:
        return None
    rays = np.unique(np.array([ray / max(ray) for cell in cells for ray in cell.rays], dtype=float), axis=0)
    columns = np.ascontiguousarray(rays.reshape(-1, problem.n).T)
    budget = notion.columns(problem).budget()
    return Rays(columns, budget.cost(columns), cost_terms=budget.sizes @ columns)


def _over_secret(notion: Notion, problem: Problem) -> tuple[Numbers, Numbers] | None:
    """Return integer rows of the cone over the inputs, and the pieces of the budgets, from those over the secret."""
    seen = problem.of_secrets()
    given = notion.columns(problem).facets()
    if given is None or len(given.on_column) > MOST_ROWS:
        return None
    try:
        facets, budget = notion.columns(seen).facets(), notion.columns(seen).budget()
    except Exception:  # noqa: BLE001 - a notion of one's own may ask for what only the hidden problem has
        return None
    if facets is None or not _same(facets, given, problem.channel):
        return None
    if not np.all(np.isfinite(facets.on_column)) or not np.allclose(
        budget.pieces @ problem.channel, notion.columns(problem).budget().pieces, rtol=0, atol=ALIKE
    ):
        return None
    rows, sizes = with_auxiliary(facets)
    outward = fractions(rows)
    rounded = (sizes != np.abs(rows)) | ~np.isin(rows, (0.0, 1.0, -1.0))
    outward[rounded] += Fraction(rounding_unit(seen.n)) * fractions(sizes[rounded])
    outward, _ = eliminated(outward, np.abs(outward), seen.n)
    channel = problem.exactly_seen_by_secret(np.eye(problem.n, dtype=int).astype(object))
    over_inputs = {tuple(_shortest(row)) for row in outward @ channel if min(row, default=0) < 0}
    if len(over_inputs) > MOST_ROWS:
        return None
    listed = np.array(sorted(over_inputs), dtype=object).reshape(-1, problem.n)
    # The channel's integers are in proportion to it, and so are those of the pieces.
    shape = (*budget.pieces.shape[:2], problem.n)
    return listed, np.array(integers((fractions(budget.pieces) @ channel).ravel()), dtype=object).reshape(shape)


def _shortest(row: Numbers) -> list[int]:
    """Return the integers in the proportions of the row, without a common divisor."""
    found = integers(row)
    divisor = math.gcd(*found) or 1
    return [entry // divisor for entry in found]


def _same(facets: Cone, given: Cone, channel: Array) -> bool:
    """Return whether the rows over the secret are those that are given over the inputs, in whatever order."""
    if facets.on_auxiliary.shape[1] != given.on_auxiliary.shape[1]:
        return False
    ours = np.hstack([facets.on_column @ channel, facets.on_auxiliary])
    theirs = np.hstack([given.on_column, given.on_auxiliary])
    if not len(ours) or not len(theirs):
        return len(ours) == len(theirs)
    far = np.abs(ours[:, None, :] - theirs[None, :, :]).max(axis=2)
    scale = ALIKE * max(float(given.sizes.max()), 1.0)
    return bool(far.min(axis=0).max() <= scale and far.min(axis=1).max() <= scale)
