"""A user's own constraints: optima by hand, bounds that are sound with them and tight, clear errors."""

import math

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.solve.programs import contradictions
from mechdesign.solve.programs.user_constraints import own_terms, tangents
from tests.helpers import brute_force as brute
from tests.solve.routes.test_convex import SOLVERS, by_hand, question

CONES = ("CLARABEL", "SCS")
NO_NUMBER = float("nan")


def binary(subject_to, solver="CLARABEL", epsilon=1.0, **keywords):
    """Design for two equally likely inputs and zero-one loss."""
    problem, objective = md.Problem(prior=[0.5, 0.5]), md.ExpectedLoss([[0, 1], [1, 0]])
    return md.design(problem, md.LDP(epsilon), objective, subject_to=subject_to, solver=solver, **keywords)


# With Q[0, 0] <= a < e / (1 + e) the other row follows at the ratio e: Q[1, 0] = a / e, loss (1 - a + a / e) / 2.
CURVED = {
    "affine": lambda a: lambda Q: [Q[0, 0] <= a],
    "affine, turned": lambda a: lambda Q: [Q[0, 1] >= 1 - a],
    "equality": lambda a: lambda Q: [Q[0, 0] == a],
    "equality, turned": lambda a: lambda Q: [a == Q[0, 0]],
    "cone of one sign": lambda a: lambda Q: [cp.NonNeg(a - Q[0, 0])],
    "zero": lambda a: lambda Q: [cp.Zero(Q[0, 0] - a)],
    "in other units": lambda a: lambda Q: [1e5 * Q[0, 0] <= 1e5 * a],
    "absolute value": lambda a: lambda Q: [cp.abs(Q[0, 0] - 0.5) <= a - 0.5],
    "largest of two": lambda a: lambda Q: [cp.max(Q[0]) <= a],
    "norm": lambda a: lambda Q: [cp.norm1(Q[0] - 0.5) <= 2 * a - 1],
    "redundant too": lambda a: lambda Q: [Q[0, 0] <= a, Q[0, 0] <= a + 1e-3, Q <= 1],
}
SMOOTH = {
    "squares": lambda a: lambda Q: [cp.sum_squares(Q[0]) <= a**2 + (1 - a) ** 2],
    "euclidean norm": lambda a: lambda Q: [cp.norm(Q[0]) <= math.hypot(a, 1 - a)],
    "entropy": lambda a: lambda Q: [cp.sum(cp.entr(Q[0])) >= -a * math.log(a) - (1 - a) * math.log(1 - a)],
}


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", CURVED)
def test_binary_optimum_under_a_constraint_of_ones_own(name, solver):
    a = 0.65
    made = binary(CURVED[name](a), solver)
    truth = (1 - a + a / math.e) / 2
    assert made.route == "convex"
    assert made.value == pytest.approx(truth, rel=1e-7)
    assert made.bound == pytest.approx(truth, rel=1e-7)
    assert made.matrix[0, 0] <= a + 1e-8
    assert brute.is_ldp(made.matrix, 1.0)


@pytest.mark.parametrize("solver", CONES)
@pytest.mark.parametrize("name", SMOOTH)
def test_binary_optimum_under_a_smooth_constraint(name, solver):
    a = 0.65
    made = binary(SMOOTH[name](a), solver)
    truth = (1 - a + a / math.e) / 2
    assert made.value == pytest.approx(truth, rel=1e-6)
    assert made.bound == pytest.approx(truth, rel=1e-6)
    assert made.gap <= 1e-6


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("kind", ["ExpectedLoss", "WorstCaseLoss"])
def test_kinks_are_closed_by_further_tangents(kind, solver, rng):
    problem, objective, arrays = question(kind, 5, rng)
    truth = by_hand(brute.ldp_rows(5, 1.0), upper=0.3, **arrays)
    whole = md.design(problem, md.LDP(1.0), objective, subject_to=lambda Q: [Q <= 0.3], solver=solver)
    bent = md.design(problem, md.LDP(1.0), objective, subject_to=lambda Q: [cp.max(Q) <= 0.3], solver=solver)
    for made in (whole, bent):
        assert made.value == pytest.approx(truth, rel=1e-7)
        assert made.gap <= 1e-6
        assert made.bound <= truth * (1 + 1e-8)


@pytest.mark.parametrize("kind", ["ExpectedLoss", "WorstCaseLoss", "MaxOffDiagonal"])
def test_linear_rules_equal_the_program_by_hand(kind, rng):
    problem, objective, arrays = question(kind, 5, rng)
    m = objective.outputs(problem)
    least = rng.uniform(0.1, 0.2, size=m)
    extra = [(-np.eye(m)[y] * np.ones((5, 1)) / 5, -0.6 * least[y]) for y in range(m)]
    truth = by_hand(brute.lip_rows(problem.prior, 0.5), extra=extra, **arrays)

    def rules(Q):
        return [cp.sum(Q, axis=0) / 5 >= 0.6 * least]

    for solver in SOLVERS:
        made = md.design(problem, md.LIP(0.5), objective, subject_to=rules, solver=solver)
        assert made.value == pytest.approx(truth, rel=1e-7), solver
        assert made.bound == pytest.approx(truth, rel=1e-7), solver
        assert "your own constraints" in made.note


