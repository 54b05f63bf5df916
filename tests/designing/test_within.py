"""Fewer outputs for a share of the optimum: private, within the share, never more, and the bound is the optimum's."""

import warnings

import numpy as np
import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli.commands import cli
from mechdesign.designing import fewest_outputs
from mechdesign.designing.certifying import certified
from mechdesign.runtime.deadline import reading
from mechdesign.testing import sized
from mechdesign.testing.clock import CountingClock

SIX = sized.sized_problem(6, np.random.default_rng(5))
TEN = sized.sized_problem(10, np.random.default_rng(5))
LINE = np.abs(np.subtract.outer(np.arange(10.0), np.arange(10.0)))


def asked(notion, objective, problem=SIX, **keywords):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(problem, notion, objective, **keywords)


def pairs():
    """Return each notion with one objective, and each objective under one notion, by name."""
    found = [(name, "MMSE") for name in sized.NOTIONS if name != "WeightedTV"]
    return found + [("LDP", name) for name in sized.OBJECTIVES]


def check(made, best, within, notion, problem):
    """Raise unless a design keeps what `within` promises beside the optimum."""
    assert md.audit(made.mechanism, notion, problem).holds
    assert np.count_nonzero(made.matrix.max(axis=0)) <= np.count_nonzero(best.matrix.max(axis=0))
    objective = made.mechanism.asked.objective
    value = objective.value(made.by_decision, notion.inputs(problem))
    assert value == pytest.approx(made.value, rel=1e-12)
    size = max(abs(value), abs(best.bound))
    assert abs(value - best.bound) <= max(within, best.gap) * size * (1 + 1e-9) + 1e-12 * size
    better = (value - best.bound) * (1 if objective.sense == "minimise" else -1)
    assert better >= -1e-12 * size


@pytest.mark.thinned(12)
@pytest.mark.parametrize(("of_notion", "of_objective"), pairs())
def test_every_notion_and_objective(of_notion, of_objective, tmp_path):
    problem, notion, objective = sized.some_pair(of_notion, of_objective, 6, np.random.default_rng(5))
    best = asked(notion, objective, problem)
    made = asked(notion, objective, problem, within=0.05)
    check(made, best, 0.05, notion, problem)
    assert md.load(made.mechanism.save(tmp_path / "a.json")) == made.mechanism


@pytest.mark.parametrize(
    ("problem", "notion", "objective", "most"),
    [
        (md.Problem(n=10), md.LDP(1.0), md.InformationDesign("A"), 50),
        (TEN, md.LIP(1.0), md.MMSE(), 6),
        (TEN, md.MetricDP(1.0, LINE), md.MMSE(), 6),
    ],
    ids=["LDP", "LIP", "MetricDP"],
)
def test_far_fewer_where_that_costs_little(problem, notion, objective, most):
    best = asked(notion, objective, problem)
    made = asked(notion, objective, problem, within=0.02)
    check(made, best, 0.02, notion, problem)
    assert made.matrix.shape[1] <= most < best.matrix.shape[1]
    assert "outputs in place of" in made.note


def test_a_wider_gap_is_left_as_it_is():
    best = asked(md.LDP(1.0), md.InformationDesign("A"), md.Problem(n=30))
    with pytest.warns(md.GapWarning):
        made = md.design(md.Problem(n=30), md.LDP(1.0), md.InformationDesign("A"), within=best.gap / 2)
    assert made.mechanism == best.mechanism


def test_no_warning_of_what_was_given_up():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = md.design(SIX, md.LIP(1.0), md.MMSE(), within=0.05)
    assert made.gap > 1e-6


@pytest.mark.parametrize("within", [0.0, -0.1, 1.5, float("nan"), "much", True])
def test_what_is_no_share_is_refused(within):
    with pytest.raises(md.DomainError, match="within is"):
        md.design(SIX, md.LDP(1.0), md.MMSE(), within=within)


@pytest.mark.slow
def test_the_time_limit_is_for_both():
    with reading(CountingClock(0.003)):
        made = asked(md.LDP(1.0), md.InformationDesign("A"), md.Problem(n=12), within=0.02, time_limit=3.0)
    check(made, asked(md.LDP(1.0), md.InformationDesign("A"), md.Problem(n=12)), 0.02, md.LDP(1.0), md.Problem(n=12))


def test_many_outputs_are_said_with_what_has_fewer():
    made = asked(md.LDP(1.0), md.InformationDesign("A"), md.Problem(n=10))
    assert made.matrix.shape[1] > 20 and "outputs; within=0.02 asks for fewer: design.matrix" in " ".join(
        str(made).split()
    )
    assert "asks for fewer" not in str(asked(md.LIP(1.0), md.MMSE()))


QUESTION = """
[problem]
n = 10
[notion]
name = "LDP"
epsilon = 1.0
[objective]
name = "InformationDesign"
criterion = "A"
"""


def test_the_command_and_the_file_say_it(tmp_path):
    plain, told = tmp_path / "plain.toml", tmp_path / "told.toml"
    plain.write_text(QUESTION)
    told.write_text(f"{QUESTION}[solve]\nwithin = 0.02\n")
    outputs = []
    for words in ([str(plain)], [str(plain), "--within", "0.02"], [str(told)]):
        found = CliRunner().invoke(cli, ["design", *words, "--output", str(tmp_path / "a.json")])
        assert found.exit_code == 0 and "proved: nothing private" in found.output, found.output
        outputs.append(md.load(tmp_path / "a.json").matrix.shape[1])
    assert outputs[1] == outputs[2] < outputs[0]


@pytest.mark.parametrize("command", ["compare", "frontier", "calibrate"])
def test_commands_of_optima_leave_it_out_and_say_so(command, tmp_path):
    """A file that quickstart wrote has it: the commands beside design are of optima."""
    told = tmp_path / "told.toml"
    told.write_text(f"{QUESTION}[solve]\nwithin = 0.02\n")
    more = {"compare": [], "frontier": ["--levels", "1"], "calibrate": ["--target", "20"]}[command]
    found = CliRunner().invoke(cli, [command, str(told), *more], catch_exceptions=True)
    assert found.exception is None, found.exception
    assert "within = 0.02 counts for mechdesign design alone" in found.stderr
    told.write_text(QUESTION)
    plain = CliRunner().invoke(cli, [command, str(told), *more], catch_exceptions=True)
    assert "within" not in plain.stderr

    def values(text):
        """The lines without seconds."""
        return [line for line in text.splitlines() if "bound" in line or "epsilon" in line]

    assert values(found.stdout) == values(plain.stdout)


def believes_the_name(question, proof, mechanism):
    """Takes the gap of the optimum for that of whatever stands in its place."""
    made = certified(question, proof, mechanism)
    return md.Mechanism(made.matrix, made.outputs, question, proof)


def takes_any(made, offered, within):
    """Takes what has fewer outputs, however far its value is."""
    return True


def test_planted_defects_are_caught(monkeypatch):
    best = asked(md.LDP(1.0), md.InformationDesign("A"), md.Problem(n=10))
    monkeypatch.setattr(fewest_outputs, "certified", believes_the_name)
    monkeypatch.setattr(fewest_outputs, "_seems_near", takes_any)
    made = asked(md.LDP(1.0), md.InformationDesign("A"), md.Problem(n=10), within=0.02)
    with pytest.raises(AssertionError):
        check(made, best, 0.02, md.LDP(1.0), md.Problem(n=10))
