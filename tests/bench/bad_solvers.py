"""Solvers with one planted defect each, called as a stranger's would be."""

import threading

import numpy as np

from mechdesign.bench.answer import Answer
from mechdesign.bench.solvers.highs import Highs, highs_model
from mechdesign.solve.solvers.silent_highs import highs


def good(program, *, accuracy, time_limit):
    """HiGHS's simplex method."""
    engine = highs().Highs()
    engine.setOptionValue("output_flag", False)
    engine.passModel(highs_model(program))
    engine.run()
    return Highs("HIGHS", "simplex").finish(engine)


def off_by_a_millionth(program, *, accuracy, time_limit):
    """The right value to six digits, with a matrix that is off by 1e-6 here and there."""
    answer = good(program, accuracy=accuracy, time_limit=time_limit)
    moved = answer.x + 1e-6 * (-1.0) ** np.arange(len(answer.x))
    return Answer(moved, answer.row_duals, "optimal")


def liar(program, *, accuracy, time_limit):
    """The uniform mechanism, called optimal."""
    answer = good(program, accuracy=accuracy, time_limit=time_limit)
    return Answer(np.full(len(answer.x), 1.0 / np.sqrt(len(answer.x))), answer.row_duals, "optimal")


def opposite_duals(program, *, accuracy, time_limit):
    """Duals in the sign of the other convention."""
    answer = good(program, accuracy=accuracy, time_limit=time_limit)
    return Answer(answer.x, -answer.row_duals, "optimal")


def swapped_duals(program, *, accuracy, time_limit):
    """Duals in the order of other rows."""
    answer = good(program, accuracy=accuracy, time_limit=time_limit)
    return Answer(answer.x, answer.row_duals[::-1].copy(), "optimal")


def sleeper(program, *, accuracy, time_limit):
    """Never returns."""
    threading.Event().wait()


def gives_up(program, *, accuracy, time_limit):
    """Says that there is no solution."""
    return {"status": "infeasible"}


def raises(program, *, accuracy, time_limit):
    """Raises what a user's code may raise."""
    raise KeyError("no such pivot")


def wrong_shape(program, *, accuracy, time_limit):
    """One entry too few."""
    return np.zeros(len(program.cost) - 1)


def not_a_number(program, *, accuracy, time_limit):
    """NaN."""
    return np.full(len(program.cost), np.nan)


def imaginary(program, *, accuracy, time_limit):
    """Complex numbers."""
    return np.zeros(len(program.cost), dtype=complex)


def words(program, *, accuracy, time_limit):
    """No array at all."""
    return "optimal"


def noisy(program, *, accuracy, time_limit):
    """Prints to standard output, and changes its input."""
    answer = good(program, accuracy=accuracy, time_limit=time_limit)
    print("iteration 1")
    program.cost[:] = 0.0
    return answer


def crashes(program, *, accuracy, time_limit):
    """Ends its process."""
    import os
    import signal

    os.kill(os.getpid(), signal.SIGSEGV)


def greedy(program, *, accuracy, time_limit):
    """Asks for more memory than it is given."""
    return np.ones((1 << 20, 1 << 14))
