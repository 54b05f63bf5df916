"""What has to be known before the numbers of an estimate are used, as sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mechdesign.estimation.identifiability import words
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.problem.bins import bins_of_labels

if TYPE_CHECKING:
    from mechdesign.estimation.estimating import Estimate

#: More than this of the log-likelihood of all reports, in nats, would show in intervals.
DOUBTFUL = 0.01

#: Expected counts below this make intervals doubtful, and are said.
FEW = 5.0

#: Reports that the weights are worth below which intervals are doubtful, and are said to be.
FEW_WEIGHTS = 30.0

#: Below this a few reports decide all.
VERY_FEW = 5.0

#: A limit is outside of the range of frequencies by more than rounding.
OUTSIDE = 1e-9


def remarks(estimate: Estimate, level: float) -> tuple[str, ...]:
    """Return what to know of an estimate whose intervals have this level."""
    said = []
    if estimate.problem.interval is not None:
        said.append("Frequencies are of the points that numbers were rounded to at random; the mean is of the numbers.")
    if not estimate.identifiable.all():
        said.append(_identified(estimate))
    elif estimate.method == "unbiased":
        said += unbounded(estimate.problem, estimate.frequencies, estimate.interval(level))
        said += _exact_shares(estimate)
    if estimate.identifiable.all():
        said += of_bins(estimate.problem, estimate.frequencies)
    if not estimate.fit.fits:
        said.append(estimate.fit.sentence())
    if estimate.survey is not None:
        return (*_of_survey(estimate), *said)
    expected = estimate.linear.mass * estimate.reports
    if few := int(np.count_nonzero((expected < FEW) & (expected > 0))):
        said.append(f"Outputs that expect fewer than {FEW:g} reports each: {few}; intervals are approximate.")
    if estimate.gap * estimate.reports > DOUBTFUL:
        said.append(f"The likelihood is proved to be the largest only within {estimate.gap:.1e} nats per report.")
    return tuple(said)


def _of_survey(estimate: Estimate) -> list[str]:
    """Return what to know of a survey whose weights are worth few reports, or whose variance nothing shows."""
    survey = estimate.survey
    if survey is None:
        return []
    if survey.units < 2:
        return ["No variance is known: of one unit nothing shows how much units differ."]
    if survey.degrees < 1.0:
        return ["No stratum has two units with these people: intervals take one degree of freedom, and are doubtful."]
    if survey.effective_reports < VERY_FEW:
        heavy = f"The weights are worth fewer than {VERY_FEW:g} reports: a few heavy ones decide the estimate."
        return [f"{heavy} Intervals hold if weights do not depend on answers."]
    return ["These are few: intervals are approximate."] if survey.effective_reports < FEW_WEIGHTS else []


def unbounded(problem: Problem, values: Array, ends: Array) -> list[str]:
    """Return what to know of linear estimates of frequencies, and of limits, that no frequency can have."""
    said = []
    if (negative := np.flatnonzero(values < 0)).size:
        named = ", ".join(problem.named(int(x)) for x in negative)
        said.append(f"Negative frequencies, as unbiased estimates may have: {named}.")
    if (ends < -OUTSIDE).any() or (ends > 1.0 + OUTSIDE).any():
        said.append("Limits below 0 or above 1 come of unbiased estimates: read them as 0 and 1.")
    return said


def of_bins(problem: Problem, frequencies: Array) -> list[str]:
    """Return what to know of a mean if answers are intervals, whose middles it takes: no interval covers that error.

    Examples
    --------
    >>> survey = Problem(labels=["[0, 10)", "[10, 90]"], values=[5, 50])
    >>> of_bins(survey, np.array([0.5, 0.5]))[0][-51:]
    'could put it anywhere from 5 to 50 instead of 27.5.'
    """
    bins = None if problem.labels is None or problem.values is None else bins_of_labels(problem.labels)
    if bins is None or not np.array_equal(problem.required_values, bins.middles):
        return []
    low, middle, high = (float(frequencies @ each) for each in (bins.edges[:-1], bins.middles, bins.edges[1:]))
    where = f"could put it anywhere from {low:.6g} to {high:.6g} instead of {middle:.6g}"
    return [f"The mean takes the middles of intervals: what the answers are within them {where}."]


def _identified(estimate: Estimate) -> str:
    known = [estimate.problem.named(int(x)) for x in np.flatnonzero(estimate.identifiable)]
    which = (
        f"The reports identify only the frequencies of {', '.join(known)}" if known else "No frequency is identified"
    )
    return f"{which}: {words(estimate.identifiability, estimate.problem)}."


def _exact_shares(estimate: Estimate) -> list[str]:
    lines = np.eye(estimate.problem.n) - 1.0 / estimate.problem.n
    if estimate.problem.n > 1 and (estimate.linear.unbiased_errors(lines) <= 0.0).any():
        return ["A standard error of 0 means that all reports count alike; the interval says what is not known."]
    return []
