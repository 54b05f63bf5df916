"""Sample size and power: how many reports a survey needs, and how likely its test finds a difference."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.displays.numbers import rounded_up
from mechdesign.errors import DomainError, nearest
from mechdesign.estimation.identifiability import require_identifiable
from mechdesign.estimation.intervals import quantile
from mechdesign.estimation.linear import Linear
from mechdesign.estimation.query_estimates import rows_of_queries
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.queries import require_varying

if TYPE_CHECKING:
    from mechdesign.estimation.planning_verbs import PlanningVerbs

#: Of so many reports the covariance is that at the population itself.
MOST = 10**15
#: Reports beyond which nobody asks: the mechanism is designed for something else.
NO_SURVEY = 10**9
#: Variances that differ by less than this share are alike.
ALIKE = 1e-9
#: Halvings of an interval of standard errors, to the last bit.
HALVINGS = 60
#: Matrices of more entries take seconds.
QUICK = 1 << 20


def population(problem: Problem, theta: Any = None) -> Array:
    """Return the population that is planned for: theta, the prior, or equal frequencies where there is neither."""
    if theta is not None:
        return domains.distribution("theta", problem.in_order("theta", theta))
    if problem.prior is None:
        return np.full(problem.n, 1.0 / problem.n)
    return np.asarray(problem.prior / problem.prior.sum())


def planned(mechanism: PlanningVerbs, theta: Array, reports: int) -> Linear:
    """Return the best linear estimate from a number of reports of a population."""
    directions = mechanism.identifiability.directions
    return Linear(mechanism.matrix, theta @ mechanism.matrix, reports, theta, directions)


def people_needed(
    mechanism: PlanningVerbs, error: Any, level: Any, *, difference: Any, power: Any, theta: Any, of: Any
) -> int:
    """Return how many reports `PlanningVerbs.people_needed` asks for."""
    if (error is None) == (difference is None):
        given = "neither of them" if error is None else "both of them"
        rule = "a survey is planned for intervals within an error, or to find a difference"
        raise DomainError("error and difference", given, rule, "give one")
    if error is None:
        found = planned_test(mechanism, difference, level, theta, of)
        return found.people_needed(0.8 if power is None else power)
    for argument, value in (("power", power), ("of", of)):
        if value is not None:
            raise DomainError(argument, value, "an error has to do with no test", "give difference=, or leave it out")
    wanted = domains.real("error", error, 0.0)
    if not 0.0 < wanted < 1.0:
        raise DomainError("error", error, "it has to be above 0 and below 1, a share", "give 0.01 for one point, say")
    likely = _probability("level", level, "give 0.95, say")
    spread = mechanism.variances_planned(population(mechanism.inputs, theta)).max()
    return _people(float(spread), quantile(likely) / wanted, "error", error)


def people_for_queries(
    mechanism: PlanningVerbs, error: Any, level: Any, queries: Any, theta: Any, refused: Mapping[str, Any]
) -> int:
    """Return how many reports make the widest interval of a query as short as `PlanningVerbs.people_needed` says."""
    for argument, value in refused.items():
        if value is not None:
            rule = "queries are planned for by an error alone"
            raise DomainError(argument, value, rule, "leave it out, or the queries")
    wanted = domains.real("error", error, 0.0)
    if not wanted > 0.0:
        raise DomainError("error", error, "it has to be above 0, in the unit of the queries", "give 0.01, say")
    likely = _probability("level", level, "give 0.95, say")
    problem = mechanism.inputs
    names, lines = rows_of_queries(queries, problem)
    require_varying("queries", lines)
    for name, line in zip(names, lines, strict=True):
        require_identifiable(mechanism.identifiability, line, f"the query {name}", problem)
    spread = mechanism.variances_planned(population(problem, theta), lines - lines.mean(axis=1, keepdims=True)).max()
    return _people(float(spread), quantile(likely) / wanted, "error", error)


@dataclass(frozen=True)
class PlannedTest:
    """A two-sided test of whether a share differs between two groups of people, before anybody answers.

    Attributes
    ----------
    difference : float
        Of the shares, by which they truly differ.
    variance : float
        Of the estimated difference, times the number of people in each group.
    level : float
        One less the probability that the test finds a difference where there is none.
    """

    difference: float
    variance: float
    level: float

    def power(self, people: int) -> float:
        """Return the power of the test with `people` in each group: the probability that it finds the difference."""
        return self._found(abs(self.difference) * math.sqrt(people / self.variance))

    def _found(self, distance: float) -> float:
        """Return the power for a difference of `distance` standard errors."""
        normal = NormalDist()
        limit = quantile(self.level)
        return normal.cdf(distance - limit) + normal.cdf(-distance - limit)

    def people_needed(self, power: Any) -> int:
        """Return the least number of people in each group with at least that power.

        Raises
        ------
        DomainError
            A power that every test has, or that none has.
        """
        wanted = domains.real("power", power, 0.0, 1.0)
        chance = 1.0 - self.level
        if not chance < wanted < 1.0:
            rule = f"it has to be above {chance:.4g}, which chance alone finds, and below 1"
            raise DomainError("power", power, rule, "give 0.8, say")
        low, high = 0.0, 1.0
        while self._found(high) < wanted:
            high *= 2.0
        for _ in range(HALVINGS):
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self._found(middle) >= wanted else (middle, high)
        return _people(self.variance, high / self.difference, "difference", self.difference)


def _people(variance: float, errors: float, argument: str, value: Any) -> int:
    """Return the number of reports whose standard error is ``1 / errors``, rounded up."""
    found = variance * errors * errors
    if not math.isfinite(found):
        raise DomainError(argument, value, "it takes more people than floats can count", "give a larger one")
    return max(1, math.ceil(found))


def planned_test(mechanism: PlanningVerbs, difference: Any, level: Any, theta: Any, of: Any) -> PlannedTest:
    """Return the test of a difference between a planned population and one in which a share is larger by it.

    Raises
    ------
    DomainError
        A difference of 0, or one that leaves no share of people in a group; a level outside of its range; no input.
    """
    apart = domains.real("difference", difference, -1.0, 1.0)
    if not apart:
        raise DomainError("difference", difference, "no number of people finds a difference of 0", "give 0.1, say")
    likely = _probability("level", level, "give 0.95, say")
    problem = mechanism.inputs
    if problem.n < 2:
        raise DomainError("mechanism", "of one input", "a share differs only beside another", "ask for two")
    first = population(problem, theta)
    spreads = mechanism.variances_planned(first)
    # Of two answers both are as wide, and the last one is "yes".
    widest = int(np.flatnonzero(spreads >= (1.0 - ALIKE) * spreads.max())[-1])
    x = widest if of is None else _input(of, problem)
    share = float(first[x] + apart)
    if not 0.0 <= share <= 1.0 or first[x] == 1.0:
        rule = f'"{problem.named(x)}" has a share of {first[x]:.4g} in the first group, and would have {share:.4g}'
        raise DomainError("difference", difference, rule, "give a smaller one, or theta")
    second = first * ((1.0 - share) / (1.0 - first[x]))
    second[x] = share
    return PlannedTest(apart, float(spreads[x] + mechanism.variances_planned(second)[x]), likely)


def _probability(argument: str, value: Any, remedy: str) -> float:
    found = domains.real(argument, value, 0.0, 1.0)
    if not 0.0 < found < 1.0:
        raise DomainError(argument, value, "it has to be above 0 and below 1", remedy)
    return found


def _input(name: Any, problem: Problem) -> int:
    """Return the input of a name."""
    names = [problem.named(x) for x in range(problem.n)]
    if str(name) not in names:
        raise DomainError("of", name, "it has to be an answer of the problem", nearest(str(name), names))
    return names.index(str(name))


def people_said(mechanism: PlanningVerbs, error: float = 0.01, level: float = 0.95) -> str:
    """Return in a sentence how many people a survey needs; empty where reports do not identify all frequencies.

    Of numbers of an interval it is about their mean, within that share of the interval's length.
    """
    planned_for = _asked_by_all(mechanism)
    if planned_for is None:
        return ""
    spread, what, unit, whose = planned_for
    error *= unit
    found = _people(spread, quantile(level) / error, "error", error)
    if found >= MOST:
        return ""
    digits = max(len(str(found)) - 3, 0)
    rounded = math.ceil(found / 10**digits) * 10**digits
    if found >= NO_SURVEY:
        return f"For {what} it takes over {NO_SURVEY:.0e} reports: it is designed for something else."
    return f"{rounded:,} reports give {what} within {error:g} ({100 * level:g} % intervals){whose}."


def error_said(mechanism: PlanningVerbs, people: int, level: float = 0.95) -> str:
    """Return in a sentence what that number of people gives; empty where reports do not identify all frequencies."""
    planned_for = _asked_by_all(mechanism)
    if planned_for is None:
        return ""
    spread, what, unit, whose = planned_for
    error = quantile(level) * math.sqrt(spread / people)
    if error >= unit:
        return f"{people:,} reports say next to nothing: {100 * level:g} % intervals are as wide as can be{whose}."
    return f"{people:,} reports give {what} within {rounded_up(error, 2)} ({100 * level:g} % intervals){whose}."


def _asked_by_all(mechanism: PlanningVerbs) -> tuple[float, str, float, str] | None:
    """Return the variance of one report about every share or the mean, its name, its range, and of which population."""
    inputs = mechanism.inputs
    if mechanism.shape[0] * mechanism.shape[1] > QUICK:
        return None
    lines, what, unit = np.eye(inputs.n), "every share", 1.0
    if inputs.interval is not None:
        lines, what, unit = inputs.required_values[None, :], "the mean", float(np.ptp(inputs.required_values))
    if not mechanism.identifiability.identifies(lines).all():
        return None
    spread = mechanism.variances_planned(population(inputs), lines - lines.mean(axis=1, keepdims=True)).max()
    equal = inputs.interval is None and inputs.prior is None and inputs.n > 1
    return float(spread), what, unit, " if all are equal" if equal else ""
