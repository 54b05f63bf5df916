"""The closed-form route: its refusals, its bounds, and that a wrong theorem cannot vouch for itself."""

import math
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.mechanism import Multipliers
from mechdesign.solve.certificate.bound import utility_bound
from mechdesign.solve.routes import closed_form
from mechdesign.solve.task import Task
from mechdesign.theorems import Published, theorem
from tests.helpers import brute_force

EPSILONS = (0.05, 0.2, 1.0, 2.5, 5.0)
INSIDE = md.Problem(prior=[0.3, 0.32, 0.38], values=[0, 1, 3])


def task(problem, notion, objective, **more):
    """Return the route's task."""
    return Task(notion.inputs(problem), notion, objective, **more)


def planted(monkeypatch, claim):
    """Make `claim` the only theorem."""
    monkeypatch.setattr(closed_form, "published", lambda: {claim.key: claim})


def skewed_or_not(rng, epsilon):
    """Yield priors of two inputs on both sides of ``1/(1 + e^epsilon)``."""
    threshold = 1 / (1 + math.exp(epsilon))
    for p in (1e-3, 0.9 * threshold, threshold, 1.05 * threshold, *rng.uniform(0.01, 0.99, 6)):
        yield np.array([1 - p, p])


# Refusals -------------------------------------------------------------------------------------------------------------


def test_no_theorem_of_that_form_is_said():
    said = closed_form.ROUTE.refusal(task(md.Problem(n=3), md.MaximalLeakage(1.0), md.MaxOffDiagonal()))
    assert said == "no theorem speaks of MaxOffDiagonal under MaximalLeakage(epsilon=1) with 3 inputs"


def test_the_condition_that_fails_is_said_with_the_level_that_the_print_would_have(rng):
    for epsilon in EPSILONS:
        # Two rare inputs, and two that share the rest: neither one rare input nor a dominant one.
        prior = np.array([0.3, 0.2, 0.0, 0.0]) / (1 + math.exp(epsilon))
        prior[2:] = (1 - prior[:2].sum()) / 2
        problem = md.Problem(prior=prior, values=[0, 1, 2, 3])
        said = closed_form.ROUTE.refusal(task(problem, md.LIP(epsilon), md.MMSE()))
        real = max(epsilon, math.log1p((1 - math.exp(-epsilon)) * (1 / prior.min() - 1)))
        condition = f"min prior {prior.min():.6g} >= 1/(1 + e^epsilon) = {1 / (1 + math.exp(epsilon)):.6g} fails"
        assert said.startswith(
            f"jiang_lip Theorem 3: {condition}; as printed its epsilon would be {real:.6g}, not {epsilon:.6g}"
        )


def test_refused_by_name_it_is_an_error_with_the_sentence():
    problem = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    with pytest.raises(
        md.UnsupportedError, match=r"closed_form refuses: jiang_lip Theorem 3: min prior 0\.1 >= .* fails"
    ):
        md.design(problem, md.LIP(1.0), md.MMSE(), route="closed_form")


def test_constraints_and_too_few_outputs_are_refused():
    asked = task(INSIDE, md.LIP(1.0), md.MMSE())
    assert "convex route" in closed_form.ROUTE.refusal(replace(asked, subject_to=lambda Q: [Q[0, 0] <= 0.5]))
    assert closed_form.ROUTE.refusal(replace(asked, outputs=3)) is None
    said = "the mechanism of jiang_lip Theorem 3 has 3 outputs, more than the 2 allowed"
    assert closed_form.ROUTE.refusal(replace(asked, outputs=2)) == said


def test_decisions_that_are_never_taken_are_no_outputs():
    # Reporting the first input always is best where it is common enough.
    asked = task(md.Problem(prior=[0.99, 0.01]), md.LIP(1.0), md.ExpectedLoss([[0, 1], [1, 0]]), outputs=1)
    assert closed_form.ROUTE.refusal(asked) is None


