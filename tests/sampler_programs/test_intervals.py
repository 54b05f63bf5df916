"""Sampler programs of numbers of an interval: each is rounded to a point beside it, exactly, and then reported."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from tests.helpers import sampler_programs as programs

SUFFIXES = (".py", ".mjs")


@pytest.fixture(scope="module")
def made():
    return md.design(md.Problem.from_interval(-1.0, 2.5, points=5), md.LDP(1.0), md.UnbiasedMean(), gap=0.5).mechanism


def asked(made):
    """Return numbers with the words that decide their rounding, and the point that each is rounded to."""
    points, found = made.inputs.values, []
    for text in ("-1", "-0.999", "0", "1e-300", "0.75", ".1", "2.4999999999999996", "2.5", "-0.0", "1.625"):
        number = Fraction(float(text))
        below = min(int(np.searchsorted(points, float(text), side="right")) - 1, len(points) - 2)
        low, high = Fraction(points[below]), Fraction(points[below + 1])
        share = (number - low) / (high - low)
        digit = int(share * 2**64)
        near = {0, digit - 1, digit + 1, 2**64 - 1, 12345678901234567890} - {digit}
        found += [(text, [word], below + (word < digit)) for word in near if 0 <= word < 2**64]
        if digit < 2**64:
            rest = share * 2**64 - digit
            second = int(rest * 2**64)
            # The first digits are equal: the next ones decide, unless nothing is left.
            found.append((text, [digit, max(second - 1, 0)] if rest else [digit], below + bool(rest and second)))
    return found


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_numbers_are_rounded_by_the_digits_of_their_shares(suffix, made, tmp_path):
    path = md.sampler(made, tmp_path / f"survey_sampler{suffix}")
    made.save(tmp_path / "kept.json")
    cases = asked(made)
    points = {str(label) for label in made.inputs.distinct_answers}
    words, places = [], []
    for text, given, place in cases:
        if text not in points:
            words += given
        places.append(place if text not in points else made.inputs.distinct_answers.index(text))
    draws = [(place * 7919 + 12345) * 10**9 % 2**53 for place in places]
    words += [draw << 11 for draw in draws]
    code, out, err = programs.run(path, "".join(f"{text}\n" for text, *_ in cases).encode(), words)
    assert (code, err) == (0, "")
    rows = np.cumsum(made.numerators.astype(object), axis=1)
    wanted = [sum(int(limit) <= draw for limit in rows[place]) for place, draw in zip(places, draws, strict=True)]
    assert [int(line) for line in out.splitlines()[2:]] == wanted
    checksum = json.loads((tmp_path / "kept.json").read_text(encoding="utf-8"))["checksum"]
    assert out.startswith(f"# mechdesign reports {checksum}\n")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("answer", ["-1.0000000000000002", "2.6", "1e9", "nan", "", "many"])
def test_what_is_outside_is_refused_with_the_ends(suffix, answer, made, tmp_path):
    path = md.sampler(made, tmp_path / f"survey_sampler{suffix}")
    code, out, err = programs.run(path, f"0\n{answer}\n".encode())
    assert code == 2 and out == ""
    assert "line 2" in err and "give a number from -1 to 2.5" in err


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_reports_of_a_program_have_the_mean_of_their_answers(suffix, made, tmp_path):
    path = md.sampler(made, tmp_path / f"survey_sampler{suffix}")
    numbers = np.linspace(-1.0, 2.5, 41).repeat(250)
    words = np.random.default_rng(3).integers(2**64, size=2 * len(numbers), dtype=np.uint64).tolist()
    code, out, _ = programs.run(path, "".join(f"{number!r}\n" for number in numbers.tolist()).encode(), words)
    assert code == 0
    mean = made.estimate([int(line) for line in out.splitlines()[2:]]).mean()
    assert abs(float(mean) - numbers.mean()) < 4.0 * mean.standard_error
