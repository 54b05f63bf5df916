"""The bound by cells of frequencies: held against every set of few inputs, and against exact optima."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.certificate.cell_frequencies import bound_of_cells, least_by_cells
from mechdesign.solve.pricing.frequency_cells import CellSlope, FrequencyCells, priced_cells
from mechdesign.solve.search.cell_slopes import best_cell_slope


def frequencies(n, kind):
    theta = {
        "Zipf": 1.0 / np.arange(1.0, n + 1.0),
        "drawn": np.random.default_rng(n).dirichlet(np.ones(n)),
        "two levels": np.where(np.arange(n) < n // 3, 5.0, 1.0),
        "nobody": np.where(np.arange(n) < 2, 0.0, 1.0 / np.arange(1.0, n + 1.0)),
    }[kind]
    return theta / theta.sum()


def slope_of(cells, rng):
    """Return a slope of no particular merit."""
    b = cells.groups
    steep = rng.normal(size=b) / max(float(cells.least.max()), 1e-9)
    return CellSlope(rng.random(b), rng.normal(size=b), steep, float(rng.normal()))


def excesses(theta, rise, slope):
    """Return the excess of each set, all enumerated, at the least frequencies of the cells; its inputs, and masses."""
    cells = FrequencyCells.of(theta)
    frequency = np.repeat(cells.least, cells.sizes.astype(int))
    group = np.repeat(cells.group_of, cells.sizes.astype(int))
    matrix = np.zeros((len(theta), len(theta)))
    for b in range(cells.groups):
        inside = (group == b).astype(float)
        matrix += slope.within[b] * (np.diag(inside) - np.outer(inside, inside) / inside.sum())
    rows = slope.constant[group] - slope.steepness[group] * frequency
    members = np.array(list(product((0.0, 1.0), repeat=len(theta))))
    sets = 1.0 + rise * members
    mass = sets @ frequency
    spread = np.einsum("si,ij,sj->s", sets, matrix, sets)
    of_groups = (group[:, None] == np.arange(cells.groups)).astype(float)
    counts, masses = members @ of_groups, (members * frequency) @ of_groups
    return spread / mass**2 - sets @ rows / mass - slope.total, counts, masses


def largest_excess(theta, rise, slope):
    return float(excesses(theta, rise, slope)[0].max())


@pytest.mark.parametrize("kind", ["Zipf", "drawn", "two levels", "nobody"])
def test_the_excess_of_a_set_is_known_from_its_inputs_and_mass_in_each_group(kind):
    theta = frequencies(8, kind)
    cells = FrequencyCells.of(theta)
    for rise in (0.2, 1.7, 20.0):
        slope = slope_of(cells, np.random.default_rng(3))
        each, counts, masses = excesses(theta, rise, slope)
        assert slope.excess(cells, rise, counts, masses) == pytest.approx(each, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("rise", [0.2, 1.7, 20.0])
@pytest.mark.parametrize("kind", ["Zipf", "drawn", "two levels", "nobody"])
def test_no_set_has_more_than_the_bound_on_its_excess(kind, rise):
    theta = frequencies(10, kind)
    cells = FrequencyCells.of(theta)
    for seed in range(6):
        slope = slope_of(cells, np.random.default_rng(seed))
        priced, most = priced_cells(cells, slope, rise), largest_excess(theta, rise, slope)
        assert priced.bound >= most - priced.rounding
        # Sets with shares of an input in them have little more than sets, unless the level is high.
        assert rise > 2.0 or priced.bound <= most + 0.35 * abs(most) + 1.0


def trace_of(theta, rise, slope, cells):
    """Return the trace of G K of a mechanism at the frequencies themselves, and what the slope allows."""
    group = np.repeat(cells.group_of, cells.sizes.astype(int))
    ranked = np.sort(theta)[::-1]
    frequency = np.repeat(cells.least, cells.sizes.astype(int))
    sets = 1.0 + rise * np.array(list(product((0.0, 1.0), repeat=len(theta))))
    # Each row of a mechanism over all sets sums to one: as it does with the weights of symmetric ones.
    size = (sets > 1.0).sum(axis=1)
    weights = np.zeros(len(sets))
    for k in (2, 3, 4):
        weights[size == k] = 1.0 / 3.0 / sets[size == k].sum(axis=0)[0]
    matrix = np.zeros((len(theta), len(theta)))
    for b in range(cells.groups):
        inside = (group == b).astype(float)
        matrix += slope.within[b] * (np.diag(inside) - np.outer(inside, inside) / inside.sum())
    trace = float((np.einsum("si,ij,sj->s", sets, matrix, sets) * weights / (sets @ ranked)).sum())
    rows = float((slope.constant[group] - slope.steepness[group] * frequency).sum())
    return trace, rows + slope.total * float(frequency.sum())


@pytest.mark.parametrize("kind", ["Zipf", "drawn", "nobody"])
def test_a_mechanism_has_no_larger_trace_than_the_slope_allows(kind):
    theta = frequencies(9, kind)
    cells = FrequencyCells.of(theta)
    for seed in range(5):
        raised = bound_of_cells(cells, 1.5, slope_of(cells, np.random.default_rng(seed)))[1]
        trace, allowed = trace_of(theta, 1.5, raised, cells)
        assert trace <= allowed * (1.0 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("kind", ["Zipf", "drawn", "two levels"])
def test_the_bound_is_below_exact_optima_and_near_them(kind, epsilon):
    theta = frequencies(9, kind)
    exact = md.design(md.Problem(theta), md.LDP(epsilon), md.InformationDesign("A"))
    assert exact.gap < 1e-6
    slope = best_cell_slope(theta, np.expm1(epsilon), np.inf)
    bound = least_by_cells(theta, np.expm1(epsilon), slope)
    assert 0.0 < bound <= exact.value * (1.0 + 1e-9)


def test_cells_hold_every_input_once_and_their_least_frequency():
    for kind, n in product(("Zipf", "drawn", "two levels", "nobody"), (3, 50, 4000)):
        theta = frequencies(n, kind)
        cells = FrequencyCells.of(theta)
        ranked = np.sort(theta)[::-1]
        assert cells.sizes.sum() == n and cells.counts.sum() == n
        assert np.array_equal(
            np.repeat(cells.least, cells.sizes.astype(int)),
            np.minimum.reduceat(ranked, (np.cumsum(cells.sizes) - cells.sizes).astype(int)).repeat(
                cells.sizes.astype(int)
            ),
        )
        assert cells.masses.sum() <= 1.0 + 1e-12


def test_what_is_no_slope_proves_nothing():
    theta = frequencies(50, "Zipf")
    groups = FrequencyCells.of(theta).groups
    for given in (None, np.zeros((3, groups)), np.full((4, groups), np.nan), np.zeros((4, groups + 1))):
        assert least_by_cells(theta, 1.0, given) == 0.0
    assert best_cell_slope(np.full(50, 0.02), 1.0, np.inf) is None


def test_zipf_frequencies_of_five_thousand_inputs():
    """Issue: below 18,460 with a gap of at most .05, where the route of blocks had 19,112 and .18."""
    theta = frequencies(5000, "Zipf")
    with pytest.warns(md.GapWarning):
        made = md.design(md.Problem(theta), md.LDP(1.0), md.InformationDesign("A"))
    assert made.value < 18_200 and made.gap <= 0.05
    assert made.mechanism.family.name == "two kinds of reports"
    assert made.audit.holds
