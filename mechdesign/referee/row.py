"""One line of the ledger: a statement and its verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from mechdesign.displays import Block, Lines, Record
from mechdesign.files.table_formats import tabular
from mechdesign.literature import works
from mechdesign.referee.verdict import NOT_SHARP, Ruling
from mechdesign.theorems.base import NotCheckable, Theorem

#: The columns of a row's table, if none are named.
IN_TABLES = ("key", "verdict", "condition", "points", "worst")


@dataclass(frozen=True)
class Row(Record):
    """One statement and its verdict.

    Attributes
    ----------
    key : str
        The paper and the statement, ``"jiang_lip/T2"``.
    paper : str
        The paper's short name.
    place : str
        Where it stands in the paper.
    claim : str
        What it says, in words.
    kind : str
        What kind of claim it is.
    verdict : str
        "holds", "holds under a narrower condition", "misprinted", "false", "inconclusive" or "not checkable".
    condition : str
        Where it holds, where that is less than what it claims.
    counterexample : str
        The plainest failing point that was found, with what failed there.
    points : int
        Points of the claimed domain at which it was tried.
    worst : float
        The largest relative deviation where it holds; of a false claim, the largest violation.
    remark : str
        How it should read where it is wrong and that was found to hold; that its narrower condition is too wide, not
        needed, or true but not sharp (none of these where it is sharp); for what cannot be checked, the reason.
    latex : str
        The formula.
    ranges : str
        From where its points were drawn.
    origin : str
        Where it was published, or that it is not, as far as is known; empty for a statement of a paper.
    """

    key: str
    paper: str
    place: str
    claim: str
    kind: str
    verdict: str
    condition: str
    counterexample: str
    points: int
    worst: float
    remark: str
    latex: str
    ranges: str = ""
    origin: str = ""

    @property
    def heading(self) -> str:
        """The statement and its verdict; of a condition under which it holds, that it does so there."""
        if self.verdict == "false" and self.remark.startswith("the condition ") and NOT_SHARP in self.remark:
            return f"{self.key}: holds under the condition that was given, false as stated"
        return f"{self.key}: {self.verdict}"

    def to_latex(self, columns: Sequence[str] = IN_TABLES, digits: int = 4) -> str:
        """Return the row as a table of LaTeX, as `Ledger.to_latex` does of all rows.

        Parameters
        ----------
        columns : sequence of str
            Which of the attributes.
        digits : int
            Significant ones of each float.
        """
        return tabular([asdict(self)], columns, digits)

    @property
    def source(self) -> str:
        """Authors, title, place and year of the paper; empty of a statement that is in none."""
        return str(works()[self.paper]) if self.paper in works() else ""

    @property
    def tried(self) -> str:
        """Where it stands in the paper, at how many points it was tested, and with what deviation."""
        place = [] if self.place in self.key else [self.place]
        proof = "" if self.verdict == "false" else ", not proved"
        points = [f"tested at {self.points} points{proof}; worst deviation {self.deviation}"] if self.points else []
        return "; ".join((*place, *points))

    @property
    def grounds(self) -> str:
        """Where it holds, how it should read, a counterexample, in one sentence; the claim where there are none."""
        return "; ".join(self.findings) or self.claim

    @property
    def findings(self) -> tuple[str, ...]:
        """Where the statement holds, how it should read, and where it fails, each with its words."""
        corrected = "should read" if self.verdict == "misprinted" else "remark"
        named = (("holds where", self.condition), (corrected, self.remark), ("fails at", self.counterexample))
        return tuple(f"{name}: {words}" for name, words in named if words)

    @property
    def deviation(self) -> str:
        """The largest deviation in one digit; empty where no point was tried."""
        return f"{self.worst:.0e}" if self.points else ""

    def display(self) -> tuple[Block, ...]:
        """Return the verdict with its claim, where it holds, how it should read, where it fails, and what was tried."""
        source = (f"source: {self.source}",) if self.source else ()
        said = (self.tried, f"claim: {self.claim}", *self.findings, *self.particulars, *source)
        return (Lines(self.heading, tuple(filter(None, said))),)

    @property
    def particulars(self) -> tuple[str, ...]:
        """From where its points were drawn, and where it was published if it is no paper's statement."""
        named = (("tried", self.ranges), ("origin", self.origin))
        return tuple(f"{name}: {words}" for name, words in named if words)

    def __str__(self) -> str:
        return self._printed()


def row_of(theorem: Theorem, ruling: Ruling) -> Row:
    """Return the row of a theorem and its ruling."""
    wrong = ruling.verdict != "holds"
    return Row(
        theorem.key,
        theorem.paper,
        theorem.place,
        theorem.words,
        theorem.kind,
        ruling.verdict,
        ruling.condition,
        ruling.counterexample,
        ruling.points,
        ruling.worst,
        "; ".join(filter(None, (ruling.remark, theorem.correction if wrong and ruling.corrected else ""))),
        theorem.latex,
        theorem.family.in_words(),
        theorem.origin,
    )


def row_of_unchecked(statement: NotCheckable) -> Row:
    """Return the row of a statement that no computation can check."""
    words = (statement.place, statement.words, "statement", "not checkable", "", "")
    return Row(statement.key, statement.paper, *words, 0, 0.0, statement.reason, "")
