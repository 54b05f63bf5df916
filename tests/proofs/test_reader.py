"""The reader of proofs as a program: what it prints, and files that are hostile, cut or of something else."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import mechdesign
import mechdesign_check as reader
from mechdesign.files.checksums import sealed
from tests.proofs import made

SOURCE = Path(reader.__file__)


def run(*paths):
    """Run the reader as a program of its own, without the packages that are installed here."""
    return subprocess.run(
        [sys.executable, "-I", "-S", str(SOURCE), *map(str, paths)], capture_output=True, text=True, check=False
    )


@pytest.fixture
def path(tmp_path):
    return made.design("LIP", "MMSE").mechanism.save(tmp_path / "a.json")


def test_it_runs_with_nothing_but_python(path, tmp_path):
    tampered, other = tmp_path / "b.json", tmp_path / "c.json"
    tampered.write_text(json.dumps(made.changed(json.loads(path.read_text()), proof__rows__0=lambda x: x * 0.9)))
    other.write_text("{}")
    proved, refused, unread, none = run(path), run(path, tampered), run(tampered, other), run()
    assert proved.returncode == 0 and proved.stdout.startswith(
        f"{path}: PROVED\n  no mechanism that is LIP(epsilon=1.0)"
    )
    assert refused.returncode == 1 and "NOT PROVED: functional" in refused.stdout
    assert unread.returncode == 2 and "NOT READ: its part 'proof' is missing" in unread.stdout
    assert none.returncode == 2 and "usage" in none.stdout
    assert not any(each.stderr for each in (proved, refused, unread, none))


def test_it_shares_nothing_with_the_package():
    imported = {
        name.split(".")[0]
        for node in ast.walk(ast.parse(SOURCE.read_text()))
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module]
            if isinstance(node, ast.ImportFrom)
            else []
        )
    }
    assert imported <= set(sys.stdlib_module_names)
    root = Path(mechdesign.__file__).parent
    assert not [each for each in root.rglob("*.py") if "import mechdesign_check" in each.read_text()]


def test_it_is_short():
    """A referee's hour: at most 1,025 lines of code without blank ones, comments and docstrings."""
    text = SOURCE.read_text()
    said = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            said.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    lines = enumerate(text.splitlines(), start=1)
    code = [line for number, line in lines if line.strip() and line.strip()[0] != "#" and number not in said]
    assert len(code) <= 1025


