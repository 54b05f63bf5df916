"""`md.implies`: rules hold on random mechanisms, counterexamples are exact, and constants are the best."""

from __future__ import annotations

import contextlib
import itertools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest
from flint import arb, ctx

import mechdesign as md
from mechdesign.catalogue import card_of, same_level, twice_the_level
from mechdesign.notions.base import Level
from mechdesign.parameters import Real
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.studies.implications import Implication
from mechdesign.testing.catalogue import all_notions
from mechdesign.testing.random_problems import private_channel
from mechdesign.testing.sized import NOTIONS, sized_problem

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5])
#: Each rule of a card with the name of the notion that it implies.
RULES = [(name, rule) for name, member in all_notions().items() for rule in card_of(member).implied_by]


def test_the_rule_of_twice_and_its_best_constant():
    assert md.implies(md.LIP(1.0), md.LDP(2.0), PROBLEM)
    shown = md.implies(md.LIP(0.5), md.LDP(0.99), PROBLEM)
    assert shown.answer == "no" and not shown
    assert md.audit(shown.matrix, md.LIP(0.5), PROBLEM).holds
    column_ratio = max(Fraction(float(a)) / Fraction(float(b)) for col in shown.matrix.T for a in col for b in col)
    assert column_ratio > Fraction(math.exp(0.99))


def test_ldp_implies_lip_at_its_own_level_and_on_this_problem_less():
    assert md.implies(md.LDP(1.0), md.LIP(1.0), PROBLEM).reason.startswith("Jiang, Li, Tandon 2018")
    # A column (1, e) under the prior p has the lift e / (1 - p + p e); the least atom gives the most.
    p, e = 0.2, math.e
    largest = max(math.log(e / (1 - p + p * e)), -math.log(1 / (0.2 + 0.8 * e)))
    assert md.implies(md.LDP(1.0), md.LIP(largest + 1e-6), PROBLEM).answer == "yes"
    assert md.implies(md.LDP(1.0), md.LIP(largest - 1e-3), PROBLEM).answer == "no"


def test_a_notion_implies_itself_and_weaker_ones():
    assert md.implies(md.LDP(1.0), md.LDP(1.0), PROBLEM)
    assert md.implies(md.LDP(1.0), md.LDP(1.5), PROBLEM)
    assert md.implies(md.LDP(1.5), md.LDP(1.0), PROBLEM).answer == "no"


def test_what_is_not_decided_is_said():
    two = md.Problem(prior=[0.4, 0.6])
    assert md.implies(md.WeightedTV(0.5), md.LDP(1.0), two).answer == "not known"


def test_rules_name_notions_of_the_catalogue():
    assert len(RULES) >= 31 and {rule.first for _, rule in RULES} <= set(all_notions())


def of_level(name, level, alpha=2.5):
    """Return the notion of a name at a level, of the order alpha where it has one."""
    more = {"SibsonLeakage": (alpha,), "NearPriorLIP": (0.1,)}.get(name, ())
    return getattr(md, name)(level, *more)


@pytest.mark.parametrize(("name", "rule"), RULES, ids=[f"{rule.first}-{name}" for name, rule in RULES])
def test_rules_hold_on_random_mechanisms(name, rule):
    rng = np.random.default_rng(3)
    for _ in range(40):
        n = int(rng.integers(2, 5))
        problem = md.Problem(prior=rng.dirichlet(np.ones(n)))
        matrix = rng.dirichlet(np.ones(3) * rng.choice([0.5, 3.0]), size=n) * 0.9 + 0.1 / 3
        # The level of the matrix under the first notion; the constant then bounds its level under the second.
        at = float(md.audit(matrix, of_level(rule.first, 1.0), problem))
        if name == "BoundedPriorLIP":
            second = md.BoundedPriorLIP(
                1.0, np.asarray(problem.prior) / 2, np.minimum(np.asarray(problem.prior) * 2, 1)
            )
        elif name == "AsymmetricLIP":
            second = md.AsymmetricLIP(*rng.permutation([1.0, math.inf]))
        elif name == "BlockLDP":
            second = md.BlockLDP(1.0, [[0, 1]])
        elif name == "GLeakage":
            second = md.GLeakage(1.0, rng.random((3, n)) ** 3)
        elif name == "SibsonLeakage":
            second = md.SibsonLeakage(1.0, rng.choice([1.1, 2.0, 7.5, 100.0]))
        elif name == "InteriorPML":
            second = md.InteriorPML(1.0, rng.choice([0.0, 0.5, 1.0]) / n)
        elif name == "UtilityOptimizedLDP":
            second = md.UtilityOptimizedLDP(1.0, [0])
        elif name == "NearPriorLIP":
            second = md.NearPriorLIP(1.0, rng.choice([0.0, 0.1, 0.5, 1.0]))
        else:
            second = getattr(md, name)(1.0)
        level = second.level(matrix, second.inputs(problem)).value
        assert level <= rule.constant(of_level(rule.first, at), second) * (1 + 1e-9)


