"""The reader's notions: what each allows of a functional, by extreme columns, and what is just private."""

from fractions import Fraction

import numpy as np
import pytest

import mechdesign_check as reader

HALF, TINY = Fraction(1, 2), Fraction(1, 10**9)
PRIOR = [0.25, 0.25, 0.25, 0.125, 0.125]
LINE = [[float(abs(i - j)) for j in range(5)] for i in range(5)]
#: Each notion of five inputs at a level of 0, where a column is private if and only if it is constant.
AT_ZERO = {
    "AsymmetricLIP": {"lower": 0.0, "upper": 0.0},
    "BlockLDP": {"epsilon": 0.0, "blocks": [[0, 1, 2, 3, 4]]},
    "BoundedPriorLIP": {"epsilon": 0.0, "lower": [0.1] * 5, "upper": [0.5] * 5},
    "InteriorPML": {"epsilon": 0.0, "c": 0.125},
    "LDP": {"epsilon": 0.0},
    "LIP": {"epsilon": 0.0},
    "MaxLift": {"epsilon": 0.0},
    "MaximalLeakage": {"epsilon": 0.0},
    "MetricDP": {"epsilon": 0.0, "distance": LINE},
    "MutualInformationPrivacy": {"epsilon": 0.0},
    "ApproximateLDP": {"epsilon": 0.0, "delta": 0.0},
    "GLeakage": {"epsilon": 0.0, "gain": [[float(i == j) for j in range(5)] for i in range(5)]},
    "SibsonLeakage": {"epsilon": 0.0, "alpha": 2.0},
    "StrongChiSquare": {"epsilon": 0.0},
    "StrongL1": {"epsilon": 0.0},
    "UtilityOptimizedLDP": {"epsilon": 0.0, "sensitive": [0, 1, 2, 3, 4]},
    "WorstCaseLIP": {"epsilon": 0.0},
}


def made(name, prior=PRIOR, **given):
    notion = {"name": name, **given}
    return reader.notions_of(notion, reader.World({"n": len(prior), "prior": prior}, {}))[0]


@pytest.mark.parametrize("name", AT_ZERO)
def test_a_level_of_0_allows_constant_columns_and_no_others(name):
    one = made(name, **AT_ZERO[name])
    flat = [[Fraction(1, 4)] * 5, [Fraction(3, 4)] * 5]
    assert one.private(flat)
    for i in range(5):
        moved = [
            [each + sign * TINY * (x == i) for x, each in enumerate(column)]
            for sign, column in zip((1, -1), flat, strict=True)
        ]
        assert not one.private(moved) or (name == "GLeakage" and i > 2)


@pytest.mark.parametrize("name", AT_ZERO)
def test_a_functional_of_nothing_is_allowed_and_no_less(name):
    """Nothing is charged, and no numbers of its own are there: no column has less than 0, and 0 is not passed."""
    one = made(name, **AT_ZERO[name])
    free = [Fraction(0)] * len(one.limits)
    assert one.allowed([Fraction(0)] * 5, free, {})
    for i in range(5):
        assert not one.allowed([-TINY * (x == i) for x in range(5)], free, {})


#: Notions whose extreme columns the reader lists, at levels that have no room and much of it.
LISTED = {
    "few are large": ("InteriorPML", {"epsilon": 0.8, "c": 0.05}),
    "some are zero": ("InteriorPML", {"epsilon": 1.5, "c": 0.1}),
    "one is large": ("InteriorPML", {"epsilon": 2.5, "c": 0.1}),
    "any prior": ("InteriorPML", {"epsilon": 0.8, "c": 0.0}),
    "one prior": ("InteriorPML", {"epsilon": 0.8, "c": 0.2}),
    "AsymmetricLIP": ("AsymmetricLIP", {"lower": 0.5, "upper": 0.3}),
    "BlockLDP": ("BlockLDP", {"epsilon": 0.7, "blocks": [[0, 2, 3]]}),
    "LDP": ("LDP", {"epsilon": 0.7}),
    "LIP": ("LIP", {"epsilon": 0.4}),
    "MaxLift": ("MaxLift", {"epsilon": 0.4}),
    "high MaxLift": ("MaxLift", {"epsilon": 1.5}),
    "UtilityOptimizedLDP": ("UtilityOptimizedLDP", {"epsilon": 0.7, "sensitive": [1, 3]}),
}


