"""The referee on claims whose verdict is known, one for each verdict; points, orders, counterexamples."""

import math
import re
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.errors import DomainError
from mechdesign.referee import Judge, hearing, referee, row_of
from mechdesign.theorems import (
    AtMost,
    Condition,
    Equal,
    Family,
    Holds,
    OnRays,
    Optimum,
    Point,
    Private,
    Remainder,
    Theorem,
)
from mechdesign.theorems.variables import Channel, Choice, Distribution, Real, Seed, Vector, Whole

SQUARE = Theorem(
    key="paper/square",
    place="eq. (1)",
    kind="identity",
    words="The square of the sum.",
    family=Family({"a": Real(-2.0, 2.0), "b": Real(-2.0, 2.0)}),
    printed=lambda at: at.a**2 + 2 * at.a * at.b + at.b**2,
    test=lambda at, given: (Equal(given, (at.a + at.b) ** 2, "the square", scale=16.0),),
)
POSITIVE = Condition("a", "0", lambda at: (at.a, 0.0))


def test_an_identity_holds():
    ruling = referee(SQUARE)
    assert ruling.verdict == "holds"
    assert ruling.condition == ruling.counterexample == "" and ruling.worst <= 1e-15
    assert ruling.points >= 24 and ruling.fails_outside is None


def test_a_root_holds_where_its_argument_has_the_right_sign():
    root = replace(
        SQUARE,
        printed=lambda at: math.sqrt(at.a**2),
        test=lambda at, given: (Equal(given, at.a, scale=1.0),),
        narrower=(POSITIVE,),
    )
    ruling = referee(root)
    assert ruling.verdict == "holds under a narrower condition" and ruling.condition == "a >= 0"
    # Plain numbers: one digit, and the other variable does not matter.
    assert "a = -" in ruling.counterexample and len(ruling.counterexample) < 60


def test_a_condition_that_is_too_narrow_is_no_verdict():
    narrow = Condition("a", "1", lambda at: (at.a, 1.0))
    root = replace(
        SQUARE,
        printed=lambda at: math.sqrt(at.a**2),
        test=lambda at, given: (Equal(given, at.a, scale=1.0),),
        narrower=(narrow,),
    )
    # It holds next to the edge too: the condition says nothing, and the claim is false.
    assert referee(root).verdict == "false"


@pytest.mark.parametrize("least", [-1.0, 0.0, 1.0])
def test_every_condition_of_a_narrower_domain_has_to_be_sharp(least):
    beside = Condition("b", "a bound", lambda at: (at.b, least))
    root = replace(
        SQUARE,
        printed=lambda at: math.sqrt(at.a**2),
        test=lambda at, given: (Equal(given, at.a, scale=1.0),),
        narrower=(POSITIVE, beside),
    )
    # Beyond the edge of the first it fails, beyond that of the second it does not.
    assert referee(root).verdict == "false"
    assert referee(replace(root, printed=lambda at: math.sqrt(at.a**2) if beside.met(at) else 9.0)).verdict == (
        "holds under a narrower condition"
    )


def test_a_condition_that_is_sharp_here_and_there_is_no_verdict():
    root = replace(
        SQUARE,
        printed=lambda at: at.a if at.a >= 0 or at.b < 0.5 else 9.0,
        test=lambda at, given: (Equal(given, at.a, scale=1.0),),
        narrower=(POSITIVE,),
    )
    assert referee(root, thorough=True).verdict == "false"


def test_a_counterexample_is_of_the_least_size_that_fails():
    # With three numbers it fails where the third is not zero, and cutting down four may leave three that hold.
    claim = replace(
        SQUARE,
        family=Family({"n": Whole(2, 5), "v": Vector("n", 0.0, 1.0)}),
        printed=lambda at: float(at.v[2:].sum()) if at.v[-1] > 0.5 else 0.0,
        test=lambda at, given: (Equal(given, 0.0, scale=1.0),),
    )
    for seed in range(4):
        assert "n = 3" in referee(claim, seed=seed).counterexample


def test_zero_is_told_without_a_sign():
    assert Point({"a": -0.0, "b": np.array([-0.0, -1.5])}).described() == "a = 0, b = (0, -1.5)"


