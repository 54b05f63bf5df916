"""No private mechanism beats a bound, no value is wrong: random questions, judged by arithmetic of its own.

The judge is held against planted liars first: answers that are true but for one small thing.
"""

from __future__ import annotations

import collections
import random
from dataclasses import replace

import mpmath
import pytest

import mechdesign_check as reader
from tests.adversary.ask import Answer, ask, snippet
from tests.adversary.crafted import is_false, statements
from tests.adversary.draw import LONG, question
from tests.adversary.from_cards import without_arithmetic
from tests.adversary.judge import FAILURES, judge
from tests.adversary.report import failing, proofs, table, verdicts
from tests.adversary.world import Question

UNIT = 2.0**-53
HYPOTHESES = {"first": [0.75, 0.25, 0.0], "second": [0.25, 0.25, 0.5]}
PRIOR, VALUES = [0.125, 0.25, 0.625], [0.0, 1.0, 3.0]
SECRET = {"secret_given_data": [[0.5, 0.25, 0.75], [0.5, 0.75, 0.25]]}
LDP, LIP = ("LDP", {"epsilon": 1.0}), ("LIP", {"epsilon": 0.5})
#: Questions of every kind of rays and of objective, whose exact optimum the judge finds.
QUESTIONS = {
    "LDP, KL": Question(3, (LDP,), ("KLDivergence", HYPOTHESES)),
    "LDP, MMSE": Question(3, (LDP,), ("MMSE", {}), PRIOR, VALUES),
    "LIP, information": Question(3, (LIP,), ("MutualInformation", {}), PRIOR),
    "LIP, hidden, error": Question(3, (LIP,), ("ErrorProbability", {}), PRIOR, None, SECRET),
    "both, loss": Question(3, (LDP, LIP), ("ExpectedLoss", {"loss": [[0.0, 2.0], [1.0, 0.5], [3.0, 0.0]]}), PRIOR),
    "budget, histogram": Question(
        3, (("ApproximateLDP", {"epsilon": 0.5, "delta": 0.125}),), ("HistogramMMSE", {}), PRIOR
    ),
    "leakage, variation": Question(3, (("MaximalLeakage", {"epsilon": 0.25}),), ("TotalVariation", HYPOTHESES)),
    "union, MMSE": Question(
        3, (("UtilityOptimizedLDP", {"epsilon": 1.0, "sensitive": [0, 1]}),), ("MMSE", {}), PRIOR, VALUES
    ),
    "LDP, off-diagonal": Question(3, (LDP,), ("MaxOffDiagonal", {})),
    "LDP, worst loss": Question(3, (LDP,), ("WorstCaseLoss", {"loss": [[0.0, 2.0], [1.0, 0.5], [3.0, 0.0]]})),
    "LDP, Chernoff": Question(3, (LDP,), ("ChernoffExponent", HYPOTHESES)),
    "LDP, Renyi": Question(3, (LDP,), ("RenyiDivergence", {**HYPOTHESES, "order": 2.0})),
}
UPWARD = {"KLDivergence", "MutualInformation", "TotalVariation", "ChernoffExponent", "RenyiDivergence"}


@pytest.fixture(scope="module")
def answers():
    return {name: ask(asked) for name, asked in QUESTIONS.items()}


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_lowered_bound_is_beaten_by_the_own_optimum(name, answers):
    asked, honest = QUESTIONS[name], answers[name]
    upward = asked.objective[0] in UPWARD
    wide = judge(asked, replace(honest, bound=honest.bound * (1 + 1e-9 * (1 if upward else -1))), "liar")
    assert "bound beaten" not in wide.failures and wide.nearest <= 1e-6
    lie = honest.value * (1 - 1e-12 * (1 if upward else -1))
    # A matrix that tells nothing passes no bound: only a rival can show the lie.
    told = replace(honest, bound=lie, matrix=_silent(asked, honest))
    assert "bound beaten" in judge(asked, told, "liar").failures


