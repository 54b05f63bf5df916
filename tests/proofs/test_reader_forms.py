"""The reader's forms: for each the values at its edges that it takes, and those beyond them that it refuses."""

import json
import math
import sys
from fractions import Fraction

import pytest

import mechdesign_check as reader

MOST, INF = sys.float_info.max, "inf"
LEAST = math.ulp(0.0)
#: A form by its name, what it takes, and what it refuses.
FORMS = {
    "a level": (reader.LEVEL, [0.0, LEAST, MOST], [-LEAST, 0, True, None, INF, math.inf, math.nan, "0"]),
    "a share": (reader.SHARE, [0.0, 1.0, 0.5], [-LEAST, math.nextafter(1.0, 2.0), 1]),
    "an order": (reader.ORDER, [LEAST, 0.5, math.nextafter(1.0, 0.0), 2.0], [0.0, 1.0, -1.0]),
    "a present share": (reader.PRESENT, [[1.0], [0.5, 0.5]], [[], [1.0, 0.0], [0.5, 0.25], [0.5, 0.75], 1.0]),
    "a possible share": (reader.POSSIBLE, [[1.0, 0.0], [1.0]], [[1.5, -0.5], [], [1, 0]]),
    "weights": (reader.WEIGHTS, [[LEAST, 2.0], [1.0]], [[0.0], [1.0, 0.0], [], {}]),
    "a truth": (reader.TRUTH, [True, False], [0, 1, None, "true"]),
    "an integer from 2 on": (reader.integer(2), [2, 3, 10**30], [1, -2, 2.0, True, "2"]),
    "an integer": (reader.integer(), [0, 1], [-1, False]),
    "two or more": (reader.several(reader.integer(), 2), [[0, 0], [1, 2, 3]], [[0], [], (0, 1), [0, -1], "01"]),
    "one or more": (reader.several(reader.integer()), [[0]], [[], ()]),
    "rows": (reader.matrix(reader.REALS), [[[1.0]], [[1.0, 2.0]] * 2], [[], [[]], [[1.0], [1.0, 2.0]], [1.0]]),
    "increasing": (reader.increasing(reader.integer(), 0), [[], [4], [0, 1, 5]], [[1, 1], [1, 0], [0, 2, 1]]),
    "blocks": (
        reader.disjoint_blocks,
        [[[0, 1]], [[0], [1, 2]], [[0, 2], [1, 3]]],
        [[], [[]], [[0]], [[0], [1]], [[0, 1], [1, 2]], [[1, 0]], [[1, 2], [0, 3]], [[0, 1], [0, 1]]],
    ),
    "an edge": (reader.edge, [[0, 1], [2, 7]], [[0], [1, 1], [1, 0], [0, 1, 2], [-1, 0]]),
    "distances": (
        reader.distances,
        [
            [[0.0]],
            [[0.0, 1.0], [1.0, 0.0]],
            [[0.0, 0.0], [0.0, 0.0]],
            [[0.0, 1.0, INF], [1.0, 0.0, INF], [INF, INF, 0.0]],
        ],
        [
            [[1.0]],
            [[0.0, 1.0]],
            [[0.0], [0.0]],
            [[0.0, 1.0], [2.0, 0.0]],
            [[0.0, 1.0], [1.0, 1.0]],
            [[0.0, INF], [INF, 0.0]],
            [[0.0, -1.0], [-1.0, 0.0]],
            [],
        ],
    ),
    "a direction": (reader.change, [[1.0, -1.0], [0.0, 2.0, -2.0]], [[0.0, 0.0], [1.0, 1.0], [], [1.0]]),
    "names": (reader.names, [["a"], ["a", "b"], ["a", "A"]], [[], ["a", "a"], ["\u00e9", "e\u0301"], [1], "ab"]),
    "a generator": (
        reader.generator,
        ["KL", "KLGenerator", "ChiSquareGenerator", {"name": "PowerGenerator", "order": 0.5}],
        [
            "Mine",
            "PowerGenerator",
            {"name": "KL"},
            {"name": "PowerGenerator"},
            {"name": "PowerGenerator", "order": 1.0},
            7,
        ],
    ),
    "a loss": (
        reader.OBJECTIVE_FORMS["WorstCaseLoss"]["loss"],
        ["absolute", "squared", [[1.0, -1.0]]],
        ["cubic", [], [[1]], [[1.0], [1.0, 2.0]]],
    ),
    "an order of Sibson": (reader.NOTION_FORMS["SibsonLeakage"]["alpha"], [1.1, 100.0, 2.0], [1.0999, 100.001, INF]),
    "a weight": (reader.NOTION_FORMS["WeightedTV"]["weight"], [LEAST, 0.5, math.nextafter(1.0, 0.0)], [0.0, 1.0]),
    "an end": (reader.NOTION_FORMS["AsymmetricLIP"]["lower"], [0.0, INF, 2.0], [-LEAST, math.inf, "-inf"]),
    "a gap": (reader.CLAIMS["gap"], [0.0, INF], [-LEAST, math.nan]),
    "a bound": (reader.CLAIMS["bound"], [-1.0, 0.0], [INF, 0]),
    "a number of outputs": (reader.QUESTION["outputs"], [1], [0]),
    "a number of inputs": (reader.PROBLEM["n"], [1], [0]),
}


