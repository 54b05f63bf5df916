"""Known mechanisms: what answers where solvers fail, what no design is worse than, and that more time is no worse."""

import threading
import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import mechdesign as md
from mechdesign.baselines import strongest_randomised_response
from mechdesign.designing import answer as answering
from mechdesign.designing import finish as finishing
from mechdesign.mechanism.certificate import Certificate, Multipliers
from mechdesign.question import Question
from mechdesign.runtime.deadline import reading
from mechdesign.solve import choose as routes
from mechdesign.solve.repair.exactly_private import Repaired
from mechdesign.solve.search import known_mechanisms
from mechdesign.solve.solvers.catalogue import SOLVERS
from mechdesign.solve.task import Task
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import check_bound, check_punctual, check_time_limit
from mechdesign.testing.sized import some_pair
from tests.helpers.changed_routes import changed
from tests.helpers.changed_solvers import taking

EVEN = md.Problem(prior=[1 / 7] * 7, values=np.arange(7.0))
LOSS = [[-0.537, -2.024, -1.204, -0.108], [1.135, -1.611, -0.033, 0.1]]
LINE = np.abs(np.subtract.outer(np.arange(5), np.arange(5))).astype(float)
PAIR = ([0.1, 0.3, 0.2, 0.15, 0.25], [0.3, 0.1, 0.25, 0.2, 0.15])

#: Questions with a simple answer, the value that it reaches, and what is asked for besides.
SIMPLE = {
    "response at delta": (md.Problem(n=8), md.ApproximateLDP(20.0, 0.9), md.MaxOffDiagonal(), 2e-9, {"gap": 1e-3}),
    "delta of 1 asks nothing": (EVEN, md.ApproximateLDP(5.0, 1.0), md.MMSE(), 1e-12, {"time_limit": 1.0}),
    "one decision": (md.Problem(n=2), md.ApproximateLDP(20.0, 0.0), md.WorstCaseLoss(LOSS), -1.611, {}),
    "l1 of nothing": (md.Problem(prior=[0.2] * 5, values=np.arange(5.0)), md.StrongL1(0.0), md.MMSE(), 2.0, {}),
    "l1 of nothing, worst": (md.Problem(n=5), md.MetricDP(0.0, LINE), md.WorstCaseLoss(LINE), 2.0, {}),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", SIMPLE)
def test_a_simple_question_has_its_simple_answer(name):
    problem, notion, objective, reached, keywords = SIMPLE[name]
    with reading(CountingClock()):
        made = md.design(problem, notion, objective, **keywords)
    inputs = notion.inputs(problem)
    assert made.audit.holds and objective.to_utility(made.value, inputs) <= objective.to_utility(made.bound, inputs)
    assert made.value <= reached * (1 + 1e-12 * np.sign(reached)) + 1e-15


@pytest.mark.parametrize("epsilon", [1e-3, 0.3, 5.0, 20.0])
def test_an_exponent_at_a_distance_has_an_answer(epsilon):
    made = md.design(md.Problem(n=5), md.MetricDP(epsilon, LINE), md.ChernoffExponent(*PAIR))
    check_bound(made)
    assert made.gap <= 1e-6


#: Questions over few inputs of every kind of objective, under notions with a cone, a budget and a curved side.
ASKED = [
    (notion, objective)
    for notion in ("LDP", "LIP", "ApproximateLDP", "MaximalLeakage", "StrongChiSquare", "MetricDP", "BoundedPriorLIP")
    for objective in ("MMSE", "TotalVariation", "MutualInformation", "ExpectedLoss", "WorstCaseLoss", "MaxOffDiagonal")
]


def as_task(notion, objective, n):
    problem, made, wanted = some_pair(notion, objective, n, np.random.default_rng(n))
    return Task(made.inputs(problem), made, wanted)


@pytest.mark.thinned(12)
@pytest.mark.parametrize(("notion", "objective"), ASKED)
def test_known_mechanisms_are_private_and_the_best_of_them_is_no_worse_than_randomised_response(notion, objective):
    task = as_task(notion, objective, 5)
    names = {}
    for name, matrix in known_mechanisms.mechanisms(task):
        numerators = np.ldexp(matrix, 53).astype(np.int64)
        assert np.all(numerators.sum(axis=1) == 1 << 53) and task.notion.holds_exactly(numerators, task.problem)
        names[name] = max(names.get(name, -np.inf), known_mechanisms.utility_of(task, matrix))
    assert {"constant mechanism", "k-ary randomised response"} <= set(names)
    _, best = known_mechanisms.best(task)
    assert known_mechanisms.utility_of(task, best) == max(names.values())
    idle = task.objective.to_utility(task.objective.uninformative(task.problem), task.problem)
    assert max(names.values()) >= idle - 1e-12
    if task.objective.outputs(task.problem) in (None, 5):
        response = strongest_randomised_response(task.notion, task.problem)
        assert max(names.values()) >= known_mechanisms.utility_of(task, response) - 1e-12 * abs(idle)


def useless(candidate):
    """Return the candidate with the row of one output, or one decision, for every input, and no multipliers."""
    n, count = candidate.matrix.shape
    return replace(
        candidate,
        matrix=np.tile(np.eye(count)[0], (n, 1)),
        multipliers=replace(candidate.multipliers, rows=np.zeros(n)),
    )


def no_worse_than_known(task, route, change):
    """Return whether a design by the route, its candidate changed, is as good as the best known mechanism."""
    lying = changed(route, change)
    question = Question(task.problem, task.notion, task.objective)
    made = finishing.finished(question, task, lying, lying.solve(task))
    check_bound(made)
    _, best = known_mechanisms.best(task)
    return known_mechanisms.utility_of(task, made.by_decision) >= known_mechanisms.utility_of(task, best)


@pytest.mark.parametrize(
    ("notion", "objective"), [("LDP", "MMSE"), ("LIP", "ExpectedLoss"), ("LDP", "MaxOffDiagonal"), ("LIP", "MMSE")]
)
def test_a_design_that_misses_the_gap_is_no_worse_than_the_known_ones(notion, objective, monkeypatch):
    task = as_task(notion, objective, 5)
    route = routes.choose(task, "auto").route
    assert no_worse_than_known(task, route, useless)
    # Planted: the known mechanisms are not looked at.
    for others in ("mechanisms", "two_outputs"):
        monkeypatch.setattr(finishing, others, lambda task: iter(()))
    assert not no_worse_than_known(task, route, useless)


NAMED = ("randomised_response", "subset_selection", "hadamard_response", "unary_encoding")


def behind_the_named(notion, objective, n):
    """Return by what share of the value a design is worse than the best of the mechanisms in `baselines`."""
    problem = md.Problem(prior=np.full(n, 1.0 / n), values=range(n))
    made = md.design(problem, notion, objective)
    matrices = (getattr(md.baselines, name)(problem, notion.epsilon).matrix for name in NAMED)
    best = max(objective.to_utility(objective.value(matrix, problem), problem) for matrix in matrices)
    return (best - objective.to_utility(made.value, problem)) / abs(made.value)


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(0.7), md.MaxLift(0.5)], ids=str)
@pytest.mark.parametrize("objective", [*map(md.InformationDesign, "ADE"), md.MutualInformation()], ids=str)
def test_a_design_within_the_gap_is_no_worse_than_the_named_mechanisms(notion, objective):
    assert behind_the_named(notion, objective, 6) <= 1e-10


