"""Designs for exponents: against programs over rays at many orders, and bounds that stay sound."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md
from mechdesign.files.checksums import sealed
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.theorems import theorem
from tests.helpers import brute_force

RATES = (0.0, 1e-8, 0.003, 0.05)
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


def question(name, rng):
    """Return a notion, a problem and its rays with their budget, enumerated apart from the package."""
    if name == "LDP":
        return md.LDP(0.8), md.Problem(n=4), brute_force.ldp_vectors(4, 0.8), None
    if name == "weak LDP":
        return md.LDP(0.02), md.Problem(n=3), brute_force.ldp_vectors(3, 0.02), None
    if name == "LIP":
        prior = rng.dirichlet(np.ones(4)) * 0.9 + 0.025
        rays = brute_force.vertices(brute_force.lip_rows(prior, 0.6), np.full(4, 0.25))
        return md.LIP(0.6), md.Problem(prior=prior), rays, None
    rays = np.array([[1.0, 0.0, 0.4], [0.0, 1.0, 0.6]])
    return md.WeightedTV(0.5, 0.4), md.Problem(n=2), rays, (np.abs(0.6 * rays[0] - 0.4 * rays[1]), 0.5)


NAMES = ("LDP", "weak LDP", "LIP", "WeightedTV")


def least(rays, terms, budget, more=None, limits=None):
    """Return the least ``w . terms`` over weights of mechanisms, and the weights; None where there are none."""
    rows, bounds = ([], []) if budget is None else ([budget[0]], [budget[1]])
    if more is not None:
        rows, bounds = [*rows, *more], [*bounds, *limits]
    found = linprog(
        terms,
        A_ub=np.array(rows) if rows else None,
        b_ub=bounds or None,
        A_eq=rays,
        b_eq=np.ones(len(rays)),
        method="highs",
        options=TIGHT,
    )
    return None if found.status != 0 else (found.fun, found.x)


def powers(rays, first, second, order):
    p, s = np.asarray(first) @ rays, np.asarray(second) @ rays
    return p ** (1 - order) * s**order


def best_over_orders(rays, budget, first, second, at, grid):
    """Return the largest ``at(S, t)`` over a grid of orders, S the least sum of powers over mechanisms."""
    return max(at(least(rays, powers(rays, first, second, t), budget)[0], t) for t in grid)


@pytest.mark.parametrize("name", NAMES)
def test_chernoff_optimum_is_that_of_brute_force(name, rng):
    notion, problem, rays, budget = question(name, rng)
    first, second = rng.dirichlet(np.ones(len(rays)), size=2)
    made = md.design(problem, notion, md.ChernoffExponent(first, second))

    def at(total, t):
        return -math.log(total)

    brute = best_over_orders(rays, budget, first, second, at, np.linspace(0, 1, 41))
    fine = best_over_orders(rays, budget, first, second, at, np.linspace(0.45, 0.55, 81))
    brute = max(brute, fine)
    assert made.route == "orders" and made.gap <= 1e-6 and made.audit.holds
    assert made.bound >= brute - 1e-10
    assert made.value >= brute - 1e-10 - 2e-6 * brute and made.value <= made.bound


@pytest.mark.thinned(12)
@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("name", NAMES)
def test_hoeffding_optimum_is_that_of_brute_force(name, rate, rng):
    notion, problem, rays, budget = question(name, rng)
    first, second = rng.dirichlet(np.ones(len(rays)), size=2)
    made = md.design(problem, notion, md.HoeffdingExponent(rate, first, second))
    # With u = 1/t - 1, spread evenly in its logarithm: the best order of a small rate is about its root.
    orders = np.concatenate([1 / (1 + np.logspace(-4, 4, 161)), [1.0]])
    # A sum of powers within 1e-10 of the truth says little of its logarithm over a small order.
    loose = 1e-9 / orders.min() if rate == 0 else 1e-10 + 1e-9 / math.sqrt(rate)

    def at(total, t):
        return (-(1 - t) * rate - math.log(total)) / t

    if rate == 0:
        terms = brute_force.divergence("KLDivergence", rays, first, second)
        brute, loose = -least(rays, -terms, budget)[0], 1e-10
    else:
        brute = max(best_over_orders(rays, budget, first, second, at, orders), 0.0)
    assert made.gap <= 1e-6 and made.audit.holds
    assert made.bound >= brute - loose
    assert made.value >= brute - loose - 2e-6 * brute
    assert made.value <= brute + loose + 2e-3 * brute + 1e-12


@pytest.mark.thinned(4)
@pytest.mark.parametrize("rate", [0.003, 0.05, 0.4, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_han_kobayashi_optimum_is_that_of_brute_force(name, rate, rng):
    notion, problem, rays, budget = question(name, rng)
    first, second = rng.dirichlet(np.ones(len(rays)), size=2)
    made = md.design(problem, notion, md.HanKobayashiExponent(rate, first, second))
    brute = least_han_kobayashi(rate, rays, budget, first, second)
    assert made.gap <= 1e-6 and made.audit.holds and made.route == "orders"
    assert made.value == pytest.approx(brute, rel=1e-5, abs=2e-7)


def least_han_kobayashi(rate, rays, budget, first, second):
    """Return the least over weights of the largest over orders: convex programs, each with the last one's order."""
    import cvxpy as cp

    p, s = first @ rays, second @ rays
    top = float(np.log(s / p).max())
    weights = cp.Variable(rays.shape[1], nonneg=True)
    rules = [rays @ weights == 1] + ([] if budget is None else [budget[0] @ weights <= budget[1]])
    fine = np.concatenate([np.linspace(0.0, 0.995, 4000), 1 - np.logspace(-2.3, -3.5, 200)])
    # Relative to the largest ratio, whose powers else overflow.
    rows = p * np.exp((np.log(s / p) - top) / (1 - fine)[:, None])
    chosen = [*range(0, len(fine), 400), len(fine) - 1]
    for _ in range(6):
        terms = [rate * fine[k] - top - (1 - fine[k]) * cp.log(rows[k] @ weights) for k in chosen]
        found = cp.Problem(cp.Minimize(cp.max(cp.hstack(terms))), rules).solve(solver="CLARABEL")
        reached = rate * fine - top - (1 - fine) * np.log(rows @ np.maximum(weights.value, 0.0))
        chosen.append(int(reached.argmax()))
    # At the end of the range no mechanism has less than this.
    return max(found, rate - top)


