"""What every notion must satisfy: level, exact check and cvxpy program agree, and the order of mechanisms is kept."""

from __future__ import annotations

from typing import Final

import numpy as np

from mechdesign.catalogue.drawn import random_channel
from mechdesign.catalogue.edge import Edge
from mechdesign.notions import Notion
from mechdesign.notions.plain import plain
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.testing.cone_contract import CONE_CLAUSES
from mechdesign.testing.contract import Clause, require, run
from mechdesign.testing.exact_contract import EXACT_NOTION_CLAUSES
from mechdesign.testing.label_contract import LABEL_CLAUSES
from mechdesign.testing.parameter_contract import PARAMETER_CLAUSES
from mechdesign.testing.programs import violation
from mechdesign.testing.random_problems import (
    TOTAL,
    half_silent_channel,
    private_channel,
    random_integers,
    random_postprocessing,
    revealing_channel,
)

#: Rounding of a level that adds up logarithms of order one; divided by the least mass of a column.
ROUNDING: Final = 1e-13
#: A program is asked this far above a matrix's level, and has to accept, and this far below, and has to refuse.
ABOVE, BELOW = 1e-7, 1e-4
#: The largest violation that a solver leaves of a constraint that holds; one by BELOW is at least ten times as large.
SOLVED: Final = 1e-8
#: Random matrices for each clause that costs no program, and for each that does.
MANY, FEW = 20, 3
#: Halvings of the share of a constant matrix that is mixed in end at one part of so many.
STEPS: Final = 2**20


def check_notion(notion: Notion, problem: Problem, rng: np.random.Generator, edge: Edge | None = None) -> None:
    """Check every clause of the contract of notions.

    Parameters
    ----------
    notion : Notion
        The member, at a positive distance from its least level.
    problem : Problem
        A problem as a user gives it (of few inputs: the clauses enumerate rays).
    rng : numpy.random.Generator
        Where the random matrices come from.
    edge : Edge, optional
        Matrices of integers just inside and just outside the notion, closer than floats can resolve.

    Raises
    ------
    BrokenContractError
        With the member, the clause and what was found.

    Examples
    --------
    >>> from mechdesign.notions import LDP
    >>> check_notion(LDP(1.0), Problem(n=2), np.random.default_rng(0))
    """
    run(NOTION_CLAUSES, notion, notion, problem, rng)
    if edge is not None:
        run({"edge": edge_is_exact}, notion, edge)


