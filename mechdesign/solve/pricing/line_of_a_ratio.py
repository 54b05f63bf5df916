"""The oracle of a continuum of decisions: the excess is bounded between decisions on a line of ratios."""

from __future__ import annotations

import math

import numpy as np

from mechdesign.notions import Notion
from mechdesign.objectives import Objective, RatioType
from mechdesign.objectives.ratio import Ratio
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.solve.pricing.continuum_of_decisions import Price, peaks, price, ratio_range
from mechdesign.solve.pricing.functionals import EPS, STEPS
from mechdesign.solve.pricing.priced_columns import Columns, Priced, no_columns
from mechdesign.solve.pricing.squared_ratio_on_band import BandPrice
from mechdesign.solve.pricing.support import support, takes_no_program

#: Decisions that the pricing of a continuum starts from: from 17 to 65 the whole takes about as long, from 257 over a
#: band five times that at n = 1000.
GRID = 65
#: Decisions for which a search is handed columns.
MOST_PEAKS = 12


def is_continuum(notion: Notion, objective: Objective, problem: Problem) -> bool:
    """Return whether decisions are a line, with a support function that is quick or no budget."""
    return isinstance(objective, RatioType) and (
        not len(notion.columns(problem).budget()) or takes_no_program(notion, problem)
    )


def over_continuum(columns: Columns) -> Priced:
    """Price decisions along their line, between which the excess is bounded."""
    notion, problem, objective = columns.notion, columns.problem, columns.objective
    assert isinstance(objective, RatioType)
    ratio = objective.ratio(problem)
    low, high = ratio_range(ratio, notion, problem)
    grid = np.linspace(low, high, GRID) if high > low else np.array([low])
    # A band of ratios has no mass, and its cone is of the order of n^2 numbers.
    shape = notion.columns(problem)
    of_ratios = len(columns.budget) or shape.of_secret.ratio_in_blocks is not None
    banded = None if of_ratios else BandPrice.of(ratio, shape.cone())
    if banded is not None:
        on_band = banded.price(columns.rows, grid, columns.tolerance, outward=True)
        return Priced(on_band.bound, on_band.rounding, _at_peaks(columns, ratio, on_band))
    blur = STEPS * EPS * (ratio.sizes(grid) + np.abs(columns.rows))
    if not np.all(np.isfinite(blur)):
        # Ratios of a deadline's wide range, whose powers overflow.
        return Priced(math.inf, 0.0, no_columns(problem.n))
    rounding = 0.0

    def sigma(functionals: Array) -> Array:
        nonlocal rounding
        found = support(notion, problem, functionals + blur, columns.budget)
        rounding = max(rounding, float((found.rounding + blur @ found.columns).max()))
        return found.values

    found = price(ratio, sigma, columns.rows, grid, columns.tolerance)
    return Priced(found.bound, rounding, _at_peaks(columns, ratio, found))


def _at_peaks(columns: Columns, ratio: Ratio, found: Price) -> Array:
    """Return the best columns at the decisions of largest reduced cost, shape (n, k), where a search asks for them."""
    if not columns.for_search:
        return no_columns(columns.problem.n)
    at = dict(zip(found.decisions.tolist(), found.values.tolist(), strict=True))
    best = np.array(sorted(peaks(found), key=lambda t: -at[float(t)])[:MOST_PEAKS])
    return support(columns.notion, columns.problem, ratio.functionals(best) - columns.rows, columns.budget).columns
