"""What a design learns ends with it, and is its own: two designs in two threads are what they are alone."""

import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mechdesign as md
from mechdesign.runtime import learned as learnt
from mechdesign.runtime import native_call
from mechdesign.runtime.learned import learned, learning
from mechdesign.solve.pricing import support_by_programs as supports


def test_what_is_learned_ends_with_the_design():
    with learning():
        learned("calls", list).append(1)
        with learning():
            assert learned("calls", list) == []
        assert learned("calls", list) == [1]
    with learning():
        assert learned("calls", list) == []
    assert learned("calls", list) == []


def other_thread():
    """Return what another thread finds of what was learned here."""
    found = []
    thread = threading.Thread(target=lambda: found.extend(learned("calls", list)))
    thread.start()
    thread.join()
    return found


def test_other_threads_find_nothing_of_it():
    with learning():
        learned("calls", list).append(1)
        assert other_thread() == []


def test_what_all_threads_share_is_caught(monkeypatch):
    """Planted: one dictionary of the module, as it once was."""
    shared = {}
    monkeypatch.setitem(globals(), "learned", lambda key, make: shared.setdefault(key, make()))
    with pytest.raises(AssertionError):
        test_other_threads_find_nothing_of_it()
    with pytest.raises(AssertionError):
        test_what_is_learned_ends_with_the_design()


def test_nothing_is_kept_between_designs():
    for module in (native_call, supports, learnt):
        kept = {name for name, value in vars(module).items() if isinstance(value, dict | list) and name[0] != "_"}
        assert not kept, f"{module.__name__} keeps {kept}"


def questions():
    """Return questions whose bounds come from programs, whose multipliers one design lends from one to the next."""
    rng = np.random.default_rng(4)
    for n in (6, 7):
        prior, lengths = rng.dirichlet(np.ones(n)), np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        problem = md.Problem(prior=prior, values=rng.normal(size=n))
        for notion in (
            md.MetricDP(0.7, lengths.astype(float)),
            md.BoundedPriorLIP(1.0, np.maximum(prior - 0.1, 0.0), np.minimum(prior + 0.1, 1.0)),
            md.ApproximateLDP(0.5, 0.2),
        ):
            yield problem, notion, md.MMSE()


def answer(asked):
    made = md.design(*asked)
    return made.value, made.bound, made.route, made.matrix.tobytes(), dict(made.refusals)


def test_designs_in_threads_are_what_they_are_alone():
    asked = list(questions())
    # Filters of warnings are of the whole process: they are set once, outside of the threads.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        alone = [answer(each) for each in asked]
        with ThreadPoolExecutor(2) as pool:
            together = list(pool.map(answer, asked))
    assert together == alone
