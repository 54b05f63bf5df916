"""What a recomputed figure of a paper is: its curves, which of them are private, and what is left of its conclusion."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.figures.evaluated import Formula, formulas
from mechdesign.files.tables import Tabular
from mechdesign.literature import cited
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure

#: What a curve is: the formula or mechanism that the paper prints; a mechanism that is private, certified or known; or
#: a bound, beyond which no mechanism lies.
Kind = Literal["published", "feasible", "bound"]
#: What private and optimal mechanisms leave of what the paper concludes from the figure. Kept: it holds between them at
#: every point, and what is published is private or within `FAITHFUL` of the feasible curve beside it. Reversed: it
#: holds at no point. Weakened: anything between.
Conclusion = Literal["kept", "weakened", "reversed", "cannot be recomputed"]
#: How far a published point that is not private may be from the feasible one, relative to it, in a conclusion kept.
FAITHFUL = 0.01
COLUMNS = ("figure", "curve", "kind", "x", "y", "private")


def literal(text: str) -> str:
    r"""Return a text of which Markdown reads no letter as its own.

    Examples
    --------
    >>> literal("P_X|Y, L*")
    'P\\_X\\|Y, L\\*'
    """
    return re.sub(r"([\\`*_{}\[\]<>$|#])", r"\\\1", text)


class Behind(NamedTuple):
    """A mechanism behind a point of a curve: its matrix, its guarantee, and its inputs."""

    matrix: Any
    notion: Notion
    problem: Problem


@dataclass(frozen=True, eq=False)
class Curve:
    """One line of a figure: the points ``(x, y)``, and for each whether a private mechanism has it.

    Attributes
    ----------
    name : str
        As the legend calls it.
    kind : {"published", "feasible", "bound"}
        Whether the paper prints it, a private mechanism has it, or none lies beyond it.
    x, y : ndarray, shape (k,)
        In the units of the figure's axes; NaN where there is nothing.
    private : ndarray of bool, shape (k,)
        Whether the mechanism behind the point keeps the notion of the figure, by an exact audit.
    beside : str
        The name of the feasible curve that a published one is compared with, or that a bound is the bound of; empty
        where there is none.
    behind : tuple of tuple of Behind
        For each point the mechanisms behind it; empty where there are none to audit.
    """

    name: str
    kind: Kind
    x: Array
    y: Array
    private: Array
    beside: str = ""
    behind: tuple[tuple[Behind, ...], ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in get_args(Kind):
            raise DomainError("kind", self.kind, "it has to be published, feasible or bound", "give one of them")
        if not len(self.x) == len(self.y) == len(self.private):
            lengths = f"{len(self.x)}, {len(self.y)} and {len(self.private)}"
            raise DomainError("x, y, private", lengths, "they have to be of one length", "give one of each for a point")
        for name in ("x", "y"):
            object.__setattr__(self, name, frozen(np.asarray(getattr(self, name), dtype=float)))


@dataclass(frozen=True, eq=False)
class PaperFigure(Tabular):
    """A figure of a paper, recomputed from the paper's definitions.

    Attributes
    ----------
    key : str
        The paper's key and the figure's, ``"jiang_lip/fig5"`` say.
    shows : str
        What it shows, in a sentence.
    axes : tuple of str
        What stands on the horizontal and the vertical axis, with units.
    curves : tuple of Curve
    conclusion : {"kept", "weakened", "reversed", "cannot be recomputed"}
        What is left of the paper's conclusion.
    because : str
        The sentence that says so, with the numbers that show it.
    setting : str
        n, prior, levels and data, as a caption says them.
    log_y : bool
        Whether the vertical axis is logarithmic.
    better : {"lower", "higher", ""}
        Which way of the vertical axis is better; empty where neither is.
    """

    key: str
    shows: str
    axes: tuple[str, str]
    curves: tuple[Curve, ...]
    conclusion: Conclusion
    because: str
    setting: str = ""
    log_y: bool = False
    better: Literal["lower", "higher", ""] = ""

    @property
    def paper(self) -> str:
        """Authors, title, place and year."""
        return str(cited(self.key.partition("/")[0]))

    def curve(self, name: str) -> Curve:
        """Return the curve of that name."""
        for curve in self.curves:
            if curve.name == name:
                return curve
        raise DomainError("name", name, f"{self.key} has no such curve", f"give one of {[c.name for c in self.curves]}")

    @property
    def name(self) -> str:
        """What the paper calls it: "Figure 2, upper part", say."""
        found = re.fullmatch(r".*/(fig|table)([0-9]+[a-z]?)_?(.*)", self.key)
        assert found is not None, "keys of figures name a figure or a table"
        kind, number, part = found.groups()
        return f"{'Figure' if kind == 'fig' else 'Table'} {number}{part and f', {part} part'}"

    @property
    def title(self) -> str:
        """Its name with the paper's authors and year, in one line."""
        work = cited(self.key.partition("/")[0])
        last = [author.rpartition(" ")[2] for author in work.authors]
        authors = f"{last[0]} et al." if len(last) > 2 else " and ".join(last)
        return f"{self.name} of {authors}, {work.year}"

    @property
    def formulas(self) -> tuple[Formula, ...]:
        """The printed formulas that were evaluated, with their places in the paper."""
        return formulas(self.key)

    def __str__(self) -> str:
        """Return in plain text what the figure shows, its setting, its formulas and its conclusion."""
        lines = [f"{self.name}: {self.shows}", self.setting]
        lines += [f"Evaluated, {each.place} ({each.key}): {each.latex}" for each in self.formulas]
        return "\n".join([*filter(None, lines), f"Conclusion {self.conclusion}. {self.because}"])

    def _repr_markdown_(self) -> str:
        """Return what the figure shows, its formulas and its conclusion, in Markdown for a notebook."""
        parts = [f"**{self.name}.** {literal(self.shows)}.", literal(self.setting)]
        if self.formulas:
            parts += ["Evaluated for it:"]
            parts += ["\n".join(f"- {literal(each.place)} (`{each.key}`): ${each.latex}$" for each in self.formulas)]
        return "\n\n".join([*filter(None, parts), f"**Conclusion {self.conclusion}.** {literal(self.because)}"])

    @property
    def published_is_private(self) -> str:
        """Whether the published mechanisms are private: "yes", "no", "in part", or "-" where none is drawn."""
        flags = np.concatenate(
            [c.private[~np.isnan(c.y)] for c in self.curves if c.kind == "published"] or [np.zeros(0)]
        )
        if not len(flags):
            return "-"
        return "yes" if flags.all() else "in part" if flags.any() else "no"

    @property
    def difference(self) -> float:
        """The largest ``|published - feasible| / |feasible|`` over the curves that are compared; NaN where none is."""
        found = []
        for curve in self.curves:
            if curve.kind != "published" or not curve.beside:
                continue
            other = self.curve(curve.beside)
            at = np.interp(curve.x, other.x, other.y)
            found.append(np.abs(curve.y - at) / np.maximum(np.abs(at), np.finfo(float).tiny))
        return float(np.nanmax(np.concatenate(found))) if found else math.nan

    def plot(self, ax: Axes | Figure | None = None) -> Figure:
        """Draw the curves, points that are not private with hollow markers, and return the figure."""
        from mechdesign.plotting.paper_figures import paper_figure

        return paper_figure(self, ax)

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        return [
            dict(zip(COLUMNS, (self.key, c.name, c.kind, float(x), float(y), bool(private)), strict=True))
            for c in self.curves
            for x, y, private in zip(c.x, c.y, c.private, strict=True)
        ]
