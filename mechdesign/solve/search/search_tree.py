"""The tree of a branch and bound: regions, where they are cut, and how it is written down as a proof."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.certificate.few_outputs import LEAF, Box, Chosen
from mechdesign.solve.programs.over_leaf import Relaxed


@dataclass
class Node:
    """A region with its relaxed optimum; once it is cut, where, and its halves."""

    region: Chosen | Box
    relaxed: Relaxed
    #: The least of its own and its ancestors' bounds.
    bound: float
    cut: tuple[int, float] | None = None
    halves: tuple[Node, ...] = ()


def written(root: Node) -> tuple[Array, Array]:
    """Return the tree's choices depth first, and the multipliers of its leaves."""
    choices: list[tuple[float, float]] = []
    leaves: list[Array] = []
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if node.cut is None or not node.halves:
            choices.append((LEAF, 0.0))
            leaves.append(node.relaxed.multipliers)
        else:
            choices.append((float(node.cut[0]), node.cut[1]))
            waiting += reversed(node.halves)
    return np.array(choices), np.array(leaves)
