"""Quantiles of an ordered answer: by definition, in the order of values, with intervals that hold the truth."""

import numpy as np
import pytest

import mechdesign as md
from mechdesign.estimation import quantiles

AGES = md.Problem(values=[30, 10, 20, 40, 50], labels=["c", "a", "b", "d", "e"])
TRUTH = np.array([0.3, 0.1, 0.2, 0.25, 0.15])


def by_definition(shares, values, p):
    """Return the least value whose cumulative share is at least p."""
    return min(v for v in values if shares[np.asarray(values) <= v].sum() >= p - 1e-12)


def estimates(response, people, seed, count, truth=TRUTH):
    """Yield estimates of samples of people."""
    rng = np.random.default_rng(seed)
    for _ in range(count):
        law = truth @ response.matrix
        yield response.estimate(counts=rng.multinomial(people, law / law.sum()))


@pytest.mark.parametrize("method", ["likelihood", "unbiased"])
def test_without_noise_it_is_the_quantile_of_the_answers(method):
    telling = md.Mechanism(np.eye(5), list("vwxyz"), problem=AGES)
    found = telling.estimate(counts=[300, 100, 200, 250, 150], method=method)
    for p in (0.05, 0.1, 0.101, 0.3, 0.5, 0.6, 0.6001, 0.85, 0.99):
        quantile = found.quantile(p)
        assert quantile.value == by_definition(TRUTH, AGES.values, p)
        assert quantile.label == AGES.labels[quantile.index]
        assert quantile.values[0] <= quantile.value <= quantile.values[1]


def test_answers_without_values_are_in_their_own_order():
    telling = md.Mechanism(np.eye(3), list("xyz"), problem=md.Problem(labels=["never", "rarely", "often"]))
    found = telling.estimate(counts=[300, 400, 300]).quantile(0.7)
    assert (found.label, found.value, found.values) == ("rarely", None, None)
    assert str(found).strip() == "quantile at 0.7 rarely (95 % interval rarely to often)"
    one = md.Mechanism([[1.0]], ["x"], problem=md.Problem(labels=["all"])).estimate(counts=[5]).quantile()
    assert (one.label, one.labels) == ("all", ("all", "all"))


def md_quantile(found, p, level):
    return found.quantile(p, level)


def misses(make, level, people):
    """Return in which share of 400 samples the interval lies below the truth, and above it."""
    response = md.baselines.randomised_response(AGES, 2.0)
    below = above = 0
    for found in estimates(response, people, 11, 400):
        for p in (0.25, 0.5, 0.62):
            truth, quantile = by_definition(TRUTH, AGES.values, p), make(found, p, level)
            below += quantile.values[1] < truth
            above += quantile.values[0] > truth
    return below / 1200, above / 1200


@pytest.mark.thinned(8)
@pytest.mark.parametrize(("level", "people"), [(0.9, 200), (0.95, 2000)])
def test_intervals_hold_the_truth_as_often_as_they_say(level, people):
    # Three standard errors of 400 samples beyond half of what the level leaves.
    half = (1 - level) / 2
    assert max(misses(md_quantile, level, people)) <= half + 3 * np.sqrt(half * (1 - half) / 400)


def test_intervals_of_the_estimate_alone_are_caught():
    def bold(found, p, level):
        """Takes the estimated quantile for the whole interval."""
        made = found.quantile(p, level)
        return type(made)(
            *(getattr(made, name) for name in ("share", "index", "label", "value", "index", "index")),
            level,
            (made.label,) * 2,
            (made.value,) * 2,
        )

    assert max(misses(bold, 0.9, 200)) > 0.05 + 3 * np.sqrt(0.05 * 0.95 / 400)


def test_an_order_of_inputs_instead_of_values_is_caught(monkeypatch):
    telling = md.Mechanism(np.eye(5), list("vwxyz"), problem=AGES)
    found = telling.estimate(counts=[300, 100, 200, 250, 150])
    monkeypatch.setattr(quantiles.np, "argsort", lambda values, kind: np.arange(len(values)))
    assert found.quantile(0.5).value != by_definition(TRUTH, AGES.values, 0.5)


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 2.0, float("nan"), "half", True])
def test_what_is_no_share_is_refused(share):
    found = md.baselines.randomised_response(AGES, 1.0).estimate(counts=[3, 4, 5, 6, 7])
    with pytest.raises(md.DomainError, match="share is"):
        found.quantile(share)
    with pytest.raises(md.DomainError, match="level is"):
        found.quantile(0.5, share)


def test_reports_that_do_not_tell_the_frequencies_are_refused():
    two = md.Mechanism([[0.75, 0.25], [0.25, 0.75], [0.5, 0.5]], ["x", "y"], problem=md.Problem(values=[0, 1, 2]))
    with pytest.raises(md.UnsupportedError):
        two.estimate(counts=[5, 5]).quantile()
