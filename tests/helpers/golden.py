"""Mechanism files over the catalogue, made anew, and what is true of each by definition and by no other code."""

import json
import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
from scipy.optimize import minimize_scalar

import mechdesign as md
from mechdesign.question.plain_values import in_json
from mechdesign.solve.pricing.revealing_outputs import columns_by_decision
from tests.helpers import brute_force as brute

PRIOR, VALUES = [0.2, 0.3, 0.5], [0.0, 1.0, 3.0]
OTHER = [0.5, 0.3, 0.2]
SURVEY = md.Problem(prior=PRIOR, values=VALUES)
COIN = md.Problem(prior=[0.4, 0.6], values=[0, 1], labels=["heads", "tails"], prior_source="a census")
HIDDEN = SURVEY.hidden(secret_given_data=[[0.9, 0.5, 0.2], [0.1, 0.5, 0.8]])
LOSS = [[0.0, 1.0, 4.0], [2.0, 0.0, 1.0], [3.0, 1.0, 0.0]]
#: Last digits: of a sum of few terms of the size of its span.
ROUNDED = 1e-12


@dataclass(frozen=True)
class Golden:
    """What has a mechanism, and by definition: whether a matrix (in fractions) is private, and what it is worth."""

    design: Callable
    private: Callable
    value: Callable | None


def power(epsilon):
    """Return ``e^epsilon`` as a fraction, 1e-50 too large at most and never too small."""
    if math.isinf(epsilon):
        return Fraction(10) ** 60
    return brute.exponential_below(epsilon) * (1 + Fraction(1, 10**50))


def masses(rows, prior):
    weights = brute.exactly(prior)
    return [sum(w * row[y] for w, row in zip(weights, rows, strict=True)) for y in range(len(rows[0]))]


def ldp(rows, question, notion=None):
    most = power((notion or question.notion).epsilon)
    return all(max(column) <= most * min(column) for column in zip(*rows, strict=True))


def band(rows, question, notion=None):
    """LIP and its asymmetric relative, of the secret where it is hidden."""
    notion, problem = notion or question.notion, question.problem
    ends = (notion.epsilon, notion.epsilon) if isinstance(notion, md.LIP) else (notion.lower, notion.upper)
    low, high = map(power, ends)
    mass = masses(rows, problem.prior)
    if problem.secret_given_data is not None:
        channel, _ = brute.reversed_channel(problem.secret_given_data, problem.prior)
        rows = [[sum(w * row[y] for w, row in zip(g, rows, strict=True)) for y in range(len(mass))] for g in channel]
    return all(q <= high * m and m <= low * q for row in rows for q, m in zip(row, mass, strict=True))


def approximate(rows, question):
    most, delta = brute.exponential_below(question.notion.epsilon), Fraction(question.notion.delta)
    excess = [sum(max(a - most * b, 0) for a, b in zip(s, t, strict=True)) for s in rows for t in rows]
    return max(excess) <= delta * (1 + Fraction(1, 10**40))


def leakage(rows, question):
    return sum(max(column) for column in zip(*rows, strict=True)) <= power(question.notion.epsilon)


def metric(rows, question):
    notion = question.notion
    pairs = [(x, z) for x in range(len(rows)) for z in range(len(rows)) if not math.isinf(notion.distance[x][z])]
    return all(
        a <= power(notion.epsilon * float(notion.distance[x][z])) * (1 + Fraction(1, 10**15)) * b
        for x, z in pairs
        for a, b in zip(rows[x], rows[z], strict=True)
    )


def both(rows, question):
    first, second = question.notion.notions
    return ldp(rows, question, first) and band(rows, question, second)


def squared(Q, question):
    problem = question.problem
    return brute.squared_error(Q[:, Q.max(axis=0) > 0], problem.prior, problem.values).sum()


def information(Q, question):
    return brute.information(Q[:, Q.max(axis=0) > 0], question.problem.prior).sum()


def guess(Q, question):
    return 1 - (question.problem.prior[:, None] * Q).max(axis=0).sum()


def wrong(Q, question):
    return 1 - question.problem.prior @ np.diag(Q)


def absolute(Q, question):
    prior, values = question.problem.prior, question.problem.values
    return float(np.sum(prior[:, None] * Q * np.abs(np.subtract.outer(values, values))))


def loss(Q, question):
    return float(np.sum(question.problem.prior[:, None] * Q * question.objective.loss))


def worst(Q, question):
    return float(np.sum(Q * question.objective.loss, axis=1).max())


def divergence(Q, question):
    objective = question.objective
    return brute.divergence(objective.name, Q[:, Q.max(axis=0) > 0], objective.first, objective.second).sum()


def chernoff(Q, question):
    p, s = question.objective.first @ Q, question.objective.second @ Q
    kept = (p > 0) & (s > 0)
    found = minimize_scalar(
        lambda t: np.sum(p[kept] ** (1 - t) * s[kept] ** t), bounds=(0, 1), method="bounded", options={"xatol": 1e-12}
    )
    return -math.log(found.fun)


def asked(notion, objective, problem=SURVEY, **keywords):
    def made():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", md.GapWarning)
            return md.design(problem, notion, objective, **keywords)

    return made


def own(Q):
    return [Q[0, 0] <= 0.5]


def known(made):
    """Return what has a mechanism without a question."""
    return lambda: SimpleNamespace(mechanism=made())


