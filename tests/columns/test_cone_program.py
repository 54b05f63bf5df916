"""The programs of some notions: where Clarabel fails the bound is wide and sound, and it hears the time limit."""

import threading
from types import SimpleNamespace

import clarabel
import numpy as np
import pytest

import mechdesign as md
from mechdesign.columns.cone_program import of_each
from mechdesign.runtime.deadline import OutOfTime, reading, until
from mechdesign.testing.clock import CountingClock

HIDDEN = md.Problem(prior=[0.2, 0.3, 0.5]).hidden(secret_given_data=[[0.9, 0.2, 0.4], [0.1, 0.8, 0.6]])
#: The notion, and what a unit of its budget costs.
ASKED = {
    "chi-square": (md.StrongChiSquare(0.5), np.zeros(0)),
    "information": (md.MutualInformationPrivacy(0.1), np.ones(1)),
    "norm": (md.SibsonLeakage(0.1, 3.0), np.ones(1)),
}


def supported(name, rng):
    """Return functionals, the notion's support function at them, and what random private columns reach."""
    notion, nu = ASKED[name]
    functionals = rng.normal(size=(4, 3))
    found = notion.columns(HIDDEN).support(functionals, nu)
    columns = rng.dirichlet(np.ones(3), size=400).T
    columns = np.hstack([1.0 + 0.1 * (columns - columns.mean(axis=0)), np.ones((3, 1))])
    columns /= notion.columns(HIDDEN).normal @ columns
    kept = np.array([notion.level(columns[:, [y]], HIDDEN).value <= 0.5 for y in range(columns.shape[1])])
    charged = notion.columns(HIDDEN).budget().cost(columns[:, kept])
    return found, functionals @ columns[:, kept] - (nu @ charged if len(nu) else 0.0)


def solver(run):
    """Return what stands for Clarabel's solver: its work is `run`."""
    return lambda *_: SimpleNamespace(solve=run)


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("fails", [False, True])
def test_a_bound_holds_also_where_the_program_fails(name, fails, rng, monkeypatch):
    def crash():
        raise RuntimeError("no cone like that")

    if fails:
        monkeypatch.setattr(clarabel, "DefaultSolver", solver(crash))
    found, reached = supported(name, rng)
    assert reached.shape[1] > 50 and np.all(reached.max(axis=1) <= found.values + 1e-12)


@pytest.mark.parametrize("name", ASKED)
def test_a_program_that_goes_on_past_the_time_limit_is_left(name, monkeypatch):
    clock, release = CountingClock(), threading.Event()

    def going_on():
        clock.overrun.set()
        release.wait()

    monkeypatch.setattr(clarabel, "DefaultSolver", solver(going_on))
    notion, nu = ASKED[name]
    with reading(clock), until(1.0), pytest.raises(OutOfTime):
        notion.columns(HIDDEN).support(np.eye(3), nu)
    release.set()


@pytest.mark.parametrize("name", ASKED)
def test_many_functionals_look_at_the_clock_a_few_times(name, rng):
    notion, nu = ASKED[name]
    clock = CountingClock(1.0)
    # One call of the solver for each of them looked four times, and left little of a time limit.
    with reading(clock), until(1e6):
        notion.columns(HIDDEN).support(rng.normal(size=(200, 3)), nu)
    assert clock.seconds <= 20


def test_batches_are_all_functionals_in_their_order(rng):
    functionals = rng.normal(size=(11, 3))
    for numbers in (1, 5_000, 10**6):
        assert of_each(functionals, lambda h: float(h[0]), numbers) == functionals[:, 0].tolist()
