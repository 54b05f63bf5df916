"""Frontiers as formulas: against linear programs over the whole matrix, known closed forms, and identities."""

import sys
from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import linprog

import mechdesign as md

pytest.importorskip("flint")

from flint import fmpq, fmpq_poly

from mechdesign.studies.exact_frontier import simplex
from mechdesign.studies.exact_frontier.cones import LiftColumns
from mechdesign.studies.exact_frontier.pieces import Formulas, total
from mechdesign.studies.exact_frontier.questions import simplest
from mechdesign.studies.exact_frontier.rational_functions import RationalFunction, Root, base_of, roots_between

NOTIONS = {"LDP": md.LDP, "LIP": md.LIP, "MaxLift": md.MaxLift}
LEVELS = [0.0, 0.04, 0.3, 0.71, 1.0, 1.6, 2.2, 3.0]


def rows_of(notion, prior, epsilon):
    """Return A with ``A v >= 0`` for every column v of the notion."""
    n, ratio = len(prior), np.exp(epsilon)
    eye, mass = np.eye(n), np.tile(prior, (n, 1))
    if notion == "LDP":
        return np.array([ratio * eye[x] - eye[other] for x in range(n) for other in range(n) if x != other])
    above = ratio * mass - eye
    return above if notion == "MaxLift" else np.vstack([above, eye - mass / ratio])


def least(notion, prior, loss, epsilon):
    """Return the least expected loss by HiGHS over the whole matrix."""
    rows, (n, m) = rows_of(notion, prior, epsilon), loss.shape
    cost = (prior[:, None] * loss).ravel()
    allowed = -np.kron(rows, np.eye(m))
    sums = np.kron(np.eye(n), np.ones((1, m)))
    return linprog(cost, allowed, np.zeros(len(allowed)), sums, np.ones(n)).fun


def asked(notion, n, seed):
    """Return a question with small whole numbers, and its loss."""
    rng = np.random.default_rng([n, seed, len(notion)])
    problem = md.Problem.from_counts(rng.integers(1, 9, size=n), values=np.arange(n))
    apart = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    objective, loss = [
        (md.AbsoluteError(), apart),
        (md.HammingLoss(), (apart > 0).astype(float)),
        (md.ExpectedLoss(drawn := rng.integers(0, 9, size=(n, 3)).astype(float)), drawn),
    ][seed % 3]
    return problem, objective, loss


def curve_of(notion, n, seed, levels=(0.0, 3.0)):
    problem, objective, loss = asked(notion, n, seed)
    return md.frontier(problem, NOTIONS[notion], objective, levels, exact=True), problem, objective, loss


def agrees(curve, notion, problem, loss):
    best = [least(notion, problem.prior, loss, level) for level in LEVELS]
    return np.allclose(curve.values(LEVELS), best, rtol=1e-6, atol=1e-7)


@pytest.mark.thinned(12)
@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("n", [2, 3, 5])
def test_it_is_the_optimum_of_the_whole_program(notion, n, seed):
    curve, problem, _, loss = curve_of(notion, n, seed)
    assert agrees(curve, notion, problem, loss)


@pytest.mark.parametrize("notion", NOTIONS)
@pytest.mark.parametrize("seed", range(3))
def test_pieces_are_mechanisms_whose_loss_is_the_value_and_the_sum_of_multipliers(notion, seed):
    curve, problem, _, loss = curve_of(notion, 4, seed)
    prior = [simplest(share) for share in problem.prior.tolist()]
    for piece in curve.pieces:
        assert all(str(total(row)) == "1" for row in piece.entries)
        names = [int(name) for name in piece.outputs]
        costs = [
            entry.times(fmpq_poly([fmpq(int(loss[x, d]) * prior[x].numerator, prior[x].denominator)]))
            for x, row in enumerate(piece.entries)
            for d, entry in zip(names, row, strict=True)
        ]
        assert total(costs) == piece.value
        assert all(total(proof.multipliers) == piece.value for proof in piece.proofs)
        assert piece.proofs[0].low == piece.ends[0] and piece.proofs[-1].high == piece.ends[1]
        assert all(before.high == after.low for before, after in pairwise(piece.proofs))


@pytest.mark.parametrize("notion", NOTIONS)
def test_pieces_are_private_exactly_at_rational_levels(notion):
    curve, problem, _, _ = curve_of(notion, 4, 1)
    prior = [simplest(share) for share in problem.prior.tolist()]
    weights = [fmpq(share.numerator, share.denominator) for share in prior]
    for piece in curve.pieces:
        ends = [root.first[0] for root in piece.ends]
        for share in (fmpq(1, 50), fmpq(1, 2), fmpq(49, 50)):
            base = ends[0] + (ends[1] - ends[0]) * share
            matrix = [[entry.at(base) for entry in row] for row in piece.entries]
            for column in zip(*matrix, strict=True):
                mass = sum(w * v for w, v in zip(weights, column, strict=True))
                highest = min(column) * base if notion == "LDP" else mass * base
                assert min(column) >= 0 and max(column) <= highest
                assert notion != "LIP" or min(column) * base >= mass


