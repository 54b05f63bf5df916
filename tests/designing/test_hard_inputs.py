"""Ties, no spread, spreads of 1e-12 and 1e12, one atom of nearly everything; nothing may be told, or all; any size."""

import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.testing.clock import CountingClock

LEVELS = (0.0, 1.0, 50.0)
NOTIONS = (md.LDP, md.LIP, md.MaxLift)
#: What is left of an error next to 0: rounding of numbers of order one, and a solver's tolerance beside the span.
ROUNDING, SOLVED = 1e-13, 1e-9
#: Seconds of a clock that counts looks after which the best so far is taken, and its gap for what it is.
LIMIT = 1.0


def families(n, rng):
    """Return an objective of each family that n inputs can have."""
    first, second = (rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n for _ in range(2))
    direction = rng.normal(size=n)
    found = [md.MMSE(), md.AbsoluteError(), md.ErrorProbability(), md.MutualInformation(), md.HistogramMMSE()]
    found += [md.KLDivergence(first, second), md.TotalVariation(first, second)]
    found += [md.ExpectedLoss(rng.exponential(size=(n, 3))), md.WorstCaseLoss(rng.exponential(size=(n, 3)))]
    if n > 1:
        found.append(md.FisherInformation(second, direction - direction.mean()))
    return found


def problems(n, rng):
    """Return problems by what is hard about them; of many inputs, those of which size makes a difference."""
    prior, values = rng.dirichlet(np.ones(n)) * 0.9 + 0.1 / n, rng.normal(size=n)
    found = {
        "ties": (prior, np.round(values)),
        "no spread": (prior, np.full(n, 3.0)),
        "tiny": (prior, 1e-12 * values),
        "huge": (prior, 1e12 * values),
    }
    if n > 1:
        found["atom"] = (np.append(0.9999, np.full(n - 1, 1e-4 / (n - 1))), values)
    kept = found if n < 100 else {what: found[what] for what in ("ties", "no spread", "atom")}
    return {what: md.Problem(prior=p / p.sum(), values=v) for what, (p, v) in kept.items()}


def silent(made):
    """Tell whether the mechanism ignores its input, to the last bit."""
    return bool(np.all(made.matrix == made.matrix[0]))


def held(made, what, level, limited):
    """Assert what has to be so of any answer: privacy, two sides that hold the truth, a gap that says how far apart."""
    question = made.mechanism.question
    problem, objective = question.problem, question.objective
    idle, most = objective.uninformative(problem), objective.no_privacy(problem)
    span = abs(most - idle)
    # Errors of values are in their unit, all others have numbers of order one in them.
    size = max(abs(idle), span, 0.0 if isinstance(objective, md.MMSE | md.AbsoluteError) else 1.0)
    rounding = ROUNDING * max(1.0, problem.n / 10) * size
    sign = 1.0 if objective.sense == "maximise" else -1.0
    width = sign * (made.bound - made.value)
    assert made.audit.holds and np.all(made.matrix.sum(axis=1) == 1) and width >= 0
    assert sign * (made.value - idle) >= -rounding
    assert sign * (most - made.value) >= -rounding
    told = width / max(abs(made.value), abs(made.bound), 1e-6 * span, 1e-300)
    assert told <= max(made.gap * (1 + 1e-9), 2e-7)
    nothing_left = width <= max(rounding, SOLVED * span)
    # Where rays are too many, what is certified may be wider than asked, or the time was up.
    wider = limited and made.route in {"lifts", "subsets", "convex", "columns", "known"}
    assert made.gap <= 1e-6 or nothing_left or wider
    if level == 0.0 or (what == "no spread" and isinstance(objective, md.MMSE | md.AbsoluteError)):
        assert silent(made)
        # A constant mechanism may mix decisions, and then do better than the best of them under the worst prior.
        assert isinstance(objective, md.WorstCaseLoss) or abs(made.value - idle) <= rounding
    if level == 50.0 and not limited:
        assert made.value == pytest.approx(most, rel=1e-9, abs=max(rounding, SOLVED * span))


def all_of(n, kind, level, limited=False, **keywords):
    rng = np.random.default_rng(n)
    for what, problem in problems(n, rng).items():
        for objective in families(n, rng):
            if what in {"no spread", "tiny", "huge"} and not isinstance(objective, md.MMSE | md.AbsoluteError):
                # Of these the values alone are special.
                continue
            with warnings.catch_warnings(), reading(CountingClock()):
                warnings.simplefilter("ignore", md.GapWarning)
                made = md.design(problem, kind(level), objective, **keywords)
            try:
                held(made, what, level, limited)
            except AssertionError as error:
                raise AssertionError(f"{what}, {objective}: {error}") from error


@pytest.mark.thinned(4)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", NOTIONS)
@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_inputs(n, kind, level):
    all_of(n, kind, level)


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(("n", "kind"), [(30, md.LDP), (30, md.LIP), (30, md.MaxLift), (300, md.LDP), (300, md.LIP)])
def test_many_inputs(n, kind, level):
    all_of(n, kind, level, limited=True, time_limit=LIMIT)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", NOTIONS)
@pytest.mark.parametrize("n", [2, 300])
def test_where_no_value_can_be_told_the_mechanism_says_nothing(n, kind):
    """What is of no use is not told: a solver's vertex would give the input away for nothing."""
    problem = md.Problem(prior=np.full(n, 1 / n), values=np.full(n, 7.0))
    made = md.design(problem, kind(1.0), md.MMSE())
    assert silent(made) and (made.value, made.gap) == (0.0, 0.0)
    # Where the best guess is the same whatever is told, it is as well.
    sure = md.Problem(prior=np.append(0.9999, np.full(n - 1, 1e-4 / (n - 1))))
    assert silent(md.design(sure, kind(0.5), md.ErrorProbability()))


def test_a_silent_matrix_that_is_worse_is_not_taken():
    problem = md.Problem(prior=[0.5, 0.5], values=[0.0, 1e-6])
    made = md.design(problem, md.LDP(1e-3), md.MMSE())
    assert not silent(made) and made.value < md.MMSE().uninformative(problem)


@pytest.mark.parametrize("wrong", ["gap", "leak", "better"])
def test_wrong_answers_are_caught(wrong):
    from dataclasses import replace

    problem = problems(5, np.random.default_rng(5))["ties"]
    made = md.design(problem, md.LDP(1.0), md.MMSE())
    held(made, "ties", 1.0, False)
    if wrong == "leak":
        with pytest.raises(AssertionError):
            held(made, "ties", 0.0, False)
        return
    off = 1e-5 * made.value
    liar = replace(made, bound=made.bound - off) if wrong == "gap" else replace(made, value=made.value - off)
    with pytest.raises(AssertionError):
        held(liar, "ties", 1.0, False)
