"""The ledger: one row for each statement of the papers, with the verdict that the referee computed."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from difflib import get_close_matches
from pathlib import Path

import numpy as np

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_RESULTS
from mechdesign.displays.text import plain
from mechdesign.errors import DomainError, nearest, written
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.files.tables import OfRows
from mechdesign.literature import source_of
from mechdesign.parameters.checks import entries, truth, whole
from mechdesign.parameters.functions import function
from mechdesign.referee import Row, referee, row_of, row_of_unchecked
from mechdesign.referee.ledger_page import TITLE, page
from mechdesign.theorems import NotCheckable, Theorem, home, recorded, statements
from mechdesign.theorems.former_keys import present_key
from mechdesign.theorems.own import own_theorems
from mechdesign.theorems.record import Recorded

#: The seed of the recorded verdicts.
SEED = 0

#: Fewer statements than this are done before other processes have started.
WORTH_PROCESSES = 12

COLUMNS = tuple(field.name for field in fields(Row))
LEDGER_FILE = FileKind(
    "the ledger",
    (".json", ".csv", ".html"),
    (
        r'\{\s*"seed": -?\d+,\s*"thorough": (true|false),',
        rf"<!DOCTYPE html>\n<html [^>]*><head>(<meta [^>]*>)*<title>{re.escape(TITLE)}</title>",
        rf"{re.escape(','.join(COLUMNS))}\r?\n",
    ),
)


@dataclass(frozen=True)
class Ledger(OfRows[Row], Displayed):
    """The rows of `verify`, in the order of their keys.

    Attributes
    ----------
    rows : tuple of Row
        One for each statement.
    seed : int
        Where the points came from.
    thorough : bool
        Whether some ten times the points were tried.
    complete : bool
        Whether every statement was tested: not where it was interrupted.

    Examples
    --------
    >>> import mechdesign as md
    >>> ledger = md.verify("jiang_lip/T2")
    >>> ledger[0].verdict, ledger[0].condition
    ('holds under a narrower condition', 'min prior >= 1/(1 + e^epsilon)')
    """

    rows: tuple[Row, ...]
    seed: int = SEED
    thorough: bool = False
    complete: bool = True

    def __str__(self) -> str:
        """Return the text that `mechdesign verify` prints, as wide as the terminal."""
        return plain(self.story())

    def __repr__(self) -> str:
        return f"Ledger({self.summary().rstrip('.')})"

    def display(self) -> tuple[Block, ...]:
        """Return the counts of the verdicts, and a table of the statements."""

        def row(index: int) -> tuple[str, ...]:
            each = self.rows[index]
            return (each.key, each.verdict, each.grounds, str(each.points or ""), each.deviation)

        heads = ("statement", "verdict", "grounds", "points", "worst")
        table = Table.of("", heads, len(self.rows), row, heads[:3], "statements", MOST_RESULTS)
        return (Lines("The papers' statements, by computation", (self.summary(),)), table)

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def counts(self) -> dict[str, int]:
        """Return the number of rows with each verdict."""
        return dict(Counter(row.verdict for row in self.rows))

    def summary(self) -> str:
        """Return the counts in a sentence."""
        counts = ", ".join(f"{count} {verdict}" for verdict, count in self.counts().items())
        rest = "" if self.complete else " Interrupted: the rest is missing."
        return f"{len(self)} statement{'s' * (len(self) != 1)}: {counts or 'none done'}.{rest}"

    def story(self) -> tuple[Block, ...]:
        """Return each statement with its verdict and the grounds, the papers, and the counts of the verdicts."""
        papers = tuple(f"{name}: {source_of(name)}" for name in dict.fromkeys(row.paper for row in self.rows))
        each = (block for row in self.rows for block in row.display())
        return (*each, *([Lines("Papers", papers)] if papers else []), Lines("Verdicts", (self.summary(),)))

    def differences(self) -> list[str]:
        """Return in sentences where a verdict is not the recorded one; of theorems of one's own there is no record."""
        known, catalogue = recorded(), statements()
        found = []
        for row in self.rows:
            if row.key not in catalogue:
                continue
            was = known[row.key].verdict if row.key in known else "not recorded"
            if was != row.verdict:
                found.append(f"{row.key} was recorded as {was!r} and is now {row.verdict!r}")
        return found

    def to_json(self) -> str:
        """Return everything as JSON."""
        rows = [{**asdict(row), "worst": row.worst if np.isfinite(row.worst) else None} for row in self.rows]
        data = {"seed": self.seed, "thorough": self.thorough, "complete": self.complete, "rows": rows}
        return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def record(self) -> str:
        """Return the text of the recorded file: the package's statements, as far as reproducible byte for byte."""
        known = statements()
        rows = {}
        for row in self.rows:
            if row.key not in known:
                continue
            statement = known[row.key]
            answers = isinstance(statement, Theorem) and statement.form is not None
            kept = Recorded(row.verdict, row.condition, row.counterexample, row.points, home(row.key), answers)
            rows[row.key] = asdict(kept)
        data = {"made by": "mechdesign verify --record", "seed": self.seed, "rows": rows}
        return json.dumps(data, indent=1, ensure_ascii=False) + "\n"

    def _file_kind(self) -> FileKind:
        return LEDGER_FILE

    def save(self, path: str | Path, *, overwrite: bool = False) -> Path:
        """Write the ledger, by the name's end as JSON, CSV or a page of HTML that needs no network; return the path.

        A ledger that is there is replaced, a file of another kind only with `overwrite`.
        """
        target = page_or_data(path)
        LEDGER_FILE.require_place(target, overwrite=overwrite)
        if target.suffix == ".html":
            effort = "thorough" if self.thorough else "quick"
            text = page(self.rows, f"{self.summary()} Seed {self.seed}, {effort} run of mechdesign verify.")
        elif target.suffix == ".csv":
            return super().save(target, overwrite=overwrite)
        else:
            text = self.to_json()
        return write(target, text)


