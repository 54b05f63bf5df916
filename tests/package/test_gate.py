"""The runner of `.ci`: every step runs, the last block names what failed, and what a caller left behind is undone."""

import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
#: The text of a script whose steps fail in each way that there is.
STEPS = """
source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"
step good - 60 "echo well"
step bad - 60 "echo 'ERROR: no such thing'; seq 20; exit 3"
step after bad 60 "echo never"
step tests good 60 "cp results.xml $JUNIT_FILE; exit 1"
step last good 60 "echo at the end"
run_steps "$@"
""".replace("$JUNIT_FILE", "\\$JUNIT")
RESULTS = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_sums"><failure message="assert 1 == 2&#10; more">...</failure></testcase>
<testcase classname="tests.test_a" name="test_holds" />
</testsuite></testsuites>"""


@pytest.fixture
def checkout(tmp_path):
    """A folder with the runner, a README of two commands and a script of steps."""
    (tmp_path / ".ci").mkdir()
    for name in ("steps.sh", "failures.py", "lock.txt"):
        shutil.copy(ROOT / ".ci" / name, tmp_path / ".ci" / name)
    shutil.copy(ROOT / "README.md", tmp_path)
    (tmp_path / "results.xml").write_text(RESULTS)
    return tmp_path


def ran(checkout, text, *arguments, ignoring=(), **environment):
    """Return how the script ended and what it printed."""
    (checkout / ".ci" / "some").write_text(text)
    found = {key: value for key, value in os.environ.items() if key not in {"MECHDESIGN_CI", "CI_REPORT"}}
    run = subprocess.run(
        ["bash", str(checkout / ".ci" / "some"), *arguments],
        env=found | environment,
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: [signal.signal(each, signal.SIG_IGN) for each in ignoring],
    )
    return run.returncode, run.stdout + run.stderr


def test_every_step_runs_and_the_last_block_names_what_failed(checkout):
    code, printed = ran(checkout, STEPS, CI_REPORT=str(checkout / "report"))
    assert code == 1 and "at the end" in printed and "never" not in printed.replace("echo never", "")
    block = (checkout / "report").read_text()
    assert printed.endswith(block)
    lines = [line.split() for line in block.splitlines()]
    assert [line[:2] for line in lines if line and line[0] in {"ok", "FAILED", "-"}] == [
        ["ok", "good"],
        ["FAILED", "bad"],
        ["-", "after"],
        ["FAILED", "tests"],
        ["ok", "last"],
    ]
    assert "after                not run: bad failed" in block
    assert "tests.test_a::test_sums: assert 1 == 2\n" in block and "test_holds" not in block
    assert "ERROR: no such thing" in block and "exit 3" in block


def test_steps_can_be_run_alone_with_what_they_need(checkout):
    code, printed = ran(checkout, STEPS, "last")
    assert code == 0 and "all of it holds" in printed and "==> good" in printed and "==> bad" not in printed
    code, printed = ran(checkout, STEPS, "lats")
    assert code == 2 and "there is no step lats" in printed and "==>" not in printed


def test_a_step_that_hangs_is_named_and_the_others_run(checkout):
    # In place of waiting: `timeout` ends the step as it does when the time has passed.
    tools = checkout / "tools"
    tools.mkdir()
    (tools / "timeout").write_text('#!/bin/bash\nshift 2\ncase "$*" in *well*) exit 124 ;; esac\nexec "$@"\n')
    (tools / "timeout").chmod(0o755)
    text = STEPS.replace("tests good", "tests -").replace("last good", "last -")
    code, printed = ran(checkout, text, PATH=f"{tools}:{os.environ['PATH']}")
    block = printed[printed.rindex(" at ") :]
    assert code == 1 and "exit stopped after 300 s" in block and "ok      last" in block


def test_what_a_caller_left_behind_is_undone(checkout):
    text = 'source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"\n'
    text += 'step shown - 60 "grep SigIgn /proc/self/status; env"\nrun_steps\n'
    spoiled = {"PYTHONDONTWRITEBYTECODE": "1", "PYTEST_ADDOPTS": "-x", "PYTHONPATH": "elsewhere", "COLUMNS": "20"}
    code, printed = ran(checkout, text, ignoring=[signal.SIGINT, signal.SIGQUIT], **spoiled)
    ignored = int(printed.split("SigIgn:")[1].split()[0], 16)
    assert code == 0 and not ignored & (1 << (signal.SIGINT - 1) | 1 << (signal.SIGQUIT - 1))
    assert not [line for line in printed.splitlines() if line.partition("=")[0] in spoiled]
    assert "PYTHONHASHSEED=0" in printed


def test_a_step_beside_others_is_run_at_once_and_shown_at_its_place(checkout):
    text = 'source "$(dirname "${BASH_SOURCE[0]}")/steps.sh"\n'
    text += 'step first - 60 "until [ -e seen ]; do :; done; echo it is there"\n'
    text += 'step other beside 60 "touch seen; echo by the other; exit 3"\n'
    text += 'step needs other 60 "echo never"\nrun_steps "$@"\n'
    code, printed = ran(checkout, text)
    assert code == 1 and printed.index("it is there") < printed.index("==> other") < printed.rindex("by the other")
    assert "needs                not run: other failed" in printed and "FAILED  other" in printed
    (checkout / "seen").unlink()
    code, printed = ran(checkout, text, "other")
    assert code == 1 and "==> first" not in printed
