"""Frontiers: each level equals a design of its own, levels nest, tables; and one number of threads for all solvers."""

import json
import math
import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.sparse import csr_array

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.designing import entry as designing
from mechdesign.errors import CertificateError, DomainError, GapWarning, InfeasibleError
from mechdesign.runtime.deadline import reading
from mechdesign.runtime.threads import limited, thread_count
from mechdesign.solve.interior_point import primal_dual as structured
from mechdesign.solve.routes import columns
from mechdesign.solve.search import column_generation as generation
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram
from mechdesign.solve.task import WarmStart
from mechdesign.studies import frontier as frontiers
from mechdesign.studies import frontier_result
from mechdesign.testing.clock import CountingClock

PROBLEM = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
LEVELS = [0.5, 1.0, 2.0]


def drawn(rng, n):
    prior = rng.dirichlet(np.full(n, rng.choice([0.3, 1.0, 5.0])))
    return md.Problem(prior=(prior + 1e-4) / (1 + 1e-4 * n), values=np.sort(rng.integers(0, 3 * n, n)).astype(float))


def losses(problem, rng):
    distance = np.abs(np.subtract.outer(problem.values, problem.values))
    return md.ExpectedLoss(
        [distance, distance**2, rng.random((problem.n, problem.n)), 1.0 * (distance > 0)][rng.integers(4)]
    )


def assert_same(found, problem, notion, objective):
    for level, made in zip(found.levels, found, strict=True):
        alone = md.design(problem, notion.at(float(level)), objective)
        scale = max(abs(alone.value), abs(alone.bound), 1e-6)
        assert made.gap <= 1e-6
        assert made.audit.holds
        assert abs(made.value - alone.value) <= 2e-6 * scale
        # Each is bounded by the other's certificate.
        assert made.value >= alone.bound - 1e-9 * scale
        assert alone.value >= made.bound - 1e-9 * scale


@pytest.mark.parametrize("kind", [md.LDP, md.LIP, md.MaxLift])
@pytest.mark.parametrize("n", [4, 12, 40])
def test_each_level_is_a_design_of_its_own(kind, n, rng):
    problem = drawn(rng, n)
    objective = losses(problem, rng)
    levels = rng.permutation([0.0, 0.05, 0.4, 0.5, 1.3, 3.0, 5.0])
    found = md.frontier(problem, kind, objective, levels)
    assert found.levels.tolist() == levels.tolist()
    assert_same(found, problem, kind(1.0), objective)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(50))
def test_many_random_frontiers(seed):
    rng = np.random.default_rng(seed)
    problem = drawn(rng, int(rng.integers(2, 40)))
    kind = (md.LDP, md.LIP, md.MaxLift)[seed % 3]
    objective = losses(problem, rng) if seed % 2 else md.ErrorProbability()
    levels = np.sort(rng.uniform(0.05, 5.0, 4))
    assert_same(md.frontier(problem, kind, objective, levels), problem, kind(1.0), objective)


@pytest.mark.parametrize(
    ("notion", "objective"),
    [
        (md.LDP(1.0), md.MMSE()),
        (md.LIP(1.0), md.MMSE()),
        (md.LDP(1.0), md.MutualInformation()),
        (md.LDP(1.0), md.MaxOffDiagonal()),
        (md.BlockLDP(1.0, blocks=[[0, 1], [2, 3]]), md.HammingLoss()),
        (md.UtilityOptimizedLDP(1.0, sensitive=[0, 1]), md.HammingLoss()),
        (md.ApproximateLDP(0.5, 0.1), md.ErrorProbability()),
    ],
)
def test_other_kinds(notion, objective):
    problem = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0, 1, 2, 5])
    found = md.frontier(problem, notion, objective, [0.8, 0.3])
    assert found.level_name == notion.level_name
    assert_same(found, problem, notion, objective)


def test_a_start_that_misses_decisions_is_mended():
    """A memory of the wrong decisions costs programs, never the answer."""
    rng = np.random.default_rng(0)
    problem = drawn(rng, 12)
    objective = md.HammingLoss()
    for chosen in ([0], [11], [3, 4]):
        start = WarmStart(chosen=np.array(chosen))
        made = designing.answered(problem, md.LDP(3.0), objective, warm_start=start)
        assert made.value == pytest.approx(md.design(problem, md.LDP(3.0), objective).value, rel=1e-6)
        assert "of 12 decisions" in made.note
        assert set(np.flatnonzero(made.matrix.max(axis=0) > 1e-3)) <= set(start.chosen)


