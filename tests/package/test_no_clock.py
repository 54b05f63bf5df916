"""The verdict of a test is that of the commit: no clock, no sleep, no chance, no generator that tests share."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
PACKAGE = TESTS.parent / "mechdesign"

CLOCK = r"\b(?:perf_counter|process_time|thread_time|monotonic)(?:_ns)?\b|\btime\.time\b|\bdatetime\.now\b"
#: What a test may not name, and why.
FORBIDDEN = {
    "a clock": rf"{CLOCK}|\bpsutil\b|\bimport resource\b|\bgetrusage\b|\bsetitimer\b|\btimeit\b",
    "a sleep": r"\btime\.sleep\(|\bfrom time import\b|threading\.Timer\(",
    "an unseeded generator": (
        r"\bdefault_rng\(\)|\bRandomState\(\)|random\.Random\(\)|\bnp\.random\.(?!default_rng|Generator|get_state)"
        r"|(?<![\w.])random\.(?!Random\(|getstate)\w+\(|\bsecrets\.|\buuid4\("
    ),
}
#: Reasons why a file may: this list only ever gets shorter.
EXCEPTIONS = {
    ("test_ending.py", "a sleep"): "at the interpreter's end, which is ended by what is waited for",
    ("test_no_clock.py", "a clock"): "the names themselves",
    ("test_no_clock.py", "a sleep"): "the names themselves",
    ("test_no_clock.py", "an unseeded generator"): "the names themselves",
    ("test_threads.py", "an unseeded generator"): "a name that the package may not use",
    ("test_writing.py", "an unseeded generator"): "names of temporary files, which several processes make at once",
    ("test_writing.py", "a clock"): "a limit of the size of files in a process of its own, no measurement",
}
#: A limit of so many seconds, by a test that does not count looks.
LIMIT = r"""\btime_limit["']?[=:] ?[\d.]+(?:e-?\d+)?(?![\w.])"""
COUNTING = r"\b(?:CountingClock|Still|within|check_time_limit)\("


def found_in(text):
    """Return which kinds of what is forbidden a test's text has."""
    return {kind for kind, pattern in FORBIDDEN.items() if re.search(pattern, text)}


def shared_generators(text):
    """Return the names that a module gives to generators of random numbers outside of any function."""
    names = []
    for line in ast.parse(text).body:
        value = getattr(line, "value", None)
        if isinstance(line, ast.Assign | ast.AnnAssign) and isinstance(value, ast.Call):
            called = ast.unparse(value.func)
            if called.endswith(("default_rng", "random.Random", "RandomState")):
                names.append(ast.unparse(line))
    return names


def files():
    return [*TESTS.rglob("*.py"), *(PACKAGE / "testing").rglob("*.py")]


def test_no_test_reads_a_clock_sleeps_or_draws_by_chance():
    found = {(path.name, kind) for path in files() for kind in found_in(path.read_text(encoding="utf-8"))}
    assert found == set(EXCEPTIONS)


def has_real_limit(text):
    """Tell whether a test gives a limit of seconds and no clock that counts looks."""
    return bool(re.search(LIMIT, text)) and not re.search(COUNTING, text)


def test_limits_are_of_a_clock_that_counts_looks():
    assert {path.name for path in files() if has_real_limit(path.read_text(encoding="utf-8"))} == set()
    assert has_real_limit("md.design(*question, time_limit=0.5)")
    assert has_real_limit('{"time_limit": 2}')
    assert not has_real_limit("with reading(CountingClock()):\n    md.design(*question, time_limit=0.5)")


def test_tests_share_no_generator():
    shared = {path.name: shared_generators(path.read_text(encoding="utf-8")) for path in files()}
    assert not {name: names for name, names in shared.items() if names}


def test_one_place_of_the_package_reads_the_clock():
    reading = {path.name for path in PACKAGE.rglob("*.py") if re.search(CLOCK, path.read_text(encoding="utf-8"))}
    assert reading == {"deadline.py"}


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("started = time.perf_counter()", {"a clock"}),
        ("time.sleep(0.2)", {"a sleep"}),
        ("rng = np.random.default_rng()", {"an unseeded generator"}),
        ("np.random.rand(3)", {"an unseeded generator"}),
        ("random.shuffle(names)", {"an unseeded generator"}),
        ("rng = np.random.default_rng(3)\nclock.advance(0.2)", set()),
    ],
)
def test_planted_what_is_forbidden_is_seen(text, kinds):
    assert found_in(text) == kinds


def test_planted_a_shared_generator_is_seen():
    assert shared_generators("import numpy as np\nRNG = np.random.default_rng(7)\n")
    assert not shared_generators("def f():\n    rng = np.random.default_rng(7)\n")
