"""What the reader makes of a proof's chords and rows, which claims it lets pass, and the sentences that it prints."""

import json
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

import mechdesign_check as reader
from tests.proofs import made

ONE, TINY = Fraction(1), Fraction(1, 10**9)


def chords(ends, a=(1, 3), b=(1, 1)):
    ratio = reader.RatioType(list(map(Fraction, a)), list(map(Fraction, b)), reader.square)
    return list(ratio.functionals({"ends": ends}))


def test_chords_are_above_the_square_between_their_ends():
    # Over [1, 2] the chord is 3 t - 2, over [2, 3] it is 5 t - 6: of columns, 3 a - 2 b and 5 a - 6 b.
    assert chords([1, 2, 3]) == [[1, 7], [-1, 9]] and chords([0, 3]) == [[3, 9]]
    assert chords([1], (2, 2), (2, 2)) == [[2, 2]]
    # An input that neither distribution has counts nothing.
    assert chords([1, 3], (1, 3, 0), (1, 1, 0)) == [[1, 9, 0]]
    assert chords([-1, 2], (-1, 2), (1, 1)) == [[1, 4]]


@pytest.mark.parametrize("ends", [[], [1], [3], [1, 2.999], [1.001, 3], [1, 1, 3], [3, 1], [1, 2, 2, 3]])
def test_chords_that_leave_a_ratio_out_or_fall_prove_nothing(ends):
    with pytest.raises(reader.Unproved, match="chords"):
        chords(ends)


@pytest.mark.parametrize("a", [1, -1])
def test_an_input_that_one_distribution_alone_has_is_not_covered(a):
    with pytest.raises(reader.Uncovered, match="only one of two distributions"):
        chords([0, 3], (1, a), (1, 0))


WORLD = {"n": 2, "prior": [0.5, 0.5]}


def most(proof, objective, name="LDP", **given):
    world = reader.World(WORLD, {})
    parts = reader.notions_of({"name": name, **(given or {"epsilon": 0.0})}, world)
    return reader.most_utility(proof, parts, world, objective)


def test_rows_may_meet_the_functionals_and_not_be_below_them():
    objective = SimpleNamespace(functionals=lambda proof: [[Fraction(1), Fraction(2)], [Fraction(2), Fraction(1)]])
    assert most({"rows": [1.5, 1.5]}, objective) == most({"rows": [1.0, 2.0]}, objective) == 3
    for rows in ([1.5, 1.5 - 1e-9], [1.0, 2.0 - 1e-9]):
        with pytest.raises(reader.Unproved, match="functional 0 is above the rows"):
            most({"rows": rows}, objective)
    # The second alone is above these.
    apart = SimpleNamespace(functionals=lambda proof: [[Fraction(1), Fraction(1)], [Fraction(2), Fraction(2)]])
    with pytest.raises(reader.Unproved, match="functional 1 is above the rows"):
        most({"rows": [1.5, 1.5]}, apart)


def test_budgets_count_with_what_they_bound():
    objective = SimpleNamespace(functionals=lambda proof: [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]])
    leakage = {"name": "MaximalLeakage", "epsilon": 0.0}
    assert most({"rows": [0.0, 0.0], "budget": [1.0]}, objective, **leakage) == 1
    assert most({"rows": [0.5, 0.5], "budget": [0.5]}, objective, **leakage) == Fraction(3, 2)
    assert most({"rows": [1.0, 1.0], "budget": [0.0]}, objective, **leakage) == 2
    for rows, budget in (([0.0, 0.0], [0.999]), ([1.0, 1.0 - 1e-9], [0.0]), ([2.0, 2.0], [-1e-9])):
        with pytest.raises(reader.Unproved):
            most({"rows": rows, "budget": budget}, objective, **leakage)
    for budget in ([], [1.0, 1.0]):
        with pytest.raises(reader.Unreadable, match="of another length"):
            most({"rows": [1.0, 1.0], "budget": budget}, objective, **leakage)


