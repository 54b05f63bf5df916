"""Two stages of people: the reports of some estimate the prior, the others get the design for every prior near it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.designing.entry import design
from mechdesign.designing.result import Design
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import listed
from mechdesign.displays.numbers import digits, in_full
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.estimation.estimating import Estimate
from mechdesign.mechanism import Mechanism
from mechdesign.notions import LDP, BoundedPriorLIP
from mechdesign.objectives import Objective
from mechdesign.parameters import Real
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.rivals.rival import value_of

if TYPE_CHECKING:
    from mechdesign.estimation.intervals import How

#: The probability with which all bounds hold.
LEVEL = 0.95
#: A share of people, and the level of intervals.
SHARE = Real(low=0.0, high=1.0, open_low=True, open_high=True)
#: Shares of people in the first stage that are compared.
SHARES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


@dataclass(frozen=True)
class TwoStage(Displayed):
    """The design for the people of a second stage, and what is known of the prior that it is relative to.

    Attributes
    ----------
    estimate : Estimate
        Of the prior, from the reports of the first stage.
    level : float
        The probability, before those reports are drawn, that the prior lies within the bounds.
    bounds : ndarray, shape (n, 2)
        Of the prior.
    design : Design
        For the second stage, under `BoundedPriorLIP` within the bounds.
    local : Design
        The same under `LDP` at the same epsilon, which needs no prior.
    """

    estimate: Estimate = field(repr=False)
    level: float
    bounds: Array = field(repr=False)
    design: Design
    local: Design

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism of the second stage."""
        return self.design.mechanism

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return what is guaranteed to whom, the values, and the bounds of the prior."""
        asked = self.mechanism.asked
        objective, epsilon = asked.objective, in_full(asked.notion.parameter)
        unit = f" {objective.unit}" if objective.unit else ""
        first = f"{self.estimate.reports} people reported first; with probability {in_full(self.level)} the prior lies"
        then = (
            f"Then no report of the others makes an answer e^{epsilon} times more or less probable, for anyone who has"
        )
        otherwise = (
            "that prior, or another within them. If it lies elsewhere, nothing is promised beyond the level of LDP of"
        )
        values = f"{objective.name}: {self.design.value:.6g}{unit}, certified at {self.design.bound:.6g}; under LDP at"
        said = (
            f"{first} within the bounds that their reports give.",
            f"{then} {otherwise} the matrix, {self.local_level:.4g} nats.",
            f"{values} {epsilon} nats {self.local.value:.6g}.",
        )
        rows = tuple(
            (name, digits(share, 6), digits(low, 6), digits(high, 6))
            for name, share, (low, high) in zip(
                self.estimate.labels, self.estimate.frequencies, self.bounds, strict=True
            )
        )
        return Lines("Two stages", said), Table(
            "The prior", ("answer", "estimate", "lower", "upper"), rows, ("answer",)
        )

    @property
    def local_level(self) -> float:
        """The level of LDP of the second mechanism, in nats: it holds whatever the prior is."""
        notion = self.local.mechanism.asked.notion
        return float(notion.level(self.mechanism.matrix, self.mechanism.inputs).value)


def two_stage(
    estimate: Estimate,
    epsilon: float,
    objective: Objective,
    *,
    level: float = LEVEL,
    how: How | None = None,
    **keywords: Any,
) -> TwoStage:
    """Return the best mechanism for the people of a second stage under LIP, relative to an estimated prior.

    LIP is relative to a prior, and a prior that was estimated is not the true one. The reports of a first stage, under
    LDP, give each frequency an interval; all of them hold the truth with probability `level`, and `BoundedPriorLIP` at
    `epsilon` holds for every prior within them.

    Parameters
    ----------
    estimate : Estimate
        Of the frequencies, from the first stage's reports: ``mechanism.estimate(reports)``.
    epsilon : float
        Of the second stage, at least 0 nats.
    objective : Objective
        What has to stay useful, at the estimated prior.
    level : float
        Strictly between 0 and 1.
    how : {"score", "delta", "profile", "exact"}, optional
        The kind of intervals, as of `Estimate.interval`.
    **keywords
        Of `md.design`.

    Returns
    -------
    TwoStage

    Raises
    ------
    DomainError
        A level outside of its range; another thing than an estimate.
    UnsupportedError
        Reports that do not identify all frequencies; a hidden secret.

    Notes
    -----
    A prior is positive: a frequency that was estimated at 0 or below counts as half a report, within its bounds.

    Examples
    --------
    >>> import mechdesign as md
    >>> survey = md.Problem(n=3, values=[0, 1, 2])
    >>> first = md.design(survey, md.LDP(1.0), md.InformationDesign("A")).mechanism
    >>> found = md.two_stage(first.estimate(counts=[900, 1100, 1000]), 1.0, md.MMSE())
    >>> bool(found.design.value < found.local.value), found.design.gap <= 1e-6
    (True, True)
    """
    _require("estimate", estimate, Estimate, "give mechanism.estimate(reports) of the first stage")
    required("objective", objective, Objective)
    share = float(SHARE.check("level", level))
    _require_answers(estimate.problem)
    bounds = np.clip(estimate.interval(share, simultaneous=True, how=how), 0.0, 1.0)
    prior = _positive(np.asarray(estimate.frequencies, dtype=float), bounds[:, 1], estimate.reports)
    bounds = np.column_stack([np.minimum(bounds[:, 0], prior), np.maximum(bounds[:, 1], prior)])
    problem = replace(estimate.problem, prior=prior, prior_source=f"estimated from {estimate.reports} reports")
    notion = BoundedPriorLIP(epsilon, bounds[:, 0], bounds[:, 1])
    made = design(problem, notion, objective, **keywords)
    return TwoStage(estimate, share, domains.frozen(bounds), made, _local(problem, epsilon, objective, keywords))


@dataclass(frozen=True)
class Stages(Displayed):
    """What a mean person's report is worth for several shares of people in the first stage.

    Attributes
    ----------
    people : int
        Of both stages.
    objective : Objective
        Whose values these are.
    shares : ndarray, shape (k,)
        Of people in the first stage.
    widest : ndarray, shape (k,)
        The widest interval of a frequency.
    second : ndarray, shape (k,)
        The value of the second stage's mechanism under the prior that was guessed.
    mean : ndarray, shape (k,)
        The mean value of all people's mechanisms.
    local : float
        The value of the best mechanism under LDP at the second stage's epsilon, for everybody.
    """

    people: int
    objective: Objective
    shares: Array = field(repr=False)
    widest: Array = field(repr=False)
    second: Array = field(repr=False)
    mean: Array = field(repr=False)
    local: float

    @property
    def best(self) -> float:
        """The share with the best mean."""
        sign = 1.0 if self.objective.sense == "minimise" else -1.0
        return float(self.shares[int((sign * self.mean).argmin())])

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return a row for each share, and the best."""
        numbers = zip(self.shares, self.widest, self.second, self.mean, strict=True)
        rows = tuple(tuple(digits(float(number), 6) for number in row) for row in numbers)
        best = f"Of {self.people} people, a share of {self.best:g} in the first stage is best on the mean"
        said = (
            f"{best}, by {self.objective.name}.",
            f"Everybody under LDP at the second stage's epsilon: {self.local:.6g}.",
            "At the frequencies that were guessed, with the reports that they lead to one expects.",
        )
        heads = ("share", "widest interval", "second stage", "mean of all")
        return Lines("Two stages", said), Table("Shares of the first stage", heads, rows, ("share",))