def test_forced_zeros_survive_the_repair(rng):
    problem, objective, arrays = question("ExpectedLoss", 4, rng)
    made = md.design(problem, md.LDP(1.0), objective, subject_to=lambda Q: [Q[:, 1] == 0])
    truth = by_hand(brute.ldp_rows(4, 1.0), cost=np.delete(arrays["cost"], 1, axis=1))
    assert made.value == pytest.approx(truth, rel=1e-7)
    assert np.all(made.by_decision[:, 1] == 0.0) and "1" not in made.mechanism.outputs


def test_rules_that_no_tangent_describes_leave_the_bound_sound():
    free = binary(lambda Q: []).value
    a = 0.65
    truth = (1 - a + a / math.e) / 2

    def further_variable(Q):
        t = cp.Variable()
        return [Q[0, 0] <= t, t <= a]

    for rules in (further_variable, lambda Q: [cp.SOC(cp.Constant(math.sqrt(2) * (a - 0.5)), Q[0] - 0.5)]):
        with pytest.warns(md.GapWarning, match="wider than"):
            made = binary(rules)
        assert made.value == pytest.approx(truth, rel=1e-6)
        assert made.bound <= free * (1 + 1e-9)


def test_terms_are_at_most_zero_on_the_rules_set_for_any_multipliers(rng):
    Q = cp.Variable((3, 3))
    for _ in range(200):
        shift = rng.uniform(0.4, 0.7)
        rules = [cp.max(Q) <= shift, cp.sum_squares(Q[0]) <= shift, Q[1, 1] == Q[2, 2], Q[0] >= 0.05]
        point, inside = rng.dirichlet(np.ones(3), size=(2, 3))
        inside = 0.7 / 3 + 0.3 * inside
        inside[2, 2] = inside[1, 1]
        inside[2, :2] = (1 - inside[2, 2]) / 2
        Q.value = inside
        if max(float(np.max(rule.residual)) for rule in rules) > 1e-12:
            continue
        found = tangents(rules, Q, point)
        assert len(found) == 4
        claimed = [rng.normal(size=tangent.constant.size) * 10 for tangent in found]
        terms = own_terms(found, claimed, [np.zeros(tangent.constant.size) for tangent in found], (3, 3))
        assert np.sum(terms.cost * inside) + terms.constant <= 1e-9


def test_the_bound_allows_for_what_the_returned_matrix_misses():
    Q = cp.Variable((2, 2))
    found = tangents([Q[0, 0] <= 0.5], Q, np.full((2, 2), 0.5))
    terms = own_terms(found, [np.array([3.0])], [np.array([1e-3])], (2, 2))
    missing = np.array([[0.501, 0.499], [0.5, 0.5]])
    assert np.sum(terms.cost * missing) + terms.constant == pytest.approx(0.0, abs=1e-12)


def test_a_file_claims_only_what_holds_without_the_rules_it_does_not_keep(tmp_path):
    made = binary(lambda Q: [Q[0, 0] <= 0.65])
    again = md.load(made.mechanism.save(tmp_path / "own.json"))
    assert again.matrix.tobytes() == made.matrix.tobytes()
    assert again.certificate.value == made.value
    # Without the rule there are better mechanisms, so the bound has to leave room for them.
    free = binary(lambda Q: [])
    assert again.certificate.bound <= free.value + 1e-9 < made.bound - 1e-3


@pytest.mark.parametrize("solver", SOLVERS)
def test_an_infeasible_combination_says_so(solver):
    with pytest.raises(md.InfeasibleError, match=r"No mechanism satisfies LDP\(epsilon=1\) together with your own"):
        binary(lambda Q: [Q[0, 0] >= 0.9, Q[1, 1] >= 0.9], solver)


@pytest.mark.parametrize("solver", SOLVERS)
def test_contradicting_constraints_are_named_and_by_how_much_the_last_is_missed(solver):
    """By hand: if Q[0, 0] >= .9, then Q[1, 1] is at most .1 e = .2718, which is .6282 less than .9."""
    rules = [
        lambda Q: Q[0, 1] <= 0.8,
        lambda Q: Q[0, 0] >= 0.9,
        lambda Q: Q[1, 0] <= 0.9,
        lambda Q: Q[1, 1] == 0.9,
        lambda Q: Q[0, 0] >= 0.2,
    ]
    with pytest.raises(md.InfeasibleError) as found:
        binary(lambda Q: [rule(Q) for rule in rules], solver)
    said = str(found.value)
    assert all(f"subject_to(Q)[{k}], " in said for k in (1, 3))
    assert not any(f"subject_to(Q)[{k}]" in said for k in (0, 2, 4)) and "missed by 0.6282 at least" in said
    # Without any one of them there is a mechanism.
    for kept in (1, 3):
        binary(lambda Q, kept=kept: [rule(Q) for k, rule in enumerate(rules) if k not in {1, 3} or k == kept], solver)


