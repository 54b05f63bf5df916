"""A matrix of one's own is a mechanism: taken as floats, fractions, texts and tables, and saved without a notion."""

import json
from fractions import Fraction
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import mechdesign as md
import mechdesign_check
from mechdesign.cli.commands import cli

PEOPLE = md.Problem(labels=["yes", "no"])
SCHEMA = json.loads((Path(__file__).parents[2] / "docs/static/mechanism.schema.json").read_text(encoding="utf-8"))

#: Designs as people write them, and the same as fractions.
GIVEN = {
    "seven tenths": ([[0.7, 0.3], [0.3, 0.7]], None),
    "nine tenths": ([[0.9, 0.1], [0.1, 0.9]], None),
    "floats of a die": ([[5 / 6, 1 / 6], [1 / 6, 5 / 6]], None),
    "a die": ([["5/6", "1/6"], ["1/6", "5/6"]], [[Fraction(5, 6), Fraction(1, 6)], [Fraction(1, 6), Fraction(5, 6)]]),
    "uneven": ([[0.7, 0.3], [0.4, 0.6]], None),
    "one is certain": ([[1, 0], ["4/6", "2/6"]], [[Fraction(1), Fraction(0)], [Fraction(2, 3), Fraction(1, 3)]]),
    "an array": (np.array([[0.7, 0.3], [1 / 3, 2 / 3]]), None),
    "rarer than the grid": ([[1 - 1e-18, 1e-18], [0.0, 1.0]], None),
    "decimals that miss one": ([[0.1 + 1e-10, 0.9], [0.5, 0.5]], None),
}


@pytest.mark.parametrize("name", GIVEN)
def test_entries_go_to_the_nearest_point_of_the_grid(name):
    given, right = GIVEN[name]
    made = md.Mechanism(given, ["yes", "no"], problem=PEOPLE)
    right = right or [[Fraction(entry) for entry in row] for row in np.asarray(given).tolist()]
    unit = Fraction(1, 1 << 53)
    largest = moved = Fraction(0)
    for row, wanted in zip(made.numerators.tolist(), right, strict=True):
        assert sum(row) == 1 << 53
        for entry, share in zip(row, wanted, strict=True):
            exact = share / sum(wanted)
            assert (entry == 0) == (share == 0)
            assert abs(entry * unit - exact) < unit
            largest = max(largest, abs(entry * unit - exact))
            # A row that misses 1 is moved by more than its rounding.
            moved = max(moved, abs(entry * unit - share))
    assert Fraction(made.moved) >= moved and made.moved == pytest.approx(float(moved), rel=1e-15, abs=0)
    # Of two entries the nearest rows are those within half a unit, unless that would make one of them impossible.
    assert largest <= unit / 2 or name == "rarer than the grid"
    assert np.array_equal(np.ldexp(made.numerators.astype(float), -53), made.matrix)


@pytest.mark.parametrize("kind", [list, np.array, pd.DataFrame])
def test_rows_that_miss_one_are_said_to_be_moved(kind):
    made = md.Mechanism(kind([[0.3333333333, 0.6666666666], [0.5, 0.5]]))
    assert made.moved == pytest.approx(2 / 3 - 0.6666666666, rel=1e-5)


def test_what_stays_is_not_moved_by_minus_zero():
    assert str(md.Mechanism([["1", "0"], ["1/4", "3/4"]]).moved) == "0.0"


def test_heads_in_another_order_do_not_become_names_of_other_columns():
    """Neither reading is safe: are the columns to move, or only their names?"""
    table = pd.DataFrame([[0.9, 0.1], [0.2, 0.8]], index=["a", "b"], columns=["yes", "no"])
    for make in (
        lambda: md.Mechanism(table, ["no", "yes"]),
        lambda: md.rounded(table, md.LDP(5.0), outputs=["no", "yes"]),
    ):
        with pytest.raises(md.DomainError, match="outputs is no, yes, but the columns of the table are named yes, no"):
            make()
    assert md.Mechanism(table[["no", "yes"]], ["no", "yes"]).matrix[1, 0] == pytest.approx(0.8)
    assert md.Mechanism(table, ["agrees", "disagrees"]).outputs == ("agrees", "disagrees")


def test_sparse_arrays_are_refused():
    from scipy.sparse import eye_array

    with pytest.raises(md.DomainError, match="matrix"):
        md.Mechanism(eye_array(2))


