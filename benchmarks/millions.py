"""Mechanisms of very many inputs: gaps, times beside numpy's, and local hashing of pure-LDP and multi-freq-ldpy.

They are no extra of this package: `pip install pure-ldp scikit-learn statsmodels multi-freq-ldpy "xxhash<4"`, here or
in an environment whose packages are on PYTHONPATH. One that is not there is a row that says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

import mechdesign as md
from benchmarks.measuring import Memory, Part, Row, apart, promised

MILLION, EPSILON, SEED = 1_000_000, 1.0, 1
#: Levels, and the gaps that are promised there.
GAPS = ((0.1, 0.027), (0.5, 0.027), (1.0, 0.006), (2.0, 0.006), (3.0, 0.027))
#: Inputs of the comparison with peers, reports that are drawn for it, and reports that their servers count: these look
#: at every input for each.
INPUTS, DRAWN, COUNTED = 10_000, 5_000, 200
#: Memory that is promised, in MB, and how many times numpy's time.
MEMORY, SLOWER = 2000.0, 10.0

Array = npt.NDArray[Any]


def transformed(numbers: Array) -> Array:
    """Return the Walsh-Hadamard transform of numbers, a power of two of them."""
    found = numbers.copy()
    width = 1
    while width < len(found):
        pairs = found.reshape(-1, 2, width)
        found = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        width *= 2
    return found


def least_seconds(work: Callable[[], object], runs: int = 3) -> float:
    """Return the least processor seconds of some runs."""
    times = []
    for _ in range(runs):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


def of_a_million(what: str) -> dict[str, Any]:
    """Measure the design, a million reports or their estimate, over what numpy takes for as much."""
    memory = Memory()
    problem = md.Problem(n=MILLION)
    made = md.design(problem, md.LDP(EPSILON), md.InformationDesign("A"), gap=0.01)
    answers = np.random.default_rng(SEED).integers(0, MILLION, MILLION)
    law = np.full(MILLION, 1.0 / MILLION)
    choice = least_seconds(lambda: np.random.default_rng(SEED).choice(MILLION, size=MILLION, p=law))
    transform = least_seconds(lambda: transformed(np.ones(1 << 20)))
    reports = made.mechanism.simulate(answers, SEED, by="index")
    ours, theirs, name = {
        "design": (
            lambda: md.design(md.Problem(n=MILLION), md.LDP(EPSILON), md.InformationDesign("A"), gap=0.01),
            choice,
            "choice",
        ),
        "exact reports": (lambda: made.mechanism.sample(answers, by="index"), choice, "choice"),
        "estimate": (lambda: made.mechanism.estimate(reports).frequencies, transform, "transform"),
    }[what]
    seconds = least_seconds(ours)
    held = memory()
    note = f"{seconds:.2g} s, {name} {theirs:.2g} s; {held:.0f} MB at most"
    return {"number": seconds / theirs, "kept": held <= MEMORY, "note": note}


def pure_ldp() -> tuple[Callable[[int], Any], Callable[[list[Any]], Array]]:
    """Return the client and the server of pure-LDP's optimised local hashing."""
    from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer

    client = LHClient(EPSILON, INPUTS, use_olh=True)

    def estimate(reports: list[Any]) -> Array:
        server = LHServer(EPSILON, INPUTS, use_olh=True)
        for report in reports:
            server.aggregate(report)
        return np.asarray([server.estimate(k + 1, suppress_warnings=True) for k in range(INPUTS)]) / len(reports)

    return lambda answer: client.privatise(answer + 1), estimate


def multi_freq_ldpy() -> tuple[Callable[[int], Any], Callable[[list[Any]], Array]]:
    """Return the client and the server of multi-freq-ldpy's optimised local hashing."""
    from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client

    return lambda answer: LH_Client(answer, INPUTS, EPSILON), lambda reports: np.asarray(
        LH_Aggregator_MI(reports, INPUTS, EPSILON)
    )


PEERS: dict[str, Callable[[], tuple[Callable[[int], Any], Callable[[list[Any]], Array]]]] = {
    "pure-LDP": pure_ldp,
    "multi-freq-ldpy": multi_freq_ldpy,
}


def asked_of(peer: str) -> dict[str, Any]:
    """Return the processor seconds of a report of a peer and of its server's count, and its sum of squared errors."""
    client, server = PEERS[peer]()
    answers = np.random.default_rng(SEED).integers(0, INPUTS, DRAWN).tolist()
    started = time.process_time()
    reports = [client(answer) for answer in answers]
    drawn = (time.process_time() - started) / DRAWN
    started = time.process_time()
    found = server(reports[:COUNTED])
    counted = (time.process_time() - started) / COUNTED
    true = np.bincount(answers[:COUNTED], minlength=INPUTS) / COUNTED
    # Estimates that are cut at 0 are not unbiased, and have no variance to compare.
    errors = COUNTED * float(((found - true) ** 2).sum()) if found.min() < 0.0 else None
    return {"client": drawn, "server": counted, "errors": errors}


def asked_of_ours() -> dict[str, Any]:
    """Return the same of the best mechanism without a matrix; its clients draw from the operating system."""
    problem = md.Problem(n=INPUTS)
    mechanism = md.design(problem, md.LDP(EPSILON), md.InformationDesign("A"), gap=0.01).mechanism
    answers = np.random.default_rng(SEED).integers(0, INPUTS, 100_000)
    drawn = least_seconds(lambda: mechanism.sample(answers, by="index")) / len(answers)
    reports = mechanism.simulate(answers, SEED, by="index")
    counted = least_seconds(lambda: mechanism.estimate(reports).frequencies) / len(answers)
    true = np.bincount(answers, minlength=INPUTS) / len(answers)
    errors = len(answers) * float(((mechanism.estimate(reports).frequencies - true) ** 2).sum())
    return {"client": drawn, "server": counted, "errors": errors}


def of_peers(quick: bool) -> Iterator[Row]:
    """Yield each peer's time for a report, its server's time for one, and its squared errors, over ours."""
    ours = apart("benchmarks.millions:asked_of_ours", {}, 120.0)
    for peer in PEERS:
        found = apart("benchmarks.millions:asked_of", {"peer": peer}, 60.0 if quick else 300.0)
        titles = {"client": "a report", "server": "a report at the server", "errors": "squared errors of frequencies"}
        for part, title in titles.items():
            work = f"{INPUTS} inputs, local hashing of {peer} / ours: {title}"
            if not found.value or not ours.value or found.value[part] is None:
                yield Row(work, None, "x", note=found.why or ours.why or "its estimates are cut at 0")
                continue
            yield Row(work, found.value[part] / ours.value[part], "x")


def of_gap(epsilon: float, gap: float) -> Row:
    """Return the certified gap of a million inputs at a level."""
    made = md.design(md.Problem(n=MILLION), md.LDP(epsilon), md.InformationDesign("A"), gap=0.05)
    return Row(f"{MILLION:.0e} inputs, eps {epsilon:g}: certified gap", made.gap, "", gap)


def measure(quick: bool) -> Part:
    """Return the gaps, the times beside numpy's, and the peers."""
    rows = [of_gap(*one) for one in (GAPS[2:3] if quick else GAPS)]
    for what in ("design", "exact reports", "estimate"):
        work = f"{MILLION:.0e} inputs, {what} / numpy"
        rows.append(promised(work, SLOWER, "x", "benchmarks.millions:of_a_million", {"what": what}, 120.0))
    return Part("millions", [*rows, *of_peers(quick)])
