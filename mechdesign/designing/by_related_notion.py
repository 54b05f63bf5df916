"""The optimum under another notion that is answered, where the question's own is answered loosely or not at all."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from mechdesign.designing.finish import WIDE, combined, finished, takes_guesses
from mechdesign.designing.result import Design
from mechdesign.errors import MechdesignError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Intersection, Notion
from mechdesign.notions.stronger import Stronger, stronger
from mechdesign.notions.wider import wider
from mechdesign.objectives.base import is_separable
from mechdesign.parameters.checks import Array
from mechdesign.question import Question
from mechdesign.runtime.deadline import in_share, is_late, later, time_left
from mechdesign.solve.pricing.oracles import is_implied, is_in_parts
from mechdesign.solve.pricing.revealing_outputs import with_disclosure
from mechdesign.solve.routes import known
from mechdesign.solve.task import Candidate, Task

#: The share of the time that is left which the other question may take, and of the gap that it is to close.
OF_TIME, OF_GAP = 0.4, 0.01
#: Levels of an implied notion, as shares: what is optimal at a lower one needs less of a constant mechanism.
SHARES = (1.0, 0.95, 0.85, 0.7, 0.5)
#: Entries of a matrix that is mixed with a constant one, and halvings of the share.
MOST_ENTRIES, HALVINGS = 1 << 13, 30
#: Inputs up to which a variance is designed for at each of them, which takes long.
FEW = 12
#: Seconds in which one output's pair of inputs is repaired and checked where a notion sums over outputs.
PAIR = 3e-6
#: Seconds in which an entry is where columns have a curved side (6.5 s for 38,760 outputs of 20 inputs).
CURVED = 1e-5
#: Seconds past the deadline in which a mechanism is still made private and proved.
GRACE = 0.5


def no_worse_than_related(
    question: Question,
    task: Task,
    best: Design,
    others: Sequence[Stronger],
    answer: Callable[[Question, Task], Design],
) -> Design:
    """Return the best of a design and of the optima under notions that imply the question's notion or a part.

    What is optimal under one of several notions alone is mixed with a constant mechanism until all hold. The bound of
    that one is one of the question's too, where it has no other.

    Parameters
    ----------
    others : sequence of Stronger
        What `related` returned.
    answer : callable
        Gives the design of a question and its task.
    """
    for other in others:
        if not _may_gain(best, task):
            break
        best = _no_worse(question, task, best, other, answer)
    return best


def _may_gain(made: Design, task: Task) -> bool:
    """Return whether the gap is above what was asked and wide, relative to the value or to what it gains."""
    wide = made.gap > task.gap and max(made.gap, made.gap_of_gain) > WIDE
    return wide and takes_guesses(made.mechanism.claimed) and not made.interrupted and not is_late()


def related(task: Task) -> tuple[Stronger, ...]:
    """Return the notions under which a question that is not answered well is answered instead.

    Raises
    ------
    DomainError
        The card of a notion of one's own names no other one as it has to: this is looked at before any work.
    """
    if task.subject_to is not None or task.outputs is not None:
        return ()
    implying = stronger(task.notion, task.problem)
    members = task.notion.notions if isinstance(task.notion, Intersection) else ()
    implied = wider(task.notion, task.problem) if not members else None
    shares = SHARES if is_separable(task.objective) or task.problem.n <= FEW else SHARES[:1]
    return (
        *map(Stronger, members),
        *(() if implying is None else (implying,)),
        *(() if implied is None else (Stronger(implied.at(share * implied.parameter)) for share in shares)),
    )


def _mixed(matrix: Array, task: Task) -> Iterator[Array]:
    """Yield the mixture with the constant mechanism of its masses that just holds; nothing if the matrix does itself.

    The repair lifts each column by what it lacks, which costs more where most of them lack much.
    """
    notion, problem = task.notion, task.problem
    if matrix.size > MOST_ENTRIES or problem.prior is None or notion.level(matrix, problem).excess(notion) <= 0:
        return
    even = np.tile(problem.required_prior @ matrix, (problem.n, 1))
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = 0.5 * (low + high)
        within = notion.level(share * matrix + (1.0 - share) * even, problem).excess(notion) <= 0
        low, high = (share, high) if within else (low, share)
    if low > 0:
        yield low * matrix + (1.0 - low) * even


def _of_member(multipliers: Multipliers, member: Notion, task: Task) -> Iterator[Multipliers]:
    """Yield the multipliers of one of several notions as multipliers of all; nothing of another notion."""
    members = task.notion.members()
    if member not in members or not is_in_parts(task.notion, task.objective, task.problem):
        return
    counts = [len(each.columns(task.problem).budget()) for each in members]
    start = sum(counts[: members.index(member)])
    budget = np.zeros(sum(counts))
    budget[start : start + len(multipliers.budget)] = multipliers.budget
    yield replace(multipliers, budget=budget)


def _is_priced_otherwise(other: Notion, task: Task) -> bool:
    """Return whether an implied notion prices the columns, which is quick under its own multipliers alone."""
    asked = task.notion, task.objective, task.problem
    return is_implied(*asked) and other != wider(task.notion, task.problem)


def _no_worse(
    question: Question, task: Task, best: Design, found: Stronger, answer: Callable[[Question, Task], Design]
) -> Design:
    left = time_left()
    other = replace(
        task,
        notion=found.notion,
        gap=max(task.gap, OF_GAP * min(best.gap, 1.0)),
        warm_start=None,
        theorems=(),
    )
    try:
        with in_share(OF_TIME):
            made = answer(Question(task.problem, found.notion, question.objective), other)
        matrix = with_disclosure(made.by_decision, found.disclosed, task.objective, task.problem)
        note = f"the optimum under {found.notion}"
        if found.disclosed:
            note += f" and full disclosure, in the shares {1.0 - found.disclosed:g} and {found.disclosed:g}"
        sums = len(task.columns.budget()) > 0
        if sums and left is not None and PAIR * matrix.shape[1] * len(matrix) ** 2 > left:
            return best
        now_left = time_left()
        if not task.notion.polyhedral and now_left is not None and CURVED * matrix.size > now_left:
            return best
        own, others = best.mechanism.claimed.multipliers, made.mechanism.claimed.multipliers
        alone = not sums and not _is_priced_otherwise(found.notion, task)
        given = (own, others) if alone else (*_of_member(others, found.notion, task), own)
        asked = [(matrix, multipliers) for multipliers in given]
        asked += [(mixed, own) for mixed in _mixed(matrix, task)]
        for each, multipliers in asked:
            candidate = Candidate(each, multipliers, made.solver_stats, {}, note)
            with later(GRACE):
                again = finished(question, task, known.ROUTE, candidate)
                best = combined(question, task, best, again)
            if best.gap <= task.gap:
                break
    except MechdesignError:
        # The other notion is no question of the user's: what it lacks is nothing they could mend.
        return best
    return best
