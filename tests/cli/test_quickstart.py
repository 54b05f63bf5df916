"""From a column of answers to a question, a mechanism and reports, in one command."""

import shlex
import tomllib

import pytest
from click.testing import CliRunner

import mechdesign as md
from mechdesign.cli.commands import cli


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(*words):
        found = CliRunner().invoke(cli, [str(word) for word in words])
        return found.exit_code, found.output, str(found.exception or "")

    return run


def rows(name, answers, header="id,{}"):
    lines = [header.format(name), *(f"{k},{answer}" for k, answer in enumerate(answers))]
    return "\n".join(lines) + "\n"


REGIONS = ["north", "south", "east", "west"] * 30


def test_categories_are_designed_for_and_the_next_commands_work(run, tmp_path):
    (tmp_path / "answers.csv").write_text(rows("my region", [*REGIONS, "NA", ""]))
    code, said, _ = run("quickstart", "answers.csv", "--column", "my region", "--epsilon", 1)
    assert code == 0 and "120 answers, 4 categories" in said and "2 missing answers are left out" in said
    made = md.load("my-region.mechanism.json")
    assert "are public: see that they name nobody" in said and "120 reports give every share within" in said
    assert made.inputs.labels == ("east", "north", "south", "west") and made.inputs.prior is None
    assert made.guarantee == md.LDP(1.0) and md.audit(made).holds
    # Of the best mechanism two per cent may be given up.
    best = md.design(md.Problem(n=4), md.LDP(1.0), md.InformationDesign("A"))
    assert made.certificate.value <= best.value / (1 - 0.02) * (1 + 1e-9)
    question = tomllib.loads((tmp_path / "my-region.toml").read_text())
    assert question["problem"]["labels"] == ["east", "north", "south", "west"] and question["notion"]["epsilon"] == 1.0
    commands = [line.strip() for line in said.splitlines() if line.strip().startswith("mechdesign ")]
    assert len(commands) == 3
    printed = ""
    for command in commands:
        code, said, error = run(*shlex.split(command)[1:])
        assert code == 0, error
        printed += said
    assert "120 reports" in printed and (tmp_path / "my-region.html").exists()
    # The question file says the same: its answer is the same mechanism.
    assert run("design", "my-region.toml", "--output", "again.json")[0] == 0
    assert md.load("again.json").matrix.tolist() == made.matrix.tolist()


def test_a_missing_answer_may_be_an_answer(run, tmp_path):
    (tmp_path / "answers.csv").write_text(rows("region", [*REGIONS, "NA", "NA"]))
    code, said, _ = run("quickstart", "answers.csv", "--column", "region", "--epsilon", 1, "--missing", "NA")
    assert code == 0 and "left out" not in said and "missing" in md.load("region.mechanism.json").inputs.labels
    for command in (line.strip() for line in said.splitlines() if line.strip().startswith("mechdesign ")):
        assert run(*shlex.split(command)[1:])[0] == 0


@pytest.mark.parametrize(
    ("answers", "labels", "said"),
    [
        ([1, 2, 3] * 10, ("1", "2", "3"), "3 categories"),
        (list(range(17, 99)), None, "10 intervals with about as many answers each"),
        ([0.5, 1.5, 2.5] * 9, None, "intervals with about as many answers each"),
    ],
)
def test_numbers_with_many_values_become_intervals(run, tmp_path, answers, labels, said):
    (tmp_path / "answers.csv").write_text(rows("age", answers))
    code, printed, error = run("quickstart", "answers.csv", "--column", "age", "--epsilon", 2)
    assert code == 0 and said in printed, error
    made = md.load("age.mechanism.json").inputs
    assert made.values is not None and (labels is None or made.labels == labels)
    assert ("Their ends come from the answers" in printed) == (labels is None)


def test_bins_may_be_public(run, tmp_path):
    (tmp_path / "answers.csv").write_text(rows("age", range(18, 65)))
    code, _, error = run("quickstart", "answers.csv", "--column", "age", "--epsilon", 1, "--bins", "18,25,40,65")
    assert code == 0, error
    assert md.load("age.mechanism.json").inputs.labels == ("[18, 25)", "[25, 40)", "[40, 65]")


def test_what_was_edited_is_kept(run, tmp_path):
    words = ("quickstart", "answers.csv", "--column", "region", "--epsilon")
    (tmp_path / "answers.csv").write_text(rows("region", REGIONS))
    assert run(*words, 1)[0] == 0
    assert run(*words, 1)[0] == 0
    mine = (tmp_path / "region.toml").read_text().replace("epsilon = 1.0", "epsilon = 0.5")
    (tmp_path / "region.toml").write_text(mine)
    code, _, error = run(*words, 1)
    assert code != 0 and "was edited" in error and (tmp_path / "region.toml").read_text() == mine
    (tmp_path / "region.toml").unlink()
    code, _, error = run(*words, 2)
    # Reports may have been drawn from the mechanism of the other question.
    assert code != 0 and "another question" in error and not (tmp_path / "region.toml").exists()
    assert run(*words, 2, "--overwrite")[0] == 0
    (tmp_path / "mine.toml").write_text("[problem]\n")
    code, _, error = run(*words, 2, "-o", "mine.json")
    assert code != 0 and (tmp_path / "mine.toml").read_text() == "[problem]\n"


