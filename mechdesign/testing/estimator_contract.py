"""What every estimator must satisfy: a true gap, refusals of what reports do not identify, and honest intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np

from mechdesign.baselines import response_matrix
from mechdesign.errors import FitWarning, UnsupportedError
from mechdesign.estimation import Estimate
from mechdesign.estimation.sampling import Indices
from mechdesign.mechanism import Mechanism
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.contract import Clause, require, run
from mechdesign.testing.sampler_contract import rows_over

Estimator = Callable[[Mechanism, Indices, str], Estimate]

#: Populations of a quick look at coverage, draws from each, and the least that the share of hits may be at 0.95.
POPULATIONS: Final = 12
REPETITIONS: Final = 100
REPORTS: Final = 2000
LEAST_COVERAGE: Final = 0.93

#: Queries that an estimate has to refuse where a third input gives the reports of a mixture of the other two.
UNTOLD: Final[tuple[Callable[[Estimate], object], ...]] = (
    lambda found: found.frequencies,
    lambda found: found.covariance,
    lambda found: found.interval(),
    lambda found: found.mean(),
    lambda found: found.total(10**6),
    lambda found: found.functional([1, 0, 0]),
)


def check_estimator(estimate: Estimator, rng: np.random.Generator) -> None:
    """Check every clause of the contract of estimators.

    Parameters
    ----------
    estimate : callable
        Takes a mechanism, counts and a method, and returns an `Estimate`.
    rng : numpy.random.Generator
        Where populations and reports come from.

    Raises
    ------
    BrokenContractError
        With the clause and what was found.
    """
    with warnings.catch_warnings():
        # Cases are arbitrary counts, of which some come from no population.
        warnings.simplefilter("ignore", FitWarning)
        run(ESTIMATOR_CLAUSES, "estimator", estimate, rng)


def gap_is_true(estimate: Estimator, rng: np.random.Generator) -> None:
    """No population is likelier than the estimate by more than its gap, and the gap is small."""
    for mechanism, counts in _cases(rng):
        found = estimate(mechanism, counts, "likelihood")
        theta, shares = found.frequencies, counts / counts.sum()
        require(theta.min() >= 0 and abs(theta.sum() - 1) <= 1e-12, "the frequencies are no distribution")
        best = brute_force_likelihood(mechanism.matrix, shares)
        missed = best - log_likelihood(mechanism.matrix, shares, theta)
        require(missed <= found.gap + 1e-13, f"a gap of {found.gap:.1e} is claimed, {missed:.1e} is missed")
        require(found.gap * counts.sum() <= 1e-5, f"the gap of all reports is {found.gap * counts.sum():.1e}")


def unbiased_is_linear(estimate: Estimator, rng: np.random.Generator) -> None:
    """With equally many outputs and inputs the unbiased estimate solves ``theta Q = f``, negative shares included."""
    negative = 0
    for mechanism, counts in _cases(rng):
        if mechanism.matrix.shape[0] == mechanism.matrix.shape[1]:
            solved = np.linalg.solve(mechanism.matrix.T, counts / counts.sum())
            missed = float(np.abs(estimate(mechanism, counts, "unbiased").frequencies - solved).max())
            require(missed <= 1e-9, f"a share differs by {missed:.1e} from the solution of theta Q = f")
            negative += int((solved < 0).sum())
    require(negative > 0, "no case has a negative share")


def untold_is_refused(estimate: Estimator, rng: np.random.Generator) -> None:
    """What the law of the reports does not fix is refused in words; what it fixes is estimated."""
    matrix = np.array([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]])
    mechanism = Mechanism(matrix, ["0", "1"], problem=Problem(labels=["a", "b", "c"], values=[0, 1, 5]))
    for method in ("likelihood", "unbiased"):
        found = estimate(mechanism, np.array([600, 400]), method)
        answer = found.functional([1.0, 0.0, 0.5])
        require(abs(answer.value - 0.7) < 1e-6, f"a functional that the reports identify is {answer.value}, not 0.7")
        for ask in UNTOLD:
            try:
                given = ask(found)
            except UnsupportedError as error:
                require("InformationDesign" in str(error), f"the refusal names no design: {error}")
                continue
            raise AssertionError(f"reports that do not identify it gave {given}")


def intervals_cover(estimate: Estimator, rng: np.random.Generator) -> None:
    """Intervals at 0.95 hold the truth at least 93 times in a hundred."""
    for mechanism, exactly in ((response(6, 1.0), False), (response(2, 1.0), True)):
        inputs, hits = len(mechanism.matrix), []
        for theta in populations(inputs, POPULATIONS, rng):
            law = theta @ mechanism.matrix
            for _ in range(REPETITIONS):
                counts = rng.multinomial(REPORTS, law / law.sum())
                found = estimate(mechanism, counts, "likelihood").interval(0.95)
                hits.append((found[:, 0] <= theta) & (theta <= found[:, 1]))
        covered = float(np.mean(hits))
        require(covered >= (0.945 if exactly else LEAST_COVERAGE), f"coverage at 0.95 is {covered:.3f}")


def log_likelihood(matrix: Array, shares: Array, theta: Array) -> float:
    """Return ``sum_y f_y ln (theta Q)_y``, per report in nats."""
    seen = shares > 0
    return float(shares[seen] @ np.log((theta @ matrix)[seen]))


def brute_force_likelihood(matrix: Array, shares: Array) -> float:
    """Return the largest log-likelihood over distributions of two or three inputs, by ever finer grids."""
    inputs = len(matrix)
    centre, width = np.full(inputs - 1, 0.5), 0.5
    best = -math.inf
    while width > 1e-9:
        axes = [np.clip(np.linspace(c - width, c + width, 21), 0.0, 1.0) for c in centre]
        first = np.stack(np.meshgrid(*axes), axis=-1).reshape(-1, inputs - 1)
        first = first[first.sum(axis=1) <= 1.0]
        thetas = np.column_stack([first, 1.0 - first.sum(axis=1)])
        seen = shares > 0
        with np.errstate(divide="ignore"):
            values = np.log(thetas @ matrix[:, seen]) @ shares[seen]
        centre, best = first[int(values.argmax())], max(best, float(values.max()))
        # The grid stays wider than what a concave function can hide between its points.
        width *= 0.4
    return best


def response(inputs: int, epsilon: float) -> Mechanism:
    """Return k-ary randomised response in multiples of ``2**-53``."""
    numerators = np.floor(response_matrix(inputs, epsilon) * 2.0**53).astype(np.int64)
    numerators[np.diag_indices(inputs)] += 2**53 - numerators.sum(axis=1)
    return Mechanism(np.ldexp(numerators.astype(float), -53), [str(x) for x in range(inputs)])


def populations(inputs: int, number: int, rng: np.random.Generator) -> Iterator[Array]:
    """Yield populations in turn: skewed, sparse, equal to a prior that rises, and far from it."""
    rising = np.arange(1.0, inputs + 1) / np.arange(1.0, inputs + 1).sum()
    for index in range(number):
        theta = np.zeros(inputs)
        if index % 4 == 0:
            theta = rng.dirichlet(np.full(inputs, 0.3))
        elif index % 4 == 1:
            held = rng.choice(inputs, max(1, inputs // 3), replace=False)
            theta[held] = rng.dirichlet(np.ones(len(held)))
        else:
            theta = rising if index % 4 == 2 else rising[::-1] ** 3 / (rising**3).sum()
        yield theta


def _cases(rng: np.random.Generator) -> Iterator[tuple[Mechanism, Indices]]:
    """Yield mechanisms of two and three inputs with counts of reports."""
    for inputs, outputs in ((2, 2), (2, 4), (3, 3), (3, 3), (3, 6)):
        for _ in range(4):
            numerators = rows_over(2**53, inputs, outputs, rng) // 2 + rows_over(2**52, 1, outputs, rng)
            numerators[:, 0] += 2**53 - numerators.sum(axis=1)
            mechanism = Mechanism(np.ldexp(numerators.astype(float), -53), [str(y) for y in range(outputs)])
            law = rng.dirichlet(np.full(inputs, 0.4)) @ mechanism.matrix
            if np.linalg.cond(mechanism.matrix) < 50:
                yield mechanism, rng.multinomial(200, law / law.sum())


ESTIMATOR_CLAUSES: Final[dict[str, Clause]] = {
    "gap": gap_is_true,
    "unbiased": unbiased_is_linear,
    "untold": untold_is_refused,
    "coverage": intervals_cover,
}