def test_no_rows_of_the_grid_are_nearer():
    """Brute force: of all rows of integers within two units of the design none has a smaller largest change."""
    generator = np.random.default_rng(5)
    for _ in range(20):
        weights = generator.integers(1, 1000, 3)
        wanted = [Fraction(int(weight), int(weights.sum())) for weight in weights]
        (row,) = md.Mechanism([wanted]).numerators.tolist()
        floors = [int(share * (1 << 53)) for share in wanted]
        changes = [
            max(abs(entry - share * (1 << 53)) for entry, share in zip((a, b, (1 << 53) - a - b), wanted, strict=True))
            for a in range(floors[0] - 2, floors[0] + 3)
            for b in range(floors[1] - 2, floors[1] + 3)
        ]
        assert max(abs(entry - share * (1 << 53)) for entry, share in zip(row, wanted, strict=True)) == min(changes)


def test_a_table_names_inputs_and_outputs():
    table = pd.DataFrame([[0.2, 0.8], [0.9, 0.1]], index=["no", "yes"], columns=["agree", "disagree"])
    alone = md.Mechanism(table)
    assert alone.outputs == ("agree", "disagree") and alone.inputs.labels == ("no", "yes")
    ordered = md.Mechanism(table, problem=PEOPLE)
    assert ordered.matrix[0, 0] == 0.9 and ordered.inputs.labels == ("yes", "no")
    assert alone.estimate(counts={"agree": 30, "disagree": 70}).frequencies[1] == pytest.approx(0.1 / 0.7)
    with pytest.raises(md.DomainError, match="the problem has yes, no"):
        md.Mechanism(table.rename(index={"no": "never"}), problem=PEOPLE)


def test_what_it_guarantees_is_measured():
    warner = md.Mechanism([[0.7, 0.3], [0.3, 0.7]])
    found = md.audit(warner)
    assert found.holds and float(found) == pytest.approx(np.log(7 / 3), abs=1e-14)
    assert warner.guarantee is None and md.audit(warner, md.LDP(0.8)).holds is False
    certain = md.audit(md.Mechanism([[1, 0], [0.5, 0.5]]))
    assert np.isinf(float(certain)) and not certain.holds


REFUSED = {
    "columns sum to one": ([[0.9, 0.4], [0.1, 0.6]], "its columns sum to 1, .* transpose it"),
    "percentages": ([[70, 30], [40, 60]], "divide percentages by 100"),
    "few digits": ([[0.333, 0.333, 0.333], [0.2, 0.4, 0.4]], 'give more digits, or fractions as texts: "1/3"'),
    "no distribution": ([[0.7, 0.7], [0.3, 0.7]], "a row that sums to 1.4"),
    "negative": ([[1.5, -0.5], [0.5, 0.5]], r"matrix\[0, 1\] is -0.5, but probabilities are not negative"),
    "missing": ([[0.5, float("nan")], [0.5, 0.5]], r"matrix\[0, 1\] is nan"),
    "words": ([["a", "b"], ["c", "d"]], r"matrix\[0, 0\] is a, but it has to be a finite number"),
    "ragged": ([[0.5, 0.5], [1.0]], "rows have to be of one length"),
    "three inputs": (np.eye(3), "one row for each of 2 inputs"),
    "lying": ([[0.5, 0.25, 0.25]], "one row for each of 2 inputs"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_design_is_refused(name):
    given, said = REFUSED[name]
    with pytest.raises(md.DomainError, match=said):
        md.Mechanism(given, problem=PEOPLE)


def test_a_problem_is_given_by_name():
    with pytest.raises(md.DomainError, match="write problem="):
        md.Mechanism([[0.7, 0.3], [0.3, 0.7]], ["yes", "no"], PEOPLE)


@pytest.mark.parametrize("problem", [None, PEOPLE, md.Problem(values=[1, 5], prior=[0.5, 0.5])])
def test_it_is_saved_without_a_notion(problem, tmp_path):
    made = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], ["agree", "disagree"], problem=problem)
    path = made.save(tmp_path / "a.json")
    found = md.load(path)
    assert found == made and found.inputs == made.inputs and found.guarantee is None and found.moved == 0.0
    assert found.save(tmp_path / "b.json").read_bytes() == path.read_bytes()
    data = json.loads(path.read_text())
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    with pytest.raises(mechdesign_check.Unreadable, match="proof"):
        mechdesign_check.check(data)
    data["notion"] = {"name": "LDP", "epsilon": 0.1}
    assert list(jsonschema.Draft202012Validator(SCHEMA).iter_errors(data))