def test_neighbours_meet_and_leave_no_hole():
    curve, *_ = curve_of("LIP", 5, 0)
    assert (curve.pieces[0].low, curve.pieces[-1].high) == (0.0, 3.0)
    for before, after in pairwise(curve.pieces):
        assert before.ends[1] == after.ends[0] and before.high == after.low
        assert before.value(before.high) == pytest.approx(after.value(after.low), abs=1e-14)


def test_randomised_response_of_three_and_four_is_its_own_formula():
    """Of k-ary randomised response the expected distance is a sum of distances over k (E + k - 1)."""
    three, four = (md.Problem(prior=[1 / n] * n, values=np.arange(n)) for n in (3, 4))
    of_three, of_four = (
        md.frontier(problem, md.LDP, md.AbsoluteError(), [0, 2.9], exact=True) for problem in (three, four)
    )
    assert [str(piece.value) for piece in of_three.pieces] == ["2/3", "8/(3*(E + 2))"]
    assert str(of_three.pieces[1].ends[0]) == "2" and str(of_three.pieces[1].entries[0][0]) == "E/(E + 2)"
    assert str(of_four.pieces[-1].value) == "5/(E + 3)"
    assert str(of_four.pieces[-1].ends[0]) == "the root 4.23607 of E**2 - 4*E - 1"


@pytest.mark.parametrize("notion", NOTIONS)
def test_a_design_at_any_level_is_the_formula_certified(notion):
    curve, problem, objective, _ = curve_of(notion, 4, 0)
    for level in (0.25, 1.1, 2.7):
        made = curve.design(level)
        beside = md.design(problem, NOTIONS[notion](level), objective)
        assert made.audit.holds and made.gap <= 1e-9 and made.value == pytest.approx(beside.value, rel=1e-9)
        assert made.value == pytest.approx(curve.value(level), rel=1e-9)


def test_formulas_read_as_python_and_as_latex():
    curve, *_ = curve_of("LIP", 5, 1)
    for piece in curve.pieces:
        middle = (piece.low + piece.high) / 2
        assert eval(str(piece.value), {"E": np.exp(middle)}) == pytest.approx(piece.value(middle), rel=1e-12)
        assert piece.value.latex().count("{") == piece.value.latex().count("}")
    assert curve.latex().startswith(r"\begin{cases}") and curve.latex().count(r"\\") == len(curve.pieces)
    assert "pieces" in repr(curve) and str(curve.pieces[-1].value) in str(curve).replace("\n", "").replace(" " * 23, "")


@pytest.mark.slow
@pytest.mark.parametrize("notion", NOTIONS)
def test_more_inputs_have_frontiers_too(notion):
    n = 12
    problem = md.Problem(prior=[1 / n] * n, values=np.arange(n))
    curve = md.frontier(problem, NOTIONS[notion], md.AbsoluteError(), [0.0, 1.5], exact=True)
    loss = np.abs(np.subtract.outer(np.arange(n), np.arange(n))).astype(float)
    for level in (0.1, 0.6, 1.4):
        assert curve.value(level) == pytest.approx(least(notion, problem.prior, loss, level), abs=1e-6)


# Numbers ------------------------------------------------------------------------------------------------------------


def test_roots_that_are_next_to_each_other_are_told_apart():
    near = fmpq_poly([-(10**30) - 1, 10**30])
    one = roots_between(near * fmpq_poly([-1, 1]) * fmpq_poly([-2, 0, 1]), fmpq(1, 2), fmpq(2))
    assert [root.polynomial.degree() for root in one] == [1, 1, 2] and one[0] < one[1] < one[2]
    assert not one[1] < one[0] and one[0] == Root.of_rational(fmpq(1)) and one[2].epsilon == np.log(2.0) / 2.0


def test_a_quotient_is_reduced_and_has_one_form():
    found = RationalFunction.of(fmpq_poly([2, 2]), fmpq_poly([-3, -3]))
    assert found == RationalFunction.of(fmpq_poly([-2]), fmpq_poly([3])) and str(found) == "-2/3"
    assert hash(found) == hash(RationalFunction.of(fmpq_poly([-4]), fmpq_poly([6]))) and found.at(fmpq(5)) == fmpq(
        -2, 3
    )
    assert float(base_of(1.0).p) / float(base_of(1.0).q) == np.e


