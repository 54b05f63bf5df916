"""A class derived from one of the catalogue, which overrides a part of its formulas: refused wherever it is given."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.exact import exp_above
from mechdesign.question.derived_members import require_consistent
from mechdesign.question.members_by_name import members

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])


@dataclass(frozen=True)
class Twice(md.LDP):
    """LDP at twice the level: all that defines it is overridden, and the formulas are inherited from LDP."""

    def cone(self, problem):
        return md.LDP(2 * self.epsilon).cone(problem)

    def level(self, matrix, problem):
        found = md.LDP(2 * self.epsilon).level(matrix, problem)
        return replace(found, value=found.value / 2)

    def holds_exactly(self, numerators, problem):
        return md.LDP(2 * self.epsilon).holds_exactly(numerators, problem)


@dataclass(frozen=True)
class Defined(md.Notion):
    """The same notion, defined by itself."""

    epsilon: float
    cone, level, holds_exactly = Twice.cone, Twice.level, Twice.holds_exactly


@dataclass(frozen=True)
class Doubled(md.MMSE):
    """Twice the squared error, by its value alone."""

    def value(self, matrix, problem):
        return 2.0 * super().value(matrix, problem)


class Slack(md.KLGenerator):
    """A generator whose enclosure alone is its own."""

    def enclosed(self, t):
        low, high = super().enclosed(t)
        return low / 2, high / 2


class Mixin:
    """What is overridden may stand in a class of no kind."""

    def holds_exactly(self, numerators, problem):
        return True


@dataclass(frozen=True)
class Mixed(Mixin, md.LDP):
    """LDP with an exact check that accepts all."""


@dataclass(frozen=True)
class Both(md.LDP, md.MaxLift):
    """Two notions at once, each with formulas that the other lacks."""


@dataclass(frozen=True)
class Named(md.LDP):
    """LDP with words of its own, and a parameter besides."""

    said: str = ""
    level_unit = "nats of ours"

    def __str__(self):
        return f"our LDP, {self.said}"


ASKED = {
    "design": lambda notion, objective: md.design(PROBLEM, notion, objective),
    "frontier": lambda notion, objective: md.frontier(PROBLEM, notion, objective, [0.5]),
    "calibrate": lambda notion, objective: md.calibrate(PROBLEM, notion, objective, 0.1),
    "compare": lambda notion, objective: md.compare(PROBLEM, notion, objective),
    "sweep": lambda notion, objective: md.sweep({"p": PROBLEM}, [notion], [objective], [0.5]),
}


@pytest.mark.parametrize("verb", ASKED)
def test_every_verb_refuses_what_is_overridden_in_part(verb):
    with pytest.raises(md.DomainError, match=r"overrides cone, holds_exactly, level of LDP .* from md\.Notion"):
        ASKED[verb](Twice(0.5), md.MMSE())
    with pytest.raises(md.DomainError, match=r"overrides value of MMSE .* from md\.RatioType"):
        ASKED[verb](md.LDP(0.5), Doubled())


def test_audit_implies_and_parts_refuse_it_too():
    matrix = np.full((3, 3), 1 / 3)
    for asked in (lambda: md.audit(matrix, Twice(0.5), PROBLEM), lambda: md.implies(Twice(0.5), md.LIP(1.0), PROBLEM)):
        with pytest.raises(md.DomainError, match="overrides cone"):
            asked()
    with pytest.raises(md.DomainError, match="overrides cone"):
        md.design(PROBLEM, Twice(0.5) & md.LIP(1.0), md.MMSE())
    with pytest.raises(md.DomainError, match="overrides holds_exactly of LDP"):
        md.design(PROBLEM, Mixed(0.5), md.MMSE())
    with pytest.raises(md.DomainError, match="Both is derived from LDP and MaxLift"):
        md.design(PROBLEM, Both(0.5), md.MMSE())
    with pytest.raises(md.DomainError, match=r"Slack overrides enclosed of KLGenerator .* md\.Generator"):
        md.design(PROBLEM, md.LDP(0.5), md.FDivergence(Slack(), [0.5, 0.3, 0.2], [0.2, 0.3, 0.5]))


def test_a_notion_defined_by_itself_gets_the_right_bound():
    """The question that got a false bound: e^(2 epsilon) with the rays and the support function of LDP(epsilon)."""
    right = md.design(PROBLEM, md.LDP(1.0), md.MMSE())
    found = md.design(PROBLEM, Defined(0.5), md.MMSE())
    assert found.value == pytest.approx(right.value, rel=1e-6)
    assert found.bound <= right.value * (1 + 1e-9)
    ratios = Fraction(found.matrix.max()) / Fraction(found.matrix.min())
    assert ratios <= exp_above(1.0)


def test_words_and_parameters_may_be_overridden():
    assert md.design(PROBLEM, Named(1.0, "x"), md.MMSE()).bound == pytest.approx(
        md.design(PROBLEM, md.LDP(1.0), md.MMSE()).bound
    )


@pytest.mark.parametrize("kind", [md.Notion, md.Objective])
def test_a_class_of_the_catalogue_is_never_refused(kind):
    for member in members(kind).values():
        for example in member.card.examples:
            require_consistent("member", example(np.random.default_rng(0))[0])


def test_a_saved_mechanism_is_refused_if_its_class_overrides_a_part(tmp_path):
    made = md.design(PROBLEM, Named(1.0, "x"), md.MMSE())
    path = made.mechanism.save(tmp_path / "m.json")
    assert md.load(path, members=[Named]) == made.mechanism
    lax = dataclass(frozen=True)(type("Named", (Mixin, md.LDP), {"__annotations__": {"said": str}, "said": ""}))
    with pytest.raises(md.DomainError, match="overrides holds_exactly"):
        md.load(path, members=[lax])
