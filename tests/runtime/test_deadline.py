"""One clock: whatever is within a deadline, however deep, has no more time than that."""

from concurrent.futures import Future, ThreadPoolExecutor
from threading import Event, current_thread

import pytest

import mechdesign as md
from mechdesign.designing import answer
from mechdesign.designing.answer import answered
from mechdesign.designing.settings import Settings
from mechdesign.runtime import deadline
from mechdesign.runtime.deadline import (
    Clock,
    OutOfTime,
    at_least,
    available,
    in_share,
    is_late,
    later,
    or_leave,
    reading,
    sooner,
    time_left,
    until,
)
from mechdesign.testing.clock import CountingClock

#: On a clock that stands still unless it is moved.
START = 100.0


@pytest.fixture
def clock():
    stopped = CountingClock(0.0)
    stopped.advance(START)
    with reading(stopped):
        yield stopped


@pytest.mark.parametrize(
    ("within", "left"),
    [
        (lambda: in_share(0.25), 2.5),
        (lambda: sooner(3.0), 7.0),
        (lambda: later(0.5), 10.5),
        (lambda: at_least(4.0), 10.0),
        (lambda: at_least(40.0), 40.0),
        (lambda: until(None), None),
        (lambda: until(START + 99.0), 99.0),
    ],
)
def test_what_is_left_within(clock, within, left):
    with until(START + 10.0):
        with within():
            assert time_left() == left
            clock.advance(0.0 if left is None else left - 0.25)
            assert not is_late()
            clock.advance(0.0 if left is None else 0.25)
            assert is_late() == (left is not None)
        assert time_left() == 10.0 - (left or 0.0)


def test_without_a_deadline_nothing_is_late(clock):
    for within in (in_share(0.5), sooner(3.0), later(1.0), at_least(1.0)):
        with within:
            assert time_left() is None and not is_late()


@pytest.mark.parametrize(("given", "left", "seconds"), [(None, None, None), (3.0, None, 3.0), (None, 9.0, 9.0)])
def test_the_fewer_seconds_are_available(clock, given, left, seconds):
    with until(None if left is None else START + left):
        assert available(given) == seconds
        assert left is None or (available(2.0) == 2.0 and available(20.0) == left)


def left_at(clock, within):
    """Return the seconds after which a solver that goes on past its limit is left."""
    over = Event()

    def going_on():
        clock.overrun.set()
        over.wait(20.0)

    try:
        with until(START + 10.0), within(), pytest.raises(OutOfTime):
            or_leave(going_on, 0.25, "at work")
    finally:
        over.set()
    return clock.seconds - START


@pytest.mark.parametrize("within", [lambda: in_share(0.25), lambda: sooner(3.0), lambda: at_least(1.0)])
def test_solvers_are_left_at_the_deadline_not_sooner(clock, within):
    assert left_at(clock, within) == 10.25


def test_a_solver_left_sooner_is_caught(clock):
    assert left_at(clock, lambda: until(START + 7.0)) != 10.25


def test_what_may_take_long_has_a_thread_of_its_own_in_the_main_one_alone(clock):
    def thread(**keywords):
        return or_leave(current_thread, 0.25, "at work", **keywords)

    here = current_thread()
    assert thread() is not here and thread(brief=True) is here
    with ThreadPoolExecutor(1) as pool:
        # Ctrl-C reaches the main thread alone.
        assert pool.submit(thread).result() is pool.submit(current_thread).result()
    with until(START + 10.0):
        assert thread(brief=True) is not here


class Stepping(Clock):
    """A clock that is a quarter of a second later at each look."""

    def __init__(self):
        self.looks = 0

    def now(self):
        self.looks += 1
        return START + 0.25 * (self.looks - 1)


def test_an_outcome_is_waited_for_until_the_moment_it_is_late(monkeypatch):
    slept = []
    monkeypatch.setattr(deadline, "wait", lambda _, timeout: slept.append(timeout))
    clock = Stepping()
    clock.wait(Future(), START + 1.0)
    # The fifth look is at the end. Ctrl-C is listened for less and less often, but ten times a second.
    assert clock.looks == 5 and slept == [0.01, 0.02, 0.04, 0.08]
    done = Future()
    done.set_result(1)
    clock.wait(done, START + 100.0)
    assert clock.looks == 5


def seconds_of_a_design(monkeypatch, left, limit):
    """Return the seconds that routes have within a deadline of the caller's, by a stand-in that notes them."""
    noted = []

    def noting(*asked):
        noted.append(time_left())
        return routed(*asked)

    routed = answer._routed
    monkeypatch.setattr(answer, "_routed", noting)
    with until(None if left is None else START + left):
        survey = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
        answered(survey, md.LDP(1.0), md.MMSE(), Settings(time_limit=limit))
    return noted[0]


@pytest.mark.parametrize(("left", "limit", "most"), [(10.0, None, 10.0), (10.0, 4.0, 4.0), (10.0, 40.0, 10.0)])
def test_a_design_has_no_more_time_than_its_caller(clock, monkeypatch, left, limit, most):
    assert 0.5 * most <= seconds_of_a_design(monkeypatch, left, limit) < most


def test_a_design_that_forgets_its_caller_is_caught(clock, monkeypatch):
    monkeypatch.setattr(answer, "available", lambda seconds: seconds)
    assert seconds_of_a_design(monkeypatch, 10.0, None) is None
