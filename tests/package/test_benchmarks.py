"""The benchmark: its names, what it writes, one tiny run of each part, and the site's table."""

import json
import math
import re
import subprocess
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from benchmarks import __main__ as command
from benchmarks import answers, growth, limits, peers, report, sampling, solver_rule, solver_table, solvers, targets
from benchmarks.asv_paths import paths
from benchmarks.measuring import Outcome, Part, Row, apart
from benchmarks.unit import all_columns, unit_seconds
from benchmarks.workload import descended, factorised, projected, slope, variance
from mechdesign import bench
from mechdesign.bench.running.record import RUNS, fault
from mechdesign.files.appended_rows import AppendedRows
from mechdesign.plotting.performance_profiles import shares_solved
from mechdesign.solve.choose import ROUTES
from mechdesign.testing import sized
from tests.bench import made_results


def test_the_tables_are_of_the_run_that_is_recorded():
    run = json.loads(report.RECORDED.read_text(encoding="utf-8"))
    assert report.PAGE.read_text(encoding="utf-8").count(report.table(run)) == 1
    rows = [row for part in run["parts"] for row in part["rows"]]
    asked = {target.work: target.at_most for target in targets.targets() if target.quick or "quick" not in run["mode"]}
    assert {row["work"]: row["at_most"] for row in rows} == asked
    for row in rows:
        again = Row(**{key: value for key, value in row.items() if key != "verdict"})
        assert again.verdict == row["verdict"], row["work"]


def test_an_edited_number_is_seen(tmp_path, monkeypatch):
    text = report.PAGE.read_text(encoding="utf-8")
    run = json.loads(report.RECORDED.read_text(encoding="utf-8"))
    edited = tmp_path / "benchmarks.md"
    edited.write_text(re.sub(r"\| [\d.e+-]+ x \|", "| 0.001 x |", text), encoding="utf-8")
    monkeypatch.setattr(report, "PAGE", edited)
    assert report.table(run) not in edited.read_text(encoding="utf-8")
    monkeypatch.setattr(report, "RECORDED", tmp_path / "recorded.json")
    report.recorded(run)
    assert edited.read_text(encoding="utf-8") == text
    edited.write_text("no markers", encoding="utf-8")
    with pytest.raises(ValueError, match="put the markers back"):
        report.recorded(run)


def test_the_table_of_solvers_is_of_the_results_that_are_kept():
    kept = json.loads(solver_table.KEPT.read_text(encoding="utf-8"))
    assert solver_table.PAGE.read_text(encoding="utf-8").count(solver_table.table(kept)) == 1
    assert kept["instances"] == len(bench.instances("small")) and kept["sets"] == ["small"]


def test_the_table_of_solvers_says_what_the_results_hold(tmp_path):
    off = made_results.run("slow", "b", 2.0, 1e-4, violated=3, faults=("its matrix is not private: 3 of 10",))
    runs = [
        made_results.run("quick", "a", 1.0),
        made_results.run("quick", "b", 1.0),
        made_results.run("slow", "a", 2.0),
        off,
    ]
    found = solver_table.summary(made_results.results(*runs))
    quick, slow = found["rows"]
    assert quick["solved"] == [2, 2, 2] and quick["time"] == 1.0 and quick["not private"] == 0
    assert slow["solved"] == [2, 1, 1] and slow["not private"] == 1 and slow["answered"] == 2
    # On the instance that is not solved to 1e-6 the limit counts.
    limit = found["limit"]
    assert slow["time"] == pytest.approx((math.sqrt(2.01 * (limit + 0.01)) - 0.01) / 1.0, rel=1e-3)
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- measured by: python -m benchmarks solver_table -->\n<!-- end of what was measured -->\n", encoding="utf-8"
    )
    report.put(page, solver_table.table(found))
    assert f"| slow | 1.0 | 2 of 2 | 1 of 2 | 1 of 2 | {slow['time']:.3g} x | 1 of 2 | 0 |" in page.read_text(
        encoding="utf-8"
    )


@pytest.mark.parametrize(
    ("number", "at_most", "kept", "verdict"),
    [
        (1.0, 1.0, True, "reached"),
        (1.1, 1.0, True, "NOT REACHED"),
        (0.5, 1.0, False, "NOT REACHED"),
        (None, 1.0, True, "NOT MEASURED"),
        (7.0, None, True, ""),
    ],
)
def test_verdicts(number, at_most, kept, verdict):
    assert Row("work", number, "x", at_most, kept).verdict == verdict