def test_a_condition_inside_which_it_fails_is_no_verdict():
    wide = Condition("a", "-1", lambda at: (at.a, -1.0))
    root = replace(
        SQUARE,
        printed=lambda at: math.sqrt(at.a**2),
        test=lambda at, given: (Equal(given, at.a, scale=1.0),),
        narrower=(wide,),
    )
    assert referee(root).verdict == "false"


def test_a_misprint_is_told_from_a_false_claim():
    wrong = replace(SQUARE, printed=lambda at: at.a**2 + at.a * at.b + at.b**2)
    assert referee(wrong).verdict == "false"
    mended = replace(wrong, corrected=SQUARE.printed, correction="twice the product")
    assert referee(mended).verdict == "misprinted"
    # A correction that holds on a part of the domain only does not make a misprint.
    assert referee(replace(mended, corrected_domain=(POSITIVE,))).verdict == "false"
    assert referee(replace(mended, corrected=wrong.printed)).verdict == "false"
    # Where the part is stated and left, the correction fails: a misprint, and then that condition.
    half = replace(mended, corrected=lambda at: SQUARE.printed(at) + (0.0 if at.a >= 0 else 1.0))
    ruling = referee(replace(half, corrected_domain=(POSITIVE,)))
    assert (ruling.verdict, ruling.condition) == ("misprinted", "a >= 0")
    assert (
        referee(replace(half, corrected_domain=(replace(POSITIVE, right="-1", sides=lambda at: (at.a, -1.0)),))).verdict
        == "false"
    )
    # Another formula is no correction of the print.
    other = referee(replace(mended, is_another=True))
    assert other.verdict == "false" and other.corrected


@pytest.mark.parametrize("apart", [Fraction(0), Fraction(1, 10**30), Fraction(-1, 10**30)])
def test_fractions_are_less_exactly(apart):
    found = Judge().decide(AtMost(Fraction(1, 3), Fraction(1, 3) + apart, strictly=True))
    assert found.status == ("held" if apart > 0 else "failed")


def test_what_no_optimum_decides_is_inconclusive(monkeypatch):
    question = md.Question(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(1.0), md.MMSE())
    claim = replace(SQUARE, test=lambda at, given: (Equal(0.2, Optimum(question), "the optimum"),))

    def no_answer(*_, **__):
        raise md.SolverError("no solver answered", status="failed", log="", iterate=None)

    monkeypatch.setattr("mechdesign.referee.judge.answered", no_answer)
    assert referee(claim).verdict == "inconclusive"


def test_a_wide_certificate_decides_only_what_lies_outside_it(monkeypatch):
    question = md.Question(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(1.0), md.MMSE())
    made = md.design(question.problem, question.notion, question.objective)
    monkeypatch.setattr("mechdesign.referee.judge.answered", lambda *_, **__: replace(made, value=0.2, bound=0.1))
    verdicts = {at: Judge().decide(Equal(at, Optimum(question))).status for at in (0.05, 0.15, 0.25)}
    assert verdicts == {0.05: "failed", 0.15: "undecided", 0.25: "failed"}
    at_most = {at: Judge().decide(AtMost(Optimum(question), at)).status for at in (0.05, 0.15, 0.25)}
    assert at_most == {0.05: "failed", 0.15: "undecided", 0.25: "held"}


def test_a_formula_without_a_value_fails():
    assert referee(replace(SQUARE, printed=lambda at: 1 / (at.a - at.a))).verdict == "false"
    ruling = referee(replace(SQUARE, printed=lambda at: float("nan")))
    assert ruling.verdict == "false" and "nan is no number: correct the formula, or leave" in ruling.counterexample


def test_a_verdict_says_that_points_were_tested_and_nothing_was_proved():
    held = str(md.verify(theorems=[SQUARE])[0])
    assert re.search(r"tested at \d+ points, not proved; worst deviation", held)
    false = str(md.verify(theorems=[replace(SQUARE, printed=lambda at: at.a)])[0])
    assert re.search(r"tested at \d+ points; worst deviation", false)


