"""Value and bound are shown with few digits on the side on which they stay true: no value better, no bound tighter."""

import re
from dataclasses import replace

import pytest
from matplotlib.text import Text

import mechdesign as md
from mechdesign.displays import numbers
from mechdesign.reports import page
from tests.reports.test_reports import Words

SURVEY = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 5])
#: Claims whose nearest decimals of six and of nine digits are on the wrong side, for both senses.
CLAIMS = {
    "minimise": (md.MMSE(), 0.12345678932, 0.12345678868),
    "maximise": (md.MutualInformation(), 0.12345678868, 0.12345678932),
}
NUMBER = r"(-?[\d.]+(?:e[-+]\d+)?)"


def claimed(sense):
    """Return a design with the claims of that sense, which its matrix need not have."""
    objective, value, bound = CLAIMS[sense]
    made = md.design(SURVEY, md.LDP(1.0), objective)
    mechanism = replace(made.mechanism, certificate=replace(made.mechanism.certificate, value=value, bound=bound))
    return replace(made, mechanism=mechanism, value=value, bound=bound)


def on_the_page(made):
    text = Words(page(made.mechanism)).text
    name = made.mechanism.asked.objective.in_words
    value = re.search(rf"(?i){re.escape(name)} ?{NUMBER}", text.partition("The question")[0])[1]
    return value, re.search(rf"Best possible ?{NUMBER}", text)[1]


def in_a_frontier(made):
    whole = md.frontier(SURVEY, md.LDP, made.mechanism.asked.objective, levels=[1.0])
    return replace(whole, designs=(made,)).story(9)[0].rows[0][1:3]


def in_a_comparison(made):
    whole = md.compare(SURVEY, md.LDP(1.0), made.mechanism.asked.objective)
    row = next(row for row in whole.rows if row.outcome == "certified")
    held = made.mechanism.claimed
    one = replace(whole, rows=(replace(row, value=held.value, bound=held.bound),))
    return one.story()[0].rows[0][2:4]


def on_a_picture(made):
    picture = made.plot(what="certificate")
    title = " ".join(text.get_text() for text in picture.findobj(Text))
    return re.search(rf"value {NUMBER}, bound {NUMBER}", title).groups()


def check_outward(shown, made):
    """What is shown says no more than what is claimed."""
    proof = made.mechanism.claimed
    value, bound = (float(text) for text in shown)
    if made.mechanism.asked.objective.sense == "minimise":
        assert bound <= proof.bound and proof.value <= value, f"{shown} says more than {proof.value}, {proof.bound}"
    else:
        assert value <= proof.value and proof.bound <= bound, f"{shown} says more than {proof.value}, {proof.bound}"


PLACES = {"page": on_the_page, "frontier": in_a_frontier, "comparison": in_a_comparison, "picture": on_a_picture}


#: The certificate of an objective that is maximised is no curve for this one.
DRAWN = [(place, sense) for place in PLACES for sense in CLAIMS if (place, sense) != ("picture", "maximise")]


@pytest.mark.parametrize(("place", "sense"), DRAWN)
def test_value_and_bound_are_rounded_outward(place, sense):
    made = claimed(sense)
    check_outward(PLACES[place](made), made)


def test_a_picture_of_an_audit_says_what_is_asked_and_no_less_than_is_measured():
    audit = md.audit([[0.75, 0.25], [0.25, 0.75]], md.LDP(1.0000004))
    said = " ".join(text.get_text() for text in audit.plot().findobj(Text))
    assert "asked at most 1.0000004" in said and float(re.search(rf"level {NUMBER}", said)[1]) >= float(audit)


@pytest.mark.parametrize("sense", CLAIMS)
def test_planted_the_nearest_decimal_is_caught(sense):
    made = claimed(sense)
    nearest = [numbers.digits(number, 9) for number in (made.value, made.bound)]
    with pytest.raises(AssertionError, match="says more"):
        check_outward(nearest, made)