def _silent(asked: Question, honest: Answer) -> list[list[float]]:
    width = len(honest.matrix[0])
    if asked.objective[0] in {"ExpectedLoss", "MaxOffDiagonal", "WorstCaseLoss"}:
        return [[float(y == 0) for y in range(width)] for _ in range(asked.n)]
    if asked.objective[0] == "ChernoffExponent":
        return [[0.5625, 0.4375], [0.5, 0.5], [0.4375, 0.5625]]
    return [[1.0] for _ in range(asked.n)]


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_value_that_is_wrong_in_the_tenth_digit_is_found(name, answers):
    asked, honest = QUESTIONS[name], answers[name]
    assert "value wrong" not in judge(asked, honest, "honest").failures
    assert "value wrong" in judge(asked, replace(honest, value=honest.value * (1 + 1e-10)), "liar").failures


def _information(flip):
    return mpmath.log(2) + flip * mpmath.log(flip) + (1 - flip) * mpmath.log(1 - flip)


#: The least probability to flip a fair coin that each notion allows, worked out by hand.
LEAST_FLIPS = {
    "ApproximateLDP": ({"epsilon": 0.5, "delta": 0.125}, lambda: 0.875 / (1 + mpmath.exp(0.5))),
    "AsymmetricLIP": ({"lower": 0.5, "upper": 0.5}, lambda: mpmath.exp(-0.5) / 2),
    "BlockLDP": ({"epsilon": 1.0, "blocks": [[0, 1]]}, lambda: 1 / (1 + mpmath.e)),
    "BoundedPriorLIP": ({"epsilon": 1.0, "lower": [0.0, 0.0], "upper": [1.0, 1.0]}, lambda: 1 / (1 + mpmath.e)),
    "CentralizedIP": ({"epsilon": 0.5, "priors": [[0.5, 0.5]]}, lambda: mpmath.exp(-0.5) / 2),
    "GLeakage": ({"epsilon": 0.5, "gain": [[1.0, 0.0], [0.0, 1.0]]}, lambda: 1 - mpmath.exp(0.5) / 2),
    "InteriorPML": (
        {"epsilon": 0.5, "c": 0.25},
        lambda: (1 - mpmath.exp(0.5) / 4) / (1 + mpmath.exp(0.5) / 2),
    ),
    "LDP": ({"epsilon": 1.0}, lambda: 1 / (1 + mpmath.e)),
    "LIP": ({"epsilon": 0.5}, lambda: mpmath.exp(-0.5) / 2),
    "MaxLift": ({"epsilon": 0.5}, lambda: 1 - mpmath.exp(0.5) / 2),
    "MaximalLeakage": ({"epsilon": 0.5}, lambda: 1 - mpmath.exp(0.5) / 2),
    "MetricDP": ({"epsilon": 0.5, "distance": [[0.0, 0.75], [0.75, 0.0]]}, lambda: 1 / (1 + mpmath.exp(0.375))),
    "MutualInformationPrivacy": (
        {"epsilon": 0.25},
        lambda: mpmath.findroot(lambda flip: _information(flip) - 0.25, (0.1, 0.2), solver="anderson"),
    ),
    "NearPriorLIP": ({"epsilon": 1.0, "radius": 0.25}, lambda: 1 / (1 + (4 * mpmath.e - 1) / 3)),
    "PairwiseLDP": ({"epsilons": [[0.0, 2.0], [1.0, 0.0]], "scale": 0.5}, lambda: 1 / (1 + mpmath.exp(0.5))),
    "ProfileDP": (
        {"epsilon": 1.0, "profiles": [[1.0, 0.0], [0.0, 1.0]], "edges": [(0, 1)], "sees_profile": False},
        lambda: 1 / (1 + mpmath.e),
    ),
    "SibsonLeakage": ({"epsilon": 0.5, "alpha": 2.0}, lambda: (1 - mpmath.sqrt(mpmath.expm1(0.5))) / 2),
    "StrongChiSquare": ({"epsilon": 0.3}, lambda: (1 - mpmath.mpf(0.3)) / 2),
    "StrongL1": ({"epsilon": 0.3}, lambda: (1 - mpmath.mpf(0.3)) / 2),
    "UtilityOptimizedLDP": ({"epsilon": 1.0, "sensitive": [0, 1]}, lambda: 1 / (1 + mpmath.e)),
    "WeightedTV": ({"delta": 0.3}, lambda: (1 - mpmath.mpf(0.3)) / 2),
    "WorstCaseLIP": ({"epsilon": 1.0}, lambda: 1 / (1 + mpmath.e)),
}


