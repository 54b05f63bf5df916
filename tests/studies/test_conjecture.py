"""`md.conjecture`: closed forms are found again, judged at other sizes, and not made up where there is none."""

from __future__ import annotations

import sys
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_poly

import mechdesign as md
from mechdesign.referee import referee
from mechdesign.studies.conjecturing import finding
from mechdesign.studies.conjecturing.conjecture import End
from mechdesign.studies.conjecturing.reconstruction import Polynomial, ratio, through
from mechdesign.studies.exact_frontier.rational_functions import RationalFunction
from mechdesign.theorems import all_theorems
from mechdesign.theorems.family import Point


def even(n):
    return md.Problem(prior=[1 / n] * n, values=range(n))


def at(*numbers):
    return [fmpq(number) for number in numbers]


@pytest.mark.parametrize(
    ("function", "needs"),
    [
        (lambda n: Fraction(3), 2),
        (lambda n: Fraction(n * n - 1, 3), 4),
        (lambda n: Fraction(n + 1, n - 1), 4),
        (lambda n: Fraction(n * n - 1, 4 * n), 5),
    ],
)
def test_a_function_is_found_from_one_point_more_than_determine_it(function, needs):
    sizes = range(3, 3 + needs)
    values = [fmpq(*function(n).as_integer_ratio()) for n in sizes]
    found = through(at(*sizes), values)
    assert found is not None and found.at(fmpq(50)) == fmpq(*function(50).as_integer_ratio())
    other = through(at(*sizes[:-1]), values[:-1])
    assert other is None or other != found
    # Planted: one value that is off by a billionth.
    assert through(at(*sizes), [*values[:-1], values[-1] + fmpq(1, 10**9)]) is None


def test_random_values_have_no_function():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = [fmpq(int(number), 997) for number in rng.integers(1, 997, size=6)]
        assert through(at(*range(3, 9)), values) is None


@pytest.mark.parametrize(
    ("top", "bottom", "text"),
    [
        (([-1, 0, 1],), ([-1, 1], [1]), "(n - 1)*(n + 1)/(E + n - 1)"),
        (([0, 1], [-1]), ([0, 1],), "(n - E)/n"),
        (([2], [-2, 1]), ([0], [4]), "((n - 2)*E + 2)/(4*E)"),
        (([1, 3], [-4]), ([0, 2],), "(3*n + 1 - 4*E)/(2*n)"),
        (([0],), ([1],), "0"),
        (([5],), ([5],), "1"),
        (([1], [0], [1]), ([3],), "(E**2 + 1)/3"),
    ],
)
def test_formulas_are_written_plainly_and_are_what_they_say(top, bottom, text):
    above, below = (
        Polynomial(tuple(RationalFunction.of(fmpq_poly(each), fmpq_poly([1])) for each in given))
        for given in (top, bottom)
    )
    written = ratio(above, below, "n")
    for n, e in ((3, Fraction(7, 5)), (8, Fraction(11, 2))):
        value = above.at(fmpq(n))(fmpq(*e.as_integer_ratio())) / below.at(fmpq(n))(fmpq(*e.as_integer_ratio()))
        assert eval(written, {"n": Fraction(n), "E": e}) == Fraction(int(value.p), int(value.q))  # our own text
    assert written == text


def test_the_loss_of_a_wrong_guess_is_found_and_ruled_on():
    found = md.conjecture(even, md.LIP, md.HammingLoss(), [3, 4, 5, 6])
    assert [(each.value, each.low, each.high) for each in found] == [
        ("(n - 1)/(n*E)", "n - 1", ""),
        ("(n - E)/n", "", "n - 1"),
    ]
    for each in found:
        statement = each.theorem("mine/wrong")
        assert referee(statement).verdict == "holds" and "conjecture" in statement.origin
        assert each.value in str(each) and each.value in each._repr_html_()
    assert found[0].holds_at(5, 1.5) and not found[0].holds_at(5, 1.3)
    assert found[0].at(5, 1.5) == pytest.approx(0.8 / np.exp(1.5), abs=1e-12)


def test_a_conjecture_that_is_false_at_other_sizes_is_refuted():
    # Of these three problems the optimum is 1/(2 E); of the others it is not.
    def strange(n):
        return even(2 if n < 6 else n)

    found = md.conjecture(strange, md.LIP, md.HammingLoss(), [3, 4, 5])
    assert [each.value for each in found] == ["1/(2*E)"]
    ruling = referee(found[0].theorem("mine/strange"))
    assert ruling.verdict == "false" and "n = " in ruling.counterexample


