"""What once raised an error that was not ours, or one that misled: each says now what is wrong, and a remedy."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mechdesign as md
from mechdesign.cli.question_file import read_question

SURVEY = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
ASKED = (SURVEY, md.LDP(1.0), md.MMSE())
#: More digits than Python writes.
LONG = 10**5000
EVEN = np.full((3, 2), 0.5)


def claim(**other: Any) -> object:
    """Check a claim of one problem, with something in it that is none of what it takes."""
    given = {"problem_family": [SURVEY], "notion": md.LDP, "objective": md.MMSE(), "formula": lambda *_: 1.0}
    return md.check_claim(**{**given, **other})


def by_hand(matrix: Any = EVEN, outputs: Any = ("a", "b"), **other: Any) -> object:
    return md.Mechanism(matrix, outputs, **other)


class Undecorated(md.LDP):
    """A dataclass by inheritance: it works."""


class NoDataclass(md.Notion):
    """A notion whose class was not decorated."""

    level_name = "epsilon"

    def __init__(self, epsilon: float) -> None:
        self.epsilon = epsilon

    def cone(self, problem: md.Problem) -> Any:
        return md.LDP(self.epsilon).cone(problem)

    def level(self, matrix: Any, problem: md.Problem) -> Any:
        return md.LDP(self.epsilon).level(matrix, problem)

    def holds_exactly(self, numerators: Any, problem: md.Problem) -> bool:
        return md.LDP(self.epsilon).holds_exactly(numerators, problem)


@dataclass(frozen=True)
class OwnCost(md.Linear):
    """An objective of one's own with a given cost."""

    of: str = "nan"
    needs_prior = True

    def cost(self, problem: md.Problem) -> Any:
        return np.full((3, 3), np.nan) if self.of == "nan" else np.ones((2, 2))

    def decisions(self, problem: md.Problem) -> tuple[str, ...]:
        return ("a", "b", "c")


@dataclass(frozen=True)
class Unpicklable(md.HammingLoss):
    """An objective that holds what no other process can have."""

    lock: Any = field(default_factory=threading.Lock, compare=False)


