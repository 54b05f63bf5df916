"""Utilities of the columns ``l + (1-l) 1_S`` under LDP, ``l = e^-epsilon``, and what a fractional S gains at most."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT

Members = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Nodes:
    """Sets whose first inputs are chosen, shape (k, depth), and the interval of s that each is asked for."""

    chosen: Members
    interval: Array


@dataclass(frozen=True)
class Relaxed:
    """Upper bound of each node, and the rounded sets nearest to the relaxed maximiser."""

    values: Array
    rounded: Callable[[Indices], Members]


class Relaxation(ABC):
    """The utility of sets of inputs, by falling mass; `cost` below is what an input costs where the column is 1."""

    def __init__(self, masses: Array, epsilon: float) -> None:
        self.masses = masses
        self.epsilon = min(epsilon, LARGEST_EXPONENT)
        self.least, self.rise = float(np.exp(-self.epsilon)), float(-np.expm1(-self.epsilon))

    def columns(self, sets: Members) -> Array:
        """Return the columns ``l + (1-l) 1_S`` of sets, shape (n, k), whatever the order of the inputs."""
        return np.where(sets.T, 1.0, self.least)

    #: The mass of the most informative sets, and whether that is known or a guess.
    best_mass: float
    mass_is_known: ClassVar[bool] = False

    @abstractmethod
    def root(self) -> Nodes:
        """Return the nodes that hold all sets together."""

    @abstractmethod
    def relaxed(self, nodes: Nodes, cost: Array) -> Relaxed:
        """Return what ``utility - cost . column`` is at most over each node's sets, cost of shape (n,), of any mass."""

    @abstractmethod
    def wide(self, nodes: Nodes) -> Members:
        """Return which intervals matter more than the next input does."""

    @abstractmethod
    def basis(self) -> Array:
        """Return functions of an input's mass, shape (k, n), of which multipliers of small inputs are made."""

    def first_multipliers(self) -> Array | None:
        """Return multipliers that are nearly the best if no input is large, or None."""
        return None

    @staticmethod
    def shift(mass: float) -> float:
        """Return b of ``mu(v) = mass mu'(v) + b P' . v`` for columns v that are 0 outside of inputs of that mass.

        Of these inputs ``P'`` is the conditional prior, and ``mu'`` the utility under it.
        """
        return 0.0

    def even(self, depth: int) -> bool:
        """Return whether the inputs from `depth` on are equally likely but for rounding."""
        rest = self.masses[depth:]
        return len(rest) > 0 and float(rest[0] - rest[-1]) <= 8 * float(np.finfo(float).eps) * float(rest[0])
