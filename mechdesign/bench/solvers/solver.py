"""What a solver of the benchmark is: a name, the programs that it takes, and a call."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from mechdesign.bench.instance import Instance


class BenchSolver(ABC):
    """A solver of the benchmark.

    A run has three steps, of which the second is timed: `prepare` makes what the solver needs of an instance, the
    prepared call solves, `finish` makes an `Answer` of what the call returned.
    """

    #: Its name in results.
    name: str

    def refuses(self, instance: Instance) -> str:
        """Return why it does not take the program of an instance; empty where it does."""
        return ""

    @abstractmethod
    def prepare(self, instance: Instance, accuracy: float, time_limit: float) -> Any:
        """Return a call without arguments that solves `instance` to `accuracy`."""

    def finish(self, returned: Any) -> Any:
        """Return the answer in what the call returned."""
        return returned

    def version(self) -> str:
        """Return the version of the solver, where it is known."""
        return ""
