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
from mechdesign.question_file import read_question

SURVEY = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
ASKED = (SURVEY, md.LDP(1.0), md.MMSE())


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