def test_without_a_certificate_for_so_many_inputs_it_refuses():
    problem = md.Problem(prior=np.full(40, 1 / 40), values=np.arange(40))
    said = "the certificate needs the extreme rays of LIP, too many for 40 inputs"
    assert closed_form.ROUTE.refusal(task(problem, md.LIP(1.0), md.MutualInformation())) == said
    # At five nats each input fills an output alone.
    assert closed_form.ROUTE.refusal(task(problem, md.LIP(5.0), md.MutualInformation())) is None
    assert closed_form.ROUTE.refusal(task(problem, md.LIP(5.0), md.MMSE())) is None


def test_an_infinite_optimum_is_refused():
    # Three outputs at a positive budget betray the secret, so the divergence of one secret from the other is infinite.
    with pytest.raises(md.DomainError, match="infinite"):
        md.design(md.Problem(n=2), md.WeightedTV(0.5), md.KLDivergence([1.0, 0.0], [0.0, 1.0]), route="closed_form")


# Answers --------------------------------------------------------------------------------------------------------------


def check(problem, notion, objective, best, name):
    """Check that the route's design is private, certified, and has brute force's value; return it."""
    made = md.design(problem, notion, objective, route="closed_form")
    assert made.route == "closed_form"
    assert made.solver_stats.name == "closed form"
    assert made.note.startswith(name), made.note
    assert made.audit.holds
    assert made.gap <= 1e-9
    assert made.value == pytest.approx(best, rel=1e-8, abs=1e-12)
    return made


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_binary_questions_are_answered_for_every_prior(rng, epsilon):
    for prior in skewed_or_not(rng, epsilon):
        values, loss = rng.normal(size=2), rng.uniform(size=(2, 3))
        problem = md.Problem(prior=prior, values=values)
        common = prior.min() >= (1 - 1e-12) / (1 + math.exp(epsilon))
        for notion, vectors, name in (
            (
                md.LIP(epsilon),
                brute_force.vertices(brute_force.lip_rows(prior, epsilon), prior),
                "jiang_lip Theorem 2, min prior" if common else "ours exact binary optimum of LIP",
            ),
            (md.LDP(epsilon), brute_force.ldp_vectors(2, epsilon), "jiang_lip Proposition 4"),
        ):
            error = -brute_force.optimum(vectors, -brute_force.squared_error(vectors, prior, values))
            check(problem, notion, md.MMSE(), error, name)
            cost = -brute_force.optimum(vectors, -brute_force.least_loss(vectors, prior, loss))
            # Theorem 2 is about the squared error; for other utilities it is a result of ours.
            told = "ours universal optimum of LIP" if name.startswith("jiang_lip Theorem 2") else name
            made = check(problem, notion, md.ExpectedLoss(loss), cost, told)
            assert made.by_decision.shape == (2, 3)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_binary_absolute_error_is_its_three_part_formula(rng, epsilon):
    E = math.exp(epsilon)
    for prior in skewed_or_not(rng, epsilon):
        m = prior.min()
        # The rarer input is worth reporting, and then with or without the constraint that binds for it.
        parts = [m] if m < 1 / (2 * E) else [(1 - m * (E - 1)) / (1 + E)] if m < 1 / (1 + E) else [2 * m * (1 - m) / E]
        check(md.Problem(prior=prior), md.LIP(epsilon), md.ExpectedLoss([[0, 1], [1, 0]]), parts[0], "")


@pytest.mark.parametrize("epsilon", [1.0, 2.5, 5.0])
def test_many_inputs_inside_the_domain_are_answered(rng, epsilon):
    for n in (3, 4):
        room = 1 - n / (1 + math.exp(epsilon))
        if room <= 0:
            continue
        prior = 1 / (1 + math.exp(epsilon)) + room * rng.dirichlet(np.ones(n))
        values, loss = rng.normal(size=n), rng.uniform(size=(n, n))
        problem = md.Problem(prior=prior, values=values)
        vectors = brute_force.vertices(brute_force.lip_rows(prior, epsilon), prior)
        first, second = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
        for objective, sign, utility in (
            (md.MMSE(), -1, -brute_force.squared_error(vectors, prior, values)),
            (md.ExpectedLoss(loss), -1, -brute_force.least_loss(vectors, prior, loss)),
            (md.MutualInformation(), 1, brute_force.information(vectors, prior)),
            (md.KLDivergence(first, second), 1, brute_force.divergence("KLDivergence", vectors, first, second)),
            (md.TotalVariation(first, second), 1, brute_force.divergence("TotalVariation", vectors, first, second)),
        ):
            best = sign * brute_force.optimum(vectors, utility)
            squared = isinstance(objective, md.MMSE)
            name = "jiang_lip Theorem 3, min prior" if squared else "ours universal optimum of LIP, min prior"
            check(problem, md.LIP(epsilon), objective, best, name)