ROUGH = [[0.7, 0.2, 0.1], [0.2, 0.6, 0.2], [0.1, 0.2, 0.7]]
DISTANCE = [[0.0, 1.0, math.inf], [1.0, 0.0, math.inf], [math.inf, math.inf, 0.0]]
GOLDEN = {
    "squared error, LDP": Golden(asked(md.LDP(1.0), md.MMSE()), ldp, squared),
    "squared error, two inputs": Golden(asked(md.LDP(0.5), md.MMSE(), COIN), ldp, squared),
    "information, LDP": Golden(asked(md.LDP(1.0), md.MutualInformation()), ldp, information),
    "information, LIP": Golden(asked(md.LIP(0.7), md.MutualInformation(), COIN), band, information),
    "guess, LDP": Golden(asked(md.LDP(1.0), md.ErrorProbability()), ldp, guess),
    "loss, LDP": Golden(asked(md.LDP(1.0), md.ExpectedLoss(LOSS)), ldp, loss),
    "worst loss, LDP": Golden(asked(md.LDP(1.0), md.WorstCaseLoss(LOSS)), ldp, worst),
    "divergence, LDP": Golden(asked(md.LDP(1.0), md.KLDivergence(PRIOR, OTHER)), ldp, divergence),
    "variation, LDP": Golden(asked(md.LDP(1.0), md.TotalVariation(PRIOR, OTHER), md.Problem(n=3)), ldp, divergence),
    "exponent, LDP": Golden(asked(md.LDP(1.0), md.ChernoffExponent(PRIOR, OTHER)), ldp, chernoff),
    "squared error, LIP": Golden(asked(md.LIP(1.0), md.MMSE()), band, squared),
    "absolute error, LIP": Golden(asked(md.LIP(1.0), md.AbsoluteError()), band, absolute),
    "squared error, infinite end": Golden(asked(md.AsymmetricLIP(0.5, math.inf), md.MMSE()), band, squared),
    "squared error, hidden": Golden(asked(md.LIP(0.5), md.MMSE(), HIDDEN), band, squared),
    "wrong, approximate": Golden(asked(md.ApproximateLDP(1.0, 0.0625), md.HammingLoss()), approximate, wrong),
    "guess, leakage": Golden(asked(md.MaximalLeakage(0.5), md.ErrorProbability()), leakage, guess),
    "absolute error, distances": Golden(asked(md.MetricDP(1.0, DISTANCE), md.AbsoluteError()), metric, absolute),
    "squared error, two notions": Golden(asked(md.LDP(1.5) & md.LIP(1.0), md.MMSE()), both, squared),
    "squared error, two outputs": Golden(asked(md.LIP(1.2), md.MMSE(), outputs=2), band, squared),
    "loss, a rule of one's own": Golden(asked(md.LDP(1.0), md.ExpectedLoss(LOSS), subject_to=own), ldp, loss),
    "a known mechanism": Golden(known(lambda: md.baselines.subset_selection(SURVEY, 1.0, 2)), ldp, None),
    "a rounded matrix": Golden(known(lambda: md.rounded(ROUGH, md.AsymmetricLIP(0.5, math.inf), SURVEY)), band, None),
    "a rounded matrix, hidden": Golden(known(lambda: md.rounded(ROUGH, md.LIP(0.5), HIDDEN)), band, None),
}
assert len(GOLDEN) == 23


def bounded(question, reached, bound, size):
    """Tell whether a bound allows what is reached, up to last digits."""
    missed = bound - reached if question.objective.sense == "minimise" else reached - bound
    return missed <= ROUNDED * size


def check_true(golden, loaded):
    """Raise unless the mechanism is exactly private and worth what it says, and no known mechanism passes its bound."""
    if golden.value is None:
        assert loaded.question is loaded.certificate is None
        assert golden.private(brute.exact(loaded.matrix), SimpleNamespace(notion=loaded.notion, problem=loaded.problem))
        return
    question, proof = loaded.question, loaded.certificate
    assert golden.private(brute.exact(loaded.matrix), question), "it is not private"
    assert question.outputs is None or np.count_nonzero(loaded.matrix.max(axis=0)) <= question.outputs
    value = golden.value(columns_by_decision(loaded), question)
    size = max(1.0, abs(value))
    assert abs(value - proof.value) <= ROUNDED * size, f"its value is {value!r}, not {proof.value!r}"
    assert bounded(question, value, proof.bound, 10 * size), "its own value passes its bound"
    try:
        best = asked(question.notion, question.objective, question.problem, outputs=question.outputs)()
    except md.MechdesignError:
        return
    if golden.private(brute.exact(best.matrix), question):
        reached = golden.value(best.by_decision, question)
        assert bounded(question, reached, proof.bound, 10 * size), (
            f"{reached!r} is reached, its bound is {proof.bound!r}"
        )
    assert proof.gap >= 0 and (abs(proof.value - proof.bound) <= ROUNDED * 1e3 * size or proof.gap > 0)


def numbers(data, place=()):
    """Yield the place of each number."""
    inner = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in inner:
        yield from numbers(value, (*place, key))
    if isinstance(data, int | float) and not isinstance(data, bool):
        yield place


def replaced(data, place, change):
    """Return a copy of the data with one place changed."""
    copy = json.loads(json.dumps(data))
    part = copy
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = change(part[place[-1]])
    return in_json(copy)
