"""Notions and objectives of one's own: saved, loaded, asked for in files, refused where they could not come back."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mechdesign as md
from mechdesign import cli
from mechdesign.cli.question_file import read_question
from mechdesign.files.checksums import sealed

SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])

CODE = '''
from dataclasses import dataclass
import numpy as np
import mechdesign as md
from mechdesign.exact import exp_below

@dataclass(frozen=True)
class UpperLift(md.Notion):
    """Pr(y | x) <= e^epsilon Pr(y); epsilon in nats."""
    epsilon: float
    needs_prior = True

    def cone(self, problem):
        return md.Cone.of_rows(np.exp(self.epsilon) * problem.prior_of_secret - np.eye(problem.secrets))

    def level(self, matrix, problem):
        seen = np.asarray(matrix, dtype=float)
        mass = problem.prior_of_secret @ seen
        lift = np.divide(seen, mass, out=np.ones_like(seen), where=mass > 0)
        x, y = np.unravel_index(lift.argmax(), lift.shape)
        return md.Level(float(np.log(lift[x, y])), (int(x),), int(y))

    def holds_exactly(self, numerators, problem):
        seen = numerators.astype(object)
        prior, ratio = np.array(problem.exact_prior_of_secret, dtype=object), exp_below(self.epsilon)
        return bool(np.all(seen * int(sum(prior)) * ratio.denominator <= (prior @ seen) * ratio.numerator))

@dataclass(frozen=True)
class SquaredLoss(md.Linear):
    """sum_x P_x sum_d Q[x, d] weight (values[x] - values[d])^2."""
    weight: float = 1.0
    needs_prior = needs_values = True

    def cost(self, problem):
        return self.weight * problem.prior[:, None] * (problem.values[:, None] - problem.values) ** 2

    def decisions(self, problem):
        return tuple(f"{value:g}" for value in problem.values)
'''
SPACE: dict[str, Any] = {"__name__": __name__}
exec(compile(CODE, "own.py", "exec"), SPACE)
UpperLift, SquaredLoss = SPACE["UpperLift"], SPACE["SquaredLoss"]

QUESTION = """
[problem]
prior = [0.2, 0.3, 0.5]
values = [0, 1, 2]
[notion]
name = "UpperLift"
epsilon = 0.5
[objective]
name = "SquaredLoss"
weight = 2.0
"""


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("own_notions.py").write_text(CODE, encoding="utf-8")
    Path("own.toml").write_text(QUESTION, encoding="utf-8")
    return tmp_path


def run(capsys, *arguments):
    with pytest.raises(SystemExit) as left:
        cli.main(list(map(str, arguments)))
    said = capsys.readouterr()
    return left.value.code, said.out, said.err


# Files ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("notion", "objective", "members"),
    [
        (UpperLift(0.5), md.MMSE(), [UpperLift]),
        (md.LDP(1.0), SquaredLoss(2.0), [SquaredLoss]),
        (UpperLift(0.5) & md.LDP(1.0), SquaredLoss(), [UpperLift, SquaredLoss]),
    ],
)
def test_what_is_saved_is_loaded_with_its_classes(tmp_path, notion, objective, members):
    made = md.design(SURVEY, notion, objective).mechanism
    path = made.save(tmp_path / "own.json")
    assert md.load(path, members=members) == made
    for missing in members:
        known = [member for member in members if member is not missing]
        with pytest.raises(
            md.CertificateError, match=rf"'{missing.__name__}', .* members=\[{missing.__name__}\]\) reads"
        ):
            md.load(path, members=known)


def test_another_class_of_that_name_has_to_satisfy_the_file(tmp_path):
    path = md.design(SURVEY, UpperLift(0.5), md.MMSE()).mechanism.save(tmp_path / "own.json")

    class Stricter(UpperLift):
        def holds_exactly(self, numerators, problem):
            return UpperLift(self.epsilon / 2).holds_exactly(numerators, problem)

    Stricter.__name__ = "UpperLift"
    with pytest.raises(md.CertificateError, match="does not satisfy"):
        md.load(path, members=[Stricter])


def test_a_file_never_names_code(tmp_path):
    made = md.design(SURVEY, UpperLift(0.5), md.MMSE()).mechanism
    data = json.loads(made.save(tmp_path / "own.json").read_text(encoding="utf-8"))
    for name in ("antigravity.UpperLift", "test_own_members:UpperLift"):
        data["question"]["notion"]["name"] = name
        edited = tmp_path / "edited.json"
        edited.write_text(json.dumps(sealed(data)), encoding="utf-8")
        with pytest.raises(md.CertificateError, match="is not in the catalogue"):
            md.load(edited)


@dataclass(frozen=True)
class ByFunction(SquaredLoss):
    """A loss by a function, which is no plain data."""

    scale: Any = field(default=np.abs)


class LDP(md.LDP):
    """A notion of one's own under a name of the catalogue."""


@dataclass(frozen=True)
class Forgets(SquaredLoss):
    """A loss that keeps another weight than it is given."""

    def __post_init__(self):
        object.__setattr__(self, "weight", self.weight / 2)


