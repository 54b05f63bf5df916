"""Which printed formulas a figure evaluates: the statements of the ledger that have them, with place and LaTeX."""

from __future__ import annotations

from dataclasses import dataclass

from mechdesign.theorems import Theorem, statements

_ONE_BIT = ("jiang_bounded_prior/T4", "jiang_bounded_prior/T5")
_NO_PRIOR = ("jiang_bounded_prior/Ex1a", "jiang_bounded_prior/Ex1c")
_MANY = ("jiang_lip/T3", "jiang_lip/mLDP")
_THEOREM_1 = ("yoshida/T1i", "yoshida/T1iii")
_SURFACES = ("yoshida/C2", "yoshida/T4")
#: Keys of the statements by the key of the figure; a figure without numbers has none.
EVALUATED: dict[str, tuple[str, ...]] = {
    "geumlek/fig2a": ("geumlek/4b", "geumlek/T7", "geumlek/O10a", "geumlek/O19"),
    "geumlek/fig2b": ("geumlek/kRR", "geumlek/cost"),
    "geumlek/fig2c": ("geumlek/T8", "geumlek/cost"),
    "geumlek/fig3a": ("geumlek/4b",),
    "geumlek/fig3b": ("geumlek/4b",),
    "geumlek/fig3c": ("geumlek/T7",),
    "geumlek/fig3d": ("geumlek/T7",),
    "jiang_bounded_prior/fig2": (*_NO_PRIOR, "jiang_bounded_prior/T4"),
    "jiang_bounded_prior/fig4": _ONE_BIT,
    "jiang_bounded_prior/fig5": (*_NO_PRIOR, *_ONE_BIT),
    "jiang_lip/fig2": ("jiang_lip/Ex1a", "jiang_lip/Ex1b", "jiang_lip/Ex1d"),
    "jiang_lip/fig5": ("jiang_lip/eq42", "jiang_lip/T2", "jiang_lip/P4a"),
    "jiang_lip/fig6a": _MANY,
    "jiang_lip/fig6b": _MANY,
    "jiang_lip/fig7": ("jiang_lip/T5", "jiang_lip/mLDP", "jiang_lip/OUE"),
    "jiang_lip/fig8a": _MANY,
    "jiang_lip/fig8b": _MANY,
    "jiang_lip/fig9a": _MANY,
    "jiang_lip/fig9b": _MANY,
    "yoshida/fig2_lower": _THEOREM_1,
    "yoshida/fig2_upper": _THEOREM_1,
    "yoshida/fig3_lower": _SURFACES,
    "yoshida/fig3_upper": _SURFACES,
    "yoshida/fig4": ("yoshida/T1i", "yoshida/Tab2", "yoshida/J"),
    "yoshida/table2": ("yoshida/Tab2", "yoshida/J"),
    "zamani/fig2": ("zamani/eq2",),
    "zamani/fig3": ("zamani/eq2",),
    "zamani/fig4": ("zamani/VA",),
    "zamani/fig5": ("zamani/Ex1", "zamani/feas"),
}


@dataclass(frozen=True)
class Formula:
    """A printed formula: where it stands in the paper, in LaTeX, and under which key it is ruled on."""

    key: str
    place: str
    latex: str


def formulas(figure: str) -> tuple[Formula, ...]:
    """Return the printed formulas behind a figure, by the figure's key.

    Examples
    --------
    >>> [formula.place for formula in formulas("yoshida/fig2_upper")]
    ['Theorem 1 (i) and (ii)', 'Theorem 1 (iii)']
    """
    known = statements()
    found = ((key, known[key]) for key in EVALUATED.get(figure, ()))
    return tuple(Formula(key, it.place, it.latex) for key, it in found if isinstance(it, Theorem))
