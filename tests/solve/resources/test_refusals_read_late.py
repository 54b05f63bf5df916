"""Refusals are sentences of the moment at which routes were asked, whenever they are read."""

import pickle

import numpy as np

import mechdesign as md
from mechdesign.runtime.deadline import reading
from mechdesign.solve import choose
from mechdesign.testing import sized
from mechdesign.testing.clock import CountingClock

LARGE = sized.sized_problem(250, np.random.default_rng(3))


def read_after(seconds, limit=1.0):
    """Return the refusals of a design with a time limit, read so many seconds after it."""
    clock = CountingClock(1e-4)
    with reading(clock):
        made = md.design(LARGE, md.LIP(1.0), md.AbsoluteError(), time_limit=limit)
        clock.advance(seconds)
        return dict(made.refusals)


def test_they_are_the_same_five_seconds_later():
    at_once = read_after(0.0)
    assert read_after(5.0) == at_once
    assert any("that the time limit leaves" in why for why in at_once.values())
    assert not any("-" in why.partition("more than the ")[2][:2] for why in at_once.values())


def test_they_travel_to_another_process():
    clock = CountingClock(1e-4)
    with reading(clock):
        made = md.design(LARGE, md.LIP(1.0), md.AbsoluteError(), time_limit=1.0)
        clock.advance(5.0)
        assert dict(pickle.loads(pickle.dumps(made.refusals))) == dict(made.refusals)


def test_a_clock_that_goes_on_is_caught(monkeypatch):
    monkeypatch.setattr(choose, "now", lambda: 0.0)
    assert read_after(5.0) != read_after(0.0)


def test_a_limit_that_is_forgotten_is_caught(monkeypatch):
    monkeypatch.setattr(choose, "_why_not", lambda task, left, *names: choose._why_passed_over(task, *names))
    assert not any("that the time limit leaves" in why for why in read_after(0.0).values())