def test_each_notion_has_its_own_budget():
    """Beside a notion without a budget stand two that charge 1 and 1/2 for two functionals."""
    world = reader.World(WORLD, {})
    leakage = {"name": "MaximalLeakage", "epsilon": 0.0}
    parts = [{"name": "LDP", "epsilon": 0.0}, leakage, leakage]
    notions = reader.notions_of({"name": "Intersection", "parts": parts}, world)
    objective = SimpleNamespace(functionals=lambda proof: [[Fraction(1), Fraction(0)], [Fraction(0), Fraction(1)]])
    on_secrets = [[[0.0, 0.0], [-1.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, -0.5], [0.0, -0.5]]]
    proof = {"rows": [0.0, 0.0], "on_secrets": on_secrets}
    assert reader.most_utility({**proof, "budget": [1.0, 0.5]}, notions, world, objective) == Fraction(3, 2)
    for budget in ([0.5, 1.0], [1.0, 0.499], [0.999, 0.5]):
        with pytest.raises(reader.Unproved, match="is above the rows"):
            reader.most_utility({**proof, "budget": budget}, notions, world, objective)
    for wrong in (on_secrets[:1], [*on_secrets, on_secrets[0]], [on_secrets[0], on_secrets[1][:2]], None):
        with pytest.raises(reader.Unreadable):
            reader.most_utility({**proof, "budget": [1.0, 0.5], "on_secrets": wrong}, notions, world, objective)


def test_functionals_that_there_are_none_of_prove_nothing():
    none = SimpleNamespace(functionals=lambda proof: [])
    with pytest.raises(reader.Unreadable, match="it has no functional"):
        most({"rows": [1.0, 1.0]}, none)
    one = SimpleNamespace(functionals=lambda proof: [[Fraction(1)] * 2])
    assert most({"rows": [1.0, 1.0], "own": [[0, 0, 0, 1.0]]}, one) == 2
    with pytest.raises(reader.Unreadable, match="numbers for one that there is none of"):
        most({"rows": [1.0, 1.0], "own": [[1, 0, 0, 1.0]]}, one)
    with pytest.raises(reader.Unreadable, match="there for no reason"):
        most({"rows": [1.0, 1.0], "on_secrets": [[[0.0, 0.0]]]}, one)


def test_rows_may_meet_a_convex_utility_at_its_columns():
    squares = reader.Convex(lambda v: reader.twice(v[0] ** 2 / sum(v)))
    # At the column (e^epsilon, 1) and with a level of 0 at (1, 1), where it is 1/2.
    assert most({"rows": [0.5, 0.0]}, squares) == Fraction(1, 2)
    with pytest.raises(reader.Unproved, match="above the rows"):
        most({"rows": [0.5, -1e-9]}, squares)


VALUE, BOUND = (Fraction(3), Fraction(4)), (Fraction(5), Fraction(6))


@pytest.mark.parametrize(
    ("maximised", "claims", "said"),
    [
        (True, (4.0, 5.0), None),
        (True, (4.001, 5.0), "claims the value"),
        (True, (4.0, 4.999), "claims the bound"),
        (True, (-9.0, 9.0), None),
        (False, (3.0, 6.0), None),
        (False, (2.999, 6.0), "claims the value"),
        (False, (3.0, 6.001), "claims the bound"),
        (False, (9.0, -9.0), None),
    ],
)
def test_no_claim_is_better_than_what_follows(maximised, claims, said):
    given = dict(zip(("value", "bound"), claims, strict=True))
    if said is None:
        reader.compare_claims(given, maximised, VALUE, BOUND)
        return
    with pytest.raises(reader.Unproved, match=said):
        reader.compare_claims(given, maximised, VALUE, BOUND)


def said(name, value, bound, maximised, notion=None, world=WORLD):
    notion = notion or {"name": "LDP", "epsilon": 1.0}
    question = {"notion": notion, "objective": {"name": name}}
    objective = SimpleNamespace(maximised=maximised)
    return reader.sentence(question, objective, value, bound, reader.World(world, notion))


