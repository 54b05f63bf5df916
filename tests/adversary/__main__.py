"""Ask random questions and print one table: ``python -m tests.adversary --designs 500 --seed 1``."""

from __future__ import annotations

import argparse
import sys

from tests.adversary.judge import FAILURES, Verdict
from tests.adversary.report import BLOCK, SHOWN, by_pair, failing, table, verdicts

#: Verdicts between two lines of progress.
OFTEN = 250


def _progress(found: list[Verdict]) -> None:
    if len(found) % OFTEN < BLOCK:
        counts = {kind: len(failing(found, kind)) for kind in FAILURES}
        print(len(found), {kind: count for kind, count in counts.items() if count}, file=sys.stderr, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--designs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--shown", type=int, default=SHOWN, help="snippets for each kind of failure")
    given = parser.parse_args()
    found = verdicts(given.designs, given.seed, given.jobs, on_block=_progress)
    print(table(found, given.shown))
    print("\n# by notion and objective")
    for kind in FAILURES:
        print(f"{kind}: {by_pair(found, kind)[:12]}")
    return 1 if any(failing(found, kind) for kind in FAILURES) else 0


if __name__ == "__main__":
    sys.exit(main())
