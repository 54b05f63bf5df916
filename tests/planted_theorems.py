"""Theorems with one planted error each, and the clause that must catch it."""

from dataclasses import replace

import mechdesign as md
from mechdesign.notions import Notion
from mechdesign.theorems import Form, Theorem, all_theorems

BINARY, EXACT = all_theorems()["jiang_lip/T2"], all_theorems()["ours/M4"]

INSIDE = (md.Problem(prior=[0.4, 0.6], values=[0.0, 1.0]), md.LIP(1.0), md.MMSE())
#: min prior = 0.1 < 1/(1 + e) = 0.27: the printed optimum is not private there.
OUTSIDE = (md.Problem(prior=[0.1, 0.9], values=[0.0, 1.0]), md.LIP(1.0), md.MMSE())


def at(theorem, factor):
    """Return the theorem with `factor` times epsilon in its mechanism."""
    return lambda problem, notion, objective: theorem.matrix(problem, notion.at(factor * notion.epsilon), objective)


def one_percent_off(problem, notion, objective):
    """Return the value of the mechanism, one percent too large."""
    return 1.01 * objective.value(BINARY.matrix(problem, notion, objective), problem)


class Curt(Theorem):
    """Says that a question is outside, and not why."""

    def domain(self, problem, notion, objective):
        return "outside the domain"


#: Clause, the sound theorem, the same with an error, the question.
THEOREMS = [
    ("form", BINARY, replace(BINARY, form=Form(Notion, md.Separable, "anything", further=lambda *_: "no")), INSIDE),
    ("form", BINARY, Curt(**vars(BINARY)), OUTSIDE),
    ("private", BINARY, replace(BINARY, matrix=at(BINARY, 1.001)), INSIDE),
    ("private", BINARY, replace(BINARY, confirmed=()), OUTSIDE),
    ("private", EXACT, replace(EXACT, matrix=at(EXACT, 1.001)), OUTSIDE),
    ("optimal", BINARY, replace(BINARY, matrix=at(BINARY, 0.999)), INSIDE),
    ("optimal", EXACT, replace(EXACT, matrix=at(EXACT, 0.999)), OUTSIDE),
    ("value", BINARY, replace(BINARY, value=one_percent_off), INSIDE),
]