def test_the_command_measures_the_parts_asked_for(tmp_path, monkeypatch, capsys):
    asked = []

    def planted(name):
        def measure(quick):
            asked.append((name, quick))
            return Part(name, [Row("work", 2.0 if name == "peers" else 0.5, "x", 1.0)])

        return measure

    monkeypatch.setattr(command, "PARTS", {name: planted(name) for name in command.PARTS})
    assert command.main(["quick", "--out", str(tmp_path)]) == 1
    assert asked == [(name, True) for name in command.PARTS]
    assert "NOT REACHED" in capsys.readouterr().out
    assert command.main(["solvers", "--out", str(tmp_path)]) == 0
    assert asked[-1] == ("solvers", False)
    written = json.loads((tmp_path / "peers.json").read_text(encoding="utf-8"))
    assert written["parts"][0]["rows"][0]["verdict"] == "NOT REACHED"
    with pytest.raises(SystemExit):
        command.main(["spline"])


def test_the_unit_is_the_optimum_over_all_columns():
    rng = np.random.default_rng(1)
    prior, values = rng.dirichlet(np.ones(6)), rng.normal(size=6)
    best = md.design(md.Problem(prior=prior, values=values), md.LDP(0.7), md.MMSE()).value
    assert math.isclose(all_columns(prior, values, 0.7), best, rel_tol=1e-7)
    assert unit_seconds(size=6) > 0


def test_a_measurement_apart_tells_what_went_wrong(monkeypatch):
    assert apart("benchmarks.targets:nothing", {}, 600.0).why.startswith("AttributeError")

    def stopped(command, **keywords):
        assert keywords["timeout"] == 7.0
        raise subprocess.TimeoutExpired(command, keywords["timeout"])

    monkeypatch.setattr(subprocess, "run", stopped)
    found = apart("benchmarks.unit:unit_seconds", {"size": 20}, 7.0)
    assert (found.value, found.why) == ({}, "stopped after 7 s") and found.seconds >= 0.0


def test_every_route_has_a_limit_that_is_measured(monkeypatch):
    assert {name.split(" ")[0] for name in limits.QUESTIONS} == {name.split("_")[0] for name in ROUTES}
    monkeypatch.setitem(limits.QUESTIONS, "tiny", lambda: (limits.some(3), md.LDP(1.0), md.MMSE(), {"route": "rays"}))
    found = limits.limited("tiny")
    assert found["kept"] and found["number"] > 0 and found["note"].startswith("gap")
    for made in (limits.refused(), limits.of_certain_rows(), limits.after_the_solver("LDP", 5)):
        assert made["kept"] and made["number"] > 0


def test_forms_agree_with_the_design():
    prior = np.random.default_rng(2).dirichlet(np.ones(4))
    cost = peers.loss(prior.tolist())
    best = md.design(md.Problem(prior=prior, values=range(4)), md.LDP(1.0), md.AbsoluteError()).value
    for form in peers.FORMS.values():
        assert math.isclose(float((cost * form(cost, 1.0, "CLARABEL")).sum()), best, rel_tol=1e-6)


@pytest.mark.slow
def test_a_missing_peer_is_a_row_with_its_reason():
    missing = {"not there": ("written", {"form": "not there"}), "cvxpy": ("written", {"form": "cvxpy, all pairs"})}
    first, second = peers.compared("absolute", missing, 4, 60.0)
    assert first.number is None
    assert "KeyError" in first.note
    assert second.number > 0
    assert "value" not in second.note


def test_a_package_of_samplers_that_is_missing_is_a_row_with_its_name(monkeypatch):
    def apart(function, arguments, limit):
        gone = arguments["sampler"] == "OpenDP"
        return Outcome({}, "No module named 'opendp'") if gone else Outcome({"seconds": 2e-7, "off": 0.0})

    monkeypatch.setattr(sampling, "apart", apart)
    rows = {row.work.partition(": ")[2]: row for row in sampling.compared(10)}
    assert set(rows) == {"a report exactly", "a report simulated"} | {
        f"{name} / exactly" for name in sampling.SAMPLERS if name not in sampling.PROMISED
    }
    assert rows["OpenDP / exactly"].number is None and "opendp" in rows["OpenDP / exactly"].note
    assert rows["libqif / exactly"].number == 1.0 and rows["libqif / exactly"].verdict == ""
    assert rows["a report exactly"].verdict == "reached" and rows["a report simulated"].verdict == "NOT REACHED"


def test_a_sampler_of_another_law_is_said(monkeypatch):
    monkeypatch.setitem(sampling.SAMPLERS, "exactly", (sampling.exactly, 20_000))
    assert abs(sampling.drawn("exactly", 5)["off"]) < sampling.AGREE
    monkeypatch.setitem(sampling.SAMPLERS, "exactly", (lambda n: lambda answers: (answers, answers), 20_000))
    assert sampling.drawn("exactly", 5)["off"] > sampling.AGREE
    wrong = Outcome({"seconds": 1e-8, "off": 40.0})
    monkeypatch.setattr(sampling, "apart", lambda *_: wrong)
    exactly, *_, last = sampling.compared(2)
    assert exactly.verdict == "NOT REACHED" and "40 standard deviations off" in last.note


