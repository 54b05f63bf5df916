"""When a search in rounds is over: neither side comes nearer, by the shares that count."""

import pytest

import mechdesign as md
from mechdesign.solve.search.incumbent import Incumbent
from mechdesign.solve.task import Task


def rounds_of(sides, **settings):
    """Return after how many of the rounds, each with what it reaches and its bound, a search is over."""
    task = Task(md.Problem(prior=[0.5, 0.5]), md.LDP(1.0), md.MutualInformation())
    progress = Incumbent(task, None, None, most_rounds=20, patience=2, **settings)
    for reached, bound in sides:
        progress.reach(reached, None)
        progress.show(bound, None)
        progress.end_round()
        if progress.is_over:
            break
    return progress.rounds


#: The mechanism gains a hundredth in each round, far from a bound that stands still.
SLOWLY = [(0.1 * 1.01**k, 0.5) for k in range(20)]


@pytest.mark.parametrize(("settings", "rounds"), [({}, 3), ({"least_gain": 0.005}, 20), ({"least_gain": 0.02}, 3)])
def test_a_gain_counts_where_a_share_of_it_does(settings, rounds):
    assert rounds_of(SLOWLY, **settings) == rounds


def test_a_nearer_bound_counts_whatever_is_gained():
    assert rounds_of([(0.1, 0.1 + 0.8**k) for k in range(20)], least_gain=0.02) == 20