@pytest.mark.parametrize("name", LEAST_FLIPS)
def test_a_matrix_that_is_one_unit_from_private_is_found(name):
    given, least = LEAST_FLIPS[name]
    asked = Question(2, ((name, given),), ("ErrorProbability", {}), [0.5, 0.5])
    with mpmath.workdps(60):
        units = int(mpmath.ceil(least() * 2**53))
    for flip, fine in ((units * UNIT, True), ((units - 1) * UNIT, False)):
        answer = Answer(matrix=[[1 - flip, flip], [flip, 1 - flip]], value=flip, bound=0.0, gap=1.0, warned=True)
        assert ("not private" not in judge(asked, answer, "edge").failures) == fine


#: Bounds that an earlier version gave for these questions, and that private mechanisms beat.
FALSE_BOUNDS = {
    "an atom of 1e-14": (
        Question(3, (("LIP", {"epsilon": 33.0}),), ("MMSE", {}), [1e-14, 0.5, 0.5 - 1e-14], [0.0, 0.0, 1.0]),
        0.25,
    ),
    "an atom of 1e-12": (
        Question(
            3,
            (("AsymmetricLIP", {"lower": 0.1, "upper": 33.0}),),
            ("KLDivergence", {"first": [0.0, 0.9, 0.1], "second": [0.0, 0.1, 0.9]}),
            [1e-12, 0.5, 0.5 - 1e-12],
        ),
        0.0,
    ),
    "an atom of 1e-8": (
        Question(
            3,
            (("AsymmetricLIP", {"lower": 1e-6, "upper": float("inf")}),),
            ("TotalVariation", {"first": [0.0, 1.0, 0.0], "second": [0.0, 0.0, 1.0]}),
            [1e-8, 0.4, 0.6 - 1e-8],
        ),
        0.0,
    ),
    "a divergence that cancels": (
        Question(2, (("LDP", {"epsilon": 1e-5}),), ("JensenShannon", {"first": [0.9, 0.1], "second": [0.95, 0.05]})),
        3.12222e-14,
    ),
    "a bound beyond the constant mechanism": (
        Question(
            2,
            (("LDP", {"epsilon": 0.0}),),
            ("ExpectedLoss", {"loss": [[0.0, 1.0], [1.0, 0.0]]}),
            [0.5, 0.5],
            None,
            {"secret_given_data": [[0.5, 0.25], [0.5, 0.75]]},
        ),
        1.5,
    ),
}


@pytest.mark.parametrize("name", FALSE_BOUNDS)
def test_a_false_bound_is_found_again(name):
    asked, bound = FALSE_BOUNDS[name]
    width = len(asked.objective[1].get("loss", [[0]])[0])
    nothing = Answer(matrix=[[1.0] + [0.0] * (width - 1)] * asked.n, value=bound, bound=bound, gap=0.0)
    assert "bound beaten" in judge(asked, nothing, "false").failures


