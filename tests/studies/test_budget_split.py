"""A budget between several questions: private together, no split better than the bound, never worse than equal."""

import math
import warnings
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.studies.split_search import Search
from mechdesign.testing.clock import CountingClock

SIX, TWO = md.Problem(labels=list("abcdef")), md.Problem(labels=["no", "yes"])
SMALL = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 5])
COIN = md.Problem(prior=[0.4, 0.6], values=[0, 1])
RATES = md.InformationDesign("A")


def variance(n, epsilon):
    """Return the least variance of all frequencies of n equally frequent answers, by the sizes of subset selection."""
    E = math.exp(epsilon)
    found = []
    for k in range(1, n):
        p = k * E / (k * E + n - k)
        q = (k - 1) * p / (n - 1) + (1 - p) * k / (n - 1)
        found.append(n * (k / n) * (1 - k / n) / (p - q) ** 2)
    return min(found)


@pytest.fixture(scope="module")
def both():
    return md.split_budget([SIX, TWO], md.LDP(2.0), RATES)


def check(made, budget, sums):
    """Raise unless a split keeps its budget, is worth what it says, and none of `sums` passes its bound."""
    assert sum(map(Fraction, made.levels.tolist())) <= Fraction(budget)
    for design in made.designs:
        assert md.audit(design).holds
    assert md.audit(made.mechanism, md.LDP(budget)).holds
    value = sum(weight * design.value for weight, design in zip(made.weights, made.designs, strict=True))
    assert made.value == pytest.approx(value, rel=1e-12)
    sign = 1 if made.designs[0].mechanism.asked.objective.sense == "minimise" else -1
    assert sign * made.value <= sign * made.equal * (1 + 1e-9 * sign)
    assert sign * made.bound <= sign * made.value
    assert made.gap >= abs(made.value - made.bound) / max(abs(made.value), abs(made.bound)) * (1 - 1e-12)
    for reached in sums:
        assert sign * made.bound <= sign * reached + 1e-9 * abs(reached), "another split passes the bound"


def split_sums(problems, objective, budget, shares, weights=(1.0, 1.0)):
    """Return the sums that other splits reach, each by designs of its own."""
    found = []
    for share in shares:
        levels = (share * budget, (1 - share) * budget)
        made = [md.design(p, md.LDP(e), objective) for p, e in zip(problems, levels, strict=True)]
        found.append(sum(w * each.value for w, each in zip(weights, made, strict=True)))
    return found


SHARES = (0.05, 0.3, 0.5, 0.6, 0.66, 0.675, 0.7, 0.8, 0.95)


@pytest.mark.slow
def test_no_other_split_passes_the_bound(both):
    assert both.gap <= 0.01 and both.complete
    check(both, 2.0, split_sums([SIX, TWO], RATES, 2.0, SHARES))


def test_the_best_split_by_the_published_variances(both):
    """Subset selection's variance, minimised over a fine grid: the split is within its gap of that."""
    best = min(variance(6, 2.0 * s) + variance(2, 2.0 * (1 - s)) for s in np.linspace(0.3, 0.95, 2000))
    assert both.bound <= best * (1 + 1e-9) and both.value <= best * (1 + both.gap)


@pytest.mark.parametrize("objective", [md.MMSE(), md.MutualInformation(), md.AbsoluteError()], ids=str)
def test_objectives_of_both_senses(objective):
    made = md.split_budget([SMALL, COIN], md.LDP(1.3), objective, weights=[1.0, 4.0])
    check(made, 1.3, split_sums([SMALL, COIN], objective, 1.3, SHARES, (1.0, 4.0)))


@pytest.mark.slow
def test_three_questions_and_a_budget_that_is_no_short_number():
    made = md.split_budget([md.Problem(n=3), TWO, TWO], md.LDP(1.1), RATES, gap=0.1)
    check(made, 1.1, ())
    # The two coins are alike, and so are their levels.
    assert made.levels[1] == pytest.approx(made.levels[2], rel=0.2)


def test_a_weight_draws_the_budget_to_its_question(both):
    heavy = md.split_budget([SIX, TWO], md.LDP(2.0), RATES, weights=[1.0, 20.0])
    assert heavy.levels[1] > both.levels[1] + 0.1


def test_reports_are_estimated_by_question_and_together(both):
    rng = np.random.default_rng(3)
    ages, smokes = rng.choice(list("abcdef"), 4000), np.where(rng.random(4000) < 0.3, "yes", "no")
    reports = both.sample([ages, smokes])
    assert reports.shape == (4000, 2)
    margins = both.estimate(reports)
    assert [each.problem.n for each in margins] == [6, 2]
    table = both.estimate_jointly(reports)
    assert table.problem.labels[:3] == ("a, no", "a, yes", "b, no")
    assert table.frequencies.sum() == pytest.approx(1.0)
    # Unbiased estimates of the table have the margins of those by question.
    joint = both.mechanism.estimate(
        np.ravel_multi_index(tuple(reports.T), (both.designs[0].matrix.shape[1], 2)), method="unbiased"
    )
    by_question = both.designs[1].mechanism.estimate(reports[:, 1], method="unbiased")
    np.testing.assert_allclose(joint.frequencies.reshape(6, 2).sum(axis=0), by_question.frequencies, atol=1e-9)


@pytest.mark.slow
def test_fewer_outputs_for_a_share_of_each_optimum(both):
    ten = md.Problem(n=10)
    few = md.split_budget([ten, TWO], md.LDP(2.0), RATES, gap=0.1, within=0.1)
    full = md.split_budget([ten, TWO], md.LDP(2.0), RATES, gap=0.1)
    assert few.designs[0].matrix.shape[1] < full.designs[0].matrix.shape[1]
    assert full.value <= few.value <= full.value * 1.12 and few.bound <= full.value
    check(few, 2.0, ())


