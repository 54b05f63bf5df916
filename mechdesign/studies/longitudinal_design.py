"""Design of two rounds: a permanent report at the level of a lifetime, fresh reports at the level of one report."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from scipy import sparse

from mechdesign.baselines import randomised_response, subset_selection
from mechdesign.baselines.longitudinal_variances import longitudinal_variances
from mechdesign.baselines.subset_selection import best_size
from mechdesign.designing.answer import answered
from mechdesign.designing.fewest_outputs import with_fewest_outputs
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.numbers import digits, outward, rounded_up
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.mechanism import ImplicitMechanism, Mechanism
from mechdesign.mechanism.longitudinal import Longitudinal
from mechdesign.notions import Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array, whole
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.rivals.rival import value_of
from mechdesign.runtime.deadline import now, until
from mechdesign.tolerances import GAP

#: Entries of an instantaneous matrix that a linear program finds, outputs of a known mechanism, and multisets of
#: reports whose law is looked at.
MOST_ENTRIES, MOST_OUTPUTS, MOST_MULTISETS = 10_000, 256, 20_000
#: The share of the optimum that mechanisms of few outputs may give up.
FEW = 1e-3
#: The common denominator of instantaneous matrices, and what is taken for their rounding.
DENOMINATOR, ROUNDED = 1 << 50, 1e-13
#: Shares of noise with which the level of one report is brought below the one that was asked.
NOISE = (0.0, *(10.0**exponent for exponent in range(-14, -5)))


@dataclass(frozen=True)
class LongitudinalDesign(Displayed):
    """A permanent and an instantaneous mechanism, with the value of several reports of each person and its bound.

    Attributes
    ----------
    rounds : Longitudinal
        The two mechanisms.
    reports : int or float
        How many reports of each person the value is about; infinite for all that they ever make.
    value : float
        The objective of those reports together, in its own sense.
    bound : float
        No pair of mechanisms at these levels does better.
    gap : float
        ``|value - bound| / max(|value|, |bound|)``, rounded up.
    permanent : Design
        The best mechanism at the level of a lifetime, from which the bound is if there is more than one report.
    single : Design
        The best mechanism at the level of one report.
    tried : tuple of (str, float, float, float)
        The pairs that were tried: name, value of one report, of `reports`, of all reports ever.
    """

    rounds: Longitudinal
    reports: float
    value: float
    bound: float
    gap: float
    permanent: Design
    single: Design
    tried: tuple[tuple[str, float, float, float], ...] = field(repr=False)

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the levels, the value beside its bound, the pairs that were tried, and published ones by formula."""
        number = "all reports" if math.isinf(self.reports) else f"{self.reports:g} report{'s' * (self.reports != 1)}"
        objective = self.permanent.mechanism.asked.objective
        own, bound = outward(self.value, self.bound, objective.sense, 6)
        said = (
            f"One report keeps {self.rounds.one_report:.6g} nats, all reports ever {self.rounds.lifetime:.6g}.",
            f"{objective.name} of {number} of each person: {own} {objective.unit}".rstrip() + ".",
            f"Certified: no pair of mechanisms at these levels is better than {bound} (gap {rounded_up(self.gap, 2)}).",
        )
        # One report and all reports ever have a column of their own.
        shown = [0, 2] if self.reports in (1, math.inf) else [0, 1, 2]
        tried = tuple((name, *(digits(values[at], 6) for at in shown)) for name, *values in self.tried)
        heads = ("pair", *(("one report", number, "all reports ever")[at] for at in shown))
        found = (Lines("Longitudinal design", said), Table("Pairs that were tried", heads, tried, ("pair",)))
        return (*found, *([self._published()] if objective.kind == "design" else ()))

    def _published(self) -> Table:
        """Return the sums of variances of published protocols at these levels, by formula."""
        levels = [made.mechanism.asked.notion.parameter for made in (self.permanent, self.single)]
        found = longitudinal_variances(self.permanent.mechanism.inputs.n, *levels)
        rows = tuple((name, digits(one, 6), digits(every, 6)) for name, (one, every) in found.items())
        heads = ("protocol", "one report", "all reports")
        return Table("Sum of variances of published protocols, equal frequencies", heads, rows, ("protocol",))


