"""How precisely a population is estimated from how many reports: standard errors, planned before anyone answers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.estimation import Verbs
from mechdesign.estimation.planning import planned, population

#: Numbers of reports that a page answers for.
REPORTS = (1_000, 10_000, 100_000)


@dataclass(frozen=True)
class Precision:
    """The standard errors of estimates from a number of reports, if the population is like the prior.

    Attributes
    ----------
    reports : int
        How many people report.
    largest : float or None
        The largest standard error of an input's frequency; None where reports do not identify all frequencies.
    plain : float
        The largest standard error of a frequency from as many true answers, without privacy.
    mean : float or None
        The standard error of the mean of the values, in their unit; None where reports do not identify it.
    plain_mean : float or None
        The standard error of that mean from as many true answers; None where there are no values.
    """

    reports: int
    largest: float | None
    plain: float
    mean: float | None
    plain_mean: float | None


def precision(mechanism: Verbs, reports: int) -> Precision:
    """Return the standard errors from a number of reports, of a population like the prior (uniform without a prior).

    Examples
    --------
    >>> from mechdesign.mechanism import Mechanism
    >>> coin = Mechanism([[0.75, 0.25], [0.25, 0.75]], ["no", "yes"])
    >>> found = precision(coin, 10_000)
    >>> round(found.largest, 6), round(found.plain, 6)
    (0.01, 0.005)
    """
    problem, found = mechanism.inputs, mechanism.identifiability
    theta = population(problem)
    linear = planned(mechanism, theta, reports)
    each = np.eye(problem.n)
    largest = None
    if bool(found.identifies(each).all()):
        largest = float(np.sqrt(linear.variances(each - 1.0 / problem.n).max()))
    plain = float(np.sqrt((theta * (1.0 - theta)).max() / reports))
    if problem.values is None or len(problem.values) != problem.n:
        return Precision(reports, largest, plain, None, None)
    spread = problem.values - problem.values.mean()
    identified = bool(found.identifies(problem.values)[0])
    mean = float(np.sqrt(linear.variances(spread[None, :])[0])) if identified else None
    plain_mean = float(np.sqrt(max(theta @ spread**2 - (theta @ spread) ** 2, 0.0) / reports))
    return Precision(reports, largest, plain, mean, plain_mean)
