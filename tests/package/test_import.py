"""Importing the package is quick, loads nothing heavy, and goes one way."""

import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import grimp
import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

ROOT = Path(__file__).parents[2]
HEAVY = ("clarabel", "cvxpy", "ecos", "highspy", "matplotlib", "pandas", "rich", "scs")
#: What `import scipy` itself loads; anything else under scipy is a sub-package that we pulled in.
PROBE = """
import sys
import scipy
before = set(sys.modules)
import mechdesign
mechdesign.Problem, mechdesign.LDP, mechdesign.MMSE, mechdesign.Mechanism
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
    more = PROBE.replace("import mechdesign\n", "import mechdesign, scipy.sparse, rich\n")
    packages, of_scipy = run(more).split("\n")[:2]
    assert "rich" in packages.split()
    assert "scipy.sparse" in of_scipy.split()


def test_a_version_loads_few_modules():
    """What a command line asks of a package first: nothing is computed for it."""
    code = """
import sys
import mechdesign
print("numpy" in sys.modules, mechdesign.__version__)
from mechdesign.cli import commands
print(*sorted(name for name in sys.modules if name.startswith("mechdesign.")))
"""
    first, loaded = run(code).split("\n")[:2]
    assert first.startswith("False ")
    assert len(loaded.split()) <= 20, loaded


def test_every_name_is_found_when_it_is_asked_for():
    code = """
import mechdesign as md
print(*(name for name in md.__all__ if getattr(md, name, None) is None))
print(set(md.__all__) <= set(dir(md)), hasattr(md, "nothing"), hasattr(md, "_nothing"))
from mechdesign import *
print(LDP is md.LDP, design is md.design, len(md.__all__) == len(set(md.__all__)))
"""
    assert run(code).split("\n")[:3] == ["", "True False False", "True True True"]


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


def circles(imports):
    """Return the sets of modules that import each other, of what each imports."""
    names = {name: place for place, name in enumerate(imports)}
    pairs = np.array([(names[one], names[other]) for one, others in imports.items() for other in others]).T
    _, of = connected_components(coo_array((np.ones(pairs.shape[1]), pairs), (len(names),) * 2), connection="strong")
    found = [{name for name, place in names.items() if of[place] == which} for which in set(of)]
    return [circle for circle in found if len(circle) > 1]


def test_no_modules_import_each_other():
    graph = grimp.build_graph("mechdesign", exclude_type_checking_imports=True, cache_dir=None)
    assert circles({name: graph.find_modules_directly_imported_by(name) for name in graph.modules}) == []
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"a", "d"}, "d": set()}) == [{"a", "b", "c"}]
