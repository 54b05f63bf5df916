"""Mechanism.renyi_capacity: closed forms of channels, its ends, Sibson's information at priors, brute force."""

from __future__ import annotations

import math

import numpy as np
import pytest

import mechdesign as md
from mechdesign.accounting import renyi_capacity as capacities
from mechdesign.exact import round_rows

ORDERS = (1.0, 1.0 + 1e-9, 1.001, 2.0, 7.5, 300.0, math.inf)


def drawn(n, m, spread, rng):
    rows = round_rows(rng.dirichlet(np.full(m, spread), size=n))
    return md.Mechanism(rows / 2.0**53, [str(y) for y in range(m)])


def information(matrix, prior, order):
    """Return Sibson's mutual information, by its definition."""
    if order == 1.0:
        joint = prior[:, None] * matrix
        used = joint > 0
        return float((joint[used] * np.log((matrix / (prior @ matrix))[used])).sum())
    # Powers of large orders are none of floats: the largest entry is taken out of each column.
    most = matrix.max(axis=0)
    norms = most * (prior @ (matrix / np.where(most > 0, most, 1.0)) ** order) ** (1.0 / order)
    return order / (order - 1.0) * math.log(norms.sum())


@pytest.mark.parametrize("n", [2, 3, 10])
@pytest.mark.parametrize("order", [1.0, 1.5, 4.0])
def test_randomised_response_betrays_most_of_equal_inputs(n, order):
    right = 0.5
    wrong = (1.0 - right) / (n - 1)
    if order == 1.0:
        closed = math.log(n) + right * math.log(right) + (n - 1) * wrong * math.log(wrong)
    else:
        closed = math.log(n) + math.log(right**order + (n - 1) * wrong**order) / (order - 1.0)
    matrix = round_rows(np.where(np.eye(n, dtype=bool), right, wrong)) / 2.0**53
    made = md.Mechanism(matrix, [str(x) for x in range(n)])
    found = float(made.renyi_capacity(order)[0])
    assert closed * (1 - 1e-12) - 1e-13 <= found <= closed + 1e-9


@pytest.mark.parametrize("p", [0.125, 0.5, 0.875])
def test_a_channel_that_errs_on_one_side_has_its_known_capacity(p):
    made = md.Mechanism([[1.0, 0.0], [p, 1.0 - p]], ["0", "1"])
    known = math.log1p((1.0 - p) * p ** (p / (1.0 - p)))
    assert known <= made.renyi_capacity([1.0])[0] <= known + 1e-9


def test_erasure_has_its_known_capacity_at_each_order():
    # The share that is shown adds n^((a - 1)/a) in place of 1 to the sum of norms.
    made = md.Mechanism(np.hstack([0.25 * np.eye(4), np.full((4, 1), 0.75)]), ["a", "b", "c", "d", "erased"])
    for order in (1.5, 2.0, 30.0):
        known = order / (order - 1.0) * math.log(0.25 * 4.0 ** ((order - 1.0) / order) + 0.75)
        assert known * (1 - 1e-14) <= made.renyi_capacity(order)[0] <= known + 1e-9
    assert made.renyi_capacity(1.0)[0] == pytest.approx(0.25 * math.log(4.0), abs=1e-9)
    assert made.renyi_capacity(math.inf)[0] == pytest.approx(math.log(1.75), rel=1e-15)


@pytest.mark.parametrize("spread", [0.1, 1.0, 100.0])
def test_no_prior_betrays_more_and_one_as_much(spread, rng):
    grid = np.array([(a, b, 40 - a - b) for a in range(41) for b in range(41 - a)]) / 40.0
    made = drawn(3, 5, spread, rng)
    for order in (1.0, 1.001, 2.0, 7.5):
        most = float(made.renyi_capacity(order)[0])
        at_priors = max(information(made.matrix, prior, order) for prior in grid)
        # A prior of the grid is within 1/40 of the best one.
        assert at_priors * (1 - 1e-9) <= most <= 1.02 * at_priors


