"""What mechdesign promises, as ratios to the ``2^15``-column linear program measured in the same interpreter."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mechdesign as md
from benchmarks.measuring import Part, Row, apart, promised, quickest, seconds
from benchmarks.unit import bare_highs, unit_seconds
from mechdesign.objectives import Objective

#: Wall seconds after which a measurement is stopped: a promise missed by so much is missed.
LIMIT = 150.0
#: And after which the bare solver and libqif are: many times what has to be shown.
BARE_LIMIT = PEER_LIMIT = 40.0


@dataclass(frozen=True)
class Target:
    """One promise: what is measured by which function, and what it has to stay below."""

    work: str
    at_most: float
    measured_by: str
    arguments: dict[str, Any] = field(default_factory=dict)
    unit: str = "x"
    #: Measured by `quick` too.
    quick: bool = False


def made(kind: str, n: int, notion: str, epsilon: float, objective: str, gap: float, **_: Any) -> tuple[Any, ...]:
    """Return a question: values and a prior that are skewed, uniform, or Zipf's."""
    rng = np.random.default_rng(n)
    ranks = 1.0 / np.arange(1, n + 1)
    prior = {"skewed": rng.dirichlet(np.ones(n)), "uniform": np.full(n, 1.0 / n), "zipf": ranks / ranks.sum()}[kind]
    values = rng.normal(size=n) if kind == "skewed" else np.arange(n) / n
    theta, other = rng.dirichlet(np.ones(n)), rng.dirichlet(np.ones(n))
    objectives: dict[str, Callable[[], Objective]] = {
        "mmse": md.MMSE,
        "fisher": lambda: md.FisherInformation(theta, theta - other),
        "kl": lambda: md.KLDivergence(theta, other),
        "information": md.MutualInformation,
        "absolute": md.AbsoluteError,
        "histogram": md.HistogramMMSE,
        "chernoff": lambda: md.ChernoffExponent(theta, other),
    }
    notions: dict[str, Callable[[float], md.Notion]] = {
        "LDP": md.LDP,
        "LIP": md.LIP,
        "StrongL1": md.StrongL1,
        "StrongChiSquare": md.StrongChiSquare,
        "LDP(1.5) & LIP": lambda level: md.LDP(1.5) & md.LIP(level),
    }
    return md.Problem(prior=prior, values=values), notions[notion](epsilon), objectives[objective](), gap


def design(first: bool, **asked: Any) -> dict[str, Any]:
    """Measure one design, with all that is loaded on the way where `first`, and the unit after it."""
    problem, notion, objective, gap = made(**asked)
    with warnings.catch_warnings():
        # The gap is reported beside the number.
        warnings.simplefilter("ignore", md.GapWarning)
        if not first:
            md.design(md.Problem(prior=[0.25, 0.75], values=[0, 1]), notion, md.MMSE())
        started = time.process_time()
        found = md.design(problem, notion, objective, gap=gap, time_limit=LIMIT / 2)
        took = time.process_time() - started
    note = f"route {found.route}, gap {found.gap:.1e}"
    return {"number": took / unit_seconds(2), "kept": found.gap <= gap, "note": note}


