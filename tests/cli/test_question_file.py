"""Question files and tables of counts: what they give, and each thing that can be wrong in them."""

import csv
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli.counts import read_counts
from mechdesign.cli.matrix_file import read_matrix
from mechdesign.cli.question_file import SOLVE_KEYS, read_question
from mechdesign.parameters.labels import Carried

EXAMPLES = Path(__file__).parents[2] / "examples"
COUNTS = "colour,size,count\nred,1,30\ngreen,2,50\nblue,4,20\n"
QUESTION = """\
[problem]
data = "counts.csv"
label = "colour"
value = "size"
count = "count"
prior_source = "public: a made-up table"

[notion]
name = "LIP"
epsilon = 0.5

[objective]
name = "MMSE"

[solve]
route = "rays"
gap = 1e-7
"""


@pytest.fixture
def write(tmp_path):
    """Write a question and its table, and return the question's path."""

    def written(question=QUESTION, counts=COUNTS):
        path = tmp_path / "asked.toml"
        for target, text in ((path, question), (tmp_path / "counts.csv", counts)):
            if text is not None:
                target.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
        return path

    return written


def test_a_question_with_its_table(write):
    asked = read_question(write())
    problem = asked.question.problem
    assert problem == md.Problem(
        [0.3, 0.5, 0.2], [1, 2, 4], ["red", "green", "blue"], prior_source="public: a made-up table"
    )
    assert asked.question.notion == md.LIP(0.5)
    assert asked.question.objective == md.MMSE()
    assert asked.solve == {"route": "rays", "gap": 1e-7}
    assert asked.output == Path("asked.mechanism.json")


def test_inline_equals_table(write):
    inline = QUESTION.replace('data = "counts.csv"', "prior = [0.3, 0.5, 0.2]")
    inline = inline.replace('label = "colour"', 'labels = ["red", "green", "blue"]')
    inline = inline.replace('value = "size"', "values = [1, 2, 4]").replace('count = "count"\n', "")
    assert read_question(write(inline)).question == read_question(write()).question


def test_parameters_of_members(write):
    text = """
    [problem]
    n = 3
    [notion]
    name = "LDP"
    epsilon = 1
    [objective]
    name = "FDivergence"
    f = "Square"
    first = [0.5, 0.25, 0.25]
    second = [0.25, 0.25, 0.5]
    [solve]
    solver = ["HIGHS", "CLARABEL"]
    verbose = false
    [output]
    path = "made.mechanism.json"
    """
    path = write(text)
    asked = read_question(path)
    assert asked.question.problem == md.Problem(n=3)
    assert asked.question.objective.first.tolist() == [0.5, 0.25, 0.25]
    assert asked.solve["solver"] == ["HIGHS", "CLARABEL"]
    assert asked.output == path.parent.resolve() / "made.mechanism.json"


def test_a_notion_is_read_by_its_other_name(write):
    text = '[problem]\nprior = [0.5, 0.5]\n[notion]\nname = "PointwiseMaximalLeakage"\nepsilon = 0.25\n'
    asked = read_question(write(text + '[objective]\nname = "MutualInformation"\n'))
    assert asked.question.notion == md.MaxLift(0.25) and asked.question.to_dict()["notion"]["name"] == "MaxLift"


def test_every_keyword_of_design_but_the_function():
    assert set(SOLVE_KEYS) == {
        "route",
        "outputs",
        "solver",
        "gap",
        "within",
        "time_limit",
        "memory_limit",
        "threads",
        "verbose",
        "solver_verbose",
        "proof",
    }


@pytest.mark.parametrize(("name", "n"), [("adult-education", 16), ("adult-age", 74)])
def test_examples_hold_all_records(name, n):
    asked = read_question(EXAMPLES / f"{name}.toml")
    with (EXAMPLES / f"{name}.csv").open(newline="") as file:
        counts = [int(row["count"]) for row in csv.DictReader(file)]
    assert sum(counts) == 48842  # records of Adult: 32561 + 16281
    assert asked.question.problem.n == n
    np.testing.assert_array_equal(asked.question.problem.prior, np.array(counts) / 48842)
    assert asked.question.problem.prior_source.startswith("public")


