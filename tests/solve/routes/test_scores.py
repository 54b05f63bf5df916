"""The variance of one figure: against its definition, another program, known mechanisms, and its bound."""

import itertools
import math
import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.baselines.stochastic_rounding import strongest_rounding
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.certificate.one_figure import information_along, least_variance
from mechdesign.solve.routes import scores
from mechdesign.solve.task import Task
from tests.helpers import brute_force


def quietly(*asked, **more):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(*asked, **more)


def some(n, seed=0):
    rng = np.random.default_rng([n, seed])
    return md.Problem(prior=rng.dirichlet(np.full(n, 2.0)), values=np.sort(rng.normal(size=n)))


def estimator(matrix, theta, figure):
    """Return the scores of least variance whose expectation is the figure, by the equations of Lagrange."""
    law, n = theta @ matrix, len(theta)
    left = np.block([[np.diag(2.0 * law), matrix.T], [matrix, np.zeros((n, n))]])
    return np.linalg.lstsq(left, np.concatenate([np.zeros(len(law)), figure]), rcond=1e-11)[0][: len(law)]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_of_two_values_it_is_randomised_response(epsilon):
    made = md.design(md.Problem(prior=[0.5, 0.5], values=[3.0, 7.0]), md.LDP(epsilon), md.InformationDesign("c"))
    # Warner's variance at one half, of values four apart.
    wanted = 16 / (4 * math.tanh(epsilon / 2) ** 2)
    assert made.value == pytest.approx(wanted, rel=1e-6) and made.bound <= wanted * (1 + 1e-12)


@pytest.mark.thinned(2)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n", "epsilon"), [(3, 1.0), (4, 0.3), (5, 2.0), (6, 1.0)])
def test_it_is_the_least_over_all_rays_by_another_program(n, epsilon, seed):
    problem = some(n, seed)
    made = quietly(problem, md.LDP(epsilon), md.InformationDesign("c"))
    rays = np.array(list(itertools.product([1.0, math.exp(epsilon)], repeat=n)))[1:].T
    least = brute_force.least_variance(rays, problem.prior, problem.values)
    assert made.route == "scores" and made.audit.holds
    assert made.bound <= least * (1 + 1e-6) and made.value >= least * (1 - 1e-6)
    assert made.gap <= 1e-5


@pytest.mark.thinned(3)
@pytest.mark.parametrize(
    "notion",
    [
        md.LDP(1.0),
        md.LIP(0.5),
        md.MaxLift(0.5),
        md.LDP(1.5) & md.LIP(0.8),
        md.AsymmetricLIP(0.7, 1.5),
        md.UtilityOptimizedLDP(1.0, (0, 2)),
        md.BlockLDP(1.0, [(0, 1, 2), (3, 4, 5)]),
        md.MaximalLeakage(0.5),
        md.ApproximateLDP(0.5, 0.05),
        md.MetricDP(0.7, np.abs(np.subtract.outer(np.arange(6.0), np.arange(6.0)))),
    ],
    ids=lambda notion: type(notion).__name__,
)
def test_its_value_is_that_of_its_best_unbiased_estimator(notion):
    problem = some(6)
    made = quietly(problem, notion, md.InformationDesign("c"))
    figure = problem.values
    found = estimator(made.matrix, problem.prior, figure)
    assert made.matrix @ found == pytest.approx(figure, abs=1e-8)
    variance = problem.prior @ made.matrix @ found**2 - (problem.prior @ figure) ** 2
    assert made.value == pytest.approx(variance, rel=1e-6)
    assert made.audit.holds and made.gap <= 1e-3


def test_a_hidden_secret_is_kept():
    rng = np.random.default_rng(3)
    hidden = rng.dirichlet(np.ones(2), size=5).T
    problem = md.Problem(prior=rng.dirichlet(np.ones(5)), values=np.arange(5.0), secret_given_data=hidden)
    made = quietly(problem, md.LDP(0.5), md.InformationDesign("c"))
    assert problem.is_hidden and made.audit.holds and made.gap <= 1e-3 and math.isfinite(made.value)


@pytest.mark.slow
def test_no_answer_is_worse_than_stochastic_rounding():
    for n, notion in ((3, md.LDP(0.01)), (9, md.LDP(2.0)), (30, md.LDP(1.0)), (12, md.StrongChiSquare(0.3))):
        problem = some(n)
        objective = md.InformationDesign("c")
        two = strongest_rounding(notion, problem, problem.values)
        made = quietly(problem, notion, objective)
        assert math.isfinite(objective.value(two, problem))
        assert made.bound <= made.value <= objective.value(two, problem) * (1 + 1e-12)
    few = quietly(some(9), md.LDP(1.0), md.InformationDesign("c"), outputs=2)
    rounding = md.baselines.stochastic_rounding(some(9), 1.0)
    assert few.matrix.shape[1] == 2 and few.value <= md.InformationDesign("c").value(rounding.matrix, some(9))


def test_seventy_four_ages_are_certified_to_a_percent():
    problem = md.Problem(prior=np.full(74, 1 / 74), values=np.arange(17.0, 91.0))
    made = quietly(problem, md.LDP(1.0), md.InformationDesign("c"), gap=1e-2)
    rounding = md.baselines.stochastic_rounding(problem, 1.0)
    assert made.gap <= 1e-2 and made.audit.holds
    assert made.value < 0.92 * md.InformationDesign("c").value(rounding.matrix, problem)
    short = quietly(problem, md.LDP(1.0), md.InformationDesign("c"), gap=1e-2, within=0.15)
    assert short.matrix.shape[1] == 2 and short.bound == pytest.approx(made.bound, rel=1e-6)


