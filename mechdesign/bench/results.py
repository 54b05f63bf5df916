"""The results of a benchmark: who solves what, how quickly, and what is wrong with the answers."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from mechdesign.bench.judging.score import Score
from mechdesign.bench.running.record import Run, read_runs
from mechdesign.displays import Displayed, Table

#: Seconds that an accuracy which is not reached counts as in means, where no run had a limit.
NO_LIMIT = 10.0
#: A bound is good that is off by no larger share, and a matrix is far from private that misses by more.
BOUND, EXCESS = 1e-6, 1e-9


@dataclass(frozen=True, repr=False)
class Results(Displayed):
    """The runs of a benchmark.

    Attributes
    ----------
    runs : tuple of Run
        In the order in which they ended.
    interrupted : bool
        Whether the benchmark was stopped before all had ended.
    """

    runs: tuple[Run, ...]
    interrupted: bool = False

    @classmethod
    def read(cls, *paths: str | Path) -> Results:
        """Return the runs of files of results."""
        return cls(tuple(run for path in paths for run in read_runs(path)))

    @property
    def solvers(self) -> list[str]:
        """The names of the solvers, in the order of their first run."""
        return list(dict.fromkeys(run.solver for run in self.runs))

    @property
    def instances(self) -> list[str]:
        """The names of the instances, likewise."""
        return list(dict.fromkeys(run.instance for run in self.runs))

    def of(self, solver: str) -> Iterator[Run]:
        """Yield the runs of one solver."""
        return (run for run in self.runs if run.solver == solver)

    def times(self, accuracy: float) -> dict[str, dict[str, float]]:
        """Return the seconds in which each solver reaches an error of at most `accuracy`, by instance.

        Of the runs of a solver on an instance that reach it, whatever they were asked for, the quickest counts.
        """
        found: dict[str, dict[str, float]] = {solver: {} for solver in self.solvers}
        for run in self.runs:
            if run.score is not None and run.score.error <= accuracy:
                of_solver = found[run.solver]
                of_solver[run.instance] = min(of_solver.get(run.instance, math.inf), run.least_seconds)
        return found

    def solved(self, accuracy: float) -> dict[str, int]:
        """Return the number of instances on which each solver reaches an error of at most `accuracy`."""
        return {solver: len(times) for solver, times in self.times(accuracy).items()}

    def wins(self, accuracy: float) -> dict[tuple[str, str], int]:
        """Return for each ordered pair of solvers on how many instances the first is quicker to `accuracy`."""
        times = self.times(accuracy)
        return {
            (first, second): sum(
                times[first].get(name, math.inf) < times[second].get(name, math.inf) for name in self.instances
            )
            for first in times
            for second in times
            if first != second
        }

    @property
    def common(self) -> list[str]:
        """The instances that no solver refuses: linear programs, where a solver takes no others."""
        refused = {run.instance for run in self.runs if run.outcome == "refused"}
        return [name for name in self.instances if name not in refused]

    @property
    def time_limit(self) -> float:
        """The longest time limit of the runs, in seconds: what an accuracy that is not reached counts as in means."""
        return max((run.conditions.time_limit for run in self.runs if run.conditions is not None), default=NO_LIMIT)

    def mean_time(self, solver: str, accuracy: float, shift: float = 0.01) -> float:
        """Return the shifted geometric mean of the seconds to `accuracy`, `time_limit` where it is not reached.

        ``exp(mean ln(t + shift)) - shift`` over the `common` instances: short times do not decide it, nor a few long
        ones. NaN where no instance is common.
        """
        times = self.times(accuracy)[solver]
        logs = [math.log(times.get(name, self.time_limit) + shift) for name in self.common]
        return math.exp(statistics.fmean(logs)) - shift if logs else math.nan

    def __str__(self) -> str:
        return self._printed()

    def __repr__(self) -> str:
        return f"<Results of {len(self.runs)} runs of {len(self.solvers)} solvers on {len(self.instances)} instances>"

    def display(self) -> tuple[Table]:
        """Return a line for each solver."""
        headings = (
            *("solver", "answered", "1e-3", "1e-6", "1e-9", "bounds to 1e-6", "mean seconds to 1e-6"),
            *("not private", f"by over {EXCESS:g}", "false status"),
        )
        return (Table("Solvers", headings, tuple(self._line(solver) for solver in self.solvers)),)

    def _line(self, solver: str) -> tuple[str, ...]:
        of = len(self.instances)
        answered = len({run.instance for run in self.of(solver) if run.score is not None})
        counts = [f"{self.solved(accuracy)[solver]} of {of}" for accuracy in (1e-3, 1e-6, 1e-9)]
        mean = self.mean_time(solver, 1e-6) if self.times(1e-6)[solver] else None
        return (
            solver,
            f"{answered} of {of}",
            *counts,
            f"{len(self._with_score(solver, lambda score: score.bound_error <= BOUND))} of {of}",
            "not reached" if mean is None else f"{mean:.3g}" if math.isfinite(mean) else "not measured",
            f"{len(self.with_fault(solver, 'its matrix is not private'))} of {answered}",
            str(len(self._with_score(solver, lambda score: score.privacy is not None and score.privacy.far > EXCESS))),
            str(len(self.with_fault(solver, "it says"))),
        )

    def _with_score(self, solver: str, holds: Callable[[Score], bool]) -> set[str]:
        """Return the instances on which the score of some answer satisfies a condition."""
        return {run.instance for run in self.of(solver) if run.score is not None and holds(run.score)}

    def with_fault(self, solver: str, start: str) -> set[str]:
        """Return the instances on which an answer has a fault whose sentence begins so."""
        return {
            run.instance
            for run in self.of(solver)
            if run.score is not None and any(fault.startswith(start) for fault in run.score.faults)
        }