def inputs_once(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """Widening the inputs a second time changes nothing; `at` sets the parameter."""
    inputs = notion.inputs(problem)
    require(notion.inputs(inputs) == inputs, "inputs(inputs(problem)) is another problem than inputs(problem)")
    level = (notion.parameter + 2 * notion.columns(inputs).least_level) / 3
    require(notion.at(level).parameter == level, f"at({level!r}) has the parameter {notion.at(level).parameter!r}")


def program_accepts(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The program accepts a matrix at its numpy level."""
    inputs = notion.inputs(problem)
    for _ in range(FEW):
        matrix = revealing_channel(notion, inputs, random_channel(inputs.n, 3, rng, 0.1), rng)
        level = notion.level(matrix, inputs).value
        missed = violation(notion.at(level + ABOVE), matrix, problem)
        require(missed <= SOLVED, f"the program at {level + ABOVE:.9g} misses by {missed:.2g} a matrix of that level")


def program_refuses(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The program refuses a matrix a little below its numpy level."""
    inputs = notion.inputs(problem)
    for _ in range(FEW):
        matrix = revealing_channel(notion, inputs, random_channel(inputs.n, 3, rng, 0.1), rng)
        level = notion.level(matrix, inputs).value
        if level - BELOW < notion.columns(inputs).least_level:
            continue
        missed = violation(notion.at(level - BELOW), matrix, problem)
        require(missed > 10 * SOLVED, f"the program at {level - BELOW:.9g} accepts a matrix of level {level:.9g}")


def exact_agrees(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The exact check accepts just above the numpy level and refuses just below."""
    inputs = notion.inputs(problem)
    for _ in range(MANY):
        numerators = random_integers(inputs.n, int(rng.integers(2, 5)), rng)
        if revealed := list(notion.columns(inputs).revealed):
            # Half of what these give to an output goes to one of their own.
            disclosed = np.zeros_like(numerators)
            disclosed[revealed] = numerators[revealed] // 2
            numerators = np.hstack([numerators - disclosed, np.diag(disclosed.sum(axis=1))[:, revealed]])
        matrix = numerators / TOTAL
        level, margin = notion.level(matrix, inputs).value, 100 * tolerance(notion, matrix, inputs)
        require(
            notion.at(level + margin).holds_exactly(numerators, inputs),
            f"the exact check refuses at {level + margin:.12g} a matrix of level {level:.12g}",
        )
        if level - margin > notion.columns(inputs).least_level:
            require(
                not notion.at(level - margin).holds_exactly(numerators, inputs),
                f"the exact check accepts at {level - margin:.12g} a matrix of level {level:.12g}",
            )


def least_level(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The mechanism that ignores its input has the least level, exactly, and no other has less."""
    inputs = notion.inputs(problem)
    least = notion.columns(inputs).least_level
    row = random_integers(1, 4, rng)
    constant = np.repeat(row, inputs.n, axis=0)
    found = notion.level(constant / TOTAL, inputs).value
    require(abs(found - least) <= 1e-12, f"the uninformative mechanism has level {found!r}, least_level says {least!r}")
    require(
        notion.at(least).holds_exactly(constant, inputs),
        f"the exact check refuses the uninformative mechanism at the least level {least!r}",
    )
    for _ in range(MANY):
        found = notion.level(random_channel(inputs.n, 3, rng, 0.0), inputs).value
        require(found >= least - 1e-12, f"a mechanism has level {found!r}, below the least {least!r}")


def zero_columns(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """An output that never happens changes neither the level nor the exact check."""
    inputs = notion.inputs(problem)
    numerators = random_integers(inputs.n, 3, rng)
    padded = np.insert(numerators, 1, 0, axis=1)
    level = notion.level(numerators / TOTAL, inputs).value
    found = notion.level(padded / TOTAL, inputs).value
    require(abs(found - level) <= 1e-12, f"an output that never happens changes the level from {level!r} to {found!r}")
    above = notion.at(level + 1e-6)
    require(above.holds_exactly(padded, inputs), "the exact check refuses because of an output that never happens")


def witness(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The level names secrets and an output of the matrix, and that output alone shows most of the level."""
    inputs = notion.inputs(problem)
    for _ in range(MANY):
        matrix = random_channel(inputs.n, 4, rng)
        found = notion.level(matrix, inputs)
        known = all(0 <= s < max(inputs.secrets, inputs.n) for s in found.inputs)
        require(known, f"the witnesses {found.inputs} are no inputs or secrets")
        if found.output is None:
            continue
        require(0 <= found.output < 4, f"the witness {found.output} is no output")
        if not len(notion.columns(inputs).budget()):
            # Of several levels, the one furthest above what the notion asks for.
            alone = notion.level(matrix[:, [found.output]], inputs)
            far = abs(alone.excess(notion) - found.excess(notion))
            require(far <= 1e-9, f"output {found.output} alone shows {alone.values} of {found.values}")


def post_processing(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """Nothing that is computed from the output raises the level; renaming outputs keeps it."""
    inputs = notion.inputs(problem)
    for _ in range(MANY):
        matrix = revealing_channel(notion, inputs, random_channel(inputs.n, 4, rng), rng)
        outputs = matrix.shape[1]
        level, margin = notion.level(matrix, inputs).value, tolerance(notion, matrix, inputs)
        renamed = notion.level(matrix[:, rng.permutation(outputs)], inputs).value
        require(abs(renamed - level) <= margin, f"renaming outputs changes the level from {level!r} to {renamed!r}")
        if notion.closed_under_postprocessing:
            processed = matrix @ random_postprocessing(outputs, int(rng.integers(2, 6)), rng)
            found = notion.level(processed, inputs).value
            require(found <= level + margin, f"post-processing raises the level from {level!r} to {found!r}")


def mixtures(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """A mixture of two private mechanisms is private, where the notion says that it is convex."""
    inputs = notion.inputs(problem)
    if not notion.convex:
        return
    for _ in range(MANY):
        first, second = (half_silent_channel(inputs.n, 3, rng) for _ in range(2))
        if notion.columns(inputs).revealed:
            # An output of its own for an input in one of them, for all inputs in the other.
            first, second = (revealing_channel(notion, inputs, matrix, rng) for matrix in (first, second))
            second = second[:, rng.permutation(second.shape[1])]
        share = rng.random()
        mixed = share * first + (1 - share) * second
        levels = [notion.level(matrix, inputs).value for matrix in (first, second, mixed)]
        margin = tolerance(notion, mixed, inputs)
        require(
            levels[2] <= max(levels[:2]) + margin,
            f"mixing mechanisms of levels {levels[0]!r} and {levels[1]!r} gives {levels[2]!r}",
        )


def levels_nest(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """What holds at a level holds at every larger one, in the program and in the exact check."""
    inputs = notion.inputs(problem)
    # Levels between the least and the notion's own: all of them are in its domain.
    low, high = notion.columns(inputs).least_level, min(notion.parameters)
    strict, middle = notion.at(low + 0.3 * (high - low)), notion.at(low + 0.6 * (high - low))
    matrix = private_channel(strict, inputs, 3, rng)
    numerators = np.floor(TOTAL * matrix).astype(np.int64)
    numerators[:, 0] += TOTAL - numerators.sum(axis=1)
    for larger in (middle, notion):
        missed, at = violation(larger, matrix, problem), f"at {larger.parameter:.6g}"
        holds = f"what holds at {strict.parameter:.6g}"
        require(missed <= SOLVED, f"the program {at} misses {holds} by {missed:.2g}")
        require(larger.holds_exactly(numerators, inputs), f"the exact check {at} refuses {holds}")


def parts_are_all_kept(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """Where a notion has several levels, exact check and program hold a matrix to each of them by itself."""
    inputs, count = notion.inputs(problem), len(notion.parts())
    for _ in range(FEW if count > 1 else 0):
        numerators = random_integers(inputs.n, 3, rng)
        matrix = numerators / TOTAL
        levels = notion.level(matrix, inputs).values
        require(len(levels) == count, f"there are {len(levels)} levels for {count} parts")
        fits = notion.at(tuple(level + ABOVE for level in levels))
        require(fits.holds_exactly(numerators, inputs), f"the exact check refuses above the levels {levels}")
        missed = violation(fits, matrix, problem)
        require(missed <= SOLVED, f"the program above the levels {levels} misses by {missed:.2g}")
        for k, part in enumerate(notion.parts()):
            if levels[k] - BELOW < part.columns(inputs).least_level:
                continue
            moved = notion.at(tuple(level + (-BELOW if k == at else ABOVE) for at, level in enumerate(levels)))
            require(not moved.holds_exactly(numerators, inputs), f"the exact check forgets part {k}, {part}")
            missed = violation(moved, matrix, problem)
            require(missed > 10 * SOLVED, f"the program forgets part {k}, {part}")


def plain_form_is_equal(notion: Notion, problem: Problem, rng: np.random.Generator) -> None:
    """The plain form accepts what the notion does, at the edge of what it accepts, and has a plain form itself."""
    inputs = notion.inputs(problem)
    form, over = plain(notion, inputs)
    require(plain(form, over) == (form, over), f"the plain form of {form} is another one")
    for _ in range(MANY if (form, over) != (notion, inputs) else 0):
        numerators = random_integers(inputs.n, 3, rng)
        constant = np.repeat(random_integers(1, 3, rng), inputs.n, axis=0)
        low, high = 0, STEPS
        while high - low > 1:
            middle = (low + high) // 2
            mixed = middle * constant + (STEPS - middle) * numerators
            verdicts = notion.holds_exactly(mixed, inputs), form.holds_exactly(mixed, over)
            require(verdicts[0] == verdicts[1], f"{form} says {verdicts[1]} of a matrix of which it says {verdicts[0]}")
            low, high = (low, middle) if verdicts[0] else (middle, high)


def edge_is_exact(edge: Edge) -> None:
    """The exact check distinguishes matrices that differ in the seventieth digit; so does the plain form's check."""
    inputs = edge.notion.inputs(edge.problem)
    for notion, over in ((edge.notion, inputs), plain(edge.notion, inputs)):
        require(notion.holds_exactly(edge.inside, over), "the exact check refuses a matrix just inside")
        require(not notion.holds_exactly(edge.outside, over), "the exact check accepts a matrix just outside")


def tolerance(notion: Notion, matrix: Array, inputs: Problem) -> float:
    """Return how far rounding may move the level: a flat number divided by the least mass of an output."""
    masses = notion.columns(inputs).normal @ matrix
    return ROUNDING / float(masses[masses > 0].min())


#: The contract of notions, by name.
NOTION_CLAUSES: dict[str, Clause] = {
    "inputs": inputs_once,
    "program accepts": program_accepts,
    "program refuses": program_refuses,
    "exact": exact_agrees,
    "least level": least_level,
    "zero columns": zero_columns,
    "witness": witness,
    "post-processing": post_processing,
    "mixtures": mixtures,
    "nest": levels_nest,
    "parts": parts_are_all_kept,
    "plain form": plain_form_is_equal,
    **CONE_CLAUSES,
    **EXACT_NOTION_CLAUSES,
    **PARAMETER_CLAUSES,
    **LABEL_CLAUSES,
}
