"""What notions share that bound an information of the secret and the output, on average over outputs."""

from __future__ import annotations

from mechdesign.notions.base import Notion
from mechdesign.notions.ldp import LDP
from mechdesign.problem import Problem


class BoundedInformation(Notion):
    """A notion whose only bound is a budget of what the secret sees, and that discloses nothing at epsilon 0."""

    epsilon: float
    needs_prior = True
    polyhedral = False

    def __post_init__(self) -> None:
        super().__post_init__()
        # Without any information every column is silent: then the notion is a cone, and has no budget.
        object.__setattr__(self, "polyhedral", self.epsilon == 0)

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self
