"""Few outputs at a small cost: the mechanism of fewest outputs found that stays within a share of the optimum."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from mechdesign.designing.answer import answered
from mechdesign.designing.certifying import certified
from mechdesign.designing.result import Design
from mechdesign.designing.settings import Settings
from mechdesign.errors import MechdesignError
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import audit
from mechdesign.objectives import InformationDesign
from mechdesign.objectives.base import gains_of, is_separable
from mechdesign.objectives.estimator_variance import EstimatorVariance
from mechdesign.objectives.information_design import is_of_one_figure
from mechdesign.parameters.checks import Array
from mechdesign.rivals.rival import value_of
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.pricing.revealing_outputs import columns_by_decision, listed
from mechdesign.solve.repair.merged_outputs import merge_alike
from mechdesign.solve.search.known_mechanisms import mechanisms
from mechdesign.solve.task import Task, used

#: Sets whose cyclic shifts are tried, and halvings of what merging outputs may cost.
MOST_SETS, HALVINGS = 12, 12
#: Scores of an estimator of one number that are tried.
SCORES = (3, 4, 5, 6, 8, 10, 13, 16)


def with_fewest_outputs(made: Design, settings: Settings) -> Design:
    """Return the design with the fewest outputs found whose value is within a share of the bound on the optimum.

    Known mechanisms, cyclic shifts of few sets of inputs, and what is left when outputs are merged or decisions left
    out are tried; the bound stays that of the optimum over any number of outputs. The design itself where none of them
    has fewer, or where its own gap is wider.

    Parameters
    ----------
    made : Design
        The optimum.
    settings : Settings
        With the relative gap that the mechanism may have in `within`, and limits for the designs of few sets.
    """
    within = settings.within
    if within is None or not made.gap <= within or made.mechanism.claimed.multipliers.own_cost is not None:
        return made
    best, how = made.mechanism, ""
    for name, offered in _offered(made, within, settings):
        if is_late():
            break
        if _outputs(offered) >= _outputs(best) or not _seems_near(made, offered, within):
            continue
        try:
            other = certified(made.mechanism.asked, made.mechanism.claimed, offered)
        except MechdesignError:
            # Not private under this notion, or without a finite value.
            continue
        if other.claimed.gap <= within and _outputs(other) < _outputs(best):
            best, how = other, name
    if best is made.mechanism:
        return made
    proof = best.claimed
    note = f"{how}: {_outputs(best)} outputs in place of {_outputs(made.mechanism)}, within {within:g} of the bound"
    return replace(
        made,
        mechanism=best,
        value=proof.value,
        bound=proof.bound,
        gap=proof.gap,
        audit=audit(best),
        note="; ".join(filter(None, (made.note, note))),
    )


def _outputs(mechanism: Mechanism) -> int:
    return mechanism.used_outputs


def _seems_near(made: Design, offered: Mechanism, within: float) -> bool:
    """Return whether the value is within the bound but for rounding: to prove it may take long."""
    question = made.mechanism.asked
    value = value_of(offered.matrix, question.objective, question.notion.inputs(question.problem))
    return value is None or abs(value - made.bound) <= within * max(abs(value), abs(made.bound), 1e-300) * (1.0 + 1e-9)


def _offered(made: Design, within: float, settings: Settings) -> Iterator[tuple[str, Mechanism]]:
    """Yield mechanisms that may have fewer outputs, with what each is."""
    question = made.mechanism.asked
    notion, objective = question.notion, question.objective
    inputs = notion.inputs(question.problem)
    task = Task(inputs, notion, objective, question.outputs)
    for name, matrix in mechanisms(task):
        yield name, Mechanism(*listed(matrix, objective, notion, inputs), question)
    yield from _of_few(made, task, within, settings)
    if is_separable(objective) and objective.outputs(inputs) is None and not notion.columns(inputs).revealed:
        yield from _merged(made, task, within)
    elif gains_of(objective, inputs) is not None:
        yield from _of_fewer_decisions(made, task)


def _few(made: Design, task: Task) -> Iterator[tuple[int, str, str]]:
    """Yield numbers of outputs that a route designs for, increasing: how many, the route, and what they are."""
    n = len(made.matrix)
    if isinstance(task.objective, EstimatorVariance) or is_of_one_figure(task.objective):
        for scores in SCORES:
            yield scores, "scores", f"{scores} scores"
    elif isinstance(task.objective, InformationDesign):
        for sets in range(1, MOST_SETS + 1):
            yield sets * n, "blocks", f"all cyclic shifts of {sets} set{'s' * (sets > 1)} of inputs"


def _of_few(made: Design, task: Task, within: float, settings: Settings) -> Iterator[tuple[str, Mechanism]]:
    """Yield designs for few outputs, then for more, until they are near or reach the design's number of outputs."""
    question = made.mechanism.asked
    for outputs, route, how in _few(made, task):
        if outputs >= _outputs(made.mechanism):
            return
        few = Settings(
            route=route,
            outputs=outputs,
            gap=1.0,
            memory_limit=settings.memory_limit,
            threads=settings.threads,
        )
        try:
            found = answered(question.problem, question.notion, question.objective, few)
        except MechdesignError:
            continue
        yield how, found.mechanism
        if _seems_near(made, found.mechanism, within):
            return


def _merged(made: Design, task: Task, within: float) -> Iterator[tuple[str, Mechanism]]:
    """Yield the design with outputs merged, the cheapest pairs first, up to the gap, by halving."""
    assert is_separable(task.objective), "asked first"
    columns = used(made.matrix)
    low, high = 0.0, 1.0
    for _ in range(HALVINGS):
        share = high if low == 0.0 else (low * high) ** 0.5
        merged = merge_alike(columns, task.objective, task.problem, share)
        offered = Mechanism(merged, task.objective.output_names(merged, task.problem))
        yield "outputs merged", offered
        if _seems_near(made, offered, within):
            low = share
        else:
            high = share if low else share / 8.0


def _of_fewer_decisions(made: Design, task: Task) -> Iterator[tuple[str, Mechanism]]:
    """Yield the design with one decision after another left out, whose reports make the next best one."""
    assert is_separable(task.objective), "asked first"
    gains = task.objective.gains(task.problem)
    assert gains is not None, "asked first"
    question, matrix = made.mechanism.asked, np.array(columns_by_decision(made.mechanism))
    while matrix.shape[1] == len(gains) and np.count_nonzero(matrix.max(axis=0)) > 1:
        matrix = _without_one(matrix, gains)
        yield "decisions left out", Mechanism(*listed(matrix, task.objective, question.notion, task.problem), question)


def _without_one(matrix: Array, gains: Array) -> Array:
    """Return the matrix with the column emptied into another that loses the least by it."""
    taken = np.flatnonzero(matrix.max(axis=0))
    worth = gains[taken] @ matrix[:, taken]
    losses = np.diag(worth)[None, :] - worth
    np.fill_diagonal(losses, np.inf)
    to, gone = np.unravel_index(int(losses.argmin()), losses.shape)
    result = matrix.copy()
    result[:, taken[to]] += result[:, taken[gone]]
    result[:, taken[gone]] = 0.0
    return result