#: Levels of the second notion, as shares of its own in the table, and how many random mechanisms a "yes" is held to.
SHARES, HELD = (1e-3, 0.1, 1.0, 4.0), 8
TWO = md.Problem(prior=[0.5, 0.5])


def mechanisms(notion, problem, rng):
    """Return random mechanisms of a notion, most of them on its edge, and two outputs along each of its rays."""
    found = [private_channel(notion, problem, m, rng) for m in (2, 3) for _ in range(HELD // 2)]
    rays = None if len(notion.columns(problem).budget()) else all_rays(notion, problem)
    columns = [] if rays is None else list((rays.columns / rays.columns.max(axis=0)).T)
    return found + [np.column_stack([share * ray, 1 - share * ray]) for ray in columns for share in (1e-3, 0.5)]


def require_true(answer, first, second, problem, rng):
    """Assert that no mechanism of the first notion shows that a "yes" is false."""
    if answer.answer != "yes":
        return
    inputs, others = first.inputs(problem), second.inputs(problem)
    for matrix in mechanisms(first, inputs, rng):
        if first.level(matrix, inputs).excess(first) <= 0:
            assert second.level(matrix, others).excess(second) <= 1e-9, (first, second, answer.reason)


@pytest.mark.thinned(12)
@pytest.mark.parametrize("second", NOTIONS)
@pytest.mark.parametrize("first", NOTIONS)
def test_every_yes_is_true_of_random_mechanisms(first, second, rng):
    n = 2 if "WeightedTV" in (first, second) else 3
    problem = sized_problem(n, rng)
    # The prior of its data follows from its profiles or records.
    own = md.Problem(values=problem.values) if {first, second} & {"ProfileDP", "CentralizedIP"} else problem
    asked, other = NOTIONS[first](problem, rng), NOTIONS[second](problem, rng)
    for levels in itertools.product(SHARES, repeat=len(other.parts())):
        moved = tuple(share * level for share, level in zip(levels, other.parameters, strict=True))
        with contextlib.suppress(md.DomainError, md.InfeasibleError):
            weaker = other.at(moved if len(moved) > 1 else moved[0])
            require_true(md.implies(asked, weaker, own), asked, weaker, own, rng)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (md.LDP(0.2), md.AsymmetricLIP(0.01, 2.0)),
        (md.LDP(0.2), md.LDP(2.0) & md.MaxLift(0.01)),
        (md.LDP(0.2) & md.LIP(0.2), md.LIP(1.0) & md.MaxLift(0.001)),
    ],
)
def test_the_largest_level_of_all_parts_is_no_bound_on_each(first, second):
    answer = md.implies(first, second, TWO)
    assert answer.answer == "no"
    assert md.audit(answer.matrix, first, TWO).holds and not md.audit(answer.matrix, second, TWO).holds


def test_parts_are_looked_at_one_by_one():
    both = md.implies(md.LDP(0.2), md.LDP(0.2) & md.MaxLift(0.2), TWO)
    assert both.reason.startswith("LDP(epsilon=0.2): it is the same notion; MaxLift(epsilon=0.2): Jiang")
    assert "parts" in md.implies(md.LDP(0.2) & md.MaxLift(0.1), md.MaxLift(0.1), TWO).reason
    assert md.implies(md.LIP(0.3), md.AsymmetricLIP(0.3, 0.5), TWO)


