"""What samplers refuse and accept, and that nothing of an answer gets into a message or a list of processes."""

import ast
import json
import os
import re
import runpy
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

import mechdesign as md
from tests.helpers import hostile
from tests.helpers import sampler_programs as programs

SUFFIXES = (".py", ".mjs")
STANDARD = {"fractions", "numbers", "os", "re", "sys", "unicodedata"}


@pytest.fixture(scope="module")
def samplers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samplers")
    names = [(name, suffix) for name in programs.MECHANISMS for suffix in SUFFIXES]
    return {
        (name, suffix): md.sampler(programs.made(name), folder / f"{name.replace(' ', '_')}{suffix}")
        for name, suffix in names
    }


#: The mechanism, what is given on standard input, and the words of the refusal.
BAD = {
    "nothing": ("labels", b"", "there are no answers on standard input; give one a line"),
    "a blank line": ("labels", b"no\n\n18\n", "line 2: there is no such answer"),
    "a label of another case": ("labels", b"no\nNO\n", "line 2: there is no such answer; give one of ['\"]no['\"], "),
    "a member of every object": ("labels", b"__proto__\n", "line 1: there is no such answer"),
    # "18.0" is the label "18": numbers are compared by their values.
    "a number beside labels": ("labels", b"18.5\n", "line 1: there is no such answer"),
    "two answers on a line": ("labels", b"no,18\n", "line 1: there is no such answer"),
    "no UTF-8": ("labels", b"no\n\xe9\n", "the answers are no UTF-8"),
    "UTF-8 that is cut": ("labels", b"no\n\xc3", "the answers are no UTF-8"),
    "an input too many": ("numbers", b"4\n", "line 1: there is no such answer; give one of ['\"]0['\"], "),
    "a number below": ("bins", b"30\n17.999\n", "line 2: there is no such answer; give a number from 18 to 65"),
    "a number above": ("bins", b"65.001\n", "line 1: there is no such answer; give a number from 18 to 65"),
    "no number": ("bins", b"nan\n", "line 1: there is no such answer"),
    "infinity": ("bins", b"inf\n", "line 1: there is no such answer"),
    "a number too large": ("bins", b"1e999\n", "line 1: there is no such answer"),
    "digits of another base": ("bins", b"0x20\n", "line 1: there is no such answer"),
    "underscores": ("bins", b"3_0\n", "line 1: there is no such answer"),
    "digits of another script": ("bins", "\uff13\uff10\n".encode(), "line 1: there is no such answer"),
    **{
        f"{given!r} for a number of an input": ("numbers", f"0\n{given}\n".encode(), "line 2: there is no such answer")
        for given in ("-1", "0x1", "1.5", "4e0", "a")
    },
}


@pytest.mark.thinned(4)
@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", BAD)
def test_bad_input_is_refused_with_its_line(kind, suffix, samplers):
    name, given, said = BAD[kind]
    code, out, err = programs.run(samplers[name, suffix], given)
    assert (code, out) == (2, "") and re.match(f"sampler: {said}", err) and err.endswith(".\n"), err
    assert err.count("\n") == 1


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_messages_do_not_depend_on_the_answer(suffix, samplers):
    found = [programs.run(samplers["labels", suffix], given) for given in (b"noo\n", b"a secret\n")]
    assert found[0] == found[1] and "secret" not in found[1][2]


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_arguments_are_refused(suffix, samplers):
    for given in (["no"], ["answers.txt"], ["--help"]):
        code, out, err = programs.run(samplers["labels", suffix], b"no\n", arguments=given)
        assert (code, out) == (2, "")
        assert err == "sampler: it takes no arguments; answers are read from standard input, one a line.\n"


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("given", [b"no\r\n18\r\n", b"\xef\xbb\xbfno\n18", b"  no \n\t18\t\n"])
def test_line_ends_marks_of_order_and_blanks_around_are_no_part_of_an_answer(given, suffix, samplers):
    words = [2**64 - 1, 0]
    found = programs.run(samplers["labels", suffix], given, words)
    assert found == programs.run(samplers["labels", suffix], b"no\n18\n", words) and found[0] == 0


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_without_randomness_nothing_is_printed(suffix, samplers):
    code, out, _ = programs.run(samplers["labels", suffix], b"no\n18\nno\n", [0, 0])
    assert (code, out) == (1, "")


