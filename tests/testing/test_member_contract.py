"""Contracts need one file with a class and its card; a card without examples, or with wrong ones, is refused."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

import mechdesign as md
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.edge import Edge, fair, largest_entries, symmetric
from mechdesign.testing import BrokenContractError, check_member
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
    with pytest.raises(md.DomainError, match=r"LDP\(epsilon=0.3\), but an example has to be one of UpperLift"):
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


@pytest.mark.parametrize(
    ("field", "given", "words"),
    [
        ("examples", [lambda rng: None], "have to be a tuple"),
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


def test_a_member_with_parameters_has_no_default_size():
    problem = md.Problem(n=2)
    assert sized_of(md.LDP)(problem, None) == md.LDP(1.0)
    assert sized_of(md.MutualInformation)(problem, None) == md.MutualInformation()

    class TwoLevels(md.ApproximateLDP):
        pass

    assert sized_of(TwoLevels)(problem, np.random.default_rng(0)) is None