def test_numbers_are_rounded_to_the_side_that_claims_less():
    third = Fraction(1, 3)
    assert said("KLDivergence", (third, 2 * third), (third, 2 * third), True) == [
        "no mechanism that is LDP(epsilon=1.0) has a KLDivergence above 0.666666667;",
        "this one has at least 0.333333333 (relative gap at most 1).",
    ]
    assert said("MMSE", (third, 2 * third), (third, 2 * third), False) == [
        "no mechanism that is LDP(epsilon=1.0) has a mean squared error below 0.333333333;",
        "this one has at most 0.666666667 (relative gap at most 0.5).",
    ]
    # Without a value there is no share of it: the gap is in the units of the utility.
    assert said("ErrorProbability", (Fraction(0),) * 2, (third,) * 2, True) == [
        "no mechanism that is LDP(epsilon=1.0) has an Error Probability above 0.333333334;",
        "this one has at least 0 (relative gap at most 0.34).",
    ]
    assert said("ChiSquare", (third,) * 2, (third - TINY,) * 2, False)[1].endswith("(relative gap at most 3e-9).")


SECRET = {"n": 2, "prior": [0.5, 0.5], "secret_given_data": [[0.25, 0.5], [0.75, 0.5]]}
RECORDS = {"name": "CentralizedIP", "epsilon": 1.0, "priors": [[0.5, 0.5]]}


@pytest.mark.parametrize(
    ("notion", "world", "words"),
    [
        ({"name": "LDP", "epsilon": 1.0}, WORLD, "LDP(epsilon=1.0)"),
        ({"name": "LIP", "epsilon": 1.0}, WORLD, "LIP(epsilon=1.0) relative to the file's prior"),
        (
            {"name": "AsymmetricLIP", "lower": 1.0, "upper": "inf"},
            WORLD,
            "AsymmetricLIP(lower=1.0, upper=inf) relative to the file's prior",
        ),
        ({"name": "LDP", "epsilon": 1.0}, SECRET, "LDP(epsilon=1.0) of the file's secret"),
        (
            {"name": "StrongL1", "epsilon": 1.0},
            SECRET,
            "StrongL1(epsilon=1.0) of the file's secret relative to the file's prior",
        ),
        (RECORDS, {"n": 2}, "CentralizedIP(epsilon=1.0)"),
        ({"name": "BlockLDP", "epsilon": 1.0, "blocks": [[0, 1]]}, WORLD, "BlockLDP(epsilon=1.0)"),
        (
            {"name": "Intersection", "parts": [{"name": "LDP", "epsilon": 1.0}, {"name": "MaxLift", "epsilon": 0.5}]},
            WORLD,
            "LDP(epsilon=1.0) and MaxLift(epsilon=0.5) relative to the file's prior",
        ),
    ],
)
def test_notions_in_words(notion, world, words):
    assert reader.described(notion, reader.World(world, notion)) == words


def test_the_worst_of_some_files_is_the_exit_code(tmp_path, capsys):
    good, wrong, none = (tmp_path / f"{name}.json" for name in ("good", "wrong", "none"))
    data = made.data("LIP", "MMSE")
    good.write_text(json.dumps(data))
    wrong.write_text(json.dumps(made.changed(data, claims__bound=lambda bound: 2 * bound)))
    none.write_text("{}")
    codes = {
        (good,): 0,
        (wrong,): 1,
        (none,): 2,
        (good, wrong): 1,
        (wrong, good): 1,
        (none, wrong): 2,
        (wrong, none): 2,
    }
    for paths, code in codes.items():
        assert reader.main(list(map(str, paths))) == code
        assert capsys.readouterr().out.count(str(tmp_path)) == len(paths)
    assert reader.main([]) == 2


