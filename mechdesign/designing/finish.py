"""From what a route found to a design: repaired until it is exactly private, proved, and audited."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from mechdesign.designing.candidate_matrix import best_decision, in_order, merged_to_limit, require_matrix
from mechdesign.designing.negligible_outputs import without_negligible_outputs
from mechdesign.designing.result import Design
from mechdesign.errors import CertificateError, UnsupportedError
from mechdesign.mechanism import Certificate, Mechanism
from mechdesign.mechanism.audit import audit
from mechdesign.objectives import Linear
from mechdesign.parameters.checks import Array, frozen
from mechdesign.question import Question
from mechdesign.runtime.deadline import at_least, is_late
from mechdesign.solve.certificate.claims import derive
from mechdesign.solve.certificate.flows import is_flows
from mechdesign.solve.pricing.revealing_outputs import decided, listed
from mechdesign.solve.repair.all_or_nothing import no_disclosure
from mechdesign.solve.repair.equal_secrets import equalised
from mechdesign.solve.repair.exactly_private import repair
from mechdesign.solve.repair.fewer_outputs import lean
from mechdesign.solve.repair.two_outputs import two_outputs
from mechdesign.solve.routes.known import ROUTE as KNOWN
from mechdesign.solve.search.guessed_multipliers import best_guess
from mechdesign.solve.search.known_mechanisms import best, mechanisms, quick_mechanisms, utility_of
from mechdesign.solve.task import Candidate, Route, Stages, Task, used
from mechdesign.tolerances import GAIN_GAP, RESOLVED, ROUNDING

#: Seconds that the known mechanisms have, however late it is.
OF_KNOWN = 0.2
#: Gaps from which guessed multipliers are tried too.
WIDE = 0.05


class TooManyOutputs(UnsupportedError):
    """The optimum over all mechanisms has more outputs than are allowed."""

    def __init__(self, route: str, taken: int, allowed: int) -> None:
        self.why = f"the optimum over all mechanisms has {taken} outputs, more than the {allowed} allowed"
        super().__init__(
            f"Route {route}: {self.why}; leave outputs out, raise it, or take the route few_outputs, which searches "
            "for the best mechanism of so few."
        )


def finished(question: Question, task: Task, route: Route, candidate: Candidate) -> Design:
    """Return the design that the route's candidate comes to; raise where it is no matrix or has too many outputs."""
    stages = Stages()
    objective, inputs = task.objective, task.problem
    require_matrix(candidate, inputs.n)
    matrix = in_order(merged_to_limit(candidate.matrix, task), task)
    lean_matrix = lean(matrix, task)
    fewer = lean_matrix is not matrix
    keep = objective.outputs(inputs) is not None
    single = best_decision(objective, inputs) if isinstance(objective, Linear) else None

    def mended(given: Array) -> Array:
        return frozen(repair(given, task.notion, inputs, keep_outputs=keep, constant=single).matrix)

    repaired = mended(in_order(lean_matrix, task) if fewer else matrix)
    taken = int(np.count_nonzero(repaired.max(axis=0)))
    if task.outputs is not None and taken > task.outputs:
        raise TooManyOutputs(route.name, taken, task.outputs)
    stages.lap("repair")
    others = filter(_admitted(task, candidate), _others(task, matrix, mended, fewer))
    repaired, claims, known = _best_derived(question, task, route, candidate, repaired, others)
    lean_matrix, claims = without_negligible_outputs(question, task, repaired, claims)
    fewer, repaired = fewer or lean_matrix is not repaired, lean_matrix
    stages.lap("certify")
    mechanism = Mechanism(*listed(repaired, objective, task.notion, inputs), question, claims)
    checked = audit(mechanism)
    if not checked.holds:
        raise CertificateError(f"The repaired matrix does not satisfy {task.notion}; please report this question.")
    stages.lap("audit")
    note = f"{known}, which is better than {candidate.note}" if known else candidate.note
    return Design(
        mechanism,
        claims.value,
        claims.bound,
        claims.gap,
        route.name,
        "",
        {},
        (),
        {**dict.fromkeys(("build", "compile", "solve"), 0.0), **candidate.timings, **stages.timings},
        candidate.stats,
        checked,
        _with_merging(note, used(matrix).shape[1], used(repaired).shape[1]) if fewer else note,
    )