def test_ends_that_are_roots_are_named_and_found():
    (found,) = md.conjecture(even, md.LDP, md.AbsoluteError(), [4, 5, 6, 7, 8, 9])
    assert found.value == "(n - 1)*(n + 1)/(3*(E + n - 1))" and found.low.startswith("the largest root of ")
    statement = all_theorems()["found/absolute-ldp-weak"]
    for n in (3, 7, 12):
        for epsilon in (0.3, 2.0, 4.0):
            point = Point({"n": n, "epsilon": epsilon})
            question = statement.family.subject(point)
            assert found.at(n, epsilon) == pytest.approx(statement.printed(question), rel=1e-12)
            assert found.holds_at(n, epsilon) == (statement.domain(question) is None)


def test_an_end_that_is_no_level_leaves_nothing_between():
    one, none = (RationalFunction.of(fmpq_poly([each]), fmpq_poly([1])) for each in (1, 0))
    # E^2 + n - 4 has a root above 0 at n = 3 alone, and none at all at n = 5.
    falling = RationalFunction.of(fmpq_poly([-4, 1]), fmpq_poly([1]))
    end = End(Polynomial((falling, none, one)), 1)
    (known, *_) = md.conjecture(even, md.LIP, md.HammingLoss(), [3, 4, 5, 6])
    for ends in ((None, end), (end, None)):
        made = replace(known, ends=ends)
        for n in (4, 5):
            assert not any(made.holds_at(n, epsilon) for epsilon in (0.1, 1.0, 3.0))
            point = Point({"n": n, "epsilon": 1.0})
            assert made.theorem("mine/none").domain(point) is not None
    pole = replace(known, denominator=Polynomial((falling,)))
    with pytest.raises(md.DomainError, match="has no value there"):
        pole.at(4, 1.0)


def test_what_has_no_common_form_gives_none():
    assert md.conjecture(even, md.LDP, md.AbsoluteError(), [4, 5, 6]) == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("notion", "objective", "sizes"),
    [
        (md.LDP, md.AbsoluteError, range(4, 10)),
        (md.LDP, md.AbsoluteError, range(3, 12, 2)),
        (md.LIP, md.AbsoluteError, range(4, 10)),
        (md.LIP, md.AbsoluteError, range(3, 12, 2)),
        (md.LIP, md.AbsoluteError, range(4, 13, 2)),
        (md.LIP, md.HammingLoss, range(3, 8)),
        (md.MaxLift, md.AbsoluteError, range(5, 14, 2)),
        (md.MaxLift, md.AbsoluteError, range(4, 13, 2)),
        (md.MaxLift, md.HammingLoss, range(3, 8)),
    ],
)
def test_the_statements_of_the_folder_are_found_again(notion, objective, sizes):
    wanted = [
        statement
        for key, statement in all_theorems().items()
        if key.startswith("found/")
        and f"{objective.__name__} of even priors under {notion.__name__}" == statement.place
    ]
    parity = {size % 2 for size in sizes}
    wanted = [each for each in wanted if {n % 2 for n in each.family.variables["n"].options} >= parity]
    assert wanted
    found, held = md.conjecture(even, notion, objective(), sizes), 0
    rng = np.random.default_rng(1)
    for statement in wanted:
        if len({n % 2 for n in statement.family.variables["n"].options}) > len(parity):
            continue
        tried = 0
        for _ in range(400):
            point = Point({"n": int(rng.choice(list(sizes))), "epsilon": float(rng.uniform(0.02, 4.0))})
            question = statement.family.subject(point)
            if statement.domain(question) is not None:
                continue
            here = [each.at(point.n, point.epsilon) for each in found if each.holds_at(point.n, point.epsilon)]
            assert any(abs(value - statement.printed(question)) < 1e-9 for value in here), (statement.key, point)
            tried += 1
        assert tried > 3, statement.key
        held += 1
    assert held


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"family": "even"}, "family"),
        ({"family": lambda n: n}, "problem"),
        ({"sizes": [3, 4]}, "at least 3"),
        ({"sizes": [3, 3, 4]}, "all different"),
        ({"sizes": [3, 4.5, 6]}, "sizes\\[1\\]"),
        ({"letter": "E"}, "letter"),
        ({"letter": "1"}, "letter"),
        ({"objective": "error"}, "objective"),
        ({"high": -1.0}, "high"),
    ],
)
def test_what_cannot_be_asked_is_refused(changed, said):
    asked = {"family": even, "notion": md.LDP, "objective": md.HammingLoss(), "sizes": [3, 4, 5], **changed}
    with pytest.raises(md.DomainError, match=said):
        md.conjecture(**asked)


def test_without_flint_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, finding.__name__, None)
    with pytest.raises(md.UnsupportedError, match="python-flint"):
        md.conjecture(even, md.LDP, md.HammingLoss(), [3, 4, 5])
