"""What results come to: times to an accuracy, wins, means, changes, words."""

import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.bench.reporting.change import between, changes
from mechdesign.bench.reporting.tables import by_class, data_of, privacy
from mechdesign.bench.reporting.words import sentences
from mechdesign.bench.running.record import Conditions
from tests.bench.made_results import results, run

TWO = results(
    run("A", "1", 1.0, error=1e-4, accuracy=1e-4),
    run("A", "1", 3.0, error=1e-10),
    run("A", "2", 2.0, error=1e-8),
    run("B", "1", 2.0, error=1e-12, violated=3),
    run("B", "2", math.inf, outcome="timed out", why="it did not return within 10 s"),
)


def test_the_quickest_run_that_reaches_an_accuracy_counts():
    assert TWO.times(1e-3) == {"A": {"1": 1.0, "2": 2.0}, "B": {"1": 2.0}}
    assert TWO.times(1e-6) == {"A": {"1": 3.0, "2": 2.0}, "B": {"1": 2.0}}
    assert TWO.solved(1e-9) == {"A": 1, "B": 1}


def test_wins_count_what_one_alone_solves():
    assert TWO.wins(1e-6) == {("A", "B"): 1, ("B", "A"): 1}
    assert TWO.wins(1e-3) == {("A", "B"): 2, ("B", "A"): 0}


def test_the_mean_counts_a_failure_as_the_limit():
    expected = math.sqrt((2.0 + 0.01) * (10.0 + 0.01)) - 0.01
    assert TWO.mean_time("B", 1e-6) == pytest.approx(expected)
    # A failure after a minute is not better than an answer after 20 s.
    given = Conditions(1, 60.0, 4.0, 1, "")
    longer = results(
        run("A", "1", 20.0, conditions=given),
        run("B", "1", math.inf, outcome="timed out", conditions=given),
    )
    assert longer.mean_time("A", 1e-6) == pytest.approx(20.0) and longer.mean_time("B", 1e-6) == pytest.approx(60.0)
    assert [row[6] for row in longer.display()[0].rows] == ["20", "not reached"]


def test_what_a_solver_does_besides_is_said():
    noisy = results(run("A", "1", 1.0, notes=("it prints to standard output",)), run("A", "2", 1.0), run("B", "1", 1.0))
    assert sum("A: it prints to standard output, on 1 instance." in said for said in sentences(noisy)) == 1
    assert not any("it prints" in said for said in sentences(TWO))


def test_words_and_tables_say_what_is_in_the_runs():
    said = " ".join(sentences(TWO))
    assert "A solves 2 of 2 instances" in said
    assert "B, of 2 runs: 1 timed out. The first of them, 2: it did not return within 10 s." in said
    assert "B 1 of 1" in said
    rows = {row[0]: row for row in privacy(TWO).rows}
    assert rows["B"][2] == "1"
    assert rows["A"][2] == "0"
    assert by_class(TWO, 1e-6, lambda each: each.form, "").rows == (("all pairs", "2 of 2", "1 of 2"),)
    assert len(data_of(TWO)) == 5


def test_good_points_with_multipliers_that_prove_nothing_are_said():
    faults = ("its multipliers have the opposite sign: their bound is off by 40 %",)
    turned = results(run("A", "1", 1.0, faults=faults), run("A", "2", 1.0, faults=faults), run("B", "1", 1.0))
    said = [each for each in sentences(turned) if "prove no bound" in each]
    assert len(said) == 1 and said[0].startswith("A: ") and "opposite sign on 2 instances" in said[0]


def timed(factor, noise, seed=0, names=40):
    rng = np.random.default_rng(seed)
    return results(*(run("A", f"{k}", float(factor * np.exp(noise * rng.normal()))) for k in range(names)))


@pytest.mark.parametrize("seed", range(5))
def test_noise_is_called_noise_and_a_change_a_change(seed):
    before = timed(1.0, 0.1, seed)
    assert changes(before, timed(1.0, 0.1, seed + 100)).changes[0].verdict == "within noise"
    assert changes(before, timed(0.7, 0.1, seed + 100)).changes[0].verdict == "quicker"
    assert changes(before, timed(1.5, 0.1, seed + 100)).changes[0].verdict == "slower"


def test_a_few_instances_decide_nothing():
    assert changes(timed(1.0, 0.1, names=3), timed(0.5, 0.1, names=3)).changes[0].verdict == "within noise"


def test_what_only_one_of_the_results_solves_is_named():
    before, after = results(run("A", "1", 1.0), run("A", "2", 1.0)), results(run("A", "2", 1.0), run("A", "3", 1.0))
    found = changes(before, after).changes[0]
    assert (found.gained, found.lost, found.both) == (("3",), ("1",), 1)


def test_results_of_other_solvers_are_not_compared():
    with pytest.raises(md.DomainError, match=r"earlier is of A, but a solver has to be in both .* are of B"):
        changes(results(run("A", "1", 1.0)), results(run("B", "1", 1.0)))


def test_two_solvers_of_one_result_are_compared_alike():
    both = results(*timed(1.0, 0.05).runs, *(run("B", f"{k}", 0.5) for k in range(40)))
    assert between(both, "A", "B").verdict == "quicker"