def test_han_kobayashi_needs_a_mixture():
    """Every vertex that is best at some order is worse than the optimum by almost a per cent."""
    first, second, rate = np.array([0.81, 0.01, 0.18]), np.array([0.01, 0.3, 0.69]), 1.6
    objective, problem, rays = (
        md.HanKobayashiExponent(rate, first, second),
        md.Problem(n=3),
        brute_force.ldp_vectors(3, 2.5),
    )
    made = md.design(problem, md.LDP(2.5), objective)
    assert made.gap <= 1e-9 and made.matrix.shape == (3, 4)
    largest = float(np.max((second @ rays) / (first @ rays)))
    orders = 1 / (1 - np.linspace(0.01, 0.97, 97))
    vertices = [least(rays, -powers(rays, first, second / largest, t), None)[1] for t in orders]
    alone = min(objective.value(rays * weights, problem) for weights in vertices)
    assert alone > 1.005 * made.value
    assert made.value == pytest.approx(least_han_kobayashi(rate, rays, None, first, second), rel=1e-5)


@pytest.mark.thinned(16)
@pytest.mark.parametrize("weight", [0.4, 0.5])
@pytest.mark.parametrize("delta", [0.3, 0.8])
def test_three_outputs_are_optimal_for_every_exponent(delta, weight, rng):
    notion, problem = md.WeightedTV(delta, weight), md.Problem(n=2)
    first, second = rng.dirichlet(np.ones(2), size=2)
    for objective in (
        md.ChernoffExponent(first, second),
        *(md.HoeffdingExponent(r, first, second) for r in RATES),
        *(md.HanKobayashiExponent(r, first, second) for r in (0.01, 0.1, 1.0, 4.0)),
    ):
        best = theorem("yoshida/T2").mechanism(md.Question(problem, notion, objective)).matrix
        claimed = objective.value(best, problem)
        made = md.design(problem, notion, objective)
        assert made.value == pytest.approx(claimed, rel=1e-6, abs=1e-12)
        worse = claimed - made.bound if objective.sense == "maximise" else made.bound - claimed
        assert worse <= 1e-12 * (1 + claimed), objective


def some_questions(rng):
    for name in NAMES:
        notion, problem, rays, _ = question(name, rng)
        first, second = rng.dirichlet(np.ones(len(rays)), size=2)
        yield notion, problem, md.ChernoffExponent(first, second)
        for rate in (0.0, 1e-3, 0.05):
            yield notion, problem, md.HoeffdingExponent(rate, first, second)
        for rate in (0.05, 0.5, 3.0):
            yield notion, problem, md.HanKobayashiExponent(rate, first, second)


def test_bounds_are_sound_for_any_multipliers(rng):
    for notion, problem, objective in some_questions(rng):
        made = md.design(problem, notion, objective)
        reached = objective.to_utility(made.value, problem)
        good = made.mechanism.certificate.multipliers
        width = good.by_order.shape[1]
        size = 1e-3 + np.abs(good.by_order[:, 1:]).max()
        for scale in (1e-5, 1.0, 100.0):
            drawn = np.column_stack([np.sort(rng.random(5)), scale * size * rng.normal(size=(5, width - 1))])
            moved = good.by_order.copy()
            moved[:, 1:] += scale * size * rng.normal(size=moved[:, 1:].shape)
            for lines in (drawn, moved, moved[:1], moved[::7]):
                bound = utility_bound(notion, objective, problem, replace(good, by_order=lines))
                assert bound.utility >= reached - 1e-12, (objective, notion, scale)


