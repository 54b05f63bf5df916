"""The user's linear equations hold exactly, in the integers that are returned, or it is said why they do not."""

import math
import re
import sys
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest

import mechdesign as md
from mechdesign.exact.small_solutions import IntegerEquations
from mechdesign.solve.repair.exact_equations import Correction, Equations
from mechdesign.solve.routes import convex

EXACT = re.compile(r"your linear equations( in Q alone)? hold exactly")


def fractions_of(made):
    return [[Fraction(entry) for entry in row] for row in made.by_decision.tolist()]


def keeps(counts, made):
    """Return whether ``P Q = P`` for these counts, in fractions."""
    matrix = fractions_of(made)
    return all(
        sum(int(c) * row[y] for c, row in zip(counts, matrix, strict=True)) == int(counts[y])
        for y in range(len(counts))
    )


def solved(rows, right):
    """Return a solution of dense equations as a list, or None."""
    sparse = [{place: int(entry) for place, entry in enumerate(row) if entry} for row in rows]
    found = IntegerEquations(sparse, [1] * len(rows[0])).solution(right)
    return None if found is None else [found.get(place, 0) for place in range(len(rows[0]))]


@pytest.mark.parametrize("seed", range(30))
def test_small_solutions_solve_and_are_small(seed):
    rng = np.random.default_rng(seed)
    k, n = int(rng.integers(1, 4)), int(rng.integers(4, 12))
    rows = np.array(rng.integers(-1000, 1000, (k, n)).tolist(), dtype=object)
    wanted = np.array(rng.integers(-3, 4, n).tolist(), dtype=object)
    found = solved(rows, list(rows @ wanted))
    assert (rows @ found == rows @ wanted).all()
    # The lattice has a vector about as short as the one that made the right side, or shorter.
    assert max(map(abs, found)) <= 3 * 1000 ** (k / (n - k))


@pytest.mark.parametrize(
    ("row", "right"), [((6, 10), 3), ((6, 10, 15), 1), ((4, 8), 4), ((0, 0), 1), ((0, 0), 0), ((0, 7), 7)]
)
def test_there_is_a_solution_where_the_greatest_common_divisor_divides(row, right):
    found = solved([row], [right])
    divisor = math.gcd(*row)
    assert (found is not None) == (right % divisor == 0 if divisor else right == 0)
    assert found is None or sum(a * b for a, b in zip(row, found, strict=True)) == right


@pytest.mark.parametrize("notion", [md.LDP(2.0), md.LIP(1.0), md.MaxLift(0.7), md.ApproximateLDP(1.0, 0.01)])
@pytest.mark.parametrize("n", [2, 3, 7])
def test_invariant_frequencies_are_exact(notion, n):
    counts = np.random.default_rng(n).integers(50, 200_000, n)
    problem = md.Problem.from_counts({f"c{k}": int(count) for k, count in enumerate(counts)})
    for P in (counts, problem.prior):
        made = md.design(problem, notion, md.HammingLoss(), subject_to=lambda Q, P=P: [P @ Q == P])
        assert EXACT.search(made.note) and EXACT.search(" ".join(str(made).split()))
        assert keeps(counts, made) and made.audit.holds and made.gap <= 1e-6


def test_frequencies_that_are_no_shares_of_counts_are_exact_as_the_floats_they_are():
    P = np.random.default_rng(1).dirichlet(np.ones(4))
    made = md.design(md.Problem(prior=P), md.LDP(1.5), md.HammingLoss(), subject_to=lambda Q: [P @ Q == P])
    matrix, exact = fractions_of(made), [Fraction(p) for p in P.tolist()]
    assert all(sum(p * row[y] for p, row in zip(exact, matrix, strict=True)) == exact[y] for y in range(4))


def test_zeros_and_sums_of_columns_are_exact_together():
    def rules(Q):
        return [Q[0, 1] == 0, cp.sum(Q, axis=0) == 1]

    made = md.design(md.Problem(prior=[0.2, 0.3, 0.5]), md.MaxLift(0.5), md.HammingLoss(), subject_to=rules)
    matrix = fractions_of(made)
    assert matrix[0][1] == 0 and all(sum(row[y] for row in matrix) == 1 for y in range(3)) and made.audit.holds


