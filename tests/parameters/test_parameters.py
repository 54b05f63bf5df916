"""Domains of parameters: what each of them refuses and keeps, told here by hand, and the members that declare them."""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign import objectives
from mechdesign.cli.counts import read_counts
from mechdesign.cli.matrix_file import read_matrix
from mechdesign.cli.question_file import read_question
from mechdesign.errors import DomainError
from mechdesign.objectives import Generator
from mechdesign.parameters import (
    Blocks,
    Choice,
    Distribution,
    Each,
    Edges,
    Indices,
    Instance,
    Matrix,
    Maybe,
    Real,
    Stochastic,
    Truth,
    Vector,
)
from mechdesign.testing.catalogue import exported
from mechdesign.testing.contract import run
from mechdesign.testing.parameter_contract import PARAMETER_CLAUSES

WEIGHT = Real(0.0, 1.0, open_low=True, open_high=True)
ORDER = Real(low=0.0, open_low=True, without=(1.0, 1.0))
METRIC = Matrix(Real(low=0.0, infinite=True), square=True, symmetric=True, hollow=True)
TINY = 5e-324

#: A domain, what it keeps (as itself), what it refuses.
TOLD = {
    "real": (Real(), [0.5, -1e308, Fraction(1, 2), np.float32(0.5), np.int64(3), 7], [math.inf, -math.inf, math.nan]),
    "no numbers": (Real(), [0.0], [None, "1", b"1", True, np.True_, 1j, [1.0], np.array([1.0]), 10**400, object()]),
    "weight": (WEIGHT, [TINY, 1 - 2**-53], [0.0, 1.0, -TINY, 1 + 2**-52, 0, 1]),
    "order": (ORDER, [TINY, 1 - 2**-53, 1 + 2**-52, 1e308], [0.0, 1.0, 1, -1.0, math.inf]),
    "end": (Real(low=0.0, infinite=True), [0.0, math.inf], [-TINY, -math.inf, math.nan]),
    "truth": (Truth(), [True, np.False_], [0, 1, None, "true", np.array([True])]),
    "choice": (Choice(("A", "D"), "it has to be a name"), ["A", "D"], ["a", "", None, 0, ["A"], b"A", "A "]),
    "instance": (Instance(md.LDP, "it has to be LDP", md.LDP(1.0)), [md.LDP(0.5)], [md.LDP, md.LIP(1.0), "LDP", None]),
    "maybe": (Maybe(WEIGHT), [None, 0.5], [0.0, "None", math.nan]),
    "indices": (Indices("inputs"), [(), (0, 4)], [[0, 0], [-1], [0.0], [True], ["0"], [None], "01", 3, None, [[0]]]),
    "blocks": (Blocks(), [((0, 1), (2,))], [[[0, 1], [1, 2]], [[0, 0]], [[0], [1]], [], [[0, 1], []], [0, 1], ["01"]]),
    "edges": (Edges("profiles"), [((0, 1),)], [[(0, 0)], [(0,)], [(0, 1, 2)], [(0, -1)], [(0, 1.0)], [], "01", [3]]),
    "vector": (Vector(), [[0.5], [1, 2]], [[], 0.5, [[1.0]], [math.nan], [math.inf], ["1"], [True], [1j], [None], "1"]),
    "weights": (Vector(WEIGHT), [[0.5, TINY]], [[0.5, 0.0], [0.5, 1.0], [0.5, -0.5]]),
    "matrix": (Matrix(), [[[0.5, -1]]], [[0.5], [[]], [[1], [1, 2]], [[math.nan]], [[True, 1]], [["1"]], [[[1.0]]]]),
    "metric": (
        METRIC,
        [[[0, 1], [1, 0]], [[0, math.inf], [math.inf, 0]]],
        [[[0, 1], [2, 0]], [[1, 1], [1, 0]], [[0, 1]]],
    ),
    "distance": (METRIC, [[[0.0]]], [[[0, -1], [-1, 0]], [[0, math.nan], [math.nan, 0]], [[-0.5]]]),
    "distribution": (Distribution(), [[1.0, 0.0], [0.5, 0.5 + 9e-10]], [[0.5, 0.5 + 2e-9], [-0.5, 1.5], [0.5], [2, 2]]),
    "positive": (Distribution(positive=True), [[1.0 - TINY, TINY]], [[1.0, 0.0], [True, False], [0.5, math.nan]]),
    "rows": (
        Stochastic(),
        [[[0.5, 0.5], [1, 0]]],
        [[[0.5, 0.5], [0.5, 0.4]], [[1.5, -0.5]], [0.5, 0.5], [[1.0], [0.5, 0.5]]],
    ),
    "each": (
        Each(Distribution(), "it has to be a sequence", "give some"),
        [([1.0], [0.5, 0.5])],
        [[], None, "1", [[2.0]], [1.0]],
    ),
}


