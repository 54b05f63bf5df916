"""Reports as people have them: numbers and names of outputs, true and false, categories, counts, missing ones."""

import warnings

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli.commands import cli

PEOPLE = md.Problem(labels=["smokes", "does not"])
DIE = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], ["yes", "no"], problem=PEOPLE)
#: 40 of 100 said yes: (.4 - 1/6) / (4/6) smoke.
SAID, RIGHT = ["yes"] * 40 + ["no"] * 60, 0.35
NUMBERS = [0] * 40 + [1] * 60


def table(entries, **options):
    return pd.Series(entries, index=[f"p{k}" for k in range(len(entries))], **options)


FORMS = {
    "names": SAID,
    "an array of names": np.array(SAID),
    "objects": np.array(SAID, dtype=object),
    "a column": pd.Series(SAID),
    "a column with an index": table(SAID),
    "a categorical column": table(SAID, dtype="category"),
    "categories in another order": pd.Series(pd.Categorical(SAID, categories=["no", "yes", "maybe"])),
    "numbers": NUMBERS,
    "an array of numbers": np.array(NUMBERS, dtype=np.int8),
    "a column of numbers": table(NUMBERS),
    "a nullable column": table(NUMBERS, dtype="Int64"),
    "counts": {"no": 60, "yes": 40},
    "other Unicode": [name.replace("yes", "y\u0065s") for name in SAID],
}


#: Of numbers on paper 1 would be a yes.
BY_NUMBER = pytest.mark.filterwarnings("ignore:reports. 1 is taken for the number")


@BY_NUMBER
@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_reports_is_the_same_estimate(form):
    found = DIE.estimate(FORMS[form])
    assert found.frequencies[0] == pytest.approx(RIGHT, abs=1e-9)


@BY_NUMBER
@pytest.mark.parametrize("form", [form for form in FORMS if form != "counts"])
def test_the_posterior_takes_them_too(form):
    assert DIE.posterior([0.5, 0.5]).guess(FORMS[form]).tolist() == NUMBERS
    weights = np.linspace(1.0, 2.0, 100)
    if hasattr(FORMS[form], "index") and not isinstance(FORMS[form], list):
        weights = pd.Series(weights, index=FORMS[form].index)
    heavy = np.average(np.array(SAID) == "yes", weights=np.asarray(weights))
    assert DIE.estimate(FORMS[form], weights=weights).frequencies[0] == pytest.approx((heavy - 1 / 6) / (4 / 6))


@pytest.mark.parametrize("names", [["True", "False"], ["TRUE", "FALSE"], ["true", "false"]])
def test_true_and_false_are_names(names):
    made = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], names, problem=PEOPLE)
    assert made.estimate(np.array(SAID) == "yes").frequencies[0] == pytest.approx(RIGHT, abs=1e-9)
    with pytest.raises(md.DomainError, match=r'"True" .40 times.*the outputs of this mechanism are yes, no'):
        DIE.estimate(np.array(SAID) == "yes")


def test_outputs_without_names_are_called_by_their_numbers():
    made = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], problem=PEOPLE)
    for reports in (NUMBERS, [str(number) for number in NUMBERS], [f"y{number}" for number in NUMBERS]):
        assert made.estimate(reports).frequencies[0] == pytest.approx(RIGHT, abs=1e-9)
    with pytest.raises(md.DomainError, match="have no names, and numbers from 0 to 1; make it with outputs="):
        made.estimate(SAID)


def test_numbers_that_are_names_of_other_outputs_are_said_to_be_ambiguous():
    made = md.Mechanism(np.eye(3), ["1", "2", "3"])
    reports = [1] * 30 + [2] * 70
    with pytest.warns(md.DataWarning, match='1 is taken for the number of an output, from 0, and that is "2"'):
        found = made.estimate(reports)
    with warnings.catch_warnings():
        warnings.simplefilter("error", md.DataWarning)
        assert np.array_equal(found.counts, made.estimate(reports, by="index").counts)
        assert made.estimate(reports, by="label").counts.tolist() == [30, 70, 0]
        # What sample returns has numbers that are no names.
        assert made.estimate([0, 1, 2]).counts.tolist() == [1, 1, 1]
    with pytest.raises(md.DomainError, match='by is name, but it has to be "label" or "index"'):
        made.estimate(reports, by="name")


