"""MetricDP and BlockLDP: which pairs of inputs are protected, and how well."""

import math
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue.edge import exponential
from mechdesign.columns.metric_pairs import chained, needed, shortest_ways
from mechdesign.exact import exp_below
from tests.helpers import brute_force as bf

INFINITE = math.inf
SURVEY = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0.0, 1.0, 2.0, 4.0])
LINE = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))


def grid(width, height):
    """Return the distances along streets between the corners of a grid, by loops."""
    places = [(i, j) for i in range(width) for j in range(height)]
    return np.array([[float(abs(a - c) + abs(b - d)) for c, d in places] for a, b in places])


def pair_rows(epsilon, distance, channel=None):
    """Return ``e^(epsilon d) v_j - v_i >= 0`` for all ordered pairs at a finite distance."""
    n = len(distance)
    channel = np.eye(n) if channel is None else channel
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j and math.isfinite(distance[i][j])]
    return np.array([math.exp(epsilon * distance[i][j]) * channel[j] - channel[i] for i, j in pairs])


def blocks_as_distance(n, blocks):
    """Return distance 1 inside blocks, infinite between them."""
    distance = np.full((n, n), INFINITE)
    np.fill_diagonal(distance, 0.0)
    for block in blocks:
        for i in block:
            for j in block:
                distance[i, j] = float(i != j)
    return distance


def some_distance(n, rng, share=0.7):
    """Return symmetric distances of a few sizes, some infinite, without the triangle inequality."""
    upper = rng.choice([0.25, 0.5, 1.0, 1.5, 3.0], size=(n, n))
    upper[rng.random((n, n)) > share] = INFINITE
    distance = np.triu(upper, 1)
    distance[0, 1] = 1.0
    return distance + distance.T


def agrees(problem, notion, rows):
    """Compare designs for four objectives with the best vertices of the cone of `rows`."""
    n, rng = problem.n, np.random.default_rng(problem.n)
    columns = bf.vertices(rows, np.full(n, 1 / n))
    first, second = rng.dirichlet(np.ones(n), size=2)
    loss = rng.exponential(size=(n, 3))
    for objective, worth in (
        (md.MMSE(), -bf.squared_error(columns, problem.prior, problem.values)),
        (md.ExpectedLoss(loss), -bf.least_loss(columns, problem.prior, loss)),
        (md.KLDivergence(first, second), bf.divergence("KLDivergence", columns, first, second)),
        (md.MutualInformation(), bf.information(columns, problem.prior)),
    ):
        if np.isinf(worth).any():
            with pytest.raises(md.MechdesignError):
                md.design(problem, notion, objective)
            continue
        best = bf.optimum(columns, worth)
        design = md.design(problem, notion, objective)
        expected = -best if objective.sense == "minimise" else best
        assert design.value == pytest.approx(expected, rel=2e-7, abs=1e-9), (objective.name, notion)
        assert design.audit.holds and design.gap <= 1e-6 and float(design.audit) <= notion.epsilon


def test_the_level_is_the_largest_ratio_per_unit_of_distance(rng):
    for _ in range(20):
        matrix, distance = rng.dirichlet(np.ones(3), size=4), some_distance(4, rng)
        found = md.MetricDP(1.0, distance).level(matrix, SURVEY)
        every = {
            (i, j, y): math.log(matrix[i, y] / matrix[j, y]) / distance[i, j]
            for y in range(3)
            for i in range(4)
            for j in range(4)
            if i != j and math.isfinite(distance[i, j])
        }
        assert found.value == pytest.approx(max(every.values()), rel=1e-12)
        assert every[*found.inputs, found.output] == pytest.approx(found.value, rel=1e-12)


def test_the_exact_check_is_that_of_all_pairs(rng):
    """Smallest levels by fractions and bisection over floats, and the audit's."""
    for _ in range(5):
        distance = some_distance(3, rng) * 0.7
        numerators = rng.multinomial(1000, [0.3, 0.3, 0.4], size=3)
        problem = md.Problem(n=3)

        def holds(epsilon, distance=distance, numerators=numerators):
            return all(
                int(numerators[i, y])
                <= exponential(Fraction(epsilon) * Fraction(distance[i, j])) * int(numerators[j, y])
                for y in range(3)
                for i in range(3)
                for j in range(3)
                if i != j and math.isfinite(distance[i, j])
            )

        matrix = [[Fraction(int(k), 1000) for k in row] for row in numerators]
        level = md.audit(matrix, md.MetricDP(1.0, distance), problem).level
        assert holds(level) and not holds(math.nextafter(level, 0))