HOSTILE = {
    "empty": b"",
    "binary": b"\xff\xfe\x00",
    "a list": b"[1]",
    "cut": b'{"proof": {"version": 1',
    "nested": b'{"proof": ' + b"[" * 100_000,
    "a name twice": b'{"proof": {}, "proof": {}}',
    "not a number": b'{"proof": NaN}',
    "infinite": b'{"proof": -Infinity}',
    "a huge integer": b'{"proof": ' + b"9" * 5000 + b"}",
    "too large": b" " * (reader.LARGEST_FILE + 1),
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_end_in_a_sentence(content, tmp_path, capsys):
    path = tmp_path / "a.json"
    path.write_bytes(content)
    assert reader.main([str(path)]) == 2
    said = capsys.readouterr()
    assert said.out.startswith(f"{path}: NOT READ: ") and len(said.out) < 400 + len(str(path)) and not said.err


def test_no_file(tmp_path, capsys):
    assert reader.main([str(tmp_path / "none.json")]) == 2
    assert reader.main([str(tmp_path)]) == 2
    assert capsys.readouterr().out.count("it cannot be opened") == 2


def wrong(what, code, value, objective="MMSE", notion="LIP"):
    return pytest.param(notion, objective, what, value, code, id=f"{notion}-{objective}-{what}-{str(value)[:24]}")


@pytest.mark.parametrize(
    ("notion", "objective", "what", "value", "code"),
    [
        wrong("schema_version", 2, 4),
        wrong("proof__version", 2, 1),
        wrong("proof__version", 2, 3),
        wrong("proof__version", 2, True),
        wrong("proof__rows", 2, []),
        wrong("proof__rows", 2, [1.0] * 6),
        wrong("proof__rows", 2, "11111"),
        wrong("proof__rows__0", 2, "inf"),
        wrong("proof__rows__0", 2, None),
        wrong("proof__rows__0", 1, -1e300),
        wrong("proof__ends", 1, []),
        wrong("proof__ends", 1, [0.0]),
        wrong("proof__ends", 2, {"0": 1}),
        wrong("proof__ends", 1, [-1e300, 1e300]),
        wrong("proof__ends__0", 1, -5.0, "KLDivergence"),
        wrong("proof__ends__0", 1, -5.0, "Hellinger"),
        wrong("proof__ends__0", 1, -5.0, "RenyiDivergence"),
        wrong("proof__weights", 2, None, "WorstCaseLoss"),
        wrong("proof__weights", 2, [1.0], "WorstCaseLoss"),
        wrong("proof__weights", 2, [0.0] * 5, "WorstCaseLoss"),
        wrong("proof__weights__0", 2, -1.0, "WorstCaseLoss"),
        wrong("proof__weights__0", 1, 1e300, "WorstCaseLoss"),
        wrong("proof__decisions", 2, None, "WorstCaseLoss"),
        wrong("proof__decisions", 2, [0], "MaxOffDiagonal"),
        wrong("proof__decisions__0", 2, 5, "MaxOffDiagonal"),
        wrong("proof__decisions__0", 2, 0.0, "MaxOffDiagonal"),
        wrong("proof__decisions__0", 1, 1, "MaxOffDiagonal"),
        wrong("proof__decisions", 1, [2, 0], "HammingLoss"),
        wrong("proof__decisions", 1, [2, 0], "ErrorProbability"),
        wrong("question__objective__priors", 1, [[0.1] * 5, [0.5] * 5], "WorstCaseLoss"),
        wrong("question__objective__priors", 2, [[0.1] * 5, [0.05] + [0.5] * 4], "WorstCaseLoss"),
        wrong("question__objective__priors", 2, [[0.2 + 1e-8] * 5] * 2, "WorstCaseLoss"),
        wrong("question__notion__priors", 2, [], "MMSE", "CentralizedIP"),
        wrong("question__notion__priors", 2, [[]], "MMSE", "CentralizedIP"),
        wrong("question__notion__priors", 2, [[0.5, 0.5]], "MMSE", "CentralizedIP"),
        wrong("question__notion__priors", 2, [[0.0, 1.0]] * 4, "MMSE", "CentralizedIP"),
        wrong("question__notion__priors", 2, [[0.5, -0.5]] * 4, "MMSE", "CentralizedIP"),
        wrong("question__notion__priors", 1, [[0.99, 0.01]] * 4, "MMSE", "CentralizedIP"),
        wrong("question__notion__profile_prior", 2, [1.0], "MMSE", "ProfileDP"),
        wrong("question__notion__profile_prior", 2, None, "MMSE", "ProfileDP"),
        wrong("question__objective__priors", 2, [[0.5, 0.5]], "WorstCaseLoss"),
        wrong("question__objective__loss__0", 2, [1.0], "WorstCaseLoss"),
        wrong("denominator_bits", 2, -1),
        wrong("denominator_bits", 2, 10**12),
        wrong("denominator_bits", 2, 52),
        wrong("numerators", 2, []),
        wrong("numerators__0", 2, []),
        wrong("numerators__0__0", 2, -1),
        wrong("numerators__0__0", 2, 0.5),
        wrong("numerators__0__0", 2, True),
        wrong("numerators__0__0", 1, 1),
        wrong("question__problem__n", 2, 0),
        wrong("question__problem__n", 2, -3),
        wrong("question__problem__n", 2, 10**30),
        wrong("question__problem__prior", 2, None),
        wrong("question__problem__prior__0", 2, 0.0),
        wrong("question__problem__prior__0", 2, -0.1),
        wrong("question__problem__prior__0", 2, 1e300),
        wrong("question__problem__values", 2, None),
        wrong("question__problem__values", 2, [1.0]),
        wrong("question__problem__values__0", 1, 1e300),
        wrong("question__problem__values__0", 1, -1e300, "AbsoluteError"),
        wrong("question__notion__name", 2, "Strongest"),
        wrong("question__notion__name", 2, ["LIP"]),
        wrong("question__notion__epsilon", 1, 0.5),
        wrong("question__notion__epsilon", 1, 3.0),
        wrong("question__notion__epsilon", 2, -1.0),
        wrong("question__notion__epsilon", 2, 1e9),
        wrong("question__notion__epsilon", 2, "inf", notion="LDP"),
        wrong("question__notion__epsilon", 2, None),
        wrong("question__notion__blocks", 2, [[0, 9]], notion="BlockLDP"),
        wrong("question__notion__blocks", 2, [[0, 1], [1, 2]], notion="BlockLDP"),
        wrong("question__notion__blocks", 2, [[]], notion="BlockLDP"),
        wrong("question__notion__blocks", 2, 3, notion="BlockLDP"),
        wrong("question__notion__sensitive", 2, [-1], notion="UtilityOptimizedLDP"),
        wrong("question__notion__sensitive", 1, [], notion="UtilityOptimizedLDP"),
        wrong("question__objective__name", 2, "MutualInformation"),
        wrong("question__objective__name", 1, "ErrorProbability"),
        wrong("question__objective__name", 2, "ChernoffExponent"),
        wrong("question__objective__minimize", 2, True, "MutualInformation"),
        wrong("question__objective__criterion", 2, "D", "InformationDesign"),
        wrong("question__objective__criterion", 2, None, "InformationDesign"),
        wrong("question__objective__weights", 2, [-1.0] * 5, "InformationDesign"),
        wrong("question__objective__theta__0", 2, -1.0, "InformationDesign"),
        wrong("proof__lines", 2, None, "InformationDesign"),
        wrong("proof__lines", 2, [], "InformationDesign"),
        wrong("proof__lines__0", 2, [1.0], "InformationDesign"),
        wrong("proof__lines", 1, [[0.0] * 5] * 5, "InformationDesign"),
        wrong("proof__lines", 1, [[1e300, 0.0, 0.0, 0.0, 0.0]] * 5, "InformationDesign"),
        wrong("proof__rows__0", 1, 0.0, "InformationDesign"),
        wrong("proof__rows__0", 1, 0.0, "MutualInformation"),
        wrong("proof__rows__0", 1, 0.0, "HistogramMMSE", "LDP"),
        wrong("question__problem__prior", 2, None, "HistogramMMSE"),
        wrong("question__objective__order", 2, 1e300, "RenyiDivergence"),
        wrong("question__objective__order", 2, 1.0, "RenyiDivergence"),
        wrong("question__objective__order", 2, -1.0, "RenyiDivergence"),
        wrong("question__objective__first", 2, [1.0], "KLDivergence"),
        wrong("question__objective__second__0", 2, 0.0, "KLDivergence"),
        wrong("question__objective__loss", 2, [[0.0]], "ExpectedLoss"),
        wrong("question__objective__loss__0__0", 1, 1e300, "ExpectedLoss"),
        wrong("question__objective__theta__0", 2, 1e-300, "FisherInformation"),
        wrong("question__outputs", 2, 3),
        wrong("claims__value", 1, 0.0),
        wrong("claims__bound", 1, 1e9),
        wrong("claims__bound", 2, None),
        wrong("claims__value", 1, 1e9, "ChiSquare"),
        wrong("claims__bound", 1, 0.0, "ChiSquare"),
    ],
)
def test_wrong_parts_are_refused(notion, objective, what, value, code, tmp_path, capsys):
    """One part replaced, the checksum made anew: never proved, never a traceback."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps(made.changed(made.data(notion, objective), **{what: lambda _: value})))
    assert reader.main([str(path)]) == code, capsys.readouterr().out
    assert ": NOT " in capsys.readouterr().out


def test_an_edit_without_a_new_checksum_is_refused():
    data = made.changed(made.data("LIP", "MMSE"), seal=False, claims__gap=lambda _: 0.5)
    with pytest.raises(reader.Unproved, match="checksum"):
        reader.check(data)


def test_many_chords_are_refused_before_they_take_long():
    data = made.data("LIP", "MMSE")
    low, high = data["proof"]["ends"][0], data["proof"]["ends"][-1]
    count = 200_000
    ends = [low + (high - low) * k / count for k in range(count + 1)]
    with pytest.raises(reader.Unreadable, match="more than 5000 chords"):
        reader.check(sealed({**data, "proof": {**data["proof"], "ends": ends}}))
