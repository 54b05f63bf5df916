"""Contracts need one file with a class and its card; a card without examples, or with wrong ones, is refused."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue import same_level
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.edge import Edge, fair, largest_entries, symmetric
from mechdesign.testing import BrokenContractError, check_member
from mechdesign.testing.card_contract import CARD_CLAUSES, sized_is_an_instance
from mechdesign.testing.catalogue import all_notions, all_objectives
from mechdesign.testing.contract import run
from mechdesign.testing.sized import as_asked, sized_of
from tests.helpers.own_files import NOTION, written


@pytest.fixture
def own(tmp_path):
    return written(tmp_path, NOTION, "own_notion")[1].UpperLift


def carded(monkeypatch, member, **fields):
    monkeypatch.setattr(member, "card", replace(member.card, **fields))
    return member


def test_a_notion_in_one_file_gets_every_contract_from_its_card(own, rng):
    check_member(own, rng)
    problem = md.Problem(prior=[0.5, 0.5])
    assert sized_of(own)(problem, rng) == own(1.0)
    assert as_asked(own(1.0), problem) is problem


def test_a_wrong_edge_is_caught(own, rng, monkeypatch):
    far = Edge(own(0.5), fair(), *symmetric(0.6, lambda ratio: (ratio, 2 - ratio)))
    with pytest.raises(BrokenContractError, match="'edge'"):
        check_member(carded(monkeypatch, own, edge=lambda: far), rng)


def test_a_wrong_example_is_caught(own, rng, monkeypatch):
    monkeypatch.setattr(own, "cone", lambda self, problem: md.LDP(self.epsilon).cone(problem))
    with pytest.raises(BrokenContractError, match=r"UpperLift.*breaks the clause"):
        check_member(own, rng)


def test_a_card_without_examples_is_refused(own, rng, monkeypatch):
    with pytest.raises(md.DomainError, match=r"give UpperLift's card examples=\.\.\., in the file where it is defined"):
        check_member(carded(monkeypatch, own, examples=()), rng)


def test_an_example_of_another_class_is_refused(own, rng, monkeypatch):
    other = md.LDP.card.examples
    with pytest.raises(md.DomainError, match=r"UpperLift.card.examples .*LDP\(epsilon=0.3\), which is no instance of"):
        check_member(carded(monkeypatch, own, examples=other), rng)


@pytest.mark.parametrize("given", [md.LDP(1.0), int, "LDP"])
def test_what_is_no_class_of_the_catalogue_is_refused(given, rng):
    with pytest.raises(md.DomainError, match="class of notions or objectives"):
        check_member(given, rng)


def test_a_wrong_anchor_is_caught(rng, monkeypatch):
    monkeypatch.setattr(md.HammingLoss, "card", replace(md.HammingLoss.card, examples=md.HammingLoss.card.examples[:1]))
    check_member(md.HammingLoss, rng)
    wrong = Anchor(md.HammingLoss(), 0.5, "1/2")
    with pytest.raises(BrokenContractError, match="'anchor'"):
        check_member(carded(monkeypatch, md.HammingLoss, anchor=lambda: wrong), rng)


def test_a_wrong_exact_utility_is_caught(rng, monkeypatch):
    one = md.HistogramMMSE.card.examples[:1]
    check_member(carded(monkeypatch, md.HistogramMMSE, examples=one), rng)
    right = md.HistogramMMSE.card.exact_utility

    def twice(objective, problem):
        of_column = right(objective, problem)
        return lambda column: 2 * of_column(column)

    with pytest.raises(BrokenContractError, match="'exact utility'"):
        check_member(carded(monkeypatch, md.HistogramMMSE, exact_utility=twice), rng)


def raising(*given):
    raise KeyError("level")


#: What a card says of other notions, wrongly.
FALSE = {
    "stronger": (
        {"stronger": lambda notion, problem: md.LDP(notion.epsilon + 0.5)},
        r"of LDP\(epsilon=1\), which the card says is stronger, is 0\.\d+ above the level",
    ),
    "implied by": (
        {"implied_by": (md.Rule("LDP", lambda first, second: first.epsilon / 2, "a wrong proof"),)},
        r"a mechanism of LDP\(epsilon=1\) has the level 0\.\d+, and the rule says at most 0\.5",
    ),
}


@pytest.mark.parametrize("clause", FALSE)
def test_a_card_that_says_what_is_false_of_other_notions_is_caught(clause, own, rng, monkeypatch):
    fields, said = FALSE[clause]
    with pytest.raises(BrokenContractError, match=said) as raised:
        check_member(carded(monkeypatch, own, **fields), rng)
    assert raised.value.clause == clause


def test_a_rule_that_names_no_notion_is_caught(own, rng, monkeypatch):
    rules = (md.Rule("LPD", same_level, "a misprint"),)
    with pytest.raises(BrokenContractError, match="names LPD, which is no notion of the catalogue or of own_notion"):
        check_member(carded(monkeypatch, own, implied_by=rules), rng)
    check_member(carded(monkeypatch, own, implied_by=(md.Rule("UpperLift", same_level, "it is the same"),)), rng)


@pytest.mark.parametrize(
    ("field", "given", "said"),
    [
        ("promise", lambda notion, problem, of: None, "it returned None"),
        ("odds", raising, "it raises KeyError"),
        ("protects", lambda notion: "people", "it returned 'people'"),
        ("stronger", lambda notion, problem: 3.0, "it returned 3.0"),
        ("sized", lambda problem, rng: md.LDP(1.0), "let it return an instance of UpperLift, or None"),
        ("edge", lambda: None, "it returned None"),
        ("edge", md.LDP.card.edge, "its notion is LDP"),
        ("anchor", raising, "it raises KeyError"),
        ("examples", (raising,), "it raises KeyError"),
        ("examples", (lambda rng: None,), "let it return an instance and a problem"),
        ("examples", (lambda rng: (md.LDP(1.0), [0.5, 0.5]),), "let it return an instance and a problem"),
    ],
)
def test_a_function_that_returns_something_else_is_refused(field, given, said, own, rng, monkeypatch):
    with pytest.raises(md.DomainError, match=said) as raised:
        check_member(carded(monkeypatch, own, **{field: given}), rng)
    assert raised.value.argument == f"UpperLift.card.{field}"


CARDS = {name: member for name, member in {**all_notions(), **all_objectives()}.items() if member.card.examples}


@pytest.mark.parametrize("name", CARDS)
def test_cards_of_the_catalogue_are_true(name, rng):
    sized_is_an_instance(CARDS[name], rng)
    for example in CARDS[name].card.examples if name in all_notions() else ():
        made, problem = example(rng)
        run(CARD_CLAUSES, made, made, problem, rng)


@pytest.mark.parametrize(
    ("field", "given", "words"),
    [
        ("examples", [lambda rng: None], "have to be a tuple"),
        ("examples", (None,), "has to be a function"),
        ("adds_up", "Level", "it has to name what adds up"),
        ("works", ("zamany",), 'did you mean "zamani"'),
        ("examples", (md.LDP(1.0),), "has to be a function"),
        ("sized", md.LDP(1.0), "of a problem and a random generator"),
        ("edge", Edge(md.LDP(1.0), fair(), *largest_entries(0.5)), "without arguments"),
        ("anchor", 0.5, "without arguments"),
        ("exact_utility", Fraction(1), "of the objective and the problem"),
    ],
)
def test_a_card_with_what_is_no_function_is_refused(field, given, words):
    with pytest.raises(md.DomainError, match=words) as raised:
        md.Card(**{field: given})
    assert raised.value.argument == field


def test_a_reference_in_full_is_no_key():
    assert md.Card(works=("A. Author, A Paper, 2026", "zamani")).works[1] == "zamani"


def test_a_member_with_parameters_has_no_default_size():
    problem = md.Problem(n=2)
    assert sized_of(md.LDP)(problem, None) == md.LDP(1.0)
    assert sized_of(md.MutualInformation)(problem, None) == md.MutualInformation()

    class TwoLevels(md.ApproximateLDP):
        pass

    assert sized_of(TwoLevels)(problem, np.random.default_rng(0)) is None