#: The call; the argument that it names; words of the rule or the remedy.
CASES: dict[str, tuple[Callable[[], object], str, str]] = {
    "no prior": (lambda: md.Problem(prior=[]), "prior", "give an entry for each"),
    "no labels": (lambda: md.Problem(labels=[]), "labels", "give an entry for each"),
    "a number as prior": (lambda: md.Problem(prior=1.0), "prior", "a list, even for one input"),
    "a row too many": (lambda: md.Problem(prior=[[0.5, 0.5]]), "prior", "give one list of numbers"),
    "None in a prior": (lambda: md.Problem(prior=[None, 1]), "prior[0]", "no entry may be missing (1 of 2)"),
    "a pair for one level": (lambda: md.frontier(SURVEY, md.LIP, md.MMSE(), [(1, 2)]), "levels", "takes 1 of them"),
    "processes of a frontier": (
        lambda: md.frontier(SURVEY, md.LIP, md.MMSE(), [1.0], n_jobs=2),
        "n_jobs",
        "a frontier has no such keyword",
    ),
    "route None": (lambda: md.design(*ASKED, route=None), "route", "auto or the name of a route"),
    "a NaN of one's own": (lambda: md.design(SURVEY, md.LDP(1.0), OwnCost()), "OwnCost.cost[0, 0]", "finite"),
    "a shape of one's own": (lambda: md.design(SURVEY, md.LDP(1.0), OwnCost("")), "the cost of OwnCost", "(3, 3)"),
    "no dataclass": (lambda: md.design(SURVEY, NoDataclass(1.0), md.MMSE()), "notion", "decorate it"),
    "no dataclass at levels": (
        lambda: md.frontier(SURVEY, NoDataclass(1.0), md.MMSE(), [1.0, 2.0]),
        "notion",
        "decorate it",
    ),
    "the problem first": (lambda: md.implies(SURVEY, md.LDP(1.0), md.LDP(1.0)), "first", "it has to be a Notion"),
    "no process": (lambda: md.sweep(*ASKED, n_jobs=0), "n_jobs", "-1 for all cores"),
    "processes in words": (lambda: md.sweep(*ASKED, n_jobs="2"), "n_jobs", "whole number"),
    "an objective that cannot travel": (
        lambda: md.sweep(SURVEY, md.LDP(1.0), [md.MMSE(), Unpicklable()], n_jobs=2),
        "objectives",
        "n_jobs=1",
    ),
    "constraints that are none": (lambda: md.design(*ASKED, subject_to=3), "subject_to", "lambda Q"),
    "a source that is no text": (lambda: md.Problem(prior=[1.0], prior_source=3), "prior_source", "a text"),
    "a label that is missing": (lambda: md.Problem(labels=["a", None]), "labels[1]", "no name may be missing"),
    "a label that is NaN": (lambda: md.Problem(labels=[float("nan"), "a"]), "labels[0]", "no name may be missing"),
    "no path to load": (lambda: md.load(None), "path", "give a text or a pathlib.Path"),
    "no path to save to": (lambda: md.design(*ASKED).mechanism.save(None), "path", "give a text or a pathlib.Path"),
    "verbose in words": (lambda: md.design(*ASKED, verbose="no"), "verbose", "true or false"),
    "a verbose array": (lambda: md.design(*ASKED, verbose=np.array([True, False])), "verbose", "true or false"),
    "a verbose level": (lambda: md.design(*ASKED, solver_verbose=2), "solver_verbose", "true or false"),
    "progress in words": (lambda: md.sweep(*ASKED, n_jobs=1, progress="no"), "progress", "true or false"),
    "a number of inputs that is None": (lambda: md.Problem(n=None), "n", "give prior, values, labels or n"),
    "a number of inputs in words": (lambda: md.Problem(prior=[1.0], n=""), "n", "whole number"),
    "numbers of inputs": (lambda: md.Problem(n=np.array([3, 4])), "n", "whole number"),
    "what is called for no row": (lambda: md.verify([], on_row=3), "on_row", "a function of a row"),
    "what takes no row": (lambda: md.verify([], on_row=lambda: None), "on_row", "a function of a row"),
    "an array without axes": (lambda: md.verify(np.array(3)), "which", "a paper or the key of a statement"),
    "a formula that is a class": (lambda: claim(formula=Undecorated), "formula", "give a function, or an instance"),
    "a formula of the problem alone": (lambda: claim(formula=lambda problem: 1.0), "formula", "problem, notion and"),
    "a maker that takes no level": (lambda: claim(notion=lambda: md.LDP(1.0)), "notion", "give one, or a function"),
    "a family without axes": (lambda: claim(problem_family=np.array(3)), "problem_family", "two sizes, problems"),
    "conditions without axes": (lambda: claim(claimed=np.array(3)), "claimed", "it has to consist of conditions"),
    "rows that do not sum to one": (lambda: by_hand([[0.5, 0.25], [0.5, 0.5]]), "matrix[0]", "sums to 0.75"),
    "a negative probability": (lambda: by_hand([[1.5, -0.5]]), "matrix[0, 1]", "probabilities are not negative"),
    "a NaN in an answer": (
        lambda: by_hand([[np.nan, 0.5]] * 3, question=md.Question(*ASKED)),
        "matrix[0, 0]",
        "finite",
    ),
    "no distributions": (lambda: by_hand(EVEN / 2, question=md.Question(*ASKED)), "matrix[0]", "sums to 0.5"),
    "a row too few": (lambda: by_hand(EVEN[:2], question=md.Question(*ASKED)), "matrix", "3 rows"),
    "an output too many": (
        lambda: by_hand(outputs=("a", "b", "c"), question=md.Question(*ASKED)),
        "outputs",
        "one name",
    ),
    "a question that is none": (lambda: by_hand(question=3), "question", "give a Question"),
    "a certificate that is none": (lambda: by_hand(certificate=3), "certificate", "give a Certificate"),
    "inputs that are none": (lambda: by_hand(problem=3), "problem", "give a Problem"),
    "inputs of several that are none": (
        lambda: md.together([by_hand()], "none"),
        "problem",
        "it has to be a Problem",
    ),
    "a named problem that is none": (lambda: md.sweep({"a": 3}, *ASKED[1:], n_jobs=1), "problems['a']", "a Problem"),
    "a comparison of nothing": (lambda: md.compare(SURVEY, 3, md.MMSE()), "notion", "it has to be a Notion"),
    "names of a rounded matrix": (lambda: md.rounded(EVEN, md.LDP(1.0), outputs=3), "outputs", "sequence of names"),
    "a name too few": (lambda: md.rounded(EVEN, md.LDP(1.0), outputs=["a"]), "outputs", "one name for each of the 2"),
    "a whole number with a point": (lambda: md.design(*ASKED, outputs=2.0), "outputs", "give the int 2"),
    "two columns of records": (
        lambda: md.Problem.from_records([["a", 1], ["b", 2]]),
        "records",
        "md.split_budget, a problem for each",
    ),
    "within three of the optimum": (lambda: md.design(*ASKED, within=3), "within", "give 0.02 for 2 %"),
    "no gap at all": (lambda: md.design(*ASKED, gap=0), "gap", "rounding never counts as 0"),
}