def test_the_made_up_answers_are_those_of_the_command_beside_them():
    (command,) = re.findall(
        r"^    python -c '(.*)'$", (EXAMPLES / "README.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    run = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, check=True)
    assert run.stdout == (EXAMPLES / "survey-answers.csv").read_text(encoding="utf-8")
    assert set(read_question(EXAMPLES / "survey.toml").question.problem.labels) == {"never", "rarely", "often"}


BAD_QUESTIONS = [
    # what to change, into what, what has to be said
    ("epsilon = 0.5", "epsilon = 0.5.1", "asked.toml line 10 is epsilon = 0.5.1, but TOML cannot read column 14"),
    ("epsilon = 0.5", "epsilon = ", "asked.toml line 10"),
    ("epsilon = 0.5", "epsilon = -1", "asked.toml line 10, [notion] epsilon is -1, but it has to be at least 0"),
    ("epsilon = 0.5", "epsilon = nan", "asked.toml line 10, [notion] epsilon is nan"),
    ("epsilon = 0.5", "epsilon = inf", "asked.toml line 10, [notion] epsilon is inf"),
    ("epsilon = 0.5", 'epsilon = "much"', "asked.toml line 10, [notion] epsilon is much, but it has to be a number"),
    (
        "epsilon = 0.5",
        "epsilom = 0.5",
        'line 10, [notion] epsilom is 0.5, but LIP has no such parameter; did you mean "eps',
    ),
    ("epsilon = 0.5", "", "[notion] name is LIP, but it needs epsilon; give epsilon"),
    ("epsilon = 0.5", "gap = 0.5", "line 10, [notion] gap is 0.5, but [notion] has no such key; move it to [solve]"),
    (
        'name = "LIP"',
        'name = "LPI"',
        "asked.toml line 9, [notion] name is LPI, but it has to be a name of the catalogue; did",
    ),
    (
        'name = "MMSE"',
        'name = "MSE"',
        "line 13, [objective] name is MSE, but it has to be a name of the catalogue; did you",
    ),
    ('name = "LIP"', "name = 3", "asked.toml line 9, [notion] name is 3, but it has to be a name; mechdesign notions"),
    ('name = "LIP"', "", "[notion] name is missing"),
    ("gap = 1e-7", "gapp = 1e-7", 'line 17, [solve] gapp is 1e-07, but [solve] has no such key; did you mean "gap"?'),
    ("gap = 1e-7", 'gap = "small"', "asked.toml line 17, [solve] gap is small, but it has to be a number"),
    ("gap = 1e-7", "gap = true", "asked.toml line 17, [solve] gap is True, but it has to be a number"),
    ("gap = 1e-7", "outputs = 2.5", "[solve] outputs is 2.5, but it has to be a positive whole number"),
    ("gap = 1e-7", "verbose = 1", "[solve] verbose is 1, but it has to be true or false"),
    ("gap = 1e-7", "solver = [1]", "[solve] solver is [1], but it has to be a text"),
    ("gap = 1e-7", "subject_to = 'Q'", "call mechdesign.design from Python"),
    ("gap = 1e-7", "epsilon = 1", "[solve] has no such key; move it to [notion]"),
    (
        'count = "count"',
        'counts = "count"',
        "line 5, [problem] counts is count, but [problem] has no such key; did you mean",
    ),
    ('count = "count"', "", "asked.toml line 2, [problem] data is counts.csv, but it needs the name of the column"),
    ('count = "count"', "count = 3", "asked.toml line 5, [problem] count is 3, but it has to be a text"),
    (
        'count = "count"',
        'count = "cuont"',
        'counts.csv line 1 is colour,size,count, but it has no column "cuont"; did you',
    ),
    ('count = "count"', 'count = "count"\nn = 3', "line 6, [problem] n is 3, but the table of counts already gives it"),
    ('count = "count"', 'count = "colour"', "counts.csv line 2, colour is red, but it has to be a finite number"),
    ('data = "counts.csv"', "", "it names a column of a table of counts; add data"),
    ("counts.csv", "lost.csv", "asked.toml line 2, [problem] data is lost.csv, but there is no such file in"),
    ("counts.csv", "../counts.csv", "it has to be a file in the folder of the question file or below it"),
    ("counts.csv", "/etc/hostname", "it has to be a file in the folder of the question file or below it"),
    ("counts.csv", ".", "it has to be a file in the folder of the question file or below it"),
    (
        "[notion]",
        "[notoin]",
        "asked.toml line 8, notoin is {'name': 'LIP', 'epsilon': 0.5}, but the file has no such s",
    ),
    ("[notion]", "[notion]\n[notion]", "TOML cannot read"),
    ("[problem]", "epsilon = 1\n[problem]", "put it under its section"),
    ("[objective]", "[solve]\n", "TOML cannot read"),
    ('[objective]\nname = "MMSE"', "", "asked.toml is without [objective], but the section is needed"),
    (
        '[objective]\nname = "MMSE"',
        "[output]\npath = '/made.json'\n[objective]\nname = 'MMSE'",
        "[output] path is /made.json",
    ),
    (
        '[objective]\nname = "MMSE"',
        "[output]\nfile = 'made.json'\n[objective]\nname = 'MMSE'",
        "[output] has no such key",
    ),
]


@pytest.mark.parametrize(("old", "new", "said"), BAD_QUESTIONS)
def test_bad_questions(write, old, new, said):
    assert old in QUESTION
    with pytest.raises(md.DomainError) as caught:
        read_question(write(QUESTION.replace(old, new, 1)))
    assert said in str(caught.value)


def test_sections_have_to_be_sections(write):
    with pytest.raises(
        md.DomainError, match=r"asked.toml line 1, notion is LIP, but it has to be a section; write \[notion\]"
    ):
        read_question(write('notion = "LIP"\n[problem]\nn = 2\n[objective]\nname = "MMSE"\n'))


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ("prior = [0.5, 0.6]", "asked.toml line 2, [problem] prior is a vector that sums to 1.1"),
        ("prior = [0.5, 0.5, 0.0]", "[problem] prior[2] is 0.0, but every symbol has to have a positive probability"),
        ("prior = [1.5, -0.5]", "[problem] prior[1] is -0.5"),
        ("prior = [0.5, nan]", "[problem] prior[1] is nan"),
        ("prior = 0.5", "[problem] prior is 0.5, but it has to be a list"),
        ("prior = [0.5, 'half']", "it has to be a vector of numbers"),
        ("prior = [0.5, 0.5]\nvalues = [1]", "asked.toml line 3, [problem] values is of length 1"),
        ("labels = ['a', 'a']", "[problem] labels is a, but names have to be distinct"),
        ("n = 0", "[problem] n is 0, but it has to be a positive whole number"),
        ("prior_source = 'nowhere'", "there has to be at least one input"),
    ],
)
def test_bad_inline_problems(write, problem, said):
    text = f"[problem]\n{problem}\n[notion]\nname = 'LDP'\nepsilon = 1\n[objective]\nname = 'HammingLoss'\n"
    with pytest.raises(md.DomainError) as caught:
        read_question(write(text))
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "green,2,50",
            "green,2,0",
            "counts.csv line 3, count is 0, but every symbol has to have a positive count; drop",
        ),
        ("green,2,50", "green,2,0.0", "drop the symbol's row"),
        ("green,2,50", "green,2,-5", "counts.csv line 3, count is -5, but counts are not negative"),
        ("green,2,50", "green,2,5o", "counts.csv line 3, count is 5o, but it has to be a finite number"),
        ("green,2,50", "green,2,nan", "counts.csv line 3, count is nan"),
        ("green,2,50", "green,2,inf", "counts.csv line 3, count is inf"),
        ("green,2,50", "green,2,5_0", "counts.csv line 3, count is 5_0"),
        ("green,2,50", "green,2,", "counts.csv line 3, count is empty"),
        ("green,2,50", "green,two,50", "counts.csv line 3, size is two, but it has to be a finite number"),
        ("green,2,50", "green,2", "counts.csv line 3 is of 2 cells, but the header has 3 columns"),
        ("green,2,50", 'green,2,"1,000",9', "counts.csv line 3 is of 4 cells"),
        ("green,2,50", 'green,2,"50', "counts.csv line 4 is broken, but CSV cannot read it"),
        ("green,2,50", "red,2,50", 'counts.csv line 3, size is 2, but line 2 has the label "red" with the value 1'),
        ("green,2,50", "green,2,1e308\nother,3,1.7e308", "counts.csv is too large"),
        ("colour,size", "size,size", "counts.csv line 1 is size,size,count, but column names have to be distinct"),
        ("red,1,30\ngreen,2,50\nblue,4,20\n", "", "counts.csv is without rows"),
    ],
)
def test_bad_tables(write, old, new, said):
    assert old in COUNTS
    with pytest.raises(md.DomainError) as caught:
        read_question(write(counts=COUNTS.replace(old, new, 1)))
    assert said in str(caught.value)


