r"""Confidence intervals of functionals ``w . theta`` from shares of outputs: four methods, one line of w each.

All are taken over the populations whose shares may be negative, so long as every output has a probability: the limits
of the simplex would shift estimates next to it, and with them the coverage of all others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.estimation import likelihood_profile as profiles
from mechdesign.estimation.linear import ROUNDED, Linear, in_proportion
from mechdesign.parameters.checks import Array, number
from mechdesign.runtime.threads import blas_limited

#: A variance below 0 by less than this, of outputs that count for -1 to 1, is rounding.
VARIANCE = 1e-12

How = Literal["score", "delta", "profile", "exact"]


@blas_limited(1)
def confidence(
    linear: Linear,
    weights: Array,
    level: float,
    how: How | None,
    *,
    within: Array | None = None,
    simultaneous: bool = False,
) -> Array:
    """Return an interval of ``w . theta`` for each line w of `weights`, shape (k, 2).

    Parameters
    ----------
    linear : Linear
        The estimate.
    weights : ndarray, shape (k, n)
    level : float
        Above 0, below 1.
    how : {"score", "delta", "profile", "exact"} or None
        None is "exact" where two outputs occur, and "score" elsewhere.
    within : ndarray, shape (n,), optional
        A distribution: intervals are then cut to what populations can have, and hold what this one has.
    simultaneous : bool
        Whether all lines hold at once with the probability `level`, by Bonferroni's inequality.

    Raises
    ------
    DomainError
        A level that is not between 0 and 1, another `how`.
    UnsupportedError
        "exact" of more than two outputs.
    """
    share, chosen = probability(level), _chosen(linear, how)
    # All functionals of two outputs hang on one probability: they are simultaneous as they are.
    share = each_level(share, simultaneous and chosen != "exact", len(weights))
    # What the weights have in common is known; left in, it would only add rounding.
    middle = (weights.min(axis=1) + weights.max(axis=1)) / 2.0
    about = weights - middle[:, None]
    scale = np.maximum(np.abs(about).max(axis=1), np.finfo(float).tiny)
    about = about / scale[:, None]
    # Without a population that they have to hold, intervals belong to the linear estimate, which has its own error.
    if linear.survey is not None:
        within = None
        found = OF_SURVEYS[chosen](linear, about, share)
    else:
        own = chosen == "delta" and within is None
        found = normal(linear, about, share) if own else METHODS[chosen](linear, about, share)
    if within is not None:
        found = inside(found, about, about @ within)
    ends = found * scale[:, None] + middle[:, None]
    # Where an interval ends at its estimate, rounding would leave that outside.
    held = linear.unbiased(weights) if within is None else weights @ within
    return np.column_stack([np.minimum(ends[:, 0], held), np.maximum(ends[:, 1], held)])


def _chosen(linear: Linear, how: Any) -> str:
    """Return the method that is asked for, or the usual one, if the reports allow it."""
    two = linear.survey is None and np.count_nonzero(linear.mass) == 2
    chosen = how or ("exact" if two else "score")
    if not isinstance(chosen, str) or chosen not in METHODS:
        raise DomainError("how", how, f"it has to be one of {', '.join(METHODS)}", "choose one of them")
    if linear.survey is not None and chosen not in OF_SURVEYS:
        raise UnsupportedError(
            f'"{chosen}" counts reports of a simple sample; in a survey leave how out, or give "score" or "delta".'
        )
    if chosen == "exact" and not two:
        raise UnsupportedError('Exact intervals are for two outputs; how="score" takes any number of them.')
    return chosen


def probability(level: float) -> float:
    """Return the level of an interval, which is above 0 and below 1.

    Raises
    ------
    DomainError
        Another number, with what 95 of them in a hundred would be.
    """
    share = number("level", level)
    if not 0.0 < share < 1.0:
        remedy = f"give {share / 100.0:g} for {share:g} %" if 1.0 < share < 100.0 else "give 0.95, say"
        raise DomainError("level", level, "it has to be above 0 and below 1", remedy)
    return share


def each_level(share: float, simultaneous: bool, lines: int) -> float:
    """Return the level of each interval, so that all lines hold at once by Bonferroni's inequality if that is asked."""
    return min(1.0 - (1.0 - share) / lines, float(np.nextafter(1.0, 0.0))) if simultaneous else share


