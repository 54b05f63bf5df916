"""A continuum of decisions in rounds: what a late search returns has a proof."""

import warnings

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve.search import line_of_decisions
from mechdesign.testing.clock import CountingClock
from mechdesign.testing.manners import forget
from mechdesign.testing.sized import some_pair


def within_a_second(each):
    """Return a design of twenty inputs on a line, whose bound takes as many looks at the clock as a round."""
    # What an earlier design kept would spare it looks.
    forget()
    question = some_pair("MetricDP", "MMSE", 20, np.random.default_rng(5))
    with warnings.catch_warnings(), reading(CountingClock(each)):
        warnings.simplefilter("ignore", md.GapWarning)
        return md.design(*question, gap=1e-9, time_limit=1.0)


@pytest.mark.parametrize("each", [1e-3, 1.5e-3])
def test_a_search_that_ends_late_has_left_its_proof_the_time(each):
    made = within_a_second(each)
    assert made.route == "columns" and "time limit" in made.note
    assert made.audit.holds and made.gap <= 0.02


def test_planted_a_round_too_many_leaves_the_proof_no_time(monkeypatch):
    """Planted: rounds go on until the time is over."""
    monkeypatch.setattr(line_of_decisions, "NEXT_ROUND", 0.0)
    monkeypatch.setattr(line_of_decisions, "PROOFS", 0.0)
    assert max(within_a_second(each).gap for each in (1e-3, 1.5e-3)) > 0.05