@pytest.mark.parametrize("case", CASES)
def test_the_error_says_what_is_wrong(case: str) -> None:
    call, argument, words = CASES[case]
    with pytest.raises(md.DomainError) as raised:
        call()
    assert raised.value.argument == argument
    assert words in str(raised.value)


def test_a_number_in_quotes_is_shown_in_quotes() -> None:
    with pytest.raises(md.DomainError, match="n_jobs is '2', but it has to be a whole number"):
        md.sweep(*ASKED, n_jobs="2")


@pytest.mark.parametrize("name", ["OSQP", "MOSEK", "GUROBI", "SCIP"])
def test_another_solver_is_no_misspelling_of_ours(name: str) -> None:
    with pytest.raises(md.DomainError, match="mechdesign calls; use one of CLARABEL"):
        md.design(*ASKED, solver=name)


@pytest.mark.parametrize(("name", "meant"), [("highs2", "HIGHS"), ("clarable", "CLARABEL"), ("EOCS", "ECOS")])
def test_a_misspelling_is(name: str, meant: str) -> None:
    with pytest.raises(md.DomainError, match=f'did you mean "{meant}"'):
        md.design(*ASKED, solver=name)


def test_a_notion_that_inherits_being_a_dataclass_works() -> None:
    assert md.design(SURVEY, Undecorated(1.0), md.MMSE()).audit.holds


#: What a number of more digits than Python writes is given for; the argument that is named.
TOO_LONG: dict[str, tuple[Callable[[], object], str]] = {
    "an input": (lambda: md.Problem(n=LONG), "n"),
    "labels": (lambda: md.Problem(labels=[LONG, 2]), "labels[0]"),
    "a prior": (lambda: md.Problem(prior=[LONG, 2]), "prior"),
    "an audited matrix": (lambda: md.audit([[LONG, 1]], md.LDP(1.0)), "matrix[0, 0]"),
    "what a matrix is audited for": (lambda: md.audit(EVEN, LONG), "notion"),
    "what it is audited over": (lambda: md.audit(EVEN, md.LDP(1.0), LONG), "problem"),
    "the name of a claim": (lambda: claim(name=LONG), "name"),
    "the words of a claim": (lambda: claim(words=[LONG]), "words"),
    "a family": (lambda: claim(problem_family=(2, LONG)), "problem_family"),
    "a formula": (lambda: claim(formula=LONG), "formula"),
    "levels of a claim": (lambda: claim(epsilon=(1, LONG)), "epsilon"),
    "the name of a swept problem": (lambda: md.sweep({LONG: SURVEY}, *ASKED[1:], n_jobs=1), "the name of a problem"),
    "swept problems": (lambda: md.sweep([LONG], *ASKED[1:], n_jobs=1), "problems[0]"),
    "swept levels": (lambda: md.sweep(SURVEY, md.LDP, md.MMSE(), [LONG], n_jobs=1), "levels[0]"),
    "processes": (lambda: md.sweep(*ASKED, n_jobs=LONG), "n_jobs"),
    "solvers": (lambda: md.design(*ASKED, solver=[LONG]), "solver"),
    "statements": (lambda: md.verify([LONG]), "which"),
    "a criterion": (lambda: md.InformationDesign(LONG), "criterion"),
    "outputs of a mechanism": (lambda: by_hand(outputs=(LONG, "b")), "outputs[0]"),
    "outputs of a rounded matrix": (lambda: md.rounded(EVEN, md.LDP(1.0), outputs=[LONG, 2]), "outputs[0]"),
    "a path": (lambda: md.load(LONG), "path"),
}