def test_strange_labels_come_back(run, tmp_path):
    answers = ['"a ""b"""', "c\\d", "\u00e9\U0001f600", "e\x7ff", "=1+1"]
    (tmp_path / "answers.csv").write_text(rows("q", answers * 3), encoding="utf-8")
    code, _, error = run("quickstart", "answers.csv", "--column", "q", "--epsilon", 1)
    assert code == 0, error
    labels = {'a "b"', "c\\d", "\u00e9\U0001f600", "e\x7ff", "=1+1"}
    assert set(md.load("q.mechanism.json").inputs.labels) == labels


@pytest.mark.parametrize(
    ("answers", "options", "said"),
    [
        (REGIONS, {"--column": "nation"}, 'no column "nation"'),
        (REGIONS, {"--column": "id"}, "identify people"),
        (REGIONS, {"--epsilon": -1}, "epsilon"),
        ([f"name {k}" for k in range(200)], {}, "of 200 different answers, but quickstart asks for at most 100"),
        (["yes"] * 9, {}, "always yes, but there is nothing to ask"),
        (["NA"] * 9, {}, "at least one"),
        (REGIONS, {"-o": "missing/region.json"}, "no such folder"),
    ],
)
def test_what_is_no_question_is_refused(run, tmp_path, answers, options, said):
    (tmp_path / "answers.csv").write_text(rows("region", answers))
    given = {"--column": "region", "--epsilon": 1, **options}
    code, printed, error = run("quickstart", "answers.csv", *(word for pair in given.items() for word in pair))
    assert code != 0 and said in error + printed
    assert [path.name for path in tmp_path.iterdir()] == ["answers.csv"]


@pytest.mark.parametrize(
    ("answers", "said", "labels"),
    [
        (["yes", "no", "-99", ""] * 9, "-99 looks like a code of a missing answer", ("no", "yes")),
        ([0, 1, 2, 999, -9] * 9, "-9 and 999 look like codes of a missing answer", ("0", "1", "2")),
        (["0", "1", "99", "NA"] * 9, "99 looks like a code of a missing answer", ("0", "1")),
    ],
)
def test_codes_of_missing_answers_are_pointed_out_and_the_advice_helps(run, tmp_path, answers, said, labels):
    (tmp_path / "answers.csv").write_text(rows("q", answers))
    words = ("quickstart", "answers.csv", "--column", "q", "--epsilon", 1)
    code, printed, error = run(*words)
    assert code == 0 and said in printed, error
    advice = next(line for line in printed.splitlines() if said in line)
    options = advice.split("answer: ")[1].removesuffix(" leaves it out.")
    code, printed, error = run(*words, *shlex.split(options), "--overwrite")
    assert code == 0 and "looks like" not in printed and "look like" not in printed, error
    assert md.load("q.mechanism.json").inputs.labels == labels


def test_ages_are_no_codes_and_capital_letters_are_pointed_out(run, tmp_path):
    (tmp_path / "answers.csv").write_text(rows("age", [*range(60), 77, 88, 99]))
    code, printed, _ = run("quickstart", "answers.csv", "--column", "age", "--epsilon", 1)
    assert code == 0 and "like a code" not in printed and "like codes" not in printed
    (tmp_path / "answers.csv").write_text(rows("q", ["Yes", "yes", "no"] * 9))
    code, printed, _ = run("quickstart", "answers.csv", "--column", "q", "--epsilon", 1)
    assert code == 0 and '"Yes" and "yes" are different answers here: write them alike' in printed


def test_decimal_commas_are_named_as_the_cause(run, tmp_path):
    lines = "".join(f"{k};{k},{k % 10}\n" for k in range(150))
    (tmp_path / "answers.csv").write_text("id;income\n" + lines)
    words = ("quickstart", "answers.csv", "--column", "income", "--epsilon", 1)
    code, _, error = run(*words)
    assert code != 0 and "these have a decimal comma; replace the commas of this column by points" in error
    (tmp_path / "answers.csv").write_text(("id;income\n" + lines).replace(",", "."))
    code, printed, error = run(*words)
    assert code == 0 and "150 answers, 10 intervals" in printed, error


def test_a_mean_that_bins_put_off_is_said_in_words_of_the_shell(run, tmp_path):
    (tmp_path / "answers.csv").write_text(rows("income", [1] * 190 + [100] * 10))
    code, printed, _ = run("quickstart", "answers.csv", "--column", "income", "--epsilon", 1, "--bins", "0,50,1000")
    # The middles are 25 and 525.
    assert code == 0 and "give narrower bins, or correct their numbers in the file" in printed
    mine = (tmp_path / "income.toml").read_text().replace("values = [25.0, 525.0]", "values = [1, 100]")
    (tmp_path / "income.toml").write_text(mine)
    assert run("design", "income.toml", "--overwrite")[0] == 0
    assert md.load("income.mechanism.json").inputs.values.tolist() == [1, 100]


def test_a_level_that_is_refused_leaves_no_question_in_the_way(run, tmp_path):
    words = ("quickstart", "answers.csv", "--column", "region", "--epsilon")
    (tmp_path / "answers.csv").write_text(rows("region", REGIONS))
    code, _, _ = run(*words, 0)
    assert code != 0 and not (tmp_path / "region.toml").exists()
    assert run(*words, 1)[0] == 0