@pytest.mark.parametrize("strictly", [False, True])
def test_what_is_no_number_is_not_at_most_another(strictly):
    found = Judge().decide(AtMost(float("nan"), 1.0, strictly=strictly))
    assert found.failed and found.excess == math.inf
    claim = replace(SQUARE, test=lambda at, given: (AtMost(given / 0 * 0 if at.a > 0 else given, 1e9),))
    claim = replace(claim, printed=lambda at: np.float64(1.0))
    assert referee(claim).verdict == "false"


def test_a_correction_is_told_only_if_it_holds_on_its_domain():
    words = {"correction": "the square of the sum", "corrected_domain": (POSITIVE,)}
    for corrected, holds in ((SQUARE.printed, True), (lambda at: at.a + at.b, False)):
        wrong = replace(SQUARE, printed=lambda at: at.a**2, corrected=corrected, **words)
        ruling = referee(wrong)
        assert ruling.verdict == "false" and ruling.corrected is holds
        loose = "the correction's domain a >= 0 is true but not sharp: no failure was found next to it"
        assert row_of(wrong, ruling).remark == (f"{loose}; the square of the sum" if holds else "")


def test_a_domain_without_a_point_is_an_error():
    nowhere = Condition("a", "5", lambda at: (at.a, 5.0))
    with pytest.raises(DomainError, match="paper/square: claimed is a >= 5"):
        referee(replace(SQUARE, claimed=(nowhere,)))


def test_the_same_seed_gives_the_same_points_and_another_others():
    def drawn(seed):
        return [point.described() for point in hearing(SQUARE, seed=seed).plan.claimed]

    assert drawn(1) == drawn(1) != drawn(2)


def test_points_lie_on_both_sides_of_an_edge():
    plan = hearing(replace(SQUARE, narrower=(POSITIVE,))).plan
    edges = [point.a for point in plan.claimed if 0 <= point.a < 1e-9]
    assert len(edges) >= 4
    (beyond,) = plan.beyond
    assert all(point.a < 0 for point in beyond) and max(point.a for point in beyond) > -0.05
    outside = hearing(replace(SQUARE, claimed=(POSITIVE,))).plan.outside
    assert outside and all(point.a < 0 for point in outside)


@pytest.mark.parametrize(("order", "status"), [(1.0, "held"), (2.0, "held"), (2.5, "failed"), (3.0, "failed")])
def test_the_order_of_a_remainder_is_measured(order, status):
    check = Remainder(lambda h: (math.exp(h), 1 + h), order, what="the exponential")
    assert Judge().decide(check).status == status


def test_a_remainder_that_holds_is_no_deviation():
    found = Judge().decide(Remainder(lambda h: (math.exp(h), 1 + h), 2.2))
    assert found.status == "held" and found.excess == 0


def test_a_remainder_that_vanishes_holds_at_any_order():
    assert Judge().decide(Remainder(lambda h: (h, h), 9.0)).status == "held"


def test_a_remainder_that_no_certificate_shows_is_undecided(monkeypatch):
    question = md.Question(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(1.0), md.MMSE())
    made = md.design(question.problem, question.notion, question.objective)
    monkeypatch.setattr("mechdesign.referee.judge.answered", lambda *_, **__: replace(made, value=0.2, bound=0.19))
    check = Remainder(lambda h: (Optimum(question), 0.1 + h), 3.0)
    assert Judge().decide(check).status == "undecided"


def test_equal_numbers_are_not_said_to_be_less_than_each_other(monkeypatch):
    question = md.Question(md.Problem(prior=[0.5, 0.5], values=[0, 1]), md.LDP(1.0), md.MMSE())
    made = md.design(question.problem, question.notion, question.objective)
    monkeypatch.setattr("mechdesign.referee.judge.answered", lambda *_, **__: replace(made, value=0.25, bound=0.25))
    found = Judge().decide(AtMost(0.25, Optimum(question), "the claim is better", strictly=True))
    assert (found.status, found.what) == ("failed", "the claim is better: both are 0.25")


