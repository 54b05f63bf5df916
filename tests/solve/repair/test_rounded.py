"""Anyone's matrix into a notion: exactly private by definition, moved no more than is said, and tables read by name."""

import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mechdesign as md
from mechdesign.exact import dyadic, round_rows
from mechdesign.solve.repair import rounded as module
from mechdesign.solve.repair.rounded import _floats, _mixed, _private
from tests.helpers import brute_force

LINE = np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))


def response(n, epsilon):
    """Return the formula in floats, as anyone would write it."""
    matrix = np.ones((n, n)) / (math.exp(epsilon) + n - 1)
    np.fill_diagonal(matrix, math.exp(epsilon) / (math.exp(epsilon) + n - 1))
    return matrix


def missing(count=6):
    """Return matrices in floats that miss LDP at their epsilon by rounding alone, with it."""
    grid = [(n, epsilon) for n in range(2, 9) for epsilon in (0.3, 0.7, 1.0, 2.5)]
    found = [(response(n, e), e) for n, e in grid if not md.audit(response(n, e), md.LDP(e)).holds]
    assert len(found) >= count
    return found[:count]


def distances(matrix, made):
    """Return the largest change of an entry and the largest total variation of a row, in fractions, as was given."""
    changes = [
        [abs(Fraction(float(a)) - Fraction(float(b))) for a, b in zip(row, new, strict=True)]
        for row, new in zip(matrix, made, strict=True)
    ]
    return max(map(max, changes)), max(sum(row) / 2 for row in changes)


def test_what_misses_by_rounding_is_said_and_mended():
    for matrix, epsilon in missing():
        report = md.audit(matrix, md.LDP(epsilon))
        assert report.missed_by_rounding and epsilon < float(report) < epsilon + 1e-14
        shown = str(epsilon).removesuffix(".0")
        assert f"{shown} is asked, {float(report)!r} measured: rounding of floats; md.rounded(" in str(report)
        made = md.rounded(matrix, md.LDP(epsilon))
        assert brute_force.is_ldp(made.matrix, epsilon) and md.audit(made, md.LDP(epsilon)).remark == ""
        entry, row = distances(matrix, made.matrix)
        assert entry <= made.moved <= float(entry) * (1 + 1e-15) and row <= made.distance <= float(row) * (1 + 1e-15)
        assert made.moved < 1e-12


@pytest.mark.parametrize("above", [1e-11, 1e-9, 0.1])
def test_what_misses_by_more_is_not_called_rounding(above):
    report = md.audit(response(4, 1.0 + above), md.LDP(1.0))
    assert not report.holds and not report.missed_by_rounding and report.remark == ""
    # Never "does NOT hold: its level is 1".
    assert float(str(report).partition("level is ")[2].partition(". ")[0]) > 1.0


@pytest.mark.parametrize(
    ("notion", "problem"),
    [
        (md.LDP(1.0), md.Problem(n=4)),
        (md.LDP(0.0), md.Problem(n=4)),
        (md.LIP(0.5), md.Problem(prior=[0.1, 0.2, 0.3, 0.4])),
        (md.MetricDP(0.7, LINE), md.Problem(n=4)),
        (md.LDP(1.0) & md.MaximalLeakage(0.3), md.Problem(n=4)),
        (md.WeightedTV(0.5), md.Problem(n=2)),
        (md.LDP(0.5), md.Problem(n=2).hidden(data_given_secret=[[1.0, 0.0], [0.3, 0.7]])),
    ],
)
def test_any_matrix_goes_into_any_notion(rng, notion, problem):
    n = problem.n
    for matrix in (np.eye(n), rng.dirichlet(np.ones(3), size=n), np.tile([0.3, 0.7], (n, 1)), response(n, 3.0)):
        made = md.rounded(matrix, notion, problem)
        assert md.audit(made, notion).holds
        entry, row = distances(matrix, made.matrix)
        assert entry <= made.moved and row <= made.distance <= 1.0


def test_the_identity_becomes_randomised_response_not_noise():
    made = md.rounded(np.eye(4), md.LDP(1.0))
    assert np.abs(made.matrix - response(4, 1.0)).max() < 1e-12
    assert made.moved == pytest.approx(3 / (math.e + 3), rel=1e-12)


