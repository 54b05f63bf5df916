"""Extreme columns in exact arithmetic: by the package and by the reader, which share no code, and by formula."""

import json
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
import mechdesign_check as reader
from mechdesign.proofs import extreme_columns as columns
from mechdesign.proofs import refusal
from mechdesign.proofs.extreme_columns import MOST_CUT, MOST_LISTED, extreme_columns
from mechdesign.question.plain_values import in_json
from mechdesign.question.question import Question
from tests.proofs import made

N = 5
PRIOR = np.array([0.1, 0.15, 0.2, 0.25, 0.3])
LINE = np.abs(np.subtract.outer(np.arange(N), np.arange(N))).astype(float)
NOTIONS = {
    "LDP": md.LDP(0.7),
    "WorstCaseLIP": md.WorstCaseLIP(0.7),
    "UtilityOptimizedLDP": md.UtilityOptimizedLDP(0.7, [1, 2]),
    "BlockLDP": md.BlockLDP(0.7, [[0, 1, 2], [3, 4]]),
    "LIP": md.LIP(0.4),
    "MaxLift": md.MaxLift(0.4),
    "AsymmetricLIP": md.AsymmetricLIP(0.3, 0.5),
    "InteriorPML": md.InteriorPML(0.7, 0.1),
    "MetricDP": md.MetricDP(0.6, LINE),
    "alike": md.MetricDP(0.6, np.where(LINE == 1, 0, LINE)),
    "LDP & LIP": md.LDP(0.7) & md.LIP(0.4),
}


def read(notion, problem):
    """Return the reader's columns, each of sum one."""
    data = json.loads(json.dumps(in_json(Question(problem, notion, md.MutualInformation()).to_dict())))
    world = reader.World(data["problem"], data["notion"])
    return shares(reader.extremes(reader.notions_of(data["notion"], world), world, False))


def shares(columns):
    return np.unique(np.round([[float(Fraction(e) / sum(v)) for e in v] for v in columns], 12), axis=0)


@pytest.mark.parametrize("name", ["LIP", "MetricDP", "LDP & LIP", "BlockLDP", "ProfileDP"])
def test_package_and_reader_give_up_at_the_same_number_of_pairs(name, monkeypatch):
    profiles = md.ProfileDP(0.5, [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.3, 0.6]], [(1, 2), (0, 1)])
    notion, problem = {**NOTIONS, "ProfileDP": profiles}[name], md.Problem(prior=PRIOR)
    problem = md.Problem(n=3) if name == "ProfileDP" else problem
    inputs = notion.inputs(problem)
    assert columns.MOST_PAIRS == reader.MOST_PAIRS

    def are_few(most):
        monkeypatch.setattr(columns, "MOST_PAIRS", most)
        monkeypatch.setattr(reader, "MOST_PAIRS", most)
        extreme_columns.cache_clear()
        try:
            read(notion, problem)
        except reader.Unreadable:
            return False, extreme_columns(notion, inputs, False) is not None
        return True, extreme_columns(notion, inputs, False) is not None

    # Planted: the package took the rows in an order of its own, and proved what no reader looked through.
    low, high = 0, 1 << 14
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if are_few(middle)[0] else (middle, high)
    assert are_few(low) == (False, False) and are_few(high) == (True, True)
    extreme_columns.cache_clear()


#: UtilityOptimizedLDP lets inputs be revealed, and no hidden secret.
OF_SECRET = [name for name in NOTIONS if name != "UtilityOptimizedLDP"]


@pytest.mark.parametrize(
    ("name", "hidden"), [*((name, False) for name in NOTIONS), *((name, True) for name in OF_SECRET)]
)
def test_package_and_reader_make_the_same(name, hidden):
    notion, problem = NOTIONS[name], md.Problem(prior=PRIOR)
    if hidden:
        rng = np.random.default_rng(2)
        problem = md.Problem(prior=rng.dirichlet(np.ones(4))).hidden(
            secret_given_data=rng.dirichlet(np.ones(N), size=4).T
        )
    ours, theirs = shares(extreme_columns(notion, problem, False).tolist()), read(notion, problem)
    assert ours.shape == theirs.shape and np.allclose(ours, theirs, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["LDP", "BlockLDP", "LIP", "MaxLift", "AsymmetricLIP"])