def _best_derived(
    question: Question, task: Task, route: Route, candidate: Candidate, repaired: Array, others: Iterator[Array]
) -> tuple[Array, Certificate, str]:
    """Return the matrix with its claims, or one that is as good: one of the `others`, or a constant one.

    The name is that of the known mechanism whose matrix it is; mostly empty.
    """
    inputs = task.problem
    known, repaired = _of_finite_value(task, repaired)
    claims = derive(question, inputs, repaired, candidate.multipliers, route.name)
    if not _is_near(task, claims):
        for other in others:
            again = derive(question, inputs, other, candidate.multipliers, route.name)
            repaired, claims = (other, again) if _nearer(again, claims) else (repaired, claims)
            if _is_near(task, claims):
                break
    if route is not KNOWN and claims.gap > ROUNDING:
        repaired, claims, better = _no_worse_than_known(question, task, repaired, claims)
        known = better or known
    if is_late():
        return repaired, claims, known
    wide = not claims.gap <= task.gap and takes_guesses(claims)
    varies = not np.all(repaired == repaired[0])
    idle = no_disclosure(task, claims.value) if varies or wide else None
    if idle is None:
        return repaired, claims, known
    silent, own = idle
    # What surely gains is kept: beside a large value its gap may be that of a constant mechanism.
    if varies and _gains(task, repaired):
        again = derive(question, inputs, repaired, own, route.name) if wide else claims
        return repaired, again if again.gap < claims.gap else claims, known
    for multipliers in (candidate.multipliers, own):
        again = derive(question, inputs, silent, multipliers, route.name)
        as_good = again.gap <= max(claims.gap * (1.0 + GAIN_GAP), ROUNDING)
        taken = as_good if varies else _distance(task, again) < _distance(task, claims)
        repaired, claims, known, varies = (silent, again, "", False) if taken else (repaired, claims, known, varies)
    return repaired, claims, known


def _of_finite_value(task: Task, matrix: Array) -> tuple[str, Array]:
    """Return the matrix without a name, or the best known mechanism with its name where the matrix has no value.

    Raises
    ------
    SolverError
        No known mechanism has a finite value, either.
    """
    # No mechanism is worse than a constant one.
    may_be_infinite = not np.isfinite(task.objective.uninformative(task.problem))
    worthless = may_be_infinite and not np.isfinite(utility_of(task, matrix))
    return best(task) if worthless else ("", matrix)


def _is_near(task: Task, claims: Certificate) -> bool:
    """Return whether the value is near enough to its bound, and the gain to the largest one where rounding allows."""
    if not claims.gap <= task.gap or claims.gap_of_gain <= GAIN_GAP or task.objective.measures_leakage:
        return claims.gap <= task.gap
    # Where utilities are no gains but large beside them, a gap of rounding leaves no digits to be gained.
    objective, problem = task.objective, task.problem
    return claims.gap <= RESOLVED and objective.to_utility(objective.uninformative(problem), problem) != 0.0


def _distance(task: Task, claims: Certificate) -> tuple[float, float]:
    """Return the gap, and the bound as a utility: beside a value of 0 every bound has the same gap."""
    return claims.gap, task.objective.to_utility(claims.bound, task.problem)


def _nearer(again: Certificate, claims: Certificate) -> bool:
    """Return whether another mechanism is nearer to the bound, relative to the gain where either gains anything."""
    if math.isfinite(again.gap_of_gain) or math.isfinite(claims.gap_of_gain):
        return (again.gap_of_gain, again.gap) < (claims.gap_of_gain, claims.gap)
    return again.gap < claims.gap


