"""Designs in many threads leave the process as it was, and no warning of ours is lost."""

import os
import random
import re
import signal
import subprocess
import sys
import threading
import warnings
from contextlib import contextmanager
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from queue import SimpleQueue

import cvxpy as cp
import numpy as np
import pytest
from joblib import parallel_config
from threadpoolctl import ThreadpoolController, threadpool_info, threadpool_limits

import mechdesign as md
from mechdesign.baselines import response_matrix
from mechdesign.designing import answer as answering
from mechdesign.runtime import threads
from mechdesign.solve.interior_point import primal_dual as structured
from mechdesign.solve.solvers.catalogue import SOLVERS
from mechdesign.studies import comparison as comparing
from mechdesign.studies.sweeps import sweeping
from tests.helpers.process_state import changed, state

#: Seconds that a thread waits for another: longer than any machine needs, shorter than what ends a test that hangs.
PATIENT = 200.0
SMALL = md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
WIDE = md.Problem(prior=np.random.default_rng(5).dirichlet(np.ones(31)), values=np.sin(np.arange(31.0)))
LOSS = md.ExpectedLoss(np.random.default_rng(6).exponential(size=(3, 3)))


def imported():
    """Load what a first design loads: what a library does to the process when it is imported is its own."""
    import ecos  # noqa: F401
    import rich.progress  # noqa: F401
    import scipy.sparse.csgraph
    import scipy.special  # noqa: F401
    import scs  # noqa: F401


# What is asked in threads: every verb, every solver, and what is raised -------------------------------------------


def design(objective=LOSS, problem=SMALL, notion=None, **keywords):
    return md.design(problem, notion or md.LDP(1.0), objective, **keywords)


def swept(n_jobs=2):
    asked = SMALL, [md.LDP, md.LIP], [md.MMSE(), LOSS], [0.5, 1.0]
    with parallel_config(backend="threading"):
        table = md.sweep(*asked, n_jobs=n_jobs, gap=1e-15, progress=False)
    assert {row.status for row in table} <= {"certified", "gap wider than asked"}


def claimed():
    def variation(problem):
        return md.TotalVariation(problem.prior, problem.prior[::-1])

    def response(problem, notion, objective):
        return response_matrix(problem.n, notion.epsilon)

    assert md.check_claim((2, 2), md.LDP, variation, response).verdict == "holds"


def raising(kind):
    """Return rules of a user's own that raise in the midst of a design."""

    def rules(Q):
        raise kind("in the midst of it")

    return rules


#: What raises nothing.
QUIET = {
    "design by rays": lambda: design(route="rays"),
    "design by HiGHS": lambda: design(route="columns", solver="HIGHS", threads=2),
    "design by Clarabel": lambda: design(route="columns", solver="CLARABEL", threads=1),
    "design by our own": lambda: design(md.HammingLoss(), WIDE, solver="STRUCTURED"),
    "design by our own, two threads": lambda: design(md.HammingLoss(), WIDE, solver="STRUCTURED", threads=2),
    "design by ECOS": lambda: design(route="convex", solver="ECOS"),
    "design by SCS": lambda: design(md.WorstCaseLoss(1 - np.eye(3)), route="convex", solver="SCS", gap=0.1),
    "design of weights": lambda: design(md.InformationDesign("A")),
    "comparison": lambda: md.compare(SMALL, md.LDP(1.0), md.MMSE(), gap=1e-15),
    "frontier": lambda: md.frontier(SMALL, md.LDP, md.MMSE(), [0.5, 1.0, 2.0], threads=1),
    "sweep": swept,
    "audit": lambda: md.audit(np.full((3, 2), 0.5), md.LDP(1.0)),
    "verification": lambda: md.verify("ours/M4"),
    "claim": claimed,
}
#: What raises, and what: an error, a warning (which the tests make an error), or an exception of the user's own.
LOUD = {
    "wide gap": (lambda: design(md.InformationDesign("A"), gap=1e-300), md.GapWarning),
    "wide frontier": (lambda: md.frontier(SMALL, md.LDP, md.InformationDesign("A"), [1.0], gap=1e-300), md.GapWarning),
    "bad input": (lambda: design(gap=-1.0, threads=2), md.DomainError),
    "no such route": (lambda: design(md.MMSE(), route="quantised", notion=md.LIP(1.0), threads=1), md.UnsupportedError),
    "contradiction": (lambda: design(subject_to=lambda Q: [Q[0, 0] >= 2], threads=2), md.InfeasibleError),
    "a user's error": (lambda: design(subject_to=raising(RuntimeError), threads=1), RuntimeError),
    "Ctrl-C": (lambda: design(subject_to=raising(KeyboardInterrupt), threads=2), KeyboardInterrupt),
}


