"""No private mechanism passes a bound in exact arithmetic: not where rays nearly vanish, nor where cones are thin."""

import math
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.runtime.deadline import OutOfTime, reading, until
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.task import Task
from mechdesign.testing.certificate_contract import bound_is_exactly_sound
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.exact_utility import column_utility, dot, exact_utility
from mechdesign.testing.examples import NOTIONS as NOTION_EXAMPLES
from tests.helpers.exact_bands import private_rays
from tests.helpers.few_inputs import tasks
from tests.planted.bent import bent
from tests.planted.routes import bound_of_negative_budgets

#: Levels from next to nothing to the end of floats' exponentials; at one a quarter of the mass nearly fills a set.
LEVELS = (1e-12, 1e-6, 0.1, 1.0, math.log(4) - 4e-15, 33.0, 120.0, 700.0)
#: Priors of which some have negligible mass at an input, others sums of decimals that fill a set exactly.
PRIORS = (
    (0.2, 0.3, 0.5),
    (1e-15, 0.5, 0.5),
    (1e-14, 0.5, 0.5 - 1e-14),
    (1e-12, 0.5, 0.5 - 1e-12),
    (1e-8, 0.4, 0.6 - 1e-8),
    (0.1, 0.2, 0.3, 0.4),
    (1e-15, 1e-8, 0.3, 0.7 - 1e-8),
    (0.25, 0.25, 0.25, 0.25),
)
NOTIONS = {
    "LIP": lambda level: (md.LIP(level), level, level),
    "MaxLift": lambda level: (md.MaxLift(level), math.inf, level),
    "little below": lambda level: (md.AsymmetricLIP(0.1, level), 0.1, level),
    "next to nothing below": lambda level: (md.AsymmetricLIP(1e-6, level), 1e-6, level),
    "below alone": lambda level: (md.AsymmetricLIP(level, math.inf), level, math.inf),
}


def objectives(problem):
    """Return objectives whose utility of a column has an exact value: of the rare input, and of all."""
    n = problem.n
    first, second = np.zeros(n), np.zeros(n)
    first[1], first[-1], second[1], second[-1] = 0.9, 0.1, 0.1, 0.9
    return {
        "MMSE": md.MMSE(),
        "histogram": md.HistogramMMSE(),
        "variation": md.TotalVariation(first, second),
        "entropy": md.KLDivergence(first, second),
        "loss": md.ExpectedLoss(np.abs(np.subtract.outer(problem.values, problem.values[:2]))),
    }


def passed(notion, objective, problem, multipliers, rays, bound=utility_bound):
    """Return by how much the columns of `rays` pass the bound: at most 0 where it is sound."""
    above = bound(notion, objective, problem, multipliers).utility
    if above == math.inf:
        return -math.inf
    normal, rows = notion.columns(problem).normal, multipliers.rows
    whole, total = sum(Fraction(float(c)) for c in normal), sum(Fraction(float(row)) for row in rows)
    excess = ((column_utility(objective, problem, ray) - dot(rows, ray)) * whole / dot(normal, ray) for ray in rays)
    return float(total + max(excess) - Fraction(above))


def multipliers_of(problem, notion, objective, rng):
    """Return multipliers at the optimum, of every size, and of sizes that have nothing to do with each other."""
    n = problem.n
    yield md.design(problem, notion, objective).mechanism.certificate.multipliers
    for size in (0.0, 1e-12, 1.0, 1e12):
        yield Multipliers(size * rng.normal(size=n))
    yield Multipliers(rng.choice([-1.0, 1.0], size=n) * 10.0 ** rng.uniform(-12, 12, size=n))


@pytest.mark.thinned(40)
@pytest.mark.filterwarnings("ignore::mechdesign.GapWarning")
@pytest.mark.parametrize("prior", PRIORS, ids=str)
@pytest.mark.parametrize("name", NOTIONS)
def test_no_column_of_a_band_passes_the_bound(name, prior, rng):
    problem = md.Problem(prior=prior, values=[0.0, *range(len(prior) - 1)])
    for level in LEVELS:
        notion, lower, upper = NOTIONS[name](level)
        rays = private_rays(prior, lower, upper)
        for which, objective in objectives(problem).items():
            if which == "entropy" and lower == math.inf:
                continue
            for multipliers in multipliers_of(problem, notion, objective, rng):
                short = passed(notion, objective, problem, multipliers, rays)
                assert short <= 0, (level, which, multipliers.rows)


#: Levels at which cones are thin, and at which they are next to all columns.
EXTREMES = (None, 1e-9, 30.0)
#: Seconds for one question: curved cones are priced by thousands of small programs.
PATIENCE = 3.0


