"""Files that are too deep, too long or not what they say end in an error of ours, whoever wrote them."""

import json

import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.cli.question_file import read_question
from mechdesign.files.checksums import sealed

PROBLEM = md.Problem(prior=[0.5, 0.5], values=[0, 1])
QUESTION = """
[problem]
{problem}
[notion]
name = "LDP"
epsilon = {epsilon}
[objective]
name = "ExpectedLoss"
loss = {loss}
{rest}
"""
FINE = {"problem": "prior = [0.5, 0.5]", "epsilon": "1.0", "loss": "[[0, 1], [1, 0]]", "rest": ""}
#: More digits than Python makes an integer of, and fewer; deeper than it parses, and than it prints.
LONG, LESS, DEEP, LESS_DEEP = "9" * 5000, "9" * 4000, 5000, 300


def asked(folder, **parts):
    path = folder / "asked.toml"
    path.write_text(QUESTION.format(**{**FINE, **parts}))
    return path


@pytest.mark.thinned(4)
@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"epsilon": LONG}, "thousand digits"),
        ({"epsilon": LESS}, r"line 6, \[notion\] epsilon is 999"),
        ({"problem": f"n = {LONG}"}, "thousand digits"),
        ({"problem": f"values = [0, {LESS}]"}, "values"),
        ({"loss": "[" * DEEP + "]" * DEEP}, "nested too deeply"),
        ({"loss": "[" * LESS_DEEP + "]" * LESS_DEEP}, "nested too deeply"),
        ({"rest": f"[solve]\nx{'.a' * DEEP} = 1"}, "nested too deeply"),
        ({"rest": f"[{'a.' * DEEP}a]"}, "nested too deeply"),
        ({"rest": "[solve]\nx = " + "{a = " * DEEP + "1" + "}" * DEEP}, "nested too deeply"),
        ({"rest": '[output]\npath = "a\\u0000b"'}, r"U\+0000"),
        ({"problem": 'data = "a\\u0000b"\ncount = "c"'}, r"U\+0000"),
    ],
)
def test_a_question_file_that_python_cannot_take(parts, said, tmp_path):
    assert read_question(asked(tmp_path)).question.notion == md.LDP(1.0)
    path = asked(tmp_path, **parts)
    with pytest.raises(md.DomainError, match=said):
        read_question(path)
    result = CliRunner().invoke(commands.cli, ["design", str(path)])
    assert isinstance(result.exception, md.DomainError)


@pytest.fixture
def saved(tmp_path):
    path = md.design(PROBLEM, md.LDP(1.0), md.MMSE()).mechanism.save(tmp_path / "a.json")
    return path, json.loads(path.read_text())


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('"value":', f'"value": {LONG}, "other":', "thousands of digits"),
        ('"value":', f'"other": {LESS}, "value":', "edited or damaged"),
        ('"value":', '"value": NaN, "other":', "NaN"),
        ('"value":', f'"value": {"[" * DEEP + "]" * DEEP}, "other":', "nested too deeply"),
        ('"value":', f'"value": {"[" * LESS_DEEP + "]" * LESS_DEEP}, "other":', "nested too deeply"),
        ('"value":', f'"value": {"[" * 60 + "]" * 60}, "other":', "nested too deeply"),
        ('"claims":', '"claims": {}, "claims":', "the key 'claims' twice"),
        ('"epsilon":', '"epsilon": 0.5, "epsilon":', "the key 'epsilon' twice"),
        ('"rows":', '"rows": [], "rows":', "the key 'rows' twice"),
    ],
)
def test_a_mechanism_file_that_a_lax_reader_takes(old, new, said, saved):
    path, _ = saved
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    with pytest.raises(md.CertificateError, match=said):
        md.load(path)


def whole_as_float(data):
    data["numerators"][0][0] = float(data["numerators"][0][0])


def half(data):
    data["numerators"][0][0] += 0.5


def as_text(data):
    data["numerators"][0][0] = str(data["numerators"][0][0])