def test_what_is_at_hand_is_taken_inside_the_gap(monkeypatch):
    asked = md.LDP(1.0), md.InformationDesign("A"), 6
    assert behind_the_named(*asked) <= 1e-14
    # Planted: nothing is at hand, and the design is worse by what the solver left.
    monkeypatch.setattr(finishing, "quick_mechanisms", lambda task: iter(()))
    assert behind_the_named(*asked) > 1e-11


@pytest.mark.parametrize("objective", [md.AbsoluteError, md.HammingLoss])
def test_where_the_bound_is_trivial_the_better_mechanism_is_taken(objective, monkeypatch):
    """Of a search that was stopped at once the bound on a loss is 0, and then the gap of every mechanism is 1."""
    n = 5
    prior = np.append(0.9999, np.full(n - 1, 1e-4 / (n - 1)))
    task = Task(md.Problem(prior=prior, values=np.random.default_rng(n).normal(size=n)), md.LIP(1.0), objective())

    def trivial(question, problem, matrix, multipliers, route):
        return Certificate(task.objective.value(matrix, problem), 0.0, 1.0, route, multipliers)

    monkeypatch.setattr(finishing, "derive", trivial)
    question, even = Question(task.problem, task.notion, task.objective), np.full((n, n), 1.0 / n)
    proof = trivial(question, task.problem, even, Multipliers(np.zeros(n)), "columns")
    taken, again, name = finishing._no_worse_than_known(question, task, even, proof)
    assert again.value == pytest.approx(task.objective.uninformative(task.problem)) and name == "constant mechanism"
    assert known_mechanisms.utility_of(task, taken) >= known_mechanisms.utility_of(task, known_mechanisms.best(task)[1])