def test_planted_prices_that_are_never_asked_are_caught(monkeypatch):
    """With decisions forgotten the design falls short, and its gap says so: the certificate owes the start nothing."""
    original = generation.support

    def blind(*arguments):
        found = original(*arguments)
        return replace(found, values=np.minimum(found.values, 0.0))

    monkeypatch.setattr(generation, "support", blind)
    with pytest.warns(GapWarning, match="levels fell short"):
        found = md.frontier(drawn(np.random.default_rng(0), 40), md.LDP, md.HammingLoss(), [0.01, 4.0], route="columns")
    assert found.gaps[1] > 1e-3


def test_levels_that_do_not_nest_are_refused(monkeypatch):
    original = frontiers.answered

    def wrong(problem, notion, objective, *settings):
        made = original(problem, notion, objective, *settings)
        return replace(made, bound=made.bound * 1.5) if notion.epsilon == 1.0 else made

    monkeypatch.setattr(frontiers, "answered", wrong)
    with pytest.raises(CertificateError, match="LDP"):
        md.frontier(PROBLEM, md.LDP, md.MMSE(), LEVELS)


def test_levels_of_several_parts():
    levels = [(0.5, 0.6), (1.0, 0.2)]
    found = md.frontier(PROBLEM, md.AsymmetricLIP(1.0, 1.0), md.MMSE(), levels)
    assert found.levels.tolist() == [list(level) for level in levels]
    assert [made.value for made in found] == pytest.approx(
        [md.design(PROBLEM, md.AsymmetricLIP(*level), md.MMSE()).value for level in levels], rel=1e-9
    )
    assert list(found.rows[0])[:2] == ["lower", "upper"]


def test_bad_input():
    with pytest.raises(DomainError, match="at least one level"):
        md.frontier(PROBLEM, md.LDP, md.MMSE(), [])
    with pytest.raises(DomainError, match="it needs more than its level"):
        md.frontier(PROBLEM, md.MetricDP, md.MMSE(), [1.0])
    with pytest.raises(DomainError, match="notion"):
        md.frontier(PROBLEM, md.MMSE, md.MMSE(), [1.0])
    with pytest.raises(DomainError, match="epsilon is -1"):
        md.frontier(PROBLEM, md.LDP, md.MMSE(), [1.0, -1.0])
    with pytest.raises(InfeasibleError):
        md.frontier(md.Problem(n=2, prior=[0.4, 0.6]), md.WeightedTV(0.5, weight=0.3), md.ErrorProbability(), [0.1])


def test_tables(tmp_path):
    import pandas as pd
    import polars as pl

    found = md.frontier(PROBLEM, md.LDP, md.MMSE(), LEVELS)
    frame, other = found.to_pandas(), found.to_polars()
    assert list(frame.columns) == other.columns == ["epsilon", *frontier_result.COLUMNS]
    assert frame["value"].tolist() == other["value"].to_list() == found.values.tolist()
    assert pd.read_csv(found.save(tmp_path / "a.csv"))["bound"].tolist() == found.bounds.tolist()
    assert pl.read_csv(tmp_path / "a.csv")["epsilon"].to_list() == LEVELS


def test_a_frontier_solves_smaller_programs(monkeypatch):
    """Counted, not timed: all decisions at the first level, then on average less than a third of them in all."""
    rng = np.random.default_rng(1)
    problem = md.Problem(prior=rng.dirichlet(np.full(100, 2.0)), values=np.sort(rng.normal(size=100)))
    objective = md.ExpectedLoss(np.abs(np.subtract.outer(problem.values, problem.values)))
    solved, counts = columns.solve_columns, []

    def counted(task, objective, cone, gains, *others):
        counts.append(len(gains))
        return solved(task, objective, cone, gains, *others)

    monkeypatch.setattr(columns, "solve_columns", counted)
    levels = np.geomspace(0.5, 2.0, 15)
    md.frontier(problem, md.LDP, objective, levels, threads=1)
    assert counts[0] == 100
    assert sum(counts[1:]) <= 100 * len(levels) / 3


