"""The same question put otherwise gets the same answer: other names of a notion, other orders and splits of inputs."""

import math
import warnings
from functools import cache
from itertools import cycle

import numpy as np
import pytest

import mechdesign as md
from mechdesign.notions.plain import plain
from mechdesign.testing import sized

LEVEL, INFINITE = 1.0, math.inf


def unit(n):
    return 1.0 - np.eye(n)


def identity(problem):
    return problem.hidden(data_given_secret=np.eye(problem.n))


#: Other names of each notion: of a problem, the notion and the problem that it is asked of.
NAMES = {
    "LDP": {
        "worst prior": lambda p: (md.WorstCaseLIP(LEVEL), p),
        "one block": lambda p: (md.BlockLDP(LEVEL, [range(p.n)]), p),
        "unit distance": lambda p: (md.MetricDP(LEVEL, unit(p.n)), p),
        "twice the distance": lambda p: (md.MetricDP(LEVEL / 2, 2 * unit(p.n)), p),
        "twice": lambda p: (md.LDP(LEVEL) & md.LDP(LEVEL), p),
        "a weaker one beside": lambda p: (md.LDP(1.5 * LEVEL) & md.WorstCaseLIP(LEVEL), p),
        "all sensitive": lambda p: (md.UtilityOptimizedLDP(LEVEL, range(p.n)), p),
        "no delta": lambda p: (md.ApproximateLDP(LEVEL, 0.0), p),
        "any prior": lambda p: (md.BoundedPriorLIP(LEVEL, np.zeros(p.n), np.ones(p.n)), p),
        "the input as secret": lambda p: (md.LDP(LEVEL), identity(p)),
    },
    "LIP": {
        "two equal sides": lambda p: (md.AsymmetricLIP(LEVEL, LEVEL), p),
        "twice": lambda p: (md.LIP(LEVEL) & md.LIP(LEVEL), p),
        "sides of two": lambda p: (md.AsymmetricLIP(LEVEL, 2.0) & md.AsymmetricLIP(2.0, LEVEL), p),
        "one prior": lambda p: (md.BoundedPriorLIP(LEVEL, p.prior, p.prior), p),
        "the input as secret": lambda p: (md.LIP(LEVEL), p.hidden(np.eye(p.n))),
    },
    "MaxLift": {
        "one side": lambda p: (md.AsymmetricLIP(INFINITE, LEVEL), p),
        "twice": lambda p: (md.MaxLift(LEVEL) & md.MaxLift(2.0), p),
    },
    "MutualInformationPrivacy": {
        "twice": lambda p: (md.MutualInformationPrivacy(LEVEL) & md.MutualInformationPrivacy(LEVEL), p),
        "the input as secret": lambda p: (md.MutualInformationPrivacy(LEVEL), p.hidden(np.eye(p.n))),
    },
}
EACH = [(of, name) for of, names in NAMES.items() for name in names]


@cache
def problem(n):
    # Dyadic, so that the prior of the secret is the problem's own to the last bit.
    prior = np.arange(1.0, n + 1)
    prior[-1] += 2 ** math.ceil(math.log2(prior.sum())) - prior.sum()
    return md.Problem(prior=prior / prior.sum(), values=np.sqrt(np.arange(n)))


def objective(name, n):
    return sized.OBJECTIVES[name](problem(n), np.random.default_rng(n))