def test_one_constraint_that_contradicts_the_notion_is_named_alone():
    with pytest.raises(md.InfeasibleError, match=r"your own constraint subject_to\(Q\)\[1\].* missed by 0.2 at least"):
        binary(lambda Q: [Q[0, 0] <= 0.9, Q[0, 0] >= 1.2])


def test_planted_a_filter_that_keeps_a_constraint_too_many_is_caught(monkeypatch):
    """A solver that fails on the smaller programs: no constraints are named, rather than wrong ones."""
    monkeypatch.setattr(contradictions, "_ended", lambda *_: "")
    with pytest.raises(md.InfeasibleError, match="together with your own constraints; relax one"):
        binary(lambda Q: [Q[0, 0] >= 0.9, Q[1, 1] >= 0.9])


@pytest.mark.parametrize(
    ("rules", "text"),
    [
        (
            lambda Q: Q[0, 0] <= 0.5,
            r"subject_to\(Q\) is .*it has to be a list of cvxpy constraints; put \[ \] around it",
        ),
        (lambda Q: None, r"subject_to\(Q\) is None, but it has to be a list"),
        (lambda Q: [Q[0, 0]], r"subject_to\(Q\)\[0\] is .*it has to be a cvxpy constraint"),
        (lambda Q: [Q[0, 0] <= 0.5, True], r"subject_to\(Q\)\[1\] is True, but it has to be a cvxpy constraint"),
        (lambda Q: [cp.sum_squares(Q) >= 0.5], r"subject_to\(Q\)\[0\] is .*convex by the rules of cvxpy \(DCP\)"),
        # Found by a hostile reader: a solver failed, and another one was to be named.
        (lambda Q: [Q[0, 0] > 0.5], r"subject_to\(Q\) is Strict inequalities .*; use <= and >="),
        (lambda Q: [Q[0, 0] >= cp.Parameter()], r"its parameter has no value; set parameter\.value before"),
        (lambda Q: [Q[0, 0] >= NO_NUMBER], r"subject_to\(Q\)\[0\] is .*its numbers have to be finite"),
        (lambda Q: [Q[0, 0] <= 1, Q[0, 0] >= -math.inf], r"subject_to\(Q\)\[1\] is .*leave out a bound that is inf"),
        (lambda Q: [Q[0, 0] <= cp.Variable(boolean=True)], r"its variables have to be real numbers; drop integer"),
        ([1, 2], r"subject_to is \[1, 2\], but it has to be a function of Q"),
    ],
)
def test_what_is_no_list_of_convex_constraints_is_refused(rules, text):
    with pytest.raises(md.DomainError, match=text):
        binary(rules)


@pytest.mark.parametrize("route", ["rays", "columns", "closed_form"])
def test_other_routes_refuse_constraints_of_ones_own(route):
    with pytest.raises(md.UnsupportedError, match="constraints of your own need the convex route"):
        binary(lambda Q: [Q[0, 0] <= 0.65], solver=None, route=route)


def test_a_solver_that_cannot_take_the_cone_says_so():
    with pytest.raises(md.SolverError, match="HIGHS failed on the program over Q"):
        binary(SMOOTH["entropy"](0.65), "HIGHS")


def test_what_is_said_of_the_bound_is_about_the_mechanisms_that_it_is_of(tmp_path):
    """Before, nothing private was better, and k-ary randomised response stood below with a better value."""
    problem, free = md.Problem(prior=[0.7, 0.25, 0.05]), md.HammingLoss()
    made = md.design(problem, md.LDP(2.0), free, outputs=3, subject_to=lambda Q: [problem.prior @ Q == problem.prior])
    assert any(rival.private and rival.value < made.bound for rival in made.rivals)
    said = " ".join(str(made).split())
    assert "nothing private with at most 3 outputs that satisfies subject_to is better than" in said
    assert "known mechanisms need not satisfy subject_to" in said
    page = tmp_path / "design.html"
    made.report(page)
    of_bound = "Nothing private with at most 3 outputs that satisfies subject_to does better"
    assert of_bound in page.read_text(encoding="utf-8")
    few = md.design(problem, md.LDP(2.0), free, outputs=2)
    assert "nothing private with at most 2 outputs is better" in " ".join(str(few).split())
    whole = " ".join(str(md.design(problem, md.LDP(2.0), free)).split())
    assert "nothing private is better than" in whole and "subject_to" not in whole


def test_what_no_level_reaches_is_what_few_outputs_do_not():
    found = md.calibrate(md.Problem(prior=[0.7, 0.2, 0.1], values=[0, 1, 2]), md.LDP, md.MMSE(), 0.4, outputs=2)
    assert "nothing private with at most 2 outputs reaches the target there" in " ".join(str(found).split())


def test_entries_that_are_not_there_are_said_with_the_shape():
    with pytest.raises(md.DomainError, match=r"Q is of shape \(3, 3\), inputs by outputs"):
        md.design(
            md.Problem(prior=[0.2, 0.3, 0.5]), md.LDP(1.0), md.HammingLoss(), subject_to=lambda Q: [Q[7, 0] >= 0.5]
        )