def test_the_next_solver_is_tried_where_the_gap_is_missed_by_little(monkeypatch):
    original = SOLVERS["HIGHS"].linear

    def imprecise(program, **options):
        found = original(program, **options)
        return replace(found, multipliers=found.multipliers + 1e-3 * np.abs(found.multipliers).max())

    problem = md.Problem(prior=[0.1, 0.3, 0.2, 0.15, 0.25], values=[0.0, 1.0, 3.0, 4.0, 9.0])
    monkeypatch.setitem(*taking("HIGHS", imprecise))
    asked = {"route": "rays", "gap": 1e-9}
    with pytest.warns(md.GapWarning):
        alone = md.design(problem, md.LIP(1.3), md.MutualInformation(), solver="HIGHS", **asked)
    assert 1e-9 < alone.gap < 0.5
    made = md.design(problem, md.LIP(1.3), md.MutualInformation(), solver=["HIGHS", "CLARABEL"], gap=1e-6, route="rays")
    assert [each.solver for each in made.attempts] == ["HIGHS", "CLARABEL"] and made.gap <= 1e-6


def test_value_and_bound_are_the_best_of_all_solvers(monkeypatch):
    problem, notion = md.Problem(prior=[0.1, 0.3, 0.2, 0.15, 0.25]), md.LIP(1.3)
    honest = md.design(problem, notion, md.MutualInformation(), route="rays")
    highs, clarabel = SOLVERS["HIGHS"].linear, SOLVERS["CLARABEL"].linear

    def without_multipliers(program, **options):
        found = highs(program, **options)
        return replace(found, multipliers=0.0 * found.multipliers)

    def without_point(program, **options):
        found = clarabel(program, **options)
        return replace(found, point=np.ones_like(found.point))

    monkeypatch.setitem(*taking("HIGHS", without_multipliers))
    monkeypatch.setitem(*taking("CLARABEL", without_point))
    made = md.design(problem, notion, md.MutualInformation(), route="rays", solver=["HIGHS", "CLARABEL"])
    assert made.value == pytest.approx(honest.value, rel=1e-9) and made.gap <= 1e-6
    check_bound(made)


def test_a_repair_that_lies_is_caught_by_the_audit(monkeypatch):
    # Good at a lower level, but one input never gives one output: no bound is passed, the audit alone sees it.
    problem, loss = md.Problem(prior=[0.3, 0.3, 0.4]), md.ExpectedLoss(1.0 - np.eye(3))
    revealing = np.array(strongest_randomised_response(md.LDP(0.4), problem))
    revealing[0] += [0.0, revealing[0, 2], -revealing[0, 2]]
    monkeypatch.setattr(finishing, "repair", lambda *_, **__: Repaired(revealing, 0.0))
    for others in ("mechanisms", "two_outputs"):
        monkeypatch.setattr(finishing, others, lambda task: iter(()))
    with pytest.raises(md.CertificateError, match="does not satisfy LDP"):
        md.design(problem, md.LDP(0.5), loss)


def test_what_a_route_needs_and_memory_lacks_is_a_failed_attempt(monkeypatch):
    def exhausted(_):
        raise MemoryError("7 GiB")

    monkeypatch.setitem(routes.ROUTES, "rays", changed(routes.ROUTES["rays"], exhausted))
    made = md.design(EVEN, md.LIP(1.0), md.MMSE())
    assert made.attempts[0].outcome == "failed: MemoryError: 7 GiB" and made.gap <= 1e-6 and made.route == "columns"


# Limits: what took far longer than its limit.

LONG = {
    "rays of deviations": (("ApproximateLDP",), "MutualInformation", 6),
    "certificate of a curved side": (("MutualInformationPrivacy", "MaxLift", "WorstCaseLIP"), "RenyiDivergence", 12),
    "certificate of a ball": (("MetricDP", "StrongChiSquare"), "ChiSquare", 12),
    "rays before a program": (("ApproximateLDP", "MaximalLeakage", "LDP"), "MaxOffDiagonal", 10),
}