@dataclass(frozen=True)
class Floored(md.Notion):
    """LDP in which no output is rarer than a floor: a notion of one's own with two parameters."""

    epsilon: float
    floor: float = 0.1
    domains: ClassVar = {"epsilon": Real(low=0.0), "floor": Real(low=0.0, high=1.0)}

    def parts(self):
        return md.LDP(self.epsilon), md.MaxLift(self.floor)

    def cone(self, problem):
        return (md.LDP(self.epsilon) & md.MaxLift(self.floor)).cone(problem)

    def level(self, matrix, problem):
        return Level.of_parts(self, matrix, problem)

    def holds_exactly(self, numerators, problem):
        return all(part.holds_exactly(numerators, problem) for part in self.parts())


def test_a_notion_of_ones_own_with_two_parameters(rng):
    for floor in (0.01, 0.5):
        answer = md.implies(md.LDP(0.2), Floored(2.0, floor), TWO)
        assert answer.answer == ("no" if floor < 0.1 else "yes")
        require_true(answer, md.LDP(0.2), Floored(2.0, floor), TWO, rng)


@dataclass(frozen=True)
class Lifted(md.MaxLift):
    """A notion of one's own, whose card says what implies it."""

    card = md.Card("own lift", implied_by=(md.Rule("LDP", same_level, "the mass is a mean of the entries"),))


@dataclass(frozen=True)
class Misjudged(md.MaxLift):
    """Planted: a rule whose constant is half of the true one."""

    card = md.Card(implied_by=(md.Rule("LDP", lambda first, second: first.parameter / 2, "a wrong proof"),))


@dataclass(frozen=True)
class Hard(md.LDP):
    """LDP that no rule of the catalogue knows."""


@dataclass(frozen=True)
class OfHard(md.LDP):
    """A notion that one of one's own implies."""

    card = md.Card(implied_by=(md.Rule("Hard", twice_the_level, "by definition"),))


def test_a_notion_of_ones_own_is_implied_by_the_rules_of_its_card(rng):
    many = md.Problem(prior=np.full(40, 1 / 40))
    assert md.implies(md.LDP(1.0), Lifted(1.0), many).reason == "the mass is a mean of the entries"
    assert md.implies(md.LDP(1.0), Lifted(0.99), many).answer == "not known"
    assert md.implies(Hard(1.0), OfHard(2.0), many).reason == "by definition"
    assert md.implies(Hard(1.0), OfHard(1.9), many).answer == "not known"
    answer = md.implies(md.LDP(0.4), Lifted(0.4), TWO)
    require_true(answer, md.LDP(0.4), Lifted(0.4), TWO, rng)


@dataclass(frozen=True)
class LDP(md.MaxLift):  # of the name of a class of the catalogue, on purpose
    """Another notion of the same name: a rule of the catalogue does not speak of it."""


def test_a_rule_is_of_the_class_and_not_of_its_name():
    answer = md.implies(LDP(1.0), md.LIP(1.0), PROBLEM)
    assert answer.answer == "no" and not md.audit(answer.matrix, md.LIP(1.0), PROBLEM).holds
    assert md.implies(LDP(1.0), Lifted(1.0), md.Problem(prior=np.full(40, 1 / 40))).answer == "not known"


@pytest.mark.parametrize(
    ("constant", "said"),
    [
        (lambda first, second: math.nan, "its constant is nan for"),
        (lambda first, second: -1.0, "its constant is -1.0 for"),
        (lambda first, second: "0.5", "its constant is '0.5' for"),
        (lambda first, second: None, "its constant is None for"),
        (lambda first, second: True, "its constant is True for"),
        (lambda first, second: np.array([0.1, 0.2]), "its constant is array"),
        (lambda first, second: second.alpha, "it raises AttributeError"),
        (lambda first: first.parameter, "it raises TypeError"),
    ],
)
def test_a_constant_that_is_no_level_is_refused(constant, said, monkeypatch):
    monkeypatch.setattr(Lifted, "card", md.Card(implied_by=(md.Rule("LDP", constant, "proved"),)))
    with pytest.raises(md.DomainError, match=said) as raised:
        md.implies(md.LDP(1.0), Lifted(0.5), PROBLEM)
    assert raised.value.argument == 'Lifted.card.implied_by ("LDP")'


