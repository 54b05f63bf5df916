"""What has a finite value without a time limit has one within any, and is not called impossible."""

import math
import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve.programs import over_weights
from mechdesign.solve.routes import weights
from mechdesign.studies import least_level
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import check_bound
from mechdesign.testing.sized import NOTIONS, sized_problem

#: Objectives that are infinite where the output is constant: of the others every mechanism has a finite value.
CRITERIA = ("A", "D", "E", "c")
#: Seconds, on a clock on which each look takes a hundredth: from nothing to some rounds.
LIMITS = (0.0, 0.05, 0.2, 0.6)


def designed(problem, notion, objective, limit):
    with warnings.catch_warnings(), reading(CountingClock()):
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(problem, notion, objective, time_limit=limit)


def check_finite(problem, notion, objective, limits=LIMITS):
    for limit in limits:
        made = designed(problem, notion, objective, limit)
        assert made.audit.holds and math.isfinite(made.value), limit
        check_bound(made)


@pytest.mark.thinned(40)
@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("n", [4, 12])
def test_every_notion_has_a_finite_value_within_any_time(notion, criterion, n):
    problem = sized_problem(n, np.random.default_rng(n))
    made = NOTIONS[notion](problem, np.random.default_rng(n))
    if made is None:
        pytest.skip("it has two inputs")
    if isinstance(made, md.ProfileDP | md.CentralizedIP):
        problem = md.Problem(values=problem.values)
    check_finite(problem, made, md.InformationDesign(criterion))


def without_weights(monkeypatch):
    """Let the solver of the route `weights` be stopped before it has any: all are zero, and nothing is identified."""
    usable = over_weights._usable
    monkeypatch.setattr(over_weights, "_usable", lambda claimed, stats: 0.0 * usable(claimed, stats))


@pytest.mark.parametrize("criterion", ["A", "D", "E"])
def test_weights_of_a_solver_that_was_stopped_say_nothing_of_other_mechanisms(criterion, monkeypatch):
    without_weights(monkeypatch)
    made = md.design(md.Problem(n=4), md.LDP(1.0), md.InformationDesign(criterion))
    assert math.isfinite(made.value) and "identify not all frequencies" in made.attempts[0].outcome


def test_nor_does_a_calibration_take_them_for_impossible(monkeypatch):
    problem, asked = md.Problem(n=4), md.InformationDesign("A")
    whole = md.calibrate(problem, md.LDP, asked, 3.0, tolerance=0.1)
    without_weights(monkeypatch)
    found = md.calibrate(problem, md.LDP, asked, 3.0, tolerance=0.1)
    assert found.impossible_below <= whole.level and found.level >= whole.impossible_below
    assert found.design.value <= 3.0


def test_planted_a_route_that_calls_a_finite_question_impossible_is_refuted(monkeypatch):
    def impossible(task, *_):
        raise over_weights.no_information(task)

    monkeypatch.setattr(weights, "informative", impossible)
    problem = md.Problem(n=4)
    assert math.isfinite(md.design(problem, md.LDP(1.0), md.InformationDesign("A")).value)
    # Where there is none indeed, that is said.
    with pytest.raises(md.InfeasibleError, match="singular"):
        md.design(problem, md.LDP(0.0), md.InformationDesign("A"))


def test_a_mean_of_many_values_is_as_good_as_by_stochastic_rounding_within_any_time():
    problem, asked = md.Problem(n=40, values=range(40)), md.InformationDesign("c")
    known = asked.value(md.baselines.stochastic_rounding(problem, 1.0).matrix, problem)
    for limit in LIMITS:
        assert designed(problem, md.LDP(1.0), asked, limit).value <= 1.1 * known


def test_a_mean_is_calibrated_though_the_least_level_has_no_value():
    found = md.calibrate(md.Problem(n=3, values=range(3)), md.LDP, md.InformationDesign("c"), 3.0, tolerance=0.1)
    assert found.closed and found.design.value <= 3.0


def test_a_target_that_is_not_proved_out_of_reach_is_not_called_so_where_time_is_over(monkeypatch):
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=range(3))
    monkeypatch.setattr(least_level, "is_late", lambda: True)
    with pytest.raises(md.InfeasibleError, match="target -1"):
        md.calibrate(problem, md.LDP, md.MMSE(), -1.0)
    monkeypatch.setattr(least_level, "misses", lambda made, target: False)
    with pytest.raises(md.SolverError, match=r"time limit passed before .* raise time_limit"):
        md.calibrate(problem, md.LDP, md.MMSE(), -1.0)