def call(name):
    """Do what is asked, and assert that it ends as it has to: in this thread."""
    if name in QUIET:
        QUIET[name]()
        return
    work, error = LOUD[name]
    with pytest.raises(error):
        work()


def together(works):
    """Run each list of works in a thread of its own, all from one moment on, and return what was raised."""
    start, raised = threading.Barrier(len(works)), []

    def run(some):
        start.wait()
        for work in some:
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
                raised.append(error)

    running = [threading.Thread(target=run, args=(some,)) for some in works]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return raised


def storm(seed, count):
    """Ask everything in each of `count` threads, each in an order of its own."""
    imported()
    before = state()
    orders = [random.Random(seed + k).sample([*QUIET, *LOUD], len(QUIET) + len(LOUD)) for k in range(count)]
    raised = together([[lambda name=name: call(name) for name in order] for order in orders])
    assert not raised, raised
    assert not changed(before)


def test_many_threads_leave_the_process_as_it_was():
    storm(0, 4)


@pytest.mark.slow
def test_many_more_threads_leave_the_process_as_it_was():
    storm(100, 16)


@pytest.mark.parametrize("name", [*QUIET, *LOUD])
def test_each_verb_leaves_the_process_as_it_was(name, tmp_path):
    imported()
    before = state()
    call(name)
    assert not changed(before)


def test_loading_leaves_the_process_as_it_was(tmp_path):
    path = design().mechanism.save(tmp_path / "design.json")
    imported()
    before = state()
    assert not together([[lambda: md.load(path)] * 2] * 4)
    assert not changed(before)


# Two that overlap: the first leaves while the second is inside -----------------------------------------------------


class Relay:
    """Makes the first of two calls leave while the second is inside: the order in which what was saved gets lost."""

    def __init__(self):
        self.first_in, self.second_in, self.first_out = (threading.Event() for _ in range(3))
        self._lock, self._seen = threading.Lock(), set()

    def pause(self):
        """Wait here, in the midst of the work, for one's turn."""
        me = threading.current_thread().name
        with self._lock:
            if me in self._seen:
                return
            self._seen.add(me)
        if me == "first":
            self.first_in.set()
            self.second_in.wait(PATIENT)
        else:
            self.second_in.set()
            self.first_out.wait(PATIENT)

    def run(self, work):
        """Run `work` in two threads that overlap, and return what they raised."""
        raised = []

        def each(before, after):
            before.wait(PATIENT)
            try:
                work()
            except BaseException as error:  # noqa: BLE001 - whatever it is, the test tells it
                raised.append(error)
            after.set()

        always = threading.Event()
        always.set()
        first = threading.Thread(target=each, args=(always, self.first_out), name="first")
        second = threading.Thread(target=each, args=(self.first_in, threading.Event()), name="second")
        first.start()
        second.start()
        first.join()
        second.join()
        assert self.second_in.is_set(), "they did not overlap"
        return raised


def pausing(monkeypatch, where, name):
    """Let the function `name` of `where` pause for the other thread before it works."""
    relay, own = Relay(), getattr(where, name)

    def paused(*arguments, **keywords):
        relay.pause()
        return own(*arguments, **keywords)

    monkeypatch.setattr(where, name, paused)
    return relay


