"""A hidden secret, however it reaches a problem, is the secret: the ways to say one secret give one problem."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mechdesign as md
from mechdesign.cli.question_file import read_question
from mechdesign.question.saved_problem import problem_from_dict, problem_to_dict

PRIOR = [0.25, 0.35, 0.4]
#: ``Pr(S = s | X = x)``, and the same joint distribution as ``Pr(X = x | S = s)``.
BACKWARD = np.array([[0.9, 0.5, 0.2], [0.1, 0.5, 0.8]])
SECRET = BACKWARD @ PRIOR
FORWARD = BACKWARD * PRIOR / SECRET[:, None]
NAMES = {"secret_labels": ["ill", "well"]}

BACKWARD_WAYS = {
    "hidden": lambda: md.Problem(prior=PRIOR).hidden(BACKWARD, **NAMES),
    "constructor": lambda: md.Problem(prior=PRIOR, secret_given_data=BACKWARD, **NAMES),
    "lists": lambda: md.Problem(prior=PRIOR, secret_given_data=BACKWARD.tolist(), **NAMES),
    "a table": lambda: md.Problem(prior=PRIOR, secret_given_data=pd.DataFrame(BACKWARD, index=["ill", "well"])),
    "all parts": lambda: md.Problem(
        prior=PRIOR, secret_given_data=BACKWARD, data_given_secret=FORWARD, secret_prior=SECRET, **NAMES
    ),
    "replace": lambda: replace(md.Problem(prior=PRIOR), secret_given_data=BACKWARD, **NAMES),
    "replace of another part": lambda: replace(
        md.Problem(prior=PRIOR, prior_source="x").hidden(BACKWARD, **NAMES), prior_source=None
    ),
    "a file": lambda: problem_from_dict(problem_to_dict(md.Problem(prior=PRIOR).hidden(BACKWARD, **NAMES)), md.LDP(1)),
}
FORWARD_WAYS = {
    "hidden": lambda: md.Problem(n=3).hidden(data_given_secret=FORWARD, secret_prior=SECRET, **NAMES),
    "constructor": lambda: md.Problem(data_given_secret=FORWARD, secret_prior=SECRET, **NAMES),
    "constructor with n": lambda: md.Problem(n=3, data_given_secret=FORWARD, secret_prior=SECRET, **NAMES),
    "a table": lambda: md.Problem(
        data_given_secret=pd.DataFrame(FORWARD, index=["ill", "well"]), secret_prior=SECRET.tolist()
    ),
}
WAYS = [(BACKWARD_WAYS, name) for name in BACKWARD_WAYS] + [(FORWARD_WAYS, name) for name in FORWARD_WAYS]


@pytest.mark.parametrize(("ways", "way"), WAYS)
def test_all_ways_make_one_problem(ways, way):
    made = ways[way]()
    assert made == ways["hidden"]() and made.is_hidden and made.named_secret(0) == "ill"


@pytest.mark.parametrize(("ways", "way"), WAYS)
@pytest.mark.parametrize("notion", [md.LDP(0.5), md.LIP(0.5), md.MaxLift(0.4)], ids=str)
def test_all_ways_have_one_design(ways, way, notion):
    asked = md.design(ways[way](), notion, md.MutualInformation(), gap=1e-6)
    told = md.design(BACKWARD_WAYS["hidden"](), notion, md.MutualInformation(), gap=1e-6)
    assert asked.value == pytest.approx(told.value, abs=3e-6)
    # The datum alone is another question, with a smaller optimum.
    assert asked.value > md.design(md.Problem(prior=PRIOR), notion, md.MutualInformation(), gap=1e-6).bound + 1e-3


def test_a_question_file_says_the_same(tmp_path):
    path = tmp_path / "q.toml"
    path.write_text(
        f"[problem]\nprior = {PRIOR}\nsecret_given_data = {BACKWARD.tolist()}\nsecret_labels = ['ill', 'well']\n"
        "[notion]\nname = 'LDP'\nepsilon = 1.0\n[objective]\nname = 'MutualInformation'\n"
    )
    assert read_question(path).question.problem == BACKWARD_WAYS["constructor"]()


HALVES = [0.5, 0.5]


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"secret_given_data": BACKWARD}, "prior is None, but secret_given_data needs the prior"),
        ({"n": 3, "secret_given_data": BACKWARD}, "prior is None, but secret_given_data needs the prior"),
        ({"prior": PRIOR, "secret_prior": HALVES}, "secret_prior is .*; give data_given_secret too, or leave it out"),
        ({"prior": PRIOR, "secret_given_data": BACKWARD, "secret_prior": HALVES}, r"secret_prior\[0\] is 0.5, but"),
        ({"prior": PRIOR, "secret_given_data": BACKWARD, "secret_prior": [1.0]}, r"secret_prior is of shape \(1,\)"),
        (
            {"prior": PRIOR, "secret_given_data": BACKWARD, "data_given_secret": FORWARD[::-1]},
            r"data_given_secret\[0, 0\] is .*leave it out",
        ),
        (
            {"prior": PRIOR, "data_given_secret": FORWARD, "secret_prior": HALVES},
            r"prior\[.\] is .*secret_prior @ data_given_secret gives .*leave the prior out",
        ),
        ({"prior": PRIOR, "secret_given_data": BACKWARD.T}, "transposed"),
        ({"prior": PRIOR, "secret_given_data": BACKWARD / 2}, "sums to 0.5"),
        ({"prior": PRIOR, "data_given_secret": BACKWARD}, "sums to"),
        ({"data_given_secret": [[0.5, 0.5], [1.0]]}, "data_given_secret"),
        ({"data_given_secret": 3.0}, "n is 0|data_given_secret"),
        ({"prior": PRIOR, "secret_labels": ["ill", "well"]}, "there is no hidden secret"),
    ],
)
def test_what_contradicts_itself_is_refused(parts, said):
    with pytest.raises(md.DomainError, match=said):
        md.Problem(**parts)


def test_another_prior_beside_a_channel_that_followed_from_the_former_is_refused():
    hidden = BACKWARD_WAYS["hidden"]()
    with pytest.raises(md.DomainError, match=r"data_given_secret\[0, 0\] is .*leave it out \(None\)"):
        replace(hidden, prior=PRIOR[::-1])
    again = replace(hidden, prior=PRIOR[::-1], data_given_secret=None, secret_prior=None)
    assert again == md.Problem(prior=PRIOR[::-1]).hidden(BACKWARD, **NAMES)
