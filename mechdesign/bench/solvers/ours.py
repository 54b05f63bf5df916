"""mechdesign itself, given the question rather than one of its programs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mechdesign.bench.instance import Instance
from mechdesign.bench.solvers.solver import BenchSolver
from mechdesign.designing.entry import design
from mechdesign.version import VERSION


class Mechdesign(BenchSolver):
    """mechdesign: its design of the question, repair and certificate included."""

    name = "MECHDESIGN"

    def prepare(self, instance: Instance, accuracy: float, time_limit: float) -> Callable[[], Any]:
        """Return the design of the instance's question."""
        question = instance.question
        return lambda: design(
            question.problem, question.notion, question.objective, gap=accuracy, time_limit=time_limit
        )

    def finish(self, returned: Any) -> Any:
        """Return the matrix, with a column for each decision, and the multipliers."""
        return {"matrix": returned.by_decision, "multipliers": returned.mechanism.certificate.multipliers}

    def version(self) -> str:
        """Return the name and version of this package."""
        return f"mechdesign {VERSION}"