@pytest.mark.parametrize(
    ("n", "m", "spread"), [(5, 3, 0.3), (20, 20, 0.1), (20, 20, 1.0), (60, 60, 1.0), (10, 100, 1.0)]
)
def test_the_search_ends_next_to_the_capacity(n, m, spread, rng):
    made = drawn(n, m, spread, rng)
    with np.errstate(divide="ignore"):
        logs = np.log(made.matrix[:, made.matrix.any(axis=0)])
    for order in ORDERS[:-1]:
        prior = capacities._best_prior(logs, order)
        within = 1e-6 if order < 1.0 + 1e-6 else 1e-7
        # By its definition, which loses digits next to order 1, where the prior's information is next to order 1's.
        reached = information(made.matrix, prior, 1.0 if order < 1.0 + 1e-6 else order)
        assert reached <= made.renyi_capacity(order)[0] <= reached + within


def test_it_grows_from_capacity_to_maximal_leakage(rng):
    made = drawn(4, 6, 1.0, rng)
    found = made.renyi_capacity(ORDERS)
    assert np.all(np.diff(found) > -1e-9)
    assert np.all(found <= made.renyi_profile(ORDERS))
    assert found[-1] == pytest.approx(float(md.audit(made, md.MaximalLeakage(1.0))), rel=1e-12)
    level = md.SibsonLeakage(1.0, 2.0).level(made.matrix, md.Problem(prior=[0.1, 0.2, 0.3, 0.4])).value
    assert 0 < level < found[3]


def test_parts_of_the_data_that_are_reported_apart_add_up(rng):
    first, second = drawn(2, 3, 1.0, rng), drawn(3, 2, 1.0, rng)
    both = md.Mechanism(round_rows(np.kron(first.matrix, second.matrix)) / 2.0**53, [str(x) for x in range(6)])
    for order in (1.0, 2.0, 7.5, math.inf):
        parts = first.renyi_capacity(order)[0] + second.renyi_capacity(order)[0]
        assert both.renyi_capacity(order)[0] == pytest.approx(parts, abs=1e-8)


def test_ends_of_the_domain():
    alike = md.Mechanism([[0.5, 0.5], [0.5, 0.5]], ["0", "1"])
    assert alike.renyi_capacity(ORDERS).tolist() == [0.0] * len(ORDERS)
    shown = md.Mechanism(np.eye(3), ["a", "b", "c"])
    assert shown.renyi_capacity(ORDERS) == pytest.approx(math.log(3.0), abs=1e-9)
    step = 2.0**-40
    near = md.Mechanism([[0.5 + step, 0.5 - step], [0.5 - step, 0.5 + step]], ["0", "1"])
    # Half of the order times the chi-square divergence from even outputs, and the rounding of floats.
    assert 0 <= near.renyi_capacity(2.0)[0] - 4.0 * step**2 < 1e-12


@pytest.mark.parametrize("order", [0.5, 0.0, -1.0, math.nan, 2e4, "a"])
def test_an_order_outside_the_domain_is_refused(order):
    made = md.Mechanism(np.eye(2), ["0", "1"])
    with pytest.raises(md.DomainError, match="orders"):
        made.renyi_capacity([order])


def test_capacities_next_to_nothing_are_no_larger_than_divergences_of_rows():
    whole = 2**53
    near = md.Mechanism([[0.5, 0.5], [(whole // 2 + 1) / whole, (whole // 2 - 1) / whole]], ["a", "b"])
    orders = [1.0, 2.0, math.inf]
    found = near.renyi_capacity(orders)
    assert (found <= near.renyi_profile(orders)).all() and (np.diff(found) >= 0).all()


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_large_orders_of_rare_outputs_do_not_overflow():
    whole = 2**53
    rows = [[1, 5, whole - 6], [whole - 6, 1, 5], [whole // 3, whole // 3, whole - 2 * (whole // 3)]]
    rare = md.Mechanism([[entry / whole for entry in row] for row in rows], ["a", "b", "c"])
    low, high = rare.renyi_capacity([100.0, 1e4])
    assert 0.0 < low < high <= rare.renyi_capacity(math.inf)[0]