def design_longitudinal(
    problem: Problem,
    lifetime: Notion,
    one_report: Notion,
    objective: Objective,
    *,
    reports: float = 1,
    gap: float = GAP,
    time_limit: float | None = None,
) -> LongitudinalDesign:
    """Return a permanent and an instantaneous mechanism at the levels of LDP of a lifetime and of one report.

    The best mechanisms for one report at either level are designed and certified. Between a permanent mechanism P and
    one for single reports R, a linear program finds the instantaneous I for which the product ``P I`` is R, or R with
    as little noise as possible. Of these pairs, and of a permanent report at the level of one report that is repeated,
    the one with the best value of `reports` reports of each person is returned; of several, the one with the best value
    of all reports ever, and then of one.

    Parameters
    ----------
    problem : Problem
        Who may hold what.
    lifetime : LDP
        What all reports that a person ever makes of the same input satisfy together.
    one_report : LDP
        What one report satisfies, with an epsilon of at most the one of a lifetime.
    objective : Objective
        What has to stay useful, as ``InformationDesign("A")`` for frequencies; any whose outputs are no decisions, or
        that is a sum over outputs.
    reports : int or float
        How many reports of each person the value is of; `math.inf` for all they ever make.
    gap : float
        The relative gap that is asked of the two designs.
    time_limit : float, optional
        Seconds for the two designs.

    Returns
    -------
    LongitudinalDesign
        With `rounds`, `value`, `bound` and `gap`. The bound is of one mechanism at the level of one report if
        `reports` is 1, or else at the level of a lifetime.

    Raises
    ------
    DomainError
        Levels that are not in order; more reports than their multisets can be listed.
    UnsupportedError
        Other notions than LDP of the input; objectives that have no value of several reports; more inputs than matrices
        of two rounds have room for.

    Examples
    --------
    >>> import math
    >>> import mechdesign as md
    >>> frequencies = md.InformationDesign("A")
    >>> made = md.design_longitudinal(md.Problem(n=4), md.LDP(3.0), md.LDP(1.5), frequencies, reports=math.inf)
    >>> made.rounds.lifetime <= 3.0, made.rounds.one_report <= 1.5, made.gap < 1e-6
    (True, True, True)
    """
    for name, notion in (("lifetime", lifetime), ("one_report", one_report)):
        required(name, notion, Notion)
        if not is_ldp_of_inputs(notion, notion.inputs(problem)):
            raise UnsupportedError(
                f"Two rounds are designed under LDP of the input, and {name} is {notion}; give md.LDP."
            )
    if lifetime.parameter < one_report.parameter:
        raise DomainError("lifetime", lifetime, f"one report has {one_report}", "give at least its epsilon")
    count, settings = (
        math.inf if reports == math.inf else whole("reports", reports, 1),
        Settings(gap=gap, time_limit=time_limit),
    )
    ends = None if settings.time_limit is None else now() + settings.time_limit
    with until(ends):
        kept, single = (answered(problem, notion, objective, settings) for notion in (lifetime, one_report))
    for made in (kept, single):
        if isinstance(made.mechanism, ImplicitMechanism):
            raise UnsupportedError(
                f"Two rounds are designed with matrices, and {problem.n} inputs are answered without one; "
                "use md.longitudinal with mechanisms of fewer inputs."
            )
    pairs = list(_pairs(problem, kept, single))
    scored = [tuple(_value(pair, of, objective, problem) for of in (count, math.inf, 1)) for _, pair in pairs]
    sign = 1.0 if objective.sense == "minimise" else -1.0
    scale = max(abs(kept.value), abs(single.value), 1e-300)
    best = min(range(len(pairs)), key=lambda at: tuple(round(sign * value / scale, 6) for value in scored[at]))
    value, bound = scored[best][0], (single if count == 1 else kept).bound
    tried = tuple((name, one, some, every) for (name, _), (some, every, one) in zip(pairs, scored, strict=True))
    share = max(0.0, sign * (value - bound)) / max(abs(value), abs(bound), 1e-300) * (1.0 + 1e-12)
    return LongitudinalDesign(pairs[best][1], count, value, bound, share, kept, single, tried)


def _pairs(problem: Problem, kept: Design, single: Design) -> Iterator[tuple[str, Longitudinal]]:
    """Yield pairs of mechanisms at the two levels, by name."""
    level, wanted = single.mechanism.asked.notion.parameter, dict(_mechanisms(problem, single))
    fresh = wanted.get("few outputs", single.mechanism)
    yield "one report, repeated", Longitudinal(fresh, Mechanism(np.eye(fresh.matrix.shape[1]).tolist(), fresh.outputs))
    for name, permanent in _mechanisms(problem, kept):
        for goal, target in wanted.items():
            share, found = _instantaneous(permanent.matrix, target.matrix)
            made = _private(permanent, found, target, level) if share > 0.0 else None
            if made is not None:
                less = "" if share > 1.0 - 1e-9 else f", {share:.3g} of it"
                yield f"{name}, then {goal}{less}", made