def test_other_bad_files(write, tmp_path):
    for text, said in ((b"", "counts.csv is empty"), (b"a\xff", "counts.csv is not UTF-8 at byte 1")):
        with pytest.raises(md.DomainError, match=said):
            read_question(write(counts=text))
    with pytest.raises(md.DomainError, match="not UTF-8 at byte 0"):
        read_question(write(b"\xff"))
    with pytest.raises(md.DomainError, match=r"nowhere.toml is not readable.*No such file"):
        read_question(tmp_path / "nowhere.toml")
    with pytest.raises(md.DomainError, match="is not readable"):
        read_question(tmp_path)


def test_a_link_does_not_leave_the_folder(write, tmp_path):
    inner = tmp_path / "inner"
    inner.mkdir()
    path = write()
    (inner / "asked.toml").write_text(path.read_text())
    (inner / "counts.csv").symlink_to(tmp_path / "counts.csv")
    with pytest.raises(md.DomainError, match="in the folder of the question file"):
        read_question(inner / "asked.toml")
    (inner / "counts.csv").unlink()
    (inner / "counts.csv").write_text(COUNTS)
    assert read_question(inner / "asked.toml").question == read_question(path).question


def test_spreadsheets_are_read(write):
    # Byte order mark, Windows line ends, spaces, quotes, a blank line, columns that nobody asked for.
    table = '\ufeffcolour, size,note,count\r\n"red",1,"a, b",30\r\n\r\ngreen , 2,,5e1\r\nblue,4,,20.0\r\n'
    assert read_question(write(counts=table)).question == read_question(write()).question


