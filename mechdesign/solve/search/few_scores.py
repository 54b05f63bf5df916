"""The least variance with few outputs: a linear program at fixed scores, and steps of the scores along its slope.

At the optimum of the program over scores t the variance changes by ``sum_x q_x (2 theta_x t - along_x)`` for each unit
of the score of a column q, with the multipliers theta of the variances and along of the expectations (the envelope
theorem), so that quasi-Newton steps find scores that no small change improves.
"""

from __future__ import annotations

import numpy as np

from mechdesign.errors import SolverError
from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late
from mechdesign.solve.programs.over_scores import Unbiased, over_scores
from mechdesign.solve.task import Task

#: How much wider than the groups of the optimum's outputs the scores begin; wider ones where no mechanism has them.
WIDER = (1.0, 1.1, 1.25, 1.5, 2.0, 3.0)
#: Steps at most, from each beginning, and the variance of scores that no mechanism has, in units of the beginning.
STEPS, NONE = 40, 1e3
#: How far rows and expectations may be off, and entries below zero.
FEASIBLE = 1e-6
#: How far scores move by chance for another beginning, as a share of their range, and beginnings.
MOVED, BEGINNINGS = 0.15, 2


class FewScores:
    """Mechanisms of at most `count` outputs under a task, each with a score, for the expectations ``wanted[x]``.

    Parameters
    ----------
    wanted : ndarray, shape (n,)
        As for `over_scores`, like `theta` and `mirrored`.
    count : int
        Outputs at most, at least 2.
    """

    def __init__(self, task: Task, wanted: Array, theta: Array | None, count: int, solver: str, mirrored: bool) -> None:
        self.task, self.wanted, self.theta, self.count = task, wanted, theta, count
        self.solver, self.mirrored = solver, mirrored

    def best(self, optimum: Unbiased) -> Unbiased | None:
        """Return the best one found, from scores near an optimum of any number; None if none is found."""
        from scipy.optimize import minimize

        rng, found = np.random.default_rng(self.count), None
        grouped = self._grouped(optimum)
        for again in range(BEGINNINGS):
            moved = grouped + (again > 0) * MOVED * float(np.abs(grouped).max()) * rng.normal(size=len(grouped))
            start = self._possible(moved)
            if start is None:
                continue
            most = NONE * self._of(start)[0]

            def value(scores: Array, most: float = most) -> tuple[float, Array]:
                made = None if is_late() else self._made(scores)
                return (most, np.zeros(len(scores))) if made is None else self._with_slope(made, len(scores))

            first, options = start.scores[: len(grouped)], {"maxiter": STEPS}
            made = self._made(minimize(value, first, jac=True, method="L-BFGS-B", options=options).x)
            if made is not None and (found is None or self._of(made)[0] < self._of(found)[0]):
                found = made
            if is_late():
                break
        return found

    def _made(self, scores: Array) -> Unbiased | None:
        """Return the best mechanism with these scores, and of -t with each t if the question is mirrored."""
        given = np.append(scores, 0.0) if self.mirrored and self.count % 2 else scores
        try:
            made = over_scores(self.task, self.wanted, self.theta, given, self.solver, mirrored=self.mirrored)
        except SolverError:
            return None
        # Solvers return points of programs that have none.
        biased = float(np.abs(made.columns @ made.scores - self.wanted).max())
        missed = float(np.abs(made.columns.sum(axis=1) - 1.0).max())
        return made if max(biased, missed, -float(made.columns.min())) <= FEASIBLE else None

    def _possible(self, scores: Array) -> Unbiased | None:
        """Return the best mechanism with scores that are stretched until there is one."""
        return next((made for wider in WIDER if (made := self._made(wider * scores)) is not None), None)

    def _of(self, made: Unbiased) -> tuple[float, Array]:
        """Return the variance, at its largest or at the population theta, and the second moments."""
        seconds = made.columns @ made.scores**2
        variances = seconds - self.wanted**2
        return float(variances.max() if self.theta is None else self.theta @ variances), seconds

    def _with_slope(self, made: Unbiased, count: int) -> tuple[float, Array]:
        """Return the variance, and how it changes with each of `count` scores."""
        slope = made.columns.T @ made.slopes.theta * 2.0 * made.scores - made.columns.T @ made.slopes.along
        if self.mirrored:
            half = len(made.scores) // 2
            slope = slope[:half] - slope[half : 2 * half]
        return self._of(made)[0], slope[:count]

    def _grouped(self, optimum: Unbiased) -> Array:
        """Return the mean scores of groups of equal mass of an optimum's outputs; positive ones if it is mirrored."""
        count = self.count // 2 if self.mirrored else self.count
        order = np.argsort(optimum.scores)
        scores, mass = optimum.scores[order], optimum.columns.sum(axis=0)[order]
        if self.mirrored:
            scores, mass = scores[scores > 0], mass[scores > 0]
        before = np.cumsum(mass) - 0.5 * mass
        group = np.minimum((before / mass.sum() * count).astype(int), count - 1)
        total = np.bincount(group, mass, minlength=count)
        means = np.bincount(group, mass * scores, minlength=count) / np.where(total > 0, total, 1.0)
        return np.where(total > 0, means, np.linspace(scores[0], scores[-1], count))
