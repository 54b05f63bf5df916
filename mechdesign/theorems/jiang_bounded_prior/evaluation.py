"""A sentence of Section IV, which Fig. 4 carries: the less is known of the prior, the larger the error."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LDP, LIP
from mechdesign.objectives import MMSE
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Optimum
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.binary import SHARE, PriorRange, bit, bounded, within
from mechdesign.theorems.variables import Real


def _ordered(at: Point, given: float) -> Iterator[Check]:
    p, (a, b) = float(within(at.range, at.share)), map(float, at.range)
    # A wider range around the same one, by a share of the room on either side.
    wider = np.array([a * (1.0 - at.more), b + (1.0 - b) * at.more])
    # A level that is off by the given factor would be another demand.
    notions = (LIP(at.epsilon), bounded(at.epsilon, at.range), bounded(at.epsilon, wider), LDP(given * at.epsilon))
    errors = [Optimum(Question(bit(p), notion, MMSE())) for notion in notions]
    for better, worse, what in zip(errors[:-1], errors[1:], ("LIP", "a range", "a wider range"), strict=True):
        yield AtMost(better, worse, f"the error where the prior is known as {what} does, against the next")


FIG4 = Theorem(
    key="jiang_bounded_prior/fig4",
    place="Section IV, Fig. 4",
    kind="comparison",
    words=(
        "LIP has the least error and WC-LIP the largest, bounded-prior LIP lies between, and the more uncertain the "
        "prior the larger the error; here with the best mechanism under each, and an estimate that knows the prior."
    ),
    latex=r"\mathcal{E}_{LIP} \le \mathcal{E}_{BP} \le \mathcal{E}_{WC}",
    # With less known, more is demanded. An estimate that assumes the middle of the range adds its own error.
    family=Family(
        {"epsilon": Real(0.05, 4.0), "range": PriorRange(0.01, 0.99), "share": SHARE, "more": Real(0.0, 1.0)}
    ),
    printed=lambda at: 1.0,
    test=_ordered,
)