#: Others whose bounds a private mechanism once beat, or whose gap of gain was infinite where nothing can be gained.
ONCE_WRONG = {
    "an exponent at a level next to nothing": Question(
        3,
        (("WorstCaseLIP", {"epsilon": 1.6254096691191913e-09}),),
        (
            "ChernoffExponent",
            {
                "first": [0.6372936044818616, 1.7080914460620988e-10, 0.3627063953473293],
                "second": [0.6372936044812088, 1.6987922180078385e-10, 0.362706395348912],
            },
        ),
    ),
    "a divergence whose slopes cancel": Question(
        4,
        (("BlockLDP", {"epsilon": 1.2007236453006713e-12, "blocks": [[0, 1, 2, 3]]}),),
        (
            "ChiSquare",
            {
                "first": [0.27008285604966087, 0.452273814054875, 1.266440285974113e-09, 0.27764332862902386],
                "second": [0.2700828560496644, 0.4522738141788327, 1.1430945079382582e-09, 0.27764332862840835],
            },
        ),
    ),
    "the entropy beside an atom": Question(
        2, (("LIP", {"epsilon": 33.0}),), ("MutualInformation", {}), [1.0428560154255739e-10, 0.9999999998957144]
    ),
    "a claim in haste that did not follow from its file": Question(
        5,
        (("LDP", {"epsilon": 1e-12}),),
        ("MMSE", {}),
        [0.2567788617662855, 0.3303052638681315, 0.4129158736235219, 4.312572652260278e-10, 3.108037226481775e-10],
        [1.0, 1.0, 1.0, 0.0, 0.0],
        {
            "secret_given_data": [
                [0.3333333333333333, 0.25, 0.25, 0.4850902586399305, 0.326732674613595],
                [0.4444444444444444, 0.25, 0.25, 0.0511099517578127, 0.435643563978374],
                [0.1111111111111111, 0.25, 0.25, 0.29025821151369535, 0.10891089030610157],
                [0.1111111111111111, 0.25, 0.25, 0.17354157808856155, 0.12871287111192942],
            ]
        },
        {"time_limit": LONG},
    ),
    "rays less certain than the multipliers of a claim in haste": question("905035-1072"),
    "intervals halved without end": Question(
        5,
        (("WorstCaseLIP", {"epsilon": 1e-10}),),
        (
            "TotalVariation",
            {
                "first": [
                    0.14443272714215963,
                    0.03501709659445405,
                    0.33125363361324467,
                    0.0630391025068926,
                    0.4262574401432491,
                ],
                "second": [
                    0.25068390873589097,
                    0.23983040305712014,
                    0.07314924442517795,
                    2.1645310879650196e-15,
                    0.4363364437818087,
                ],
            },
        ),
        [4.829354485075483e-07, 2.646072707472838e-10, 0.47850985740630025, 0.26980498527544794, 0.25168467411819584],
        None,
        {
            "secret_given_data": [
                [0.487061655578066, 0.25, 2.3312773863795562e-07, 0.9047619048506021, 3.66456009340499e-12],
                [0.512938344421934, 0.75, 0.9999997668722614, 0.09523809514939785, 0.9999999999963354],
            ]
        },
        {"time_limit": LONG},
    ),
    "nothing to gain": Question(
        2,
        (("LDP", {"epsilon": 0.0027039888578030548}),),
        ("HanKobayashiExponent", {"first": [0.85, 0.15], "second": [0.8584, 0.1416], "rate": 0.0}),
    ),
}


@pytest.mark.parametrize("asked", [*(asked for asked, _ in FALSE_BOUNDS.values()), *ONCE_WRONG.values()])
def test_a_question_whose_bound_was_false_has_a_true_one(asked):
    verdict = judge(asked, ask(asked), "once wrong")
    assert not verdict.failures, verdict


def test_a_gain_that_is_missing_altogether_is_found():
    given = {"theta": [0.5, 0.5], "direction": [-1.0, 1.0]}
    asked = Question(2, (("LDP", {"epsilon": 1e-9}),), ("FisherInformation", given))
    nothing = Answer(matrix=[[1.0], [1.0]], value=0.0, bound=1.0000000001e-18, gap=0.0)
    assert "silent gap of gain" in judge(asked, nothing, "none").failures
    assert "silent gap of gain" not in judge(asked, replace(nothing, warned=True), "none").failures
    # Levels of pairs times 0: nothing may be gained.
    none = replace(asked, notions=(("PairwiseLDP", {"epsilons": [[0.0, 1.0], [1.0, 0.0]], "scale": 0.0}),))
    assert "silent gap of gain" not in judge(none, nothing, "none").failures


