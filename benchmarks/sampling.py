"""Reports of k-ary randomised response: ours, exact and simulated, beside pure-LDP, multi-freq-ldpy, OpenDP and libqif.

They are no extra of this package: `pip install pure-ldp scikit-learn statsmodels multi-freq-ldpy opendp qif` (the two
after the first are what it does not ask for itself), here or in an environment whose packages are on PYTHONPATH. One
that is not there is a row that says so.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

import mechdesign as md
from benchmarks.measuring import Part, Row, apart

EPSILON, SEED = 1.0, 1
#: Reports that a sampler draws: of one call each fewer, so that it takes about a second.
MANY, FEW = 1_000_000, 20_000
#: Reports a second that are promised, whatever the number of outputs: exact ones compare them all.
PROMISED = {"exactly": 1e6, "simulated": 1e7}
#: Standard deviations up to which a share of truthful reports is that of the same mechanism.
AGREE = 5.0

Array = npt.NDArray[Any]
#: Of answers, these and the reports of them.
Draw = Callable[[Array], tuple[Array, Any]]


def truthful(n: int) -> float:
    """Return the probability of the true answer."""
    return math.exp(EPSILON) / (math.exp(EPSILON) + n - 1)


def exactly(n: int) -> Draw:
    """Mechdesign, from the operating system's randomness, to the last bit."""
    mechanism = md.baselines.randomised_response(md.Problem(n=n), EPSILON)
    return lambda answers: (answers, mechanism.sample(answers))


def simulated(n: int) -> Draw:
    """Mechdesign, from numpy's generator."""
    mechanism = md.baselines.randomised_response(md.Problem(n=n), EPSILON)
    return lambda answers: (answers, mechanism.simulate(answers, SEED))


def pure_ldp(n: int) -> Draw:
    """One call for each person, from a generator that is no cryptographic one."""
    from pure_ldp.frequency_oracles.direct_encoding import DEClient

    client = DEClient(EPSILON, n)
    # Its answers are numbered from 1, its reports from 0.
    return lambda answers: (answers, [client.privatise(answer + 1) for answer in answers.tolist()])


def multi_freq_ldpy(n: int) -> Draw:
    """One compiled call for each person, from a generator that is no cryptographic one."""
    from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Client

    return lambda answers: (answers, [GRR_Client(answer, n, EPSILON) for answer in answers.tolist()])


def opendp(n: int) -> Draw:
    """One call for each person, from the operating system's randomness, exact."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    response = dp.m.make_randomized_response(list(range(n)), prob=truthful(n))
    return lambda answers: (answers, [response(answer) for answer in answers.tolist()])


def libqif(n: int) -> Draw:
    """All at once, from a generator of its own; it draws the answers too."""
    import qif

    matrix = md.baselines.response_matrix(n, EPSILON)

    def draw(answers: Array) -> tuple[Array, Any]:
        found = np.asarray(qif.channel.sample(matrix, np.full(n, 1.0 / n), len(answers)))
        return found[:, 0], found[:, 1]

    return draw


#: What is measured, and how many reports of it.
SAMPLERS: dict[str, tuple[Callable[[int], Draw], int]] = {
    "exactly": (exactly, MANY),
    "simulated": (simulated, MANY),
    "pure-LDP": (pure_ldp, FEW),
    "multi-freq-ldpy": (multi_freq_ldpy, MANY),
    "OpenDP": (opendp, FEW),
    "libqif": (libqif, MANY),
}


def drawn(sampler: str, n: int) -> dict[str, Any]:
    """Return the least processor seconds of a report in three runs, and how far the share of true ones is off."""
    make, reports = SAMPLERS[sampler]
    draw, answers = make(n), np.random.default_rng(SEED).integers(0, n, reports)
    draw(answers[:1000])
    least, true = math.inf, 0.0
    for _ in range(3):
        started = time.process_time()
        given, found = draw(answers)
        least = min(least, time.process_time() - started)
        true = float(np.mean(np.asarray(found) == given))
    p = truthful(n)
    return {"seconds": least / reports, "off": (true - p) / math.sqrt(p * (1 - p) / reports)}


def measure(quick: bool) -> Part:
    """Return how many reports a second we draw, and the time of each peer over that of the exact ones."""
    return Part("sampling", [row for n in ((10,) if quick else (2, 10, 100, 1000)) for row in compared(n)])


def compared(n: int) -> list[Row]:
    """Return the rows of one number of answers."""
    found = {name: apart("benchmarks.sampling:drawn", {"sampler": name, "n": n}, 60.0) for name in SAMPLERS}
    exact, rows = found["exactly"].value, []
    for name, outcome in found.items():
        promised, value = PROMISED.get(name), outcome.value
        work = f"k-ary response, n = {n}: {f'a report {name}' if promised else f'{name} / exactly'}"
        unit, at_most = ("us", 1e6 / promised) if promised else ("x", None)
        if not value or not exact:
            rows.append(Row(work, None, unit, at_most, note=outcome.why or found["exactly"].why))
            continue
        same = abs(value["off"]) <= AGREE
        note = f"{1 / value['seconds']:.3g} a second"
        note += "" if same else f"; its share of true answers is {abs(value['off']):.0f} standard deviations off"
        number = value["seconds"] * 1e6 if promised else value["seconds"] / exact["seconds"]
        rows.append(Row(work, number, unit, at_most, same or not promised, note))
    return rows
