"""Solvers that fail or lie: every design that comes back is private with a true bound, at worst a known mechanism."""

import math
import threading
import warnings
from dataclasses import replace

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve.solvers.catalogue import SOLVERS, solver_name
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram, SolverStats, by_rows
from mechdesign.testing.clock import CountingClock
from tests.helpers import brute_force as brute
from tests.helpers.changed_solvers import taking

N, EPSILON = 5, 1.0
PRIOR = np.array([0.1, 0.3, 0.25, 0.05, 0.3])
VALUES = np.array([0.0, 1.0, 3.0, 4.0, 9.0])
PROBLEM = md.Problem(prior=PRIOR, values=VALUES)
LOSS = np.abs(np.subtract.outer(VALUES, VALUES))


def optimum(kind):
    """Return the least value by brute force over the cone's rays (by another solver for the worst case)."""
    vectors = brute.ldp_vectors(N, EPSILON)
    if kind == "MMSE":
        return -brute.optimum(vectors, -brute.squared_error(vectors, PRIOR, VALUES))
    if kind == "ExpectedLoss":
        return -brute.optimum(vectors, -brute.least_loss(vectors, PRIOR, LOSS))
    Q = cp.Variable((N, N), nonneg=True)
    pairs = [Q[x] <= math.exp(EPSILON) * Q[other] for x in range(N) for other in range(N)]
    worst = cp.max(cp.sum(cp.multiply(LOSS, Q), axis=1))
    return cp.Problem(cp.Minimize(worst), [cp.sum(Q, axis=1) == 1, *pairs]).solve(solver="CLARABEL")


OBJECTIVES = {"MMSE": md.MMSE(), "ExpectedLoss": md.ExpectedLoss(LOSS), "WorstCaseLoss": md.WorstCaseLoss(LOSS)}
#: Computed before any solver is made to lie.
TRUTH = {kind: optimum(kind) for kind in OBJECTIVES}


def value_of(kind, matrix):
    """Return the objective of `matrix` from its definition."""
    if kind == "MMSE":
        return brute.squared_error(matrix[:, PRIOR @ matrix > 0], PRIOR, VALUES).sum()
    losses = (LOSS * matrix).sum(axis=1)
    return PRIOR @ losses if kind == "ExpectedLoss" else losses.max()


def judged(kind, **keywords):
    """Design, check every claim of what comes back; return "tight", "wide", or "failed" where no solver answered."""
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        made = md.design(PROBLEM, md.LDP(EPSILON), OBJECTIVES[kind], **keywords)
    check(kind, made, made.by_decision, [warning.category for warning in seen])
    if made.route != "known":
        return "tight" if made.gap <= 1e-6 else "wide"
    *failed, answered = made.attempts
    assert answered.route == "known" and failed and all(each.outcome.startswith("failed: ") for each in failed)
    return "failed"


def expected(lie, outcome, kind):
    """Return what comes of a lie that would leave a wide gap, where something else than the solver closes it.

    A known mechanism is optimal for MMSE here, and the optimal matrix of finitely many decisions fixes multipliers.
    """
    closed = {"MMSE": "point" in lie, "ExpectedLoss": "multipliers" in lie or "duals" in lie}
    return "tight" if outcome == "wide" and closed.get(kind) else outcome


def check(kind, made, matrix, warned):
    """Assert that the matrix is private, the value its own, the bound true, the gap theirs, and a wide one told."""
    truth = TRUTH[kind]
    assert brute.is_ldp(matrix, EPSILON), "not private"
    value = value_of(kind, matrix)
    assert made.value == pytest.approx(value, rel=1e-12), "another value"
    assert made.bound <= truth * (1 + 1e-9), "an untrue bound"
    gap = abs(value - made.bound) / max(abs(value), abs(made.bound))
    assert made.gap == pytest.approx(gap, rel=1e-6, abs=1e-12), "another gap"
    # The user hears of a wide gap, and of nothing else.
    assert warned == ([md.GapWarning] if made.gap > 1e-6 else []), "another warning"


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_the_check_sees_planted_defects(kind):
    made = md.design(PROBLEM, md.LDP(EPSILON), OBJECTIVES[kind])
    check(kind, made, made.by_decision, [])
    revealing = np.eye(made.by_decision.shape[1])[np.arange(N) % made.by_decision.shape[1]]
    planted = {
        "not private": (made, revealing, []),
        "another value": (replace(made, value=made.value * (1 - 1e-9)), made.by_decision, []),
        "an untrue bound": (replace(made, bound=made.bound * (1 + 1e-6)), made.by_decision, []),
        "another gap": (replace(made, bound=made.bound * (1 - 1e-3)), made.by_decision, []),
        "another warning": (made, made.by_decision, [UserWarning]),
    }
    for name, case in planted.items():
        with pytest.raises(AssertionError, match=name):
            check(kind, *case)