def _gains(task: Task, matrix: Array) -> bool:
    """Return whether the matrix gains more over a constant one than rounding can account for."""
    gained, rounding = task.objective.improvement(decided(matrix, task.objective, task.problem), task.problem)
    return gained > 2.0 * rounding


def _no_worse_than_known(
    question: Question, task: Task, matrix: Array, claims: Certificate
) -> tuple[Array, Certificate, str]:
    """Return the best known mechanism where that is better, and the bound of a guess where that is nearer by far."""
    found, better, reached = matrix, "", task.objective.to_utility(claims.value, task.problem)
    offered = quick_mechanisms if _is_near(task, claims) else mechanisms
    with at_least(OF_KNOWN):
        for name, known in offered(task):
            utility = utility_of(task, known)
            if utility > reached:
                found, better, reached = known, name, utility
    if found is not matrix:
        # It is better, and its bound of the same multipliers: gaps say so only where the bound is no trivial one.
        matrix, claims = found, derive(question, task.problem, found, claims.multipliers, claims.route)
    if claims.gap > WIDE and takes_guesses(claims) and not is_late():
        again = derive(question, task.problem, matrix, best_guess(task, matrix), claims.route)
        claims = min(claims, again, key=partial(_distance, task))
    return matrix, claims, better


def takes_guesses(claims: Certificate) -> bool:
    """Return whether a wide bound is compared with bounds by other multipliers: not if it is by flows of a map.

    Those are sums, and other multipliers would be priced by a program for each output, which takes far longer.
    """
    return not is_flows(claims.multipliers.flows)


def _admitted(task: Task, candidate: Candidate) -> Callable[[Array], bool]:
    """Return the test of whether a private matrix may replace the candidate's: few enough outputs, a finite value."""
    keeps = candidate.keeps_constraints

    def admits(other: Array) -> bool:
        few = task.outputs is None or used(other).shape[1] <= task.outputs
        # The bound is over the matrices that miss the user's own constraints no more than the candidate's.
        return few and (keeps is None or keeps(other)) and bool(np.isfinite(utility_of(task, other)))

    return admits


def _others(task: Task, matrix: Array, mended: Callable[[Array], Array], fewer: bool) -> Iterator[Array]:
    """Yield private matrices that may be better than what was tried, while there is time."""
    # The route's own matrix, where one of fewer outputs was tried.
    if fewer:
        yield mended(matrix)
    alike = None if is_late() else equalised(matrix, task.problem)
    if alike is not None and not is_late():
        yield mended(alike)
    if not is_late():
        yield from two_outputs(task)


def _with_merging(note: str, before: int, after: int) -> str:
    """Return the note of a route with the outputs of its matrix, and those that are left where some were merged."""
    merged = f"{before} outputs merged into {after}, which carry the same value within the gap"
    return "; ".join(filter(None, (note, merged))) if after < before else note


def combined(question: Question, task: Task, best: Design, other: Design) -> Design:
    """Return the better mechanism of two designs with the nearer bound of the two: no worse than either of them."""
    objective, inputs = task.objective, task.problem
    reached = [objective.to_utility(made.value, inputs) for made in (best, other)]
    bounds = [objective.to_utility(made.bound, inputs) for made in (best, other)]
    better, nearer = (best, other)[reached[1] > reached[0]], (best, other)[bounds[1] < bounds[0]]
    if better is nearer:
        return better
    claims = better.mechanism.claimed
    again = derive(question, inputs, better.by_decision, nearer.mechanism.claimed.multipliers, claims.route)
    if not again.gap < claims.gap:
        # Beside a trivial bound every gap is the same but for rounding.
        return better if better.gap <= nearer.gap + ROUNDING else nearer
    mechanism = replace(better.mechanism, certificate=again)
    return replace(better, mechanism=mechanism, value=again.value, bound=again.bound, gap=again.gap)