@pytest.mark.parametrize("case", TOO_LONG)
def test_a_number_that_python_does_not_write_has_an_error_of_ours(case: str) -> None:
    call, argument = TOO_LONG[case]
    with pytest.raises(md.DomainError) as raised:
        call()
    assert raised.value.argument == argument
    assert "too long to be written" in str(raised.value) and "too long to be written" in repr(raised.value)


def test_a_value_that_cannot_describe_itself_is_named_by_its_type() -> None:
    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError

    with pytest.raises(md.DomainError, match="notion is of type Mute, which has no text of its own, but it has to"):
        md.design(SURVEY, Mute(), md.MMSE())


def test_a_sweep_says_once_what_is_wrong_with_a_number_too_long(tmp_path: Path) -> None:
    with pytest.raises(md.DomainError, match=r"outputs is .* too long to be written"):
        md.sweep(*ASKED, outputs=LONG, n_jobs=1, path=tmp_path / "rows")
    assert not (tmp_path / "rows").exists()


#: No name of a file: one with a NUL, one too long, one in folders that are too deep.
NO_NAMES = {"NUL": "a\0b", "too long": "a" * 300, "too deep": "/".join(["a" * 100] * 80)}


@pytest.mark.parametrize("name", NO_NAMES)
def test_a_path_that_no_file_has_is_named(name: str, tmp_path: Path) -> None:
    path = tmp_path / NO_NAMES[name]
    with pytest.raises(md.DomainError, match="path"):
        md.load(path)
    for call in (lambda: md.design(*ASKED).mechanism.save(path), lambda: md.sweep(*ASKED, n_jobs=1, path=path)):
        with pytest.raises(md.WriteError, match=r"cannot be written \(.*\); (choose|give)"):
            call()


def test_a_folder_is_no_results_file(tmp_path: Path) -> None:
    with pytest.raises(md.WriteError, match="is a directory"):
        md.sweep(*ASKED, path=tmp_path, n_jobs=1)


QUESTION = """[problem]
prior = [0.5, 0.5]
[notion]
name = "LDP"
epsilon = 1.0
[objective]
name = "ExpectedLoss"
loss = {}
"""


@pytest.mark.parametrize(
    ("loss", "words"),
    [
        ("[[0, 1], [1]]", "line 8, [objective] loss[1] is of length 1, but rows have to be of one length"),
        (
            "[[0, 1, 1], [1, 0, 1], [1, 1, 0]]",
            "line 8, [objective] loss is of shape (3, 3), but it has to have one row",
        ),
    ],
)
def test_a_loss_in_a_file_is_refused_with_its_line(loss: str, words: str, tmp_path: Path) -> None:
    file = tmp_path / "asked.toml"
    file.write_text(QUESTION.format(loss))
    with pytest.raises(md.DomainError) as raised:
        read_question(file)
    assert words in str(raised.value)


def test_what_a_design_holds_is_documented() -> None:
    documented = inspect.getdoc(md.Design) or ""
    assert all(f"\n{part.name} : " in documented for part in fields(md.Design))


def test_the_example_of_a_notion_imports_what_it_uses() -> None:
    for name in md.notions.__all__:
        text = inspect.getdoc(getattr(md, name)) or ""
        assert "np." not in text.partition("Examples")[2] or "import numpy as np" in text