def map_design(side: int, epsilon: float, gap: float) -> dict[str, Any]:
    """Measure the map of a square grid with Euclidean loss and a random prior, and the unit after it."""
    at = np.stack(np.divmod(np.arange(side**2), side), axis=1).astype(float)
    notion = md.MetricDP.from_points(epsilon, at)
    problem = md.Problem(prior=np.random.default_rng(side).dirichlet(np.ones(side**2)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", md.GapWarning)
        started = time.process_time()
        found = md.design(problem, notion, md.ExpectedLoss(notion.distance), gap=gap, time_limit=LIMIT / 2)
        took = time.process_time() - started
    note = f"route {found.route}, gap {found.gap:.1e}"
    return {"number": took / unit_seconds(2), "kept": found.gap <= gap, "note": note}


def beside_highs(n: int, whole: bool) -> dict[str, Any]:
    """Compare an expected-loss design with HiGHS on the very program that it would be given as arrays."""
    from mechdesign.solve.programs.over_decisions import decision_program

    problem, notion, objective, gap = made("skewed", n, "LDP", 1.0, "absolute", 1e-6)
    gains = objective.gains(problem)
    program, _ = decision_program(notion.columns(problem).cone(), gains / np.abs(gains).max())
    bare, said = quickest_highs(program)
    found = md.design(problem, notion, objective, gap=gap)
    took = quickest(lambda: md.design(problem, notion, objective, gap=gap))
    share = 1.0 if whole else found.timings["solve"] / sum(found.timings.values())
    return {"number": took * share / bare, "kept": found.gap <= gap, "note": f"HiGHS {said}"}


def quickest_highs(program: Any) -> tuple[float, str]:
    """Return the processor seconds of HiGHS on `program`, by simplex or interior point, whichever is quicker."""
    times: dict[str, tuple[bool, float]] = {}
    for name in ("simplex", "ipx"):
        ended: list[bool] = []

        def run(name: str = name, ended: list[bool] = ended) -> None:
            bounds = (program.row_low, program.row_high)
            ended.append(bare_highs(program.cost, program.rows, *bounds, solver=name, time_limit=BARE_LIMIT)[0])

        took = quickest(run)
        times[name] = not all(ended), took
    stopped, took = min(times.values())
    name = min(times, key=lambda key: times[key])
    return took, f"{name} {took:.2g} s" + (", stopped: at most" if stopped else "")


def beside_libqif(n: int) -> dict[str, Any]:
    """Compare an expected-loss design with libqif's mechanism of least loss."""
    problem, notion, objective, gap = made("skewed", n, "LDP", 1.0, "absolute", 1e-6)
    prior = np.asarray(problem.prior)
    problem = md.Problem(prior=prior, values=np.arange(n))
    found = md.design(problem, notion, objective, gap=gap)
    ours = seconds(lambda: md.design(problem, notion, objective, gap=gap), 3)
    peer = apart("benchmarks.peers:libqif", {"prior": prior.tolist(), "epsilon": 1.0}, PEER_LIMIT)
    if "seconds" not in peer.value:
        if peer.why.startswith("stopped"):
            note = f"at most: libqif was {peer.why} ({peer.seconds:.0f} s of processor)"
            return {"number": ours / peer.seconds, "kept": True, "note": note}
        return {"number": None, "kept": False, "note": peer.why}
    note = f"libqif {peer.value['seconds']:.3g} s, mechdesign {ours:.3g} s"
    same = abs(peer.value["value"] - found.value) <= 1e-5 * found.value
    return {"number": ours / peer.value["seconds"], "kept": same, "note": note}


def frontier(n: int, notion: str, objective: str, levels: int) -> dict[str, Any]:
    """Compare a frontier over epsilons with as many separate designs."""
    problem, kind, goal, _ = made("skewed", n, notion, 1.0, objective, 1e-6)
    epsilons = np.geomspace(0.1, 4.0, levels)
    md.design(problem, kind, goal)
    started = time.process_time()
    traced = md.frontier(problem, kind, goal, epsilons.tolist())
    ours = time.process_time() - started
    alone = [md.design(problem, kind.at(float(epsilon)), goal) for epsilon in epsilons]
    apart_ = time.process_time() - started - ours
    same = np.allclose([design.value for design in traced], [design.value for design in alone], rtol=1e-5)
    return {"number": ours / apart_, "kept": bool(same), "note": f"{ours:.2g} s against {apart_:.2g} s"}


def exact_check(n: int) -> dict[str, Any]:
    """Measure the audit of anyone's n x n matrix of floats, in exact arithmetic, level included."""
    matrix = 1.0 + np.random.default_rng(0).random((n, n))
    matrix /= matrix.sum(axis=1, keepdims=True)
    started = time.process_time()
    found = md.audit(matrix, md.LDP(20.0))
    return {"number": time.process_time() - started, "kept": True, "note": f"level {float(found):.6g}"}


def imported() -> dict[str, Any]:
    """Compare ``import mechdesign`` with ``import numpy``, both in fresh interpreters, the bare start taken off."""
    from benchmarks.spine import import_time

    row = import_time()
    return {"number": row.number, "kept": True, "note": row.note}


def targets() -> Iterator[Target]:
    """Yield every promise."""
    for name, title in (("mmse", "MMSE"), ("fisher", "Fisher information"), ("kl", "KL divergence")):
        yield _design(f"LDP, {title}, n = 1000, certified 1e-6", 2.0, 1000, "LDP", 1.0, name, quick=True)
    yield _design("LDP, MMSE, n = 5000, certified 1e-6", 30.0, 5000, "LDP", 1.0, "mmse")
    for epsilon, most in ((0.3, 12.0), (1.0, 12.0), (3.0, 36.0)):
        for kind in ("skewed", "uniform", "zipf"):
            work = f"LIP, MMSE, n = 1000, eps = {epsilon:g}, {kind} prior, certified 1e-6"
            yield _design(work, most, 1000, "LIP", epsilon, "mmse", kind=kind)
    work = "LDP, mutual information, n = 200, certified 1e-3"
    yield _design(work, 5.0, 200, "LDP", 1.0, "information", gap=1e-3, quick=True)
    work = "LDP, mutual information, uniform prior, n = 1000, certified 1e-4"
    yield _design(work, 5.0, 1000, "LDP", 1.0, "information", gap=1e-4, kind="uniform")
    yield from _large()
    for n in (20, 80, 300):
        quick = n < 300
        work = f"LDP, expected loss, n = {n}: solve / bare HiGHS on the same program"
        yield Target(work, 1.1, "beside_highs", {"n": n, "whole": False}, quick=quick)
        work = f"LDP, expected loss, n = {n}: whole design / bare HiGHS"
        yield Target(work, 1.3, "beside_highs", {"n": n, "whole": True}, quick=quick)
    yield Target("LDP, expected loss, n = 80 / libqif", 0.01, "beside_libqif", {"n": 80})
    for notion, objective, title, n in (
        ("LDP", "absolute", "expected loss", 40),
        ("LDP", "absolute", "expected loss", 80),
        ("LIP", "absolute", "expected loss", 40),
        ("LIP", "mmse", "MMSE", 30),
        ("LDP", "information", "mutual information", 8),
        ("LDP", "information", "mutual information", 11),
    ):
        work = f"frontier of 100 epsilons / 100 designs, {notion}, {title}, n = {n}"
        asked = {"n": n, "notion": notion, "objective": objective, "levels": 100}
        yield Target(work, 0.2, "frontier", asked)
    yield Target("exact privacy check of a 1000 x 1000 matrix", 5.0, "exact_check", {"n": 1000}, "s", quick=True)
    for notion, most in (("LDP", 0.6), ("LIP", 3.6)):
        for epsilon in (1.0, 3.0):
            times = 3.0 if epsilon > 2.0 else 1.0
            work = f"{notion}, MMSE, n = 300, eps = {epsilon:g}, first call included"
            yield _design(work, times * most, 300, notion, epsilon, "mmse", first=True, quick=epsilon < 2.0)
    yield Target("import mechdesign / import numpy", 3.0, "imported", quick=True)


def _large() -> Iterator[Target]:
    """Yield the promises of information, histograms, curved notions and maps at many inputs."""
    for n in (60, 100, 300, 1000):
        for kind in ("skewed", "uniform", "zipf"):
            work = f"LIP, mutual information, n = {n}, {kind} prior, certified 1e-3"
            yield _design(work, 5.0, n, "LIP", 1.0, "information", kind=kind, gap=1e-3, quick=n == 60)
    for notion, level in (("LDP(1.5) & LIP", 0.8), ("StrongL1", 0.5), ("StrongChiSquare", 0.5)):
        for n in (60, 100):
            work = f"{notion}({level:g}), MMSE, n = {n}, certified 1e-3"
            yield _design(work, 5.0, n, notion, level, "mmse", gap=1e-3)
    for notion in ("LDP", "LIP"):
        for kind in ("skewed", "uniform", "zipf"):
            work = f"{notion}, histogram error, n = 300, {kind} prior, certified 1e-5"
            yield _design(work, 30.0, 300, notion, 1.0, "histogram", kind=kind, gap=1e-5)
        work = f"{notion}, Chernoff exponent, n = 60, certified 1e-4"
        yield _design(work, 10.0, 60, notion, 1.0, "chernoff", gap=1e-4)
    for side, epsilon, gap, most in (
        (7, 1.0, 1e-6, 2.0),
        (7, 0.4, 1e-6, 2.0),
        (10, 1.0, 1e-6, 7.0),
        (14, 1.0, 1e-4, 30.0),
    ):
        work = f"map of {side} x {side} places, eps = {epsilon:g}, certified {gap:.0e}"
        yield Target(work, most, "map_design", {"side": side, "epsilon": epsilon, "gap": gap})


def _design(
    work: str,
    at_most: float,
    n: int,
    notion: str,
    epsilon: float,
    objective: str,
    *,
    kind: str = "skewed",
    gap: float = 1e-6,
    first: bool = False,
    quick: bool = False,
) -> Target:
    asked = {"kind": kind, "n": n, "notion": notion, "epsilon": epsilon, "objective": objective, "gap": gap}
    return Target(work, at_most, "design", {**asked, "first": first}, quick=quick)


def held(target: Target) -> Row:
    """Measure one promise in an interpreter of its own."""
    function = f"benchmarks.targets:{target.measured_by}"
    return promised(target.work, target.at_most, target.unit, function, target.arguments, LIMIT)


def measure(quick: bool) -> Part:
    """Return a row for every promise."""
    return Part("targets", [held(target) for target in targets() if target.quick or not quick])