def test_a_rule_with_too_small_a_constant_is_caught(rng):
    answer = md.implies(md.LDP(1.0), Misjudged(0.5), PROBLEM)
    with pytest.raises(AssertionError, match="a wrong proof"):
        require_true(answer, md.LDP(1.0), Misjudged(0.5), PROBLEM, rng)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (
            lambda: md.Rule("", same_level, "proved"),
            "first is '', but it has to be a text; write the name",
        ),
        (lambda: md.Rule("LDP", 2.0, "proved"), "constant is 2.0, but it has to be a function of both notions"),
        (lambda: md.Rule("LDP", same_level, ""), "reference is '', but it has to be a text; say where it is proved"),
        (lambda: md.Card(implied_by=[md.LDP]), "implied_by is .*, but it has to be a tuple of rules"),
    ],
)
def test_rules_that_are_none_are_refused(make, said):
    with pytest.raises(md.DomainError, match=said):
        make()


def test_a_yes_by_the_largest_level_is_caught(rng):
    """Planted: the largest level of all parts against the largest of what they ask for."""
    first, second = md.LDP(0.2), md.AsymmetricLIP(0.01, 2.0)
    wrong = Implication("yes", "the largest level is less than the largest that is asked for")
    with pytest.raises(AssertionError, match="largest level"):
        require_true(wrong, first, second, TWO, rng)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # Levels whose squares and products underflow, and those that floats of a ray do not show.
        (md.LIP(1e-170), md.MutualInformationPrivacy(0)),
        (md.LIP(1e-170), md.StrongL1(0)),
        (md.LDP(1e-12), md.MutualInformationPrivacy(0)),
        (md.LDP(1e-18), md.AsymmetricLIP(0, 0.5)),
        (md.LDP(1e-18), md.BlockLDP(0, [[0, 1]])),
    ],
    ids=str,
)
def test_no_yes_rests_on_rounding(first, second):
    problem = md.Problem(prior=[0.3, 0.3, 0.4])
    assert not md.implies(first, second, problem)
    assert md.implies(first.at(0.0), second, problem)


#: What rules with a formula say of the first notion's level, as balls.
CONSTANTS = {
    ("LDP", "StrongL1"): lambda level: 2 * (level / 4).tanh(),
    ("LDP", "StrongChiSquare"): lambda level: (level / 2).sinh(),
    ("LDP", "MutualInformationPrivacy"): lambda level: _lost(level / (1 - (-level).exp())),
    ("LIP", "StrongL1"): lambda level: 2 * (level / 2).tanh(),
    ("LIP", "StrongChiSquare"): lambda level: 2 * (level / 2).sinh(),
    ("LIP", "MutualInformationPrivacy"): lambda level: level * (level / 2).tanh(),
}
#: The same of the first notion's level and the order of the second.
OF_ORDERS = {
    ("LDP", "SibsonLeakage"): lambda level, alpha: _of_share((alpha * level).exp(), level.exp(), alpha),
    ("LIP", "SibsonLeakage"): lambda level, alpha: (
        (((alpha * level).exp() + ((1 - alpha) * level).exp()) / (1 + level.exp())).log() / (alpha - 1)
    ),
}
LEVELS = [*np.logspace(-150, -12, 24), *np.logspace(-12, 2.8, 200)]


def _lost(c):
    return c - 1 - c.log()


def _of_share(power, ratio, alpha):
    """Return what two values 1 and e^level leave where the larger has the best share."""
    share = (power - 1 - alpha * (ratio - 1)) / ((alpha - 1) * (power - 1) * (ratio - 1))
    return alpha / (alpha - 1) * ((1 + (power - 1) * share).log() / alpha - (1 + (ratio - 1) * share).log())


