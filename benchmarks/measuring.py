"""What every part reports, and how it is measured: processor seconds of one thread, in an interpreter of its own."""

from __future__ import annotations

import json
import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
#: Before numpy is loaded, or its BLAS starts a thread for each core.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "RAYON_NUM_THREADS"), "1"
)
PACKAGES = ("numpy", "scipy", "cvxpy", "highspy", "clarabel", "ecos", "scs", "osqp", "qif")
CLEAR, STATUS = Path("/proc/self/clear_refs"), Path("/proc/self/status")
#: Bytes of address space of a measurement: one that needs more is a row with its reason, and the machine lives on.
CEILING = 4 << 30
#: Runs of which the quickest counts, and the seconds from which one is enough.
RUNS, LONG = 11, 1.0


@dataclass(frozen=True)
class Row:
    """One line of a report: what was measured, the number, and what it has to stay below, if that was promised."""

    work: str
    #: None where nothing could be measured; the note says why.
    number: float | None
    unit: str
    at_most: float | None = None
    #: Whether what else was promised holds ("certified 1e-6").
    kept: bool = True
    note: str = ""

    @property
    def verdict(self) -> str:
        """Whether the promise is kept; nothing where there is none."""
        if self.at_most is None:
            return ""
        if self.number is None:
            return "NOT MEASURED"
        return "reached" if self.kept and self.number <= self.at_most else "NOT REACHED"

    @property
    def said(self) -> str:
        """The number with its unit."""
        return "-" if self.number is None else f"{self.number:.3g} {self.unit}"


@dataclass(frozen=True)
class Part:
    """What one part of the benchmark came to: its rows, and the data its plots are drawn from."""

    name: str
    rows: list[Row]
    data: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        rows = [{**asdict(row), "verdict": row.verdict} for row in self.rows]
        return {"part": self.name, "rows": rows, "data": self.data}


@dataclass(frozen=True)
class Outcome:
    """What a measurement in an interpreter of its own returned, or why it returned nothing."""

    value: dict[str, Any]
    why: str = ""
    #: Processor seconds of it all, also where it was stopped.
    seconds: float = 0.0


def machine() -> dict[str, Any]:
    """Return where and with what the numbers were taken."""
    found: dict[str, Any] = {"python": platform.python_version(), "system": platform.system()}
    found["machine"], found["cores"] = platform.machine(), os.cpu_count()
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = None
    return found


def seconds(work: Callable[[], object], runs: int) -> float:
    """Return the median processor seconds of `runs` calls."""
    times = []
    for _ in range(runs):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return statistics.median(times)


def quickest(work: Callable[[], object]) -> float:
    """Return the least processor seconds of several runs; the first has loaded what the others find."""
    least = math.inf
    for _ in range(RUNS):
        started = time.process_time()
        work()
        least = min(least, time.process_time() - started)
        if least > LONG:
            break
    return least


def apart(function: str, arguments: dict[str, Any], limit: float, *, one_thread: bool = True) -> Outcome:
    """Return what ``module:function`` says in a fresh interpreter, stopped after `limit` seconds.

    It has one thread, or those that libraries start where nobody says how many.
    """
    import resource

    command = [sys.executable, "-m", "benchmarks.measuring", function, json.dumps(arguments)]
    path = {"PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path[1:]])}
    others = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    environment = {**others, **(ONE_THREAD if one_thread else {}), **path}

    def spent() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    before = spent()
    try:
        run = subprocess.run(
            command, capture_output=True, text=True, timeout=limit, cwd=ROOT, env=environment, check=False
        )
    except subprocess.TimeoutExpired:
        return Outcome({}, f"stopped after {limit:.0f} s", spent() - before)
    if run.returncode:
        last = (run.stderr.strip() or f"ended with {run.returncode}").splitlines()[-1]
        return Outcome({}, last[:200], spent() - before)
    value: dict[str, Any] = json.loads(run.stdout.splitlines()[-1])
    return Outcome(value, seconds=spent() - before)


def promised(
    work: str,
    at_most: float,
    unit: str,
    function: str,
    arguments: dict[str, Any],
    limit: float,
    *,
    one_thread: bool = True,
) -> Row:
    """Return the row of one promise, measured by ``module:function`` in an interpreter of its own, as `apart` does."""
    found = apart(function, arguments, limit, one_thread=one_thread)
    value = {"number": None, "kept": False, "note": found.why, **found.value}
    return Row(work, value["number"], unit, at_most, value["kept"], value["note"])


class Memory:
    """The most memory that this process holds from here on, beyond what it holds now, in MB."""

    def __init__(self) -> None:
        # Linux forgets its mark of the highest water; elsewhere only what passes the last mark is seen.
        if CLEAR.exists():
            CLEAR.write_text("5", encoding="ascii")
        self._before = self._highest()

    def __call__(self) -> float:
        """Return it."""
        # Linux counts pages for each thread and adds them up late: the mark may fall by some kB.
        return max(self._highest() - self._before, 0.0)

    def _highest(self) -> float:
        if STATUS.exists():
            found = re.search(r"VmHWM:\s+(\d+) kB", STATUS.read_text(encoding="ascii"))
            if found:
                return int(found[1]) / 1024
        import resource

        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return most / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def main() -> None:
    """Call ``module:function`` with arguments in JSON, and print what it returns as the last line."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (CEILING, CEILING))
    module, name = sys.argv[1].split(":")
    print(json.dumps(getattr(import_module(module), name)(**json.loads(sys.argv[2]))))


if __name__ == "__main__":
    main()
