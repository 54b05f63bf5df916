"""Generators of divergences: derivatives, ranges, limits, and those that would make bounds wrong."""

import math

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.objectives import Generator, Linear, Ratio, RatioType
from tests.helpers.made_objectives import (
    GENERATORS,
    SIZES,
    SUBLINEAR,
    LeCam,
    close,
    pair,
    posed,
    random_columns,
    randomised_response,
)


@pytest.mark.parametrize("f", GENERATORS, ids=lambda f: f.name)
def test_generators_derive_and_intercept(f):
    """Against central differences, and the tangent's definition."""
    t = np.array([1e-3, 0.1, 0.7, 1.3, 5.0, 400.0])
    step = 1e-6 * t
    differences = (f.value(t + step) - f.value(t - step)) / (2 * step)
    assert f.derivative(t) == pytest.approx(differences, rel=1e-6, abs=1e-8)
    assert f.intercept(t) == pytest.approx(f.value(t) - t * f.derivative(t), rel=1e-10, abs=1e-12)
    assert f.value(np.array([1e-24]))[0] == pytest.approx(f.at_zero, abs=1e-11)
    if math.isinf(f.slope_at_infinity):
        assert f.value(np.array([1e100]))[0] / 1e100 > 200
    else:
        assert f.value(np.array([1e24]))[0] / 1e24 == pytest.approx(f.slope_at_infinity, abs=1e-11)
    f.check()


@pytest.mark.parametrize("f", GENERATORS, ids=lambda f: f.name)
def test_functionals_and_chords_are_finite_on_the_closed_range(f):
    """Ratios of 0, a little below it by rounding, and huge: tangents stay finite, chords meet f at both ends."""
    ratio = Ratio(np.array([1.0, 0.0]), np.array([0.0, 1.0]), f)
    most = 1e6 if math.isinf(f.most) else 1e40
    t = np.array([-1e-12, 0.0, 1e-200, 1e-3, 1.0, 7.0, most])
    assert np.all(np.isfinite(ratio.functionals(t)))
    low, high = np.array([0.0, 0.0, 0.5, -1e-12, -1e-12]), np.array([0.5, 9.0, 2.0, -1e-13, 1.0])
    slope, intercept = ratio.chords(low, high).T
    assert np.all(np.isfinite(slope))
    assert np.all(np.isfinite(intercept))
    at_zero = float(f.value(np.array([0.0]))[0])
    assert at_zero == f.at_zero
    assert intercept[:2] == pytest.approx(at_zero, abs=1e-15)
    if f != md.Square():  # the others live on the half-line, so a low end below 0 is 0
        assert intercept[3:] == pytest.approx(at_zero, abs=1e-15)
    assert (intercept + slope * high)[:3] == pytest.approx(f.value(high[:3]), rel=1e-13)
    assert (intercept + slope * low)[2] == pytest.approx(f.value(low[2:3])[0], rel=1e-13)


@pytest.mark.parametrize("name", ["KLDivergence", "TotalVariation", "ChiSquare", "Hellinger", "FDivergence"])
def test_outputs_that_only_second_gives(name, rng):
    """A term is second . v f(0): 1, 1/2, 1, 1/2 and 1 of the mass."""
    vectors = {"first": [0.0, 0.4, 0.6], "second": [0.5, 0.5, 0.0]}
    objective = md.FDivergence(LeCam(), **vectors) if name == "FDivergence" else getattr(md, name)(**vectors)
    problem = md.Problem(n=3)
    column = np.array([[3.0], [0.0], [0.0]])
    share = {"KLDivergence": 1.0, "TotalVariation": 0.5, "ChiSquare": 1.0, "Hellinger": 0.5, "FDivergence": 1.0}
    assert objective.column_utility(column, problem)[0] == close(1.5 * share[name])
    functional = objective.supporting(column, problem)
    assert np.all(np.isfinite(functional))
    assert (functional.T @ column)[0, 0] == pytest.approx(1.5 * share[name], abs=1e-14)
    others = rng.exponential(size=(3, 100))
    assert np.all(functional.T @ others <= objective.column_utility(others, problem) + 1e-14)


@pytest.mark.parametrize("name", ["TotalVariation", "Hellinger", "FDivergence"])
def test_outputs_that_only_first_gives_count_the_slope_at_infinity(name, rng):
    vectors = {"first": [0.0, 0.4, 0.6], "second": [0.5, 0.5, 0.0]}
    objective = md.FDivergence(LeCam(), **vectors) if name == "FDivergence" else getattr(md, name)(**vectors)
    problem = md.Problem(n=3)
    column = np.array([[0.0], [0.0], [2.0]])
    wanted = 1.2 * (1.0 if name == "FDivergence" else 0.5)
    assert objective.column_utility(column, problem)[0] == close(wanted)
    functional = objective.supporting(column, problem)
    assert np.all(np.isfinite(functional))
    assert (functional.T @ column)[0, 0] == pytest.approx(wanted, abs=1e-13)
    if name != "FDivergence":  # LeCam keeps the intercept that cancels there, as Generator.intercept warns
        others = rng.exponential(size=(3, 100))
        assert np.all(functional.T @ others <= objective.column_utility(others, problem) + 1e-14)
    assert objective.value(np.eye(3), problem) == close(
        {"TotalVariation": 0.6, "Hellinger": 1 - math.sqrt(0.2), "FDivergence": 0.5 + 0.01 / 0.9 + 0.6}[name]
    )


