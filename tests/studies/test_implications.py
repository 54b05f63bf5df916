"""`md.implies`: rules hold on random mechanisms, counterexamples are exact, and constants are the best."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.studies.implications import RULES

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5])


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


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.first}-{rule.second}")
def test_rules_name_notions_of_the_catalogue(rule):
    assert hasattr(md, rule.first) and hasattr(md, rule.second)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"{rule.first}-{rule.second}")
def test_rules_hold_on_random_mechanisms(rule):
    rng = np.random.default_rng(3)
    for _ in range(40):
        n = int(rng.integers(2, 5))
        problem = md.Problem(prior=rng.dirichlet(np.ones(n)))
        matrix = rng.dirichlet(np.ones(3) * rng.choice([0.5, 3.0]), size=n) * 0.9 + 0.1 / 3
        first = getattr(md, rule.first)
        # The level of the matrix under the first notion; the constant then bounds its level under the second.
        at = float(md.audit(matrix, first(1.0), problem))
        if rule.second == "BoundedPriorLIP":
            second = md.BoundedPriorLIP(
                1.0, np.asarray(problem.prior) / 2, np.minimum(np.asarray(problem.prior) * 2, 1)
            )
        elif rule.second == "BlockLDP":
            second = md.BlockLDP(1.0, [[0, 1]])
        elif rule.second == "UtilityOptimizedLDP":
            second = md.UtilityOptimizedLDP(1.0, [0])
        else:
            second = getattr(md, rule.second)(1.0)
        level = second.level(matrix, second.inputs(problem)).value
        assert level <= rule.constant(first(at), second) * (1 + 1e-9)