OVERLAPS = {
    "the count of a design": (answering, "_routed", lambda: design(threads=1)),
    "another count": (answering, "_routed", lambda: design(threads=7)),
    "the count of our own solver": (structured, "_iterated", QUIET["design by our own"]),
    "filters of the convex route": (cp.Problem, "solve", lambda: design(route="convex", solver="CLARABEL")),
    "filters of weights": (cp.Problem, "solve", QUIET["design of weights"]),
    "filters of a comparison": (comparing, "answered", QUIET["comparison"]),
    "filters of a sweep": (sweeping, "answered", lambda: swept(n_jobs=1)),
    "a user's error": (answering, "_routed", lambda: call("a user's error")),
    "Ctrl-C": (answering, "_routed", lambda: call("Ctrl-C")),
}


@pytest.mark.thinned(3)
@pytest.mark.parametrize("case", OVERLAPS)
def test_two_that_overlap_leave_the_process_as_it_was(case, monkeypatch):
    where, name, work = OVERLAPS[case]
    imported()
    before = state()
    relay = pausing(monkeypatch, where, name)
    assert not relay.run(work)
    assert not changed(before)
    # A warning of ours is raised as ever.
    call("wide gap")


def test_a_solver_that_takes_over_ctrl_c_runs_alone(monkeypatch):
    assert not both_inside(monkeypatch, "ECOS") and not both_inside(monkeypatch, "SCS")
    assert both_inside(monkeypatch, "CLARABEL")
    ecos = SOLVERS["ECOS"]
    together_too = replace(ecos, through_cvxpy=replace(ecos.through_cvxpy, handles_interrupts=False))
    monkeypatch.setitem(SOLVERS, "ECOS", together_too)
    assert both_inside(monkeypatch, "ECOS")


class Queue:
    """A lock that says when somebody has to wait for it."""

    def __init__(self, event):
        self.lock, self.event = threading.Lock(), event

    def __enter__(self):
        if not self.lock.acquire(blocking=False):
            self.event.set()
            self.lock.acquire()

    def __exit__(self, *_):
        self.lock.release()


def both_inside(monkeypatch, solver):
    """Return whether two threads are within the solver at once."""
    settled, own, inside, met = threading.Event(), cp.Problem.solve, [], []

    def solve(self, **keywords):
        inside.append(solver)
        met.append(len(inside) == 2)
        if met[-1]:
            settled.set()
        # The first stays until the other is here as well, or has to wait.
        settled.wait()
        try:
            return own(self, **keywords)
        finally:
            inside.pop()

    with monkeypatch.context() as patched:
        patched.setattr(cp.Problem, "solve", solve)
        patched.setattr(threads, "_HANDLER", Queue(settled))
        assert not together([[lambda: design(route="convex", solver=solver, gap=0.5)]] * 2)
    return any(met)


#: What changes the whole process; the command and runs of the benchmark have their own, and contracts run in tests.
GLOBAL = "catch_warnings|simplefilter|filterwarnings|threadpool_limits|seterr|np.random.seed|os.chdir"
OWN_PROCESS = ("cli", "testing", "bench/running/child.py")


def global_changes(text):
    """Return the names in `text` that change the whole process."""
    return re.findall(rf"\b(?:{GLOBAL})\(", text)


def test_no_module_changes_the_process():
    folder = Path(md.__file__).parent
    for path in folder.rglob("*.py"):
        within = path.relative_to(folder)
        if within.parts[0] not in OWN_PROCESS and within.as_posix() not in OWN_PROCESS:
            assert not global_changes(path.read_text()), path
    assert global_changes("with warnings.catch_warnings():") and not global_changes("with np.errstate(all='ignore'):")


# The number of BLAS threads ----------------------------------------------------------------------------------------


#: What brings a BLAS of its own that is not numpy's: a solver, and a peer of the benchmarks that no design uses.
OTHERS = ("scs", "qif")


def counts():
    return {pool["num_threads"] for pool in threadpool_info() if not any(of in pool["filepath"] for of in OTHERS)}


def release_control(pool):
    """Let any thread set the count again: newer versions of threadpoolctl keep it to the one that did."""
    if hasattr(pool, "clear_controlling_thread"):
        pool.clear_controlling_thread()


