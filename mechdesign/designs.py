"""What a design is: the mechanism, its proof, and the story of how they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from mechdesign.auditing import Audit
from mechdesign.domains import Array
from mechdesign.mechanism import Mechanism
from mechdesign.solve.backends import SolverStats


@dataclass(frozen=True)
class Attempt:
    """One try of one solver: what it did, and how long it took."""

    route: str
    solver: str
    outcome: str
    seconds: float


@dataclass(frozen=True)
class Design:
    """An exactly private mechanism with the proof of how good it is."""

    #: The matrix with its outputs' names, its question and its certificate.
    mechanism: Mechanism
    #: The objective in its own sense.
    value: float
    #: No mechanism does better than this.
    bound: float
    #: ``|value - bound|`` over the larger of the two (and a small share of the span).
    gap: float
    route: str
    #: Why this route, and why not the others.
    reason: str
    refusals: Mapping[str, str]
    #: Every try of every solver, failures included.
    attempts: tuple[Attempt, ...]
    #: Seconds for build, compile, solve, repair, certify.
    timings: dict[str, float]
    solver_stats: SolverStats
    audit: Audit
    #: What the route says of its work.
    note: str

    @property
    def matrix(self) -> Array:
        """``Q[x, y] = Pr(y | x)``: multiples of 2**-53 whose rows sum to exactly one."""
        return self.mechanism.matrix

    def shortfall(self, asked: float) -> str:
        """Return the sentence of a gap that is wider than `asked`."""
        question, stats = self.mechanism.asked, self.solver_stats
        return (
            f"The certified gap is {self.gap:.1e}, wider than the {asked:.1e} asked for "
            f"({question.objective} under {question.notion}, n = {len(self.matrix)}, route {self.route}, "
            f"solver {stats.name}: {stats.status}). "
            f"The mechanism is private; {self._remedy()}."
        )

    def _remedy(self) -> str:
        """Return what may close the gap."""
        question = self.mechanism.asked
        inputs, parts = question.notion.inputs(question.problem), question.notion.parts()
        if inputs.is_hidden and any(part.parameter <= part.least_level(inputs) for part in parts):
            return (
                "at the least level a hidden secret has to see equal probabilities to the last bit, which multiples of "
                "2**-53 can seldom give: ask for a level higher by 1e-9"
            )
        return "another solver, route or a longer time_limit may close the gap"

    def __repr__(self) -> str:
        return f"Design(value={self.value:.9g}, bound={self.bound:.9g}, gap={self.gap:.1e}, route={self.route!r})"