@pytest.mark.slow
def test_three_hundred_values_are_certified_to_a_percent():
    made = quietly(some(300), md.LDP(1.0), md.InformationDesign("c"), gap=1e-2)
    assert made.gap <= 1e-2 and made.audit.holds


@pytest.mark.parametrize("notion", [md.LDP(1.0), md.LIP(0.7)], ids=str)
def test_any_multipliers_give_a_bound(notion, rng):
    problem = some(4)
    objective = md.InformationDesign("c")
    made = md.design(problem, notion, objective)
    own = made.mechanism.claimed.multipliers
    for _ in range(30):
        direction = own.weights + rng.normal(size=4) * rng.choice([1e-3, 1.0])
        rows = own.rows + rng.normal(size=4) * rng.choice([1e-3, 1.0])
        for given in (Multipliers(rows, weights=direction), Multipliers(rows), Multipliers(rows, weights=np.eye(4))):
            found = utility_bound(notion, objective, problem, given)
            assert -found.utility <= made.value * (1 + 1e-12)


def test_a_direction_that_the_figure_does_not_have_bounds_nothing():
    problem, objective = md.Problem(values=[0.0, 1.0, 2.0]), md.InformationDesign("c")
    along = information_along(objective, problem, np.array([1.0, -2.0, 1.0]))
    # No information along it would bound the variance of another figure by infinity.
    assert least_variance(objective, problem, along, 0.0)[0] == 0.0
    other = information_along(objective, problem, np.array([-1.0, 0.0, 1.0]))
    assert least_variance(objective, problem, other, 0.0)[0] == math.inf


def test_the_mean_has_the_standard_error_that_was_promised():
    problem = md.Problem(prior=[0.1, 0.4, 0.2, 0.2, 0.1], values=np.arange(5.0))
    made = md.design(problem, md.LDP(1.0), md.InformationDesign("c"), within=0.3)
    counts = np.round(1e6 * problem.prior @ made.matrix).astype(np.int64)
    mean = made.mechanism.estimate(counts=counts).mean()
    assert made.matrix.shape[1] < 5
    assert mean.value == pytest.approx(problem.prior @ problem.values, abs=1e-4)
    assert mean.standard_error == pytest.approx(math.sqrt(made.value / counts.sum()), rel=1e-3)


def test_the_figure_may_be_any():
    problem = md.Problem(n=4)
    share = md.design(problem, md.LDP(1.0), md.InformationDesign("c", direction=[0, 1, 1, 0]))
    scaled = md.design(problem, md.LDP(1.0), md.InformationDesign("c", direction=[5, -1, -1, 5]))
    assert scaled.value == pytest.approx(36 * share.value, rel=1e-5)
    # Of one group's share the best report is whether one is in it.
    assert share.value == pytest.approx(1 / (4 * math.tanh(0.5) ** 2), rel=1e-5)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"criterion": "c"}, "direction is None.*no values.*direction="),
        ({"criterion": "c", "direction": [1, 1, 1]}, "direction is 1.0 for each input.*known without asking"),
        ({"criterion": "A", "direction": [0, 1, 2]}, "direction is given.*the criterion A has none"),
        ({"criterion": "c", "direction": [0, 1]}, "direction.*2"),
        ({"criterion": "c", "weights": [1, 1, 1]}, "weights is given.*criterion c has none"),
    ],
)
def test_what_is_no_figure_is_refused(given, words):
    with pytest.raises(md.DomainError, match=words):
        md.design(md.Problem(n=3), md.LDP(1.0), md.InformationDesign(**given))


def test_a_figure_that_no_report_may_depend_on_is_said_to_have_no_value():
    with pytest.raises(md.MechdesignError):
        md.design(some(4), md.LDP(0.0), md.InformationDesign("c"))


# A wrong variant, which the checks above catch ------------------------------------------------------------------------


@pytest.mark.thinned(8)
@pytest.mark.parametrize("sound", [True, False])
def test_scores_whose_expectation_is_only_near_are_seen(sound, monkeypatch):
    def near(columns, *_):
        return columns * (1 + 1e-6 * np.arange(len(columns))[:, None] ** 2)

    if not sound:
        monkeypatch.setattr(scores, "exactly_unbiased", near)
    problem, objective = some(20), md.InformationDesign("c")
    candidate = scores.ROUTE.solve(Task(problem, md.LIP(0.5), objective))
    assert candidate.matrix.shape[1] < 20
    assert math.isfinite(objective.value(candidate.matrix, problem)) is sound


def test_few_outputs_are_held_against_the_optimum_of_any_number():
    """Holohan's mechanism of two outputs stood beside the value without privacy, 0.25."""
    asked = (md.Problem(n=2), md.ApproximateLDP(1, 0.1), md.InformationDesign("c", direction=[1, 0]))
    with pytest.warns(md.GapWarning):
        few = md.design(*asked, outputs=2)
    free = md.design(*asked)
    assert few.value == pytest.approx(0.93929020, abs=1e-7) and few.matrix.shape[1] == 2
    assert few.value >= free.value and few.bound == pytest.approx(free.bound, rel=1e-6)
    assert md.design(*asked, outputs=4).gap <= 1e-6
    with pytest.raises(md.UnsupportedError, match="one output identify nothing"):
        md.design(*asked, outputs=1)


def test_columns_that_reveal_an_input_stay_apart_at_equal_scores():
    """Under a union of cones a column that reveals an input is not private once another one is added to it."""
    problem = md.Problem(values=[0.0, 1.0, 2.0, 4.0, 7.0])
    found = md.design(problem, md.UtilityOptimizedLDP(1.0, [0]), md.UnbiasedMean(), route="scores")
    assert found.gap <= 1e-5 and "stochastic rounding" not in found.reason
    assert found.value < 0.5 * md.UnbiasedMean().value(md.baselines.stochastic_rounding(problem, 1.0).matrix, problem)