def test_fractions_are_compared_exactly():
    family = Family({"p": Distribution(3), "t": Real(0.1, 0.9), "v": Vector(2, balanced=True)}, exact=True)
    claim = replace(
        SQUARE,
        family=family,
        printed=lambda at: at.t * (1 - at.t),
        test=lambda at, given: (
            Equal(given, at.t - at.t**2),
            Equal(sum(at.p), at.t / at.t),
            Equal(sum(at.v), at.t - at.t),
        ),
    )
    assert referee(claim).verdict == "holds"
    tiny = replace(claim, test=lambda at, given: (Equal(given + given / 10**30, at.t - at.t**2),))
    assert referee(tiny).verdict == "false"
    over = replace(claim, test=lambda at, given: (AtMost(given + given / 10**30, at.t - at.t**2),))
    assert referee(over).verdict == "false"


def test_the_judge_knows_privacy_and_rays():
    problem = md.Problem(prior=[0.4, 0.6])
    matrix = np.array([[0.7, 0.3], [0.3, 0.7]])
    level = math.log(7 / 3)
    assert Judge().decide(Private(matrix, problem, md.LDP(level + 1e-9))).status == "held"
    assert Judge().decide(Private(matrix, problem, md.LDP(level - 1e-6))).failed
    assert Judge().decide(Private(matrix + 1e-6, problem, md.LDP(level + 1))).failed
    largest = OnRays(md.LDP(1.0), problem, lambda columns: columns.max(axis=0) / columns.min(axis=0))
    assert Judge().decide(Equal(largest, math.e)).status == "held"
    assert Judge().decide(Holds(False, "a statement")).failed


def test_an_output_of_little_mass_has_to_be_private_too():
    rare = 1e-9
    matrix = np.array([[1 - rare, rare], [1 - 2.8 * rare, 2.8 * rare]])
    assert Judge().decide(Private(matrix, md.Problem(n=2), md.LDP(1.0))).failed
    assert Judge().decide(Private(matrix, md.Problem(n=2), md.LDP(math.log(2.8) + 1e-9))).status == "held"


def test_strictly_less_is_more_than_less():
    assert Judge().decide(AtMost(1.0, 1.0)).status == "held"
    assert Judge().decide(AtMost(1.0, 1.0, strictly=True)).failed
    assert Judge().decide(AtMost(1.0, 1.1, strictly=True)).status == "held"


VARIABLES = {
    "n": Whole(2, 5),
    "t": Real(0.01, 4.0, log=True),
    "kind": Choice(("a", "b")),
    "prior": Distribution("n", 0.01),
    "values": Vector("n", -1.0, 3.0),
    "slope": Vector("n", -1.0, 1.0, balanced=True),
    "channel": Channel("n", 3, 0.02),
    "seed": Seed(),
}


def sound(point: Point) -> bool:
    """Tell whether a point keeps to its variables."""
    n = point.n
    return (
        0.01 <= point.t <= 4.0
        and point.prior.shape == point.values.shape == point.slope.shape == (n,)
        and point.channel.shape == (n, 3)
        and abs(point.prior.sum() - 1) < 1e-9
        and point.prior.min() >= 0.01 - 1e-12
        and -1.0 <= point.values.min() <= point.values.max() <= 3.0
        and abs(point.slope.sum()) < 1e-9
        and np.allclose(point.channel.sum(axis=1), 1)
    )


def test_every_point_of_a_family_keeps_to_its_variables(rng):
    family = Family(VARIABLES)
    drawn = [family.draw(rng) for _ in range(50)]
    assert all(sound(point) for point in [*drawn, *family.corners()])
    assert {point.n for point in drawn} == {2, 3, 4, 5}
    for point in drawn[:10]:
        plainer = list(family.simpler(point))
        assert plainer and all(sound(p) for p in plainer if p.prior.min() >= 0.01)
    with pytest.raises(AttributeError, match="has no variable u"):
        print(drawn[0].u)


def test_a_tie_is_no_clearer_for_its_rounding():
    def against(seed):
        rng = np.random.default_rng(seed)

        def last_digits() -> float:
            # As those of a solver differ from machine to machine.
            return 1e-13 * float(rng.normal())

        claim = replace(
            SQUARE, test=lambda at, given: (AtMost(given + 9, given + 9 + last_digits(), "less", strictly=True),)
        )
        return referee(claim).counterexample

    assert len({against(seed) for seed in range(5)}) == 1