class Holder:
    """A thread of its own that enters and leaves a limit when it is told to."""

    def __init__(self, limit, count):
        self.orders, self.done = SimpleQueue(), SimpleQueue()
        self.thread = threading.Thread(target=self._run, args=(limit, count))
        self.thread.start()

    def _run(self, limit, count):
        self.orders.get()
        try:
            with limit(count):
                self.done.put(None)
                if self.orders.get() == "raise":
                    raise RuntimeError  # noqa: TRY301 - within the limit
        except RuntimeError:
            pass
        self.done.put(None)
        self.orders.get()

    def do(self, order="go"):
        self.orders.put(order)
        self.done.get()


def orders_of(limit):
    """Hold limits of 1, 3 and 5 threads in all orders of entering and leaving; assert the least holds, then the old."""
    imported()
    asked = (3, 1, 5)
    for entering in permutations(range(3)):
        for leaving in permutations(range(3)):
            before = state()["BLAS threads"]
            holders = [Holder(limit, count) for count in asked]
            try:
                inside = []
                for which in entering:
                    holders[which].do()
                    inside.append(asked[which])
                    assert counts() == {min(inside)}
                for which in leaving:
                    holders[which].do("raise" if which == 1 else "go")
                    inside.remove(asked[which])
                    assert not inside or counts() == {min(inside)}
                assert state()["BLAS threads"] == before
            finally:
                for holder in holders:
                    holder.orders.put("go")
                    holder.orders.put("go")
                    holder.orders.put("go")
                    holder.thread.join()


def test_the_least_count_holds_and_the_old_one_comes_back():
    orders_of(threads.blas_limited)


def test_a_count_that_each_thread_puts_back_by_itself_is_caught():
    imported()
    kept = [(pool, pool.get_num_threads()) for pool in ThreadpoolController().lib_controllers]
    try:
        with pytest.raises(AssertionError):
            orders_of(lambda count: threadpool_limits(limits=count, user_api="blas"))
    finally:
        for pool, count in kept:
            pool.set_num_threads(count)
            release_control(pool)


#: Each verb that designs, with its keywords.
DESIGNING = {
    "design": lambda **keywords: design(md.HammingLoss(), WIDE, **keywords),
    "design of few outputs": lambda **keywords: design(within=0.5, **keywords),
    "frontier": lambda **keywords: md.frontier(SMALL, md.LDP, md.MMSE(), [0.5, 1.0], **keywords),
    "calibration": lambda **keywords: md.calibrate(SMALL, md.LDP, md.MMSE(), 0.3, tolerance=0.5, **keywords),
    "sweep": lambda **keywords: md.sweep(SMALL, md.LDP, md.MMSE(), [0.5], n_jobs=1, progress=False, **keywords),
}


@pytest.mark.parametrize(
    ("verb", "asked", "within"),
    [*((verb, {}, 1) for verb in (*DESIGNING, "comparison")), *((verb, {"threads": 2}, 2) for verb in DESIGNING)],
)
def test_blas_has_one_thread_unless_more_are_asked_for(verb, asked, within, monkeypatch):
    imported()
    own, seen = answering._routed, []

    def routed(*arguments):
        seen.append(counts())
        return own(*arguments)

    monkeypatch.setattr(answering, "_routed", routed)
    with threadpool_limits(limits=3, user_api="blas"):
        (QUIET | DESIGNING)[verb](**asked)
        assert counts() == {3}
    assert seen
    assert all(found == {within} for found in seen)


def test_estimates_have_one_blas_thread(monkeypatch):
    imported()
    own, seen = np.linalg.qr, []

    def factorised(*arguments):
        seen.append(counts())
        return own(*arguments)

    mechanism = design(md.MMSE(), md.Problem(prior=[0.1, 0.2, 0.3, 0.4], values=[0, 1, 2, 4])).mechanism
    reports = np.full(mechanism.matrix.shape[1], 100)
    monkeypatch.setattr(np.linalg, "qr", factorised)
    with threadpool_limits(limits=3, user_api="blas"):
        mechanism.estimate(counts=reports).linear.variances(np.eye(4))
        assert counts() == {3}
    assert seen
    assert all(found == {1} for found in seen)


