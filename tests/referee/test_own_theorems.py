"""Theorems of one's own: in the referee's table, on the command line, and as mechanisms inside a confirmed domain."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import mechdesign as md
from mechdesign import cli
from mechdesign.designing import own_theorems
from mechdesign.referee import verdict as verdicts
from mechdesign.theorems import Condition, Equal, Form, theorem

OWN = """
import numpy as np
import mechdesign as md
from mechdesign.theorems import Condition, Family, Form, Published, Theorem
from mechdesign.theorems.checks import is_optimal
from mechdesign.theorems.variables import Distribution, Real


def truth(question):
    return np.exp(question.notion.epsilon) / (1 + np.exp(question.notion.epsilon))


def response(question):
    p = truth(question)
    return Published(np.array([[p, 1 - p], [1 - p, p]]), 1 - p)


T1 = Theorem(
    key="own/T1",
    place="Theorem 1",
    kind="exact optimum",
    words="For two inputs randomised response has the least probability of error.",
    family=Family(
        {"epsilon": Real(0.05, 4.0), "prior": Distribution(2)},
        subject=lambda point: md.Question(md.Problem(prior=point.prior), md.LDP(point.epsilon), md.HammingLoss()),
    ),
    printed=response,
    test=is_optimal,
    narrower=(Condition("truth", "max prior", lambda question: (truth(question), question.problem.prior.max())),),
    form=Form(md.LDP, md.HammingLoss, "the probability of error", inputs=2),
)
"""


@pytest.fixture(scope="module")
def own():
    space = {}
    exec(OWN, space)
    return space["T1"]


THREE = [md.Problem(prior=[1 / 3] * 3, values=[0, 1, 2])]


def response(problem, notion, objective):
    return md.baselines.randomised_response(problem, notion.epsilon)


def from_level(least):
    """Claim that three equally likely values are best reported by randomised response from a level on: ln 2 is it."""
    condition = Condition("e^epsilon", str(least), lambda question: (math.exp(question.notion.epsilon), least))
    return md.check_claim(THREE, md.LDP, md.AbsoluteError(), response, narrower=[condition])


def test_a_sharp_condition_has_no_remark():
    row = from_level(2.0)
    assert (row.verdict, row.condition, row.remark) == ("holds under a narrower condition", "e^epsilon >= 2.0", "")


def test_a_condition_that_is_too_wide_has_a_counterexample_inside_of_it():
    row = from_level(1.5)
    assert row.verdict == "false" and row.condition == ""
    assert row.remark == "the condition e^epsilon >= 1.5 is too wide: it fails inside"
    epsilon = float(row.counterexample.split("epsilon = ")[1].split(":")[0])
    assert 1.5 <= math.exp(epsilon) < 2.0


def test_a_condition_that_is_true_but_not_sharp_is_named():
    row = from_level(2.5)
    # The condition is not where the claim ends: the verdict on the claim is what it would be without it.
    assert (row.verdict, row.condition) == ("false", "")
    assert row.remark == "the condition e^epsilon >= 2.5 is true but not sharp: no failure was found next to its edge"
    # Who gave the condition reads first that it holds under it.
    assert row.heading.endswith(": holds under the condition that was given, false as stated")
    assert row.source == ""


def test_a_condition_that_is_not_needed_is_named():
    always = Condition("epsilon", "1", lambda question: (question.notion.epsilon, 1.0))
    row = md.check_claim((2, 2), md.LDP, md.MMSE(), response, narrower=[always])
    assert row.verdict == "holds" and "is not needed" in row.remark


def test_a_counterexample_that_leaves_the_condition_is_caught(monkeypatch):
    """Planted: the plainest counterexample is sought in the whole claimed domain, as once."""
    whole = verdicts.Hearing.counterexample
    monkeypatch.setattr(verdicts.Hearing, "counterexample", lambda self, failed, inside=(): whole(self, failed))
    with pytest.raises(AssertionError):
        test_a_condition_that_is_too_wide_has_a_counterexample_inside_of_it()


def test_a_comparison_says_whose_is_whose():
    said = from_level(2.0).counterexample
    assert said.endswith("0.858783 (the claim) against 0.666667 (certified optimum)")


def test_one_problem_is_a_family():
    assert md.check_claim(THREE[0], md.LDP, md.AbsoluteError(), response).verdict == "false"


def test_it_stands_in_the_referees_table(own, tmp_path):
    ledger = md.verify(theorems=[own])
    assert [row.key for row in ledger] == ["own/T1"]
    assert ledger[0].verdict == "holds under a narrower condition" and ledger[0].remark == ""
    assert ledger.differences() == [] and "own/T1" not in ledger.record()
    both = md.verify(["own/T1", "ours/M4"], theorems=[own])
    assert [row.key for row in both] == ["ours/M4", "own/T1"]
    page = both.save(tmp_path / "ledger.html").read_text(encoding="utf-8")
    assert "own/T1" in page and "randomised response has the least" in page
    assert "Statements of your own." in str(ledger)


def test_bad_theorems_are_refused(own):
    for given, said in (
        ([own, own], "another theorem has this key"),
        ([replace(own, key="ours/M4")], "another theorem has this key"),
        ([own, 3], "has to consist of theorems"),
        (3, "has to consist of theorems"),
        ([replace(own, claimed=(Condition("1", "2", lambda question: (1.0, 2.0)),))], "no point of the family"),
    ):
        with pytest.raises(md.DomainError, match=said):
            md.verify(theorems=given)


def run(*arguments):
    with pytest.raises(SystemExit) as ended:
        cli.main(list(arguments))
    return ended.value.code


def test_the_command_rules_on_the_theorems_of_a_file(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    Path("my_theorems.py").write_text(OWN, encoding="utf-8")
    assert run("verify", "--members", "my_theorems.py") == 0
    assert "own/T1: holds under a narrower condition" in capsys.readouterr().out
    assert run("verify", "--members", "my_theorems.py", "own/T1", "--json") == 0
    assert [row["key"] for row in json.loads(capsys.readouterr().out)["rows"]] == ["own/T1"]
    assert run("verify", "--members", "my_theorems.py", "own/T2") == 2
    assert 'did you mean "own/T1"' in capsys.readouterr().err
    assert run("verify", "--members", "my_theorems.py", "--record", "record.json") == 2
    assert not Path("record.json").exists()
    Path("empty.py").write_text("x = 1\n", encoding="utf-8")
    assert run("verify", "--members", "empty.py") == 2
    assert "has no theorem of its own" in capsys.readouterr().err


QUESTION = (md.Problem(prior=[0.4, 0.6]), md.LDP(1.0), md.HammingLoss())


def test_its_mechanism_is_used_where_it_was_confirmed(own):
    made = md.design(*QUESTION, route="closed_form", theorems=[own])
    p = math.e / (1 + math.e)
    assert np.allclose(made.matrix, [[p, 1 - p], [1 - p, p]], rtol=0, atol=1e-12)
    assert made.gap <= 1e-9 and made.reason == "you asked for it: own Theorem 1"
    assert made.value == pytest.approx(md.design(*QUESTION, route="rays").value, rel=1e-9)


def test_where_it_is_not_confirmed_the_refusal_says_where(own):
    likely, others = (md.Problem(prior=[0.1, 0.9]), *QUESTION[1:]), (QUESTION[0], md.LIP(1.0), QUESTION[2])
    for asked, given, said in (
        (likely, own, "own Theorem 1: truth 0.731059 >= max prior = 0.9 fails"),
        (others, own, "own Theorem 1: it is about LDP, not LIP"),
        (QUESTION, replace(own, narrower=()), "the referee's verdict is 'false'"),
        (QUESTION, replace(own, form=None), "it has no form, so that it gives no mechanism"),
    ):
        with pytest.raises(md.UnsupportedError, match="closed_form refuses") as refused:
            md.design(*asked, route="closed_form", theorems=[given])
        assert said in str(refused.value)


def test_theorems_are_for_one_route(own):
    with pytest.raises(md.DomainError, match='add route="closed_form"'):
        md.design(*QUESTION, theorems=[own])


def test_a_false_theorem_whose_verdict_is_not_asked_for_is_caught(own, monkeypatch):
    """Planted: the form is used as it stands, though it claims too much; the certificate does not believe it."""
    monkeypatch.setattr(own_theorems, "_why_not", lambda given: None)
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        test_where_it_is_not_confirmed_the_refusal_says_where(own)


def test_the_catalogue_is_left_as_it_is():
    """A form of the catalogue is used without the keyword, by the recorded verdict."""
    known = theorem("jiang_lip/T3")
    assert isinstance(known.form, Form)
    problem = md.Problem(prior=[0.3, 0.3, 0.4], values=[0, 1, 2])
    made = md.design(problem, md.LIP(1.0), md.MMSE(), route="closed_form")
    assert "jiang_lip" in made.reason


def test_words_in_the_place_of_a_number_are_named(own):
    """Found by a new user: a traceback of numpy, without a word of the check."""
    misplaced = replace(own, test=lambda question, given: [Equal("the least error", 0.5, 0.5)], form=None)
    with pytest.raises(
        md.DomainError, match=r"a side of a check is .*; the words come last: Equal\(left, right, words\)"
    ):
        md.verify(theorems=[misplaced])


def test_formulas_are_set_as_formulas_in_a_table(own):
    row = md.verify("ours/two-inputs").rows[0]
    assert f" & ${row.latex}$ " in f" & {row.to_latex(['key', 'latex'])} " and "textbackslash" not in row.to_latex(
        ["latex"]
    )
