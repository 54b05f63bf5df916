"""Random rules of one's own (`subject_to`) and random targets (`md.calibrate`) hold, or end in an error of ours.

A rule is drawn through a random private mechanism, which then is a rival that the bound must not exclude. More seeds:
``FUZZ_SEED=12345 python -m pytest -m 'slow or not slow' tests/designing/test_fuzz_rules_and_targets.py`` starts there.
"""

import contextlib
import os
import warnings
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue.drawn import random_prior
from mechdesign.runtime.deadline import reading
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import forget
from mechdesign.testing.random_problems import private_channel
from mechdesign.testing.sized import NOTIONS, OBJECTIVES
from mechdesign.tolerances import SUBJECT_TO
from tests.helpers.random_questions import private

START = int(os.environ.get("FUZZ_SEED", "0"))
#: Seeds in the gate, and in each slow part.
RULES, TARGETS, EACH = 24, 6, 60
#: A loss is linear in Q, so that rules on Q can be answered.
LINEAR = ("AbsoluteError", "HammingLoss", "ExpectedLoss", "WorstCaseLoss", "MaxOffDiagonal")
ONE_LEVEL = tuple(name for name in NOTIONS if name not in {"AsymmetricLIP", "ApproximateLDP", "Intersection"})
#: What is lost where a matrix is made private, and in sums of floats.
ROUNDING = 1e-7


class Rule:
    """One linear inequality that a random private mechanism of the same shape satisfies with equality."""

    def __init__(self, notion, problem, seed):
        self.notion, self.problem, self.seed = notion, problem, seed
        self.rival = self.coefficients = None

    def __call__(self, Q):
        rng = np.random.default_rng([23, self.seed])
        self.rival = private_channel(self.notion, self.notion.inputs(self.problem), Q.shape[1], rng)
        self.coefficients = rng.normal(size=Q.shape)
        return [cp.sum(cp.multiply(self.coefficients, Q)) <= self.at(self.rival)]

    def at(self, matrix):
        return float((self.coefficients * matrix).sum())


def small(seed, notions, objectives):
    """Return a problem of two to four inputs, a notion of its own size and an objective."""
    rng = np.random.default_rng([29, seed])
    notion, objective = str(rng.choice(notions)), str(rng.choice(objectives))
    n = 2 if notion == "WeightedTV" else int(rng.integers(2, 5))
    problem = md.Problem(prior=random_prior(n, rng), values=np.arange(n) * 1.0)
    made = NOTIONS[notion](problem, rng)
    asked_of = md.Problem(values=problem.values) if notion in {"ProfileDP", "CentralizedIP"} else problem
    return asked_of, made, OBJECTIVES[objective](md.Problem(n=n), rng), rng


def quietly(call, look=0.002):
    """Return what `call` returns, or the error of ours that it raises; fail at a warning that is not ours."""
    forget()
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        with reading(CountingClock(look)):
            try:
                ended = call()
            except md.MechdesignError as error:
                ended = error
    foreign = [str(warning.message) for warning in seen if warning.category is not md.GapWarning]
    assert not foreign, foreign
    return ended


def better(objective, first, second, least=0.0):
    """Return whether the first value is better than the second by more than `least`."""
    return first - second > least if objective.sense == "maximise" else second - first > least


def ruled(seed, design=None):
    """Ask one question under a random rule; return whether it was answered."""
    problem, notion, objective, _ = small(seed, list(NOTIONS), LINEAR)
    rule = Rule(notion, problem, seed)
    made = quietly(lambda: (design or md.design)(problem, notion, objective, subject_to=rule, time_limit=2.0))
    if isinstance(made, md.MechdesignError):
        # The rival keeps the rule: only a solver's failure and what is not offered are excuses.
        assert not isinstance(made, md.InfeasibleError), made
        return False
    assert made.audit.holds and private(notion, problem, np.asarray(made.matrix)) is not False, "not private"
    # Outputs of no mass are left out of the matrix.
    matrix = np.asarray(made.by_decision)
    inputs = notion.inputs(problem)
    if rule.rival.shape[1] != (objective.outputs(inputs) or matrix.shape[1]) or rule.rival.shape != matrix.shape:
        # Where several columns may share a decision, the rule is on columns that the design merges.
        return False
    assert rule.at(matrix) <= rule.at(rule.rival) + SUBJECT_TO * 10, "the rule is missed"
    size = max(abs(made.value), abs(made.bound), 1e-3)
    reached = objective.value(rule.rival, inputs)
    assert not better(objective, reached, made.bound, ROUNDING * size), "a rival passes the bound"
    assert not better(objective, made.value, made.bound, ROUNDING * size), "better than its bound"
    return True


