"""Ask random questions and print one table: ``python -m tests.adversary --designs 500 --seed 1``."""

from __future__ import annotations

import argparse
import sys

from mechdesign.cli.own_members import imported
from mechdesign.errors import DomainError
from tests.adversary import from_cards
from tests.adversary.from_cards import listing, without_arithmetic
from tests.adversary.judge import FAILURES, Verdict
from tests.adversary.report import BLOCK, SHOWN, by_pair, failing, table, verdicts

#: Verdicts between two lines of progress, and for how many designs there is one of each member drawn by its card.
OFTEN, SHARE = 250, 10


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
    parser.add_argument(
        "--members",
        nargs="*",
        default=[],
        help="modules or files with notions and objectives to draw by their cards",
    )
    given = parser.parse_args()
    try:
        by_card = [*imported(given.members), *without_arithmetic()]
    except DomainError as error:
        parser.error(str(error))
    of_cards = from_cards.verdicts(by_card, max(given.designs // SHARE, 1), given.seed)
    if of_cards:
        print(listing(of_cards), end="\n\n")
    found = verdicts(given.designs, given.seed, given.jobs, on_block=_progress)
    print(table(found, given.shown))
    print("\n# by notion and objective")
    for kind in FAILURES:
        print(f"{kind}: {by_pair(found, kind)[:12]}")
    failed = any(failing(found, kind) for kind in FAILURES) or any(one.failures for one in of_cards)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