def two_stage_shares(
    problem: Problem,
    first: Mechanism,
    epsilon: float,
    objective: Objective,
    people: int,
    *,
    shares: Sequence[float] = SHARES,
    level: float = LEVEL,
    **keywords: Any,
) -> Stages:
    """Return the mean value of a report for several shares of people in the first stage, at a prior that is guessed.

    Each share's reports are those that the guessed prior leads to one expects; `two_stage` then designs the second
    mechanism, whose value is under the guessed prior.

    Parameters
    ----------
    problem : Problem
        With the guessed prior, and values if the objective asks for them.
    first : Mechanism
        Of the first stage, whose reports identify all frequencies.
    epsilon : float
        Of the second stage, at least 0 nats.
    objective : Objective
    people : int
        In both stages, at least 2.
    shares : sequence of float
        Strictly between 0 and 1.
    level : float
        Of `two_stage`.
    **keywords
        Of `md.design`.

    Returns
    -------
    Stages

    Raises
    ------
    DomainError
        A share or level outside of its range; too few people; a problem without prior, or of another size than the
        first mechanism's.
    UnsupportedError
        An objective that has no value of the first mechanism.

    Examples
    --------
    >>> import mechdesign as md
    >>> guessed = md.Problem(prior=[0.5, 0.3, 0.2], values=[0, 1, 2])
    >>> first = md.design(guessed, md.LDP(1.0), md.InformationDesign("A")).mechanism
    >>> md.two_stage_shares(guessed, first, 1.0, md.MMSE(), 100_000, shares=[0.05, 0.5]).best
    0.05
    """
    required("problem", problem, Problem)
    _require("first", first, Mechanism, "give the mechanism of a design for frequencies")
    required("objective", objective, Objective)
    count = domains.whole("people", people, 2)
    _require("shares", shares, Iterable, "give a sequence, as [0.1]")
    parts = [float(SHARE.check(f"shares[{k}]", share)) for k, share in enumerate(shares)]
    if not parts:
        raise DomainError("shares", "none", "there is nothing to compare", "give a share of the people, as [0.1]")
    if count * min(parts) < 1.0:
        rule = f"a share of {min(parts):g} of {count} people is nobody"
        raise DomainError("shares", list(parts), rule, "give more people, or larger shares")
    _require_answers(problem)
    if first.matrix.shape[0] != problem.n:
        rule = f"the first mechanism is over {first.matrix.shape[0]} answers"
        raise DomainError("problem", f"over {problem.n} answers", rule, "give the problem that it was designed for")
    if first.inputs.labels and problem.labels and first.inputs.labels != problem.labels:
        rule = f"the first mechanism is over {listed(first.inputs.labels)}"
        raise DomainError("problem", f"over {listed(problem.labels)}", rule, "give the answers in that order")
    prior = problem.required_prior
    own = value_of(first.matrix, objective, problem)
    if own is None:
        raise UnsupportedError(f"{objective.name} has no value of the first mechanism, whose outputs are no decisions.")
    law = prior / math.fsum(prior) @ first.matrix
    found = []
    for part in parts:
        counts = np.maximum(np.round(part * count * law), 1.0 * (law == law.max())).astype(int)
        made = two_stage(
            replace(first.estimate(counts=counts), problem=problem), epsilon, objective, level=level, **keywords
        )
        value = value_of(made.mechanism.matrix, objective, problem)
        second = made.design.value if value is None else value
        widest = float(np.diff(made.bounds, axis=1).max())
        found.append((widest, second, part * own + (1.0 - part) * second))
    widths, seconds, means = (domains.frozen(np.array(each)) for each in zip(*found, strict=True))
    local = _local(problem, epsilon, objective, keywords).value
    return Stages(count, objective, domains.frozen(np.array(parts)), widths, seconds, means, local)


def _positive(frequencies: Array, upper: Array, reports: int) -> Array:
    """Return estimated frequencies as a prior: those that are not positive count half a report, or half their bound."""
    least = np.where(upper > 0, np.minimum(0.5 / reports, 0.5 * upper), 0.5 / reports)
    prior = np.where(frequencies > 0, frequencies, least)
    return np.asarray(prior / math.fsum(prior))


def _require_answers(problem: Problem) -> None:
    if not problem.is_about_answers:
        raise UnsupportedError("Two stages protect the answers themselves; give a problem without hidden(...).")


def _local(problem: Problem, epsilon: float, objective: Objective, keywords: dict[str, Any]) -> Design:
    """Return the design that needs no prior for its guarantee."""
    return design(problem, LDP(epsilon), objective, **keywords)


def _require(argument: str, given: object, kind: type, remedy: str) -> None:
    if not isinstance(given, kind):
        raise DomainError(argument, given, f"it has to be of the class {kind.__name__}", remedy)