def test_factorisation_is_private_and_no_better_than_the_certified_optimum():
    n, epsilon = 4, 1.0
    made = md.design(md.Problem(prior=[0.25] * n), md.LDP(epsilon), md.InformationDesign("A"))
    assert math.isclose(variance(made.matrix), made.value + 1 / n - 1, rel_tol=1e-9)
    Q = factorised(n, epsilon, rounds=50)
    np.testing.assert_allclose(Q.sum(axis=1), 1.0, atol=1e-9)
    assert (Q.max(axis=0) / Q.min(axis=0)).max() <= np.exp(epsilon) * (1 + 1e-9)
    start = np.random.default_rng(0).dirichlet(np.ones(8), size=n)
    moved = start.copy()
    moved[1, 2] += 1e-7
    assert math.isclose((variance(moved) - variance(start)) / 1e-7, slope(start)[1, 2], rel_tol=1e-4)
    least = np.full(16, (1 + np.exp(-epsilon)) / 32)
    random = projected(np.random.default_rng(0).random((n, 16)), least, epsilon)
    assert made.value + 1 / n - 1 <= variance(Q) < variance(random)
    # A step that is far too long leaves what is feasible, and the start is kept.
    assert variance(descended(random, epsilon, 1e6, 5)) <= variance(random)


def test_profiles():
    times = {"a": {"1": 1.0, "2": 4.0}, "b": {"1": 2.0, "2": 1.0, "3": 5.0}, "c": {}}
    found = shares_solved(times, [1.0, 2.0, 4.0, math.inf])
    assert found == {"a": [1 / 3, 1 / 3, 2 / 3, 2 / 3], "b": [2 / 3, 1.0, 1.0, 1.0], "c": [0.0] * 4}


def test_the_answers_of_solvers_break_pairs_and_ours_does_not():
    found = solvers.raw_answers(4, 1.0)
    assert found[solvers.OURS]["broken"] == found[solvers.OURS]["negative"] == 0
    assert any(each.get("broken", 0) > 0 for each in found.values())


def test_the_part_of_solvers_has_two_rows_for_each(monkeypatch):
    few = made_results.results(
        *(made_results.run(each, "1", 0.1, error=1e-9) for each in solvers.SOLVERS),
        made_results.run("SCS", "2", math.inf, outcome="timed out"),
    )
    monkeypatch.setattr(solvers.bench, "run", lambda *_, **__: few)
    monkeypatch.setattr(solvers, "apart", lambda *_: Outcome({"libqif": {"why": "not installed"}}))
    rows = {row.work: row for row in solvers.measure(quick=True).rows}
    assert rows["SCS: instances solved to 1e-6"].number == 50.0
    assert "1 timed out" in rows["SCS: instances solved to 1e-6"].note
    assert len(rows) == 2 * len(solvers.SOLVERS) + 1


def test_growth_fits_slopes():
    assert math.isclose(growth.slope([10, 20, 40], [3.0, 12.0, 48.0]), 2.0)
    assert math.isnan(growth.slope([10], [1.0]))
    point = growth.design("LDP, MMSE", 6, 20.0)
    assert point["seconds"] > 0
    assert point["gap"] <= point["asked"]
    assert growth.columns(6)["megabytes"] >= 0
    short = {"n": 100, "seconds": 1.0, "megabytes": 1.0, "gap": 1e-3, "asked": 1e-6}
    row = growth._row("series", [{**point, "n": 50}, short], 10)
    assert row.work == "series, n = 50"
    assert "n = 100" in row.note


def test_targets_name_what_they_measure():
    listed = list(targets.targets())
    assert len({target.work for target in listed}) == len(listed)
    assert all(callable(getattr(targets, target.measured_by)) for target in listed)


def test_targets_at_tiny_sizes(monkeypatch):
    monkeypatch.setattr(targets, "unit_seconds", lambda runs: 1.0)
    asked = {"kind": "zipf", "n": 6, "notion": "LIP", "epsilon": 1.0, "objective": "mmse", "gap": 1e-6}
    assert targets.design(first=True, **asked)["kept"]
    # A design whose gap is wider than asked keeps no promise.
    real = md.design
    monkeypatch.setattr(md, "design", lambda *given, **more: replace(real(*given, **more), gap=1e-3))
    assert not targets.design(first=False, **asked)["kept"]
    monkeypatch.setattr(md, "design", real)
    assert targets.beside_highs(5, whole=True)["number"] > 0
    assert targets.frontier(5, "LDP", "absolute", 4)["kept"]
    assert targets.exact_check(6)["number"] < 5
    peer = targets.beside_libqif(5)
    assert peer["number"] is not None or "qif" in peer["note"]