def plain(value):
    return [plain(entry) for entry in value] if isinstance(value, np.ndarray | list | tuple) else value


@pytest.mark.parametrize("case", TOLD)
def test_a_domain_keeps_what_is_inside_and_refuses_the_rest(case):
    domain, kept, refused = TOLD[case]
    for value in kept:
        assert plain(domain.check("x", value)) == plain(value)
    for value in refused:
        with pytest.raises(DomainError, match=r"^x(\[.*\])* is .+, but .+; .+\.$") as found:
            domain.check("x", value)
        assert found.value.argument.partition("[")[0] == "x"


@pytest.mark.parametrize("case", TOLD)
def test_what_a_domain_generates_lies_where_it_says(case):
    domain, kept, _ = TOLD[case]
    for near in (None, domain.check("x", kept[0])):
        wrong, right = list(domain.invalid(near)), list(domain.ends(near))
        assert len(wrong) >= 5
        assert len(right) >= 1
        for why, value in wrong:
            with pytest.raises(DomainError):
                pytest.fail(f"{why}: {domain.check('x', value)!r} is kept")
        for _, value in right:
            domain.check("x", value)


def test_numbers_are_generated_on_both_sides_of_every_end():
    outer, inner = [dict.fromkeys(v for _, v in cases) for cases in (WEIGHT.outer(), WEIGHT.inner())]
    assert {0.0, 1.0, -TINY, 1 + 2**-52, math.inf, -math.inf} <= set(outer)
    assert set(inner) == {TINY, 1 - 2**-53}
    assert {1 - 2**-53, 1 + 2**-52} <= {v for _, v in ORDER.inner()}
    assert 1.0 in [v for _, v in ORDER.outer()]
    assert any(math.isnan(v) for _, v in WEIGHT.outer())


def test_a_minus_zero_is_none():
    assert math.copysign(1.0, md.LDP(-0.0).epsilon) == 1.0


@pytest.mark.parametrize("name", exported(objectives, Generator))
def test_generators_keep_the_contract_of_parameters(name):
    kind = getattr(objectives, name)
    generator = kind(2.5) if kind is objectives.PowerGenerator else kind()
    run(PARAMETER_CLAUSES, generator, generator)


def test_a_notion_of_ones_own_is_checked_by_what_it_declares():
    @dataclass(frozen=True)
    class Both(md.LDP):
        share: float
        domains = {**md.LDP.domains, "share": Real(0.0, 1.0)}

        def check_together(self):
            if self.share > self.epsilon:
                raise DomainError("share", self.share, "it is at most epsilon", "lower it")

    assert Both(1, np.float64(0.5)) == Both(1.0, 0.5)
    for epsilon, share, text in (
        (math.nan, 0.5, "epsilon is nan"),
        (1.0, 1.5, "share is 1.5, but it has to be at least 0 and at most 1"),
        (0.25, 0.5, "share is 0.5, but it is at most epsilon"),
    ):
        with pytest.raises(DomainError, match=text):
            Both(epsilon, share)