def test_an_error_without_words_of_its_own_is_said_in_one_line(monkeypatch, capsys, tmp_path):
    def fails(data):
        raise TypeError("x\n" * 300)

    path = tmp_path / "a.json"
    path.write_text("{}")
    monkeypatch.setattr(reader, "check", fails)
    assert reader.main([str(path)]) == 2
    assert capsys.readouterr().out == (
        f"{path}: NOT READ: a part is missing or of another form: {('x' + chr(92) + 'n') * 66}x{chr(92)}\n"
    )


@pytest.mark.parametrize("text", ["a\nb: PROVED", "\x1b[2J", "\u202e"])
def test_no_text_obeys_a_terminal(text):
    assert reader.printable(text).isprintable() and "\n" not in reader.printable(text)
    assert reader.printable("caf\u00e9 A") == "caf\u00e9 A"


def test_what_is_below_nothing_is_said_as_nothing():
    """Losses that cannot be negative have no bound below 0."""
    data = made.data("LIP", "MMSE")
    rows = [x + 100.0 for x in data["proof"]["rows"]]
    loose = made.changed(data, proof__rows=lambda _: rows, claims__bound=lambda _: 0.0)
    assert "below 0;" in reader.check(loose)[0]
    with pytest.raises(reader.Unproved, match="claims the bound"):
        reader.check(made.changed(loose, claims__bound=lambda _: 1e-9))


@pytest.mark.parametrize("row", [0, 4])
def test_rows_of_a_matrix_sum_to_one_exactly(row):
    data = made.data("LIP", "MMSE")
    for moved in (1, -1):
        with pytest.raises(reader.Unproved, match="a row of the matrix does not sum to one"):
            reader.check(made.changed(data, **{f"numerators__{row}__0": lambda x, m=moved: x + m}))


@pytest.mark.parametrize("share", [0.0, 0.05, 0.2])
def test_lines_that_are_off_the_covariance_show_a_larger_one(share):
    """By numpy: what the lines leave of the identity is charged with a bound of the trace of the covariance."""
    rng = np.random.default_rng(2)
    theta, weights, matrix = rng.dirichlet(np.ones(3) * 9), rng.uniform(1, 2, size=3), np.eye(3) * 0.7 + 0.1
    columns = matrix.T
    fisher = sum(np.outer(v, v) / (theta @ v) for v in columns)
    even = np.eye(3) - 1 / 3
    covariance = np.linalg.pinv(even @ fisher @ even)
    lines = covariance + share * even @ rng.normal(size=(3, 3)) @ even
    own = 2 * np.diag(lines) - np.einsum("ij,jk,ik->i", lines, fisher, lines)
    rests = np.sum(((even - lines @ fisher) @ even) ** 2, axis=1)
    exact = [[Fraction(each) for each in row] for row in (theta, weights)]
    design = reader.Design(*exact, [[Fraction(each) for each in line] for line in lines.tolist()])
    value = design.value([[Fraction(each) for each in v] for v in columns.tolist()], {})[0]
    assert float(value) == pytest.approx(weights @ (own + rests * own.sum() / (1 - rests.sum())), rel=1e-9)
    assert float(value) >= weights @ np.diag(covariance) * (1 - 1e-12)
    assert not share or rests.sum() > share**2


def test_lines_that_leave_too_much_show_nothing():
    theta, third = [Fraction(1, 3)] * 3, Fraction(1, 3)
    columns = [[Fraction(x == y) for x in range(3)] for y in range(3)]
    # Of inputs that are revealed the Fisher information is 3: the covariance is a third, and no lines leave two.
    design = reader.Design(theta, [Fraction(1)] * 3, [[third * (x == k) for x in range(3)] for k in range(3)])
    assert design.value(columns, {})[0] == Fraction(2, 3)
    with pytest.raises(reader.Unproved, match="not near the covariance"):
        reader.Design(theta, [Fraction(1)] * 3, [[Fraction(0)] * 3] * 3).value(columns, {})
