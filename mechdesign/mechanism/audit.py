"""Audit of anyone's matrix: the smallest level at which a notion holds, in exact arithmetic, with a witness."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.displays.visible import printable
from mechdesign.errors import DomainError, InfeasibleError, UnsupportedError
from mechdesign.exact import dyadic
from mechdesign.mechanism.exact_level import exact_level
from mechdesign.mechanism.implicit import ImplicitMechanism
from mechdesign.mechanism.mechanism import Mechanism
from mechdesign.mechanism.witness import sentence
from mechdesign.notions import LDP, Notion
from mechdesign.notions.ldp import is_ldp_of_inputs
from mechdesign.parameters.by_label import in_order_of_problem
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.problem.given_matrix import GivenMatrix, given_matrix
from mechdesign.question.given import require_over_interval, required
from mechdesign.tolerances import MISSED_BY_ROUNDING

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure


@dataclass(frozen=True)
class Audit(Displayed):
    """The exact level of a matrix under a notion; ``float(audit)`` is the level, the largest one of several.

    Attributes
    ----------
    level : float or tuple of float
        The smallest parameter at which the notion holds, rounded up (the notion's `level_name`, mostly nats); one for
        each of ``notion.parts()`` where there are several.
    holds : bool
        Whether the notion holds at its own parameter, in exact rational arithmetic.
    inputs : tuple of int
        The inputs (or secrets) that show the level.
    output : int or None
        The output that shows the level; None where no single one does.
    notion : Notion
        What the matrix was held against.
    prior_source : str or None
        Whose prior the guarantee is relative to, where that is stated.
    sentence : str
        What shows the level, in words.
    matrix : ndarray, shape (n, m)
        What was audited, in floating point. Two audits are equal where they say the same, whatever they are of.
    problem : Problem
        The inputs of the matrix.
    outputs : tuple of str
        The names of its outputs.
    """

    level: float | tuple[float, ...]
    holds: bool
    inputs: tuple[int, ...]
    output: int | None
    notion: Notion
    prior_source: str | None
    sentence: str
    matrix: Array | None = field(default=None, repr=False, compare=False)
    problem: Problem | None = field(default=None, repr=False, compare=False)
    outputs: tuple[str, ...] | None = field(default=None, repr=False, compare=False)

    def __float__(self) -> float:
        return max(self.levels)

    @property
    def levels(self) -> tuple[float, ...]:
        """The level of each part of the notion."""
        return self.level if isinstance(self.level, tuple) else (self.level,)

    @property
    def missed_by_rounding(self) -> bool:
        """Whether the notion does not hold, but would if floats were not rounded."""
        pairs = zip(self.levels, self.notion.parameters, strict=True)
        near = all(level <= asked + MISSED_BY_ROUNDING * max(1.0, asked) for level, asked in pairs)
        return near and not self.holds

    @property
    def remark(self) -> str:
        """What to make of a notion that does not hold by rounding; empty otherwise."""
        if not self.missed_by_rounding:
            return ""
        pairs = zip(self.notion.parameters, self.levels, strict=True)
        missed = next((asked, level) for asked, level in pairs if level > asked)
        asked, level = (str(number).removesuffix(".0") for number in missed)
        return (
            f"{asked} is asked, {level} measured: rounding of floats; md.rounded(matrix, notion, problem) gives the "
            "mechanism next to it that is private"
        )

    def plot(self, ax: Axes | Figure | None = None, *, columns: Any = None, largest: Any = None) -> Figure:
        """Draw how much each output betrays beside what the notion asks, with the witness marked.

        As `mechdesign.plotting.output_levels` does, which says what the parameters are and what is refused.

        Examples
        --------
        >>> import mechdesign as md
        >>> picture = md.audit([["3/4", "1/4"], ["1/4", "3/4"]], md.LDP(1.0)).plot()
        >>> picture.axes[0].get_xlabel()
        'output y'
        """
        from mechdesign.plotting import output_levels

        if self.matrix is None:
            raise UnsupportedError("A mechanism without a matrix has the same level in nearly all of its outputs.")
        return output_levels(self, ax, columns=columns, largest=largest)

    def __str__(self) -> str:
        verdict = "holds exactly" if self.holds else "does NOT hold"
        shown = " and ".join(
            _shown(level, asked) for level, asked in zip(self.levels, self.notion.parameters, strict=True)
        )
        return printable(f"{self.notion} {verdict}: {self.remark or f'its level is {shown}'}. {self.sentence}")

    def facts(self) -> tuple[str, ...]:
        """Return in sentences whether the notion holds exactly, at which level, and what shows it."""
        verdict = "holds exactly" if self.holds else "does NOT hold"
        parts = self.notion.parts()
        of = [f" of {part}" if len(parts) > 1 else "" for part in parts]
        levels = [
            f"level  {part.level_name} = {level!r}{of[k]}, rounded up"
            for k, (part, level) in enumerate(zip(parts, self.levels, strict=True))
        ]
        remark = [f"{self.remark}."] if self.remark else []
        return (f"{self.notion} {verdict}.", *levels, *remark, self.sentence)

    def display(self) -> tuple[Block, ...]:
        """Return the sentences of `facts` for printing, and to whose prior the level is relative."""
        lines = self.facts()
        if self.notion.needs_prior:
            source = self.prior_source or "its source is not stated (a prior estimated from private data leaks)"
            lines = (*lines, f"relative to the prior: {source}")
        return (Lines("Privacy, in exact arithmetic", lines),)


def audit(matrix_or_mechanism: Any, notion: Notion | None = None, problem: Problem | None = None) -> Audit:
    """Return the exact level of a matrix or mechanism.

    Parameters
    ----------
    matrix_or_mechanism : Mechanism, Design, DataFrame or array_like of shape (n, m)
        Floats, fractions or strings of fractions; rows sum to one within 1e-9 and are normalised exactly. The rows of
        a table that has labels are put in the order of the problem's, and columns name the outputs.
    notion : Notion, optional
        The mechanism's own by default; for a mechanism without one, LDP at the level that it has, or LDP(1) if that is
        infinite. A bare matrix needs one.
    problem : Problem, optional
        The mechanism's own by default; a bare matrix needs one where the notion knows the prior.

    Returns
    -------
    Audit
        Level, verdict and witness.

    Raises
    ------
    DomainError
        No notion, a negative entry, a row that does not sum to one, another number of rows than inputs.

    Notes
    -----
    Rows of an array of floats that sum to one within 1e-9 by sums so different that to normalise them exactly takes
    integers of more than 4096 bits are normalised within a share of ``2**-128`` of each entry.

    Examples
    --------
    >>> import mechdesign as md
    >>> report = md.audit([["3/4", "1/4"], ["1/4", "3/4"]], md.LDP(1.0))
    >>> float(report), report.holds
    (1.0986122886681098, False)
    """
    mechanism = getattr(matrix_or_mechanism, "mechanism", matrix_or_mechanism)
    if isinstance(mechanism, ImplicitMechanism):
        return _of_family(mechanism, notion, problem)
    if isinstance(mechanism, Mechanism):
        question = mechanism.question
        problem = problem or (mechanism.problem if question is None else question.problem)
        notion = notion or mechanism.guarantee
        known = mechanism.numerators if question is None else dyadic(mechanism.matrix)
        given = given_matrix(mechanism.matrix, None) if known is None else GivenMatrix(known, mechanism.matrix)
        given = replace(given, columns=mechanism.outputs)
        notion = notion or _measured(given, problem)
    else:
        given = given_matrix(mechanism, problem if isinstance(problem, Problem) else None)
    if notion is None:
        raise DomainError("notion", None, "a bare matrix does not say what it is to be held against", "give a notion")
    require_asked(notion, problem)
    data = problem if problem is not None else Problem(n=len(given.floats), labels=given.rows)
    notion = in_order_of_problem(notion, data, data)
    inputs = _inputs(notion, data)
    if isinstance(mechanism, Mechanism) and (other := mechanism.over(inputs)) is not mechanism:
        given = GivenMatrix(other.numerators, other.matrix, columns=other.outputs)
    floats = given.floats
    require_rows(floats, inputs)
    found = notion.level(floats, inputs)
    parts = notion.parts()
    levels = tuple(
        exact_level(part, given.numerators, inputs, near) for part, near in zip(parts, found.values, strict=True)
    )
    return Audit(
        levels if len(levels) > 1 else levels[0],
        notion.holds_exactly(given.numerators, inputs),
        found.inputs,
        found.output,
        notion,
        inputs.prior_source,
        sentence(found, floats, inputs, notion, given.columns),
        # A user's own array may change later.
        frozen(floats) if floats.flags.writeable else floats,
        inputs,
        given.columns,
    )


def _of_family(mechanism: ImplicitMechanism, notion: Notion | None, problem: Problem | None) -> Audit:
    """Return the exact level of a mechanism without a matrix: any two of its inputs are as good as any other two.

    Raises
    ------
    UnsupportedError
        Another notion than LDP.
    """
    asked = notion or mechanism.guarantee
    assert asked is not None, "a mechanism without a matrix has a guarantee"
    require_asked(asked, problem)
    inputs = problem if problem is not None else mechanism.inputs
    if not is_ldp_of_inputs(asked, inputs):
        raise UnsupportedError(
            f"A mechanism without a matrix is audited under LDP of its inputs, not {asked}; audit its matrix, if there "
            "is memory for one."
        )
    mechanism.over(inputs)
    pairs, two = mechanism.compared_rows, Problem(n=2)
    ratio = float(mechanism.family.ratio)
    level = max(exact_level(asked, pair, two, math.log(ratio)) for pair in pairs)
    holds = all(asked.holds_exactly(pair, two) for pair in pairs)
    x, other, y = mechanism.witness
    seen, unlike = (f"Pr(y={y} | x={inputs.named(one)})" for one in (x, other))
    said = f"{seen} is {ratio:.3g} times {unlike}, and no two inputs differ by more in any output."
    return Audit(level, holds, (x, other), y, asked, None, said, None, inputs)


def _measured(given: GivenMatrix, problem: Problem | None) -> Notion:
    """Return LDP at the level that a matrix has; at 1, which does not hold, if it has no finite one."""
    notion = LDP(1.0)
    inputs = notion.inputs(problem if problem is not None else Problem(n=len(given.floats)))
    (near,) = notion.level(given.floats, inputs).values
    level = exact_level(notion, given.numerators, inputs, near)
    return notion.at(level) if level < notion.most_level else notion


def _inputs(notion: Notion, problem: Problem) -> Problem:
    try:
        return notion.inputs(problem)
    except InfeasibleError:
        # No mechanism satisfies the notion at its own level; a matrix has a level all the same.
        return notion.at(notion.most_level).inputs(problem)


def require_asked(notion: Any, problem: Any) -> None:
    """Raise unless they are a notion, and a problem or None."""
    required("notion", notion, Notion)
    if problem is not None:
        required("problem", problem, Problem)
        require_over_interval(problem, notion)


def require_rows(matrix: Array, inputs: Problem) -> None:
    """Raise unless the matrix has a row for each input."""
    if len(matrix) != inputs.n:
        rule = f"it has to have one row for each of {inputs.n} inputs"
        remedy = "transpose it" if matrix.shape[1] == inputs.n else "give the matrix or the problem that belongs to it"
        raise DomainError("matrix", f"of shape {matrix.shape}", rule, remedy)


def _shown(level: float, asked: float) -> str:
    """Return a level in twelve digits, or in all where twelve would not distinguish it from what was asked."""
    short = f"{level:.12g}"
    return repr(level) if level > asked >= float(short) else short