@pytest.mark.parametrize("name", LISTED)
def test_a_functional_is_allowed_where_no_extreme_column_refuses_it(name):
    kind, given = LISTED[name]
    one, world = made(kind, **given), reader.World({"n": 5, "prior": PRIOR}, {})
    columns = reader.extremes([one], world, False)
    rng = np.random.default_rng(4)
    for _ in range(40):
        w = [Fraction(each) for each in rng.normal(size=5)]
        least = min(reader.dot(w, v) / sum(v) for v in columns)
        for moved in (TINY, -TINY):
            assert one.allowed([each - least + moved for each in w], [], {}) == (moved > 0)


@pytest.mark.parametrize("name", LISTED)
def test_extreme_columns_are_private_and_just_so(name):
    """Nearly each row has an end of `exp_bounds` that is above the true one, so a little is allowed for."""
    kind, given = LISTED[name]
    one, world = made(kind, **given), reader.World({"n": 5, "prior": PRIOR}, {})
    wider = {key: each + 1e-6 if key in ("epsilon", "lower", "upper") else each for key, each in given.items()}
    narrower = {key: each - 1e-6 if key in ("epsilon", "lower", "upper") else each for key, each in given.items()}
    wide, narrow = made(kind, **wider), made(kind, **narrower)
    columns = reader.extremes([one], world, False)
    assert all(wide.private([v]) for v in columns)
    assert not any(narrow.private([v]) for v in columns if sum(map(bool, v)) > 1 and len(set(v)) > 1)


EQUAL = [0.5, 0.5]


@pytest.mark.parametrize("scale", [Fraction(1, 100), 1, 100])
@pytest.mark.parametrize("name", ["StrongL1", "StrongChiSquare"])
def test_what_moves_from_its_mean_by_half_of_it(name, scale):
    """Of two inputs that are alike the columns between (1, 3) and (3, 1): of these (3, -1) has at least 0."""
    one = made(name, EQUAL, epsilon=0.5)
    own = {0: 2 * scale, 1: 4 * scale} if name == "StrongL1" else {}
    assert one.private([[scale, 3 * scale]]) and one.private([[3 * scale, scale]])
    assert not one.private([[scale, 3 * scale + TINY]]) and not one.private([[scale - TINY, 3 * scale]])
    assert one.allowed([3 * Fraction(scale), -Fraction(scale)], [], own)
    for w in ([3 * scale - TINY, -scale], [3 * scale, -scale - TINY], [-3 * scale, scale], [-scale, -scale]):
        assert not one.allowed(list(map(Fraction, w)), [], own)


@pytest.mark.parametrize("scale", [Fraction(1, 100), 1, 100])
def test_numbers_of_strong_notions_are_not_negative(scale):
    chi, one = made("StrongChiSquare", EQUAL, epsilon=0.5), made("StrongL1", EQUAL, epsilon=0.5)
    w = [Fraction(3 * scale), Fraction(-scale)]
    # What is taken off is at the columns' cost: a number for an entry is at least 0.
    assert chi.allowed([w[0] + 1, w[1]], [], {0: Fraction(1)}) and not chi.allowed(w, [], {0: TINY})
    assert not chi.allowed([w[0] - 1, w[1]], [], {0: Fraction(-1)})
    assert not one.allowed([Fraction(0)] * 2, [], {1: -TINY}) and one.allowed([Fraction(0)] * 2, [], {1: Fraction(0)})


def test_two_inputs_differ_by_delta_at_most():
    one = made("WeightedTV", EQUAL, weight=0.25, delta=0.75)
    assert one.private([[Fraction(5, 6), 0], [Fraction(1, 6), 1]])
    assert not one.private([[Fraction(5, 6) + TINY, 0], [Fraction(1, 6) - TINY, 1]])
    assert not one.private([[Fraction(5, 6), -TINY], [Fraction(1, 6), 1 + TINY]])
    # Each of these is some y in [-nu, nu] times (-3, 1), and nowhere less: with less of an entry or of nu it is not.
    for w, nu in (([-3, 1], 1), ([3, -1], 1), ([-Fraction(3, 2), HALF], HALF), ([6, -2], 2)):
        given = [Fraction(each, 4) for each in w]
        assert one.allowed(given, [Fraction(nu)], {}) and not one.allowed(given, [nu - TINY], {})
        for i in range(2):
            assert not one.allowed([each - TINY * (x == i) for x, each in enumerate(given)], [Fraction(nu)], {})