def falls_short(constant, formula):
    """Return the levels at which a constant is below its formula, or above it by more than a millionth."""
    with ctx.workprec(2000):
        exact = [formula(arb(level)) for level in LEVELS]
    found = [arb(constant(level)) for level in LEVELS]
    return [
        level
        for level, each, truth in zip(LEVELS, found, exact, strict=True)
        if not (each >= truth and each <= truth * (1 + 1e-6) + 1e-320)
    ]


@pytest.mark.parametrize("pair", CONSTANTS, ids="-".join)
def test_constants_are_never_below_their_formula(pair):
    rule = next(rule for name, rule in RULES if (rule.first, name) == pair)
    assert falls_short(lambda level: rule.constant(getattr(md, rule.first)(level), None), CONSTANTS[pair]) == []


@pytest.mark.parametrize("alpha", [1.1, 2.5, 100.0])
@pytest.mark.parametrize("pair", OF_ORDERS, ids="-".join)
def test_constants_of_orders_are_never_below_their_formula(pair, alpha):
    rule = next(rule for name, rule in RULES if (rule.first, name) == pair)

    def constant(level):
        return rule.constant(getattr(md, rule.first)(level), md.SibsonLeakage(1.0, alpha))

    assert falls_short(constant, lambda level: OF_ORDERS[pair](level, arb(alpha))) == []


def test_planted_a_difference_that_cancels_is_caught():
    """Planted: the information as a difference of three numbers of order one."""

    def cancelling(level):
        c = level / -math.expm1(-level)
        return (c - 1.0 - math.log(c)) * (1.0 + 2.0**-50)

    assert falls_short(cancelling, CONSTANTS["LDP", "MutualInformationPrivacy"])


@pytest.mark.parametrize(("name", "rule"), RULES, ids=[f"{rule.first}-{name}" for name, rule in RULES])
@pytest.mark.parametrize("level", [0.0, 5e-324, 1e5, 1e308])
def test_rules_have_a_constant_at_every_level(name, rule, level):
    second = of_level(name, 1.0) if name == "SibsonLeakage" else None
    assert rule.constant(of_level(rule.first, level), second) >= 0.0


@pytest.mark.parametrize("n", [2, 3, 10, 100])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_ldp_implies_maximal_leakage_by_a_formula(n, epsilon):
    """k-ary response leaks most: every column's largest entry is at most E/(1 + (E - 1)/n) of its mass."""
    most = math.log(n * math.exp(epsilon) / (math.exp(epsilon) + n - 1))
    above = md.implies(md.LDP(epsilon), md.MaximalLeakage(most * (1 + 1e-4)), md.Problem(n=n))
    below = md.implies(md.LDP(epsilon), md.MaximalLeakage(most * (1 - 1e-4)), md.Problem(n=n))
    assert (above.answer, below.answer) == ("yes", "no")
    assert md.LDP(epsilon).level(below.matrix, md.Problem(n=n)).value <= epsilon * (1 + 1e-9)
    assert md.MaximalLeakage(9.0).level(below.matrix, md.Problem(n=n)).value > most * (1 - 1e-4)


@pytest.mark.parametrize(
    "notion",
    [md.LIP(0.5), md.StrongL1(0.3), md.ApproximateLDP(0.5, 0.1), md.PairwiseLDP([[0, 1, 2], [1, 0, 1], [2, 2, 0]])],
)
def test_the_largest_leakage_is_that_of_a_program(notion):
    """The sum of the diagonal, as outputs may be named after the inputs that they are likeliest from."""
    import cvxpy as cp

    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    Q = cp.Variable((3, 3))
    judged = cp.Problem(cp.Maximize(cp.trace(Q)), [cp.sum(Q, axis=1) == 1, *notion.constraints(Q, problem)])
    most = math.log(judged.solve(solver="CLARABEL"))
    answers = [md.implies(notion, md.MaximalLeakage(most * share), problem).answer for share in (0.999, 1.001)]
    assert answers == ["no", "yes"]