def page_or_data(path: str | Path) -> Path:
    """Return where a ledger can be saved.

    Raises
    ------
    DomainError
        The name ends in neither ``.json`` nor ``.csv`` nor ``.html``.
    """
    target = Path(path)
    if target.suffix not in {".json", ".csv", ".html"}:
        raise DomainError("path", str(path), "its name has to end in .json, .csv or .html", "choose one of them")
    return target


def verify(
    which: str | Iterable[str] | None = None,
    *,
    theorems: Iterable[Theorem] = (),
    thorough: bool = False,
    rng: np.random.Generator | int | None = None,
    on_row: Callable[[Row, int], None] | None = None,
) -> Ledger:
    """Test the statements of the papers, or theorems of one's own, by computation, and return the verdicts.

    Parameters
    ----------
    which : str or iterable of str, optional
        Papers (``"zamani"``) or keys (``"jiang_lip/T3"``), those of `theorems` among them; left out, all of
        `theorems` where there are any, and otherwise all of the papers.
    theorems : iterable of Theorem
        Theorems of one's own.
    thorough : bool
        Some ten times the points.
    rng : Generator or int, optional
        Where the points come from; left out, the seed of the recorded verdicts.
    on_row : callable, optional
        Called with each row and the number of all rows as soon as it is known.

    Returns
    -------
    Ledger
        One row for each statement; those that were done, where it was interrupted.

    Raises
    ------
    DomainError
        A paper or key that there is none of.

    Examples
    --------
    >>> import mechdesign as md
    >>> print(md.verify("ours/M4")[0].verdict)
    holds
    """
    thorough = truth("thorough", thorough)
    if on_row is not None:
        function(
            "on_row", on_row, 2, "it has to be a function of a row and the number of all rows", "give None for none"
        )
    own = {theorem.key: theorem for theorem in own_theorems("theorems", theorems)}
    keys = list(own) if own and which is None else selected(which, own)
    seed = seed_of(rng)
    rows: list[Row] = []
    complete = True
    try:
        for row in _rows(keys, own, thorough, seed):
            rows.append(row)
            if on_row is not None:
                on_row(row, len(keys))
    except KeyboardInterrupt:
        complete = False
    return Ledger(tuple(rows), seed, thorough, complete)


def seed_of(rng: np.random.Generator | int | None) -> int:
    """Return the seed that `rng` asks for; that of the recorded verdicts where it is left out.

    Raises
    ------
    DomainError
        It is no generator and no whole number of 0 or more.
    """
    if rng is None:
        return SEED
    return int(rng.integers(1 << 31)) if isinstance(rng, np.random.Generator) else whole("rng", rng, 0)


def selected(which: str | Iterable[str] | None, own: Iterable[str] = ()) -> list[str]:
    """Return the keys that are asked for, in order, those of one's own last."""
    known = [*statements(), *own]
    if which is None:
        return known
    papers = sorted({key.split("/")[0] for key in known})
    wanted: set[str] = set()
    rule, remedy = "it has to be a paper or the key of a statement, or several", f"use one of {', '.join(papers)}"
    for name in [which] if isinstance(which, str) else entries("which", which, rule, remedy):
        asked = present_key(name) if isinstance(name, str) else name
        found = [key for key in known if asked in (key, key.split("/")[0])]
        if not found:
            # Two hundred keys are no help: the papers, and the keys that are close.
            said = name if isinstance(name, str) else written(name)
            remedy = nearest(said, [*papers, *get_close_matches(said, known, 4, 0.5)])
            raise DomainError("which", name, rule, remedy)
        wanted.update(found)
    return [key for key in known if key in wanted]


def _rows(keys: Sequence[str], own: Mapping[str, Theorem], thorough: bool, seed: int) -> Iterator[Row]:
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    # The functions of theorems of one's own need not reach other processes.
    if len(keys) < WORTH_PROCESSES or cores == 1 or own:
        for key in keys:
            yield _ruled(own[key], thorough, seed) if key in own else ruled(key, thorough, seed)
        return
    from joblib import Parallel, delayed

    # Long before short would need their times; many small batches even out as well.
    work = Parallel(n_jobs=cores, return_as="generator", batch_size=2)
    yield from work(delayed(ruled)(key, thorough, seed) for key in keys)


def ruled(key: str, thorough: bool, seed: int) -> Row:
    """Return the row of one statement."""
    statement = statements()[key]
    if isinstance(statement, NotCheckable):
        return row_of_unchecked(statement)
    return _ruled(statement, thorough, seed)


def _ruled(theorem: Theorem, thorough: bool, seed: int) -> Row:
    return row_of(theorem, referee(theorem, thorough=thorough, seed=seed))
