"""What an exact frontier is: pieces of formulas, evaluated anywhere without a solver."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from mechdesign.designing.finish import finished
from mechdesign.designing.result import Design
from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_RESULTS
from mechdesign.errors import DomainError
from mechdesign.mechanism import Multipliers
from mechdesign.notions import Notion
from mechdesign.objectives import Objective
from mechdesign.parameters.checks import Array, real
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.solve.choose import ROUTES
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.task import Candidate, Task
from mechdesign.studies.exact_frontier.rational_functions import RationalFunction, Root

Functions = tuple[RationalFunction, ...]


@dataclass(frozen=True)
class Multiplied:
    """Multipliers of the rows as functions of E, and the interval of E on which they prove the optimum.

    Attributes
    ----------
    low, high : Root
        The ends of the interval of E.
    multipliers : tuple of RationalFunction
        One for each input; their sum is the value.
    """

    low: Root
    high: Root
    multipliers: Functions


@dataclass(frozen=True)
class Piece:
    """One optimal mechanism as a formula, on an interval of levels with exact ends.

    Attributes
    ----------
    low, high : float
        The ends in nats, to the last bit or two.
    ends : tuple of Root
        The same ends exactly, as numbers E = e^epsilon: rational ones, or roots of polynomials.
    value : RationalFunction
        The objective at E, in its own sense.
    outputs : tuple of str
        The decisions that are reported.
    entries : tuple of tuple of RationalFunction
        ``Q[x, y]``: a row for each input, an entry for each output.
    proofs : tuple of Multiplied
        What proves that no mechanism does better: on parts of the interval, multipliers whose sum is the value.
    """

    low: float
    high: float
    ends: tuple[Root, Root]
    value: RationalFunction
    outputs: tuple[str, ...]
    entries: tuple[Functions, ...]
    proofs: tuple[Multiplied, ...] = field(repr=False)

    def matrix(self, epsilon: float) -> Array:
        """Return the mechanism at a level, shape (n, outputs)."""
        return np.array([[entry(epsilon) for entry in row] for row in self.entries])


@dataclass(frozen=True)
class ExactFrontier(Displayed):
    """The optimum of a linear objective at every level between two, as rational functions of ``E = e^epsilon``.

    Every piece is optimal on its interval by the signs of polynomials, which exact arithmetic checked. The prior and
    the costs are taken for the simplest rational numbers that round to the given floats.

    Attributes
    ----------
    problem : Problem
        Who may hold what.
    notion : Notion
        The notion at the first level.
    objective : Objective
        What has to stay useful.
    pieces : tuple of Piece
        In the order of their levels, without a hole between them.

    Examples
    --------
    >>> import mechdesign as md
    >>> survey = md.Problem.from_counts([5, 5, 5], values=[0, 1, 2])
    >>> curve = md.frontier(survey, md.LDP, md.AbsoluteError(), [0.0, 3.0], exact=True)
    >>> [(round(piece.low, 4), str(piece.value)) for piece in curve.pieces]
    [(0.0, '2/3'), (0.6931, '8/(3*(E + 2))')]
    """

    problem: Problem
    notion: Notion
    objective: Objective
    pieces: tuple[Piece, ...]

    def piece(self, epsilon: float) -> Piece:
        """Return the piece of a level; at an end that two share, the later one."""
        wanted = real("epsilon", epsilon, 0.0)
        if not self.pieces[0].low <= wanted <= self.pieces[-1].high:
            rule = f"the frontier goes from {self.pieces[0].low!r} to {self.pieces[-1].high!r}"
            raise DomainError("epsilon", epsilon, rule, "ask for a frontier that holds it")
        return next(piece for piece in reversed(self.pieces) if piece.low <= wanted)

    def value(self, epsilon: float) -> float:
        """Return the optimum at a level."""
        return self.piece(epsilon).value(epsilon)

    def values(self, levels: npt.ArrayLike) -> Array:
        """Return the optimum at many levels, shape of `levels`."""
        given = np.asarray(levels, dtype=float)
        return np.array([self.value(float(level)) for level in given.ravel()]).reshape(given.shape)

    def design(self, epsilon: float) -> Design:
        """Return the design at a level: the formula's mechanism, rounded until it is exactly private, and certified."""
        piece, notion = self.piece(epsilon), self.notion.at(epsilon)
        inputs = notion.inputs(self.problem)
        decisions = self.objective.outputs(inputs) or len(piece.outputs)
        names = self.objective.output_names(np.eye(decisions), inputs)
        matrix = np.zeros((inputs.n, decisions))
        matrix[:, [names.index(name) for name in piece.outputs]] = piece.matrix(epsilon)
        proof = next(each for each in reversed(piece.proofs) if each.low.epsilon <= epsilon or each is piece.proofs[0])
        rows = -np.array([multiplier(epsilon) for multiplier in proof.multipliers])
        stats = SolverStats("FORMULA", "not needed", 0.0, 0)
        candidate = Candidate(matrix, Multipliers(rows), stats, note=f"a piece of an exact frontier: {piece.value}")
        task = Task(inputs, notion, self.objective)
        return finished(Question(self.problem, notion, self.objective), task, ROUTES["closed_form"], candidate)

    def latex(self) -> str:
        """Return the value as LaTeX, by cases."""
        cases = [rf"{each.value.latex()} & {_interval(each, ' <= E <= ')} \\" for each in self.pieces]
        return "\n".join([r"\begin{cases}", *cases, r"\end{cases}"]).replace("<=", r"\le")

    def __str__(self) -> str:
        return self._printed()

    def __repr__(self) -> str:
        ends = self.pieces[0].low, self.pieces[-1].high
        asked = f"{self.notion.name}, {self.objective.name}, {ends[0]!r} to {ends[1]!r}"
        return f"ExactFrontier({asked}, {len(self.pieces)} pieces)"

    def display(self) -> tuple[Block, ...]:
        """Return the question and the pieces."""
        asked = Question(self.problem, self.notion, self.objective)
        said = (*asked.sentences(), "E stands for e^epsilon; every piece is proved optimal on its interval.")

        def row(index: int) -> tuple[str, ...]:
            piece = self.pieces[index]
            return (
                f"{piece.low:.6g}",
                f"{piece.high:.6g}",
                str(piece.value),
                str(len(piece.outputs)),
                str(piece.ends[1]),
            )

        heads = ("from epsilon", "to", "value", "outputs", "to E =")
        count = len(self.pieces)
        return (
            Lines(f"Exact frontier, at its first level: {self.notion}", said),
            Table.of("Pieces", heads, count, row, ("value", "to E ="), "pieces", MOST_RESULTS),
        )


def _interval(piece: Piece, between: str) -> str:
    low, high = (each.first[0] for each in piece.ends)
    return f"{float(int(low.p) / int(low.q)):.6g}{between}{float(int(high.p) / int(high.q)):.6g}"
