"""The published optimum of local information privacy serves every utility, exactly where it is private."""

from __future__ import annotations

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, ErrorProbability, HistogramMMSE, MutualInformation, Separable
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.lip_optimum import COMMON_ENOUGH, closed_form
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole


def asked(point: Point) -> Question:
    """Return the question of the point's objective under LIP."""
    return Question(Problem(prior=point.prior, values=point.values), LIP(point.epsilon), point.objective)


M2 = Theorem(
    key="ours/M2",
    place="universal optimum of LIP",
    origin=(
        "the mechanism is that of Theorem 3 of Jiang, Li, Tandon 2018; that every private one is post- "
        "processing of it is not published, as far as we know"
    ),
    kind="exact optimum",
    words=(
        "Where no input is rarer than 1/(1 + e^epsilon), the posteriors that LIP allows form the simplex of those of "
        "q[m, k] = P_k e^-epsilon, q[m, m] = 1 - (1 - P_m) e^-epsilon: every private mechanism is post-processing of "
        "it, and it maximises every utility that is a sum over outputs of a sublinear function."
    ),
    latex=r"q_{mk} = P_k e^{-\epsilon}, \quad q_{mm} = 1 - (1 - P_m) e^{-\epsilon}",
    family=Family(
        {
            "n": Whole(2, 4),
            "epsilon": Real(0.7, 5.0),
            "prior": Distribution("n", least=0.05),
            "values": Vector("n", 0.0, 5.0),
            "objective": Choice((MMSE(), HistogramMMSE(), MutualInformation(), ErrorProbability())),
        },
        subject=asked,
    ),
    printed=closed_form,
    test=is_optimal,
    # With t_x = (p_x/P_x - 1/E)/(E - 1/E) a posterior p is allowed iff 0 <= t <= 1 and P.t = 1/(1+E); if no P_x is
    # below that, the vertices of this set are the n posteriors of the mechanism.
    claimed=(COMMON_ENOUGH,),
    form=Form(LIP, Separable, "utilities that are sums over outputs"),
)