def test_other_constraints_are_kept_beside_equations():
    counts = np.array([700, 50, 250])
    problem = md.Problem.from_counts({"a": 700, "b": 50, "c": 250})
    made = md.design(
        problem, md.LDP(2.0), md.HammingLoss(), subject_to=lambda Q: [counts @ Q == counts, cp.diag(Q) >= 0.25]
    )
    assert keeps(counts, made) and made.by_decision.diagonal().min() >= 0.25 - 1e-6


@pytest.mark.parametrize(
    ("rules", "why"),
    [
        (lambda Q: [Q[2, 2] == 1 / 3], r"no multiples of 2\^-53 near the optimum satisfy them"),
        (lambda Q: [Q[0, 0] + np.pi * 1e-90 * Q[1, 1] == 0.5], r"take too long \(1 of \d+ bits\)"),
    ],
)
def test_what_cannot_be_exact_is_said_to_be_missed(rules, why):
    made = md.design(md.Problem(prior=[0.2, 0.3, 0.5]), md.LDP(0.5), md.HammingLoss(), subject_to=rules)
    assert (
        "their equations were not made exact" in " ".join(str(made).split())
        and re.search(why, made.note)
        and made.audit.holds
    )


def test_without_python_flint_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "flint", None)
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    made = md.design(problem, md.LDP(1.0), md.HammingLoss(), subject_to=lambda Q: [problem.prior @ Q == problem.prior])
    assert "pip install 'mechdesign[exact]'" in made.note and made.audit.holds


def by_one(self, right):
    found = honest(self, right)
    return None if found is None else {place: move + 1 for place, move in found.items()}


def nothing(self, right):
    return {}


def far(self, right):
    """Along the kernel of the equations 3 a + 4 b and of the row sums, as far as entries become negative."""
    found = dict(honest(self, right) or {})
    for place, move in {0: 4, 3: -3, 2: -4, 5: 3}.items():
        found[place] = found.get(place, 0) + 2**60 * move
    return found


honest = IntegerEquations.solution


