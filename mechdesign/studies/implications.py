"""Which notion implies which: by the rules of their cards, else by computation, which gives a counterexample."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from mechdesign.catalogue import Rule, card_of
from mechdesign.catalogue.rule import required_level
from mechdesign.designing.answer import answered
from mechdesign.errors import InfeasibleError, SolverError, UnsupportedError
from mechdesign.exact import dyadic
from mechdesign.notions import Notion, Rays
from mechdesign.objectives.base import Linear
from mechdesign.parameters.by_label import in_order_of_problem
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question.given import required
from mechdesign.question.members_by_name import members
from mechdesign.solve.pricing.all_rays import all_rays
from mechdesign.solve.repair.exactly_private import repair

#: How far above its level a counterexample has to lie, so that rounding cannot have made it.
CLEARLY = 1e-6
#: How far below its level every ray has to lie for a yes: a level in floating point is off by less than 1e-14.
SURELY = 1e-12
#: Inputs up to which the largest sum of the columns' largest entries is designed for: two seconds.
MOST_INPUTS = 500


@dataclass(frozen=True)
class _MissedGuesses(Linear):
    """1 less the mean over inputs of the probability that the output names the input, whatever the prior is."""

    lowest = 0.0

    def cost(self, problem: Problem) -> Array:
        """Return what is missed at each input by each guess."""
        return np.asarray((1.0 - np.eye(problem.n)) / problem.n)

    def decisions(self, problem: Problem) -> tuple[str, ...]:
        """Return the inputs as guesses."""
        return problem.answers


@dataclass(frozen=True)
class Implication:
    """Whether every mechanism that satisfies one notion satisfies another, and why.

    Attributes
    ----------
    answer : {"yes", "no", "not known"}
        Whether it does.
    reason : str
        The reference of the rule (`mechdesign.literature.works` has the titles), or what the counterexample shows.
    matrix : ndarray or None
        For "no", a mechanism that satisfies the first notion exactly and misses the second.
    """

    answer: str
    reason: str
    matrix: Array | None = None

    def __bool__(self) -> bool:
        return self.answer == "yes"


def implies(first: Notion, second: Notion, problem: Problem) -> Implication:
    """Return whether every mechanism that satisfies `first` satisfies `second`, on `problem`.

    Each part of the second notion is looked at by itself. A rule answers yes for every problem, and so does one for a
    part of the first notion. Without one the extreme rays of the first notion decide for this problem:
    all inside the second's cone by more than rounding (1e-12) means yes, one outside makes a mechanism that shows no.

    Parameters
    ----------
    first, second : Notion
        With their levels.
    problem : Problem
        The prior and the number of inputs of a counterexample.

    Returns
    -------
    Implication
        Yes with its reason, no with a mechanism, or not known.

    Raises
    ------
    DomainError
        The constant of a rule on a card of one's own raises, or is no number of at least 0.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> md.implies(md.LIP(1.0), md.LDP(2.0), problem).answer
    'yes'
    >>> md.implies(md.LIP(1.0), md.LDP(1.0), problem).answer
    'no'
    """
    required("first", first, Notion)
    required("second", second, Notion)
    required("problem", problem, Problem)
    first, second = (in_order_of_problem(notion, problem, problem) for notion in (first, second))
    answers = {part: _of_part(first, part, problem) for part in second.parts()}
    for worst in ("no", "not known"):
        found = next((answer for answer in answers.values() if answer.answer == worst), None)
        if found is not None:
            return found
    reasons = [answer.reason for answer in answers.values()]
    if len(reasons) == 1:
        return Implication("yes", reasons[0])
    return Implication("yes", "; ".join(f"{part}: {answer.reason}" for part, answer in answers.items()))


def _of_part(first: Notion, second: Notion, problem: Problem) -> Implication:
    """Return the answer for a `second` notion of one level."""
    for part in first.parts():
        if type(part) is type(second) and part == second:
            return Implication("yes", "it is the same notion" if part == first else "it is one of its parts")
        for rule in card_of(type(second)).implied_by:
            if _is_of(rule, part) and second.parameter >= required_level(rule, part, second):
                return Implication("yes", rule.reference)
    inputs, others = first.inputs(problem), second.inputs(problem)
    found = _on_inputs(first, second, inputs, others)
    if found is not None:
        return found
    rays = all_rays(first, inputs) if inputs.n == others.n and not len(first.columns(inputs).budget()) else None
    if rays is None:
        return Implication("not known", "no rule says so, and the extreme rays of the first notion are not at hand")
    levels = [second.level(ray[:, None], others) for ray in rays.columns.T]
    # At level 0 rays are exact: their entries are 0 or equal.
    margin = SURELY if any(first.parameters) else 0.0
    beyond = max(level.excess(second) for level in levels) + margin
    if not len(second.columns(others).budget()) and second.convex and beyond <= 0:
        largest = max(level.value for level in levels)
        reason = f"on this problem no extreme ray of {first} has {second.level_name} above {largest:.6g}"
        return Implication("yes", f"{reason} under {second.name}")
    shown = _counterexample(first, second, inputs, others, rays)
    if shown is None:
        return Implication("not known", "no rule says so, and no extreme ray of the first notion misses the second")
    level = second.level(shown, others).value
    return Implication("no", f"a mechanism of {first} has {second.level_name} = {level:.6g} under {second.name}", shown)


def _on_inputs(first: Notion, second: Notion, inputs: Problem, others: Problem) -> Implication | None:
    """Return the answer if both are one notion there, or the second bounds the columns' largest entries alone."""
    if inputs.n != others.n or inputs.is_hidden:
        return None
    if first.plain(inputs) == second.plain(others):
        return Implication("yes", "they are one notion on this problem")
    bounds_peaks = inputs.n <= MOST_INPUTS and second.columns(others).sum_of_peaks is not None
    return _by_optimum(first, second, inputs) if bounds_peaks else None


