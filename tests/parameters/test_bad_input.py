"""Every wrong input gets an error of ours that names the argument, the value, the rule and the remedy."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable

import numpy as np
import pytest

import mechdesign as md

GOOD = md.Problem(prior=[0.4, 0.6], values=[0, 1])

CASES: dict[str, tuple[Callable[[], object], str, str]] = {
    "prior sums to 0.9": (lambda: md.Problem(prior=[0.4, 0.5]), "prior", "divide it by its sum"),
    "prior off by 2e-9": (lambda: md.Problem(prior=[0.4, 0.6 + 2e-9]), "prior", "within 1e-09"),
    "prior negative": (lambda: md.Problem(prior=[-0.1, 1.1]), "prior[0]", "not negative"),
    "prior NaN": (lambda: md.Problem(prior=[math.nan, 1.0]), "prior[0]", "finite"),
    "prior infinite": (lambda: md.Problem(prior=[math.inf, 1.0]), "prior[0]", "finite"),
    "prior zero": (lambda: md.Problem(prior=[0.0, 1.0]), "prior[0]", "drop the symbol"),
    "prior a matrix": (lambda: md.Problem(prior=[[1.0]]), "prior", "a vector"),
    "prior of words": (lambda: md.Problem(prior=["a", "b"]), "prior", "numbers"),
    "prior empty": (lambda: md.Problem(prior=[]), "prior", "an entry for each"),
    "lengths disagree": (lambda: md.Problem(prior=[0.4, 0.6], values=[1, 2, 3]), "values", "prior has 2"),
    "labels too few": (lambda: md.Problem(prior=[0.4, 0.6], labels=["a"]), "labels", "prior has 2"),
    "labels twice": (lambda: md.Problem(labels=["a", "a"]), "labels", "distinct"),
    "labels a string": (lambda: md.Problem(labels="ab"), "labels", "give a list"),
    "n disagrees": (lambda: md.Problem(prior=[0.4, 0.6], n=3), "prior", "3 inputs"),
    "n zero": (lambda: md.Problem(n=0), "n", "at least one input"),
    "n fractional": (lambda: md.Problem(n=2.5), "n", "whole"),  # type: ignore[arg-type]
    "nothing": (md.Problem, "n", "at least one input"),
    "values NaN": (lambda: md.Problem(values=[0, math.nan]), "values[1]", "finite"),
    "hidden by neither": (GOOD.hidden, "hidden", "exactly one"),
    "hidden by both": (
        lambda: GOOD.hidden(np.eye(2), data_given_secret=np.eye(2)),
        "hidden",
        "exactly one",
    ),
    "R no distribution": (lambda: GOOD.hidden([[0.5, 0.5], [0.4, 0.5]]), "secret_given_data", "sum to 1"),
    "R of other data": (lambda: GOOD.hidden(np.full((2, 3), 0.5)), "secret_given_data", "2 columns"),
    "R with an impossible secret": (lambda: GOOD.hidden([[1, 1], [0, 0]]), "secret_given_data[1]", "drop that secret"),
    "R without prior": (lambda: md.Problem(n=2).hidden(np.eye(2)), "prior", "Problem(prior=...)"),
    "R with secret prior": (lambda: GOOD.hidden(np.eye(2), secret_prior=[0.5, 0.5]), "secret_prior", "leave it out"),
    "W against the prior": (
        lambda: GOOD.hidden(data_given_secret=np.eye(2), secret_prior=[0.5, 0.5]),
        "prior[0]",
        "leave the prior out",
    ),
    "W negative": (lambda: GOOD.hidden(data_given_secret=[[1.5, -0.5]]), "data_given_secret[0][1]", "not negative"),
    "LIP without prior": (lambda: md.design(md.Problem(values=[0, 1]), md.LIP(1.0), md.MMSE()), "prior", "LIP"),
    "MMSE without prior": (lambda: md.design(md.Problem(values=[0, 1]), md.LDP(1.0), md.MMSE()), "prior", "MMSE"),
    "MMSE without values": (lambda: md.design(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.MMSE()), "values", "MMSE"),
    "a notion's class": (lambda: md.design(GOOD, md.LDP, md.MMSE()), "notion", "call it: md.LDP(0.5)"),  # type: ignore[arg-type]
    "an objective for a notion": (
        lambda: md.design(GOOD, md.MMSE(), md.LDP(1.0)),  # type: ignore[arg-type]
        "notion",
        "has to be a Notion",
    ),
    "unknown route": (lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), route="ray"), "route", '"rays"'),
    "unknown solver": (lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), solver="HIGH"), "solver", '"HIGHS"'),
    "gap negative": (lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), gap=-1.0), "gap", "above 0"),
    "time_limit negative": (
        lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), time_limit=-1.0),
        "time_limit",
        "at least 0",
    ),
    "outputs zero": (lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), outputs=0), "outputs", "at least 1"),
    "outputs fractional": (
        lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), outputs=1.5),  # type: ignore[arg-type]
        "outputs",
        "whole",
    ),
    "audit without notion": (lambda: md.audit([[1.0], [1.0]]), "notion", "give a notion"),
    "audit of a negative entry": (lambda: md.audit([[1.5, -0.5], [1, 0]], md.LDP(1.0)), "matrix[0, 1]", "not negative"),
    "audit of an open row": (lambda: md.audit([[0.5, 0.4], [1, 0]], md.LDP(1.0)), "matrix[0]", "sum to 1"),
    "audit of words": (lambda: md.audit([["a"]], md.LDP(1.0)), "matrix[0, 0]", "a finite number"),
    "audit of a ragged matrix": (lambda: md.audit([[1.0], [0.5, 0.5]], md.LDP(1.0)), "matrix", "one length"),
    "audit of other inputs": (lambda: md.audit(np.eye(3), md.LDP(1.0), GOOD), "matrix", "2 inputs"),
    "a loss of other data": (
        lambda: md.design(GOOD, md.LDP(1.0), md.ExpectedLoss(np.eye(3))),
        "loss",
        "2 inputs",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_bad_input_is_named(case: str) -> None:
    call, argument, text = CASES[case]
    with pytest.raises(md.DomainError) as caught:
        call()
    assert caught.value.argument.removesuffix(" (columns)[0]") == argument
    assert text in str(caught.value)
    assert str(caught.value).endswith(".") and caught.value.rule and caught.value.remedy


def test_a_sum_within_a_billionth_is_kept_as_given() -> None:
    prior = [0.1] * 10
    assert sum(prior) != 1.0
    problem = md.Problem(prior=prior, values=range(10))
    assert problem.prior is not None and problem.prior.tolist() == prior
    assert md.design(problem, md.LIP(0.5), md.MMSE(), route="columns").audit.holds


def test_problems_are_values() -> None:
    again = md.Problem(prior=[0.4, 0.6], values=[0.0, 1.0])
    assert again == GOOD and hash(again) == hash(GOOD)
    assert md.Problem(prior=[0.6, 0.4], values=[0, 1]) != GOOD
    assert again.prior is not None
    with pytest.raises(ValueError, match="read-only"):
        again.prior[0] = 1.0


def test_a_solver_that_a_route_does_not_use_is_refused() -> None:
    said = "rays does not use ECOS: choose one of HIGHS, CLARABEL, or the route convex, which does"
    with pytest.raises(md.UnsupportedError, match=said):
        md.design(GOOD, md.LDP(1.0), md.MMSE(), route="rays", solver="ecos")
    # The remedy helps.
    assert md.design(GOOD, md.LDP(1.0), md.HammingLoss(), route="convex", solver="ecos").gap <= 1e-6
    with pytest.raises(md.UnsupportedError, match=r"does not use STRUCTURED: choose one of HIGHS, CLARABEL\.$"):
        md.design(GOOD, md.LDP(1.0), md.MMSE(), route="rays", solver="structured")


def test_a_solver_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from mechdesign.solve.solvers import catalogue

    monkeypatch.setattr(catalogue, "installed_solvers", lambda: ["HIGHS"])
    with pytest.raises(md.SolverError, match="CLARABEL is not installed: pip install clarabel"):
        md.design(GOOD, md.LDP(1.0), md.MMSE(), route="rays", solver="CLARABEL")


HOSTILE: dict[str, Callable[[], object]] = {
    "a bare prior": lambda: md.Problem(prior=0.5),  # type: ignore[arg-type]
    "a value beyond floats": lambda: md.Problem(values=[10**400, 0]),
    "a complex prior": lambda: md.Problem(prior=[0.5 + 0j, 0.5]),
    "a masked prior": lambda: md.Problem(prior=np.ma.array([0.5, 0.5], mask=[False, True])),
    "no solver": lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), solver=[]),
    "a number for a solver": lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), solver=5),  # type: ignore[arg-type]
    "a list for a route": lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), route=["rays"]),  # type: ignore[arg-type]
    "a notion by name": lambda: md.audit(np.eye(2), "LDP"),  # type: ignore[arg-type]
    "a number for a problem": lambda: md.audit(np.eye(2), md.LDP(1.0), 3),  # type: ignore[arg-type]
    "a square that overflows": lambda: md.design(
        md.Problem(prior=[0.5, 0.5], values=[0, 1e160]), md.LDP(1.0), md.MMSE()
    ),
    "a loss of one decision for two outputs": lambda: md.ExpectedLoss([[0], [1]]).value(np.eye(2), GOOD),
}


#: Python writes no integer as long as this.
HUGE = 10**5000
HOSTILE |= {
    "a notion of 5,000 digits": lambda: md.design(GOOD, HUGE, md.MMSE()),  # type: ignore[arg-type]
    "a gap of 5,000 digits": lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), gap=HUGE),
    "threads of 5,000 digits": lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), threads=HUGE),
    "outputs of 5,000 digits": lambda: md.compare(GOOD, md.LDP(1.0), md.MMSE(), outputs=HUGE),
    "a level of 5,000 digits": lambda: md.frontier(GOOD, md.LDP, md.MMSE(), [HUGE]),
    "a keyword that a frontier has not": lambda: md.frontier(GOOD, md.LDP, md.MMSE(), [1.0], gapp=0.1),
    "a number for a notion that implies": lambda: md.implies(3, md.LDP(1.0), GOOD),  # type: ignore[arg-type]
    "an objective that is implied": lambda: md.implies(md.LDP(1.0), md.MMSE(), GOOD),  # type: ignore[arg-type]
    "words for processes": lambda: md.sweep(GOOD, md.LDP(1.0), md.MMSE(), n_jobs="x"),  # type: ignore[arg-type]
    "no number of processes": lambda: md.sweep(GOOD, md.LDP(1.0), md.MMSE(), n_jobs=math.nan),  # type: ignore[arg-type]
    "an array for a route": lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), route=np.zeros((0, 3))),  # type: ignore[arg-type]
    "a route of 5,000 digits": lambda: md.design(GOOD, md.LDP(1.0), md.MMSE(), route=HUGE),  # type: ignore[arg-type]
    "a number for a path": lambda: md.sweep(GOOD, md.LDP(1.0), md.MMSE(), path=3.5),  # type: ignore[arg-type]
}


@pytest.mark.parametrize("case", HOSTILE)
def test_hostile_input_is_an_error_of_ours(case: str) -> None:
    with pytest.raises(md.DomainError) as caught:
        HOSTILE[case]()
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize("kind", [int, bool, np.float32, np.float16])
def test_audits_take_arrays_of_any_numbers(kind: type) -> None:
    assert float(md.audit(np.eye(2, dtype=kind), md.LDP(1.0))) == math.inf


@pytest.mark.parametrize("epsilon", [1e-70, 1e7])
def test_extreme_levels_are_audited(epsilon: float) -> None:
    assert md.audit([[0.5, 0.5], [0.5, 0.5]], md.LDP(epsilon)).holds
    assert md.audit([[0.5, 0.5], [0.4, 0.6]], md.LDP(epsilon)).holds == (epsilon > 1)


@pytest.mark.parametrize("weight", [0.5, 0.1, 0.3])
def test_the_largest_weighted_tv_is_one(weight: float) -> None:
    report = md.audit(np.eye(2), md.WeightedTV(0.5, weight))
    assert float(report) == 1.0 and not report.holds


@pytest.mark.parametrize("epsilon", [35.0, 50.0, 300.0, 1000.0])
@pytest.mark.parametrize("notion", [md.LDP, md.LIP])
def test_large_epsilons_are_answered_for_losses(notion: type, epsilon: float) -> None:
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 3])
    for objective in (md.HammingLoss(), md.MaxOffDiagonal(), md.WorstCaseLoss(1 - np.eye(3))):
        assert md.design(problem, notion(epsilon), objective).value <= 1e-9


def test_an_output_of_a_rare_input_is_no_negligible_one() -> None:
    problem = md.Problem(prior=[1e-10, 1e-10, 1 - 2e-10])
    objective = md.FisherInformation(theta=[0.3, 0.3, 0.4], direction=[1, -1, 0])
    # Without privacy it is 1 / 0.3 + 1 / 0.3; at epsilon = 30 next to nothing of that is lost.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        assert md.design(problem, md.LIP(30.0), objective).value == pytest.approx(20 / 3, rel=1e-3)


def test_epsilon_zero_is_compared_on_every_route() -> None:
    table = md.compare(GOOD, md.LIP(0.0), md.KLDivergence([0.5, 0.5], [0.3, 0.7]))
    assert all("refuses" in row.outcome or abs(row.value) < 1e-12 for row in table)


def test_names_in_no_order_are_refused():
    for given in ({"a", "b", "c"}, frozenset("abc")):
        with pytest.raises(md.DomainError, match=r"labels is .*a set has no order.*sorted"):
            md.Problem(labels=given, prior=[0.5, 0.3, 0.2])
        with pytest.raises(md.DomainError, match=r"words is .*a set has no order.*sorted"):
            md.KnownVocabulary(given)


def test_a_square_matrix_of_other_inputs_is_not_to_be_transposed():
    with pytest.raises(md.DomainError, match=r"one row for each of 3 inputs; give the matrix"):
        md.audit(np.eye(2), md.LDP(1.0), md.Problem(n=3))
    with pytest.raises(md.DomainError, match=r"one row for each of 3 inputs; transpose it"):
        md.audit(np.full((2, 3), 1.0 / 3.0), md.LDP(1.0), md.Problem(n=3))