@pytest.mark.parametrize("planted", [by_one, nothing, far])
def test_a_wrong_solution_is_never_returned(planted, monkeypatch):
    P = np.array([3.0, 4.0, 5.0])
    rows = [{3 * x + at: P[x] for x in range(3)} for at in range(3)]
    read = Equations.of(rows, P, (3, 3))
    numerators = np.full((3, 3), 2**53 // 3) + np.eye(3, dtype=np.int64) * (2**53 - 3 * (2**53 // 3))
    right = Correction(read, numerators).corrected(numerators)
    assert right is not None and not any(read.missing(right)) and (right.sum(axis=1) == 2**53).all()
    monkeypatch.setattr(IntegerEquations, "solution", planted)
    assert Correction(read, numerators).corrected(numerators) is None


@pytest.mark.parametrize("seed", range(20))
def test_sparse_equations_are_solved_for_many_right_sides(seed):
    """Units, chains of them, dependent equations and others, against the equations themselves."""
    rng = np.random.default_rng(seed)
    rows = rng.integers(-1, 2, (6, 20)) * (rng.random((6, 20)) < 0.4)
    rows = np.vstack([rows, rng.integers(2, 50, (2, 20)), rows[0] + rows[1], 2 * rows[2]]).tolist()
    sparse = [{k: int(entry) for k, entry in enumerate(row) if entry} for row in rows]
    solver = IntegerEquations(sparse, rng.integers(1, 1000, 20).tolist())
    for _ in range(5):
        wanted = rng.integers(-5, 6, 20).tolist()
        right = [sum(a * b for a, b in zip(row, wanted, strict=True)) for row in rows]
        found = solver.solution(right)
        moves = [found.get(k, 0) for k in range(20)]
        assert [sum(a * b for a, b in zip(row, moves, strict=True)) for row in rows] == right
        assert max(map(abs, moves)) <= 2000
    assert solver.solution([*right[:-1], right[-1] + 1]) is None


@pytest.mark.parametrize("n", [12, 24])
def test_symmetric_matrices_are_quick(n):
    """As one group of equations the lattice took minutes."""
    counts = np.random.default_rng(0).integers(1, 10**5, n)
    problem = md.Problem(prior=counts / counts.sum())
    made = md.design(problem, md.LDP(2.0), md.HammingLoss(), subject_to=lambda Q: [Q == Q.T])
    assert EXACT.search(made.note) and np.array_equal(made.by_decision, made.by_decision.T) and made.gap <= 1e-6


def test_exactness_that_costs_more_than_the_gap_is_left_out_with_its_price():
    def rules(Q):
        return [np.pi * Q[0, 0] == np.e * Q[1, 1]]

    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    made = md.design(problem, md.LDP(2.0), md.HammingLoss(), subject_to=rules)
    assert made.gap <= 1e-6
    price = float(re.search(r"which gap=(\S+) accepts", made.note).group(1))
    exact = md.design(problem, md.LDP(2.0), md.HammingLoss(), subject_to=rules, gap=price)
    assert EXACT.search(exact.note) and 1e-6 < exact.gap <= 1.01 * price
    matrix = fractions_of(exact)
    assert Fraction(np.pi) * matrix[0][0] == Fraction(np.e) * matrix[1][1]


def test_numbers_that_were_multiplied_are_read_as_the_fractions_that_they_are():
    counts, worth = (1234, 777, 91, 13), (Fraction(1, 10), Fraction(1, 4), Fraction(7, 10), Fraction(13, 10))
    problem, v = md.Problem(prior=np.array(counts) / 2115), np.array([float(each) for each in worth])
    P = problem.prior
    made = md.design(problem, md.LDP(2.0), md.HammingLoss(), subject_to=lambda Q: [P @ Q @ v == P @ v])
    matrix, shares = fractions_of(made), [Fraction(count, 2115) for count in counts]
    mean = sum(p * q * w for p, row in zip(shares, matrix, strict=True) for q, w in zip(row, worth, strict=True))
    assert mean == sum(p * w for p, w in zip(shares, worth, strict=True)) and "read as fractions" in made.note


def test_a_float_is_read_as_the_fraction_that_it_is():
    read = Equations.of([{0: 0.7, 1: 0.05, 2: 0.25}], [1 / 3], (1, 3))
    assert read.rows == ({0: 42, 1: 3, 2: 15},) and read.right == (20 * 2**53,) and "fractions" in read.reading
    scaled = Equations.of([{0: 1e-30, 1: 3e-30}], [5e-31], (1, 2))
    assert scaled.rows == ({0: 2, 1: 6},) and scaled.right == (2**53,)
    plain = Equations.of([{0: np.pi, 1: 1.0}], [1.0], (1, 2))
    assert Fraction(plain.rows[0][0], plain.rows[0][1]) == Fraction(np.pi) and "floats" in plain.reading
    assert Equations.of([{0: np.pi * 1e-250, 1: 1.0}], [1.0], (1, 2)) is None


def test_an_interrupt_while_integers_are_looked_for_leaves_the_optimum(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(convex, "exactly", stopped)
    problem = md.Problem(prior=[0.2, 0.3, 0.5])
    made = md.design(problem, md.LDP(1.0), md.HammingLoss(), subject_to=lambda Q: [Q == Q.T])
    assert made.interrupted and made.audit.holds and "as it was interrupted" in made.note


def test_a_deadline_is_kept():
    with pytest.raises(TimeoutError, match="no time"):
        IntegerEquations([{0: 1, 1: 1}], [1, 1], lambda: True)
    with pytest.raises(TimeoutError, match="share unknowns"):
        IntegerEquations([{k: 2 + (k + 2) ** j for k in range(40)} for j in range(1, 20)], [1] * 40)


def test_equations_with_a_further_variable_are_not_called_exact():
    further = cp.Variable()

    def rules(Q):
        return [Q[0, 0] == further, further == 0.5, Q[1, 0] == Q[2, 0]]

    made = md.design(md.Problem(prior=[0.2, 0.3, 0.5]), md.LDP(1.0), md.HammingLoss(), subject_to=rules, gap=0.1)
    assert "your linear equations in Q alone hold exactly, other constraints of yours missed by" in made.note
    assert made.by_decision[1, 0] == made.by_decision[2, 0]


def test_both_ways_of_reading_are_named():
    read = Equations.of([{0: 0.3, 1: np.pi}, {0: -0.2}], [1.0, -0.08125], (1, 2))
    assert read.reading == ", their numbers taken as the floats that cvxpy has or read as fractions"
    assert Equations.of([{0: 3.0}], [1.0], (1, 1)).reading == ""