# Planted ------------------------------------------------------------------------------------------------------------


def test_columns_that_the_notion_forbids_are_seen(monkeypatch):
    """Planted: it is forgotten that the entry between leaves its bounds as E grows."""
    monkeypatch.setattr(LiftColumns, "allowed", lambda self, name: [])
    curve, problem, _, loss = curve_of("LIP", 5, 0)
    assert not agrees(curve, "LIP", problem, loss)


def test_intervals_beyond_the_prices_are_seen(monkeypatch):
    """Planted: a basis is taken for optimal wherever its weights are positive."""
    monkeypatch.setattr(Formulas, "_priced", lambda self, functional, base, limit, forward: limit)
    curve, problem, _, loss = curve_of("LDP", 5, 0)
    assert not agrees(curve, "LDP", problem, loss)


def test_a_basis_that_prices_no_columns_is_seen(monkeypatch):
    """Planted: the search ends with the first basis that is a mechanism, so that its prices are no proof."""
    monkeypatch.setattr(simplex._Tableau, "_gain", lambda self, gains, each: fmpq(0))
    with pytest.raises(ArithmeticError):
        curve_of("LDP", 3, 0)


# Refusals -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "error", "said"),
    [
        ((md.StrongL1, md.HammingLoss(), [0.1, 0.5]), md.UnsupportedError, "without exact=True has numbers"),
        ((md.LDP, md.MMSE(), [0, 1]), md.UnsupportedError, "MMSE is no expected loss"),
        ((md.LDP, md.HammingLoss(), [1.0]), md.DomainError, "give the two ends"),
        ((md.LDP, md.HammingLoss(), [1.0, 1.0]), md.DomainError, "give the two ends"),
        ((md.LDP, md.HammingLoss(), [-1.0, 1.0]), md.DomainError, "epsilon"),
        ((md.AsymmetricLIP, md.HammingLoss(), [(0.1, 0.2), (1.0, 1.0)]), md.DomainError, "give the two ends"),
    ],
)
def test_what_has_no_such_frontier_is_refused_with_what_to_do(question, error, said):
    problem = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    notion, objective, levels = question
    with pytest.raises(error, match=said):
        md.frontier(problem, notion, objective, levels, exact=True)


def test_inputs_of_no_mass_hidden_secrets_and_other_keywords_are_refused():
    with pytest.raises(md.DomainError, match="positive probability"):
        md.frontier(md.Problem(prior=[0.5, 0.5, 0.0]), md.LIP, md.HammingLoss(), [0, 1], exact=True)
    hidden = md.Problem(prior=[0.5, 0.5]).hidden(secret_given_data=[[0.8, 0.3], [0.2, 0.7]])
    with pytest.raises(md.UnsupportedError, match="hidden"):
        md.frontier(hidden, md.LDP, md.HammingLoss(), [0, 1], exact=True)
    with pytest.raises(md.DomainError, match="levels alone"):
        md.frontier(md.Problem(prior=[0.5, 0.5]), md.LDP, md.HammingLoss(), [0, 1], exact=True, gap=0.1)
    with pytest.raises(md.UnsupportedError, match="There are 41 inputs"):
        md.frontier(md.Problem(prior=[1 / 41] * 41), md.LDP, md.HammingLoss(), [0, 1], exact=True)
    curve = md.frontier(md.Problem(prior=[0.5, 0.5]), md.LDP, md.HammingLoss(), [0, 1], exact=True)
    with pytest.raises(md.DomainError, match="ask for a frontier that holds it"):
        curve.value(1.5)


def test_without_its_library_it_says_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("mechdesign.studies.exact_frontier")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "flint", None)
    with pytest.raises(md.UnsupportedError, match=r"pip install 'mechdesign\[exact\]'"):
        md.frontier(md.Problem(prior=[0.5, 0.5]), md.LDP, md.HammingLoss(), [0, 1], exact=True)


@pytest.mark.parametrize(("argument", "given"), [("problem", 3), ("objective", "hamming")])
def test_what_is_no_question_is_refused_by_name(argument, given):
    asked = {"problem": md.Problem(prior=[0.5, 0.5]), "objective": md.HammingLoss(), argument: given}
    with pytest.raises(md.DomainError, match=argument):
        md.frontier(asked["problem"], md.LDP, asked["objective"], [0.0, 1.0], exact=True)


def test_levels_beyond_floats_are_refused():
    with pytest.raises(md.DomainError, match=r"levels is 710.*give levels up to 709"):
        md.frontier(md.Problem(prior=[0.25, 0.75]), md.LDP, md.HammingLoss(), [0, 710], exact=True)