def _mechanisms(problem: Problem, made: Design) -> Iterator[tuple[str, Mechanism]]:
    """Yield the design, one of few outputs, k-ary response and subset selection at its level, if they are not large."""
    epsilon, n = made.mechanism.asked.notion.parameter, problem.n
    if made.mechanism.used_outputs <= MOST_OUTPUTS:
        yield "optimum", made.mechanism
    few = with_fewest_outputs(made, Settings(within=FEW)).mechanism
    if few is not made.mechanism and few.used_outputs <= MOST_OUTPUTS:
        yield "few outputs", few
    yield "k-ary response", randomised_response(problem, epsilon)
    size = best_size(n, epsilon)
    if size > 1 and math.comb(n, size) <= MOST_OUTPUTS:
        yield "subset selection", subset_selection(problem, epsilon)


def _instantaneous(permanent: Array, target: Array) -> tuple[float, Array]:
    """Return the largest share s found, and I, for which ``P I`` is s times the target beside noise without input.

    Parameters
    ----------
    permanent : ndarray, shape (n, m)
    target : ndarray, shape (n, r)

    Returns
    -------
    float
        The share.
    ndarray, shape (m, r)
        The instantaneous matrix.
    """
    from scipy.optimize import linprog

    (n, m), r = permanent.shape, target.shape[1]
    least = np.linalg.pinv(permanent) @ target
    if least.min() >= -ROUNDED and np.abs(permanent @ least - target).max() <= ROUNDED * n * m:
        return 1.0, np.maximum(least, 0.0)
    if m * r > MOST_ENTRIES:
        return 0.0, np.full((m, r), 1.0 / r)
    product = sparse.kron(sparse.csr_array(permanent), sparse.eye_array(r))
    noise = sparse.kron(sparse.csr_array(np.ones((n, 1))), sparse.eye_array(r))
    goal = sparse.csr_array(target.reshape(-1, 1))
    sums = sparse.hstack([sparse.kron(sparse.eye_array(m), np.ones((1, r))), sparse.csr_array((m, r + 1))])
    rows = sparse.vstack([sparse.hstack([product, -noise, -goal]), sums])
    right = np.append(np.zeros(n * r), np.ones(m))
    costs = np.append(np.zeros(m * r + r), -1.0)
    limits = [(0.0, 1.0)] * (m * r + r + 1)
    found = linprog(costs, A_eq=rows, b_eq=right, bounds=limits, method="highs")
    if found.x is None:
        return 0.0, np.full((m, r), 1.0 / r)
    return float(found.x[-1]), np.asarray(found.x[: m * r]).reshape(m, r)


def _private(permanent: Mechanism, found: Array, target: Mechanism, level: float) -> Longitudinal | None:
    """Return the two rounds with as little noise as brings one report to its level exactly, or None."""
    flat = np.full_like(found, 1.0 / found.shape[1])
    for noise in NOISE:
        rows = [_row((1.0 - noise) * row + noise * even) for row, even in zip(found, flat, strict=True)]
        rounds = Longitudinal(permanent, Mechanism(rows, target.outputs))
        if rounds.one_report <= level:
            return rounds
    return None


def _row(row: Array) -> list[Fraction]:
    """Return a row as multiples of one over the denominator, of sum one."""
    entries = [max(0, round(float(entry) * DENOMINATOR)) for entry in row]
    entries[int(np.argmax(row))] += DENOMINATOR - sum(entries)
    return [Fraction(entry, DENOMINATOR) for entry in entries]


def _value(rounds: Longitudinal, count: float, objective: Objective, problem: Problem) -> float:
    """Return the objective of a number of reports of one person, or of the permanent report."""
    outputs = rounds.instantaneous.matrix.shape[1]
    if math.isfinite(count) and math.comb(int(count) + outputs - 1, outputs - 1) > MOST_MULTISETS:
        rule = f"{count} reports of {outputs} outputs are more than {MOST_MULTISETS} multisets"
        raise DomainError("reports", count, rule, "ask for fewer, or for math.inf")
    law = rounds.seen_at_last if math.isinf(count) else rounds.joint(int(count))
    found = value_of(law, objective, problem)
    if found is None:
        raise UnsupportedError(f"{objective} has no value of several reports of one person; MutualInformation has.")
    return found
