"""Samplers and estimators with one planted defect each, and the clause that must catch it."""

from dataclasses import replace

import numpy as np

from mechdesign.errors import RandomnessError
from mechdesign.estimation import Estimate, sampling
from mechdesign.estimation.likelihood import certified_gap, expectation_maximisation

KEPT = {}


def sample(numerators, rows, bits, source):
    return sampling.sample(numerators, rows, bits, source)


def biased(numerators, rows, bits, source):
    """A hundredth of what the first output lacks goes to it: too little for a glance at a histogram."""
    shifted = numerators.copy()
    gift = shifted[:, 1:] // 100
    shifted[:, 1:] -= gift
    shifted[:, 0] += gift.sum(axis=1)
    return sampling.sample(shifted, rows, bits, source)


def off_by_one(numerators, rows, bits, source):
    """The cumulative integers are compared by < in place of <=: each output loses a draw to the one before it."""
    cumulative = np.cumsum(numerators, axis=1)
    drawn = sampling.uniform(len(rows), bits, source or np.random.default_rng(0).bytes)
    return (cumulative[rows][:, :-1] < drawn[:, None]).sum(axis=1)


def forgiving(numerators, rows, bits, source):
    """Where the source fails, numpy's generator takes over in silence."""
    try:
        return sampling.sample(numerators, rows, bits, source)
    except RandomnessError:
        return sampling.sample(numerators, rows, bits, np.random.default_rng(1).bytes)


def buffered(numerators, rows, bits, source):
    """What one call read is kept for the next: a forked child would go on with its parent's."""
    key = (len(rows), bits)
    if key not in KEPT:
        KEPT[key] = (source or np.random.default_rng(2).bytes)(8 * len(rows))
    return sampling.sample(numerators, rows, bits, lambda wanted: KEPT[key][:wanted].ljust(wanted, b"\0"))


def early_end(numerators, rows, bits, source):
    """Rows that are certain of their output ask for no randomness: the time betrays them."""
    certain = (numerators == 2**bits).any(axis=1)
    if certain[rows].all():
        return numerators[rows].argmax(axis=1)
    return sampling.sample(numerators, rows, bits, source)


SAMPLERS = [
    ("every draw", biased),
    ("every draw", off_by_one),
    ("law", biased),
    ("failure", forgiving),
    ("nothing kept", buffered),
    ("nothing kept", early_end),
]


def estimate(mechanism, counts, method):
    return mechanism.estimate(counts=counts, method=method)


def stopped_early(mechanism, counts, method):
    """Ten steps of expectation and maximisation are called the optimum."""
    found = estimate(mechanism, counts, method)
    theta = expectation_maximisation(mechanism.matrix, counts / counts.sum(), 10)
    return replace(found, theta=theta)


def honest_but_early(mechanism, counts, method):
    """Ten steps with the gap that is proved of them: true, and far too wide."""
    found = stopped_early(mechanism, counts, method)
    return replace(found, gap=certified_gap(mechanism.matrix, counts / counts.sum(), found.theta))


def clipped(mechanism, counts, method):
    """Negative shares of the unbiased estimate are cut off in silence."""
    return estimate(mechanism, counts, "likelihood")


class PseudoInverse(Estimate):
    """What the reports do not tell is made up by the shortest solution."""

    def _require(self, weights, what):
        return None


def pseudo_inverted(mechanism, counts, method):
    return PseudoInverse(**vars_of(estimate(mechanism, counts, method)))


class Narrow(Estimate):
    """Intervals at 0.95 are those at 0.9."""

    def interval(self, level=0.95, simultaneous=False, *, how=None):
        return super().interval(0.9, simultaneous, how=how)


def narrow(mechanism, counts, method):
    return Narrow(**vars_of(estimate(mechanism, counts, method)))


def vars_of(found):
    return {name: getattr(found, name) for name in found.__dataclass_fields__}


ESTIMATORS = [
    ("gap", stopped_early),
    ("gap", honest_but_early),
    ("unbiased", clipped),
    ("untold", pseudo_inverted),
    ("coverage", narrow),
]