@pytest.mark.parametrize("path", [paths.Design, paths.Finish, paths.Engine, paths.Import])
def test_hot_paths_run(path):
    made = path()
    parameters = [each[0] for each in getattr(path, "params", ())]
    if hasattr(made, "setup"):
        made.setup(*parameters)
    timed = [name for name in dir(made) if re.match("time_|timeraw_|peakmem_|track_", name)]
    assert timed
    for name in timed:
        getattr(made, name)(*parameters)


def test_plots_are_drawn_where_matplotlib_is(tmp_path):
    parts = [
        Part("targets", [Row("work", 2.0, "x", 1.0)]),
        Part("solvers", [], {"times": {"a": {"1": 1.0}}}),
        Part("growth", [], {"series": [{"n": 5, "seconds": 1.0, "megabytes": 0.0}, {"n": 10, "why": "stopped"}]}),
    ]
    run, missing = report.written(parts, "quick", tmp_path)
    drawn = {path.stem for path in tmp_path.glob("*.png")}
    assert drawn == ({part.name for part in parts} if not missing else set())
    assert all("matplotlib" in why for why in missing)
    assert [part["part"] for part in run["parts"]] == ["targets", "solvers", "growth"]


def test_two_records_of_the_same_answers_do_not_differ(tmp_path, monkeypatch, capsys):
    asked = answers.questions()
    few = [
        *asked[:3],
        next(one for one in asked if "frontier" in one[0]),
        next(one for one in asked if "file" in one[0]),
    ]
    monkeypatch.setattr(answers, "questions", lambda: few)
    record = tmp_path / "before.tsv"
    assert command.main(["answers", "--write", str(record)]) == 0
    assert command.main(["answers", "--against", str(record)]) == 0
    assert "0 of 8 differ" in capsys.readouterr().out
    # Neither written over, nor both at once, nor neither.
    assert command.main(["answers", "--write", str(record)]) == 2
    for wrong in (["answers"], ["answers", "--write", "a", "--against", "b"], ["targets", "--against", "b"]):
        with pytest.raises(SystemExit):
            command.main(wrong)


def test_every_field_of_an_answer_is_compared():
    one = answers.Answer("LDP", "rays", (0.5).hex(), (0.25).hex(), (0.5).hex(), "2", "ab", "")
    assert answers.differences([one], [one]) == []
    for field, other in {
        "route": "lifts",
        "outputs": "3",
        "matrix": "cd",
        "refusal": "DomainError: no",
        "refusals": "ef",
    }.items():
        (line,) = answers.differences([one], [replace(one, **{field: other})])
        assert line.startswith(f"LDP: {field} {getattr(one, field) or '-'} -> {other}")
    (line,) = answers.differences([one], [replace(one, value=(0.75).hex())])
    assert line == "LDP: value 0.5 -> 0.75 (0.5 of the gap)"
    renamed = answers.differences([one], [replace(one, question="LIP")])
    assert renamed == ["LDP: no longer asked", "LIP: was not asked before"]


def test_the_questions_meet_every_member():
    names = [name for name, _ in answers.questions()]
    assert len(set(names)) == len(names)
    for member in [*sized.NOTIONS, *sized.OBJECTIVES]:
        # A notion of two inputs only has no question among the pairs.
        assert member == "WeightedTV" or sum(member in name for name in names) >= 20, member


def test_the_solver_rule_is_held_against_a_file_of_results(tmp_path):
    path = tmp_path / "results.jsonl"
    listed = [each for each in bench.instances("small") if each.form == "auxiliary variables"][:4]
    with AppendedRows(path, RUNS, {}, fault) as file:
        for instance in listed:
            for solver, seconds in (("HIGHS", 0.25), ("CLARABEL", 1.0), ("SCS", 0.1)):
                run = made_results.run(solver, instance.name, seconds, form=instance.form)
                file.append(run.to_row())
    said = list(solver_rule.from_results(str(path)))
    # Means are shifted by a hundredth; SCS is none that the rule chooses among.
    assert said and all("HIGHS 1.00, CLARABEL 4.00" in line and "SCS" not in line for line in said)
    assert sum(int(re.search(r"\((\d+) instances", line)[1]) for line in said) == len(listed)


def test_results_of_other_solvers_say_nothing_of_the_rule(tmp_path):
    path = tmp_path / "results.jsonl"
    instance = next(each for each in bench.instances("small") if each.form == "auxiliary variables")
    with AppendedRows(path, RUNS, {}, fault) as file:
        file.append(made_results.run("SCS", instance.name, 0.1, form=instance.form).to_row())
    assert "none of the solvers that the rule chooses among" in "".join(solver_rule.from_results(str(path)))