@pytest.mark.parametrize(
    ("notion", "objective", "said"),
    [
        (md.LDP(1.0), ByFunction(), "A file of ByFunction could not be read back"),
        (LDP(1.0), md.MMSE(), "A file of LDP could not be read back .*rename the class"),
        (md.LDP(1.0), Forgets(), "it would come back with other parameters"),
    ],
)
def test_what_could_not_be_loaded_is_not_saved(tmp_path, notion, objective, said):
    made = md.design(SURVEY, notion, objective).mechanism
    target = tmp_path / "own.json"
    with pytest.raises(md.UnsupportedError, match=said):
        made.save(target)
    assert not target.exists()


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ([UpperLift(0.5)], r"members\[0\] is UpperLift\(epsilon=0.5\), but it has to be a class"),
        ([md.Notion], r"members\[0\] is .*not abstract"),
        (["UpperLift"], r"members\[0\] is UpperLift, but it has to be a class"),
        ("UpperLift", "members is UpperLift, but it has to be a sequence"),
        ([UpperLift, LDP], r"members\[1\] is LDP, but a file could not distinguish it"),
        (3, "members is 3"),
    ],
)
def test_what_is_no_member_is_refused(tmp_path, members, said):
    with pytest.raises(md.DomainError, match=said):
        md.load(tmp_path / "any.json", members=members)


def test_a_class_alone_and_one_of_the_catalogue_are_taken(tmp_path):
    path = md.design(SURVEY, UpperLift(0.5), md.MMSE()).mechanism.save(tmp_path / "own.json")
    assert md.load(path, members=UpperLift) == md.load(path, members=[md.LDP, UpperLift])


# Question files and the command -------------------------------------------------------------------------------------


def test_a_question_file_names_members_that_were_given(own):
    asked = read_question("own.toml", [UpperLift, SquaredLoss])
    assert asked.question == md.Question(SURVEY, UpperLift(0.5), SquaredLoss(2.0))
    with pytest.raises(md.DomainError, match=r"own\.toml line 6, \[notion\] name is UpperLift"):
        read_question("own.toml")
    wrong = QUESTION.replace("weight", "wieght")
    Path("own.toml").write_text(wrong, encoding="utf-8")
    with pytest.raises(md.DomainError, match='did you mean "weight"'):
        read_question("own.toml", [UpperLift, SquaredLoss])


@pytest.mark.parametrize("module", ["own_notions", "own_notions.py"])
def test_the_command_designs_audits_and_sweeps_with_members(own, capsys, module):
    assert run(capsys, "design", "own.toml", "-q", "--members", module)[0] == 0
    assert run(capsys, "audit", "own.mechanism.json", "--members", module)[0] == 0
    code, out, _ = run(capsys, "frontier", "own.toml", "--levels", "0.4,0.5", "--members", module, "--json")
    assert code == 0 and len(json.loads(out)) == 2
    # Without it each says what is missing.
    assert "--members" in run(capsys, "audit", "own.mechanism.json")[2]
    code, _, err = run(capsys, "design", "own.toml", "-q")
    assert code == 2 and "UpperLift" in err


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("nowhere_to_be_found", None, "it cannot be imported (ModuleNotFoundError"),
        ("nowhere.py", None, "there is no such file"),
        ("raises.py", "raise SystemExit(3)", "it cannot be imported (SystemExit: 3)"),
        ("broken.py", "def", "it cannot be imported (SyntaxError"),
        (
            "late.py",
            "import math\n\nmath.sqrt('x')\n",
            "(TypeError: must be real number, not str); correct its line 3.",
        ),
        ("statistics.py", "", "would hide statistics of Python or of a package; rename the file."),
        ("numpy.py", "", "would hide numpy of Python or of a package; rename the file."),
        ("empty.py", "from mechdesign import LDP, Notion", "it has no notion or objective of its own"),
        ("clash.py", "import mechdesign as md\nclass LDP(md.LDP): pass", "rename the class"),
        ("other.py", "import mechdesign as md\nclass PointwiseMaximalLeakage(md.LDP): pass", "rename the class"),
    ],
)
def test_a_module_that_has_none_is_said(own, capsys, name, code, said):
    if code is not None:
        Path(name).write_text(code, encoding="utf-8")
    status, _, err = run(capsys, "design", "own.toml", "--members", name)
    assert status == 2 and said in err and "Traceback" not in err
    assert not Path("own.mechanism.json").exists()


@pytest.mark.parametrize("section", ["", "[problem]", "[solve]"])
def test_no_key_of_a_question_file_imports(own, section):
    line = 'members = "own_notions"'
    known = section and section in QUESTION
    text = QUESTION.replace(section, f"{section}\n{line}") if known else f"{section}\n{line}\n{QUESTION}"
    Path("own.toml").write_text(text, encoding="utf-8")
    with pytest.raises(md.DomainError, match="members"):
        read_question("own.toml", [UpperLift, SquaredLoss])


def test_reports_are_drawn_and_counted_with_ones_own(own, capsys):
    Path("answers.csv").write_text("value\n" + "0\n1\n2\n" * 20, encoding="utf-8")
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    md.design(problem, UpperLift(0.5), md.InformationDesign("A")).mechanism.save("own.json")
    draw = ("sample", "own.json", "answers.csv", "--column", "value", "-o", "reports.csv")
    assert run(capsys, *draw)[0] == 1
    assert run(capsys, *draw, "--members", "own_notions.py")[::2] == (0, "")
    assert run(capsys, "estimate", "own.json", "reports.csv")[0] == 1
    code, out, _ = run(capsys, "estimate", "own.json", "reports.csv", "--members", "own_notions.py", "--json")
    assert code == 0 and json.loads(out)["reports"] == 60
