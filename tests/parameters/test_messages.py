"""Sentences that new users met and that did not help: each names now the argument, and what to write instead."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import mechdesign as md
from mechdesign.cli import commands
from mechdesign.question.members_by_name import members
from mechdesign.testing.estimator_contract import response

SURVEY = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
LDP, MMSE = md.LDP(1.0), md.MMSE()

#: The call, the argument that is named, words of the remedy.
CASES: dict[str, tuple[Callable[[], object], str, str]] = {
    "an objective as text": (lambda: md.design(SURVEY, LDP, "MMSE"), "objective", "an Objective; give md.MMSE()"),
    "an objective in words": (
        lambda: md.design(SURVEY, LDP, "mean squared error"),
        "objective",
        "an Objective; give md.MMSE()",
    ),
    "an objective misspelt": (lambda: md.design(SURVEY, LDP, "Hamingloss"), "objective", 'did you mean "HammingLoss"'),
    "a notion as text": (lambda: md.design(SURVEY, "LDP", MMSE), "notion", "a Notion; give md.LDP(0.5)"),
    "a notion in words": (
        lambda: md.design(SURVEY, "local differential privacy", MMSE),
        "notion",
        "give md.LDP(0.5)",
    ),
    "a level as notion": (lambda: md.design(SURVEY, 0.5, MMSE), "notion", "md.LDP(0.5), say"),
    "a class as notion": (lambda: md.design(SURVEY, md.LIP, MMSE), "notion", "call it: md.LIP(0.5)"),
    "a class as objective": (
        lambda: md.design(SURVEY, LDP, md.InformationDesign),
        "objective",
        "call it: md.InformationDesign('A')",
    ),
    "counts as problem": (lambda: md.design({"a": 1}, LDP, MMSE), "problem", "a Problem; give md.Problem.from_counts"),
    "a number as problem": (lambda: md.design(3, LDP, MMSE), "problem", "give md.Problem(n=3)"),
    "a list as problem": (lambda: md.design([0.5, 0.5], LDP, MMSE), "problem", "give md.Problem(prior=...)"),
    "counts as prior": (
        lambda: md.Problem(prior={"a": 1, "b": 3}),
        "prior",
        "divide it by its sum if it is a vector of counts",
    ),
    "a number of inputs as prior": (lambda: md.Problem(3), "prior", "give Problem(n=3) for so many inputs"),
    "a prior too short": (
        lambda: md.Problem(prior=[0.1, 0.2], values=[0, 1, 2]),
        "values",
        "prior has 2, and there is one entry for each input",
    ),
    "labels too many": (lambda: md.Problem(values=[0, 1], labels=["abc"]), "labels", "values has 2"),
    "a matrix by its file": (lambda: md.audit("a.mechanism.json", LDP), "matrix", "md.audit(md.load(path), notion)"),
    "a level in per cent": (lambda: response(2, 1.0).estimate([0, 1]).interval(95), "level", "give 0.95 for 95 %"),
    "a mean's level in per cent": (
        lambda: response(2, 1.0).estimate([0, 1]).mean([0, 1]).interval(90),
        "level",
        "give 0.9 for 90 %",
    ),
    "a level of one": (lambda: response(2, 1.0).estimate([0, 1]).interval(1), "level", "give 0.95, say"),
    "eps": (lambda: md.LDP(eps=1), "eps", 'LDP has no such parameter; did you mean "epsilon"?'),
    "no level": (md.LDP, "epsilon", "LDP needs it; write LDP(epsilon=0.5)"),
    "no criterion": (md.InformationDesign, "criterion", "write InformationDesign(criterion='A')"),
    "three notions": (lambda: md.Intersection(LDP, LDP, LDP), "the arguments of Intersection", "Intersection([...])"),
    "a level twice": (lambda: md.LDP(1.0, epsilon=2.0), "epsilon", "leave one of the two out"),
    "a level too many": (lambda: md.LIP(1.0, 2.0), "the arguments of LIP", "it takes 1 (epsilon)"),
    "a prior misspelt": (lambda: md.Problem(priors=[0.5, 0.5]), "priors", 'did you mean "prior"'),
    "a route that is none": (lambda: md.design(SURVEY, LDP, MMSE, route="fastest"), "route", "auto, blocks,"),
    "a kind of picture": (
        lambda: md.design(SURVEY, LDP, MMSE).plot(kind="posterior"),
        "kind",
        'write what="posterior"',
    ),
    "an option of no picture": (
        lambda: md.design(SURVEY, LDP, MMSE).plot(colour=np.ones(3)),
        "colour",
        "heat_map has no such parameter",
    ),
    "an array for no option": (
        lambda: md.design(SURVEY, LDP, MMSE).plot(colour=np.zeros(3)),
        "colour",
        "heat_map has no such parameter",
    ),
    "an array for the kind of picture": (
        lambda: md.design(SURVEY, LDP, MMSE).plot(what=np.zeros(3)),
        "what",
        "there is no such picture of a design",
    ),
    "a class with more than its level": (
        lambda: md.frontier(SURVEY, md.MetricDP, MMSE, [1.0]),
        "notion",
        "it needs more than its level",
    ),
    "no such file": (lambda: md.load("no such file.json"), "path", "check the path"),
    "a folder": (lambda: md.load(Path(__file__).parent), "path", "check the path"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_sentence_says_what_to_write(case: str) -> None:
    call, argument, words = CASES[case]
    with pytest.raises(md.DomainError) as raised:
        call()
    assert raised.value.argument == argument
    assert words in str(raised.value)


@pytest.mark.parametrize("kind", [md.Notion, md.Objective], ids=lambda kind: kind.__name__)
def test_each_member_as_text_is_answered_with_a_call_of_it(kind: Any) -> None:
    for name, member in members(kind).items():
        with pytest.raises(md.DomainError, match=rf"give md\.{name}\(") as raised:
            md.design(SURVEY, *((name, MMSE) if kind is md.Notion else (LDP, name.lower())))
        said = str(raised.value)
        if "..." not in said:
            # What is suggested can be typed.
            assert isinstance(eval(said.partition("give ")[2].rstrip("."), {"md": md}), member)


CLASSES = [
    *(member for kind in (md.Notion, md.Objective, md.Generator) for member in members(kind).values()),
    *(md.Problem, md.Mechanism, md.Question),
]


@pytest.mark.parametrize("member", [each for each in CLASSES if is_dataclass(each)], ids=lambda each: each.__name__)
def test_arguments_that_do_not_fit_a_class_are_named(member: Any) -> None:
    parameters = [field.name for field in fields(member) if field.init]
    needed = [f.name for f in fields(member) if f.init and f.default is MISSING and f.default_factory is MISSING]
    assert list(inspect.signature(member).parameters) == parameters
    for given, named, argument in (
        ((), {"nonsense": 1}, "nonsense"),
        (tuple(range(40)), {}, f"the arguments of {member.__name__}"),
        *([((), {}, needed[0])] if needed else []),
    ):
        with pytest.raises(md.DomainError) as raised:
            member(*given, **named)
        assert raised.value.argument == argument
        assert not isinstance(raised.value.__cause__, TypeError) and member.__name__ in str(raised.value)


def test_a_class_that_fails_of_itself_is_not_blamed_on_the_call() -> None:
    with pytest.raises(TypeError, match="abstract"):
        md.Notion()  # type: ignore[abstract]


def test_labels_of_a_column_are_those_of_the_problem() -> None:
    prior = pd.Series([0.2, 0.3, 0.5], index=["a", "b", "c"])
    assert md.Problem(prior).labels == ("a", "b", "c")
    assert md.Problem(prior.reset_index(drop=True)).labels is None
    assert md.Problem(prior, labels=["c", "a", "b"]).labels == ("c", "a", "b")
    assert md.Problem(values=pd.Series([1.0, 2.0], index=[7, 4])).labels == ("7", "4")
    with pytest.raises(md.DomainError, match="distinct"):
        md.Problem(pd.Series([0.5, 0.5], index=["a", "a"]))


def test_one_record_has_one_report() -> None:
    mechanism = response(3, 1.0)
    for drawn in (mechanism.sample(1), mechanism.simulate(1, 0)):
        assert np.ndim(drawn) == 0 and int(drawn) in range(3) and isinstance(drawn, np.int64)
    assert mechanism.sample([1]).shape == (1,) and mechanism.sample([[1, 2]]).shape == (1, 2)


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str]:
    with pytest.raises(SystemExit) as ended:
        commands.main(list(arguments))
    return int(ended.value.code or 0), capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("design", "q.toml", "--epsilon", "1"), "has no option --epsilon; the question FILE says it"),
        (("design", "q.toml", "--criterion", "A"), "the question FILE says it"),
        (("design", "q.toml", "--outptu", "a"), 'did you mean "--output"'),
        (("frontier", "q.toml", "--level", "1"), 'did you mean "--levels"'),
        (("frontier", "q.toml", "--levels", f"0:1:{'9' * 6000}"), "more than 9999 levels"),
        (("frontier", "q.toml", "--levels", "0:1:1000000000"), "more than 9999 levels"),
        (("frontier", "q.toml", "--levels", "0:1:x"), "write 0.1:3:30, say"),
    ],
)
def test_the_command_says_so_too(
    arguments: tuple[str, ...], words: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("q.toml").write_text(
        '[problem]\nprior = [0.5, 0.5]\n[notion]\nname = "LDP"\nepsilon = 1.0\n[objective]\nname = "HammingLoss"\n'
    )
    code, said = run(capsys, *arguments)
    assert code == 2 and words in said


#: A header, what is asked of it, words of the answer.
HEADERS = [
    ("id|rating", "rating", "separated by bars; save the table with commas"),
    ("id;ratings", "rating", 'no column "rating"; did you mean "ratings"'),
    ("id\tage", "rating", 'no column "rating"; use one of age, id'),
    ("rating,rating", "rating", '2 columns are called "rating"; rename all of them but one'),
    ("id,ratings", "rating", 'no column "rating"; did you mean "ratings"'),
    ("id,age", "rating", 'no column "rating"; use one of age, id'),
]


@pytest.mark.parametrize(("header", "column", "words"), HEADERS)
def test_a_column_that_is_not_there_once_is_explained(
    header: str, column: str, words: str, tmp_path: Path, monkeypatch: Any, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    survey = md.Problem(prior=[0.5, 0.5], labels=["1", "2"])
    md.design(survey, LDP, md.InformationDesign("A")).mechanism.save("m.json")
    row = header.replace("id", "7").replace("ratings", "1").replace("rating", "1").replace("age", "30")
    Path("people.csv").write_text(f"{header}\n{row}\n")
    code, said = run(capsys, "sample", "m.json", "people.csv", "--column", column, "-o", "reports.csv")
    assert code == 2 and words in said


def test_a_name_in_a_question_is_understood_before_it_is_spelt(tmp_path: Path, capsys: Any) -> None:
    text = '[problem]\nprior = [0.5, 0.5]\n[notion]\nname = "{}"\nepsilon = 1.0\n[objective]\nname = "{}"\n'
    for notion, objective, words in (
        ("local differential privacy", "HammingLoss", "it has to be a name of the catalogue; write LDP"),
        ("ldp", "HammingLoss", "write LDP"),
        ("pointwise maximal leakage", "HammingLoss", "write MaxLift"),
        ("LPD", "HammingLoss", 'did you mean "LDP"'),
        ("LDP", "mean squared error", "write MMSE"),
        ("LDP", "expected absolute error", "write AbsoluteError"),
        ("LDP", "kl", 'did you mean "KLDivergence"'),
    ):
        path = tmp_path / "q.toml"
        path.write_text(text.format(notion, objective))
        code, said = run(capsys, "design", str(path))
        assert code == 2 and words in said