# The cvxpy program over Q ----------------------------------------------------------------------------------------


def variable_of(problem):
    """Return the variable Q of a cvxpy problem."""
    return next(variable for variable in problem.variables() if variable.name() == "Q")


def with_matrix(change):
    """Return a lie about the matrix."""

    def lie(problem, rng):
        Q = variable_of(problem)
        Q.save_value(change(Q.value, rng))

    return lie


def claiming(change):
    """Return a lie about the matrix that no check of cvxpy's own sees."""

    def lie(problem, rng):
        variable_of(problem)._value = change(variable_of(problem).value)

    return lie


def with_duals(change):
    """Return a lie about every multiplier."""

    def lie(problem, rng):
        for constraint in problem.constraints:
            for variable in constraint.dual_variables:
                variable.save_value(None if change is None else change(np.asarray(variable.value), rng))

    return lie


def with_some_duals(chosen):
    """Return a lie about the multipliers of the constraints in the chosen places; row sums come first."""

    def lie(problem, rng):
        for place, constraint in enumerate(problem.constraints):
            for variable in constraint.dual_variables if chosen(place) else ():
                variable.save_value(rng.normal(size=np.shape(variable.value)))

    return lie


def with_status(status):
    """Return a lie about how it ended, beside an optimal matrix."""

    def lie(problem, rng):
        problem._status = status

    return lie


def stale(problem, rng):
    """Leave the answer to another question: the costs of the inputs in another order."""
    other = md.design(
        md.Problem(prior=PRIOR[::-1] / PRIOR.sum()), md.LDP(0.3), md.ExpectedLoss(LOSS[::-1] ** 2), route="rays"
    )
    variable_of(problem).save_value(np.array(other.by_decision))
    with_duals(lambda dual, rng: np.roll(dual, 1))(problem, rng)


