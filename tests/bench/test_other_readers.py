"""GLPK and CBC read the files that are exported, and find the certified optimum: Debian's glpk-utils and coinor-cbc."""

import re
import subprocess

import pytest

from mechdesign import bench
from mechdesign.bench.exports.formats import export
from mechdesign.bench.exports.scoring import score_folder

pytestmark = [pytest.mark.slow, pytest.mark.debian]

LINEAR = [each for each in bench.instances("small") if each.posed.program.is_linear]


def optimum_of(*command):
    run = subprocess.run([str(each) for each in command], capture_output=True, text=True, check=True)
    return run.stdout


def certified(instance):
    """Return the program's cost at the certified optimum."""
    question = instance.question
    utility = question.objective.to_utility(instance.optimum.value, question.problem)
    return -utility / instance.posed.scale


@pytest.mark.parametrize("format_name", ["mps", "lp"])
@pytest.mark.parametrize("instance", LINEAR, ids=lambda each: each.name)
def test_glpk_finds_the_certified_optimum(tmp_path, instance, format_name):
    (path,), _ = export([instance], format_name, tmp_path)
    kind = "--freemps" if format_name == "mps" else "--lp"
    optimum_of("glpsol", kind, path, "--nopresol", "-o", tmp_path / "found")
    text = (tmp_path / "found").read_text()
    assert "OPTIMAL" in text
    found = float(re.search(r"Objective:\s+\S+ = (\S+)", text)[1])
    assert found == pytest.approx(certified(instance), rel=1e-6, abs=1e-8)


@pytest.mark.parametrize("instance", LINEAR[::3], ids=lambda each: each.name)
def test_files_of_their_solutions_are_scored(tmp_path, instance):
    (path,), _ = export([instance], "mps", tmp_path)
    found = tmp_path / f"{instance.name}.sol"
    for command in (
        ("glpsol", "--freemps", path, "--nopresol", "-w", found),
        ("cbc", path, "printingOptions", "all", "solve", "solution", found),
    ):
        optimum_of(*command)
        (run,) = score_folder([instance], "small", tmp_path, command[0]).runs
        assert (run.outcome, run.status) == ("answered", "optimal"), run.why
        # CBC writes eight digits.
        assert run.score.error <= 1e-5 and run.score.bound_error <= 1e-5, command[0]


@pytest.mark.parametrize("instance", LINEAR[::3], ids=lambda each: each.name)
def test_cbc_finds_the_certified_optimum(tmp_path, instance):
    (path,), _ = export([instance], "mps", tmp_path)
    said = optimum_of("cbc", path, "solve")
    found = float(re.search(r"Optimal objective (\S+)", said)[1])
    assert found == pytest.approx(certified(instance), rel=1e-6, abs=1e-8)
