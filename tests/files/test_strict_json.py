"""JSON is read without leniency, and two pieces of data differ where anything of them does."""

import json
import math

import pytest

from mechdesign.files.strict_json import NotStrictError, difference, is_deep, parsed


def nested(depth, *, objects=False):
    made = 1
    for _ in range(depth):
        made = {"a": made} if objects else [made]
    return made


@pytest.mark.parametrize("data", [{"a": [1, 1.5, None, True, "x"], "b": {"a": {}}}, [], 3, "text", [1e400]])
def test_what_is_strict_is_read(data):
    assert parsed(json.dumps(data)) == data


def test_infinite_numbers_are_left_to_the_caller():
    assert parsed("[Infinity, -Infinity]") == [math.inf, -math.inf]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"a": 1, "b": 2, "a": 1}', "it has the key 'a' twice"),
        ('{"x": {"' + 50 * "k" + '": 1, "' + 50 * "k" + '": 2}}', f"it has the key '{36 * 'k'}... twice"),
        ('{"a": NaN}', "it has NaN for a number"),
        ("[" + 5000 * "9" + "]", "it has an integer of thousands of digits"),
        (json.dumps(nested(50)), "it is nested too deeply"),
        (100_000 * "[", "it is nested too deeply"),
    ],
)
def test_what_is_lax_is_refused_and_it_is_said_why(text, why):
    with pytest.raises(NotStrictError) as raised:
        parsed(text)
    assert str(raised.value) == why


def test_what_is_no_json_at_all_is_said_by_python():
    with pytest.raises(json.JSONDecodeError):
        parsed("{")


@pytest.mark.parametrize("objects", [False, True])
def test_depth_is_counted_to_the_last_level(objects):
    assert not is_deep(1) and not is_deep([]) and not is_deep(nested(49, objects=objects))
    assert is_deep(nested(50, objects=objects))
    # Two levels more, beside others that end.
    assert not is_deep([1, {"a": [], "b": nested(47)}, 2])
    assert is_deep([1, {"a": [], "b": nested(48)}, 2])


@pytest.mark.parametrize(
    ("found", "wanted", "said"),
    [
        (1, 1, None),
        (1, 1.0, "it is 1, not 1.0"),
        (1, True, "it is 1, not True"),
        (1.0, 2.0, "it is 1.0, not 2.0"),
        ("a", None, "it is 'a', not None"),
        ([1, 2], [1, 2], None),
        ([1, 2], [1], "it has 2 entries, not 1"),
        ([1], [1, 2], "it has 1 entries, not 2"),
        (300 * [1], 300 * [1], None),
        ([1, 2.0], [1, 2], "[1] is 2.0, not 2"),
        ([1.0, 2.0], [1, 2], "[0] is 1.0, not 1"),
        ([True], [1], "[0] is True, not 1"),
        ([True, True], [True, True], None),
        ([[1], [2]], [[1], [3]], "[1][0] is 2, not 3"),
        ([[1]], [[True]], "[0][0] is 1, not True"),
        ([[1.0]], [[1]], "[0][0] is 1.0, not 1"),
        ([{"a": 1}], [{"a": 1.0}], "[0].a is 1, not 1.0"),
        ({"a": 1}, {"a": 1}, None),
        ({"a": {"b": [1, 2]}}, {"a": {"b": [1, 3]}}, "a.b[1] is 2, not 3"),
        ({}, {"a": 1}, "it has no 'a'"),
        ({"a": {}}, {"a": {"b": 1}}, "a has no 'b'"),
        ({"a": 1}, {}, "it has 'a', which is no part of it"),
        ({"a": {"c": 1}}, {"a": {}}, "a has 'c', which is no part of it"),
        ({"a": 1}, [1], "it is an object, not a list"),
        ([1], {"a": 1}, "it is a list, not an object"),
        ([1], 1, "it is a list, not 1"),
        (39 * "x", 38 * "x", f"it is '{36 * 'x'}..., not '{38 * 'x'}'"),
    ],
)
def test_the_first_difference_is_said_with_its_place(found, wanted, said):
    assert difference(found, wanted) == said


@pytest.mark.parametrize(
    ("found", "wanted", "same"),
    [
        (1, 1.0, True),
        ([1.0, 2], [1, 2.0], True),
        (1, 2.0, False),
        (1, True, False),
        (1.0, True, False),
        ("1", 1, False),
    ],
)
def test_a_whole_number_may_stand_for_a_float_where_that_is_asked(found, wanted, same):
    assert (difference(found, wanted, lax=True) is None) == same
    assert (difference({"a": found}, {"a": wanted}, lax=True) is None) == same
    assert same == (difference([found], [wanted], lax=True) is None)
