"""Utility-optimised local differential privacy: only some inputs are sensitive."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, both_sides, integers_of
from mechdesign.catalogue.odds import between_two
from mechdesign.catalogue.promises import OPEN, factor
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.ratio_in_blocks import RatioInBlocks
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.parameters import Indices
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: Sensitive answers that a sentence lists.
MOST_NAMED = 12


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    names = [f'"{problem.named(x)}"' for x in notion.sensitive[:MOST_NAMED]]
    more = len(notion.sensitive) - len(names)
    listed = ", ".join([*names, *([f"{more} more"] if more else [])])
    which = f"No report reveals the sensitive answers: {listed}. " if listed else "No answer is sensitive. "
    left = (
        f"{OPEN}an answer that is not sensitive may be revealed entirely." if len(notion.sensitive) < problem.n else ""
    )
    return (
        f"A report that does not reveal an answer is no more than {factor(notion.epsilon)} times as likely for one as "
        f"for the other of any two answers. {which}{left}".rstrip()
    )


def _edge() -> Edge:
    """Return randomised response between two sensitive inputs, beside a third that is mostly revealed."""

    def matrix(r: Fraction) -> Integers:
        # With a ratio r: (r, 1), (1, r), (1, 1) over r + 1, and r - 1 of it on the output that reveals the third.
        one, zero = Fraction(1), Fraction(0)
        return integers_of([[r, one, zero], [one, r, zero], [one, one, r - 1]])

    return Edge(UtilityOptimizedLDP(1.0, (0, 1)), Problem(n=3), *both_sides(1.0, matrix))


@dataclass(frozen=True)
class UtilityOptimizedLDP(Notion):
    r"""Pr(y | x) <= e^epsilon Pr(y | x') for all inputs x, x', unless y reveals an x that is not sensitive; in nats.

    An output *reveals* x where x alone can give it: ``Pr(y | x') = 0`` for all other x'. Every other output is
    protected, against all inputs and not only the sensitive ones: it must not reveal whether the input is
    sensitive either.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    sensitive : sequence of int
        The inputs that no output may reveal, each once; kept sorted. All of them gives LDP, none no privacy.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; `sensitive` no sequence of distinct indices of inputs; a problem with a
        hidden secret.

    Notes
    -----
    A column lies in the cone of LDP, or on the ray of a unit vector ``e_x`` with x not sensitive: a union of cones.
    Mixing two mechanisms, or merging two outputs, may leave it, so the notion is neither convex nor closed under
    post-processing. A design has one output for each input that is not sensitive besides its protected ones;
    where outputs are decisions, it stands for the decision that is best for that input.

    References
    ----------
    T. Murakami, Y. Kawamoto, "Utility-Optimized Local Differential Privacy Mechanisms for Distribution Estimation",
    USENIX Security 2019, Definition 2.

    Examples
    --------
    >>> import mechdesign as md
    >>> notion, problem = md.UtilityOptimizedLDP(1.0, sensitive=[0, 1]), md.Problem(n=3)
    >>> round(notion.level([[0.75, 0.25, 0], [0.25, 0.75, 0], [0.25, 0.25, 0.5]], problem).value, 6)
    1.098612
    """

    card = Card(
        "utility-optimised local differential privacy",
        r"\Pr(y \mid x) \le e^{\epsilon} \Pr(y \mid x^{\prime}) \quad \text{for all } x, x^{\prime}, "
        r"\text{ unless } y \text{ reveals an } x \text{ that is not sensitive}",
        means="Only some inputs are sensitive; the others may be reported openly.",
        search=("utility-optimised LDP", "ULDP", "high-low LDP", "non-sensitive values"),
        works=("murakami2019",),
        promise=_promise,
        odds=lambda notion, problem, of: between_two(notion.epsilon, of, seen="a report that reveals no answer"),
        adds_up="level",
        implied_by=(Rule("LDP", same_level, "every column may satisfy LDP over all inputs"),),
        stronger=at_own_epsilon,
        examples=(
            lambda rng: (UtilityOptimizedLDP(0.7, (0, 2)), random_problem(4, rng)),
            lambda rng: (UtilityOptimizedLDP(1.5, (1,)), Problem(n=3)),
            lambda rng: (UtilityOptimizedLDP(1.0, ()), random_problem(3, rng)),
        ),
        sized=lambda problem, rng: UtilityOptimizedLDP(1.0, (0,)),
        edge=_edge,
    )

    epsilon: float
    sensitive: tuple[int, ...]
    domains = {"epsilon": EPSILON, "sensitive": Indices("inputs")}
    convex = False
    closed_under_postprocessing = False

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, sensitive: Sequence[int]) -> None: ...

    def inputs(self, problem: Problem) -> Problem:
        """Refuse a hidden secret, and a sensitive input that the problem does not have."""
        rule = "UtilityOptimizedLDP names the sensitive inputs themselves"
        self._refuse_hidden(problem, rule, "give the problem without hidden(...), or choose LDP")
        if self.sensitive and self.sensitive[-1] >= problem.n:
            raise DomainError(
                "sensitive",
                self.sensitive[-1],
                f"inputs are numbered from 0 to {problem.n - 1}",
                "correct the index",
            )
        return super().inputs(problem)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP where every input is sensitive."""
        return LDP(self.epsilon) if len(self.sensitive) == problem.n else self

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors of LDP, and those that reveal an input that is not sensitive."""
        revealed = tuple(x for x in range(problem.n) if x not in self.sensitive)
        return RatioInBlocks.of_all(problem.n, self.epsilon, revealed)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln q_x(y) - ln q_x'(y)`` over the outputs that reveal nobody."""
        columns = np.asarray(matrix, dtype=float)
        kept = np.flatnonzero(~self._reveals(columns))
        if not len(kept):
            return Level(0.0, (0, 0), 0)
        found = LDP(self.epsilon).level(columns[:, kept], problem)
        assert found.output is not None
        return Level(found.value, found.inputs, int(kept[found.output]))

    def _reveals(self, matrix: Array | Integers) -> npt.NDArray[np.bool_]:
        """Return for each column whether a single input that is not sensitive can give it."""
        positive = np.asarray(matrix > 0)
        alone: npt.NDArray[np.bool_] = (positive.sum(axis=0) == 1) & ~positive[list(self.sensitive)].any(axis=0)
        return alone

    def __str__(self) -> str:
        return f"{self.name}(epsilon={in_full(self.epsilon)}, sensitive={list(self.sensitive)})"
