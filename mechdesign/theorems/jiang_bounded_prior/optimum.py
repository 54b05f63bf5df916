"""The published optimum for one bit under bounded-prior LIP, and where it is private."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LDP, BoundedPriorLIP
from mechdesign.objectives import MMSE
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import Check, Published, is_optimal
from mechdesign.theorems.family import Family
from mechdesign.theorems.jiang_bounded_prior.binary import (
    BALANCED,
    PriorRange,
    asked,
    asked_at_known_prior,
    channel,
    published_flips,
    range_of,
)
from mechdesign.theorems.jiang_lip.lip_optimum import COMMON_ENOUGH
from mechdesign.theorems.variables import Real


def published(question: Question) -> Published:
    """Return ``q_0 = b/(b - a + e^epsilon)`` and ``q_1 = (1 - a)/(b - a + e^epsilon)``."""
    low = float(np.exp(-question.notion.parameter))
    return Published(channel(published_flips(range_of(question.notion), low)))


T4 = Theorem(
    key="jiang_bounded_prior/T4",
    place="Theorem 4",
    kind="exact optimum",
    words=(
        "Where the probability of a 1 lies in [a, b], flipping a 0 with probability b/(b - a + e^epsilon) and a 1 with "
        "(1 - a)/(b - a + e^epsilon) minimises the mean squared error under bounded-prior LIP; here the estimator "
        "knows the prior."
    ),
    latex=r"q_0^* = \frac{b}{b - a + e^{\epsilon}}, \quad q_1^* = \frac{1 - a}{b - a + e^{\epsilon}}",
    family=Family({"epsilon": Real(0.05, 4.0), "range": PriorRange(), "share": Real(0.02, 0.98)}, subject=asked),
    printed=published,
    test=is_optimal,
    narrower=BALANCED,
    form=Form(BoundedPriorLIP, MMSE, "the mean squared error", inputs=2),
)


def _both_ends(question: Question) -> tuple[Published, Published]:
    prior, low = question.problem.required_prior, float(np.exp(-question.notion.parameter))
    ends = ((prior[1], prior[1]), (0.0, 1.0))
    known, unknown = (Published(channel(published_flips(end, low))) for end in ends)
    return known, unknown


def _both_optimal(question: Question, given: tuple[Published, Published]) -> Iterator[Check]:
    known, unknown = given
    yield from is_optimal(question, known)
    yield from is_optimal(Question(question.problem, LDP(question.notion.parameter), MMSE()), unknown)


T4R = Theorem(
    key="jiang_bounded_prior/T4r",
    place="Section III-C, after Theorem 4",
    kind="exact optimum",
    words=(
        "At a = b = P the mechanism of Theorem 4 is the optimum of LIP, flips P/e^epsilon and (1 - P)/e^epsilon; at "
        "a = 0, b = 1 it is that of LDP, both flips 1/(1 + e^epsilon)."
    ),
    latex=(
        r"a = b = P: (q_0, q_1) = \left(\frac{P}{e^{\epsilon}}, \frac{1 - P}{e^{\epsilon}}\right); \quad "
        r"(a, b) = (0, 1): q_0 = q_1 = \frac{1}{1 + e^{\epsilon}}"
    ),
    family=Family({"epsilon": Real(0.05, 4.0), "prior": Real(0.01, 0.99)}, subject=asked_at_known_prior),
    printed=_both_ends,
    test=_both_optimal,
    narrower=(COMMON_ENOUGH,),
)