def intersected(names, objective, n):
    pairs = [some_pair(name, objective, n, np.random.default_rng(3)) for name in names]
    notion = pairs[0][1]
    for _, other, _ in pairs[1:]:
        notion = notion & other
    return Question(pairs[0][0], notion, pairs[0][2], None)


@pytest.mark.thinned(18)
@pytest.mark.parametrize("name", LONG)
def test_intersections_keep_their_limit(name):
    check_punctual(intersected(*LONG[name]), 1.0, CountingClock(0.001))


def test_a_solver_that_goes_on_past_its_limit_is_no_reason_to_be_late(monkeypatch):
    clock, release = CountingClock(), threading.Event()

    def dawdling(*_, **__):
        clock.overrun.set()
        release.wait()
        clock.advance(3.0)
        raise md.SolverError("at last", status="crashed")

    monkeypatch.setitem(*taking("HIGHS", dawdling))
    question = Question(EVEN, md.LDP(1.0), md.MMSE(), None)
    check_time_limit(question, 0.5, clock, route="rays", solver="HIGHS", gap=1.0)
    release.set()
    # Planted: it is waited for.
    monkeypatch.setattr("mechdesign.runtime.native_call.or_leave", lambda run, *_, **__: run())
    with pytest.raises(AssertionError, match="took"):
        check_time_limit(question, 0.5, clock, route="rays", solver="HIGHS", gap=1.0)


# More time.

#: Twenty questions that take longer than a second or so.
HARD = [
    *[
        (("ApproximateLDP",), objective, n)
        for objective in ("MMSE", "MutualInformation", "ExpectedLoss")
        for n in (5, 9)
    ],
    *[(("LDP",), objective, 60) for objective in ("MutualInformation", "HistogramMMSE", "WorstCaseLoss")],
    *[(("LIP",), objective, 60) for objective in ("MutualInformation", "MMSE", "KLDivergence")],
    *[(("MutualInformationPrivacy", "LIP"), objective, 8) for objective in ("MMSE", "KLDivergence", "ExpectedLoss")],
    *[(("StrongChiSquare", "LIP"), objective, 8) for objective in ("MMSE", "ChiSquare")],
    (("MetricDP",), "AbsoluteError", 40),
    (("StrongL1",), "AbsoluteError", 60),
    (("MaximalLeakage",), "KLDivergence", 60),
]


def gaps_in_time(question, limits):
    """Return the gap and the utility at each limit, by a clock that counts looks; 1 and None where there is none."""
    found = []
    for limit in limits:
        with warnings.catch_warnings(), reading(CountingClock()):
            warnings.simplefilter("ignore", md.GapWarning)
            try:
                made = md.design(question.problem, question.notion, question.objective, time_limit=limit)
            except (md.SolverError, md.UnsupportedError):
                found.append((1.0, None))
                continue
        found.append((made.gap, question.objective.to_utility(made.value, question.notion.inputs(question.problem))))
    return found


def is_no_worse(first, second):
    """Tell whether the second design is no worse than the first: its value, as far as the first one's gap tells it."""
    (gap, reached), (wider, later) = first, second
    if reached is None:
        return True
    return later is not None and wider <= 1.1 * gap + 1e-3 and later >= reached - (gap + 1e-3) * abs(reached)


@pytest.mark.thinned(4)
@pytest.mark.parametrize("names, objective, n", HARD, ids=str)  # noqa: PT006
def test_more_time_is_never_a_worse_answer(names, objective, n):
    assert len(HARD) == 20
    found = gaps_in_time(intersected(names, objective, n), (0.5, 2.0, 8.0))
    assert all(is_no_worse(*pair) for pair in pairwise(found)), f"gap and utility at 0.5, 2 and 8 s are {found}"


def test_an_answer_that_is_worse_for_more_time_is_seen():
    assert is_no_worse((0.2, 1.0), (0.1, 1.1)) and is_no_worse((1.0, None), (0.5, 1.0))
    assert not is_no_worse((5e-4, 1.0), (1.0, 1.0)) and not is_no_worse((1e-6, 1.0), (1e-6, 0.9))
    assert not is_no_worse((5e-4, 1.0), (1.0, None))


def test_answers_of_failed_solvers_are_of_the_last_resort_alone():
    assert answering.NOT_TRIED == ("not installed", "not offered")
    with pytest.raises(md.SolverError, match="takes linear programs only"):
        md.design(EVEN, md.StrongChiSquare(0.5), md.MaxOffDiagonal(), route="convex", solver="HIGHS")