def test_pairs_pass_their_ratio_by_delta_at_most():
    one = made("ApproximateLDP", EQUAL, epsilon=0.0, delta=0.25)
    quarters = [[Fraction(2, 4), Fraction(1, 4)], [Fraction(2, 4), Fraction(3, 4)]]
    assert one.private(quarters) and one.private([column[::-1] for column in quarters])
    assert not one.private([[HALF, Fraction(1, 4) - TINY], [HALF, Fraction(3, 4) + TINY]])
    assert one.pairs == [(0, 1), (1, 0)] and one.limits == (Fraction(1, 4),) * 2
    free, some = [Fraction(0)] * 2, [Fraction(1), Fraction(2)]
    # Place 1 is the pair (0, 1), place 2 the pair (1, 0).
    assert one.allowed([Fraction(-1), Fraction(1)], some, {1: Fraction(1)})
    assert one.allowed([Fraction(2), Fraction(-2)], some, {2: Fraction(2)})
    for w, nu, own in (
        ([-1 - TINY, Fraction(1)], some, {1: Fraction(1)}),
        ([Fraction(-1), 1 - TINY], some, {1: Fraction(1)}),
        ([Fraction(-1), Fraction(2)], some, {1: 1 + TINY}),
        ([Fraction(-2), Fraction(2)], some, {1: Fraction(2)}),
        ([Fraction(1), Fraction(1)], some, {1: -TINY}),
        ([Fraction(1), Fraction(1)], some, {0: Fraction(0)}),
        ([Fraction(1), Fraction(1)], some, {3: Fraction(0)}),
        ([Fraction(1), Fraction(1)], some, {4: Fraction(0)}),
        ([Fraction(-1), Fraction(1)], free, {1: Fraction(1)}),
    ):
        assert not one.allowed(w, nu, own)


def test_the_largest_entries_add_up_to_the_level():
    one = made("MaximalLeakage", EQUAL, epsilon=0.0)
    assert one.allowed([Fraction(-1), Fraction(2)], [Fraction(1)], {})
    assert not one.allowed([-1 - TINY, Fraction(2)], [Fraction(1)], {})
    assert not one.allowed([-HALF, -HALF - TINY], [Fraction(1)], {})
    assert one.allowed([-HALF, -HALF], [Fraction(1)], {})


@pytest.mark.parametrize(
    ("high", "given", "found"),
    [
        # What is missing is more than the first can take, and then than it can give.
        ((3, 9, 4), (0, 0, 10), (3, 3, 4)),
        ((9, 9, 9), (3, 7, 0), (2, 6, 2)),
        ((3, 3, 9), (0, 0, 10), (2, 2, 6)),
        ((3, 3, 4), (0, 0, 10), (3, 3, 4)),
    ],
)
def test_no_weight_leaves_its_box(high, given, found):
    tenths = [[Fraction(each, 10) for each in row] for row in ((2, 2, 2), high, given, found)]
    assert reader.moved_into(tenths[:2], tenths[2]) == tenths[3]


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_alike_inputs_have_one_set_of_each_size_and_others_every_set(n):
    prior = [1 / n] * n
    one, world = made("LDP", prior, epsilon=0.5), reader.World({"n": n, "prior": prior}, {})
    high = reader.exp_bounds(HALF)[1]
    sets = [[{x for x, each in enumerate(v) if each == high} for v in reader.extremes([one], world, e)] for e in (0, 1)]
    assert len({frozenset(each) for each in sets[0]}) == len(sets[0]) == 2**n - 1 and set() not in sets[0]
    assert sorted(map(len, sets[1])) == list(range(1, n + 1))
    assert all(set(v) <= {1, high} for v in reader.extremes([one], world, True) + reader.extremes([one], world, False))


def test_inputs_that_may_be_revealed_are_extreme_columns_too():
    one, world = made("UtilityOptimizedLDP", epsilon=0.5, sensitive=[1, 3]), reader.World({"n": 5, "prior": PRIOR}, {})
    for even, sets in ((True, 5), (False, 31)):
        columns = reader.extremes([one], world, even)
        assert columns[:3] == [[x == i for x in range(5)] for i in (0, 2, 4)] and len(columns) == 3 + sets
