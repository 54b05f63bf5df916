"""A notion of one's own whose level has another name, and another least, than epsilon and 0."""

from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pytest

import mechdesign as md
from mechdesign.parameters import Real
from mechdesign.testing import check_notion

PROBLEM = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])


@dataclass(frozen=True)
class Factor(md.Notion):
    """LDP by its factor: Pr(y | s) <= factor Pr(y | t); a mechanism that always reports the same has the factor 1."""

    factor: float
    domains: ClassVar = {"factor": Real(low=1.0)}

    def cone(self, problem):
        rows = [self.factor * t - s for s in problem.channel for t in problem.channel if s is not t]
        return md.Cone.of_rows(np.array(rows))

    def level(self, matrix, problem):
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        low, high = seen.min(axis=0), seen.max(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = np.where(high > 0, high / low, 1.0)
        y = int(ratios.argmax())
        return md.Level(float(ratios[y]), (int(seen[:, y].argmax()), int(seen[:, y].argmin())), y)

    def holds_exactly(self, numerators, problem):
        seen, factor = problem.exactly_seen_by_secret(numerators).astype(object), Fraction(self.factor)
        return bool(np.all(seen.max(axis=0) * factor.denominator <= seen.min(axis=0) * factor.numerator))


def test_the_only_parameter_is_the_level():
    assert (Factor.level_name, Factor.level_unit) == ("factor", "")
    assert Factor(2.0).at(3.0) == Factor(3.0) and Factor(2.0).parameter == 2.0
    check_notion(Factor(2.0), PROBLEM, np.random.default_rng(0))


def test_designs_calibrations_and_frontiers_start_at_the_level_of_a_constant_mechanism():
    assert Factor(2.0).columns(PROBLEM).least_level == 1.0
    alike = md.design(PROBLEM, md.LDP(float(np.log(2.0))), md.MMSE())
    made = md.design(PROBLEM, Factor(2.0), md.MMSE())
    assert made.value == pytest.approx(alike.value, rel=1e-9) and float(made.audit) <= 2.0
    level = md.calibrate(PROBLEM, Factor, md.MMSE(), target=0.4).level
    assert level == pytest.approx(np.exp(md.calibrate(PROBLEM, md.LDP, md.MMSE(), target=0.4).level), rel=5e-3)
    curve = md.frontier(PROBLEM, Factor, md.MMSE(), [1.0, 2.0])
    assert curve.values == pytest.approx([0.61, made.value])


def test_a_default_and_keywords_alone_make_no_difference():
    @dataclass(frozen=True)
    class Default(Factor):
        factor: float = 3.0

    @dataclass(frozen=True)
    class Keyword(Factor):
        _: KW_ONLY
        factor: float

    assert Default().parameter == 3.0 and Keyword(factor=2.0).at(4.0).parameter == 4.0


@pytest.mark.parametrize("base", [md.Notion])
def test_what_is_no_number_is_no_level(base):
    class Weighted(base):
        weights: tuple

        def level(self, matrix, problem):
            raise NotImplementedError

    class Bare(base):
        spread: float = 2.0
        _: KW_ONLY

        def level(self, matrix, problem):
            raise NotImplementedError

    assert Weighted.level_name == "epsilon" and Bare.level_name == "spread"


def test_of_several_parameters_without_epsilon_none_is_guessed():
    @dataclass(frozen=True)
    class Two(Factor):
        share: float = 0.5
        level_name: ClassVar[str] = "epsilon"

    with pytest.raises(
        md.DomainError, match=r"no parameter of that name; it has factor, share.*which one is the level"
    ):
        md.design(PROBLEM, Two(2.0), md.MMSE())


def test_an_exponential_beyond_floats_is_no_warning(recwarn):
    @dataclass(frozen=True)
    class Bits(Factor):
        factor: float
        level_name: ClassVar[str] = "factor"

        def cone(self, problem):
            rows = [np.exp2(self.factor) * t - s for s in problem.channel for t in problem.channel if s is not t]
            return md.Cone.of_rows(np.array(rows))

    assert not np.all(np.isfinite(Bits(2.0**20).cone(PROBLEM).on_column))
    recwarn.clear()
    Bits(2.0**20).columns(PROBLEM).cone()
    assert not [each for each in recwarn if issubclass(each.category, RuntimeWarning)]