def student(linear: Linear, weights: Array, level: float) -> Array:
    """Return the linear estimate plus and minus Student's quantiles of its standard error in a survey, shape (k, 2)."""
    centre, half = linear.unbiased(weights), reach(linear, weights, level) * credible_errors(linear, weights)
    return np.column_stack([centre - half, centre + half])


def at_effective_size(linear: Linear, weights: Array, level: float) -> Array:
    """Return Wilson's interval, for any matrix, at the number of reports that a survey is worth, shape (k, 2).

    That is Kish's number over the design effect: the variance of the line in this survey, in units of that of as many
    reports of equal weights, or its least one if it is less. The quantile is Student's. If all of a finite population
    was drawn, or nothing shows the variance, the interval is `student`'s.

    References
    ----------
    E. L. Korn, B. I. Graubard, "Confidence Intervals for Proportions with Small Expected Number of Positive Counts
    Estimated from Survey Data", Survey Methodology 24 (1998).
    """
    from scipy.special import stdtrit

    survey = linear.survey
    assert survey is not None, "others have as many reports as there are"
    if survey.complete or survey.units < 2:
        return student(linear, weights, level)
    worth = survey.effective_reports
    spread, variances = linear.centred(weights) ** 2 @ linear.shares, linear.unbiased_errors(weights) ** 2
    seen = (spread > 0) & (variances > 0) & ~np.full(len(weights), survey.doubtful)
    effects = np.divide(variances * worth, spread, out=np.ones(len(weights)), where=seen)
    quantiles = float(stdtrit(max(survey.degrees, 1.0), (1.0 + level) / 2.0)) ** 2
    plain = replace(linear, reports=worth, survey=None)
    found, improper = _wilson(plain, weights, quantiles * np.maximum(effects, survey.least_effect) / worth)
    if improper.any():
        # There the reports show too little of the variance: the model's has it.
        model = np.sqrt(plain.variances(weights) * np.maximum(effects, survey.least_effect) * quantiles)
        about = linear.unbiased(weights)[:, None] + np.outer(model, [-1.0, 1.0])
        found[improper, 0] = np.minimum(found, about)[improper, 0]
        found[improper, 1] = np.maximum(found, about)[improper, 1]
    return found


def alike(linear: Linear, weights: Array) -> npt.NDArray[np.bool_]:
    """Return of which lines all reports count alike, so that they do not show how people differ, shape (k,)."""
    errors, own = linear.unbiased_errors(weights), linear.errors(weights)
    counted = linear.centred(weights)[:, linear.shares > 0.0]
    return np.asarray((errors <= ROUNDED * own) | (counted == 0.0).all(axis=1))


def credible_errors(linear: Linear, weights: Array) -> Array:
    """Return the standard error of each line's linear estimate that an interval may be taken from, shape (k,).

    If all reports count alike it is at least the model's standard error, of as many reports as the weights are worth,
    unless a survey drew its whole population.
    """
    errors, survey = linear.unbiased_errors(weights), linear.survey
    if survey is not None and survey.complete:
        return errors
    same = alike(linear, weights)
    if not same.any():
        return errors
    worth = 1.0 if survey is None else linear.reports / survey.effective_reports
    return np.where(same, np.maximum(errors, linear.errors(weights) * np.sqrt(worth)), errors)


def reach(linear: Linear, weights: Array, level: float) -> Array:
    """Return how many standard errors an interval of each line reaches to either side, shape (k,)."""
    share = probability(level)
    if linear.survey is None:
        return np.full(len(weights), quantile(share))
    # Loaded here: nothing else of a mechanism needs it.
    from scipy.special import stdtrit

    freedom = linear.survey.freedom(linear.centred(in_proportion(weights)[1]))
    # The model's own error depends on no terms that are few; nothing is known of a variance with less than one degree.
    freedom = np.maximum(np.where(alike(linear, weights), linear.survey.degrees, freedom), 1.0)
    return np.asarray(stdtrit(freedom, (1.0 + share) / 2.0))


