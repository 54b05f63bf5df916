"""A notion of one's own with a matrix: designed for, shown whole, saved, loaded and compared, whatever holds it."""

import copy
import pickle
import re
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import mechdesign as md
from mechdesign.testing import check_notion

SURVEY = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
WEIGHT = ((0.0, 1.0, 2.0), (1.0, 0.0, 1.0), (4.0, 1.0, 0.0))
TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorials" / "own-notion.md"


def of_tutorial():
    """Return the class of the tutorial, made from its page."""
    cells = re.findall(r"```\{code-cell\}\n(.*?)```", TUTORIAL.read_text(encoding="utf-8"), flags=re.DOTALL)
    held = {}
    for cell in (cells[0], next(cell for cell in cells if "class PairLDP" in cell)):
        exec(compile(cell, str(TUTORIAL), "exec"), held)  # the page is ours
    return held["PairLDP"]


PairLDP = of_tutorial()


class Shared(md.Notion):
    """What the notions below have in common: the tutorial's, over a weight without a domain."""

    def _known(self):
        return PairLDP(self.epsilon, np.asarray(self.weight, dtype=float))

    def cone(self, problem):
        return self._known().cone(problem)

    def level(self, matrix, problem):
        return self._known().level(matrix, problem)

    def holds_exactly(self, numerators, problem):
        return self._known().holds_exactly(numerators, problem)


@dataclass(frozen=True)
class WithTuples(Shared):
    epsilon: float
    weight: tuple[tuple[float, ...], ...]


@dataclass(frozen=True)
class WithArray(Shared):
    epsilon: float
    weight: np.ndarray


OWN = {
    "tuples": (WithTuples, WEIGHT),
    "lists": (WithTuples, [list(row) for row in WEIGHT]),
    "an array": (WithArray, np.array(WEIGHT)),
    "lists for an array": (WithArray, [list(row) for row in WEIGHT]),
    "a domain": (PairLDP, WEIGHT),
}


@pytest.mark.parametrize("name", OWN)
def test_it_is_compared_shown_saved_and_loaded(name, tmp_path):
    own, weight = OWN[name]
    notion = own(0.5, weight)
    assert notion == own(0.5, weight) and hash(notion) == hash(own(0.5, weight))
    assert notion != own(0.25, weight) and notion != own(0.5, np.array(WEIGHT).T) and notion != md.LDP(0.5)
    assert repr(notion).replace("(", "[").replace(")", "]").count("[") >= 4 and "4.0, 1.0, 0.0" in repr(notion)
    assert "4.0, 1.0, 0.0" in notion._repr_html_()
    made = md.design(SURVEY, notion, md.MMSE())
    assert made.audit.holds and made.gap <= 1e-6
    known = md.load(made.mechanism.save(tmp_path / "own.json"), members=[own])
    assert known == made.mechanism and known.question.notion == notion
    assert known.question.notion.level(made.matrix, SURVEY) == notion.level(made.matrix, SURVEY)
    copies = [copy.deepcopy(notion), replace(notion)]
    # The tutorial's class is in no module, so that pickle does not find it.
    copies += [pickle.loads(pickle.dumps(notion))] if own is not PairLDP else []
    for other in copies:
        assert other == notion and hash(other) == hash(notion)


def test_it_passes_the_contract():
    check_notion(PairLDP(0.5, WEIGHT), SURVEY, np.random.default_rng(0))


def test_arrays_cannot_be_changed_afterwards():
    given = np.array(WEIGHT)
    notion = WithArray(0.5, given)
    given[0, 1] = 9.0
    assert notion.weight[0, 1] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        notion.weight[0, 1] = 2.0


def test_labels_decide_where_the_axes_are_named():
    people = md.Problem(prior=[0.2, 0.3, 0.5], labels=["a", "b", "c"])
    table = pd.DataFrame(np.array(WEIGHT)[::-1, ::-1], index=list("cba"), columns=list("cba"))
    level = PairLDP(0.5, table).level([[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]], people)
    assert level == PairLDP(0.5, WEIGHT).level([[0.5, 0.5], [0.25, 0.75], [0.75, 0.25]], people)
    with pytest.raises(md.DomainError, match="labelled"):
        PairLDP(0.5, table).level(np.eye(3), SURVEY)


@dataclass(frozen=True)
class OwnLoss(md.Linear):
    """A loss of one's own."""

    table: tuple[tuple[float, ...], ...]
    sense = "minimise"

    def outputs(self, problem):
        return len(self.table[0])

    def decisions(self, problem):
        return tuple(map(str, range(len(self.table[0]))))

    def cost(self, problem):
        return problem.prior[:, None] * np.array(self.table)


def test_an_objective_with_a_matrix_is_saved_and_loaded_too(tmp_path):
    objective = OwnLoss([[0.0, 1.0, 2.0], [1.0, 0.0, 1.0], [2.0, 1.0, 0.0]])
    made = md.design(SURVEY, md.LDP(1.0), objective)
    right = md.design(SURVEY, md.LDP(1.0), md.ExpectedLoss(objective.table))
    assert made.value == pytest.approx(right.value, abs=1e-9)
    known = md.load(made.mechanism.save(tmp_path / "own.json"), members=[OwnLoss])
    assert known == made.mechanism and known.question.objective == objective