CONVEX_LIES = {
    "honest": (lambda problem, rng: None, "tight"),
    "random matrix": (with_matrix(lambda Q, rng: rng.dirichlet(np.ones(N), size=N)), "wide"),
    "unbalanced matrix": (with_matrix(lambda Q, rng: rng.exponential(size=Q.shape)), "wide"),
    "transposed": (with_matrix(lambda Q, rng: Q.T + 0.1 * rng.random(Q.shape)), "wide"),
    "negative entries": (with_matrix(lambda Q, rng: Q - 0.3), "wide"),
    "row sums off": (with_matrix(lambda Q, rng: Q * np.linspace(0.1, 2.0, N)[:, None]), "wide"),
    "zeros": (with_matrix(lambda Q, rng: 0.0 * Q), "failed"),
    "a row of zeros": (with_matrix(lambda Q, rng: Q * (np.arange(N) > 0)[:, None]), "wide"),
    "identity": (with_matrix(lambda Q, rng: np.eye(N)), "wide"),
    "huge matrix": (with_matrix(lambda Q, rng: 1e308 * Q), "wide"),
    "NaN matrix": (with_matrix(lambda Q, rng: np.full(Q.shape, np.nan)), "failed"),
    "one infinite entry": (with_matrix(lambda Q, rng: np.where(np.eye(N) > 0, np.inf, Q)), "failed"),
    "no matrix": (lambda problem, rng: variable_of(problem).save_value(None), "failed"),
    # Either family of multipliers alone is enough for a tight bound: the two certificates check each other.
    "random multipliers of rows": (with_some_duals(lambda place: place == 0), "tight"),
    "random multipliers of the cone": (with_some_duals(lambda place: place >= 2), "tight"),
    "random duals": (with_duals(lambda dual, rng: rng.normal(size=dual.shape)), "wide"),
    "large random duals": (with_duals(lambda dual, rng: 1e6 * rng.normal(size=dual.shape)), "wide"),
    "negated duals": (with_duals(lambda dual, rng: -dual), "wide"),
    "zero duals": (with_duals(lambda dual, rng: 0.0 * dual), "wide"),
    "NaN duals": (with_duals(lambda dual, rng: np.full(dual.shape, np.nan)), "wide"),
    "huge duals": (with_duals(lambda dual, rng: 1e300 * rng.normal(size=dual.shape)), "wide"),
    "no duals": (with_duals(None), "wide"),
    "stale": (stale, "wide"),
    "matrix of objects": (claiming(lambda Q: Q.astype(object)), "failed"),
    "complex matrix": (claiming(lambda Q: Q + 1e-3j), "failed"),
    "a number for a matrix": (claiming(lambda Q: 0.2), "failed"),
    "infeasible": (with_status("infeasible"), "failed"),
    "infeasible or unbounded": (with_status("infeasible_or_unbounded"), "failed"),
    "unbounded": (with_status("unbounded"), "failed"),
    "gibberish": (with_status("all is well"), "failed"),
    "inaccurate": (with_status("optimal_inaccurate"), "tight"),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("kind", ["ExpectedLoss", "WorstCaseLoss"])
@pytest.mark.parametrize("lie", CONVEX_LIES)
def test_the_convex_route_survives_a_lying_solver(lie, kind, rng, monkeypatch):
    tell, outcome = CONVEX_LIES[lie]
    original = cp.Problem.solve

    def lying(self, *arguments, **keywords):
        value = original(self, *arguments, **keywords)
        tell(self, rng)
        return value

    monkeypatch.setattr(cp.Problem, "solve", lying)
    assert judged(kind, route="convex") == expected(lie, outcome, kind)


#: What bindings raise: of their own, for want of memory, for a wrong type, of a file, and what nobody thinks of.
CRASHES = [
    RuntimeError("segment 7. More."),
    ValueError("shape"),
    cp.error.SolverError("Solver failed"),
    ZeroDivisionError(),
    IndexError("list index out of range"),
    MemoryError("Unable to allocate 7 GiB"),
    TypeError("an int is needed"),
    OSError("no such library"),
    AttributeError("no such attribute"),
    type("Panic", (Exception,), {})("of another language"),
]


@pytest.mark.parametrize("time_limit", [None, 60.0])
@pytest.mark.parametrize("crash", CRASHES, ids=repr)
def test_a_crash_in_the_convex_route_is_a_failed_attempt_and_the_next_solver_answers(crash, time_limit, monkeypatch):
    original = cp.Problem.solve

    def crashing(self, *arguments, **keywords):
        if keywords["solver"] == "CLARABEL":
            raise crash
        return original(self, *arguments, **keywords)

    monkeypatch.setattr(cp.Problem, "solve", crashing)
    asked = {"route": "convex", "time_limit": time_limit}
    assert judged("ExpectedLoss", solver="CLARABEL", **asked) == "failed"
    made = md.design(PROBLEM, md.LDP(EPSILON), OBJECTIVES["ExpectedLoss"], solver=["CLARABEL", "HIGHS"], **asked)
    assert made.gap <= 1e-6 and made.solver_stats.name == "HIGHS"
    assert made.attempts[0].outcome.startswith("failed: CLARABEL failed on the program over Q (")
    # No known mechanism satisfies what is the user's own.
    with pytest.raises(md.SolverError, match="CLARABEL failed on the program over Q") as caught:
        md.design(
            PROBLEM, md.LDP(EPSILON), OBJECTIVES["ExpectedLoss"], solver="CLARABEL", subject_to=lambda Q: [Q <= 0.9]
        )
    assert (caught.value.status, caught.value.log) == ("failed", str(crash))


#: Row sums are put right by the repair, and then the matrix is the honest one.
FALSE_MATRICES = [
    name
    for name, (_, outcome) in CONVEX_LIES.items()
    if outcome == "wide" and "dual" not in name and name != "row sums off"
]


@pytest.mark.parametrize("lie", FALSE_MATRICES)
def test_a_lie_never_passes_for_a_matrix_under_constraints_of_ones_own(lie, rng, monkeypatch):
    tell, _ = CONVEX_LIES[lie]
    original = cp.Problem.solve

    def lying(self, *arguments, **keywords):
        value = original(self, *arguments, **keywords)
        tell(self, rng)
        return value

    monkeypatch.setattr(cp.Problem, "solve", lying)
    fixed = np.array([0.37, 0.31])
    with pytest.raises(md.SolverError, match="misses your own constraints by"):
        md.design(
            PROBLEM,
            md.LDP(EPSILON),
            OBJECTIVES["ExpectedLoss"],
            subject_to=lambda Q: [cp.hstack([Q[0, 0], Q[2, 2]]) == fixed],
        )


@pytest.mark.thinned(24)
@pytest.mark.parametrize(
    "lie", [name for name, (_, outcome) in CONVEX_LIES.items() if outcome == "wide" and "dual" in name]
)
def test_false_multipliers_of_ones_own_constraints_leave_a_true_bound(lie, rng, monkeypatch):
    original = cp.Problem.solve
    rules = {"subject_to": lambda Q: [Q[0, 0] <= 0.25, cp.max(Q[2]) <= 0.5, Q[3, 3] == Q[4, 4]]}
    honest = md.design(PROBLEM, md.LDP(EPSILON), OBJECTIVES["ExpectedLoss"], **rules)
    assert honest.gap <= 1e-6

    def lying(self, *arguments, **keywords):
        value = original(self, *arguments, **keywords)
        CONVEX_LIES[lie][0](self, rng)
        return value

    monkeypatch.setattr(cp.Problem, "solve", lying)
    with pytest.warns(md.GapWarning):
        made = md.design(PROBLEM, md.LDP(EPSILON), OBJECTIVES["ExpectedLoss"], **rules)
    assert made.bound <= honest.value * (1 + 1e-9)
    assert made.value == pytest.approx(honest.value, rel=1e-9)


# Linear programs as arrays ----------------------------------------------------------------------------------------


def point(change):
    """Return a lie about the point."""
    return lambda found, rng: replace(found, point=change(found.point, rng))


def multipliers(change):
    """Return a lie about the multipliers."""
    return lambda found, rng: replace(found, multipliers=change(found.multipliers, rng))


LINEAR_LIES = {
    "honest": (lambda found, rng: found, "tight"),
    "random point": (point(lambda x, rng: rng.exponential(size=x.shape)), "wide"),
    "rolled point": (point(lambda x, rng: np.roll(x, 3)), "wide"),
    "negative point": (point(lambda x, rng: -x - 0.1), "failed"),
    "zero point": (point(lambda x, rng: 0.0 * x), "failed"),
    "NaN point": (point(lambda x, rng: np.full(x.shape, np.nan)), "failed"),
    "huge point": (point(lambda x, rng: 1e308 * rng.random(x.shape)), "failed"),
    "short point": (point(lambda x, rng: x[:-1]), "failed"),
    "point as a matrix": (point(lambda x, rng: x[None, :]), "failed"),
    "random multipliers": (multipliers(lambda y, rng: rng.normal(size=y.shape)), "wide"),
    "negated multipliers": (multipliers(lambda y, rng: -y), "wide"),
    "zero multipliers": (multipliers(lambda y, rng: 0.0 * y), "wide"),
    "infinite multipliers": (multipliers(lambda y, rng: np.full(y.shape, np.inf)), "failed"),
    "huge multipliers": (multipliers(lambda y, rng: 1e300 * rng.normal(size=y.shape)), "failed"),
    "short multipliers": (multipliers(lambda y, rng: y[:-1]), "failed"),
    "point of objects": (point(lambda x, rng: np.array([None, *x[1:]], dtype=object)), "failed"),
    "complex point": (point(lambda x, rng: x + 1e-3j), "failed"),
    "point of texts": (point(lambda x, rng: x.astype(str)), "failed"),
    "point that is no array": (point(lambda x, rng: None), "failed"),
    "complex multipliers": (multipliers(lambda y, rng: y + 0j), "failed"),
    "multipliers of objects": (multipliers(lambda y, rng: y.astype(object)), "failed"),
}


#: Least x + y with x + y = 1.
LINEAR = LinearProgram(np.ones(2), by_rows(np.ones((1, 2))), np.ones(1), np.ones(1))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
@pytest.mark.parametrize(("route", "kind"), [("rays", "MMSE"), ("rays", "ExpectedLoss"), ("columns", "ExpectedLoss")])
@pytest.mark.parametrize("lie", LINEAR_LIES)
def test_rays_and_columns_survive_a_lying_solver(lie, route, kind, solver, rng, monkeypatch):
    tell, outcome = LINEAR_LIES[lie]
    original = SOLVERS[solver].linear
    monkeypatch.setitem(*taking(solver, lambda program, **options: tell(original(program, **options), rng)))
    assert judged(kind, route=route, solver=solver) == expected(lie, outcome, kind)


@pytest.mark.parametrize("lie", LINEAR_LIES)
def test_the_columns_route_survives_a_lie_in_every_round(lie, rng, monkeypatch):
    tell, outcome = LINEAR_LIES[lie]
    original = SOLVERS["CLARABEL"].linear
    monkeypatch.setitem(*taking("CLARABEL", lambda program, **options: tell(original(program, **options), rng)))
    assert judged("MMSE", route="columns", solver="CLARABEL") in {expected(lie, outcome, "MMSE"), "wide"}


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
@pytest.mark.parametrize("route", ["rays", "columns"])
def test_a_stale_answer_of_another_problem_is_seen(route, solver, monkeypatch):
    original = SOLVERS[solver].linear
    kept = []

    def stale_engine(program, **options):
        other = replace(program, cost=np.roll(program.cost, 3))
        kept.append(original(other, **options))
        return kept[0]

    monkeypatch.setitem(*taking(solver, stale_engine))
    assert judged("ExpectedLoss", route=route, solver=solver) == "wide"


@pytest.mark.parametrize("crash", CRASHES, ids=repr)
@pytest.mark.parametrize("route", ["rays", "columns"])
def test_a_crash_is_a_failed_attempt_and_the_next_solver_answers(route, crash, monkeypatch):
    def crashing(*_, **__):
        raise crash

    monkeypatch.setitem(*taking("HIGHS", crashing))
    assert judged("ExpectedLoss", route=route, solver="HIGHS") == "failed"
    assert judged("ExpectedLoss", route=route, solver=["HIGHS", "CLARABEL"]) == "tight"


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
def test_a_crash_is_a_solver_error_with_its_log(solver, monkeypatch):
    def crashing(*_, **__):
        raise RuntimeError("basis is singular. See manual.")

    monkeypatch.setitem(*taking(solver, crashing))
    with pytest.raises(md.SolverError, match=rf"{solver} crashed \(basis is singular\)") as caught:
        solve_linear(LINEAR, solver)
    assert (caught.value.status, caught.value.log) == ("crashed", "basis is singular. See manual.")


def test_a_time_limit_that_is_too_short_is_told(monkeypatch):
    def hanging(program, *, interior, time_limit, verbose):
        assert time_limit is not None
        assert 0.0 < time_limit <= 5.0
        raise md.SolverError("HiGHS stopped without a solution (Time limit reached).", status="Time limit reached")

    monkeypatch.setitem(*taking("HIGHS", hanging))
    with reading(CountingClock()):
        made = md.design(PROBLEM, md.LDP(EPSILON), md.MutualInformation(), route="rays", time_limit=5.0, gap=1.0)
    assert made.route == "known" and "Time limit reached" in made.attempts[0].outcome


@pytest.mark.parametrize("stubborn", ["HIGHS", "CLARABEL"])
def test_a_solver_that_ignores_its_limit_is_left(stubborn, monkeypatch):
    clock, release = CountingClock(), threading.Event()

    def going_on(*_, **__):
        clock.overrun.set()
        release.wait()

    monkeypatch.setitem(*taking(stubborn, going_on))
    asked = {"route": "rays", "solver": stubborn, "time_limit": 0.5, "gap": 1.0}
    # Who waits for it waits for ever.
    with reading(clock):
        made = md.design(PROBLEM, md.LDP(EPSILON), md.MutualInformation(), **asked)
    release.set()
    assert clock.seconds >= 0.5
    assert made.route == "known" and made.attempts[0].outcome.startswith("failed: the time limit passed while")


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
def test_a_program_without_a_solution_is_a_solver_error_with_the_solvers_word(solver):
    from scipy.sparse import csr_array

    none = LinearProgram(np.ones(2), csr_array(np.ones((1, 2))), np.array([-2.0]), np.array([-1.0]))
    with pytest.raises(md.SolverError, match="stopped without a solution") as caught:
        solve_linear(none, solver)
    assert "nfeasible" in caught.value.status


@pytest.mark.parametrize("solver", ["HIGHS", "CLARABEL"])
@pytest.mark.parametrize("interior", [True, False])
def test_multipliers_are_the_change_of_the_optimum_with_a_bound(solver, interior):
    from scipy.sparse import csr_array

    # Least 2 x + 3 y with x + y = b, x <= c, 0 <= y: at b = 2, c = 0.5 it is 3 b - c.
    def least(b, c):
        rows = csr_array(np.array([[1.0, 1.0], [1.0, 0.0]]))
        program = LinearProgram(np.array([2.0, 3.0]), rows, np.array([b, -np.inf]), np.array([b, c]))
        return solve_linear(program, solver, interior=interior)

    found = least(2.0, 0.5)
    assert found.point == pytest.approx([0.5, 1.5], abs=1e-7)
    assert found.multipliers == pytest.approx([3.0, -1.0], abs=1e-7)
    assert isinstance(found.stats, SolverStats)
    assert found.stats.name == solver


def test_unknown_and_missing_solvers_are_told_apart(monkeypatch):
    with pytest.raises(md.DomainError, match='did you mean "CLARABEL"'):
        solver_name("clarabell")
    monkeypatch.setitem(SOLVERS, "ECOS", replace(SOLVERS["ECOS"], module="no_such_module"))
    with pytest.raises(md.SolverError, match=r'ECOS is not installed: pip install "mechdesign\[ecos\]"') as caught:
        md.design(PROBLEM, md.LDP(EPSILON), OBJECTIVES["WorstCaseLoss"], solver="ecos")
    assert caught.value.status == "not installed"