def delta(linear: Linear, weights: Array, level: float) -> Array:
    """Return ``t +- z sqrt(w C w / N)``, shape (k, 2): the normal interval about the best linear estimate t."""
    half = quantile(level) * np.sqrt(linear.variances(weights))
    centre = linear.unbiased(weights)
    return np.column_stack([centre - half, centre + half])


def normal(linear: Linear, weights: Array, level: float) -> Array:
    """Return the linear estimate plus and minus normal quantiles of its own standard error, shape (k, 2).

    Where all reports count alike that error is 0, and the interval is that of `delta`.
    """
    centre, half = linear.unbiased(weights), quantile(level) * credible_errors(linear, weights)
    return np.column_stack([centre - half, centre + half])


def score(linear: Linear, weights: Array, level: float) -> Array:
    """Return the t with ``(t_hat - t)^2 <= z^2 V(t) / N``, shape (k, 2): Wilson's interval for any matrix.

    ``t_hat = sum_y a_y f_y`` is the best linear estimate, and ``V(t) = sum_y a_y^2 p_y(t) - t^2`` its variance along
    the populations that are nearest to the likeliest one and have the functional t. Of the identity this is Wilson's
    interval of a share; where V is no variance at t_hat (far outside of the simplex), the normal interval is returned.
    """
    squares = np.full(len(weights), quantile(level) ** 2 / linear.reports)
    found, improper = _wilson(linear, weights, squares)
    if improper.any():
        found[improper] = delta(linear, weights[improper], level)
    return found


def _wilson(linear: Linear, weights: Array, squares: Array) -> tuple[Array, npt.NDArray[np.bool_]]:
    """Return the t with ``(t_hat - t)^2 <= squares V(t)``, shape (k, 2), and of which lines V is no variance, (k,)."""
    at = weights @ linear.near
    moved = linear.moved(weights)
    outputs = moved + (at - moved @ linear.mass)[:, None]
    variance = moved**2 @ linear.mass
    # V(t) = constant + slope t - t^2, where laws move by w C Q = moved * mass for each w C w of t
    slope = (outputs**2 * moved) @ linear.mass
    slope = np.divide(slope, variance, out=np.zeros_like(slope), where=variance > 0)
    constant = outputs**2 @ linear.mass - slope * at
    estimates = outputs @ linear.shares
    half = estimates + squares * slope / 2.0
    root = half**2 - (1.0 + squares) * (estimates**2 - squares * constant)
    sides = np.sqrt(np.maximum(root, 0.0))
    found = np.column_stack([half - sides, half + sides]) / (1.0 + squares)[:, None]
    # An output without reports has the variance 0 there, up to rounding.
    rounding = VARIANCE * np.maximum((outputs**2).max(axis=1), 1.0)
    improper = constant + slope * estimates - estimates**2 <= -rounding
    return found, np.asarray(improper)


def exact(linear: Linear, weights: Array, level: float) -> Array:
    """Return Clopper and Pearson's interval, shape (k, 2), where two outputs occur: coverage is never below the level.

    Every functional that such reports identify is ``t = c + s p`` with p the probability of one of the outputs.
    """
    from scipy.special import betaincinv

    y = int(np.argmax(linear.mass > 0))
    total, tail = linear.reports, (1.0 - level) / 2.0
    found = round(linear.shares[y] * total)
    low = float(betaincinv(found, total - found + 1, tail)) if found else 0.0
    high = float(betaincinv(found + 1, total - found, 1.0 - tail)) if found < total else 1.0
    gradient = linear.matrix[:, y] @ linear.directions
    # Where both outputs have the same probability for all inputs, only constants are identified.
    slopes = (weights @ linear.directions) @ gradient / max(float(gradient @ gradient), np.finfo(float).tiny)
    middle = weights @ linear.theta - slopes * (linear.theta @ linear.matrix[:, y])
    ends = middle[:, None] + slopes[:, None] * np.array([low, high])
    return np.asarray(np.sort(ends, axis=1))