@pytest.mark.parametrize(
    "call",
    [
        lambda: md.Problem(n=True),
        lambda: md.Problem(n=np.True_),
        lambda: md.Problem(values=[False, True]),
        lambda: md.Problem(values=np.array([False, True])),
        lambda: md.Problem(values=[0.5, True]),
        lambda: md.Problem(prior=[True]),
        lambda: md.Problem(prior=np.array([True, False])),
        lambda: md.Problem(prior=np.array([0.5, True], dtype=object)),
        lambda: md.LDP(np.True_),
        lambda: md.ExpectedLoss(np.eye(2) > 0),
        lambda: md.ExpectedLoss([np.array([True, False]), np.array([0.0, 1.0])]),
        lambda: md.UtilityOptimizedLDP(1.0, [True]),
        lambda: md.design(md.Problem(n=2), md.LDP(1.0), md.LeakageLoss(), gap=True),
        lambda: md.design(md.Problem(n=2), md.LDP(1.0), md.LeakageLoss(), outputs=np.True_),
    ],
)
def test_true_and_false_are_no_numbers(call):
    with pytest.raises(DomainError, match="true or false is none"):
        call()


def test_texts_are_no_numbers():
    with pytest.raises(DomainError, match="a vector of numbers"):
        md.Problem(prior=["0.5", "0.5"])


@pytest.mark.parametrize("text", ["1e-400", "0.0000001e-330", "1e-999999999", "1/1" + "0" * 400, "1/1e-400"])
def test_a_probability_that_floats_turn_into_zero_is_refused(text):
    with pytest.raises(
        DomainError, match=r"^matrix\[1, 0\] is 1.* give 0, or a larger|^matrix\[1, 0\] is 0\.0000001e-330"
    ):
        md.audit([["1/2", "1/2"], [text, "1"]], md.LDP(1.0))


def test_a_probability_beyond_floats_is_refused():
    for entry in ("1e400", "1e999999999", Fraction(10**400)):
        with pytest.raises(DomainError, match="matrix"):
            md.audit([[entry]], md.LDP(1.0))
    with pytest.raises(DomainError, match="sums to more than 1e300"):
        md.audit([[1.7e308, 1.7e308]], md.LDP(1.0))
    # Zero in any writing is zero, and the smallest float is one.
    assert not md.audit([["0e-999", "1"], ["1", "0.000"]], md.LDP(1.0)).holds
    assert md.audit([["5e-324", 1.0], ["5e-324", 1.0]], md.LDP(0.0)).holds


@pytest.mark.parametrize("text", ["1e-400", "-1e-400", "0.01e-330", "1e400", "-1e999"])
def test_a_cell_that_floats_do_not_hold_is_refused(text, tmp_path):
    file = tmp_path / "counts.csv"
    file.write_text(f"side,value,count\nheads,{text},3\ntails,0e-999,1\n", encoding="utf-8")
    with pytest.raises(DomainError, match=r"^counts\.csv line 2, value is .*1e?.*, but floats hold sizes from 5e-324"):
        read_counts(file, "count", value="value")
    matrix = tmp_path / "matrix.csv"
    matrix.write_text(f"1,0\n{text},1\n", encoding="utf-8")
    with pytest.raises(DomainError, match=r"^matrix\.csv line 2, column 1 is .*, but floats hold"):
        read_matrix(matrix)


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("gap = nan", "gap is nan, but it has to be above 0, as rounding never counts as 0, and at most 1"),
        ("gap = 2", "gap is 2, but it has to be above 0, as rounding never counts as 0, and at most 1"),
        ("time_limit = -1", "time_limit is -1, but it has to be at least 0 and finite"),
        ("time_limit = inf", "time_limit is inf, but it has to be at least 0 and finite"),
        ('route = "ray"', 'route is ray, .*"rays"'),
        ('solver = "HIGH"', 'solver is HIGH, .*"HIGHS"'),
        ('solver = ["clarabel", "HIGH"]', 'solver is HIGH, .*"HIGHS"'),
    ],
)
def test_a_wrong_keyword_of_design_is_told_with_its_line(key, said, tmp_path):
    file = tmp_path / "asked.toml"
    file.write_text(
        '[problem]\nprior = [0.5, 0.5]\n[notion]\nname = "LDP"\nepsilon = 1\n[objective]\nname = "ErrorProbability"\n'
        f"[solve]\n{key}\n",
        encoding="utf-8",
    )
    with pytest.raises(DomainError, match=rf"^asked\.toml line 9, \[solve\] {said}"):
        read_question(file)