def test_a_hundred_inputs_are_certified_without_a_solver():
    prior = np.full(100, 0.01)
    problem = md.Problem(prior=prior, values=np.arange(100))
    made = md.design(problem, md.LIP(5.0), md.MMSE(), route="closed_form")
    low = math.exp(-5.0)
    assert made.value == pytest.approx((100**2 - 1) / 12 * (2 * low - low**2), rel=1e-9)
    assert made.gap <= 1e-6


def test_two_secrets_at_bounded_distance_are_answered(rng):
    for delta, weight, theta in ((0.3, 0.5, 0.2), (0.5, 0.4, 0.7), (0.2, 0.4, 0.5), (1.0, 0.3, 0.6)):
        notion, a = md.WeightedTV(delta, weight), (1 - delta) / 2
        information = (1 - a / (weight * (1 - theta) + (1 - weight) * theta)) / (theta * (1 - theta))
        objective = md.FisherInformation([1 - theta, theta], [-1, 1])
        check(md.Problem(n=2), notion, objective, information, "yoshida Theorem 1 (iii), delta")
        # Total variation of the two secrets at weight w: half of |a/(1-w) - a/w| and of the rest of both rows.
        rest = 2 - a / (1 - weight) - a / weight
        distance = (abs(a / (1 - weight) - a / weight) + rest) / 2
        check(md.Problem(n=2), notion, md.TotalVariation([1, 0], [0, 1]), distance, "yoshida Theorem 2, delta")


def test_one_bit_between_two_profiles_is_answered(rng):
    cases = [(math.log(2), 0.0, 0.2), (1.0, 0.9, 0.9), (1.0, 0.0, 1.0), *rng.uniform([0.1, 0, 0], [3, 1, 1], (12, 3))]
    for epsilon, p, q in cases:
        notion = md.ProfileDP(epsilon, [[1 - p, p], [1 - q, q]], [(0, 1)], sees_profile=False)
        E = math.exp(epsilon)
        M = max(0, p - E * q, q - E * p, (1 - p) - E * (1 - q), (1 - q) - E * (1 - p))
        check(md.Problem(n=2), notion, md.MaxOffDiagonal(), M / (2 * M + E - 1), "geumlek eq. (4)")


def test_unequal_flips_gain_nothing_by_the_convex_route():
    notion = md.ProfileDP(0.7, [[0.8, 0.2], [0.1, 0.9]], [(0, 1)], sees_profile=False)
    closed = md.design(md.Problem(n=2), notion, md.MaxOffDiagonal(), route="closed_form")
    free = md.design(md.Problem(n=2), notion, md.MaxOffDiagonal(), route="convex")
    tied = md.design(
        md.Problem(n=2), notion, md.MaxOffDiagonal(), route="convex", subject_to=lambda Q: [Q[0, 1] == Q[1, 0]]
    )
    assert closed.value == pytest.approx(free.value, rel=1e-6)
    assert closed.value == pytest.approx(tied.value, rel=1e-6)


def test_at_level_zero_nothing_is_told():
    prior, values = [0.3, 0.7], [0.0, 2.0]
    for notion in (md.LIP(0.0), md.LDP(0.0)):
        made = md.design(md.Problem(prior=prior, values=values), notion, md.MMSE(), route="closed_form")
        assert made.value == pytest.approx(0.84, rel=1e-12)
        assert made.audit.level == 0.0
        assert made.gap <= 1e-9