@pytest.mark.parametrize("name", FORMS)
def test_each_form_takes_its_edges_and_nothing_beyond(name):
    form, taken, refused = FORMS[name]
    for each in taken:
        form(each)
    for each in refused:
        with pytest.raises(reader.Unreadable):
            form(each)


@pytest.mark.parametrize(
    ("found", "taken"),
    [
        *((0, True), (-3, True), (MOST, True), (-MOST, True), (10**309, False), (True, False), (None, False)),
        *((math.inf, False), (-math.inf, False), (math.nan, False), ([1.0], False), ("1", False)),
    ],
)
def test_numbers_are_those_that_doubles_hold(found, taken):
    if taken:
        assert reader.number(found) == Fraction(found)
    else:
        with pytest.raises(reader.Unreadable, match="is no finite number"):
            reader.number(found)


@pytest.mark.parametrize(
    ("found", "kind", "taken"),
    [
        *(
            (1, int, True),
            (True, int, False),
            (True, bool, True),
            (1, bool, False),
            ([], list, True),
            (None, list, False),
        ),
        *(("a", list | str, True), ([], list | str, True), ({}, list | str, False), (False, int, False)),
    ],
)
def test_a_part_is_of_its_kind(found, kind, taken):
    if taken:
        assert reader.part({"a": found}, "a", kind) == found
    else:
        with pytest.raises(reader.Unreadable, match="'a' is missing, or of another kind"):
            reader.part({"a": found}, "a", kind)


@pytest.mark.parametrize("found", [[0, 0], [1, -1], [2, -1], [-1, -1], [0]])
def test_what_is_no_distribution_is_not_divided_by_its_sum(found):
    with pytest.raises(reader.Unreadable, match="a distribution has a negative entry"):
        reader.normalised(list(map(Fraction, found)))


def test_distributions_are_divided_by_their_sums():
    assert reader.shares([1.0, 0.0, 3.0]) == [Fraction(1, 4), 0, Fraction(3, 4)]
    assert reader.vector([1.0, 2.0], 2) == reader.vector([1.0, 2.0]) == [1, 2]
    for length in (0, 1, 3):
        with pytest.raises(reader.Unreadable, match="of another length"):
            reader.vector([1.0, 2.0], length)


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ([1], "a list"),
        ({}, "an object"),
        ("a" * 41, repr("a" * 40)),
        ("a" * 40, repr("a" * 40)),
        ("\u00e9\n", r"'\xe9\n'"),
        (int("9" * 41), repr("9" * 40)),
        (1.5, "'1.5'"),
        (None, "'None'"),
    ],
)
def test_values_are_shown_in_a_few_plain_characters(found, said):
    assert reader.shown(found) == said


def test_lists_are_alike_where_each_has_one_value():
    assert reader.alike([1, 1], [2, 2, 2]) and not reader.alike([1, 1], [2, 3]) and not reader.alike([1, 2])


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "a": 1}', "stands twice in one object"),
        ('{"b": {"a": 1, "a": 2}}', "stands twice in one object"),
        ("[1]", "it holds no object"),
        ("{", "it is no plain JSON"),
        ("[" * 100_000, "it is no plain JSON"),
    ],
)
def test_a_file_is_one_object_of_json(text, said, tmp_path):
    path = tmp_path / "a.json"
    path.write_text(text)
    with pytest.raises(reader.Unreadable, match=said):
        reader.read(path)
    path.write_text('{"a": {"a": 1}, "b": [{"a": 1}, {"a": 2}]}')
    assert reader.read(path) == json.loads(path.read_text())


@pytest.mark.parametrize(("exponent", "size"), [(4000, 4), (-4000, 4), (4999, 4)])
def test_the_largest_and_the_smallest_exponentials_are_narrow(exponent, size):
    low, high = reader.exp_bounds(Fraction(exponent))
    assert 0 < low < high <= low * (1 + Fraction(1, 10**70))
    assert reader.exp_bounds(Fraction(exponent, size))[0] ** size <= high
    assert reader.exp_bounds(Fraction(exponent, size))[1] ** size >= low


@pytest.mark.parametrize(("x", "exponent"), [(0, 3), (1, 3), (Fraction(1, 4), Fraction(1, 2)), (4, Fraction(1, 2))])
def test_powers_hold_what_is_known(x, exponent):
    low, high = reader.power_bounds(Fraction(x), Fraction(exponent))
    truth = Fraction({0: 0, 1: 1, 4: 2}.get(x, Fraction(1, 2)))
    assert low <= truth <= high and (low == high) == (x in (0, 1))


def test_a_ratio_at_an_end_is_not_above_it():
    low, high = reader.exp_bounds(Fraction(1))
    assert reader.at_most(low, Fraction(1), 1) and not reader.at_most(high, Fraction(1), 1)
    assert reader.at_most(Fraction(3), Fraction(0), 3) and not reader.at_most(Fraction(3), Fraction(0), Fraction(2))


def test_sums_of_products_are_of_lists_of_one_length():
    assert reader.dot([1, 2], [3, 4]) == 11 and reader.dot([], []) == 0
    for left, right in (([1], [1, 2]), ([1, 2], [1])):
        with pytest.raises(ValueError, match="zip"):
            reader.dot(left, right)