@pytest.mark.slow
@pytest.mark.parametrize("level", EXTREMES)
@pytest.mark.parametrize(("name", "index"), [(name, i) for name, of in NOTION_EXAMPLES.items() for i in range(len(of))])
def test_every_notion_has_bounds_that_nothing_private_passes(name, index, level, rng):
    notion, problem = NOTION_EXAMPLES[name][index](rng)
    if level is not None and notion.level_name == "epsilon":
        notion = notion.at(level)
    # The others make their inputs' prior themselves.
    if problem.prior is None and name not in ("CentralizedIP", "ProfileDP"):
        low, high = getattr(notion, "lower", 0.0), getattr(notion, "upper", 1.0)
        boxed = isinstance(notion, md.BoundedPriorLIP)
        # In the middle of the box, where priors are bounded.
        middle = low + (1.0 - np.sum(low)) * (high - low) / np.sum(high - low) if boxed else None
        problem = replace(problem, prior=rng.dirichlet(np.ones(problem.n)) if middle is None else middle)
    inputs = notion.inputs(replace(problem, values=rng.normal(size=problem.n)))
    first, second = rng.dirichlet(np.ones(inputs.n), size=2)
    for objective in (md.MMSE(), md.TotalVariation(first, second)):
        # Some pairs have no certificate, or an infinite utility.
        # A bound that a deadline ends early has to be as sound.
        with suppress(md.UnsupportedError, md.DomainError, OutOfTime), reading(CountingClock(0.1)), until(PATIENCE):
            objective.check(inputs)
            bound_is_exactly_sound(utility_bound, Task(inputs, notion, objective), rng)


@pytest.mark.parametrize("size", [1e-1, 1e-3, 1e-6, 1e-9])
def test_a_cone_of_next_to_one_column_has_sound_bounds(size, rng):
    # Rows that nearly agree: the one ray there is has to be found from next to nothing.
    for _ in range(20):
        tilt = size * rng.random((2, 1)) * np.array([[1.0, -1.0], [-1.0, 1.0]])
        channel = 0.5 + tilt * 0.5
        problem = md.Problem(prior=[0.5, 0.5]).hidden(data_given_secret=channel)
        objective = md.KLDivergence([0.3, 0.7], [0.6, 0.4])
        for rows in ([-1e12, 1e12], [1e12, -1e12], [1.0, -1.0]):
            assert utility_bound(md.LDP(0.0), objective, problem, Multipliers(np.array(rows))).utility >= 0


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", list(tasks(np.random.default_rng(0))))
def test_no_design_passes_its_own_bound(name, rng):
    asked = tasks(rng)[name]
    design = md.design(asked.problem, asked.notion, asked.objective)
    utility = exact_utility(asked.objective, asked.problem, design.matrix)
    multipliers = design.mechanism.certificate.multipliers
    for moved in (0.0, 1.0, -1e6, 1e12):
        rows = multipliers.rows + moved * asked.notion.columns(asked.problem).normal
        bound = utility_bound(asked.notion, asked.objective, asked.problem, replace(multipliers, rows=rows)).utility
        assert utility is None or utility <= Fraction(bound)


class VanishingShares(md.LIP):
    """A knapsack's share next to 0 or 1 is taken as that, although the band may be wide."""

    def shape(self, problem):
        def rays(shape):
            found, (low, high) = shape.rays(), shape.ends
            columns = found.columns / (shape.normal @ found.columns)
            share = (columns - low) / (high - low)
            share = np.where(np.abs(share - np.rint(share)) <= 1e-6, np.rint(share), share)
            return replace(found, columns=low + (high - low) * share)

        return bent(super().shape(problem), rays=rays)


def test_rays_whose_shares_vanish_are_caught():
    prior, epsilon = (1e-14, 0.5, 0.5 - 1e-14), 33.0
    problem, rays = md.Problem(prior=prior, values=[0.0, 0.0, 1.0]), private_rays(prior, epsilon, epsilon)
    # A price on the rare input alone: what is left are the rays that nearly vanish.
    at = Multipliers(np.array([1.0, 0.0, 0.0]))
    assert passed(md.LIP(epsilon), md.MMSE(), problem, at, rays) <= 0
    assert passed(VanishingShares(epsilon), md.MMSE(), problem, at, rays) > 0.1


def test_multipliers_of_a_budget_below_zero_are_caught(rng):
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[1.0, 2.0, 4.0])
    # A limit that no mechanism reaches, so that a price below zero is none.
    asked = Task(problem, md.MaximalLeakage(2.0), md.MMSE())
    bound_is_exactly_sound(utility_bound, asked, rng)
    with pytest.raises(AssertionError, match="passed by"):
        bound_is_exactly_sound(bound_of_negative_budgets, asked, rng)