def test_multipliers_are_the_change_of_the_optimum_when_a_row_weighs_more():
    # Scaling row x of every mechanism by 1 + h is scaling the utility's functionals there: compare with brute force.
    problem, epsilon, h = INSIDE, 1.0, 1e-4
    asked = task(problem, md.LIP(epsilon), md.MMSE())
    rows = closed_form.ROUTE.solve(asked).multipliers.rows
    vectors = brute_force.vertices(brute_force.lip_rows(problem.prior, epsilon), problem.prior)
    joint = problem.prior @ vectors
    centred = problem.values - problem.prior @ problem.values
    utility = ((problem.prior * centred) @ vectors) ** 2 / joint
    for x in range(3):
        up, down = (_optimum(vectors, utility, 1 + sign * h * np.eye(3)[x]) for sign in (1, -1))
        assert rows[x] == pytest.approx((up - down) / (2 * h), rel=1e-6, abs=1e-8)


def _optimum(vectors, utility, totals):
    return brute_force.optimum(vectors / totals[:, None], utility)


# A theorem cannot vouch for itself ------------------------------------------------------------------------------------


def off(claim, factor):
    """Return the theorem with what is off its diagonal multiplied by `factor`."""

    def planted(question):
        lies = np.where(np.eye(question.problem.n), 0.0, claim.mechanism(question).matrix) * factor
        return Published(lies + np.diag(1 - lies.sum(axis=1)))

    return replace(claim, printed=planted)


def true_error(problem, epsilon):
    """Return the least error by brute force."""
    vectors = brute_force.vertices(brute_force.lip_rows(problem.prior, epsilon), problem.prior)
    return -brute_force.optimum(vectors, -brute_force.squared_error(vectors, problem.prior, problem.values))


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_constant_off_by_one_percent_yields_a_private_design_with_an_honest_gap(monkeypatch, factor):
    planted(monkeypatch, off(theorem("jiang_lip/T3"), factor))
    best = true_error(INSIDE, 1.0)
    with pytest.warns(md.GapWarning):
        made = md.design(INSIDE, md.LIP(1.0), md.MMSE(), route="closed_form")
    assert made.audit.holds
    # The bound is below the true optimum, not at the planted one, and the gap covers what was lost.
    assert made.bound <= best * (1 + 1e-9)
    assert made.value > best * (1 + 1e-4)
    assert made.gap >= (made.value - best) / made.value


def test_a_domain_that_is_too_wide_yields_a_private_design_with_an_honest_gap(monkeypatch):
    planted(monkeypatch, replace(theorem("jiang_lip/T3"), narrower=()))
    problem = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    best = true_error(problem, 1.0)
    with pytest.warns(md.GapWarning):
        made = md.design(problem, md.LIP(1.0), md.MMSE(), route="closed_form")
    assert made.audit.holds
    assert brute_force.is_lip(made.matrix, problem.prior, 1.0)
    assert made.bound <= best * (1 + 1e-9)
    assert made.value > best * (1 + 1e-3)
    assert made.gap >= (made.value - best) / made.value


def test_loose_multipliers_are_replaced_by_those_of_a_program(monkeypatch):
    monkeypatch.setattr(closed_form, "by_slackness", lambda *_: Multipliers(np.full(3, 1e3)))
    asked = task(INSIDE, md.LIP(1.0), md.MMSE())
    found = closed_form.ROUTE.solve(asked)
    bound = utility_bound(asked.notion, asked.objective, asked.problem, found.multipliers)
    value = asked.objective.value(found.matrix, asked.problem)
    assert asked.objective.from_utility(bound.utility, asked.problem) == pytest.approx(value, rel=1e-8)


def test_the_first_theorem_whose_domain_holds_answers(monkeypatch):
    wrong = off(theorem("jiang_lip/T3"), 0.5)
    problem = md.Problem(prior=[0.1, 0.9], values=[0, 1])
    # Theorems 2 and 3 do not hold here; the exact optimum does, and answers.
    monkeypatch.setattr(closed_form, "published", lambda: {"a": wrong, "b": theorem("ours/M4")})
    assert md.design(problem, md.LIP(1.0), md.MMSE(), route="closed_form").gap <= 1e-9
