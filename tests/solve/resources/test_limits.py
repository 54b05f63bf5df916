"""Limits of memory and time wherever they can be given, and what a file of a proof that was cut short says."""

import json
import tracemalloc
import warnings
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.mechanism import ImplicitMechanism
from mechdesign.testing.sized import NOTIONS, OBJECTIVES, some_pair

N = 200
SURVEY = md.Problem(prior=np.random.default_rng(11).dirichlet(np.ones(N)), values=np.sin(np.arange(1.0 * N)))
#: No program for 200 inputs is so small.
LITTLE = 1e-4
TOLD = r"more than the memory_limit of 0\.0001 GB.*a larger memory_limit="

QUESTION = """
[problem]
prior = {prior}
values = {values}
[notion]
name = "LIP"
epsilon = 1.0
[objective]
name = "MMSE"
[solve]
route = "columns"
{solve}
"""


def asked(folder, solve=""):
    path = folder / "asked.toml"
    path.write_text(QUESTION.format(prior=SURVEY.prior.tolist(), values=SURVEY.values.tolist(), solve=solve))
    return str(path)


def test_design_compare_frontier_and_sweep_take_one_memory_limit(tmp_path):
    question = SURVEY, md.LIP(1.0), md.MMSE()
    with pytest.raises(md.UnsupportedError, match=TOLD):
        md.design(*question, route="columns", memory_limit=LITTLE)
    with pytest.raises(md.UnsupportedError, match=TOLD):
        md.frontier(SURVEY, md.LIP, md.MMSE(), [0.5, 1.0], route="columns", memory_limit=LITTLE)
    swept = md.sweep(SURVEY, md.LIP, md.MMSE(), [0.5], route="columns", memory_limit=LITTLE, path=tmp_path / "s.jsonl")
    (row,) = swept.failures
    assert row.status == "unsupported" and "memory_limit of 0.0001 GB" in row.reason
    compared = md.compare(*question, memory_limit=LITTLE)
    said = {row.route: row.outcome for row in compared.rows if row.solver}
    assert "memory_limit of 0.0001 GB" in said["columns"]
    # Found by the slow tests: it was named among the routes that were made for other questions.
    assert "columns: The route columns refuses: its program would take about" in str(compared).replace("\n  ", " ")
    # What allows it, allows it everywhere.
    assert md.design(*question, route="columns", memory_limit=1.0).gap <= 1e-6


def test_a_question_file_and_the_command_have_the_same_limits(tmp_path):
    runner = CliRunner()
    refused = runner.invoke(commands.cli, ["design", asked(tmp_path, f"memory_limit = {LITTLE}"), "--quiet"])
    assert isinstance(refused.exception, md.UnsupportedError)
    assert "memory_limit of 0.0001 GB" in str(refused.exception)
    # The command's own is taken instead of the file's.
    where = ["--output", str(tmp_path / "a.mechanism.json")]
    command = ["design", asked(tmp_path, f"memory_limit = {LITTLE}"), "--memory-limit", "1", "--json", *where]
    answered = runner.invoke(commands.cli, command, standalone_mode=False)
    assert answered.return_value == 0 and json.loads(answered.stdout)["gap"] <= 1e-6
    refused = runner.invoke(commands.cli, ["compare", asked(tmp_path), "--memory-limit", str(LITTLE)])
    assert "0.0001" in refused.output
    for command in (["design"], ["compare"], ["frontier", "--levels", "0.5"]):
        wrong = runner.invoke(commands.cli, [*command, asked(tmp_path), "--time-limit", "-1"])
        assert isinstance(wrong.exception, md.DomainError) and "time_limit" in str(wrong.exception)


def test_verbose_says_where_a_search_stands(capsys):
    made = md.design(SURVEY, md.LIP(1.0), md.MMSE(), route="columns", verbose=True)
    lines = [line for line in capsys.readouterr().out.splitlines() if line.startswith("round ")]
    assert len(lines) >= 2 and f"{len(lines)} rounds" in made.note
    # Each line has the value and the bound so far: the value falls, the bound rises, and they enclose the optimum.
    numbers = [[float(part.split(" ")[1]) for part in line.split(": ")[1].split(", ")[:2]] for line in lines]
    values, bounds = np.array(numbers).T
    assert np.all(np.diff(values) <= 1e-9) and np.all(np.diff(bounds) >= -1e-9)
    assert bounds[-1] - 1e-9 <= made.value <= values[-1] * (1 + 1e-6)


def test_a_file_may_claim_less_than_follows_and_never_more(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(SURVEY, md.LIP(1.0), md.MMSE(), route="columns", gap=1e-3)

    def loaded(**claims):
        said = replace(made.mechanism, certificate=replace(made.mechanism.certificate, **claims))
        return md.load(said.save(tmp_path / "a.mechanism.json", overwrite=True))

    # A proof that a time limit ended early: true, and replaced by what follows from its multipliers.
    weak = loaded(bound=0.9 * made.bound, gap=0.5)
    assert weak.certificate.bound == pytest.approx(made.bound, rel=1e-9)
    assert weak.certificate.gap == pytest.approx(made.gap, rel=1e-6)
    for claims in ({"bound": made.bound + 2 * (made.value - made.bound)}, {"gap": 0.0}, {"value": 0.9 * made.value}):
        with pytest.raises(md.CertificateError, match="claims"):
            loaded(**claims)


@pytest.mark.slow
@pytest.mark.thinned(8)
@pytest.mark.parametrize("n", [20_000, 100_000_000])
def test_no_question_makes_an_array_that_memory_cannot_hold(n, tmp_path):
    """Of every notion and objective, over bare inputs or with a prior: refused, or answered without a matrix."""
    problem = md.Problem(n=n) if n > 10**6 else md.Problem(prior=np.full(n, 1.0 / n), values=np.arange(float(n)))
    refused = 0
    tracemalloc.start()
    try:
        for notion in NOTIONS:
            for objective in OBJECTIVES:
                pair = some_pair(notion, objective, 3, np.random.default_rng(1))
                if pair is None or (pair[1].plain(problem) == md.LDP(1.0) and isinstance(pair[2], md.RatioType)):
                    continue
                try:
                    made = md.design(problem, *pair[1:], gap=1e-2)
                except (md.UnsupportedError, md.DomainError):
                    refused += 1
                else:
                    # Answered by a formula, without a matrix.
                    assert isinstance(made.mechanism, ImplicitMechanism)
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()
    assert refused > 300


def test_the_command_refuses_a_hundred_million_inputs_in_a_sentence(tmp_path, capsys):
    path = tmp_path / "q.toml"
    for objective in ("LeakageLoss", "MaxOffDiagonal"):
        path.write_text(
            f'[problem]\nn = 100000000\n[notion]\nname = "LDP"\nepsilon = 1.0\n[objective]\nname = "{objective}"\n'
        )
        tracemalloc.start()
        with pytest.raises(SystemExit) as ended:
            commands.main(["design", str(path)])
        # Found by the slow tests: a list of the inputs took gigabytes.
        assert tracemalloc.get_traced_memory()[1] < 1e8
        tracemalloc.stop()
        assert ended.value.code == 2
        assert "for each pair of 100000000 inputs would take about 1.6e+08 GB" in capsys.readouterr().err
