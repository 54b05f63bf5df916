"""The perturbation table: what it refuses, how it perturbs counts by cell keys, and its file."""

from __future__ import annotations

import csv
import pickle
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md

F = Fraction
TABLE = md.cell_key_table(5, 3, threshold=2)


def read(path):
    """Return the rows of a file as the R package reads them: texts by column."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=";"))


def test_keys_on_a_fine_grid_reproduce_the_probabilities():
    """Of 2^16 keys the share that adds each noise or a lower one is its cumulative probability, rounded up."""
    points = 1 << 16
    keys = np.arange(points) / points
    for row in TABLE.rows:
        noise = TABLE.perturbed(np.full(points, row.count), keys) - row.count
        assert set(np.unique(noise)) <= set(row.noise) and np.all(np.diff(noise) >= 0)
        shares = [int(np.sum(noise <= v)) for v in row.noise]
        assert shares == [-((-p * points).__floor__()) for p in row.cumulative]


#: Of the first the edges are floats, of the others mostly not: the nearest floats lie on both sides of them.
WITH_EDGES = (TABLE, md.cell_key_table(5, F(7, 3)), md.cell_key_table(6, 2.1, threshold=1, stay=F(1, 3)))


@pytest.mark.parametrize("table", WITH_EDGES, ids=repr)
def test_keys_beside_the_exact_edges_fall_on_the_right_side(table, tmp_path):
    lines = read(table.save(tmp_path / "table.csv"))
    for row in table.rows[1:]:
        own = [line for line in lines if int(line["i"]) == row.count]
        edges = [float(p) for p in row.cumulative[:-1]]
        for key in (step for edge in edges for step in (np.nextafter(edge, 0), edge, np.nextafter(edge, 1))):
            expected = next(v for v, p in zip(row.noise, row.cumulative, strict=True) if F(float(key)) < p)
            assert table.perturbed(row.count, key) == row.count + expected
            assert expected == next(int(line["v"]) for line in own if key < float(line["p_int_ub"]))


def test_the_edges_that_are_tried_are_not_all_floats():
    sides = [F(float(p)) - p for table in WITH_EDGES[1:] for row in table.rows for p in row.cumulative]
    assert min(sides) < 0 < max(sides)


def test_a_key_below_one_never_passes_the_last_edge_and_equal_cells_are_perturbed_alike():
    largest = np.nextafter(1.0, 0.0)
    assert TABLE.perturbed(100, largest) == 105 and TABLE.perturbed(100, 0.0) == 95
    rng = np.random.default_rng(3)
    counts, keys = rng.integers(0, 12, (40, 30)), rng.random((40, 30))
    made = TABLE.perturbed(counts, keys)
    assert made.shape == (40, 30) and np.array_equal(made.T, TABLE.perturbed(counts.T, keys.T))
    assert np.all(made[counts == 0] == 0) and not np.isin(made, (1, 2)).any() and made.min() >= 0
    assert TABLE.perturbed([], []).size == 0


def test_cell_keys_do_not_depend_on_the_order_of_records_and_add_up():
    rng = np.random.default_rng(1)
    keys, cells = rng.random(50_000), rng.integers(0, 7, 50_000)
    made, order = md.cell_keys(keys, cells), rng.permutation(50_000)
    assert np.array_equal(made, md.cell_keys(keys[order], cells[order])) and np.all((made >= 0) & (made < 1))
    exact = sum((F(int(np.floor(np.ldexp(key, 53)))) for key in keys[cells == 3].tolist()), F(0)) / 2**53 % 1
    assert F(float(made[3])) == exact
    # The key of a total is the one of the parts' keys.
    assert md.cell_keys(keys, np.zeros(50_000, dtype=int)) == md.cell_keys(made, np.zeros(7, dtype=int))
    # Planted: the sum in floats depends on the order.
    assert len({float(np.cumsum(np.sort(keys)[::step])[-1] % 1) for step in (1, -1)}) == 2
    assert md.cell_keys([0.5], [1], 4).tolist() == [0.0, 0.5, 0.0, 0.0]


@pytest.mark.parametrize(
    ("counts", "keys", "said"),
    [
        ([1.0], [0.5], "array of integers"),
        ([-1], [0.5], "at least 0"),
        ([1], [1.0], "below 1"),
        ([1], [np.nan], "below 1"),
        ([1], [-0.1], "below 1"),
        ([1, 2], [0.5], "of shape"),
        ([1], ["0.5"], "numbers"),
        ([True], [0.5], "integers"),
    ],
)
def test_counts_and_keys_outside_of_their_range_are_refused(counts, keys, said):
    with pytest.raises(md.DomainError, match=said):
        TABLE.perturbed(counts, keys)


def test_cells_that_no_table_has_are_refused():
    with pytest.raises(md.DomainError, match="numbers up to 3"):
        md.cell_keys([0.5], [3], 2)
    with pytest.raises(md.DomainError, match="vector"):
        md.cell_keys([[0.5]], [[3]])
    with pytest.raises(md.DomainError, match="record_keys"):
        md.cell_keys([1.5], [3])


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"maximum_noise": 3, "variance": 4}, "count 1 with mean 0 has variances from 0 to 3; .* or maximum_noise=4"),
        ({"maximum_noise": 2, "variance": 1, "threshold": 2}, "give 3 or more"),
        ({"maximum_noise": 5, "variance": 1.5, "threshold": 2}, "from 2 to 5: give one of them, or a lower threshold"),
        # The tests of the R package ptable expect an error of these, too.
        (
            {"maximum_noise": 5, "variance": 3, "threshold": 3},
            "count 2 with mean 0 has variances from 4 to 10",
        ),
        ({"maximum_noise": 5, "variance": 6, "threshold": 2, "stay": 0.5}, "or maximum_noise=6 or another stay"),
        ({"maximum_noise": 4, "variance": 0.4, "stay": 0.5}, "has variances from 0.5 to 2; .* or another stay"),
        ({"maximum_noise": 2, "variance": 1.1, "monotone": True}, "from 0 to 1; .* or monotone=False"),
        ({"maximum_noise": 3, "variance": 1, "stay": 0.2, "monotone": True}, "no noise of count 1 has mean 0"),
        ({"maximum_noise": 5, "variance": 6, "threshold": 4}, "no variance is reached by every count"),
    ],
    ids=str,
)
def test_a_variance_that_a_count_cannot_reach_is_refused_with_what_it_reaches(asked, said):
    with pytest.raises(md.InfeasibleError, match=said):
        md.cell_key_table(**asked)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"maximum_noise": 0, "variance": 1}, "maximum_noise is 0"),
        ({"maximum_noise": 101, "variance": 1}, "at most 100"),
        ({"maximum_noise": 2.5, "variance": 1}, "whole number"),
        ({"maximum_noise": 2, "variance": 0}, "variance is 0"),
        ({"maximum_noise": 2, "variance": float("nan")}, "variance is nan"),
        ({"maximum_noise": 2, "variance": "1"}, "variance"),
        ({"maximum_noise": 2, "variance": 1, "stay": 1.0}, "stay is 1.0"),
        ({"maximum_noise": 2, "variance": 1, "threshold": -1}, "threshold is -1"),
        ({"maximum_noise": 2, "variance": 1, "monotone": 1}, "monotone is 1"),
    ],
    ids=str,
)
def test_parameters_outside_of_their_range_are_refused(asked, said):
    with pytest.raises(md.DomainError, match=said):
        md.cell_key_table(**asked)


def test_a_float_is_the_decimal_that_it_is_written_as():
    assert md.cell_key_table(2, 1.08).variance == F(27, 25) == md.cell_key_table(2, F(27, 25)).variance
    assert type(md.cell_key_table(3, np.int64(1)).variance.numerator) is int
    assert md.cell_key_table(3, np.float64(1.1)).rows[-1].variance == F(11, 10)
    assert md.cell_key_table(3, 1.1, stay=0.3).rows[-1].stay == F(3, 10)


def test_a_table_with_a_wrong_row_is_refused():
    """Planted: a variance that is off by 1e-15, rows in another order, 0 that moves, noise beyond the threshold."""
    row = TABLE.rows[8]
    off, p = F(1, 10**15), list(row.probabilities)
    p[3], p[5], p[7] = p[3] + off, p[5] - 2 * off, p[7] + off
    wrong = replace(row, probabilities=tuple(p))
    with pytest.raises(md.CertificateError, match="count 8 is not what was asked for: its variance"):
        replace(TABLE, rows=(*TABLE.rows[:8], wrong))
    with pytest.raises(md.CertificateError, match="counts 0 to 8 in order"):
        replace(TABLE, rows=TABLE.rows[::-1])
    moving = replace(TABLE.rows[1], count=0)
    with pytest.raises(md.CertificateError, match="0 does not stay 0"):
        replace(TABLE, rows=(moving, *TABLE.rows[1:]))
    for claim in ({"entropy": row.entropy + 1e-9}, {"bound": row.entropy - 1e-9}):
        with pytest.raises(md.CertificateError, match="its entropy is not between"):
            replace(TABLE, rows=(*TABLE.rows[:8], replace(row, **claim)))
    low = replace(TABLE.rows[8], count=4)
    with pytest.raises(md.CertificateError, match=r"count 4 .* its values are"):
        replace(TABLE, rows=(*TABLE.rows[:4], low, *TABLE.rows[5:]))


def test_the_table_says_what_it_is_and_stays_so_when_copied():
    shown = " ".join(str(TABLE).split())
    assert "mean 0 and variance 3, exactly" in shown and "no perturbed count is from 1 to 2" in shown
    assert "Counts from 8 on have the noise of 8" in shown and "stays with 1/3" in str(
        md.cell_key_table(3, 1, stay=F(1, 3))
    )
    assert pickle.loads(pickle.dumps(TABLE)) == TABLE
    assert (
        TABLE.matrix.shape == (9, 11)
        and TABLE.matrix.sum(axis=1) == pytest.approx(1)
        and not TABLE.matrix.flags.writeable
    )
    assert "<table" in TABLE._repr_html_()


def test_the_file_perturbs_as_the_table_does(tmp_path):
    path = TABLE.save(tmp_path / "table.csv")
    assert path.read_text().startswith("i;j;p;v;p_int_lb;p_int_ub\n0;0;1.0;0;0.0;1.0\n1;0;")
    lines = read(path)
    assert len(lines) == sum(len(row.noise) for row in TABLE.rows)
    rng = np.random.default_rng(2)
    counts, keys = rng.integers(0, 12, 2000), rng.random(2000)
    last = max(int(line["i"]) for line in lines)
    # The rule of the R package cellKey: the first line of the count whose upper end is above the key.
    looked_up = [
        count + next(int(e["v"]) for e in lines if int(e["i"]) == min(count, last) and key < float(e["p_int_ub"]))
        for count, key in zip(counts.tolist(), keys.tolist(), strict=True)
    ]
    assert TABLE.perturbed(counts, keys).tolist() == looked_up
    for line in lines:
        assert int(line["j"]) == int(line["i"]) + int(line["v"])
        assert float(line["p_int_ub"]) - float(line["p_int_lb"]) == pytest.approx(float(line["p"]), abs=3e-16)
    exact = [p for row in TABLE.rows for p in row.probabilities]
    assert [float(p) for p in exact] == [float(line["p"]) for line in lines]


def test_the_file_for_tau_argus_has_no_lower_ends(tmp_path):
    path, whole = TABLE.save(tmp_path / "table.txt", program="TauArgus"), TABLE.save(tmp_path / "table.csv")
    names = path.read_text().splitlines()[0].split(";")
    assert names == ["i", "j", "p", "v", "p_int_ub"]
    assert read(path) == [{name: line[name] for name in names} for line in read(whole)]
    with pytest.raises(md.DomainError, match="another one"):
        TABLE.save(path)
    with pytest.raises(md.DomainError, match="did you mean"):
        TABLE.save(path, program="tauargus")


def test_no_file_is_replaced_unasked(tmp_path):
    path = TABLE.save(tmp_path / "table.csv")
    before = path.read_text()
    assert TABLE.save(path) == path
    other = md.cell_key_table(5, 3)
    with pytest.raises(md.DomainError, match="another one"):
        other.save(path)
    assert path.read_text() == before
    assert other.save(path, overwrite=True).read_text() != before
    notes = tmp_path / "notes.csv"
    notes.write_text("mine")
    with pytest.raises(md.DomainError, match="something else"):
        TABLE.save(notes)
    with pytest.raises(md.DomainError, match="promises JSON"):
        TABLE.save(tmp_path / "table.json")


def test_columns_of_pandas_with_another_index_are_refused():
    pandas = pytest.importorskip("pandas")
    counts, keys = pandas.Series([3, 4], index=["x", "y"]), pandas.Series([0.1, 0.9], index=["y", "x"])
    with pytest.raises(md.DomainError, match=r"keys is a column with another index, .* of the counts"):
        TABLE.perturbed(counts, keys)
    assert TABLE.perturbed(counts, keys.loc[["x", "y"]]).tolist() == TABLE.perturbed([3, 4], [0.9, 0.1]).tolist()
    with pytest.raises(md.DomainError, match=r"cells is a column with another index, .* of the record keys"):
        md.cell_keys(pandas.Series([0.1, 0.2]), pandas.Series([0, 1], index=[1, 0]))