def targeted(seed, calibrate=None):
    """Search for one random target; return whether the bracket was closed."""
    problem, notion, objective, rng = small(seed, ONE_LEVEL, list(OBJECTIVES))
    ends = [quietly(lambda at=at: md.design(problem, notion.at(at), objective, gap=0.5)) for at in (0.05, 2.0)]
    values = [end.value for end in ends if isinstance(end, md.Design)]
    if len(values) < 2:
        return None
    target = float(values[0] + rng.uniform(-0.2, 1.1) * (values[1] - values[0]))
    tolerance = float(rng.choice([0.3, 0.05]))
    found = quietly(lambda: (calibrate or md.calibrate)(problem, notion, objective, target, tolerance=tolerance))
    if isinstance(found, md.MechdesignError):
        return None
    reached = found.design
    # Reached up to the value's rounding, as the documentation says.
    slack = 1e-12 * abs(target)
    assert reached.audit.holds and not better(objective, target, reached.value, slack), "the target is missed"
    assert reached.mechanism.asked.notion.parameter == found.level, "the level is not the design's"
    assert found.level >= found.impossible_below
    if found.closed and found.impossible_below:
        assert found.level - found.impossible_below <= tolerance * found.level
    asked = notion.at(found.impossible_below)
    inputs = asked.inputs(problem)
    if found.impossible_below < found.level:
        for _ in range(3):
            with contextlib.suppress(md.MechdesignError):
                rival = private_channel(asked, inputs, int(rng.integers(2, 4)), rng)
                value = best_decided(objective, rival, inputs)
                assert value is None or better(objective, target, value), "the impossible was reached"
    return found.closed


def best_decided(objective, matrix, problem):
    """Return the value of a matrix where its outputs need no decisions, None elsewhere."""
    return None if objective.outputs(problem) is not None else objective.value(matrix, problem)


def judged(check, seeds):
    """Return how each seed ended, and fail with all that went wrong."""
    wrong, ends = [], []
    for seed in seeds:
        try:
            ends.append(check(seed))
        except Exception as error:  # noqa: BLE001 - all are listed, and fail below
            wrong.append(f"FUZZ_SEED={seed}: {type(error).__name__}: {error}")
    assert not wrong, "\n\n".join(wrong)
    return ends


def test_random_questions_with_rules_hold():
    assert sum(judged(ruled, range(START, START + RULES))) >= RULES / 2


def test_random_targets_are_bracketed():
    ends = judged(targeted, range(START, START + TARGETS))
    assert sum(end is True for end in ends) >= TARGETS / 3, ends


@pytest.mark.slow
@pytest.mark.parametrize("part", range(6))
def test_many_random_questions_with_rules_and_targets_hold(part):
    first = START + 1000 + part * EACH
    judged(ruled, range(first, first + EACH))
    judged(targeted, range(first, first + EACH // 2))


def test_a_rule_that_was_dropped_is_caught():
    def dropped(problem, notion, objective, subject_to, **keywords):
        subject_to(cp.Variable((problem.n, problem.n)))
        return md.design(problem, notion, objective, route="convex", **keywords)

    with pytest.raises(AssertionError, match="the rule is missed"):
        judged(lambda seed: ruled(seed, dropped), range(RULES))


def test_a_bound_that_excludes_the_rival_is_caught():
    def bold(problem, notion, objective, **keywords):
        made = md.design(problem, notion, objective, **keywords)
        return replace(made, bound=made.value + (0.3 if objective.sense == "minimise" else -0.3) * abs(made.value))

    with pytest.raises(AssertionError, match="a rival passes the bound"):
        judged(lambda seed: ruled(seed, bold), range(RULES))


@pytest.mark.slow
def test_a_level_that_misses_the_target_is_caught():
    def eager(*arguments, **keywords):
        found = md.calibrate(*arguments, **keywords)
        return replace(found, level=found.level / 2, impossible_below=found.impossible_below / 2)

    with pytest.raises(AssertionError, match="the level is not the design's"):
        judged(lambda seed: targeted(seed, eager), range(4))
