"""Block local differential privacy: inputs of one block are hard to distinguish."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, randomised_response
from mechdesign.catalogue.odds import between_two
from mechdesign.catalogue.promises import OPEN, times
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Shape
from mechdesign.columns.ratio_in_blocks import RatioInBlocks
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.ldp import LDP, at_own_epsilon
from mechdesign.parameters import Blocks
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    said = times(notion.epsilon, f"any two {of.values} of one block")
    return f"{said} {OPEN}a report may reveal which block {of.it} is in."


def _edge() -> Edge:
    """Return binary randomised response inside a block, and a third input that is disclosed."""

    def with_third(matrix: Integers) -> Integers:
        return np.array([[*matrix[0], 0], [*matrix[1], 0], [0, 0, matrix[0].sum()]], dtype=object)

    inside, outside = map(with_third, randomised_response(1.0))
    return Edge(BlockLDP(1.0, ((0, 1),)), Problem(n=3), inside, outside)


@dataclass(frozen=True)
class BlockLDP(Notion):
    r"""Pr(y | s) <= e^epsilon Pr(y | s') for all secrets s, s' of one block and outputs y; epsilon in nats.

    With a hidden secret, ``Pr(y | s) = sum_x W[s, x] Q[x, y]`` and the blocks are of secrets; otherwise the secret is
    the input. Outputs may reveal its block.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    blocks : sequence of sequences of int
        Disjoint sets of secrets, kept sorted. A secret in none of them is a block of its own.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a block that is empty, that names a secret twice or one that another block
        names, or that the problem does not have; no block of two secrets.

    Notes
    -----
    The cone is the product of the blocks' cones, so the extreme rays are those of LDP in one block, with zeros in
    all others. It is LDP of what is left to report when the block is known, and MetricDP with distance 1 inside
    blocks and an infinite one between them.

    Examples
    --------
    >>> import mechdesign as md
    >>> notion = md.BlockLDP(1.0, blocks=[(0, 1)])
    >>> round(notion.level([[0.75, 0.25, 0], [0.25, 0.75, 0], [0, 0, 1]], md.Problem(n=3)).value, 6)
    1.098612
    """

    card = Card(
        "block local differential privacy",
        r"\Pr(y \mid s) \le e^{\epsilon} \Pr(y \mid s^{\prime}) \quad \text{for all } s, s^{\prime} "
        r"\text{ of one block, and all } y",
        search=("Blowfish", "utility-optimised local differential privacy"),
        promise=_promise,
        odds=lambda notion, problem, of: between_two(notion.epsilon, of, f"Somebody who knew the block of {of.it} and"),
        adds_up="level",
        implied_by=(Rule("LDP", same_level, "the pairs inside the blocks are some of all pairs"),),
        stronger=at_own_epsilon,
        examples=(
            lambda rng: (BlockLDP(0.5, ((0, 2), (1, 3))), random_problem(4, rng)),
            lambda rng: (BlockLDP(2.0, ((0, 1, 3),)), Problem(n=4)),
            lambda rng: (BlockLDP(1.0, ((1, 2),)), random_problem(3, rng, secrets=3)),
        ),
        sized=lambda problem, rng: BlockLDP(1.0, (tuple(range(problem.n // 2 + 1)),)),
        edge=_edge,
    )

    epsilon: float
    blocks: tuple[tuple[int, ...], ...]
    domains = {"epsilon": EPSILON, "blocks": Blocks()}

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, blocks: Sequence[Sequence[int]]) -> None: ...

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem, which has to have all the secrets that the blocks name."""
        largest = max(max(block) for block in self.blocks)
        if largest >= problem.secrets:
            raise DomainError(
                "blocks",
                f"one with the secret {largest}",
                f"secrets are numbered from 0 to {problem.secrets - 1}",
                "correct the index or add it to the problem",
            )
        return super().inputs(problem)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP where one block holds every secret."""
        return LDP(self.epsilon) if len(self.blocks[0]) == problem.secrets else self

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors whose entries of one block have ratios up to ``e^epsilon``."""
        return RatioInBlocks(problem.secrets, self.epsilon, self._all(problem.secrets))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``ln v_s(y) - ln v_s'(y)`` inside a block; what a block never sees counts nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        worst = Level(0.0, (0,), 0)
        for block in self.blocks:
            part = seen[list(block)]
            high, low = part.max(axis=0), part.min(axis=0)
            used = np.flatnonzero(high > 0)
            if not len(used):
                continue
            with np.errstate(divide="ignore"):
                ratios = np.log(high[used]) - np.log(low[used])
            at = int(ratios.argmax())
            if ratios[at] > worst.value:
                output = int(used[at])
                ends = block[int(part[:, output].argmax())], block[int(part[:, output].argmin())]
                worst = Level(float(ratios[at]), ends, output)
        return worst

    def _all(self, n: int) -> tuple[tuple[int, ...], ...]:
        named = {s for block in self.blocks for s in block}
        return (*self.blocks, *((s,) for s in range(n) if s not in named))