def test_a_pair_is_compared_where_floats_cannot_tell():
    """The rows are searched for the one pair of many that is a little outside."""
    n, outside = 6, np.tile([10**30, 10**30], (6, 1)).astype(object)
    outside[4] += np.array([1, -1])
    distance = np.ones((n, n)) - np.eye(n)
    distance[4, 5] = distance[5, 4] = 0.0
    notion = md.MetricDP(1.0, distance)
    assert not notion.holds_exactly(outside, md.Problem(n=n))
    outside[5] += np.array([1, -1])
    assert notion.holds_exactly(outside, md.Problem(n=n))


def test_a_chain_longer_than_its_pair_by_less_than_a_rounding_does_not_imply_it():
    # 1 and 1.25 units in the last place add up to the distance of the ends in floating point, and to more in truth.
    unit = 2.0**-52
    distance = np.array([[0.0, 1.0, 1.0 + unit], [1.0, 0.0, 1.25 * unit], [1.0 + unit, 1.25 * unit, 0.0]])
    assert distance[0, 1] + distance[1, 2] == distance[0, 2]
    near, far = exp_below(1.0), exp_below(1.25 * unit)
    column = [Fraction(1, 4), Fraction(1, 4) / near, Fraction(1, 4) / near / far]
    matrix = [[entry, 1 - entry] for entry in column]
    assert column[0] / column[2] > exp_below(1.0 + unit) * (1 + Fraction(1, 10**50))
    assert not md.audit(matrix, md.MetricDP(1.0, distance)).holds
    # The other two pairs are within theirs.
    assert md.audit(matrix[:2], md.MetricDP(1.0, distance[:2, :2])).holds
    assert md.audit(matrix[1:], md.MetricDP(1.0, distance[1:, 1:])).holds


def test_entries_too_small_for_floats_are_compared():
    """2.4, 1.6 and 10 / 2^-1074 units of the smallest float: 2.4 is more than 1.4 times 1.6, 2 is not 1.4 times 2."""
    column = np.array([[24], [16], [10 * 2**1074]], dtype=object)
    pair = blocks_as_distance(3, [(0, 1)])
    assert not md.MetricDP(math.log(1.4), pair).holds_exactly(column, md.Problem(n=3))
    assert md.MetricDP(math.log(1.5) + 1e-12, pair).holds_exactly(column, md.Problem(n=3))


def test_block_support_is_the_best_vertex(rng):
    blocks = [(0, 1, 3), (2, 4)]
    columns = bf.vertices(pair_rows(1.2, blocks_as_distance(6, blocks)), np.full(6, 1 / 6))
    functionals = rng.normal(size=(30, 6))
    found = md.BlockLDP(1.2, blocks).columns(md.Problem(n=6)).support(functionals, np.zeros(0))
    assert found.values == pytest.approx((functionals @ columns).max(axis=1), rel=1e-9)
    assert np.einsum("tx,xt->t", functionals, found.columns) == pytest.approx(found.values, rel=1e-9)


@pytest.mark.parametrize(
    ("distance", "pairs"),
    [(LINE, 3), (np.ones((4, 4)) - np.eye(4), 6), (grid(3, 3), 12), (grid(5, 4), 31), (0.1 * grid(4, 4), 24)],
)
def test_only_pairs_that_no_chain_implies_are_rows(distance, pairs):
    """A line of n places has n - 1 steps, a grid w (h - 1) + h (w - 1)."""
    problem = md.Problem(n=len(distance))
    assert md.MetricDP(0.7, distance).cone(problem).on_column.shape == (2 * pairs, len(distance))


def test_the_chain_rows_hold_what_all_pairs_hold(rng):
    """Random columns, near the boundary and off it: a chain's rows accept one where all pairs do."""
    inside = 0
    for trial in range(40):
        n = int(rng.integers(2, 7))
        distance = some_distance(n, rng)
        if trial % 4 == 0 and n > 3:
            distance[1, 2] = distance[2, 1] = 0.0
        rows = md.MetricDP(0.8, distance).cone(md.Problem(n=n)).on_column
        every = pair_rows(0.8, distance)
        kept = bf.vertices(rows, np.full(n, 1 / n))
        # Mixtures of the vertices are members, and twice the way from their mean mostly are not.
        mixed = kept @ rng.dirichlet(np.full(kept.shape[1], 0.3), size=40).T
        for columns in (kept, mixed, np.maximum(2 * mixed - kept.mean(axis=1, keepdims=True), 0)):
            scale = np.abs(every) @ columns
            by_pairs = (every @ columns >= -1e-12 * scale).all(axis=0)
            by_chain = (rows @ columns >= -1e-12 * (np.abs(rows) @ columns)).all(axis=0)
            assert np.array_equal(by_pairs, by_chain)
            inside += int(by_pairs.sum())
    assert inside > 1000


