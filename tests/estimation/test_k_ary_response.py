"""Estimates under k-ary randomised response: the formulas against the general method."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.baselines import response_matrix
from mechdesign.estimation import identifiability, likelihood, linear
from mechdesign.estimation.intervals import confidence
from mechdesign.estimation.k_ary_response import KaryResponse
from mechdesign.estimation.linear import Linear
from mechdesign.tolerances import ROUNDING

#: Of reports that are drawn at random, or of no population.
ANY_REPORTS = pytest.mark.filterwarnings("ignore::mechdesign.FitWarning")

LEVELS = (0.05, 1.0, 5.0)
INPUTS = (2, 3, 12)
#: Modules in which the form of a matrix is looked for.
LOOKING = (identifiability, likelihood, linear)


class Unknown:
    """Knows no matrix by its form."""

    @staticmethod
    def of(_):
        return None


def generally(monkeypatch, work):
    """Return what `work` comes to without formulas."""
    with monkeypatch.context() as patched:
        for module in LOOKING:
            patched.setattr(module, "KaryResponse", Unknown)
        return work()


def matrices():
    return [response_matrix(n, epsilon) for n in INPUTS for epsilon in LEVELS] + [np.eye(4)]


def counts_of(rng, inputs):
    """Return counts of reports, among them none of an output and all of one."""
    yield rng.multinomial(1000, rng.dirichlet(np.ones(inputs)))
    yield np.array([700, 300] + [0] * (inputs - 2))
    yield np.array([40] + [0] * (inputs - 1))


def estimates(rng):
    for matrix in matrices():
        for counts in counts_of(rng, len(matrix)):
            yield matrix, counts


def weights_of(rng, inputs):
    return np.vstack([np.eye(inputs), np.ones(inputs), rng.normal(size=(3, inputs))])


def made(matrix, counts):
    """Return a linear estimate about a mixture of equal frequencies and the observed ones."""
    theta = 0.5 * counts / counts.sum() + 0.5 / len(matrix)
    weights = np.round(matrix * 2.0**52).astype(np.int64)
    directions = identifiability.identifiability(weights).directions
    return Linear(matrix, counts / counts.sum(), int(counts.sum()), theta, directions)


def test_linear_estimates_are_those_of_the_general_method(rng, monkeypatch):
    for matrix, counts in estimates(rng):
        lines = weights_of(rng, len(matrix))

        def numbers(matrix=matrix, counts=counts, lines=lines):
            found = made(matrix, counts)
            return found.unbiased(lines), found.variances(lines), found.covariance, found.moved(lines)

        ours, theirs = numbers(), generally(monkeypatch, numbers)
        for fast, slow in zip(ours, theirs, strict=True):
            assert np.abs(fast - slow).max() <= 1e-9 * max(np.abs(slow).max(), 1.0)


@pytest.mark.parametrize("how", ["score", "delta", "profile"])
def test_intervals_are_those_of_the_general_method(how, rng, monkeypatch):
    for matrix, counts in estimates(rng):
        if how == "profile" and (counts == 0).any():
            continue
        lines = weights_of(rng, len(matrix))

        def ends(matrix=matrix, counts=counts, lines=lines):
            return confidence(made(matrix, counts), lines, 0.9, how)

        ours, theirs = ends(), generally(monkeypatch, ends)
        # A profile is searched for to 1e-6 of the drop of the likelihood.
        tolerance = 1e-6 if how == "profile" else 1e-9
        assert np.abs(ours - theirs).max() <= tolerance * max(np.abs(theirs).max(), 1.0)


def test_the_likeliest_population_is_the_general_method_s(rng, monkeypatch):
    for matrix, counts in estimates(rng):
        shares = counts / counts.sum()
        ours = likelihood.likeliest(matrix, shares, 1e-12)
        theirs = generally(monkeypatch, lambda m=matrix, f=shares: likelihood.likeliest(m, f, 1e-12))
        assert ours.theta.sum() == pytest.approx(1.0, abs=1e-15)
        assert ours.theta.min() >= 0.0
        assert 0.0 <= ours.gap <= max(theirs.gap, 1e-12)
        # Near the top the log-likelihood falls by half of the curvature times the square of the distance.
        reached = matrix[:, shares > 0]
        difference = np.log(ours.theta @ reached) - np.log(theirs.theta @ reached)
        assert float(difference @ shares[shares > 0]) >= -1e-12
        assert np.abs((ours.theta - theirs.theta) @ matrix).max() <= np.sqrt(2.0 * max(theirs.gap, 1e-12))


@ANY_REPORTS
def test_whole_estimates_are_those_of_the_general_method(rng, monkeypatch):
    mechanism = md.baselines.randomised_response(md.Problem(n=6, values=np.arange(6.0)), 1.5)
    counts = [30, 10, 400, 200, 0, 360]

    def numbers(method):
        made = mechanism.estimate(counts=counts, method=method)
        ends = made.interval(0.9), made.interval(simultaneous=True), [made.mean().interval()]
        return made.frequencies, made.covariance, *ends, [float(made.mean())]

    for method in ("unbiased", "likelihood"):
        ours = numbers(method)
        mechanism = md.baselines.randomised_response(md.Problem(n=6, values=np.arange(6.0)), 1.5)
        theirs = generally(monkeypatch, lambda method=method: numbers(method))
        tolerance = 1e-9 if method == "unbiased" else 1e-5
        assert all(np.allclose(a, b, rtol=0, atol=tolerance) for a, b in zip(ours, theirs, strict=True))


def test_only_matrices_of_that_form_are_taken():
    matrix = response_matrix(4, 1.0)
    assert KaryResponse.of(matrix).inputs == 4
    wrong = matrix.copy()
    wrong[2, 3] = np.nextafter(wrong[2, 3], 1.0)
    diagonal = matrix.copy()
    diagonal[1, 1] = np.nextafter(diagonal[1, 1], 1.0)
    even = np.full((4, 4), 0.25)
    near = even + 0.5 * ROUNDING * (np.eye(4) - 0.25)
    others = [wrong, diagonal, even, near, matrix[:, ::-1], matrix[:3], np.ones((1, 1)), 1.0 - matrix]
    assert all(KaryResponse.of(other) is None for other in others)


def test_directions_are_orthonormal_and_sum_to_zero():
    for inputs in INPUTS:
        found = KaryResponse.of(response_matrix(inputs, 1.0)).directions()
        assert np.allclose(found.T @ found, np.eye(inputs - 1), atol=1e-14)
        assert np.abs(found.sum(axis=0)).max() <= 1e-14


def test_three_thousand_frequencies_are_estimated_without_a_matrix_being_factorised(rng, monkeypatch):
    def never(*_, **__):
        raise AssertionError

    inputs = 3000
    mechanism = md.baselines.randomised_response(md.Problem(n=inputs), 4.0)
    counts = rng.multinomial(10**6, np.full(inputs, 1.0 / inputs) @ mechanism.matrix)
    for name in ("svd", "qr", "solve", "inv", "cholesky", "eigh", "lstsq"):
        monkeypatch.setattr(np.linalg, name, never)
    for method in ("unbiased", "likelihood"):
        made = mechanism.estimate(counts=counts, method=method)
        low, high = made.interval(0.95).T
        assert made.frequencies.sum() == pytest.approx(1.0)
        assert np.all(low <= made.frequencies)
        assert np.all(made.frequencies <= high)
        assert np.mean((low <= 1.0 / inputs) & (1.0 / inputs <= high)) > 0.9