def as_truth(data):
    data["numerators"] = [[True, 2**53 - 1], [1, 2**53 - 1]]


def more_bits(data):
    data["denominator_bits"] = 60
    data["numerators"] = [[2**7 * entry + 1 for entry in row] for row in data["numerators"]]


def halved(data):
    data["denominator_bits"], data["numerators"] = 52, [[entry // 2 for entry in row] for row in data["numerators"]]


def bits_and_a_half(data):
    data["denominator_bits"] = 53.9


def bits_as_float(data):
    data["denominator_bits"] = 53.0


def negative(data):
    data["numerators"][0] = [-1, 2**53 + 1]


def overlong(data):
    data["numerators"][0] = [2**80, 2**53 - 2**80]


def one_less(data):
    data["numerators"][1][1] -= 1


def ragged(data):
    data["numerators"][1] = [*data["numerators"][1], 0]


def no_rows(data):
    data["numerators"] = []


def value_as_text(data):
    data["claims"]["value"] = str(data["claims"]["value"])


def further_key(data):
    data["claims"]["trust"] = 1


def further_part(data):
    data["remark"] = "mine"


def further_of_question(data):
    data["question"]["level"] = 1.0


def multiplier_as_whole(data):
    data["multipliers"]["own_constant"] = 0


def multipliers_as_text(data):
    data["multipliers"]["rows"] = [str(each) for each in data["multipliers"]["rows"]]


def number_as_label(data):
    data["outputs"] = [float(each) for each in data["outputs"]]


def without_weights(data):
    del data["multipliers"]["weights"]


def without_constant(data):
    del data["multipliers"]["own_constant"]


def version_as_float(data):
    data["schema_version"] = float(data["schema_version"])


def level_as_text(data):
    data["question"]["notion"]["epsilon"] = "1.0"


def infinite_multiplier(data):
    data["multipliers"]["rows"][0] = 1e999


#: What no version ever wrote.
NEVER = [half, as_text, as_truth, more_bits, halved, bits_and_a_half, negative, overlong, one_less, ragged, no_rows]
NEVER += [value_as_text, further_key, further_part, further_of_question, multipliers_as_text, number_as_label]
NEVER += [without_weights, without_constant, version_as_float, level_as_text, bits_as_float, whole_as_float]
#: What is read in older files.
ONCE = [multiplier_as_whole]


@pytest.mark.parametrize("change", [*NEVER, *ONCE, infinite_multiplier], ids=lambda change: change.__name__)
def test_a_part_of_another_kind_is_refused_though_the_checksum_is_right(change, saved):
    path, data = saved
    change(data)
    path.write_text(json.dumps(sealed(data)))
    with pytest.raises(md.CertificateError, match=r"wrong one|schema version|infinite"):
        md.load(path)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("change", NEVER, ids=lambda change: change.__name__)
def test_so_it_is_in_older_files(change, version, saved):
    path, data = saved
    data["schema_version"] = version
    if version == 2:
        del data["multipliers"]["tree"], data["multipliers"]["leaves"]
    change(data)
    path.write_text(json.dumps(sealed(data)))
    with pytest.raises(md.CertificateError, match=r"wrong one|schema version"):
        md.load(path)


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("change", [*ONCE, lambda data: None], ids=["whole", "as it was"])
def test_an_older_file_is_read_and_said(change, version, saved):
    path, data = saved
    made = md.load(path)
    data["schema_version"] = version
    if version == 2:
        del data["multipliers"]["tree"], data["multipliers"]["leaves"]
    change(data)
    path.write_text(json.dumps(sealed(data)))
    with pytest.warns(md.FileWarning, match=f"version {version}.*Save the mechanism with overwrite=True"):
        again = md.load(path)
    assert again == made
    assert md.load(again.save(path, overwrite=True)) == made
    path.write_text(json.dumps(sealed(data)))
    said = CliRunner().invoke(commands.cli, ["audit", str(path)])
    assert f"of schema version {version}" in said.stderr


def test_the_order_of_keys_says_nothing(saved):
    """Any program may write the keys in another order: the checksum is over them sorted."""
    path, data = saved
    made = md.load(path)
    turned = json.loads(json.dumps(data), object_pairs_hook=lambda pairs: dict(reversed(pairs)))
    assert list(turned) != list(data)
    path.write_text(json.dumps(turned))
    assert md.load(path) == made
    assert sealed(turned)["checksum"] == sealed(data)["checksum"] == data["checksum"]


def test_the_checksum_is_what_it_was():
    # By hand: the SHA-256 of {"a":[1,2.5,"\u00e9"],"b":{"c":null,"d":true}}, as sha256sum gives it.
    data = {"b": {"d": True, "c": None}, "checksum": "", "a": [1, 2.5, "\u00e9"]}
    assert sealed(data)["checksum"] == "sha256:b95908cee022406a4ef30d79eb81d5fcece0ecba9f7c6cf7f55b777a7510dc5a"


@pytest.mark.parametrize("path", ["no such file", ".", "a\0b", "a" * 300])
def test_a_path_that_is_no_file(path):
    with pytest.raises(md.DomainError, match=r"cannot be read|no path"):
        md.load(path)


def test_what_is_no_path():
    with pytest.raises(md.DomainError, match="path is 3"):
        md.load(3.5)


#: More digits than Python reads an integer of, in every place of every file where a number may stand.
DIGITS = {
    "nines": LONG,
    "zeros before": "0" * 5000 + "1",
    "zeros behind a point": "0." + "0" * 5000 + "1",
    "a third": "1/" + "3" * 5000,
    "a half": "0.5" + "0" * 5000,
    "an exponent": "1e" + LONG,
    "a small one": "1e-" + LONG,
    "underscores": "_".join(LONG),
    "other digits": "\u0663" * 5000,
}
COUNTED = QUESTION.replace("{problem}", 'data = "counts.csv"\ncount = "people"\nvalue = "years"')


@pytest.mark.thinned(4)
@pytest.mark.parametrize("digits", DIGITS)
@pytest.mark.parametrize("place", ["report", "count", "value", "matrix", "joint", "record", "level"])
def test_a_number_of_any_length_ends_in_no_traceback(place, digits, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = DIGITS[digits]
    asked(tmp_path)
    kept = md.design(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.InformationDesign("A")).mechanism.save("a.json")
    seal = json.loads(kept.read_text())["checksum"]
    files = {
        "reports.csv": f"# mechdesign reports {seal}\nreport\n1\n{text if place == 'report' else 0}\n",
        "people.csv": f"answer\n1\n{text if place == 'record' else 0}\n",
        "counts.csv": f"people,years\n3,1\n{text if place == 'count' else 1},{text if place == 'value' else 2}\n",
        "joint.csv": f"secret,a,b\nu,1,2\nv,2,{text if place == 'joint' else 3}\n",
        "matrix.csv": f"{text if place == 'matrix' else 0.5},0.5\n0.5,0.5\n",
        "counted.toml": COUNTED.format(**FINE),
        "joint.toml": QUESTION.replace("{problem}", 'joint = "joint.csv"').format(**FINE),
    }
    for name, held in files.items():
        (tmp_path / name).write_text(held)
    command = {
        "report": ["estimate", "a.json", "reports.csv"],
        "record": ["sample", "a.json", "people.csv", "--column", "answer", "-o", "drawn.csv"],
        "count": ["design", "counted.toml", "-q"],
        "value": ["design", "counted.toml", "-q"],
        "joint": ["design", "joint.toml", "-q"],
        "matrix": ["audit", "matrix.csv", "--question", "asked.toml"],
        "level": ["frontier", "asked.toml", "--levels", f"0.5,{text}"],
    }[place]
    with pytest.raises(SystemExit) as ended:
        commands.main(command)
    said = capsys.readouterr().err
    assert ended.value.code in (0, 1, 2), said
    if ended.value.code == 2:
        assert len(said) < 1000 and said.startswith("mechdesign: ")
        assert "Traceback" not in said