def test_a_chain_is_never_its_own_witness():
    """Distances that differ by less than the tolerance of a chain: neither pair may stand in for the other."""
    tiny = 1e-14
    distance = np.array([[0, 1.0, 1.0], [1.0, 0, tiny], [1.0, tiny, 0]])
    pairs, lengths = chained(shortest_ways(distance, needed(distance)), needed(distance))
    assert {0, 1, 2} == set(pairs.ravel().tolist()) and len(pairs) >= 2
    assert tiny in lengths


def test_a_detour_that_is_shorter_bounds_a_pair():
    distance = [[0, 0.3, 2.0], [0.3, 0, 0.7], [2.0, 0.7, 0]]
    given = np.array(distance)
    pairs, lengths = chained(shortest_ways(given, needed(given)), needed(given))
    assert pairs.tolist() == [[0, 1], [1, 2]] and lengths.tolist() == [0.3, 0.7]
    closed = [[0, 0.3, 1.0], [0.3, 0, 0.7], [1.0, 0.7, 0]]
    problem = md.Problem(prior=[0.2, 0.5, 0.3], values=[0, 1, 2])
    one, other = (md.design(problem, md.MetricDP(1.0, d), md.MMSE()) for d in (distance, closed))
    assert one.value == pytest.approx(other.value, rel=1e-9)


def test_distance_one_is_ldp(rng):
    ones = np.ones((4, 4)) - np.eye(4)
    for objective in (md.MMSE(), md.HammingLoss(), md.MutualInformation()):
        one, other = (md.design(SURVEY, notion, objective) for notion in (md.MetricDP(0.8, ones), md.LDP(0.8)))
        assert one.value == pytest.approx(other.value, rel=1e-8)
    for _ in range(10):
        matrix = rng.dirichlet(np.ones(3), size=4)
        assert md.audit(matrix, md.MetricDP(1.0, ones)).level == md.audit(matrix, md.LDP(1.0)).level


@pytest.mark.parametrize("blocks", [[(0, 1), (2, 3)], [(0, 2, 3)], [(1, 3)], [(0, 1, 2, 3)]])
def test_infinite_distances_are_blocks(blocks, rng):
    metric, block = md.MetricDP(0.8, blocks_as_distance(4, blocks)), md.BlockLDP(0.8, blocks)
    for objective in (md.MMSE(), md.HammingLoss(), md.MutualInformation(), md.WorstCaseLoss(1 - np.eye(4))):
        one, other = (md.design(SURVEY, notion, objective) for notion in (metric, block))
        assert one.value == pytest.approx(other.value, rel=2e-7, abs=1e-9), objective.name
        assert one.audit.holds and other.audit.holds
    for _ in range(10):
        matrix = rng.dirichlet(np.ones(3), size=4)
        assert md.audit(matrix, metric).level == md.audit(matrix, block).level
    if len(blocks[0]) == 4:
        ldp = md.design(SURVEY, md.LDP(0.8), md.MMSE())
        assert md.design(SURVEY, block, md.MMSE()).value == pytest.approx(ldp.value, rel=1e-9)


def test_block_rays_are_the_vertices():
    blocks = [(0, 1, 3), (2, 4)]
    problem = md.Problem(n=6)
    notion = md.BlockLDP(1.2, blocks)
    found = notion.columns(problem).rays().columns
    expected = bf.vertices(pair_rows(1.2, blocks_as_distance(6, blocks)), np.full(6, 1 / 6))
    given = found * 6 / found.sum(axis=0)
    distance = np.abs(given[:, :, None] - expected[:, None, :]).max(axis=0)
    # 2^3 - 2 of the first block, 2 of the second, and the input that is in none.
    assert found.shape == (6, 9) and expected.shape == (6, 9) and distance.min(axis=0).max() <= 1e-9


