"""A bound that the design itself passes is never returned: one of the two is wrong, by whatever little."""

from dataclasses import replace

import pytest

import mechdesign as md
from mechdesign.designing import finish
from mechdesign.solve.certificate import claims

PROBLEM = md.Problem(prior=[0.1, 0.2, 0.7], values=[0.0, 1.0, 2.0])
ASKED = (
    (md.LIP(1.0), md.MMSE()),
    (md.LDP(0.5), md.MutualInformation()),
    (md.LDP(2.0), md.HammingLoss()),
    (md.ApproximateLDP(0.5, 0.1), md.TotalVariation([0.5, 0.3, 0.2], [0.2, 0.2, 0.6])),
)


def proved_with_a_bound_too_good(made, objective, share, monkeypatch):
    """Return what is proved where every bound is better than the value, by that share of it."""
    bounded = claims.utility_bound
    reached = objective.to_utility(made.value, PROBLEM)

    def false(*arguments, **keywords):
        return replace(bounded(*arguments, **keywords), utility=reached - share * made.value)

    monkeypatch.setattr(claims, "utility_bound", false)
    return claims.derive(
        made.mechanism.question, PROBLEM, made.by_decision, made.mechanism.certificate.multipliers, made.route
    )


@pytest.mark.parametrize(("notion", "objective"), ASKED, ids=str)
def test_a_value_better_than_its_bound_is_refused(notion, objective, monkeypatch):
    made = md.design(PROBLEM, notion, objective)
    with pytest.raises(md.CertificateError, match="better"):
        proved_with_a_bound_too_good(made, objective, 1e-9, monkeypatch)


@pytest.mark.parametrize(("notion", "objective"), ASKED, ids=str)
def test_two_roundings_of_one_number_are_no_contradiction(notion, objective, monkeypatch):
    made = md.design(PROBLEM, notion, objective)
    found = proved_with_a_bound_too_good(made, objective, 1e-15, monkeypatch)
    assert abs(found.bound - made.value) <= 1e-12 * abs(made.value) and found.gap <= 1e-12


def refuted_on(route, monkeypatch):
    """Let every matrix of a route pass its own bound."""
    proved = claims.derive

    def refusing(question, inputs, matrix, multipliers, name):
        if name == route:
            raise md.CertificateError(f"The matrix of route {name} is better than the bound")
        return proved(question, inputs, matrix, multipliers, name)

    monkeypatch.setattr(finish, "derive", refusing)


# The last has one route alone, so that the best known mechanism answers.
@pytest.mark.parametrize(("notion", "objective"), ASKED[:-1], ids=str)
def test_another_route_answers_where_a_matrix_passes_its_own_bound(notion, objective, monkeypatch):
    honest = md.design(PROBLEM, notion, objective)
    refuted_on(honest.route, monkeypatch)
    made = md.design(PROBLEM, notion, objective)
    assert made.route != honest.route and made.gap <= 1e-6
    assert made.value == pytest.approx(honest.value, rel=1e-6)
    assert made.attempts[0].route == honest.route and "CertificateError" in made.attempts[0].outcome


def test_a_named_route_whose_matrix_passes_its_own_bound_is_refused(monkeypatch):
    refuted_on("rays", monkeypatch)
    with pytest.raises(md.CertificateError, match="better than the bound"):
        md.design(PROBLEM, md.LIP(1.0), md.MMSE(), route="rays")
