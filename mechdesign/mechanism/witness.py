"""What shows a level, as a sentence: two inputs or one, and an output, by their names."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mechdesign.columns.prior_set import PriorSet
from mechdesign.notions import Level, Notion
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def sentence(
    found: Level, matrix: Array, problem: Problem, notion: Notion, outputs: Sequence[str] | None = None
) -> str:
    """Return the witness of a level in words, by the labels of inputs or secrets and the names of outputs.

    ``x=17`` is an input of that label and ``y=17`` an output of that name; where only one of the two has names, the
    other is "input 17" or "output 17", by its number.

    Examples
    --------
    >>> import numpy as np
    >>> import mechdesign as md
    >>> matrix, people = np.array([[0.75, 0.25], [0.25, 0.75]]), md.Problem(labels=["17", "18"])
    >>> sentence(md.LDP(1.0).level(matrix, people), matrix, people, md.LDP(1.0))
    'Pr(output 0 | x=17) is 3 times Pr(output 0 | x=18).'
    """
    if found.output is None:
        return "No single output shows it."
    y, names = found.output, _names(found, problem, outputs)
    output = names[0]
    parts = zip(found.values, notion.parts(), strict=True)
    # The witness is that of the part furthest above what it asks for.
    value, part = max(parts, key=lambda pair: pair[0] - pair[1].parameter)
    shape = part.columns(problem)
    taken = shape.most_taken(matrix[:, y])
    if taken is not None:
        return f"{_started(output)} takes most of it, {taken:.3g}."
    seen = problem.seen_by_secret(matrix)[:, y]
    if len(found.inputs) == 2 and seen[found.inputs[1]] > 0:
        ratio = seen[found.inputs[0]] / seen[found.inputs[1]]
        return f"Pr({output} | {names[1]}) is {ratio:.3g} times Pr({output} | {names[2]})."
    if len(found.inputs) == 1 and problem.prior_of_secret is not None and seen.max() > 0:
        ratio, under = seen[found.inputs[0]] / (problem.prior_of_secret @ seen), ""
        if isinstance(shape.of_secret, PriorSet):
            ratio, under = math.exp(value if ratio >= 1 else -value), " under the least favourable of the priors"
        return f"Pr({output} | {names[1]}) is {ratio:.3g} times Pr({output}){under}."
    return f"{_started(output)} shows it."


def _names(found: Level, problem: Problem, outputs: Sequence[str] | None) -> list[str]:
    """Return the names of the output and of the inputs of a witness."""
    named = outputs is not None and len(set(outputs)) == len(outputs)
    letter = problem.secret_letter
    labelled = (problem.secret_labels if letter == "s" else problem.labels) is not None
    word = "secret" if letter == "s" else "input"
    assert found.output is not None
    if outputs is not None and named:
        output = f"y={outputs[found.output]}"
    else:
        output = f"{'output ' if labelled else 'y='}{found.output}"
    before = f"{word} " if named and not labelled else f"{letter}="
    return [output, *(f"{before}{problem.named_secret(i)}" for i in found.inputs)]


def _started(output: str) -> str:
    """Return the name of an output at the start of a sentence."""
    return f"Output {output.removeprefix('output ')}" if output.startswith("output ") else f"Output {output}"
