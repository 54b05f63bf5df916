"""The optimum of at most m outputs against published formulas and numbers."""

import numpy as np
import pytest

import mechdesign as md


def two_outputs(delta, weight, theta):
    """Return the optimum of yoshida, Theorem 1 (i) and (ii): of two outputs, at the mixture (1 - theta, theta)."""
    a = (1 - delta) / 2
    if theta <= (weight - a) / delta:
        return (weight - a) / (theta * (weight * (1 - theta) + a * theta))
    return (1 - weight - a) / ((1 - theta) * (a * (1 - theta) + (1 - weight) * theta))


def three_outputs(delta, weight, theta):
    """Return the optimum of yoshida, Theorem 1 (iii)."""
    a = (1 - delta) / 2
    return (1 - a / (weight * (1 - theta) + (1 - weight) * theta)) / (theta * (1 - theta))


def fisher(delta, weight, theta, outputs, **keywords):
    """Return the design for Fisher information of the mixture's share."""
    objective = md.FisherInformation([1 - theta, theta], [-1.0, 1.0])
    return md.design(md.Problem(n=2), md.WeightedTV(delta, weight), objective, outputs=outputs, **keywords)


def instance(rng):
    """Return delta, a weight strictly inside the domain, and theta."""
    delta = float(rng.uniform(0.05, 0.95))
    a = (1 - delta) / 2
    return delta, float(a + rng.uniform(0.05, 0.95) * delta), float(rng.uniform(0.03, 0.97))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("index", range(40))
def test_two_outputs_under_weighted_variation(index):
    delta, weight, theta = instance(np.random.default_rng(index))
    made = fisher(delta, weight, theta, 2)
    best = two_outputs(delta, weight, theta)
    assert made.value == pytest.approx(best, rel=1e-6) and made.bound == pytest.approx(best, rel=1e-6)
    assert made.value <= best * (1 + 1e-9) and made.bound >= best * (1 - 1e-9)
    assert made.gap <= 1e-6 and made.audit.holds and made.matrix.shape == (2, 2)
    # Strictly less than three outputs tell, by more than both certificates leave open.
    most = fisher(delta, weight, theta, 3)
    assert most.value == pytest.approx(three_outputs(delta, weight, theta), rel=1e-6)
    assert made.bound < most.value


@pytest.mark.parametrize(("delta", "weight"), [(0.5, 0.5), (0.6, 0.35), (0.2, 0.55)])
def test_where_the_two_cases_meet(delta, weight):
    theta = (weight - (1 - delta) / 2) / delta
    made = fisher(delta, weight, theta, 2)
    a = (1 - delta) / 2
    other = (1 - weight - a) / ((1 - theta) * (a * (1 - theta) + (1 - weight) * theta))
    assert two_outputs(delta, weight, theta) == pytest.approx(other, rel=1e-12)
    assert made.value == pytest.approx(other, rel=1e-6) and made.gap <= 1e-6


@pytest.mark.parametrize("weight", [0.25, 0.75])
@pytest.mark.parametrize("theta", [0.1, 0.5, 0.8])
def test_two_outputs_suffice_at_the_ends_of_the_domain(weight, theta):
    made = fisher(0.5, weight, theta, 2)
    assert made.value == pytest.approx(three_outputs(0.5, weight, theta), rel=1e-6) and made.gap <= 1e-6


@pytest.mark.parametrize(
    ("prior", "epsilon", "values", "outputs", "value", "digits"),
    [
        ((0.05, 0.05, 0.9), 1.0, (0, 1, 2), 2, 0.2030613714, 5e-11),
        ((0.05, 0.05, 0.9), 1.0, (0, 1, 2), 3, 0.2030613714, 5e-11),
        ((0.3, 0.3, 0.4), 1.2, (0, 1, 2), 2, 0.42630, 5e-6),
        ((0.3, 0.3, 0.4), 1.2, (0, 1, 2), 3, 0.35305, 5e-6),
    ],
)
def test_how_many_outputs_a_number_needs(prior, epsilon, values, outputs, value, digits):
    made = md.design(md.Problem(prior=prior, values=values), md.LIP(epsilon), md.MMSE(), outputs=outputs)
    assert made.value == pytest.approx(value, abs=digits) and made.bound == pytest.approx(value, abs=2 * digits)
    assert made.matrix.shape[1] <= outputs and made.audit.holds


@pytest.mark.parametrize("epsilon", [0.5, 1.2, 3.0])
def test_ties_need_no_more_outputs_than_there_are_values(epsilon):
    problem = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 0, 1])
    free = md.design(problem, md.LIP(epsilon), md.MMSE())
    made = md.design(problem, md.LIP(epsilon), md.MMSE(), outputs=2)
    assert made.matrix.shape[1] == 2
    assert made.value == pytest.approx(free.value, rel=1e-6) and made.gap <= 1e-6