def test_a_design_within_another_has_as_many_threads():
    imported()
    with threads.limited(2), threads.limited(None):
        assert counts() == {2} == {threads.thread_count()}
    with threads.limited(None):
        assert counts() == {1} == {threads.thread_count()}


FIRST = """
from threadpoolctl import threadpool_info
import mechdesign as md
from mechdesign.designing import answer
own = answer._routed
def routed(*arguments):
    print(*sorted(pool["num_threads"] for pool in threadpool_info()))
    return own(*arguments)
answer._routed = routed
md.design(md.Problem(prior=[0.2, 0.3, 0.5]), md.LDP(1.0), md.HammingLoss())
print(*sorted(pool["num_threads"] for pool in threadpool_info()))
"""


def test_the_first_design_of_a_process_limits_what_it_loads():
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "2", "MKL_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    run = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FIRST], env=environment, capture_output=True, text=True, check=True
    )
    within, after = (set(line.split()) for line in run.stdout.splitlines())
    assert within == {"1"}
    assert after == {"2"}


def test_a_count_that_somebody_else_has_set_meanwhile_stays():
    imported()
    with threadpool_limits(limits=2, user_api="blas"):
        with threads.blas_limited(1):
            threadpool_limits(limits=4, user_api="blas")
        assert counts() == {4}


# Planted leaks: each a way of quietening or of being repeatable that changes the process ----------------------------


@contextmanager
def quietened():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        yield


@contextmanager
def of_three_threads():
    with threadpool_limits(limits=3, user_api="blas"):
        yield


def overlapping(leaky):
    """Return what two designs within `leaky` change that overlap."""
    relay = Relay()

    def work():
        with leaky():
            relay.pause()

    imported()
    kept = [(pool, pool.get_num_threads()) for pool in ThreadpoolController().lib_controllers]
    with warnings.catch_warnings():
        before = state()
        relay.run(work)
        found = set(changed(before))
    for pool, count in kept:
        pool.set_num_threads(count)
        release_control(pool)
    return found


def test_planted_leaks_of_threads_are_caught():
    assert overlapping(quietened) == {"filters", "list of filters"}
    assert overlapping(of_three_threads) == {"BLAS threads"}
    assert overlapping(lambda: threads.blas_limited(1)) == set()


ALONE = {
    "filters": lambda: warnings.simplefilter("ignore"),
    "showwarning": lambda: setattr(warnings, "showwarning", print),
    "numpy's errors": lambda: np.seterr(all="raise"),
    "numpy's printing": lambda: np.set_printoptions(precision=3),
    "numpy's random numbers": lambda: np.random.seed(0),  # noqa: NPY002 - planted
    "random numbers": lambda: random.seed(0),
    "signal handlers": lambda: signal.signal(signal.SIGTERM, lambda *_: None),
    "environment": lambda: os.environ.update(OMP_NUM_THREADS="1"),
    "folder": lambda: os.chdir("/"),
    "streams": lambda: setattr(sys, "stdout", sys.stderr),
    "limits": lambda: sys.setrecursionlimit(12345),
}


@pytest.mark.parametrize("what", ALONE)
def test_planted_leaks_are_caught(what, monkeypatch):
    numbers = np.random.get_state()  # noqa: NPY002 - the state that a process has one of
    kept = np.geterr(), np.get_printoptions(), numbers, random.getstate(), Path.cwd()
    kept += signal.getsignal(signal.SIGTERM), sys.stdout, sys.getrecursionlimit(), warnings.showwarning
    monkeypatch.setenv("OMP_NUM_THREADS", "2")
    try:
        with warnings.catch_warnings():
            before = state()
            ALONE[what]()
            assert what in changed(before)
    finally:
        np.seterr(**kept[0])
        np.set_printoptions(**kept[1])
        np.random.set_state(kept[2])  # noqa: NPY002 - likewise
        random.setstate(kept[3])
        os.chdir(kept[4])
        signal.signal(signal.SIGTERM, kept[5])
        sys.stdout = kept[6]
        sys.setrecursionlimit(kept[7])
        warnings.showwarning = kept[8]
