"""Numbers of an interval are rounded at random to a point beside them, exactly in proportion, and none is lost."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli.commands import cli
from mechdesign.estimation.random_rounding import inputs_of
from mechdesign.runtime.random_bits import COIN_BITS as BITS

PROBLEM = md.Problem.from_interval(-1, 3, points=5)


def drawing(*numbers):
    """A source that gives these draws of `BITS` bits, one after the other."""
    words = iter(numbers)

    def source(count):
        return b"".join(int(next(words) << (64 - BITS)).to_bytes(8, "little") for _ in range(count // 8))

    return source


def test_points_stay_where_they_are():
    assert inputs_of([-1, 0, 1, 2, 3], PROBLEM).tolist() == [0, 1, 2, 3, 4]
    assert inputs_of([2, 3], PROBLEM, by="index").tolist() == [2, 3]
    assert inputs_of("0", PROBLEM).tolist() == 1
    assert inputs_of(np.array([[0.0], [3.0]]), PROBLEM).tolist() == [[1], [4]]


def test_the_shares_are_exact():
    """The last draw that goes up and the first that goes down, of numbers with and without an end in binary."""
    for number in (0.25, 0.1, 1 / 3, 2.7, -0.999):
        low = np.floor(number)
        share = (Fraction(number) - Fraction(low)) * 2**BITS
        last = share.numerator // share.denominator
        below = int(low) + 1
        if share.denominator == 1:
            assert inputs_of([number], PROBLEM, source=drawing(last - 1)).tolist() == [below + 1]
            assert inputs_of([number], PROBLEM, source=drawing(last)).tolist() == [below]
            continue
        assert inputs_of([number], PROBLEM, source=drawing(last - 1)).tolist() == [below + 1]
        assert inputs_of([number], PROBLEM, source=drawing(last + 1)).tolist() == [below]
        # A tie is decided by further bits.
        assert inputs_of([number], PROBLEM, source=drawing(last, 0)).tolist() == [below + 1]
        assert inputs_of([number], PROBLEM, source=drawing(last, 2**BITS - 1)).tolist() == [below]


def test_the_mean_is_kept(rng):
    numbers = rng.uniform(-1, 3, size=200_000)
    found = PROBLEM.values[inputs_of(numbers, PROBLEM, source=rng.bytes)]
    assert np.abs(found - numbers).max() < 1.0
    assert abs((found - numbers).mean()) <= 5 * (found - numbers).std() / np.sqrt(len(numbers))


def test_reports_of_numbers_estimate_their_mean(rng):
    made = md.design(md.Problem.from_interval(0, 100), md.LDP(2.0), md.UnbiasedMean(), gap=0.02)
    numbers = 100 * rng.beta(2, 5, size=40_000)
    reports = made.mechanism.simulate(numbers, seed=5)
    estimate = made.mechanism.estimate(reports).mean()
    assert abs(estimate.value - numbers.mean()) <= 4 * np.sqrt(made.value / len(numbers))
    estimates = md.UnbiasedMean().estimates(made.matrix, made.mechanism.inputs)
    assert abs(estimates[reports].mean() - numbers.mean()) <= 4 * np.sqrt(made.value / len(numbers))


@pytest.mark.parametrize(
    ("records", "said"),
    [
        ([0.0, 3.5], r"records\[1\] is 3\.5, but numbers have to be from -1 to 3 \(1 of 2 are not\)"),
        ([float("nan")], r"records\[0\] is nan"),
        ([0.0, None], "records"),
        (["one"], r"records\[0\] is one"),
    ],
)
def test_what_is_no_number_of_the_interval_is_refused(records, said):
    with pytest.raises(md.DomainError, match=said):
        inputs_of(records, PROBLEM)


def test_a_command_rounds_numbers_and_names_the_line_of_others(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    question = tmp_path / "q.toml"
    question.write_text(
        '[problem]\ninterval = [0, 10]\npoints = 5\n[notion]\nname = "LDP"\nepsilon = 1.0\n'
        '[objective]\nname = "UnbiasedMean"\n[solve]\ngap = 0.3\n[output]\npath = "m.json"\n'
    )
    (tmp_path / "a.csv").write_text("x\n1.5\n9.99\n0\n")
    (tmp_path / "b.csv").write_text("x\n1.5\n11\n")
    run = CliRunner()
    assert run.invoke(cli, ["design", str(question)]).exit_code == 0
    assert run.invoke(cli, ["sample", "m.json", "a.csv", "--column", "x", "-o", "r.csv"]).exit_code == 0
    assert len((tmp_path / "r.csv").read_text().splitlines()) == 5
    refused = run.invoke(cli, ["sample", "m.json", "b.csv", "--column", "x", "-o", "s.csv"])
    assert "line 3" in str(refused.exception) and "from 0 to 10" in str(refused.exception)
    assert not (tmp_path / "s.csv").exists()
    md.sampler(md.load(tmp_path / "m.json"), tmp_path / "s.py")
    assert (tmp_path / "s.py").exists()


def test_a_quantile_of_an_interval_holds_the_numbers_own():
    """Numbers are less than a step from their points: many reports do not make the interval of a quantile a point."""
    mechanism = md.design(
        md.Problem.from_interval(0, 120, points=9), md.LDP(1.0), md.UnbiasedMean(), gap=0.05
    ).mechanism
    numbers = 120 * np.random.default_rng(1).beta(2, 5, 200_000)
    found = mechanism.estimate(mechanism.simulate(numbers, seed=4))
    for share in (0.25, 0.5, 0.9):
        low, high = found.quantile(share).values
        assert low < np.quantile(numbers, share) < high
    assert "rounded to at random" in " ".join(str(found).split())