def asked(problem, notion, objective, **keywords):
    """Return the design, or the refusal of a pair that no route answers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        try:
            return md.design(problem, notion, objective, **keywords)
        except md.UnsupportedError as error:
            return error


@cache
def answer(of, name, n):
    return asked(problem(n), getattr(md, of)(LEVEL), objective(name, n))


def assert_same(of, name, kind, n):
    """Assert that a question under another name has the same answer, to the last bit."""
    known, (notion, over) = answer(of, kind, n), NAMES[of][name](problem(n))
    found = asked(over, notion, objective(kind, n))
    assert type(found) is type(known), (kind, found)
    if isinstance(found, md.UnsupportedError):
        assert over.is_hidden or "asks the same here as" in str(found)
        return
    claims = [(made.value, made.bound, made.gap, made.route) for made in (found, known)]
    assert claims[0] == claims[1], kind
    assert np.array_equal(found.matrix, known.matrix), kind
    # What was asked for is what is checked, and what is kept.
    assert found.mechanism.question.notion == notion and found.mechanism.question.problem == over
    assert found.audit.holds and found.audit.notion == notion


@pytest.mark.thinned(12)
@pytest.mark.parametrize(("of", "name"), EACH)
def test_another_name_of_a_notion_has_the_same_answer(of, name):
    for kind in sized.OBJECTIVES:
        assert_same(of, name, kind, 3)


@pytest.mark.parametrize("n", [3, 12, 20, 60])
@pytest.mark.parametrize(("of", "name"), EACH)
def test_another_name_of_a_notion_has_the_same_plain_form(of, name, n):
    notion, over = NAMES[of][name](problem(n))
    assert plain(notion, notion.inputs(over)) == (getattr(md, of)(LEVEL), problem(n))


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 20])
@pytest.mark.parametrize("of", NAMES)
def test_every_objective_has_the_same_answer_under_one_of_the_names(of, n):
    # Each objective under another one, in turn: their plain forms are the same question.
    for kind, name in zip(sized.OBJECTIVES, cycle(NAMES[of]), strict=False):
        assert_same(of, name, kind, n)


@pytest.mark.slow
@pytest.mark.parametrize("of", ["LDP", "LIP", "MaxLift"])
def test_sixty_inputs_have_the_same_answer_under_other_names(of):
    kinds = ("MMSE", "MutualInformation", "KLDivergence", "ErrorProbability", "AbsoluteError")
    for kind, name in zip(kinds, cycle(NAMES[of]), strict=False):
        assert_same(of, name, kind, 60)


@pytest.mark.parametrize(("of", "name"), EACH)
def test_a_file_speaks_of_the_notion_that_was_asked_for(of, name, tmp_path):
    notion, over = NAMES[of][name](problem(3))
    made = asked(over, notion, md.MMSE()).mechanism
    assert made == md.load(made.save(tmp_path / "asked.mechanism.json"))
    assert made.question.notion == notion


def test_the_reason_names_what_was_asked_instead():
    made = md.design(problem(3), md.WorstCaseLIP(LEVEL), md.MMSE())
    assert made.reason.endswith("; WorstCaseLIP asks the same here as LDP(epsilon=1)")
    assert "asks the same" not in answer("LDP", "MMSE", 3).reason


def test_a_frontier_is_that_of_the_notion_that_was_asked_for():
    levels = [0.3, 0.8, 1.5]
    one, other = (md.frontier(problem(6), kind, md.MMSE(), levels) for kind in (md.LDP, md.WorstCaseLIP))
    assert [made.value for made in one] == [made.value for made in other]
    assert [made.audit.notion for made in other] == [md.WorstCaseLIP(level) for level in levels]


#: Not equal, though nearly: each keeps its own form.
ALMOST = {
    "two blocks": (md.BlockLDP(LEVEL, [(0, 1), (2, 3)]), problem(4)),
    "a secret left out": (md.BlockLDP(LEVEL, [(0, 1, 2)]), problem(4)),
    "a pair further apart": (md.MetricDP(LEVEL, unit(4) + np.fliplr(np.eye(4)) * np.spacing(1.0)), problem(4)),
    "a rounded distance": (md.MetricDP(0.1, 0.3 * unit(4)), problem(4)),
    "an input not sensitive": (md.UtilityOptimizedLDP(LEVEL, (0, 1, 2)), problem(4)),
    "a little delta": (md.ApproximateLDP(LEVEL, 1e-300), problem(4)),
    "sides that differ by a bit": (md.AsymmetricLIP(LEVEL, np.nextafter(LEVEL, 2.0)), problem(4)),
    "the lower side": (md.AsymmetricLIP(LEVEL, INFINITE), problem(4)),
    "no prior to be relative to": (md.BoundedPriorLIP(LEVEL, [0.25] * 4, [0.25] * 4), md.Problem(n=4)),
    "another prior": (md.BoundedPriorLIP(LEVEL, [0.25] * 4, [0.25] * 4), md.Problem(prior=[0.25 - 1e-10] + [0.25] * 3)),
    "not every prior": (md.BoundedPriorLIP(LEVEL, [0.0] * 4, [1.0, 1.0, 1.0, 1 - 1e-15]), problem(4)),
    "two notions": (md.LDP(LEVEL) & md.LIP(LEVEL), problem(4)),
    "two epsilons": (md.ApproximateLDP(LEVEL, 0.1) & md.ApproximateLDP(LEVEL / 2, 0.2), problem(4)),
}


@pytest.mark.parametrize("what", ALMOST)
def test_what_is_not_equal_keeps_its_form(what):
    notion, over = ALMOST[what]
    assert plain(notion, notion.inputs(over)) == (notion, notion.inputs(over))


def test_a_subclass_is_not_taken_for_what_it_is_derived_from():
    class Stricter(md.WorstCaseLIP):
        pass

    assert plain(Stricter(LEVEL), problem(3))[0] == Stricter(LEVEL)


#: Notions that treat inputs alike, and objectives that do but for prior and values.
ALIKE = (
    md.LDP(LEVEL),
    md.LIP(LEVEL),
    md.MaxLift(0.5),
    md.AsymmetricLIP(LEVEL, 0.5),
    md.MaximalLeakage(0.3),
    md.MutualInformationPrivacy(0.1),
    md.StrongL1(0.5),
    md.StrongChiSquare(0.5),
    md.ApproximateLDP(0.5, 0.2),
)
GOALS = (
    md.MMSE(),
    md.AbsoluteError(),
    md.MutualInformation(),
    md.HistogramMMSE(),
    md.ErrorProbability(),
    md.LeakageLoss(),
)


def assert_near(one, other):
    """Assert that two answers to one question are as near as their certificates allow, and certified."""
    assert type(one) is type(other), (one, other)
    if isinstance(one, md.Design):
        size = max(abs(one.value), abs(one.bound), 1e-9)
        assert abs(one.value - other.value) <= (one.gap + other.gap + 1e-12) * size, (one, other)
        assert max(one.gap, other.gap) <= 1e-5


@pytest.mark.thinned(18)
@pytest.mark.parametrize("notion", ALIKE, ids=str)
def test_inputs_in_another_order_have_the_same_value(notion, rng):
    given = sized.sized_problem(4, rng)
    order = rng.permutation(4)
    moved = md.Problem(prior=given.prior[order], values=given.values[order])
    for goal in GOALS:
        assert_near(asked(given, notion, goal), asked(moved, notion, goal))


def test_labels_change_nothing(rng):
    given = sized.sized_problem(4, rng)
    named = md.Problem(prior=given.prior, values=given.values, labels=["a", "b", "c", "d"])
    for notion in ALIKE:
        one, other = (asked(over, notion, md.MMSE()) for over in (given, named))
        assert (one.value, one.bound) == (other.value, other.bound) and np.array_equal(one.matrix, other.matrix)


@pytest.mark.parametrize("notion", ALIKE, ids=str)
def test_an_input_split_in_two_that_nothing_tells_apart_changes_no_value(notion, rng):
    given = sized.sized_problem(3, rng)
    parts, loss = [0, 1, 2, 2], rng.exponential(size=(3, 4))
    split = md.Problem(prior=given.prior[parts] * [1, 1, 0.25, 0.75], values=given.values[parts])
    for one, other in (
        (md.MMSE(),) * 2,
        (md.AbsoluteError(),) * 2,
        (md.ExpectedLoss(loss), md.ExpectedLoss(loss[parts])),
    ):
        assert_near(asked(given, notion, one), asked(split, notion, other))


@pytest.mark.parametrize("name", NAMES["LDP"])
def test_rivals_are_those_of_the_notion_under_its_other_name(name):
    known = md.design(problem(3), md.LDP(LEVEL), md.MMSE()).rivals
    notion, over = NAMES["LDP"][name](problem(3))
    found = md.design(over, notion, md.MMSE()).rivals
    assert [(one.name, one.value, one.private) for one in found] == [
        (one.name, one.value, one.private) for one in known
    ]
