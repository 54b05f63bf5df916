"""Two distributions over the inputs that the outputs are to tell apart: what divergences and exponents share."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mechdesign import domains
from mechdesign.domains import Array, EqualByContent
from mechdesign.objectives.base import Objective
from mechdesign.parameters import Distribution
from mechdesign.problem import Problem


class Hypotheses(EqualByContent, Objective):
    """An objective of ``first`` and ``second``, distributions over the inputs, maximised; a subclass holds both."""

    sense = "maximise"

    first: Array
    second: Array
    domains = {"first": Distribution(), "second": Distribution()}

    def check_together(self) -> None:
        """Refuse distributions over other numbers of inputs."""
        domains.vector("second", self.second, len(self.first))

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield a distribution over one input more."""
        for name in ("first", "second"):
            yield f"a longer {name}", {name: [*getattr(self, name), 0.0]}

    def check(self, problem: Problem) -> None:
        """Refuse vectors of another length than the mechanism has inputs."""
        super().check(problem)
        domains.vector("first", self.first, problem.n)

    def pair(self, columns: Array) -> tuple[Array, Array]:
        """Return what each column has under both hypotheses, ``first . q_y`` and ``second . q_y``."""
        Q = np.asarray(columns, dtype=float)
        return self.first @ Q / math.fsum(self.first), self.second @ Q / math.fsum(self.second)

    def no_privacy(self, problem: Problem) -> float:
        """Return the value of `first` and `second` themselves, infinite where it is."""
        return self.value(np.eye(problem.n), problem)