def test_a_question_of_many_outputs_says_how_fewer_are_asked_for():
    many = md.Problem(n=13)
    made = md.split_budget([many, TWO], md.LDP(1.0), RATES, gap=0.3)
    outputs = made.designs[0].matrix.shape[1]
    assert outputs > 200 and f"A question has {outputs} outputs; within=0.02 asks for fewer." in str(made)
    few = md.split_budget([many, TWO], md.LDP(1.0), RATES, gap=0.3, within=0.02)
    assert few.designs[0].matrix.shape[1] <= 200 and "asks for fewer" not in str(few)
    check(few, 1.0, ())


def test_a_search_that_is_listened_to_says_how_far_it_has_come(capsys):
    made = md.split_budget([SMALL, COIN], md.LDP(1.3), md.MMSE(), verbose=True)
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("split: ")]
    assert said and "designs of at most 600, sum " in said[-1] and f"sum {made.value:.6g}" in said[-1]


def test_labels_that_would_be_alike_when_joined_are_left_out():
    odd = md.Problem(labels=["a", "a, b"]), md.Problem(labels=["b, c", "c"])
    made = md.split_budget(odd, md.LDP(1.0), RATES, gap=0.2)
    assert made.mechanism.inputs.labels is None and made.mechanism.inputs.n == 4


@pytest.mark.parametrize(
    ("problems", "notion", "objective", "keywords", "words"),
    [
        ([SIX], md.LDP(1.0), RATES, {}, "2 to 6 questions"),
        (SIX, md.LDP(1.0), RATES, {}, "sequence of problems"),
        ([SIX, "two"], md.LDP(1.0), RATES, {}, r"problems\[1\]"),
        ([SIX, TWO], md.LDP(0.0), RATES, {}, "positive level"),
        ([SMALL, COIN], md.LIP(1.0), RATES, {}, "levels add up"),
        ([SMALL, COIN], md.LDP(1.0), [RATES], {}, "one for all, or 2"),
        ([SMALL, COIN], md.LDP(1.0), [md.MMSE(), md.MutualInformation()], {}, "all minimised or all maximised"),
        ([SIX, TWO], md.LDP(1.0), RATES, {"weights": [1.0]}, "2 questions"),
        ([SIX, TWO], md.LDP(1.0), RATES, {"weights": [1.0, 0.0]}, r"weights\[1\] is 0"),
        ([SIX, TWO], md.LDP(1.0), RATES, {"gap": 0.0}, "gap is 0"),
        ([SIX, TWO], md.LDP(1.0), md.MMSE(), {}, "prior|values"),
        ([SIX, TWO], md.LDP(1.0), RATES, {"route": "nowhere"}, "route"),
        ([SIX, TWO], md.LDP(1.0), RATES, {"within": 2.0}, "within is 2"),
        ([SIX, TWO], md.LDP(1.0), RATES, {"thread": 2}, "threads"),
    ],
)
def test_what_is_no_question_is_refused(problems, notion, objective, keywords, words):
    with pytest.raises(md.MechdesignError, match=words):
        md.split_budget(problems, notion, objective, **keywords)


def test_a_hidden_secret_is_refused():
    hidden = SMALL.hidden(secret_given_data=[[0.9, 0.5, 0.2], [0.1, 0.5, 0.8]])
    with pytest.raises(md.UnsupportedError, match=r"problems\[0\] has a hidden secret"):
        md.split_budget([hidden, COIN], md.LDP(1.0), md.MMSE())


def test_reports_and_answers_of_another_shape_are_refused(both):
    for given in ([["a"]], [["a", "b"], ["no"]], "ab"):
        with pytest.raises(md.DomainError):
            both.sample(given)
    for given in ([[0]], [0, 1], [[0.5, 0.5]], [[0, 99]], [[-1, 0]]):
        for estimate in (both.estimate, both.estimate_jointly):
            with pytest.raises(md.DomainError):
                estimate(np.array(given))


def test_a_time_limit_leaves_a_true_bound():
    with reading(CountingClock(0.05)):
        made = md.split_budget([SMALL, COIN], md.LDP(1.3), md.MMSE(), gap=1e-3, time_limit=4.0)
    assert not made.complete
    check(made, 1.3, split_sums([SMALL, COIN], md.MMSE(), 1.3, SHARES))


def takes_lower_ends(search, box):
    """Bounds a box of splits by the designs at its lower ends."""
    return search._sum(box[0], "bound")


def takes_values(search, box):
    """Takes the value halfway for a bound."""
    middle = tuple((low + high) // 2 for low, high in zip(*box, strict=True))
    return search._sum(middle, "value")


@pytest.mark.parametrize("wrong", [takes_lower_ends, takes_values], ids=lambda wrong: wrong.__name__)
def test_planted_bounds_are_caught(wrong, monkeypatch):
    monkeypatch.setattr(Search, "_bound", wrong)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = md.split_budget([SMALL, COIN], md.LDP(1.3), md.MMSE(), gap=0.05)
    with pytest.raises(AssertionError, match="bound"):
        check(made, 1.3, split_sums([SMALL, COIN], md.MMSE(), 1.3, np.linspace(0.01, 0.99, 50)))


def test_different_quantities_are_added_with_weights_alone():
    number, answer = md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.Problem(labels=["no", "yes"])
    asked = [number, answer], md.LDP(1.0), [md.MMSE(), md.InformationDesign("A")]
    with pytest.raises(md.DomainError, match=r"InformationDesign and MMSE are added.*weights"):
        md.split_budget(*asked, gap=0.2)
    assert md.split_budget(*asked, weights=[10.0, 1.0], gap=0.2).gap <= 0.2