def test_they_are_the_rays_by_formula(name):
    notion, problem = NOTIONS[name], md.Problem(prior=PRIOR)
    ours = shares(extreme_columns(notion, problem, False).tolist())
    rays = shares(np.vectorize(Fraction, otypes=[object])(notion.columns(problem).rays().columns.T).tolist())
    # By formula the constant column of LDP, which is between others, is left out.
    kept = [each for each in ours.tolist() if name != "LDP" or len(set(each)) > 1]
    assert np.allclose(kept, rays, rtol=0, atol=1e-9)


@pytest.mark.parametrize("objective", [md.MutualInformation(), md.HistogramMMSE(), md.InformationDesign("A")])
def test_one_set_of_each_size_shows_what_all_sets_show(objective, monkeypatch):
    """Of inputs that are alike: rows that are next to equal have every set looked at, and show the same."""
    problem = md.Problem(prior=np.full(6, 1 / 6))
    found = md.design(problem, md.LDP(1.0), objective, proof=True)
    rows = found.mechanism.claimed.proof.rows
    assert len(set(rows.tolist())) == 1
    data = made.file_of(found)
    apart = made.changed(data, proof__rows__0=lambda x: x * (1 + 1e-9), claims__bound=lambda x: loose(x, objective))
    lower = made.changed(data, proof__rows=lambda each: [x * (1 - 1e-6) for x in each])
    assert reader.check(apart)
    with pytest.raises(reader.Unproved, match="above the rows"):
        reader.check(lower)
    seen = []
    whole = reader.extremes
    monkeypatch.setattr(reader, "extremes", lambda *given: seen.append(whole(*given)) or seen[-1])
    reader.check(data), reader.check(apart)
    assert [len(each) for each in seen] == [6, 63]


def loose(bound, objective):
    return bound * (1 + 1e-6 if objective.sense == "maximise" else 1 - 1e-6)


def test_equal_rows_do_not_make_inputs_alike():
    """Rows that are equal under a prior that is not: every set is looked at, by both."""
    problem = md.Problem(prior=PRIOR)
    data = made.file_of(md.design(problem, md.LDP(1.0), md.MutualInformation(), proof=True))
    bound = 5 * max(data["proof"]["rows"])
    flat = made.changed(data, proof__rows=lambda rows: [max(rows)] * 5, claims__bound=lambda _: bound * (1 + 1e-12))
    assert reader.check(flat)
    least = made.changed(data, proof__rows=lambda rows: [sum(rows) / 5] * 5)
    with pytest.raises(reader.Unproved, match="above the rows"):
        reader.check(least)


@pytest.mark.parametrize(
    ("notion", "n", "alike", "why"),
    [
        (md.LDP(1.0), MOST_LISTED, False, None),
        (md.LDP(1.0), MOST_LISTED + 1, False, f"more than {MOST_LISTED} inputs under LDP"),
        (md.LDP(1.0), 300, True, None),
        (md.LIP(1.0), MOST_CUT, True, None),
        (md.LIP(1.0), MOST_CUT + 1, True, f"more than {MOST_CUT} inputs under LIP"),
        (md.StrongL1(0.5), 3, False, "StrongL1"),
        (md.MaximalLeakage(0.5), 3, False, "MaximalLeakage"),
        (md.LDP(1.0) & md.MaximalLeakage(0.5), 3, False, "Intersection"),
    ],
)
def test_how_many_inputs(notion, n, alike, why):
    prior = np.full(n, 1 / n) if alike else np.random.default_rng(1).dirichlet(np.ones(n))
    said = refusal(md.Question(md.Problem(prior=prior), notion, md.MutualInformation()))
    assert said is None if why is None else why in said


APART = np.random.default_rng(3).uniform(1, 2, size=(10, 10))


@pytest.mark.parametrize(
    ("notion", "n"),
    [(md.LDP(1.0), 13), (md.LDP(1.0), 40), (md.MetricDP(1.0, np.triu(APART, 1) + np.triu(APART, 1).T), 10)],
)
def test_the_reader_does_not_start_what_takes_minutes(notion, n):
    with pytest.raises(reader.Unreadable, match="too many extreme columns"):
        read(notion, md.Problem(prior=np.full(n, 1 / n)))