def test_ecmascript_without_a_source_says_so(samplers, tmp_path):
    path = samplers["labels", ".mjs"]
    code = f"""
        Object.defineProperty(globalThis, "crypto", {{ value: undefined }});
        const {{ report }} = await import({json.dumps(path.as_uri())});
        try {{ report("no"); }} catch (error) {{ console.log(error.message); }}
    """
    (tmp_path / "bare.mjs").write_text(code, encoding="utf-8")
    ran = subprocess.run([programs.node(), str(tmp_path / "bare.mjs")], capture_output=True, text=True, check=True)
    assert ran.stdout == "there is no source of randomness: no globalThis.crypto\n"


def test_the_python_module_takes_texts_and_numbers(samplers, monkeypatch):
    import numpy as np

    monkeypatch.setattr(os, "urandom", bytes)
    bins, numbers = (runpy.run_path(str(samplers[name, ".py"])) for name in ("bins", "numbers"))
    assert bins["report"](18) == bins["report"](18.0) == bins["report"](np.float64(18.5)) == bins["report"]("18")
    assert numbers["report"](3) == numbers["report"](np.int64(3)) == numbers["report"]("3") == numbers["report"](3.0)
    assert numbers["report"]("1.0") == numbers["report"](" 1 ".strip())
    for wrong in (None, float("nan"), b"18", ["18"], 1.5, 4, -1, "1.5"):
        with pytest.raises(ValueError, match="there is no such answer; give one of '0', '1', '2', '3'"):
            numbers["report"](wrong)


