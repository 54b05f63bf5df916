"""Route `kernels`: an expected loss under metric DP by the best mixture of exponential kernels, for large maps.

The columns are ``e^(-epsilon d(s, x))`` about points s among the inputs and, where these lie in a plane, beside them.
One linear program weighs them; its multipliers, lowered until flows cover them, bound every mechanism.
"""

from __future__ import annotations

from functools import partial

from mechdesign.solve.resources.measurements import bytes_of, seconds_of
from mechdesign.solve.routes import maps
from mechdesign.solve.solvers.catalogue import of_linear_programs
from mechdesign.solve.task import Plan, Refusal, Route, Size, Task


def plan(task: Task) -> Plan | Refusal:
    """Return how the route answers, or why it cannot."""
    known = maps.expected_loss(task)
    return known if isinstance(known, Refusal) else Plan(partial(maps.searched, *known, 0))


def size(task: Task) -> Size:
    """Return the size of a dense program over about two kernels for each input."""
    pairs = float(task.problem.n) ** 2 if task.columns.pair_exponents is not None else 0.0
    return Size(bytes_of("kernels", pairs), first=seconds_of("kernels", pairs * task.problem.n))


ROUTE = Route("kernels", of_linear_programs, plan, size, is_exact=False, makes_cone=False)