def test_counts_need_not_be_whole(tmp_path):
    (tmp_path / "weights.csv").write_text("count\n0.5\n1.5\n")
    assert read_counts(tmp_path / "weights.csv", "count").prior.tolist() == [0.25, 0.75]


def test_matrices_keep_their_text(tmp_path):
    path = tmp_path / "matrix.csv"
    path.write_text("3/4,1/4\n0.1,9e-1\n")
    assert read_matrix(path) == Carried([["3/4", "1/4"], ["0.1", "9e-1"]])
    for text, said in (
        ("a,b\n", "matrix.csv line 1, column 2 is b, but it has to be a finite number"),
        ("a,b\nx,y\n", "matrix.csv line 2, column 2 is y, but it has to be a finite number"),
        ("1,0\n0.5,-0.5\n", "line 2, column 2 is -0.5, but probabilities are not negative"),
        ("1,0\n1/0,0\n", "line 2, column 1 is 1/0"),
        ("1,0\n1,0,0\n", "line 2 is of 3 cells, but the first row has 2"),
        ("1,nan\n", "column 2 is nan"),
    ):
        path.write_text(text)
        with pytest.raises(md.DomainError) as caught:
            read_matrix(path)
        assert said in str(caught.value)


def test_the_prior_of_an_interval_is_a_word(write):
    text = '[problem]\ninterval = [0, 1]\npoints = 5\nprior = "uniform"\n[notion]\nname = "LDP"\nepsilon = 1.0\n'
    found = read_question(write(text + '[objective]\nname = "MMSE"\n', None)).question.problem
    assert found == md.Problem.from_interval(0, 1, points=5, prior="uniform")
    for given, said in (("normal", 'the prior of an interval is "uniform"'), (0.5, "the prior of an interval is")):
        wrong = text.replace('"uniform"', f'"{given}"' if isinstance(given, str) else str(given))
        with pytest.raises(md.DomainError, match=said):
            read_question(write(wrong + '[objective]\nname = "MMSE"\n', None))
    with pytest.raises(md.DomainError, match="a list with an entry for each input"):
        read_question(
            write(text.replace("interval = [0, 1]\npoints = 5", "n = 2") + '[objective]\nname = "MMSE"\n', None)
        )
