"""The ledger: one row for each statement of the papers, with the verdict that the referee computed."""

from __future__ import annotations

import json
import re
from collections import Counter
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import numpy as np

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.displays.blocks import MOST_RESULTS
from mechdesign.displays.text import plain
from mechdesign.errors import DomainError
from mechdesign.files.atomic_writes import write
from mechdesign.files.kinds import FileKind
from mechdesign.files.tables import OfRows
from mechdesign.literature import source_of
from mechdesign.referee import Row
from mechdesign.referee.ledger_page import TITLE, page
from mechdesign.theorems import Theorem, home, recorded, statements
from mechdesign.theorems.record import Recorded

#: The seed of the recorded verdicts.
SEED = 0


COLUMNS = tuple(field.name for field in fields(Row))
LEDGER_FILE = FileKind(
    "the ledger",
    (".json", ".csv", ".html", ".tex"),
    (
        r'\{\s*"seed": -?\d+,\s*"thorough": (true|false),',
        rf"<!DOCTYPE html>\n<html [^>]*><head>(<meta [^>]*>)*<title>{re.escape(TITLE)}</title>",
        rf"{re.escape(','.join(COLUMNS))}\r?\n",
        rf"% table of {re.escape(', '.join(COLUMNS))}\n",
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

    def missing_conditions(self) -> dict[str, tuple[str, ...]]:
        """Return the conditions that several statements lack, with the keys of these, the most frequent first.

        One that a proof uses without saying so makes more than one row fail.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.verify(["jiang_lip/T2", "jiang_lip/T3ex", "jiang_lip/T4"]).missing_conditions()
        {'min prior >= 1/(1 + e^epsilon)': ('jiang_lip/T2', 'jiang_lip/T3ex')}
        """
        found: dict[str, list[str]] = {}
        for row in self.rows:
            for condition in filter(None, row.condition.split(" and ")):
                # Where a family draws E itself, its conditions are in E.
                found.setdefault(re.sub(r"\bE\b", "e^epsilon", condition), []).append(row.key)
        several = {condition: tuple(keys) for condition, keys in found.items() if len(keys) > 1}
        return dict(sorted(several.items(), key=lambda item: -len(item[1])))

    def story(self) -> tuple[Block, ...]:
        """Return each statement with its verdict and the grounds, the papers, shared conditions, and the counts."""
        papers = tuple(f"{name}: {source_of(name)}" for name in dict.fromkeys(row.paper for row in self.rows))
        each = (block for row in self.rows for block in row.display())
        missing = tuple(f"{words}: {len(keys)}, {', '.join(keys)}" for words, keys in self.missing_conditions().items())
        further = (("Papers", papers), ("Conditions that several statements lack", missing))
        return (*each, *(Lines(head, said) for head, said in further if said), Lines("Verdicts", (self.summary(),)))

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
        elif target.suffix in (".csv", ".tex"):
            return super().save(target, overwrite=overwrite)
        else:
            text = self.to_json()
        return write(target, text)


def page_or_data(path: str | Path) -> Path:
    """Return where a ledger can be saved.

    Raises
    ------
    DomainError
        The name ends in neither ``.json`` nor ``.csv``, ``.tex`` or ``.html``.
    """
    target = Path(path)
    if target.suffix not in LEDGER_FILE.suffixes:
        raise DomainError("path", str(path), "its name has to end in .json, .csv, .html or .tex", "choose one of them")
    return target
