"""Two rounds of randomisation: levels beside laws of sequences, and permanent reports that are kept."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

import mechdesign as md

TRUTH = md.Problem(labels=["a", "b", "c"])
KEPT = md.baselines.randomised_response(TRUTH, 2.0)
FRESH = md.baselines.randomised_response(md.Problem(n=3), 1.0)


def drawn(seed, n, m):
    rows = np.random.default_rng(seed).integers(1, 30, size=(n, m))
    return md.Mechanism([[str(Fraction(int(entry), int(row.sum()))) for entry in row] for row in rows])


def level_of_sequences(kept, fresh, times):
    """Return the largest logarithm of a ratio over all sequences of reports."""
    worst = 0.0
    for ys in product(range(fresh.matrix.shape[1]), repeat=times):
        column = kept.matrix @ fresh.matrix[:, ys].prod(axis=1)
        worst = max(worst, float(np.log(column.max() / column.min())))
    return worst


@pytest.mark.parametrize("seed", range(4))
def test_levels_are_of_the_law_of_sequences(seed):
    kept, fresh = drawn(seed, 3, 4), drawn(seed + 10, 4, 3)
    rounds = md.longitudinal(kept, fresh)
    for times in (1, 2, 4):
        assert rounds.reports(times) == pytest.approx(level_of_sequences(kept, fresh, times), rel=1e-12)
    assert rounds.one_report == rounds.reports(1) == float(md.audit(rounds.mechanism, md.LDP(9.0))) or (
        rounds.one_report == pytest.approx(float(md.audit(rounds.mechanism, md.LDP(9.0))), rel=1e-12)
    )
    assert rounds.reports(1) <= rounds.reports(4) <= rounds.lifetime
    assert rounds.lifetime == pytest.approx(float(md.audit(kept, md.LDP(9.0))), abs=1e-15)


def test_many_reports_come_near_the_lifetime_and_never_pass_it():
    rounds = md.longitudinal(KEPT, FRESH)
    assert rounds.one_report < 1.0 and rounds.lifetime == pytest.approx(2.0, abs=1e-12)
    levels = [rounds.reports(times) for times in (1, 5, 20, 60)]
    assert levels == sorted(levels) and 1.99 < levels[-1] <= rounds.lifetime


def test_what_is_never_told_apart_is_no_part_of_the_lifetime():
    """Two permanent outputs with the same instantaneous row are one."""
    kept = md.Mechanism([["8/10", "1/10", "1/10"], ["1/10", "8/10", "1/10"]])
    fresh = md.Mechanism([["1/2", "1/2"], ["1/2", "1/2"], ["1/4", "3/4"]])
    assert md.longitudinal(kept, fresh).lifetime == 0.0
    assert float(md.audit(kept, md.LDP(9.0))) > 2.0


def test_permanent_reports_are_kept_and_answers_are_not(tmp_path):
    path = tmp_path / "permanent.jsonl"
    rounds = md.longitudinal(KEPT, FRESH)
    with rounds.remembering(path) as memory:
        first = [memory.report("ann", "b") for _ in range(400)]
        memory.report("bob", "a")
        assert len(memory) == 2
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    kept = {row["person"]: row["permanent"] for row in lines[1:]}
    assert set(lines[1]) == {"person", "permanent", "checksum"} and len(lines) == 3
    with rounds.remembering(path) as memory:
        again = [memory.report("ann", "c") for _ in range(400)]
    for reports in (first, again):
        counts = np.bincount(reports, minlength=3) / 400.0
        assert counts.argmax() == kept["ann"] and abs(counts[kept["ann"]] - FRESH.matrix[0, 0]) < 0.15
    assert {row["person"] for row in map(json.loads, path.read_text().splitlines()[1:])} == {"ann", "bob"}


def test_a_line_that_was_cut_short_was_never_reported(tmp_path):
    path = tmp_path / "permanent.jsonl"
    rounds = md.longitudinal(KEPT, FRESH)
    with rounds.remembering(path) as memory:
        memory.report("ann", "b")
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"person": "bo')
    with rounds.remembering(path) as memory:
        assert len(memory) == 1


def test_reports_are_estimated_from_as_of_one_mechanism(tmp_path):
    rounds = md.longitudinal(KEPT, FRESH)
    people = ["a"] * 3000 + ["b"] * 1000
    with rounds.remembering(tmp_path / "kept.jsonl") as memory:
        reports = [memory.report(str(k), answer) for k, answer in enumerate(people)]
    estimate = rounds.mechanism.estimate(reports, by="index")
    assert abs(estimate.frequencies[0] - 0.75) < 5.0 * estimate.standard_errors[0]


@pytest.mark.parametrize(
    "ask",
    [
        lambda path: md.longitudinal(KEPT, md.baselines.randomised_response(md.Problem(n=2), 1.0)),
        lambda path: md.longitudinal(KEPT, "another"),
        lambda path: md.longitudinal(KEPT, FRESH).reports(0),
        lambda path: md.longitudinal(KEPT, FRESH).reports(5000),
        lambda path: md.longitudinal(KEPT, FRESH).remembering(path / "none" / "file"),
        lambda path: md.longitudinal(KEPT, FRESH).remembering(path / "kept.jsonl").report(3, "a"),
        lambda path: md.longitudinal(KEPT, FRESH).remembering(path / "kept.jsonl").report("ann", "z"),
    ],
)
def test_what_is_refused_is_refused_in_a_sentence(ask, tmp_path):
    with pytest.raises(md.DomainError):
        ask(tmp_path)


def test_a_file_of_another_mechanism_is_refused(tmp_path):
    path = tmp_path / "kept.jsonl"
    with md.longitudinal(KEPT, FRESH).remembering(path) as memory:
        memory.report("ann", "a")
    other = md.longitudinal(md.baselines.randomised_response(TRUTH, 1.0), FRESH)
    with pytest.raises(md.DomainError, match="another sampler"):
        other.remembering(path)
