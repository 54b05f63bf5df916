"""A category for answers beside the known ones: by declaration alone, and never for what is missing."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import mechdesign as md

DRINKS = md.KnownVocabulary(["coffee", "t\u00e9", "7"])


def test_answers_beside_the_words_are_the_other_category_and_no_others_are():
    given = ["coffee", "te\u0301", "mate", "Coffee", "7", "other"]
    assert DRINKS.answers_of(given).tolist() == ["coffee", "t\u00e9", "other", "other", "7", "other"]
    assert DRINKS.answers_of([[7.0, 8.0]]).tolist() == [["7", "other"]]
    assert DRINKS.answers_of(pd.Series([7, 70])).tolist() == ["7", "other"]
    assert DRINKS.labels == ("coffee", "t\u00e9", "7", "other") == DRINKS.problem.labels


def test_a_problem_still_refuses_what_it_does_not_have():
    with pytest.raises(md.DomainError, match='"mate" \\(once\\), but the problem does not have this label'):
        md.baselines.randomised_response(DRINKS.problem, 1.0).sample(["coffee", "mate"])
    with pytest.raises(md.DomainError, match="mate"):
        md.Problem.from_records(["coffee", "mate"], categories=DRINKS.labels)


@pytest.mark.parametrize("entry", [None, np.nan, pd.NA, "", "NA", "n/a"])
def test_a_missing_answer_is_no_other_answer(entry):
    found = DRINKS.answers_of(["coffee", "mate", entry])
    assert found[:2].tolist() == ["coffee", "other"] and (found[2] is entry or found[2] == entry)
    with pytest.raises(md.DomainError, match="missing"):
        md.baselines.randomised_response(DRINKS.problem, 1.0).sample(found)
    counted = md.Problem.from_records(found, missing=["", "NA", "n/a"])
    assert counted.labels == ("coffee", "other", "missing")


def test_codes_of_missing_answers_are_declared():
    assert DRINKS.answers_of(["refused", "mate"]).tolist() == ["other", "other"]
    found = DRINKS.answers_of(["refused", "mate"], missing="refused")
    assert found.tolist() == ["refused", "other"]
    assert md.Problem.from_records(found, missing="refused").labels == ("other", "missing")
    known = md.KnownVocabulary(["yes", "NA"])
    assert known.answers_of(["NA", "no"]).tolist() == ["NA", "other"]


def test_the_other_category_is_estimated_like_the_words():
    vocabulary = md.KnownVocabulary([f"w{k}" for k in range(50)], other="none of these")
    mechanism = md.baselines.projective_response(vocabulary.problem, 3.0)
    answers = [f"w{k}" for k in range(100)] * 300
    found = mechanism.estimate(mechanism.simulate(vocabulary.answers_of(answers), seed=3))
    share = found.functional("none of these")
    assert abs(share.value - 0.5) < 4.0 * share.standard_error < 0.1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: md.KnownVocabulary([]), "words is empty"),
        (lambda: md.KnownVocabulary("tea"), "sequence of names"),
        (lambda: md.KnownVocabulary(["a", "a"]), "words is a, but names have to be distinct"),
        (lambda: md.KnownVocabulary(["a", "other"]), 'other is other, but it is one of the words.*other="none'),
        (lambda: md.KnownVocabulary(["[0, 5)", "[5, 9]"]), "bins of numbers have no others"),
        (lambda: DRINKS.answers_of(["a", 3]), "records is of numbers and texts"),
        (lambda: DRINKS.answers_of(["a"], missing=[[3]]), "missing"),
    ],
)
def test_what_is_no_vocabulary_is_refused(make, message):
    with pytest.raises(md.DomainError, match=message):
        make()
