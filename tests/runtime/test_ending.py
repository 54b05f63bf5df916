"""A process whose solver was left and is still at work ends with its own status; the command does so at once."""

import signal
import subprocess
import sys

import pytest

#: HiGHS, at work in a thread that was left, calls Python back when the interpreter is at its end.
LEFT = """
import sys, threading, time
import numpy as np
import mechdesign as md
from mechdesign.runtime import deadline
from dataclasses import replace
from mechdesign.solve.solvers.catalogue import SOLVERS
from mechdesign.solve.solvers.silent_highs import highs
from mechdesign.testing.clock import CountingClock

clock, ending = CountingClock(), threading.Event()
PATIENCE = {patience}

def going_on(*_, **__):
    engine = highs().Highs()
    engine.setOptionValue("output_flag", False)
    engine.setOptionValue("presolve", "off")
    engine.addVars(2, np.zeros(2), np.ones(2))
    engine.addRow(1.0, 2.0, 2, np.arange(2, dtype=np.int32), np.ones(2))
    clock.overrun.set()
    engine.cbSimplexInterrupt.subscribe(lambda *_: ending.wait(PATIENCE))
    engine.run()

class AtTheEnd:
    def __del__(self):
        ending.set()
        time.sleep(30.0)

SOLVERS["HIGHS"] = replace(SOLVERS["HIGHS"], linear=going_on)
survey = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
with deadline.reading(clock):
    asked = dict(route="rays", solver="HIGHS", time_limit=1.0, gap=1.0)
    print(md.design(survey, md.LDP(1.0), md.MMSE(), **asked).route, flush=True)
{end}
"""
PLANTED = "deadline.atexit.unregister(deadline._await_left)\nsys.kept = AtTheEnd()"


def ending(patience, end=""):
    """Return how that process ends, and what it says on stderr."""
    command = [sys.executable, "-c", LEFT.format(patience=patience, end=end)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.stdout == "known\n", ran.stderr
    return ran.returncode, ran.stderr


@pytest.mark.slow
def test_a_solver_that_was_left_does_not_abort_the_process():
    code, said = ending(0.2)
    assert code == 0, said


def test_a_process_that_does_not_wait_for_what_was_left_is_ended_by_a_signal():
    # Which one is chance: C++ aborts, or meets an interpreter that is half gone.
    code, said = ending(300.0, PLANTED)
    assert code < 0, said


#: The command, whose solver goes on for ever; its process says when the interpreter's end waits for that.
COMMAND = """
import sys, threading
from mechdesign.runtime import deadline
from mechdesign.cli import main
from dataclasses import replace
from mechdesign.runtime import native_call
from mechdesign.solve.solvers.catalogue import SOLVERS

def going_on(*_, **__):
    threading.Event().wait()

class Telling(deadline.Clock):
    def wait(self, outcome, end):
        print("waiting for the solver", file=sys.stderr, flush=True)
        super().wait(outcome, end)

deadline._clock = Telling()
deadline._await_left = lambda: print("waited", file=sys.stderr, flush=True)
SOLVERS["HIGHS"] = replace(SOLVERS["HIGHS"], linear=going_on)
# Even a small program may take long.
native_call.BRIEF = 0.0
sys.argv = ["mechdesign", "design", "asked.toml"]
main()
"""
QUESTION = """
[problem]
prior = [0.2, 0.3, 0.5]
values = [0, 1, 2]
[notion]
name = "LDP"
epsilon = 1.0
[objective]
name = "MMSE"
[solve]
route = "rays"
solver = "HIGHS"
"""


def test_the_command_ends_at_once_at_ctrl_c(tmp_path):
    (tmp_path / "asked.toml").write_text(QUESTION, encoding="utf-8")
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", COMMAND], cwd=tmp_path, **piped) as running:
        assert running.stderr.readline() == "waiting for the solver\n"
        running.send_signal(signal.SIGINT)
        printed, said = running.communicate()
    assert running.returncode == 130, printed + said
    assert "Interrupted; nothing was written." in said and "waited" not in said