@BY_NUMBER
def test_reports_that_are_missing_are_refused_or_left_out():
    for gap in (None, float("nan"), "NA", ""):
        given = [*SAID, gap, gap]
        with pytest.raises(md.DomainError):
            DIE.estimate(given)
        with pytest.warns(md.DataWarning, match="2 of 102 reports are missing .* only if refusing does not depend"):
            found = DIE.estimate(given, drop_missing=True)
        assert found.reports == 100 and found.frequencies[0] == pytest.approx(RIGHT, abs=1e-9)
    with pytest.warns(md.DataWarning, match="1 of 101"):
        assert DIE.estimate([*SAID, "refused"], missing="refused", drop_missing=True).reports == 100
    with pytest.warns(md.DataWarning, match="1 of 101"):
        assert DIE.estimate(pd.Series([*NUMBERS, None]), drop_missing=True).counts.tolist() == [40, 60]
    weights = [*[1.0] * 40, *[2.0] * 60, 50.0]
    with pytest.warns(md.DataWarning, match="1 of 101"):
        found = DIE.estimate([*SAID, None], weights=weights, drop_missing=True)
    assert found.reports == 100
    assert found.frequencies[0] == pytest.approx((40 / 160 - 1 / 6) / (4 / 6))
    with (
        pytest.raises(md.DomainError, match="weights is of length 100, but there are 101 reports"),
        pytest.warns(md.DataWarning),
    ):
        DIE.estimate([*SAID, None], weights=weights[:-1], drop_missing=True)
    with pytest.raises(md.DomainError, match="add drop_missing=True"):
        DIE.estimate([*SAID, "refused"], missing="refused")


def test_an_output_may_be_called_na():
    made = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["NA", "yes"])
    assert made.estimate(["NA", "yes", "yes"], drop_missing=True).counts.tolist() == [1, 2]


def test_counts_of_outputs_without_names_are_by_their_numbers_or_by_y_and_the_number():
    plain = md.Mechanism([["3/4", "1/8", "1/8"], ["1/8", "3/4", "1/8"], ["1/8", "1/8", "3/4"]])
    for counts in ({2: 3, 0: 1}, {"2": 3, "0": 1}, {"y2": 3, "y0": 1}, pd.Series([2, 0, 2, 2]).value_counts()):
        assert plain.estimate(counts=counts).counts.tolist() == [1, 0, 3]


def test_what_is_no_report_is_refused_with_a_remedy():
    with pytest.raises(md.DomainError, match=r'"yse" \(2 times\).*the outputs of this mechanism are yes, no.*yes'):
        DIE.estimate([*SAID, "yse", "yse"])
    with pytest.raises(md.DomainError, match=r"a column of counts.*give counts="):
        DIE.estimate(pd.Series(SAID).value_counts())
    with pytest.raises(md.DomainError, match="of numbers and texts"):
        DIE.estimate(["yes", 1])
    with pytest.raises(md.DomainError, match="numbers of the outputs go from 0 to 1"):
        DIE.estimate([1, 3])


def test_codes_are_not_taken_for_the_name_that_looks_like_them():
    columns = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], ["V1", "V2"])
    for codes in (["1", "2"], ["2.0", "1.0"], ["TRUE", "FALSE"]):
        with pytest.raises(
            md.DomainError, match="write these names in place of codes, or make it with outputs="
        ) as told:
            columns.estimate(codes * 20)
        assert "did you mean" not in str(told.value)
    # With the codes as names it works.
    coded = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], ["1", "2"])
    assert coded.estimate(["1"] * 40 + ["2"] * 60).frequencies[0] == pytest.approx(RIGHT, abs=1e-9)


def test_numbers_from_one_are_refused():
    with pytest.raises(md.DomainError, match='numbers of outputs begin at 0; give reports - 1 if 1 is "yes"'):
        DIE.estimate([1, 2])
    assert DIE.estimate(np.array([1] * 40 + [2] * 60) - 1).frequencies[0] == pytest.approx(RIGHT, abs=1e-9)
    coded = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], ["1", "2"])
    with pytest.raises(md.DomainError, match='give by="label"'):
        coded.estimate([1, 2])


def test_a_yes_that_is_written_as_1_is_pointed_out():
    coded = [1] * 40 + [0] * 60
    for reports in (coded, pd.Series(coded)):
        with pytest.warns(
            md.DataWarning, match='1 is taken for the number of an output, from 0, and that is "no"'
        ) as told:
            DIE.estimate(reports)
        assert told[0].filename == __file__
    # No warning of what sample returns, of numbers that are meant, and of an order in which 1 is a yes.
    assert DIE.estimate(np.array(NUMBERS)).frequencies[0] == pytest.approx(RIGHT, abs=1e-9)
    assert DIE.estimate(NUMBERS, by="index").frequencies[0] == pytest.approx(RIGHT, abs=1e-9)
    other = md.Mechanism([["5/6", "1/6"], ["1/6", "5/6"]], ["no", "yes"])
    assert other.estimate(coded).frequencies[1] == pytest.approx(RIGHT, abs=1e-9)


@pytest.mark.parametrize("gap", [None, float("nan"), "NA"])
def test_the_remedy_for_a_missing_report_works(gap):
    with pytest.raises(md.DomainError, match="give drop_missing=True to leave missing reports out"):
        DIE.estimate([*SAID, gap])
    with pytest.warns(md.DataWarning, match="1 of 101 reports are missing"):
        assert DIE.estimate([*SAID, gap], drop_missing=True).frequencies[0] == pytest.approx(RIGHT, abs=1e-9)


def run(*words):
    found = CliRunner().invoke(cli, [str(word) for word in words])
    return found.exit_code, found.output, found.stderr, str(found.exception or "")


