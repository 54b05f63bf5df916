"""Count the mutants that tests notice: ``python -m tests.mutants named reader exact --count 150 --seed 1``.

Needs Cosmic Ray (``pip install cosmic-ray``). Each mutant is one change of one line, in a copy of the checkout; it is
noticed where a test fails or does not end. Those that are not are printed with the change; `equivalent.toml` lists the
ones that change nothing that can be seen, with the reason, and they are not counted. `named.toml` has those that
reviewers found alive; without names of groups they and every group are tried.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue

from scipy.stats import binomtest

from tests.mutants.groups import GROUPS
from tests.mutants.mutant import Drawn, Mutant, Named, copied, named, noticed, sampled

EQUIVALENT = Path(__file__).with_name("equivalent.toml")
#: What has to be noticed.
PROMISED = 0.95
#: The name of those that are written out.
NAMES = "named"


def equivalents() -> dict[str, str]:
    """Return the reason of each change that can be seen by nothing, by the file and the lines of the change."""
    listed = tomllib.loads(EQUIVALENT.read_text(encoding="utf-8"))["equivalent"]
    return {key(each["path"], each["change"].strip()): each["reason"] for each in listed}


def key(path: str, change: str) -> str:
    """Return what a change is known by wherever it stands in the file: its lines without their numbers."""
    return "\n".join([path, *(line for line in change.splitlines() if not line.startswith("@@"))])


def survivors(tried: Sequence[tuple[Mutant, Sequence[str]]], jobs: int, seconds: float) -> list[Mutant]:
    """Return the mutants that none of their tests notices, each tried in a copy of the checkout."""
    folders: SimpleQueue[Path] = SimpleQueue()

    def survives(each: tuple[Mutant, Sequence[str]]) -> bool:
        folder = folders.get()
        try:
            lives = not noticed(*each, folder, seconds)
        finally:
            folders.put(folder)
        # At once: a run that is ended early has said what it found.
        print(f"  {each[0].path}: {title(each[0])}\n{each[0].change()}" if lives else ".", flush=True)
        return lives

    with tempfile.TemporaryDirectory() as where, ThreadPoolExecutor(jobs) as pool:
        for job in range(jobs):
            folders.put(copied(Path(where, str(job))))
        folder = folders.get()
        every = sorted({test for _, tests in tried for test in tests})
        assert not noticed(None, every, folder, 4.0 * seconds), "the tests fail as they are, or take too long"
        folders.put(folder)
        kept = list(pool.map(survives, tried))
    return [mutant for (mutant, _), lives in zip(tried, kept, strict=True) if lives]


def chosen(group: str, count: int, seed: int) -> list[tuple[Mutant, Sequence[str]]]:
    """Return the mutants of a group that count, each with its tests."""
    if group == NAMES:
        return [(mutant, mutant.tests) for mutant in named()]
    known = equivalents()
    drawn = sampled(GROUPS[group], count, seed)
    return [(mutant, GROUPS[group].tests) for mutant in drawn if key(mutant.path, mutant.change()) not in known]


def title(mutant: Mutant) -> str:
    """Return a line that says which mutant it is."""
    if isinstance(mutant, Named):
        return mutant.what
    assert isinstance(mutant, Drawn)
    return f"{mutant.operator} {mutant.occurrence}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("groups", nargs="*", choices=[NAMES, *GROUPS, []], default=[NAMES, *GROUPS])
    parser.add_argument("--count", type=int, default=20, help="mutants of each group")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=600.0, help="after which tests are taken not to end")
    given = parser.parse_args()
    total, missed = 0, 0
    for name in given.groups:
        tried = chosen(name, given.count, given.seed)
        left = survivors(tried, given.jobs, given.seconds)
        total, missed = total + len(tried), missed + len(left)
        print(f"{name}: {len(tried) - len(left)} of {len(tried)} noticed", flush=True)
    share = binomtest(total - missed, total).proportion_ci(0.95, method="wilson")
    print(f"{total - missed} of {total} noticed: {100 * share.low:.1f} to {100 * share.high:.1f} %, at 95 %")
    return 0 if total - missed >= PROMISED * total else 1


if __name__ == "__main__":
    sys.exit(main())