def test_what_is_private_stays_as_it_is():
    coin = [[0.75, 0.25], [0.25, 0.75]]
    made = md.rounded(coin, md.LDP(1.2))
    assert np.array_equal(made.matrix, coin) and made.moved == made.distance == 0.0
    # A third is no multiple of 2**-53: it moves by less than one.
    made = md.rounded([["1/3", "2/3"], ["2/3", "1/3"]], md.LDP(1.0))
    assert 0 < made.moved < 2.0**-51


def test_what_is_far_outside_is_mixed_with_its_masses_by_no_more_than_is_needed():
    problem, notion = md.Problem(prior=[0.5, 0.3, 0.2]), md.LIP(0.5)
    matrix = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.3, 0.5]])
    made, constant = _mixed(2.0 * matrix, notion, problem), np.array([0.5, 0.3, 0.2]) @ matrix
    share = 1.0 - (made - constant)[0, 0] / (matrix - constant)[0, 0]
    assert 0.0 < share < 1.0 and np.allclose(made, (1.0 - share) * matrix + share * constant, rtol=0, atol=1e-15)
    assert notion.holds_exactly(dyadic(made), problem)
    less = 0.999999 * share
    assert not notion.holds_exactly(round_rows((1.0 - less) * matrix + less * constant), problem)


def test_the_nearest_of_several_is_returned():
    matrix, notion, problem = 0.9 * np.eye(3) + 0.1 / 3, md.LIP(0.5), md.Problem(prior=[0.5, 0.3, 0.2])
    moved = [np.abs(_floats(each) - matrix).max() for each in _private(matrix, notion, problem)]
    assert len(moved) == 2 and md.rounded(matrix, notion, problem).moved == pytest.approx(min(moved), rel=1e-12)


def test_the_nearest_is_the_one_whose_largest_change_is_the_least(monkeypatch):
    given = np.full((2, 4), 0.25)
    one_pair = given + np.array([0.02, -0.02, 0.0, 0.0])
    all_four = given + np.array([0.015, 0.015, -0.015, -0.015])
    monkeypatch.setattr(module, "_private", lambda *_: [round_rows(one_pair), round_rows(all_four)])
    made = md.rounded(given, md.LDP(1.0))
    assert made.moved == pytest.approx(0.015) and made.distance == pytest.approx(0.03)


def test_what_misses_by_rounding_is_not_mixed(monkeypatch):
    def far(*_):
        raise AssertionError("it is nearly private")

    monkeypatch.setattr(module, "_mixed", far)
    for matrix, epsilon in missing():
        assert md.rounded(matrix, md.LDP(epsilon)).moved < 1e-12


def test_names_come_from_what_was_given():
    table = pd.DataFrame(response(2, 1.0), index=["no", "yes"], columns=["black", "white"])
    made = md.rounded(table, md.LDP(0.5))
    assert made.outputs == ("black", "white") and made.inputs.labels == ("no", "yes")
    assert md.rounded(np.eye(2), md.LDP(0.5), outputs=["a", "b"]).outputs == ("a", "b")
    known = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 2.0)
    again = md.rounded(known, md.LDP(0.5))
    assert again.outputs == ("no", "yes") and again.inputs == known.inputs


def test_bad_matrices_are_refused():
    with pytest.raises(md.DomainError, match="one row for each of 3 inputs"):
        md.rounded(np.eye(2), md.LDP(1.0), md.Problem(n=3))
    with pytest.raises(md.DomainError, match=r"matrix\[0, 1\] is nan"):
        md.rounded([[0.5, math.nan], [0.5, 0.5]], md.LDP(1.0))
    with pytest.raises(md.DomainError, match="it has to be a Notion"):
        md.rounded(np.eye(2), md.LDP)
    with pytest.raises(md.DomainError, match="prior"):
        md.rounded(np.eye(2), md.LIP(1.0))
    with pytest.raises(md.DomainError, match="one name for each of the 2 columns"):
        md.rounded(np.eye(2), md.LDP(1.0), outputs=["a"])
    with pytest.raises(md.InfeasibleError, match="No mechanism has delta"):
        md.rounded(np.eye(2), md.WeightedTV(0.1, 0.3))


# Tables ---------------------------------------------------------------------------------------------------------