def test_what_a_block_never_sees_counts_nothing():
    matrix = [[0.75, 0.25, 0, 0], [0.25, 0.75, 0, 0], [0, 0, 0.5, 0.5], [0, 0, 0.25, 0.75]]
    report = md.audit(matrix, md.BlockLDP(2.0, [(0, 1), (2, 3)]))
    assert report.level == pytest.approx(math.log(3), rel=1e-15) and report.holds
    assert set(report.inputs) == {0, 1} and report.output in (0, 1)
    other = md.audit(matrix, md.BlockLDP(1.0, [(2, 3)]))
    assert other.level == pytest.approx(math.log(2), rel=1e-15) and other.inputs == (2, 3) and other.output == 2
    assert md.audit(matrix, md.BlockLDP(1.0, [(0, 2)])).level == INFINITE
    assert md.audit(matrix, md.MetricDP(1.0, blocks_as_distance(4, [(0, 1)]))).level == pytest.approx(math.log(3))


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_designs_are_those_of_brute_force(n, rng):
    problem = md.Problem(prior=rng.dirichlet(np.full(n, 3.0)), values=rng.normal(size=n))
    line = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
    agrees(problem, md.MetricDP(0.6, line), pair_rows(0.6, line))
    if n >= 3:
        distance = some_distance(n, rng, 1.0)
        agrees(problem, md.MetricDP(0.6, distance), pair_rows(0.6, distance))
        agrees(problem, md.BlockLDP(0.6, [(0, n - 1)]), pair_rows(0.6, blocks_as_distance(n, [(0, n - 1)])))
    if n == 4:
        agrees(problem, md.MetricDP(0.6, grid(2, 2)), pair_rows(0.6, grid(2, 2)))


def test_designs_with_a_hidden_secret_are_those_of_brute_force(rng):
    told = rng.dirichlet(np.ones(3), size=4).T
    problem = md.Problem(prior=rng.dirichlet(np.full(4, 3.0)), values=rng.normal(size=4)).hidden(told)
    line = LINE[:3, :3]
    agrees(problem, md.MetricDP(0.2, line), pair_rows(0.2, line, problem.channel))
    pair = pair_rows(0.1, blocks_as_distance(3, [(0, 2)]), problem.channel)
    agrees(problem, md.BlockLDP(0.1, [(0, 2)]), pair)


@pytest.mark.parametrize("route", ["rays", "columns", "convex"])
def test_a_zero_distance_makes_inputs_equal(route):
    distance = LINE.copy()
    distance[1, 2] = distance[2, 1] = 0.0
    merged = md.Problem(prior=[0.1, 0.5, 0.4], values=[0.0, 1.0, 3.0])
    line = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    problem = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0.0, 1.0, 1.0, 3.0])
    loss = np.abs(np.subtract.outer(problem.values, [0.0, 1.0, 3.0]))
    design = md.design(problem, md.MetricDP(1.0, distance), md.ExpectedLoss(loss), route=route)
    expected = md.design(merged, md.MetricDP(1.0, line), md.ExpectedLoss(loss[[0, 1, 3]])).value
    assert design.value == pytest.approx(expected, rel=1e-6) and design.audit.holds
    assert np.array_equal(design.matrix[1], design.matrix[2])
    moved = design.matrix.copy()
    moved[1] = moved[0]
    assert md.audit(moved, md.MetricDP(1.0, distance), problem).level == INFINITE


def test_epsilon_zero_leaves_what_components_tell():
    design = md.design(SURVEY, md.MetricDP(0.0, blocks_as_distance(4, [(0, 1), (2, 3)])), md.MutualInformation())
    # Which of the two blocks it is, and no more: 0.3 and 0.7.
    assert design.value == pytest.approx(-0.3 * math.log(0.3) - 0.7 * math.log(0.7), rel=1e-9)
    assert design.audit.holds and design.audit.level == 0.0


def distances(**changed):
    matrix = LINE.copy()
    for where, value in changed.items():
        matrix[int(where[1]), int(where[2])] = value
    return matrix


BAD = {
    "distance of other inputs": (
        lambda: md.design(md.Problem(n=3), md.MetricDP(1.0, LINE), md.HammingLoss()),
        "distance",
    ),
    "a block out of range": (lambda: md.audit(np.eye(3), md.BlockLDP(1.0, [(1, 3)])), "blocks"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_parameters_are_named(name):
    make, argument = BAD[name]
    with pytest.raises(md.DomainError) as caught:
        make()
    assert caught.value.argument == argument and caught.value.remedy


@pytest.mark.parametrize("notion", [md.MetricDP(0.5, distances(d03=INFINITE, d30=INFINITE)), md.BlockLDP(1, [[3, 1]])])
def test_saved_mechanisms_come_back(notion, tmp_path):
    loaded = md.load(md.design(SURVEY, notion, md.MMSE()).mechanism.save(tmp_path / "m.json"))
    assert loaded.question.notion == notion and hash(loaded.question.notion) == hash(notion)
    assert md.audit(loaded).holds


def test_a_chain_that_is_longer_by_less_than_a_rounding_implies_nothing():
    # In floats 0.7 + 0.1 is this distance; in exact arithmetic the chain is longer, and allows more.
    left, right, whole = 0.7, 0.1, 0.7 + 0.1
    assert Fraction(left) + Fraction(right) > Fraction(whole)
    distance = np.array([[0.0, left, whole], [left, 0.0, right], [whole, right, 0.0]])
    assert (0, 2) in zip(*needed(distance), strict=True)