def _by_optimum(first: Notion, second: Notion, inputs: Problem) -> Implication | None:
    """Return the answer of the largest sum of the columns' largest entries, by a certified design; None if it is open.

    That sum is what guesses gain, each right one as much as the others.
    """
    n = inputs.n
    try:
        made = answered(inputs, first, _MissedGuesses())
    except (UnsupportedError, SolverError, InfeasibleError):
        return None
    # The value is 1 - sum / n.
    most = math.log(max(n * (1.0 - made.bound), 1.0))
    if most <= second.parameter - SURELY * n:
        reason = f"on this problem no mechanism of {first} has {second.level_name} above {most:.6g} under {second.name}"
        return Implication("yes", reason)
    level = second.level(made.matrix, inputs)
    numerators = dyadic(made.matrix)
    if level.value <= second.parameter * (1.0 + CLEARLY) or numerators is None:
        return None
    if second.holds_exactly(numerators, inputs):
        return None
    shown = f"a mechanism of {first} has {second.level_name} = {level.value:.6g} under {second.name}"
    return Implication("no", shown, made.matrix)


def _is_of(rule: Rule, first: Notion) -> bool:
    """Return whether a rule speaks of a notion: one of another class may have the name of one of the catalogue."""
    return rule.first == first.name and members(Notion).get(rule.first, type(first)) is type(first)


def _counterexample(first: Notion, second: Notion, inputs: Problem, others: Problem, rays: Rays) -> Array | None:
    """Return a mechanism of two outputs, one along a ray of `first`, that misses `second` in exact arithmetic."""
    found: tuple[float, Array | None] = (second.parameter * CLEARLY + CLEARLY, None)
    for ray in rays.columns.T:
        # Half of the ray's largest share leaves the other output next to constant, so that only the ray can miss.
        for share in (0.5, 1.0):
            matrix = np.column_stack([share * ray, 1.0 - share * ray])
            beyond = second.level(matrix, others).excess(second)
            if beyond > found[0] and first.level(matrix, inputs).excess(first) <= first.parameter * CLEARLY:
                found = (beyond, matrix)
    if found[1] is None:
        return None
    private = repair(found[1], first, inputs).matrix
    numerators = dyadic(private)
    missed = numerators is not None and not second.holds_exactly(numerators, others)
    return private if missed else None
