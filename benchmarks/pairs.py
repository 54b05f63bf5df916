"""Every pair of fifteen notions and twelve objectives at one size: how many are certified, and how many are refused."""

from __future__ import annotations

import warnings
import zlib
from itertools import product
from typing import Any

import numpy as np

import mechdesign as md
from benchmarks.measuring import Part, Row, apart
from mechdesign.testing import sized

#: Notions whose inputs are not categories, and those that came after the table of 180 pairs was agreed.
OTHER_INPUTS, LATER = {"CentralizedIP", "ProfileDP", "WeightedTV"}, {"GLeakage", "InteriorPML", "SibsonLeakage"}
NOTIONS = tuple(name for name in sized.NOTIONS if name not in OTHER_INPUTS | LATER)
OBJECTIVES = (
    "MMSE",
    "AbsoluteError",
    "HammingLoss",
    "ErrorProbability",
    "MutualInformation",
    "HistogramMMSE",
    "KLDivergence",
    "TotalVariation",
    "InformationDesign",
    "WorstCaseLoss",
    "MaxOffDiagonal",
    "ChernoffExponent",
)
#: Inputs, and seconds for each design; in the short form.
FULL, SHORT = (60, 8.0), (12, 4.0)
#: Of 180 pairs at most so many have a wider gap than 1e-3 or are refused, are refused, have a wider gap than 1e-2.
PROMISED = {"not certified to 1e-3": 20, "refused": 4, "wider than 1e-2": 10}


def asked(notion: str, n: int, seconds: float) -> dict[str, Any]:
    """Return the gap of a notion with each objective, or the first words of its refusal."""
    found: dict[str, Any] = {}
    for objective in OBJECTIVES:
        name = f"{notion}, {objective}, n = {n}"
        question = sized.some_pair(notion, objective, n, np.random.default_rng(zlib.crc32(name.encode())))
        assert question is not None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[objective] = md.design(*question, gap=1e-6, time_limit=seconds).gap
            except md.MechdesignError as error:
                found[objective] = f"{type(error).__name__}: {error}"[:200]
    return found


def measure(quick: bool) -> Part:
    """Return how many pairs are refused, and how many keep a wide gap."""
    n, seconds = SHORT if quick else FULL
    table: dict[str, dict[str, Any]] = {}
    for notion in NOTIONS:
        outcome = apart("benchmarks.pairs:asked", {"notion": notion, "n": n, "seconds": seconds}, 60.0 + 36.0 * seconds)
        table[notion] = outcome.value or dict.fromkeys(OBJECTIVES, outcome.why)
    gaps = [table[notion][objective] for notion, objective in product(NOTIONS, OBJECTIVES)]
    wide = [gap for gap in gaps if isinstance(gap, float)]
    counted = {
        "not certified to 1e-3": sum(not isinstance(gap, float) or gap > 1e-3 for gap in gaps),
        "refused": len(gaps) - len(wide),
        "wider than 1e-2": sum(gap > 1e-2 for gap in wide),
    }
    work = f"pairs of {len(gaps)}, n = {n}, {seconds:g} s each"
    rows = [Row(f"{work}: {name}", counted[name], "", most, counted[name] <= most) for name, most in PROMISED.items()]
    return Part("pairs", rows, {"n": n, "seconds": seconds, "gaps": table})
