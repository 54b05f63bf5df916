"""A lower bound on program (6) of geumlek, sharp for one bit and one edge."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import ProfileDP
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum
from mechdesign.theorems.family import Family
from mechdesign.theorems.geumlek.programs import of_graph
from mechdesign.theorems.variables import Channel, Real, Seed, Whole


def pairwise_bound(question: Question) -> float:
    """Return the largest, over pairs at distance m and categories, of what the pair asks of the category's flips.

    ``(P_ic - e^(m epsilon) P_jc) / ((d - 1) P_ic + e^(m epsilon) (1 - P_jc))``, or 0.
    """
    notion = question.notion
    assert isinstance(notion, ProfileDP), "its family asks of ProfileDP"
    k, d = notion.profiles.shape
    apart = np.full((k, k), np.inf)
    np.fill_diagonal(apart, 0.0)
    for i, j in notion.edges:
        apart[i, j] = apart[j, i] = 1.0
    for via in range(k):
        apart = np.minimum(apart, apart[:, [via]] + apart[[via]])
    worst = 0.0
    for i, j in zip(*np.nonzero(np.isfinite(apart) & (apart > 0)), strict=True):
        grown, ours, theirs = np.exp(apart[i, j] * notion.epsilon), notion.profiles[i], notion.profiles[j]
        worst = max(worst, float(((ours - grown * theirs) / ((d - 1) * ours + grown * (1.0 - theirs))).max()))
    return worst


def _below(question: Question, given: float) -> list[Check]:
    notion = question.notion
    assert isinstance(notion, ProfileDP), "its family asks of ProfileDP"
    found: list[Check] = [AtMost(given, Optimum(question), "the bound against the optimum of (6)", scale=0.1)]
    if notion.profiles.shape == (2, 2):
        found.append(Equal(given, Optimum(question), "it is sharp for one bit and one edge", scale=0.1))
    return found


LB6 = Theorem(
    key="ours/geumlek-6lb",
    place="lower bound on program (6) of geumlek",
    origin="not published, as far as we know; it bounds the program (6) of Geumlek, Chaudhuri 2019",
    kind="lower bound",
    words=(
        "The largest off-diagonal entry of a private mechanism is at least a fraction of two profiles' probabilities "
        "of one category, for every pair of profiles that m edges join; for one bit and one edge that is the optimum."
    ),
    latex=r"t \ge \frac{P_{ic} - e^{m\epsilon} P_{jc}}{(d-1) P_{ic} + e^{m\epsilon}(1 - P_{jc})}",
    # With entries beside the diagonal at most t, category c is reported under i with probability at least
    # P_ic (1 - (d-1) t), under j with at most P_jc + (1 - P_jc) t; m edges allow a ratio of e^(m epsilon).
    family=Family(
        {
            "k": Whole(2, 3),
            "d": Whole(2, 4),
            "epsilon": Real(0.05, 3.0),
            "profiles": Channel("k", "d", least=0.01),
            "graph": Seed(),
        },
        subject=of_graph,
    ),
    printed=pairwise_bound,
    test=_below,
)