def test_a_table_is_audited_by_its_labels():
    rows = [[0.25, 0.75], [0.6, 0.4]]
    people = md.Problem(prior=[0.9, 0.1], labels=["a", "b"])
    table = pd.DataFrame(rows, index=["b", "a"], columns=["u", "v"])
    found = md.audit(table, md.LIP(1.0), people)
    assert (
        float(found) == float(md.audit(rows[::-1], md.LIP(1.0), people)) != float(md.audit(rows, md.LIP(1.0), people))
    )
    assert "Pr(y=" in found.sentence and "| x=b)" in found.sentence
    # Counted rows are in order, as in polars, which has no index.
    for plain in (table.reset_index(drop=True), pl.DataFrame({"u": [0.25, 0.6], "v": [0.75, 0.4]})):
        assert float(md.audit(plain, md.LIP(1.0), people)) == float(md.audit(rows, md.LIP(1.0), people))


def test_the_labels_of_a_table_name_the_witness():
    table = pd.DataFrame([[0.25, 0.75], [0.75, 0.25]], index=["b", "a"], columns=["u", "v"])
    assert md.audit(table, md.LDP(1.0)).sentence == "Pr(y=u | x=a) is 3 times Pr(y=u | x=b)."


@pytest.mark.parametrize(
    ("index", "told"),
    [
        (["a", "c"], "labelled a, c, but the problem has a, b"),
        (["a", "a"], "is a, but names have to be distinct"),
        ([5, 6], "labelled 5, 6, but the problem has a, b"),
    ],
)
def test_other_labels_than_the_problems_are_refused(index, told):
    table = pd.DataFrame(np.eye(2), index=index)
    with pytest.raises(md.DomainError, match=told):
        md.audit(table, md.LDP(1.0), md.Problem(labels=["a", "b"]))


def test_entries_of_tables_are_checked_by_place():
    with pytest.raises(md.DomainError, match=r"matrix\[1, 0\] is nan, but it has to be a finite number"):
        md.audit(pd.DataFrame([[0.5, 0.5], [None, 0.5]]), md.LDP(1.0))
    assert md.audit(pd.DataFrame([["1/2", "1/2"], ["1/2", "1/2"]]), md.LDP(0.0)).holds


def test_no_table_library_is_loaded_for_arrays():
    code = "import sys, mechdesign as md; md.audit([[1.0]], md.LDP(1.0)); md.rounded([[1.0]], md.LDP(1.0)); "
    code += "print({'pandas', 'polars'} & set(sys.modules))"
    run = [sys.executable, "-c", code]
    found = subprocess.run(run, capture_output=True, text=True, check=True, cwd=Path(__file__).parents[3])
    assert found.stdout.strip() == "set()"


# Witnesses by name ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "outputs", "said"),
    [
        (None, None, "Pr(y=0 | x=0) is 3 times Pr(y=0 | x=1)."),
        (["17", "18"], None, "Pr(output 0 | x=17) is 3 times Pr(output 0 | x=18)."),
        (["17", "18"], ["17", "18"], "Pr(y=17 | x=17) is 3 times Pr(y=17 | x=18)."),
        (None, ["young", "old"], "Pr(y=young | input 0) is 3 times Pr(y=young | input 1)."),
    ],
)
def test_the_witness_is_named_on_both_sides(labels, outputs, said):
    matrix = [[0.75, 0.25], [0.25, 0.75]]
    problem = md.Problem(n=2, labels=labels)
    given = matrix if outputs is None else md.Mechanism(matrix, outputs, problem=problem)
    assert md.audit(given, md.LDP(1.0), problem).sentence == said


def test_names_that_two_columns_share_tell_neither():
    labels = ["17", "18"]
    table = pd.DataFrame([[0.75, 0.25], [0.25, 0.75]], index=labels, columns=["8.1", "8.1"])
    said = "Pr(output 0 | x=17) is 3 times Pr(output 0 | x=18)."
    assert md.audit(table, md.LDP(1.0), md.Problem(n=2, labels=labels)).sentence == said
    with pytest.raises(md.DomainError, match=r"outputs is 8\.1, but names have to be distinct"):
        md.Mechanism(table.to_numpy(), ["8.1", "8.1"])