@pytest.mark.parametrize("asked", [1, 2])
def test_threads_reach_every_solver(asked, monkeypatch):
    import clarabel
    import highspy
    from threadpoolctl import threadpool_info

    seen = {}
    original = highspy.Highs.setOptionValue

    def options(engine, key, value):
        if key == "threads":
            seen["HIGHS"] = value
        return original(engine, key, value)

    solver = clarabel.DefaultSolver

    def watched(*arguments):
        seen["CLARABEL"] = arguments[-1].max_threads
        return solver(*arguments)

    monkeypatch.setattr(highspy.Highs, "setOptionValue", options)
    monkeypatch.setattr(clarabel, "DefaultSolver", watched)
    step = structured._step

    def stepped(*arguments):
        pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
        # The BLAS that SCS brings along is built for one thread.
        seen["BLAS"] = {pool["num_threads"] for pool in pools if "scs.libs" not in pool["filepath"]}
        return step(*arguments)

    monkeypatch.setattr(structured, "_step", stepped)
    wide = drawn(np.random.default_rng(0), 31)
    for problem, keywords in (
        (PROBLEM, {"route": "columns", "solver": "HIGHS"}),
        (PROBLEM, {"route": "columns", "solver": "CLARABEL"}),
        (wide, {"route": "columns", "solver": "STRUCTURED"}),
    ):
        md.design(problem, md.LDP(1.0), md.HammingLoss(), threads=asked, **keywords)
    assert seen == {"HIGHS": asked, "CLARABEL": asked, "BLAS": {asked}}
    seen.clear()
    for name in ("CLARABEL", "HIGHS"):
        md.design(PROBLEM, md.LDP(1.0), md.HammingLoss(), route="convex", solver=name, threads=asked)
    assert seen["CLARABEL"] == asked
    assert thread_count() == 1


def test_threads_have_to_be_a_number():
    for bad in (0, -1, 1.5, True):
        with pytest.raises(DomainError, match="threads"):
            md.design(PROBLEM, md.LDP(1.0), md.MMSE(), threads=bad)


def test_highs_takes_another_number_of_threads_in_one_process():
    """HiGHS has one scheduler in a process and refuses a second number unless it is started anew."""
    program = LinearProgram(np.ones(2), csr_array(np.eye(2)), np.ones(2), np.full(2, math.inf))
    for asked in (1, 2, 1, 3):
        with limited(asked):
            assert solve_linear(program).point.tolist() == [1.0, 1.0]


QUESTION = """
[problem]
prior = [0.1, 0.2, 0.7]
values = [0, 1, 2]
[notion]
name = "LDP"
epsilon = 1.0
[objective]
name = "MMSE"
[solve]
threads = 1
"""


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.toml").write_text(QUESTION)
    with pytest.raises(SystemExit) as left:
        commands.main(["frontier", "a.toml", "--levels", "0.5:1.5:3", "--output", "a.csv", "--json"])
    assert left.value.code == 0
    rows = json.loads(capsys.readouterr().out)
    expected = md.frontier(PROBLEM, md.LDP, md.MMSE(), [0.5, 1.0, 1.5], proof=True)
    assert [row["epsilon"] for row in rows] == [0.5, 1.0, 1.5] and all(row["proved"] for row in rows)
    assert [row["value"] for row in rows] == expected.values.tolist()
    assert len((tmp_path / "a.csv").read_text().splitlines()) == 4
    with pytest.raises(SystemExit) as left:
        commands.main(["frontier", "a.toml", "--levels", "0.5,1.0"])
    assert left.value.code == 0
    assert f"{expected.values[1]:.9g}" in capsys.readouterr().out


@pytest.mark.parametrize("levels", ["", "0.1:3", "0.1:3:0", "0.1:3:x", "one", "1:2:3:4", "-1.0"])
def test_the_command_refuses_what_are_no_levels(levels, tmp_path, capsys):
    (tmp_path / "a.toml").write_text(QUESTION)
    with pytest.raises(SystemExit) as left:
        commands.main(["frontier", str(tmp_path / "a.toml"), "--levels", levels])
    assert left.value.code == 2
    assert "it has to be" in capsys.readouterr().err


def test_an_interrupted_frontier_keeps_what_is_made(monkeypatch):
    original, made = frontiers.answered, []

    def interrupted(problem, notion, objective, *settings):
        if len(made) == 2:
            raise KeyboardInterrupt
        made.append(notion.epsilon)
        return original(problem, notion, objective, *settings)

    monkeypatch.setattr(frontiers, "answered", interrupted)
    found = md.frontier(PROBLEM, md.LDP, md.MMSE(), [2.0, 0.5, 1.0])
    assert not found.complete
    assert found.levels.tolist() == made == [0.5, 1.0]
    made[:] = [0.0, 0.0]
    with pytest.raises(KeyboardInterrupt):
        md.frontier(PROBLEM, md.LDP, md.MMSE(), [2.0, 0.5, 1.0])


def test_a_time_limit_is_for_each_level():
    problem = drawn(np.random.default_rng(5), 25)
    with warnings.catch_warnings(), reading(CountingClock()):
        warnings.simplefilter("ignore", GapWarning)
        found = md.frontier(problem, md.LIP, md.MMSE(), np.geomspace(0.5, 1.0, 5), time_limit=0.2)
    assert len(found) == 5 and all(design.audit.holds for design in found)
    # Of one limit for all of them nothing would be left to the later ones.
    assert min(found.seconds) > 0.1 and max(found.seconds) <= 1.0 + 1.1 * 0.2
