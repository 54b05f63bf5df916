"""Nothing that a native library writes reaches standard output or error: seen in processes of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import mechdesign as md
from mechdesign.solve.solvers.silent_highs import highs

ROOT = Path(md.__file__).parents[1]
#: Linear programs as arrays or through cvxpy, by each solver that takes them.
BY_NAME = [
    (objective, route, solver)
    for objective, route in (("MaxOffDiagonal", "convex"), ("AbsoluteError", "columns"))
    for solver in md.installed_solvers()
    if solver in {"HIGHS", "CLARABEL"} or (solver in {"ECOS", "SCS"} and route == "convex")
]

#: Programs of each kind that begin from a last basis, add columns, or call a solver from within a notion.
DESIGNS = f"""
import warnings
import mechdesign as md
warnings.simplefilter("error")
survey = md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=range(4))
used = set()
for objective, route, solver in {BY_NAME!r}:
    used.add(md.design(survey, md.LDP(1.0), getattr(md, objective)(), route=route, solver=solver).solver_stats.name)
assert used == {{solver for _, _, solver in {BY_NAME!r}}}, used
for notion, objective in (
    (md.LIP(1.0), md.MMSE()),
    (md.LDP(1.0), md.MutualInformation()),
    (md.LDP(1.0), md.InformationDesign("A")),
    (md.StrongChiSquare(0.3), md.AbsoluteError()),
    (md.MutualInformationPrivacy(0.2), md.AbsoluteError()),
):
    md.design(survey, notion, objective)
md.frontier(survey, md.LIP, md.MMSE(), [0.5, 1.0])
md.frontier(survey, md.LDP, md.AbsoluteError(), [0.5, 1.0])
"""

QUESTION = """
[problem]
prior = [0.1, 0.2, 0.3, 0.4]
values = [0, 1, 2, 3]
[notion]
name = "LDP"
epsilon = 1.0
[objective]
name = "{objective}"
[solve]
route = "{route}"
solver = "{solver}"
"""


def output(*arguments, cwd):
    """Return what a process of Python writes to its two descriptors: capsys and CliRunner do not see native code."""
    found = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run([sys.executable, *arguments], cwd=cwd, env=found, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    return run.stdout, run.stderr


def test_designs_print_nothing(tmp_path):
    assert output("-c", DESIGNS, cwd=tmp_path) == ("", "")


@pytest.mark.thinned(3)
@pytest.mark.parametrize(("objective", "route", "solver"), BY_NAME)
def test_json_is_all_that_the_command_prints(objective, route, solver, tmp_path):
    (tmp_path / "asked.toml").write_text(QUESTION.format(objective=objective, route=route, solver=solver))
    printed, said = output("-m", "mechdesign", "design", "asked.toml", "--json", cwd=tmp_path)
    assert json.loads(printed)["route"] == route and said == ""


def test_a_library_that_prints_from_native_code_is_seen(tmp_path):
    # What is planted writes to the descriptor, as HiGHS 1.16 does from its constructor.
    planted = "import os, highspy\nkept = highspy.Highs.__init__\n"
    planted += "highspy.Highs.__init__ = lambda *given: os.write(1, b'Running') and kept(*given)\n"
    assert output("-c", planted + DESIGNS, cwd=tmp_path)[0].startswith("Running")


def test_the_constructor_of_highs_is_changed_once():
    # Each further layer would add a frame, until there are too many.
    assert len({getattr(highs().Highs, "enableCallbacks", None) for _ in range(3)}) == 1


def test_a_version_of_highs_without_callbacks_is_taken_as_it_is(monkeypatch):
    monkeypatch.delattr(highs().Highs, "enableCallbacks", raising=False)
    assert not hasattr(highs().Highs, "enableCallbacks")


def test_solver_verbose_lets_highs_speak(tmp_path):
    asked = "import mechdesign as md\nmd.design(md.Problem(prior=[0.2, 0.3, 0.5], values=range(3)), md.LIP(1.0), "
    asked += "md.MMSE(), route='rays', solver_verbose=True)"
    assert "HiGHS" in output("-c", asked, cwd=tmp_path)[0]