@pytest.mark.parametrize("name", ["KLDivergence", "ChiSquare", "Square"])
def test_an_infinite_divergence_is_a_value_but_no_utility(name):
    vectors = {"first": [0.0, 0.4, 0.6], "second": [0.5, 0.5, 0.0]}
    objective = md.FDivergence(md.Square(), **vectors) if name == "Square" else getattr(md, name)(**vectors)
    problem = md.Problem(n=3)
    assert objective.value(np.eye(3), problem) == math.inf
    assert objective.no_privacy(problem) == math.inf
    for asked in (objective.column_utility, objective.supporting):
        with pytest.raises(md.DomainError, match=r"infinite on an output that only one .* give distributions without"):
            asked(np.eye(3), problem)
    # Under a notion that gives every output from every input it is finite, though second has a zero.
    Q = randomised_response(3, 1.0)
    assert objective.column_utility(Q, problem).sum() == close(objective.value(Q, problem))


class ReverseKL(Generator):
    """``f(t) = -ln t``: infinite at 0."""

    at_zero = math.inf
    slope_at_infinity = 0.0

    def value(self, t):
        return -np.log(t)

    def derivative(self, t):
        return -1 / t

    def perspective(self, first, second):
        return cp.sum(cp.rel_entr(second, first))


def test_a_generator_that_is_infinite_at_zero():
    objective, problem = md.FDivergence(ReverseKL(), [0.0, 1.0], [0.5, 0.5]), md.Problem(n=2)
    assert objective.value(np.eye(2), problem) == math.inf
    for asked in (objective.column_utility, objective.supporting):
        with pytest.raises(md.DomainError, match=r"generator ReverseKL, but it is infinite"):
            asked(np.eye(2), problem)
    Q = np.array([[0.75, 0.25], [0.25, 0.75]])
    wanted = md.KLDivergence([0.5, 0.5], [0.0, 1.0]).value(Q, problem)
    assert objective.value(Q, problem) == close(wanted)
    assert objective.column_utility(Q, problem).sum() == close(wanted)


def test_outputs_without_mass_count_nothing(rng):
    for name in SUBLINEAR:
        objective, problem, Q = posed(name, 3, rng)
        padded = np.hstack([Q, np.zeros((3, 1))])
        assert objective.value(padded, problem) == close(objective.value(Q, problem))
        assert objective.column_utility(padded, problem)[-1] == 0


def test_fisher_information_ignores_inputs_that_never_occur():
    objective = md.FisherInformation(theta=[0.5, 0.5, 0.0], direction=[1.0, -1.0, 0.0])
    assert objective.value(np.eye(3), md.Problem(n=3)) == close(4.0)
    assert objective.column_utility(np.eye(3), md.Problem(n=3)) == close(np.array([2.0, 2.0, 0.0]))
    assert np.all(np.isfinite(objective.supporting(np.eye(3), md.Problem(n=3))))


def test_information_at_zeros_has_a_finite_support(rng):
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    objective = md.MutualInformation()
    functional = objective.supporting(np.array([[1.0], [0.0], [1.0]]), problem)
    assert np.all(np.isfinite(functional))
    assert functional[1, 0] < -100
    assert functional[:, 0] @ [1.0, 0.0, 1.0] == close(0.7 * math.log(1 / 0.7))
    others = random_columns(3, 500, rng)
    assert np.all(functional.T @ others <= objective.column_utility(others, problem) + 1e-13)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("named", ["KLDivergence", "TotalVariation", "ChiSquare", "Hellinger"])
def test_the_named_divergences_are_f_divergences(named, n, rng):
    vectors = pair(n, rng)
    objective, problem = getattr(md, named)(**vectors), md.Problem(n=n)
    general = md.FDivergence(objective.generator, **vectors)
    Q = rng.dirichlet(np.full(4, 0.5), size=n)
    assert general.value(Q, problem) == close(objective.value(Q, problem), 1e-9)


@pytest.mark.parametrize("name", SUBLINEAR)
def test_ratio_type_is_where_the_decision_is_one_number(name):
    assert issubclass(getattr(md, name), RatioType) == (name != "MutualInformation")
    assert not issubclass(getattr(md, name), Linear)


WRONG = {
    "concave": {
        "value": lambda self, t: -((t - 1) ** 2),
        "derivative": lambda self, t: -2 * (t - 1),
        "at_zero": math.inf,
        "slope_at_infinity": math.inf,
    },
    "an intercept too low": {"intercept": lambda self, t: Generator.intercept(self, t) - 0.5},
    "a derivative of another f": {"derivative": lambda self, t: 2 * (t - 1)},
    "a derivative of the wrong sign": {"derivative": lambda self, t: -LeCam.derivative(self, t)},
    "a limit at 0 too low": {"at_zero": 0.5},
    "a slope at infinity too low": {"slope_at_infinity": 0.5},
    "an intercept of another f": {"intercept": lambda self, t: 1 - t * t},
    "a value of another f next to 1": {"value_near": lambda self, w: w * w},
    "a derivative of another f next to 1": {"derivative_near": lambda self, w: w / 2},
    "a tangent too low next to 1": {"rest_near": lambda self, w: -w * w},
}


@pytest.mark.parametrize("defect", WRONG)
def test_a_generator_that_would_make_bounds_wrong_is_refused(defect):
    planted = type("Planted", (LeCam,), WRONG[defect])()
    with pytest.raises(md.DomainError, match=r"f is Planted, but it has to be convex, .*; correct the generator"):
        md.FDivergence(planted, [0.5, 0.5], [0.25, 0.75])