def run(*words):
    found = CliRunner().invoke(cli, [str(word) for word in words])
    return found.exit_code, found.output, str(found.exception or "")


#: Files as programs write them, with the names of the inputs and of the outputs that are in them.
FILES = {
    "pandas": (",agree,disagree\nyes,0.9,0.1\nno,0.2,0.8\n", ("yes", "no"), ("agree", "disagree")),
    "an index with a name": ("answer,agree,disagree\nyes,0.9,0.1\nno,0.2,0.8\n", ("yes", "no"), ("agree", "disagree")),
    "pandas without an index": ("agree,disagree\n0.9,0.1\n0.2,0.8\n", None, ("agree", "disagree")),
    "write.csv": ('"","agree","disagree"\n"yes",0.9,0.1\n"no",0.2,0.8\n', ("yes", "no"), ("agree", "disagree")),
    "write.csv of no names": ('"","V1","V2"\n"1",0.9,0.1\n"2",0.2,0.8\n', ("1", "2"), ("V1", "V2")),
    "write.table": ('"agree"\t"disagree"\n"yes"\t0.9\t0.1\n"no"\t0.2\t0.8\n', ("yes", "no"), ("agree", "disagree")),
    "write.table with blanks": ('"a" "d"\n"yes" 0.9 0.1\n"no" 0.2 0.8\n', ("yes", "no"), ("a", "d")),
    "bare": ("0.9,0.1\n0.2,0.8\n", None, ("y0", "y1")),
    "names of rows alone": ("yes,9/10,1/10\nno,1/5,4/5\n", ("yes", "no"), ("y0", "y1")),
    "an index with a name, all numbers": ("answer,1,2\n0,0.9,0.1\n1,0.2,0.8\n", ("0", "1"), ("1", "2")),
    "an index with a name, numbers that sum to 1": ("x,0,1\n1,0.9,0.1\n2,0.2,0.8\n", ("1", "2"), ("0", "1")),
    "semicolons": (";agree;disagree\nyes;0.9;0.1\nno;0.2;0.8\n", ("yes", "no"), ("agree", "disagree")),
}


@pytest.mark.parametrize("name", FILES)
def test_the_command_reads_what_others_write(name, tmp_path):
    text, inputs, outputs = FILES[name]
    (tmp_path / "m.csv").write_text(text)
    code, said, error = run("mechanism", tmp_path / "m.csv", "-o", tmp_path / "m.json")
    assert code == 0 and "LDP 2.07944" in said, error
    made = md.load(tmp_path / "m.json")
    assert made.inputs.labels == inputs and made.outputs == outputs
    assert made.matrix == pytest.approx(np.array([[0.9, 0.1], [0.2, 0.8]]), abs=1e-15)


@pytest.mark.parametrize("text", ["0,1\n0.9,0.1\n0.2,0.8\n", "answer,0,1\nyes,0.9,0.1\nno,0.2,0.8\n"])
def test_a_first_line_of_0_and_1_is_said_to_be_a_row(text, tmp_path):
    (tmp_path / "m.csv").write_text(text)
    code, said, _ = run("mechanism", tmp_path / "m.csv", "-o", tmp_path / "m.json")
    assert code == 0 and "its first line, 0, 1, is taken for probabilities; if it names the reports" in said
    assert md.load(tmp_path / "m.json").inputs.n == 3


def test_every_command_takes_the_file(tmp_path):
    file, answers, reports = (tmp_path / name for name in ("m.json", "answers.csv", "reports.csv"))
    (tmp_path / "m.csv").write_text(",agree,disagree\n1,5/6,1/6\n3,1/6,5/6\n")
    assert run("mechanism", tmp_path / "m.csv", "-o", file, "--values")[0] == 0
    answers.write_text("answer\n" + "1\n3\n3\n" * 60)
    code, said, _ = run("audit", file)
    assert code == 0 and "epsilon = 1.609437912434" in said
    assert run("sample", file, answers, "--column", "answer", "-o", reports)[0] == 0
    code, said, _ = run("estimate", file, reports)
    assert code == 0 and "mean" in said
    assert run("report", file, "-o", tmp_path / "page.html")[0] == 0
    assert run("sampler", file, "-o", tmp_path / "s.py")[0] == 0
    assert "LDP of epsilon = 1.6094379124341" in (tmp_path / "s.py").read_text()


