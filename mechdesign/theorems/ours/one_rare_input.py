"""The optimum of local information privacy where one input is rarer than 1/(1 + e^epsilon) and the others are not."""

from __future__ import annotations

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, ErrorProbability, HistogramMMSE, MutualInformation, Separable
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family
from mechdesign.theorems.ours.lip_vertices import levels, mechanism, utilities
from mechdesign.theorems.ours.published_lip import asked
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole


def one_rare(question: Question) -> Published:
    """Return the mechanism with one output for each common input, and one for the rare input s and a common one.

    With the posteriors ``P/E + (1 - 1/E) r``, the outputs have ``r = e_j`` at mass P_j, but the j* whose exchange gains
    most gives ``tau - P_s`` of its mass away: the additional output has ``r_s = P_s/tau``, ``r_j* = 1 - P_s/tau`` and
    mass tau.
    """
    prior, _, tau = levels(question)
    rare = int(prior.argmin())
    share = float(prior[rare]) / tau
    alone = np.delete(np.eye(len(prior)), rare, axis=1)
    beside = (1.0 - share) * alone
    beside[rare] = share
    of_alone, of_beside = utilities(question, alone), utilities(question, beside)
    best = int(np.argmax(of_beside - (1.0 - share) * of_alone))
    masses = np.delete(prior, rare)
    masses[best] -= tau - prior[rare]
    utility = float(masses @ of_alone + tau * of_beside[best])
    matrix = mechanism(question, np.column_stack([alone, beside[:, best]]), np.append(masses, tau))
    return Published(matrix, question.objective.from_utility(utility, question.problem))


def _further(question: Question) -> str | None:
    return "it is about two inputs or more, not 1" if question.problem.n == 1 else None


def _second_rarest(question: Question) -> tuple[float, float]:
    prior, _, tau = levels(question)
    return float(np.sort(prior)[1]), tau


def _rarest(question: Question) -> tuple[float, float]:
    prior, _, tau = levels(question)
    return tau, float(prior.min())


#: In this order: where two inputs are rare, that is said.
ONE_RARE = (
    Condition("second smallest prior", "1/(1 + e^epsilon)", _second_rarest),
    Condition("1/(1 + e^epsilon)", "min prior", _rarest),
)

# The vertices are v_j, with r = e_j, and w_j, with r = (P_s/tau) e_s + (1 - P_s/tau) e_j. The mean of r is P iff the
# masses of the w_j add up to tau and v_j has mass P_j - (1 - P_s/tau) times that of w_j. This is not negative however
# tau is divided, as P_j >= tau: a linear function of the division is largest with all of it at one j.
M6 = Theorem(
    key="ours/M6",
    place="optimum of LIP with one rare input",
    origin="not published, as far as we know",
    kind="exact optimum",
    words=(
        "Where one input s is rarer than tau = 1/(1 + e^epsilon) and no other is, the optimum of every sublinear "
        "utility has an output for each of the others, with posterior v_j, and one of mass tau, with posterior w_j*, "
        "that reveals s beside the j* of largest h(w_j) - (1 - P_s/tau) h(v_j)."
    ),
    latex=(
        r"\sum_{j \ne s} P_j h(v_j) - (\tau - P_s) h(v_{j^*}) + \tau h(w_{j^*}), \quad "
        r"v_j = \frac{P}{E} + \left(1 - \frac{1}{E}\right) e_j, \quad "
        r"w_j = \frac{P}{E} + \left(1 - \frac{1}{E}\right) \left(\frac{P_s}{\tau} e_s "
        r"+ \left(1 - \frac{P_s}{\tau}\right) e_j\right)"
    ),
    family=Family(
        {
            "n": Whole(2, 5),
            "epsilon": Real(0.2, 5.0),
            "prior": Distribution("n"),
            "values": Vector("n", 0.0, 5.0),
            "objective": Choice((MMSE(), HistogramMMSE(), MutualInformation(), ErrorProbability())),
        },
        subject=asked,
    ),
    printed=one_rare,
    test=is_optimal,
    claimed=ONE_RARE,
    form=Form(LIP, Separable, "utilities that are sums over outputs", further=_further),
)