def profile(linear: Linear, weights: Array, level: float) -> Array:
    """Return the t that some population has whose log-likelihood is within ``z^2 / 2`` of the largest, shape (k, 2)."""
    return profiles.ends(linear, weights, quantile(level) ** 2 / 2.0)


METHODS: dict[str, Callable[[Linear, Array, float], Array]] = {
    "score": score,
    "delta": delta,
    "profile": profile,
    "exact": exact,
}


#: Of surveys.
OF_SURVEYS: dict[str, Callable[[Linear, Array, float], Array]] = {"score": at_effective_size, "delta": student}


def quantile(level: float) -> float:
    """Return the number of standard deviations that a normal variable stays within with probability `level`."""
    # Loaded here: with it comes the library of random numbers, which nothing else needs.
    from statistics import NormalDist

    upper = (1.0 + level) / 2.0
    # Of a level next to 1 the share beyond it is still a number, when what is left is 1.
    return NormalDist().inv_cdf(upper) if upper < 1.0 else -NormalDist().inv_cdf((1.0 - level) / 2.0)


def inside(limits: Array, weights: Array, estimates: Array) -> Array:
    """Return the intervals cut to what a population can have, widened to hold the estimate well inside.

    Of an interval that lies on one side of that range nearly nothing would be left: it then starts where the range does
    and keeps half its width. Intervals are about the linear estimate, from which the likeliest population may be far
    where some of its frequencies are 0: to each side they reach beyond that population by a quarter of their width. As
    none is shortened, coverage only grows.
    """
    least, most = weights.min(axis=1), weights.max(axis=1)
    half = (limits[:, 1] - limits[:, 0]) / 2.0
    middle = np.clip(limits.mean(axis=1), least, most)
    # Of frequencies that sum to one up to rounding, an estimate may be outside by as much.
    held = np.clip(estimates, least, most)
    low = np.minimum(np.minimum(limits[:, 0], middle - half), held - half / 2.0)
    high = np.maximum(np.maximum(limits[:, 1], middle + half), held + half / 2.0)
    return np.column_stack([np.maximum(low, least), np.minimum(high, most)])


def wilson(counts: Array, trials: int, level: float) -> Array:
    """Return Wilson's interval of each probability, shape (n, 2): populations that a score test keeps.

    Parameters
    ----------
    counts : ndarray, shape (n,)
        Successes.
    trials : int
        Of each.
    level : float
        Above 0 and below 1.

    Examples
    --------
    >>> wilson(np.array([0.0, 50.0]), 100, 0.95).round(4).tolist()
    [[0.0, 0.037], [0.4038, 0.5962]]
    """
    z2 = quantile(level) ** 2
    share = counts / trials
    centre = (share + z2 / (2.0 * trials)) / (1.0 + z2 / trials)
    half = np.sqrt(z2 * (share * (1.0 - share) / trials + z2 / (4.0 * trials**2))) / (1.0 + z2 / trials)
    return np.column_stack([np.maximum(centre - half, 0.0), np.minimum(centre + half, 1.0)])


def clopper_pearson(counts: Array, trials: int, level: float) -> Array:
    """Return the exact interval of each probability, shape (n, 2), of at least that level.

    Examples
    --------
    >>> clopper_pearson(np.array([0.0, 50.0]), 100, 0.95).round(4).tolist()
    [[0.0, 0.0362], [0.3983, 0.6017]]
    """
    from scipy.special import betaincinv

    tail = (1.0 - level) / 2.0
    low = np.where(counts > 0, betaincinv(np.maximum(counts, 1), trials - counts + 1, tail), 0.0)
    high = np.where(counts < trials, betaincinv(counts + 1, np.maximum(trials - counts, 1), 1.0 - tail), 1.0)
    return np.column_stack([low, high])
