"""The optimum of bounded-prior LIP for two inputs: every range of priors, every epsilon, every utility."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import BoundedPriorLIP
from mechdesign.objectives import MMSE, ErrorProbability, MutualInformation, Separable, TotalVariation
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_bounded_prior.binary import (
    PriorRange,
    asked,
    channel,
    published_flips,
    range_of,
)
from mechdesign.theorems.variables import Choice, Real


def exact_flips(a: float, b: float, low: float) -> tuple[float, float]:
    """Return the flips of the optimum for priors of a 1 in ``[a, b]``; `low` is ``e^-epsilon``.

    Those of the published theorem where both ends are balanced; otherwise the rarer input is flipped with
    ``1/(1 + e^epsilon)``, and the common one so that it binds at the end where the rarer is rarest.
    """
    half = low / (1.0 + low)
    if a < (1.0 - b) * low:
        return (low - a) / ((1.0 - a) * (1.0 + low)), half
    if 1.0 - b < a * low:
        return half, (low - (1.0 - b)) / (b * (1.0 + low))
    first, second = published_flips((a, b), low)
    return float(first), float(second)


def exact(question: Question) -> Published:
    """Return the mechanism whose two columns are the extreme rays of the cone."""
    return Published(channel(exact_flips(*range_of(question.notion), float(np.exp(-question.notion.parameter)))))


def _asked_of_any(at: Point) -> Question:
    question = asked(at)
    return Question(question.problem, question.notion, at.objective)


# With r the ratio of a column's two entries, each of the four inequalities is worst at one end of the range: an entry
# is at most E times the mass where it is the larger one and the mass the least, and so on. They leave 1/R_- <= r <= R_+
# with R_+ = min((E-a)/(1-a), b/(1/E-1+b)) and R_- = min((E-1+b)/b, (1-a)/(1/E-a)): a cone of two rays. Two columns
# along them with sum (1, 1) make a mechanism, and every column is a mixture of its two, so every private mechanism is
# post-processing of it.
M12 = Theorem(
    key="ours/M12",
    place="exact binary optimum of bounded-prior LIP",
    origin=(
        "corrects the optimum for two inputs of Jiang, Li, Tandon 2019; where it fails, the other formula is "
        "not published, as far as we know"
    ),
    kind="exact optimum",
    words=(
        "For two inputs and every range [a, b] of the prior, the mechanism along the two extreme rays of the columns "
        "maximises every sublinear utility at every prior: it is the published one where a e^epsilon >= 1 - b and "
        "(1 - b) e^epsilon >= a, and flips the rarer input with probability 1/(1 + e^epsilon) elsewhere."
    ),
    latex=(
        r"(q_0, q_1) = \left(\frac{R_+ - 1}{R_+ R_- - 1}, \frac{R_- - 1}{R_+ R_- - 1}\right), \quad "
        r"R_+ = \min\left(\frac{E - a}{1 - a}, \frac{b}{1/E - 1 + b}\right), \quad "
        r"R_- = \min\left(\frac{E - 1 + b}{b}, \frac{1 - a}{1/E - a}\right)"
    ),
    family=Family(
        {
            "epsilon": Real(0.05, 4.0),
            "range": PriorRange(),
            "share": Real(0.02, 0.98),
            "objective": Choice(
                (MMSE(), MutualInformation(), ErrorProbability(), TotalVariation(first=[1, 0], second=[0, 1]))
            ),
        },
        subject=_asked_of_any,
    ),
    printed=exact,
    test=is_optimal,
    form=Form(BoundedPriorLIP, Separable, "utilities that are sums over outputs", inputs=2),
)