def test_the_ecmascript_module_takes_texts_and_numbers(samplers, tmp_path):
    code = f"""
        import {{ mechanism, report }} from {json.dumps(samplers["bins", ".mjs"].as_uri())};
        globalThis.crypto.getRandomValues = (array) => array.fill(0);
        const said = [18, 18.5, "18"].map(report);
        for (const wrong of [undefined, null, NaN, Infinity, 17, [18], {{}}, 18n, true]) {{
          try {{ report(wrong); said.push("taken"); }} catch (error) {{ said.push(error.name); }}
        }}
        try {{ mechanism.answers.push("more"); said.push("taken"); }} catch (error) {{ said.push(error.name); }}
        console.log(JSON.stringify(said));
    """
    (tmp_path / "taking.mjs").write_text(code, encoding="utf-8")
    ran = subprocess.run([programs.node(), str(tmp_path / "taking.mjs")], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [0, 0, 0, *["RangeError"] * 9, "TypeError"]


def test_they_need_nothing_else(samplers):
    for (_, suffix), path in samplers.items():
        text = path.read_text(encoding="utf-8")
        if suffix == ".py":
            tree = ast.parse(text, feature_version=(3, 9))
            imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
            assert {alias.name for node in imported for alias in node.names} == STANDARD
            assert not re.search(r"\b(eval|exec|open|random)\(", text)
        else:
            assert not re.search(r"\b(eval|Function|fetch|require|import|XMLHttpRequest|WebSocket|random)\(", text)
            assert not re.search("^import ", text, flags=re.MULTILINE)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", hostile.TEXTS)
def test_labels_of_any_text_are_written_whole(kind, tmp_path):
    made = hostile.mechanism(hostile.TEXTS[kind] + '"""\\@rows@*/\u2029')
    module = runpy.run_path(str(md.sampler(made, tmp_path / "a.py")))
    assert module["ANSWERS"] == list(made.inputs.labels) and module["OUTPUTS"] == list(made.outputs)
    path = md.sampler(made, tmp_path / "a.mjs")
    assert "</" not in path.read_text(encoding="utf-8")
    code = f"""
        import {{ mechanism }} from {json.dumps(path.as_uri())};
        console.log(JSON.stringify([mechanism.answers, mechanism.outputs]));
    """
    (tmp_path / "b.mjs").write_text(code, encoding="utf-8")
    ran = subprocess.run([programs.node(), str(tmp_path / "b.mjs")], capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [list(made.inputs.labels), list(made.outputs)]


def test_a_guarantee_in_hostile_words_stays_in_its_comment(tmp_path):
    for text in (*hostile.TEXTS.values(), '"""\n1/0', "*/ throw 1; //", "\\", "\\u0022" * 3):
        made = hostile.asked().mechanism
        asked = replace(
            made, question=md.Question(hostile.problem(text), hostile.OwnLDP(1.0, text), made.asked.objective)
        )
        assert runpy.run_path(str(md.sampler(asked, tmp_path / "a.py")))["report"]("plain") in range(3)
        head = md.sampler(asked, tmp_path / "a.mjs").read_text(encoding="utf-8").split("\n// Of the mechanism file")[0]
        assert all(line.startswith("//") or not line for line in head.splitlines())


def test_what_cannot_be_written(tmp_path):
    made = programs.made("labels")
    for name in ("sampler", "sampler.csv", "sampler.ts", "sampler.py.txt"):
        with pytest.raises(md.DomainError, match=r"its name has to end in \.py, \.js or \.mjs"):
            md.sampler(made, tmp_path / name)
    with pytest.raises(md.DomainError, match="a Mechanism or a Design"):
        md.sampler([[0.5, 0.5]], tmp_path / "a.py")
    with pytest.raises(md.UnsupportedError, match="no certificate"):
        md.sampler(replace(made, certificate=None), tmp_path / "a.py")
    telling = md.Mechanism([[1, 0, 0], [0, 1, 0], [0, 0, 1]], list("abc"), made.question, made.certificate)
    with pytest.raises(md.CertificateError, match="does not satisfy LDP"):
        md.sampler(telling, tmp_path / "a.py")
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_another_kind_is_kept(tmp_path):
    design = md.design(md.Problem(n=2), md.LDP(1.0), programs.USE)
    for name in ("a.py", "a.js", "a.MJS"):
        path = tmp_path / name
        path.write_text("# A sampler of reports, of mine\n", encoding="utf-8")
        with pytest.raises(md.DomainError, match="would be lost"):
            design.sampler(path)
        assert design.sampler(path, overwrite=True) == path == design.sampler(path)
    with pytest.raises(md.DomainError, match="would be lost"):
        design.sampler(Path(tmp_path / "a.js").rename(tmp_path / "b.py"))


PROFILES = md.ProfileDP(1.0, profiles=[[0.7, 0.3], [0.4, 0.6]], edges=[(0, 1)], profile_prior=[0.5, 0.5])
SUMS = md.CentralizedIP(1.0, priors=[[0.5, 0.5], [0.4, 0.6]])


@pytest.mark.parametrize(
    ("problem", "notion", "said"),
    [
        (md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), "Draw once for each person, keep the report"),
        (md.Problem(n=2), PROFILES, "An answer is the number of the profile, from 0 on, and the datum: 0/0."),
        (md.Problem(prior=[0.2, 0.5, 0.3]), SUMS, "Draw once for each set of records"),
    ],
    ids=["answers", "profiles", "sums"],
)
def test_it_says_what_is_guaranteed_and_what_an_answer_is(problem, notion, said, tmp_path):
    design = md.design(problem, notion, md.ErrorProbability(), gap=0.1)
    for path in (design.sampler(tmp_path / "a.py"), design.sampler(tmp_path / "a.js")):
        head = " ".join(re.sub("^//", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE).split())
        assert said in head and f"The guarantee is {notion}." in head
