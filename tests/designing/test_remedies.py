"""What a gap wider than asked is answered with: a remedy that helps where it is followed, or that there is none."""

import warnings
from dataclasses import replace

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.testing.clock import CountingClock
from tests.helpers.changed_routes import changed

#: Unequal inputs: the bound of the chords is not attained.
SKEWED = md.Problem(prior=1 / np.arange(1, 25) / (1 / np.arange(1, 25)).sum())
LONG = 1e5


def asked(problem, notion, objective, **limits):
    """Return the design and what it was warned with."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", md.GapWarning)
        made = md.design(problem, notion, objective, **limits)
    return made, " ".join(str(each.message) for each in caught)


def test_more_time_is_advised_where_the_limit_ended_the_search_and_helps():
    survey = md.Problem(prior=np.random.default_rng(3).dirichlet(np.ones(60)), values=np.arange(60.0))
    gaps = {}
    for limit in (0.05, LONG):
        with reading(CountingClock()):
            gaps[limit], said = asked(survey, md.LIP(1.0), md.MMSE(), time_limit=limit)
        assert ("a longer time_limit may close the gap" in said) == (limit < LONG) == gaps[limit].late
    assert gaps[LONG].gap <= 1e-6 < gaps[0.05].gap


@pytest.mark.thinned(8)
@pytest.mark.parametrize("objective", [md.HistogramMMSE(), md.MutualInformation()], ids=str)
def test_no_more_time_is_advised_where_the_search_came_to_its_own_end(objective):
    made, said = asked(SKEWED, md.LIP(1.0), objective)
    assert made.gap > 1e-6 and not made.late
    assert "came to its own end (tried: lifts), so that a longer time_limit does not help" in said
    with reading(CountingClock(0.0)):
        again, _ = asked(SKEWED, md.LIP(1.0), objective, time_limit=LONG)
    assert again.gap == made.gap
    if made.gap <= 0.05:
        enough = float(said.partition("and gap=")[2].partition(" ")[0])
        assert made.gap <= enough <= 2.5 * made.gap and "asks for no more" in said
        asked_again, nothing = asked(SKEWED, md.LIP(1.0), objective, gap=enough)
        assert asked_again.gap == made.gap and not nothing
        return
    # The remedy, followed.
    assert "merge inputs into at most 12, of which the optimum is certified" in said
    merged = md.Problem(prior=[0.1] * 8 + [0.05] * 4)
    assert asked(merged, md.LIP(1.0), objective)[0].gap <= 1e-6


@pytest.mark.slow
def test_frequencies_of_many_categories_are_not_merged():
    survey = md.Problem(prior=np.random.default_rng(3).dirichlet(np.ones(40)))
    made, said = asked(survey, md.StrongL1(0.3), md.InformationDesign("A"))
    assert made.gap > 0.05 and "merge inputs" not in said
    assert "it may be the bound that is far off: design.rivals has the values of known mechanisms" in said
    # The remedy, followed: the design is no worse than any of them.
    assert made.rivals and all(made.value <= rival.value for rival in made.rivals if rival.private)


def test_an_interrupted_search_says_so():
    made, _ = asked(SKEWED, md.LIP(1.0), md.HistogramMMSE())
    assert "was interrupted" in replace(made, interrupted=True).shortfall(1e-6)


def test_a_search_that_ends_far_from_its_bound_is_followed_by_another(monkeypatch):
    from mechdesign.designing import finish
    from mechdesign.solve.choose import ROUTES

    def poor(found):
        return replace(found, matrix=np.full(found.matrix.shape, 1.0 / found.matrix.shape[1]))

    survey = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    monkeypatch.setitem(ROUTES, "columns", changed(ROUTES["columns"], poor))
    for known in ("mechanisms", "quick_mechanisms", "two_outputs"):
        monkeypatch.setattr(finish, known, lambda task: iter(()))
    made, _ = asked(survey, md.LDP(1.0), md.AbsoluteError())
    assert made.gap <= 1e-6 and [each.route for each in made.attempts] == ["columns", "rays"]
    named, said = asked(survey, md.LDP(1.0), md.AbsoluteError(), route="columns")
    assert named.gap > 1e-6 and "(tried: columns)" in said
