"""Instances as files: read by another reader they are the same program, and solutions come back."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign import bench
from mechdesign.bench.exports.arrays import read_npz
from mechdesign.bench.exports.formats import FORMATS, export
from mechdesign.bench.exports.scoring import score_folder
from mechdesign.bench.exports.solutions import read_solution
from mechdesign.bench.judging.privacy import privacy_of
from mechdesign.bench.results import Results
from mechdesign.bench.running.record import Run
from mechdesign.bench.solvers import solver_named
from mechdesign.solve.solvers.silent_highs import highs

SMALL = {each.name: each for each in bench.instances("small")}
LINEAR = ["ldp-absolute-6-looped", "lip-absolute-10-decisions", "ldp-worst-8-auxiliary", "ldp-mmse-8-rays"]
CONIC = ["ball-absolute-6-soc", "mip-absolute-4-exp", "ldp-frequencies-4-rotated"]


def solved(instance):
    solver = solver_named("HIGHS" if instance.posed.program.is_linear else "CLARABEL")
    return solver.finish(solver.prepare(instance, 1e-9, 30.0)())


def reread(path):
    engine = highs().Highs()
    engine.setOptionValue("output_flag", False)
    assert "kOk" in str(engine.readModel(str(path)))
    return engine


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("format_name", ["mps", "lp"])
def test_highs_reads_the_same_program_and_its_solution_is_scored(tmp_path, name, format_name):
    instance = SMALL[name]
    (path,), left_out = export([instance], format_name, tmp_path)
    assert not left_out
    engine = reread(path)
    engine.run()
    program = instance.posed.program
    least = program.value(solved(instance).x)
    if format_name == "mps":
        assert engine.getLp().model_name_ == name
    certified = dict(line.split()[0::2] for line in (tmp_path / "instances.solu").read_text().splitlines())
    assert float(certified["=bestdual="]) - 1e-9 <= least <= float(certified["=best="]) + 1e-9
    assert engine.getInfo().objective_function_value == pytest.approx(least, abs=1e-9)
    answers = tmp_path / "answers"
    answers.mkdir()
    if format_name == "mps":
        engine.writeSolution(str(answers / f"{name}.sol"), 0)
        (run,) = score_folder([instance], "small", answers, "HiGHS").runs
        assert run.outcome == "answered", run.why
        assert run.status == "optimal"
        assert run.score.error < 1e-9
        assert run.score.bound_error < 1e-9


@pytest.mark.parametrize("name", [*LINEAR, *CONIC])
def test_arrays_come_back_bit_for_bit(tmp_path, name):
    program = SMALL[name].posed.program
    (path,), _ = export([SMALL[name]], "npz", tmp_path)
    again = read_npz(path)
    assert not program.differs(again)
    assert again.cones == program.cones


def read_cbf(path):
    """Read CBF as its definition says, apart from the writer: a cvxpy problem."""
    import cvxpy as cp

    lines = [line for line in Path(path).read_text().splitlines() if line and not line.startswith("#")]
    place, found = 0, {}
    while place < len(lines):
        name = lines[place]
        if name in ("VER", "OBJSENSE"):
            found[name], place = lines[place + 1], place + 2
            continue
        head = lines[place + 1].split()
        count = int(head[1]) if name in ("VAR", "CON") else int(head[0])
        found[name] = (head, [line.split() for line in lines[place + 2 : place + 2 + count]])
        place += 2 + count
    assert found["VAR"][1][0][0] == "F"
    n, m = int(found["VAR"][0][0]), int(found["CON"][0][0])
    A, b, c = np.zeros((m, n)), np.zeros(m), np.zeros(n)
    for row, column, value in found["ACOORD"][1]:
        A[int(row), int(column)] = float(value)
    for row, value in found.get("BCOORD", ((), []))[1]:
        b[int(row)] = float(value)
    for column, value in found["OBJACOORD"][1]:
        c[int(column)] = float(value)
    x, rules, start = cp.Variable(n), [], 0
    for kind, size in found["CON"][1]:
        inside = A[start : start + int(size)] @ x + b[start : start + int(size)]
        start += int(size)
        rules += {
            "L=": lambda part: [part == 0],
            "L+": lambda part: [part >= 0],
            "Q": lambda part: [cp.SOC(part[0], part[1:])],
            "EXP": lambda part: [cp.ExpCone(part[2], part[1], part[0])],
        }[kind](inside)
    assert start == m
    return cp.Problem(cp.Minimize(c @ x), rules)


@pytest.mark.parametrize("name", [LINEAR[0], *CONIC])
def test_cbf_holds_the_same_program(tmp_path, name):
    instance = SMALL[name]
    (path,), _ = export([instance], "cbf", tmp_path)
    problem = read_cbf(path)
    problem.solve(solver="CLARABEL")
    assert problem.value == pytest.approx(instance.posed.program.value(solved(instance).x), rel=1e-5, abs=1e-7)


def test_cones_are_left_out_of_linear_formats_and_named(tmp_path):
    written, left_out = export([SMALL[LINEAR[0]], SMALL[CONIC[0]]], "mps", tmp_path)
    assert [path.stem for path in written] == [LINEAR[0]]
    assert left_out == [CONIC[0]]


def test_lines_of_names_and_values_are_a_solution(tmp_path):
    instance = SMALL[LINEAR[0]]
    answer = solved(instance)
    lines = [f"x{k} {float(value)!r}" for k, value in enumerate(answer.x) if value]
    lines += [f"r{k} = {float(value)!r}  # dual" for k, value in enumerate(answer.row_duals)]
    path = tmp_path / "a.txt"
    path.write_text("optimal\n" + "\n".join(lines))
    again = read_solution(path, instance.posed.program)
    assert again.status == "optimal"
    assert np.array_equal(again.x, answer.x)
    assert np.array_equal(again.row_duals, answer.row_duals)


def as_glpk(x, duals):
    columns = [f"j {k} b {value!r} 0" for k, value in enumerate(x, 1)]
    rows = [f"i {k} s 0 {value!r}" for k, value in enumerate(duals, 1)]
    return ["c Status: OPTIMAL", "c", f"s bas {len(duals)} {len(x)} f f 0.5", *rows, *columns, "e o f"]


def as_cbc(x, duals):
    columns = [f"{'**' if k == 1 else '  '}   {k} x{k}   {value!r}   0.25" for k, value in enumerate(x)]
    rows = [f"     {k} r{k}   7   {value!r}" for k, value in enumerate(duals)]
    return ["Optimal - objective value 0.29797032", *rows, *columns]


def as_scip(x, _):
    columns = [f"x{k}    {value!r} \t(obj:0.5)" for k, value in enumerate(x) if value]
    return ["solution status: optimal solution found", "objective value:      0.29", *columns]


@pytest.mark.parametrize("written", [as_glpk, as_cbc, as_scip])
def test_solution_files_of_other_solvers_are_read(tmp_path, written):
    instance = SMALL[LINEAR[0]]
    answer = solved(instance)
    path = tmp_path / "a.sol"
    path.write_text("\n".join(written(answer.x.tolist(), answer.row_duals.tolist())) + "\n")
    again = read_solution(path, instance.posed.program)
    assert again.status == "optimal" and np.array_equal(again.x, answer.x)
    if written is as_scip:
        assert again.row_duals is None
    else:
        assert np.array_equal(again.row_duals, answer.row_duals)


def test_solutions_of_no_instance_are_named(tmp_path):
    for name in (LINEAR[0], "ldp-absolute-6-loped", "notes"):
        (tmp_path / f"{name}.txt").write_text("x0 0.5\n")
    (tmp_path / "read.me").write_text("no solution")
    with pytest.warns(md.FileWarning, match=f"ldp-absolute-6-loped.txt and 1 more are .* did you mean {LINEAR[0]}"):
        score_folder([SMALL[LINEAR[0]]], "small", tmp_path, "x")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x0 0.5\nx36 0.5\n", "names x36"),
        ("y0 0.5\n", "names y0"),
        ("x0 half\n", "no name with a finite number"),
        ("x0 nan\n", "no name with a finite number"),
        ("x0 0.5\nr0 1.0\n", "rows have no dual"),
        ("# Primal solution values\nFeasible\nObjective 1\n# Columns 3\nx0 1\nx1 1\nx2 1\n", "3 columns"),
        ("# Primal solution values\nFeasible\nObjective 1\n# Columns 36\nx0 1\n", "ends before"),
        ("s bas 221 36 f f 0.5\nj 1 b 0.5 0\ne o f\n", "221 rows"),
        ("s bas 222 36 f f 0.5\nj 1 b 0.5 0\n", "ends before"),
        ("Optimal - objective value 0.5\n  40 x40  0.5  0\n", "names x40"),
        ("solution status: optimal solution found\nobjective value: 1\nx0 half \t(obj:1)\n", "no name with a finite"),
    ],
)
def test_the_solution_of_another_instance_is_a_sentence(tmp_path, text, said):
    (tmp_path / f"{LINEAR[0]}.sol").write_text(text)
    with pytest.warns(md.FileWarning, match="is not scored"):
        (run,) = score_folder([SMALL[LINEAR[0]]], "small", tmp_path, "x").runs
    assert run.outcome == "malformed"
    assert said in run.why


def test_wrong_folders_and_formats_are_refused(tmp_path):
    with pytest.raises(md.DomainError, match="folder of solutions"):
        score_folder([SMALL[LINEAR[0]]], "small", tmp_path / "none", "x")
    with pytest.raises(md.DomainError, match="no solution of these instances"):
        score_folder([SMALL[LINEAR[0]]], "small", tmp_path, "x")
    with pytest.raises(md.DomainError, match="format"):
        export([SMALL[LINEAR[0]]], "mpx", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(md.DomainError, match="this is a file"):
        export([SMALL[LINEAR[0]]], "mps", tmp_path / "file")
    assert set(FORMATS) == {"mps", "lp", "cbf", "npz"}


def test_times_stand_beside_solutions(tmp_path):
    for name in LINEAR[:2]:
        answer = solved(SMALL[name])
        (tmp_path / f"{name}.txt").write_text(
            "optimal\n" + "\n".join(f"x{k} {v!r}" for k, v in enumerate(answer.x.tolist()))
        )
    times = tmp_path / "times"
    times.write_text(f"{LINEAR[0]} 0.5\n\n{LINEAR[0]} 0.25\n")
    listed = [SMALL[name] for name in LINEAR[:2]]
    timed, untimed = score_folder(listed, "small", tmp_path, "x", times).runs
    assert (timed.seconds, timed.least_seconds, untimed.seconds) == ((0.5, 0.25), 0.25, ())
    for text in ("another 1.0", f"{LINEAR[0]} -1", f"{LINEAR[0]} soon", LINEAR[0]):
        times.write_text(text)
        with pytest.raises(md.DomainError, match="in line 1, but a line is the name"):
            score_folder(listed, "small", tmp_path, "x", times)


def test_an_excess_of_rounding_is_told_from_one_that_shows():
    """One matrix misses the level by some ulps, one by far more: both count, one of them by over 1e-9."""
    name = "ldp-absolute-6-pairs"
    question, run = SMALL[name].question, bench.judged(SMALL[name], solved(SMALL[name]))
    least = np.full((6, 6), 1.0)
    runs = []
    for solver, more in (("near", 1e-15), ("far", 1e-3)):
        matrix = least + (np.exp(question.notion.epsilon) * (1.0 + more) - 1.0) * np.eye(6)
        privacy = privacy_of(matrix / matrix.sum(axis=1, keepdims=True), question)
        assert privacy.violated
        score = replace(run, privacy=privacy, bound_error=more, faults=("its matrix is not private",))
        runs.append(Run("small", name, "pairs", "linear", solver, "", 0.0, "answered", score=score))
    (table,) = Results(tuple(runs)).display()
    near, far = (dict(zip(table.headings, row, strict=True)) for row in table.rows)
    assert (near["not private"], near["by over 1e-09"], near["bounds to 1e-6"]) == ("1 of 1", "0", "1 of 1")
    assert (far["not private"], far["by over 1e-09"], far["bounds to 1e-6"]) == ("1 of 1", "1", "0 of 1")
