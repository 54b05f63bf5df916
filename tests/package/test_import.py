"""Importing the package is quick, loads nothing heavy, and goes one way."""

import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HEAVY = ("clarabel", "cvxpy", "ecos", "highspy", "matplotlib", "pandas", "rich", "scs")
#: What `import scipy` itself loads; anything else under scipy is a sub-package that we pulled in.
PROBE = """
import sys
import scipy
before = set(sys.modules)
import mechdesign
print(*sorted({name.split('.')[0] for name in sys.modules}))
print(*sorted({'.'.join(name.split('.')[:2]) for name in set(sys.modules) - before if name.startswith('scipy.')}))
"""


def run(code):
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    return found.stdout


def test_nothing_heavy_is_loaded():
    packages, of_scipy = run(PROBE).split("\n")[:2]
    assert "numpy" in packages.split()
    assert set(HEAVY) & set(packages.split()) == set()
    assert of_scipy.split() == []


def test_the_probe_sees_what_is_loaded():
    more = PROBE.replace("import mechdesign", "import mechdesign, scipy.sparse, rich")
    packages, of_scipy = run(more).split("\n")[:2]
    assert "rich" in packages.split()
    assert "scipy.sparse" in of_scipy.split()


def test_importing_changes_nothing_global():
    code = """
import random, warnings, numpy as np
state = (random.getstate(), np.random.get_state()[1].tolist(), list(warnings.filters), np.geterr())
import mechdesign
print(state == (random.getstate(), np.random.get_state()[1].tolist(), list(warnings.filters), np.geterr()))
"""
    assert run(code).split() == ["True"]


def test_known_mechanisms_are_there_without_an_import_and_loaded_when_asked_for():
    code = """
import sys, mechdesign as md
print("mechdesign.baselines" in sys.modules, "baselines" in dir(md))
print(md.baselines.randomised_response(md.Problem(n=2), 0.0).matrix.tolist())
"""
    assert run(code).split("\n")[:2] == ["False True", "[[0.5, 0.5], [0.5, 0.5]]"]


def test_types_are_shipped():
    assert files("mechdesign").joinpath("py.typed").is_file()


def layers(folder):
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.slow
def test_imports_go_one_way():
    found = layers(ROOT)
    assert found.returncode == 0, found.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "line", "code"),
    [
        ("problem/problem.py", "", 0),
        ("problem/problem.py", "from mechdesign.designing.entry import design", 1),
        ("notions/ldp.py", "import mechdesign.objectives", 1),
        ("solve/routes/rays.py", "import mechdesign.cli", 1),
    ],
)
def test_the_layers_catch_an_import_that_goes_up(file, line, code, tmp_path):
    shutil.copytree(ROOT / "mechdesign", tmp_path / "mechdesign")
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    target = tmp_path / "mechdesign" / file
    target.write_text(target.read_text(encoding="utf-8") + f"\n{line}\n", encoding="utf-8")
    found = layers(tmp_path)
    assert found.returncode == code, found.stdout
    assert ("BROKEN" in found.stdout) == bool(code)
