"""Bad solvers are told from a good one, each by name for what it does."""

import pytest

from mechdesign import bench
from mechdesign.bench.running.child import Order
from mechdesign.bench.running.isolated import run_isolated
from mechdesign.bench.running.one_run import Asked, run_of
from mechdesign.bench.running.record import Conditions, machine
from mechdesign.bench.sets import SETS_VERSION
from mechdesign.bench.solvers import solver_named

#: Seconds that nobody needs, and those of a solver that never returns: on any machine one is enough, the other not.
ENOUGH, SHORT = 600.0, 0.5
#: Two inputs, four rows: each run is a process of its own.
INSTANCE = 5


@pytest.fixture(scope="module")
def of():
    """Return the run of a planted solver."""
    instance = bench.instances("small")[INSTANCE]

    def run(name, **limits):
        asked = f"mine=tests.bench.bad_solvers:{name}"
        order = Order(asked, instance, 1e-9, limits.get("seconds", ENOUGH), limits.get("memory", 1 << 31), 1)
        conditions = Conditions(SETS_VERSION, ENOUGH, 2.0, 1, machine())
        return run_of(Asked("small", instance, solver_named(asked), "", order, conditions))

    return run


def test_a_good_solver_has_no_fault_but_rounding(of):
    found = of("good")
    assert found.outcome == "answered", found.why
    assert found.score.error < 1e-9
    assert found.score.bound_error < 1e-9
    assert found.score.privacy.amount < 1e-12
    assert all(fault.startswith("its matrix is not private") for fault in found.score.faults)


#: What each does, in the words of its fault, its outcome or its reason.
NAMED = {
    "off_by_a_millionth": "is not private",
    "liar": "it says optimal",
    "opposite_duals": "opposite sign",
    "swapped_duals": "belong to no optimum",
    "gives_up": "it says infeasible",
}


@pytest.mark.parametrize("name", NAMED)
def test_a_false_answer_is_named_for_what_it_does(of, name):
    found = of(name)
    assert found.outcome == "answered", found.why
    assert any(NAMED[name] in fault for fault in found.score.faults), found.score.faults


def test_a_matrix_off_by_a_millionth_has_its_amount(of):
    score = of("off_by_a_millionth").score
    assert 5e-7 < score.privacy.amount < 5e-6
    assert score.privacy.level > 1.0 + 1e-6


#: The outcome of those that give no answer, and a word of the reason.
ENDED = {
    "sleeper": ("timed out", "within"),
    "raises": ("raised", "KeyError"),
    "wrong_shape": ("malformed", "entries"),
    "not_a_number": ("malformed", "finite"),
    "imaginary": ("malformed", "complex"),
    "words": ("malformed", "real numbers"),
    "crashes": ("crashed", "SIGSEGV"),
    "greedy": ("out of memory", "GB"),
}


@pytest.mark.thinned(32)
@pytest.mark.parametrize("name", ENDED)
def test_what_ends_without_an_answer_is_an_outcome(of, name):
    found = of(name, seconds=SHORT) if name == "sleeper" else of(name)
    outcome, word = ENDED[name]
    assert found.outcome == outcome, (found.outcome, found.why)
    assert word in found.why


def test_what_a_solver_does_besides_is_noted(of):
    found = of("noisy")
    assert set(found.notes) == {"it changes the arrays that it is given", "it prints to standard output"}
    # The program that judges is another one than the one that was changed.
    assert found.score.error < 1e-9


@pytest.mark.parametrize(
    ("asked", "rule"),
    [
        ("mine=tests.bench.bad_solver:good", "no module"),
        ("mine=tests.bench.bad_solvers:god", 'did you mean "good"'),
        ("mine=good", "module:function"),
    ],
)
def test_a_solver_that_is_not_found_is_a_row_with_its_reason(asked, rule):
    instance = bench.instances("small")[INSTANCE]
    found = run_isolated(Order(asked, instance, 1e-9, ENOUGH, 1 << 31, 1))
    assert found.outcome == "malformed"
    assert rule in found.why
