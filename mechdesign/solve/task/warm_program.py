"""The decision program over a band, kept in HiGHS from one level of a frontier to the next.

With ``q_d = low t_d + width z_d`` in units of the band's upper end, and the decision b that is best without any report
anything taken off all gains (a constant, as ``sum_d q_d = 1``), the program reads

    maximise    sum_d (g_d - g_b) . (z_d + low / width t_d)
    subject to  sum_d z_xd + w = 1,   sum_d t_d = T,   low T - width w = low,
                0 <= z_xd <= t_d,   P . z_d = share t_d  where the band's middle is the mass P . q.

The level is in the cost of the boxes t, in three numbers of one row, and in the share: everything else stays, the
basis with it, from which the simplex method has a handful of pivots to the next optimum.
"""

from __future__ import annotations

import numpy as np

from mechdesign.notions import Band
from mechdesign.parameters.checks import Array
from mechdesign.solve.solvers.highs import lasting_engine, resume
from mechdesign.solve.solvers.linear_program import SolverStats
from mechdesign.solve.solvers.silent_highs import highs

#: Where the band's ends are nearer than this the boxes' costs leave the range that HiGHS takes well.
NARROWEST = 1e-5
#: Columns T and w, and the rows of these two, before the blocks of the decisions.
BEFORE, BESIDE = 2, 2


class WarmProgram:
    """The program over the decisions added so far; `solve` moves it to a band and returns its optimum."""

    def __init__(self, gains: Array, middle: Array | None, verbose: bool) -> None:
        """Start with no decision of those whose gains, shape (decisions, n), may be added."""
        highspy = highs()

        self.given, self.middle, n = gains, middle, gains.shape[1]
        self.best = gains[gains.sum(axis=1).argmax()]
        apart = gains - self.best
        self.unit = float(np.abs(apart).max()) or 1.0
        self.gains = apart / self.unit
        #: Numbers of the decisions that were added, in the order of their blocks.
        self.present: list[int] = []
        self.engine = lasting_engine(highspy, verbose)
        none, nothing = np.zeros(0, dtype=np.int32), np.zeros(0)
        sides = np.concatenate([np.ones(n), np.zeros(BESIDE)])
        self.engine.addRows(n + BESIDE, sides, sides, 0, np.zeros(n + BESIDE, dtype=np.int32), none, nothing)
        self.engine.addCol(0.0, 0.0, np.inf, 2, np.array([n, n + 1], dtype=np.int32), np.array([-1.0, 1.0]))
        every = np.append(np.arange(n), n + 1).astype(np.int32)
        self.engine.addCol(0.0, 0.0, np.inf, n + 1, every, np.append(np.ones(n), -1.0))
        self.low, self.width, self.share = 1.0, 1.0, 1.0

    def solve(self, band: Band, wanted: list[int], time_left: float | None) -> tuple[Array, Array, SolverStats]:
        """Return the columns of all decisions, the rows' multipliers of the maximisation, and how HiGHS ended.

        Raises SolverError where it ends otherwise than optimal: the program is not to be gone on with then.
        """
        self._move(band)
        self._add([d for d in wanted if d not in self.present])
        found, n = resume(self.engine, time_left), len(self.best)
        blocks = found.point[BEFORE:].reshape(len(self.present), n + 1)
        columns = np.zeros((n, len(self.gains)))
        columns[:, self.present] = self.low * blocks[:, n] + self.width * blocks[:, :n].T
        return columns, self.best - found.multipliers[:n] * self.unit, found.stats

    def is_of(self, gains: Array, middle: Array | None) -> bool:
        """Return whether gains, shape (decisions, n), and mass are the program's: they are so at every level."""
        same = middle is None if self.middle is None else middle is not None and np.array_equal(middle, self.middle)
        return same and np.array_equal(gains, self.given)

    def _move(self, band: Band) -> None:
        """Change what the band's ends are in."""
        n, engine = len(self.best), self.engine
        self.low = band.low / band.high
        self.width = 1.0 - self.low
        self.share = 1.0 if self.middle is None else (1.0 / band.high - self.low) / self.width
        engine.changeCoeff(n + 1, 0, self.low)
        engine.changeCoeff(n + 1, 1, -self.width)
        engine.changeRowBounds(n + 1, self.low, self.low)
        if not self.present:
            return
        boxes = BEFORE + np.arange(len(self.present)) * (n + 1) + n
        engine.changeColsCost(len(boxes), boxes.astype(np.int32), self._of_boxes(self.present))
        if self.middle is not None:
            for box in boxes.tolist():
                # A block's rows are as many as its columns.
                engine.changeCoeff(box - BEFORE + n + BESIDE, box, -self.share)

    def _of_boxes(self, decisions: list[int]) -> Array:
        return np.asarray(-(self.low / self.width) * self.gains[decisions].sum(axis=1))

    def _add(self, decisions: list[int]) -> None:
        """Add a block of columns and rows for each of the decisions."""
        if not decisions:
            return
        n, each = len(self.best), len(self.best) + 1
        top = np.zeros((len(decisions), each))
        bottom = np.full_like(top, -np.inf)
        bottom[:, n] = 0.0 if self.middle is not None else -np.inf
        none, nothing = np.zeros(0, dtype=np.int32), np.zeros(0)
        first = n + BESIDE + len(self.present) * each
        begins = np.zeros(top.size, dtype=np.int32)
        self.engine.addRows(top.size, bottom.ravel(), top.ravel(), 0, begins, none, nothing)
        # Entries of z_xd: the input's row, z <= t, the mass; of t_d: their sum, each z <= t, the mass.
        middle = np.zeros(n) if self.middle is None else self.middle
        inputs = np.arange(n)
        of_z = np.column_stack([inputs, inputs, np.full(n, n)])
        values = np.column_stack([np.ones(n), np.ones(n), middle])
        block = np.concatenate([of_z.ravel(), [n], inputs, [n]])
        numbers = np.concatenate([values.ravel(), [1.0], np.full(n, -1.0), [-self.share]])
        on_block = np.append(np.tile([False, True, True], n), [False] + [True] * (n + 1))
        starts = np.append(3 * inputs, 3 * n)
        begin = first + each * np.arange(len(decisions))[:, None]
        rows = np.where(on_block, block + begin, block)
        offsets = starts + len(block) * np.arange(len(decisions))[:, None]
        cost = np.column_stack([-self.gains[decisions], self._of_boxes(decisions)])
        self.engine.addCols(
            cost.size,
            cost.ravel(),
            np.zeros(cost.size),
            np.full(cost.size, np.inf),
            rows.size,
            offsets.ravel().astype(np.int32),
            rows.ravel().astype(np.int32),
            np.tile(numbers, len(decisions)),
        )
        self.present += decisions


def can_follow(band: Band | None) -> bool:
    """Return whether a program can be moved to `band`: it has two ends, which are not neighbours."""
    return band is not None and band.low / band.high <= 1.0 - NARROWEST
