"""Random questions end in a private design or in an error of ours: never in a raw exception or a foreign warning.

Further seeds: ``FUZZ_SEED=12345 python -m pytest tests/designing/test_fuzz_questions.py`` starts there.
"""

import os
import warnings
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve.programs import column_weights
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import forget
from tests.helpers.random_questions import Asked, asked, private

#: Questions in the default run, those of each slow chunk, and how many chunks.
FIRST, EACH, CHUNKS = 50, 50, 30
START = int(os.environ.get("FUZZ_SEED", "0"))


def outcome(question):
    """Return how a question ends: "design", the name of an error of ours, or what must not be."""
    # What a process answered before decides nothing.
    forget()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        try:
            with reading(CountingClock(question.look)):
                ended = _answered(question)
        except md.MechdesignError as error:
            ended, words = type(error).__name__, str(error)
            assert words.strip()
    foreign = [str(warning.message) for warning in seen if warning.category is not md.GapWarning]
    assert not foreign, foreign
    return ended


def _answered(question):
    problem, notion, objective = question.make()
    if question.verb == "design":
        _judged(md.design(problem, notion, objective, **question.keywords), notion, problem)
    elif question.verb == "frontier":
        for made in md.frontier(problem, notion, objective, question.levels, **question.keywords):
            _judged(made, made.mechanism.question.notion, problem)
    elif question.verb == "sweep":
        table = md.sweep(problem, notion, objective, question.levels, n_jobs=1, progress=False, **question.keywords)
        # What a sweep calls failed is an exception that is not ours.
        assert len(table) == len(question.levels)
        assert not [row.reason for row in table if row.status == "failed"], [row.reason for row in table]
    elif question.verb == "compare":
        table = md.compare(problem, notion, objective, **{**question.keywords, "gap": 1e-6})
        assert len(table) > 0
    else:
        inputs = notion.inputs(problem)
        matrix = np.random.default_rng(question.seed).dirichlet(np.ones(inputs.n + 1), size=inputs.n)
        md.audit(matrix / matrix.sum(axis=1, keepdims=True), notion, problem)
    return question.verb


def _judged(made, notion, problem):
    assert made.audit.holds
    assert private(notion, problem, np.asarray(made.matrix)) is not False, "not private by definition"


def ends_well(seed):
    """Assert it of one seed, naming the question."""
    question = asked(seed)
    try:
        return outcome(question)
    except Exception as error:
        raise AssertionError(f"{question}\n{type(error).__name__}: {error}") from error


def chunk(first, count):
    """Assert it of many seeds, and return how many ended in each way."""
    wrong, ends = [], {}
    for seed in range(first, first + count):
        try:
            end = ends_well(seed)
        except AssertionError as error:
            wrong.append(str(error))
            continue
        ends[end] = ends.get(end, 0) + 1
    assert not wrong, "\n\n".join(wrong)
    return ends


def test_random_questions_end_well():
    print(f"FUZZ_SEED={START}")
    ends = chunk(START, FIRST)
    # Errors alone would prove nothing.
    assert ends.get("design", 0) >= FIRST / 3, ends


# What such questions have found -------------------------------------------------------------------------------------


def test_profiles_that_are_next_to_alike_are_told_apart_or_refused():
    rng = np.random.default_rng(1)
    for _ in range(5):
        notion = md.ProfileDP(
            1e-6, rng.dirichlet(np.ones(3), size=2), ((0, 1),), profile_prior=rng.dirichlet(np.ones(2))
        )
        for criterion in "ADE":
            try:
                made = md.design(md.Problem(n=3), notion, md.InformationDesign(criterion), gap=0.9)
            except md.MechdesignError:
                continue
            assert made.audit.holds


@pytest.mark.parametrize("notion", [md.LIP(1.0), md.MetricDP(1.0, [[0, 1], [1, 0]]), md.MaxLift(0.5)], ids=str)
def test_two_hypotheses_that_are_one_are_answered_by_columns(notion):
    problem = md.Problem(prior=[0.999995, 5e-6])
    for objective in (md.TotalVariation([0.5, 0.5], [0.5, 0.5]), md.ChiSquare([0.3, 0.7], [0.3, 0.7])):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.GapWarning)
            made = md.design(problem, notion, objective, route="columns")
        assert abs(made.value) <= 1e-15 and made.audit.holds


@pytest.mark.parametrize("exponent", [md.HanKobayashiExponent, md.HoeffdingExponent])
@pytest.mark.parametrize("share", [0.0, 0.5, 3.0])
def test_a_solver_that_stops_on_the_way_to_a_vertex_is_a_solver_error(exponent, share, monkeypatch):
    solved = column_weights.solve_linear

    def stopped(*arguments, **keywords):
        found = solved(*arguments, **keywords)
        return replace(found, point=share * found.point)

    monkeypatch.setattr(column_weights, "solve_linear", stopped)
    objective = exponent(0.3, [0.2, 0.3, 0.5], [0.5, 0.3, 0.2])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        made = md.design(md.Problem(n=3), md.LDP(1.0), objective, route="orders")
    assert made.route == "known" and "without a mechanism" in made.attempts[0].outcome


# Planted: what the check has to catch -------------------------------------------------------------------------------

PLANTED = {
    "a raw exception": lambda made: 1 / 0,
    "a foreign warning": lambda made: warnings.warn("overflow", RuntimeWarning, stacklevel=1) or made,
    "an error without words": lambda made: (_ for _ in ()).throw(md.SolverError("")),
    "a matrix that is not private": lambda made: SimpleNamespace(audit=made.audit, matrix=np.eye(len(made.matrix))),
}


@pytest.mark.parametrize("what", PLANTED)
def test_planted_faults_are_caught(what, monkeypatch):
    question = Asked(
        0,
        0.01,
        "design",
        lambda: (md.Problem(prior=[0.4, 0.6], values=[0, 1]), md.LIP(1.0), md.MMSE()),
        (),
        {},
        "planted",
    )
    assert outcome(question) == "design"
    own = md.design
    monkeypatch.setattr(md, "design", lambda *arguments, **keywords: PLANTED[what](own(*arguments, **keywords)))
    with pytest.raises((AssertionError, ZeroDivisionError)):
        outcome(question)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(CHUNKS))
def test_many_random_questions_end_well(part):
    print(f"FUZZ_SEED={START + FIRST + part * EACH}")
    chunk(START + FIRST + part * EACH, EACH)