def test_the_command_takes_any_file(tmp_path):
    file, reports = DIE.save(tmp_path / "die.json"), tmp_path / "reports.csv"
    lines = [f"{k},{name},{1 + (k % 2)}" for k, name in enumerate(SAID)]
    reports.write_text("\n".join(["id,reply,weight", *lines]) + "\n")
    code, said, _, _ = run("estimate", file, reports, "--column", "reply")
    assert code == 0 and "0.350000" in said
    code, said, _, _ = run("estimate", file, reports, "--column", "reply", "--weights", "weight")
    assert code == 0 and "design effect" in said
    for delimiter in ";\t":
        reports.write_text("\n".join(["id,reply,weight", *lines]).replace(",", delimiter) + "\n")
        code, said, _, _ = run("estimate", file, reports, "--column", "reply")
        assert code == 0 and "0.350000" in said
    reports.write_text("\n".join(["id,reply,weight", *lines, "100,NA,1", "101,,2"]) + "\n")
    code, _, _, error = run("estimate", file, reports, "--column", "reply")
    assert code != 0 and "line 102, reply is NA, but nothing may be missing; give --drop-missing" in error
    code, said, complaint, _ = run("estimate", file, reports, "--column", "reply", "--drop-missing")
    assert code == 0 and "0.350000" in said and "2 reports are missing and were left out" in complaint
    code, _, _, error = run("estimate", file, reports, "--column", "reply", "--missing", "NA")
    assert code != 0 and "add --drop-missing" in error


def test_the_command_says_what_is_wrong_with_a_file(tmp_path):
    file, reports = DIE.save(tmp_path / "die.json"), tmp_path / "reports.csv"
    reports.write_text("id,reply\n1,yes\n2,yse\n3,maybe\n")
    assert "give --column NAME" in run("estimate", file, reports)[3]
    assert 'no column "replies"' in run("estimate", file, reports, "--column", "replies")[3]
    error = run("estimate", file, reports, "--column", "reply")[3]
    assert "line 3, reply is yse, but the outputs of this mechanism are yes, no" in error and "maybe" in error
    assert "leave it out" in run("estimate", file, reports, "--drop-missing")[3]
    for other in ("--weights", "--by", "--strata", "--clusters"):
        error = run("estimate", file, reports, "--column", "reply", other, "reply")[3]
        assert "--column is reply, but the column of the reports cannot be that of weights" in error
    error = run("estimate", file, reports, "--column", "reply", "--missing", "no", "--drop-missing")[3]
    assert "--missing is no, but it is an output of this mechanism" in error
    bare = md.Mechanism([[0.75, 0.25], [0.25, 0.75]]).save(tmp_path / "bare.json")
    assert "give its matrix a header" in run("estimate", bare, reports, "--column", "reply")[3]
    reports.write_text("reply\n1,yes\n2,no\n")
    assert "if all rows are so, give the header a name more" in run("estimate", file, reports, "--column", "reply")[3]
    reports.write_text("id,reply\n1,1\n2,2\n")
    error = run("estimate", file, reports, "--column", "reply")[3]
    assert "write these names in place of codes, or give its matrix a header, the codes in the order" in error
    reports.write_text("id,reply\n")
    assert "without reports" in run("estimate", file, reports, "--column", "reply")[3]
    answers = tmp_path / "answers.csv"
    answers.write_text("answer\nsmokes\n")
    assert run("sample", file, answers, "--column", "answer", "-o", tmp_path / "drawn.csv")[0] == 0
    assert "leave --column out" in run("estimate", file, tmp_path / "drawn.csv", "--column", "report")[3]


@pytest.mark.parametrize(
    ("outputs", "reports", "code"),
    [
        (["-9", "1"], ["-9", "1"], "-9"),
        (["-9", "1"], ["-9", "1"], -9),
        (["NA", "b"], ["NA", "b"], "NA"),
        (None, [0, 1], 0),
    ],
)
def test_a_code_of_missing_reports_that_is_an_output_is_refused(outputs, reports, code):
    made = md.Mechanism(np.eye(2), outputs)
    with pytest.raises(md.DomainError, match=f"missing is {code}, but it is an output of this mechanism"):
        made.estimate(reports, missing=[code], drop_missing=True)


def test_groups_that_are_no_labels_are_refused():
    column = np.array([[1], [2], None], dtype=object)[:2]
    column[:] = [[1], [2]]
    with pytest.raises(md.DomainError, match="groups is of sequences"):
        md.Mechanism(np.eye(2)).estimate([0, 1], groups=column)


@pytest.mark.parametrize("size", [1e-200, 1e-100, 1e100, 1e200, 1e307])
@pytest.mark.parametrize("method", ["likelihood", "unbiased"])
@pytest.mark.parametrize("weights", [None, np.arange(1.0, 81.0)])
def test_standard_errors_are_in_the_unit_of_the_values(size, method, weights):
    made = md.Mechanism([[0.75, 0.25], [0.25, 0.75]])
    found = made.estimate([0, 1] * 40, method=method, weights=weights)
    plain, large = found.functional([0.0, 1.0]), found.functional([0.0, size])
    assert large.standard_error == pytest.approx(size * plain.standard_error, rel=1e-12, abs=0)
    np.testing.assert_allclose(large.interval(), np.array(plain.interval()) * size, rtol=1e-9)