@pytest.mark.parametrize(
    "text",
    [
        "1,2\n0.9,0.1\n0.2,0.8\n",
        ",1,2\na,0.9,0.1\nb,0.2,0.8\n",
        "x,1,2\na,0.9,0.1\nb,0.2,0.8\n",
        "1 2\na 0.9 0.1\nb 0.2 0.8\n",
    ],
)
def test_codes_are_names_of_reports(text, tmp_path):
    (tmp_path / "m.csv").write_text(text)
    code, _, error = run("mechanism", tmp_path / "m.csv", "-o", tmp_path / "m.json")
    assert code == 0, error
    made = md.load(tmp_path / "m.json")
    assert made.outputs == ("1", "2") and made.matrix == pytest.approx(np.array([[0.9, 0.1], [0.2, 0.8]]), abs=1e-15)
    (tmp_path / "r.csv").write_text("reply\n" + "1\n" * 41 + "2\n" * 59)
    code, said, error = run("estimate", tmp_path / "m.json", tmp_path / "r.csv", "--column", "reply")
    # (.41 - .2) / .7 of the first answer.
    assert code == 0 and "0.300000" in said, error


def test_percentages_say_how_they_are_written(tmp_path):
    (tmp_path / "m.csv").write_text(",a,b\nyes,83.3%,16.7 %\nno,16.7%,83.3%\n")
    _, _, error = run("mechanism", tmp_path / "m.csv", "-o", tmp_path / "m.json")
    assert "line 2, column 2 is 83.3%" in error and "write 0.833, without the sign" in error


def test_the_command_says_what_is_wrong(tmp_path):
    def refused(text, *options):
        (tmp_path / "m.csv").write_text(text)
        code, _, error = run("mechanism", tmp_path / "m.csv", "-o", tmp_path / "m.json", *options)
        assert code != 0 and not (tmp_path / "m.json").exists()
        return error

    assert "add --transpose" in refused("yes,no\n0.9,0.2\n0.1,0.8\n")
    assert "its rows have no names" in refused("0.9,0.1\n0.2,0.8\n", "--values")
    assert "a row's name is yes" in refused(",a,b\nyes,0.9,0.1\nno,0.2,0.8\n", "--values")
    assert 'two names "a"' in refused(",a,a\nyes,0.9,0.1\nno,0.2,0.8\n")
    assert "line 3 is of 2 cells, but the header has 3" in refused(",a,b\nyes,0.9,0.1\nno,0.2\n")
    assert "line 2, column 3 is empty" in refused(",a,b\nyes,0.9,\nno,0.2,0.8\n")
    (tmp_path / "m.csv").write_text("yes,no\n0.9,0.2\n0.1,0.8\n")
    assert run("mechanism", tmp_path / "m.csv", "-o", tmp_path / "m.json", "--transpose")[0] == 0
    # Reports that were drawn are estimated with the file: another design does not take its place in silence.
    (tmp_path / "m.csv").write_text("0.9,0.1\n0.1,0.9\n")
    code, _, error = run("mechanism", tmp_path / "m.csv", "-o", tmp_path / "m.json")
    assert code != 0 and "--overwrite" in error
    assert run("mechanism", tmp_path / "m.csv", "-o", tmp_path / "m.json", "--overwrite")[0] == 0


def test_several_mechanisms_together_have_no_file_of_their_own(tmp_path):
    die = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], ["yes", "no"])
    both = md.together([die, die])
    assert not both.has_file and both.moved == 0.0
    assert np.array_equal(both.matrix, (die.matrix[:, :, None] * die.matrix[:, None, :]).reshape(2, 4))
    with pytest.raises(md.CertificateError, match="Only a matrix of multiples"):
        both.save(tmp_path / "both.json")
    assert not (tmp_path / "both.json").exists()


def test_a_question_has_its_own_problem():
    made = md.design(PEOPLE, md.LDP(1.0), md.InformationDesign("A")).mechanism
    with pytest.raises(md.DomainError, match=r"problem is .*the question has one of its own"):
        md.Mechanism(made.matrix, made.outputs, made.question, problem=md.Problem(labels=["a", "b"]))