def test_questions_are_the_same_for_the_same_seed_and_cover_the_catalogue():
    import mechdesign as md

    drawn = [question(f"cover-{i}") for i in range(3000)]
    assert drawn[7] == question("cover-7")
    notions = {name for asked in drawn for name, _ in asked.notions} | {"Intersection"}
    found = {name for name in dir(md) if isinstance(getattr(md, name), type)}
    classes = {member for name in found if issubclass(member := getattr(md, name), md.Notion)}
    catalogue = {member.__name__ for member in classes - {md.Notion}}
    # What has no table here is drawn by its card.
    by_card = {member.__name__ for member in without_arithmetic()}
    assert len(notions) >= 21 and notions == catalogue - by_card
    objectives = {asked.objective[0] for asked in drawn}
    assert len(objectives) >= 22 and objectives <= found


def _hold(found):
    assert not any(failing(found, kind) for kind in FAILURES), table(found)


def test_designs_withstand_the_adversary():
    found = verdicts(24, seed=3)
    assert sum(one.rivals > 1 and one.nearest <= 1e-6 for one in found) >= 20
    proved, missed = proofs(found)
    assert proved >= 10 and missed <= 2
    _hold(found)


@pytest.mark.slow
def test_designs_that_tell_what_no_secret_sees_withstand_the_adversary():
    _hold(verdicts(15, seed="unseen"))


@pytest.mark.slow
def test_designs_of_secrets_that_are_nearly_alike_withstand_the_adversary():
    _hold(verdicts(12, seed="unseen-alike"))


@pytest.mark.slow
def test_many_designs_that_tell_what_no_secret_sees_withstand_the_adversary():
    _hold(verdicts(400, seed="unseen-many", jobs=2))
    _hold(verdicts(400, seed="unseen-alike-many", jobs=2))


@pytest.mark.slow
def test_many_designs_withstand_the_adversary():
    _hold(verdicts(750, seed=random.Random(2).randrange(10**6), jobs=2))


#: Readers that take a level for less than it is, overlook columns, or do not add up what the secrets' functionals are.
MISREADINGS = {
    "a lower level": ("exp_bounds", lambda right: lambda x: right(x * reader.Q(9, 10))),
    "columns overlooked": ("extremes", lambda right: lambda *given: right(*given)[1:]),
    "functionals beyond the rows": ("below", lambda right: lambda w, *rest: right([each + 1 for each in w], *rest)),
}
#: Questions whose strongest statement each misreading makes a false one.
CRAFTED = [QUESTIONS[name] for name in ("LDP, MMSE", "LIP, information", "LIP, hidden, error", "both, loss")]


def _false_statements(asked, seed):
    return [why for why, beside, data in statements(asked, seed) if is_false(beside, data, seed)]


@pytest.mark.parametrize("name", MISREADINGS)
def test_a_reader_that_misreads_calls_false_statements_proved(name, monkeypatch):
    function, misread = MISREADINGS[name]
    monkeypatch.setattr(reader, function, misread(getattr(reader, function)))
    assert any(_false_statements(asked, name) for asked in CRAFTED)


def test_what_the_reader_calls_proved_withstands_the_adversary():
    made = collections.Counter()
    for k, asked in enumerate([*CRAFTED, *(question(f"crafted-{k}") for k in range(12))]):
        for why, beside, data in statements(asked, f"crafted-{k}"):
            made[why] += 1
            assert not is_false(beside, data, f"crafted-{k}"), (why, beside, data)
    assert made["the same"] >= 8 and made["a higher level"] >= 8 and made["another prior"] >= 3, made


@pytest.mark.slow
def test_many_statements_that_the_reader_calls_proved_withstand_the_adversary():
    for k in range(8, 150):
        for why, beside, data in statements(question(f"crafted-{k}"), f"crafted-{k}"):
            assert not is_false(beside, data, f"crafted-{k}"), (why, beside, data)


def test_a_snippet_asks_the_same_question():
    asked = QUESTIONS["LDP, KL"]
    names: dict[str, object] = {}
    exec(snippet(asked), names)  # the adversary's own text
    assert names["design"].value == ask(asked).value


def test_a_bound_that_is_no_number_is_found(answers):
    found = judge(QUESTIONS["LDP, KL"], replace(answers["LDP, KL"], bound=float("nan")), "liar").failures
    assert "bound is NaN" in found and "bound beaten" not in found