def test_bounds_ignore_multiples_of_the_normal(rng):
    for notion, problem, objective in some_questions(rng):
        good = md.design(problem, notion, objective).mechanism.certificate.multipliers
        before = utility_bound(notion, objective, problem, good).utility
        lines = good.by_order.copy()
        lines[:, 1 : 1 + problem.n] += 0.1 * notion.columns(problem).normal
        after = utility_bound(notion, objective, problem, replace(good, by_order=lines)).utility
        # The shift costs digits, over a small order many of them.
        assert after == pytest.approx(before, rel=1e-9, abs=1e-12)


def test_few_orders_give_a_bound_between_them_too(rng):
    """Multipliers that are exact at both ends, where the exponent is 0, do not bound what lies between by 0."""
    first, second = rng.dirichlet(np.ones(3), size=2)
    notion, problem, objective = md.LDP(1.0), md.Problem(n=3), md.ChernoffExponent(first, second)
    reached = md.design(problem, notion, objective).value
    ends = np.array([[0.0, 0.0, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    bound = utility_bound(notion, objective, problem, Multipliers(np.zeros(3), by_order=ends)).utility
    assert reached < bound < 10 * reached


@pytest.mark.slow
def test_bounds_ignore_what_is_no_number(rng):
    for notion, problem, objective in some_questions(rng):
        made = md.design(problem, notion, objective)
        reached, good = objective.to_utility(made.value, problem), made.mechanism.certificate.multipliers
        for bad in (math.nan, math.inf, -1e300):
            lines = good.by_order.copy()
            lines[len(lines) // 2, 1] = bad
            for given in (replace(good, by_order=lines), Multipliers(np.full(problem.n, bad))):
                assert utility_bound(notion, objective, problem, given).utility >= reached - 1e-12
        assert utility_bound(notion, objective, problem, replace(good, by_order=np.ones(3))).utility >= reached - 1e-12


@pytest.mark.parametrize("kind", [md.ChernoffExponent, md.HoeffdingExponent, md.HanKobayashiExponent])
def test_files_hold_the_certificate_by_order(kind, rng, tmp_path):
    first, second = rng.dirichlet(np.ones(3), size=2)
    objective = (
        kind(first, second)
        if kind is md.ChernoffExponent
        else kind(0.05 if kind is md.HoeffdingExponent else 1.0, first, second)
    )
    made = md.design(md.Problem(n=3), md.LDP(1.5), objective)
    file = made.mechanism.save(tmp_path / "mechanism.json")
    assert md.load(file).certificate == made.mechanism.certificate
    data = made.mechanism.to_dict()
    data["multipliers"]["by_order"] = None
    file.write_text(json.dumps(sealed(data)))
    with pytest.raises(md.CertificateError, match="its matrix and multipliers"):
        md.load(file)


def test_routes_refuse_with_sentences():
    pair = {"first": [1.0, 0.0], "second": [0.0, 1.0]}
    for objective in (md.ChernoffExponent(**pair), md.HanKobayashiExponent(1.0, **pair)):
        for route in ("rays", "columns", "convex", "closed_form"):
            with pytest.raises(md.UnsupportedError, match=f"route {route} refuses"):
                md.design(md.Problem(n=2), md.LDP(1.0), objective, route=route)
    with pytest.raises(md.UnsupportedError, match="not searched over an order"):
        md.design(md.Problem(prior=[0.4, 0.6], values=[0, 1]), md.LDP(1.0), md.MMSE(), route="orders")
    many = md.HanKobayashiExponent(1.0, np.full(20, 0.05), np.arange(20) / 190)
    with pytest.raises(md.UnsupportedError, match="extreme rays"):
        md.design(md.Problem(n=20), md.LDP(1.0), many, route="orders")
    with pytest.raises(md.UnsupportedError, match="constraints of your own"):
        md.design(md.Problem(n=2), md.LDP(1.0), md.ChernoffExponent(**pair), subject_to=lambda Q: [Q <= 0.9])


def test_hypotheses_that_are_one_give_nothing_to_find():
    flat = [0.25, 0.25, 0.5]
    for objective, value in (
        (md.ChernoffExponent(flat, flat), 0.0),
        (md.HoeffdingExponent(0.0, flat, flat), 0.0),
        (md.HoeffdingExponent(0.1, flat, flat), 0.0),
        (md.HanKobayashiExponent(0.1, flat, flat), 0.1),
    ):
        made = md.design(md.Problem(n=3), md.LDP(1.0), objective)
        assert made.value == pytest.approx(value, abs=1e-12) and made.gap <= 1e-6
