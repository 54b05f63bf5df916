"""The published optimum of local information privacy, and where it is private."""

from __future__ import annotations

import numpy as np

from mechdesign.domains import Array
from mechdesign.notions import LIP, Notion
from mechdesign.objectives import MMSE, Objective, Separable
from mechdesign.problem import Problem
from mechdesign.theorems.base import Condition, Form, Theorem


def closed_form(problem: Problem, notion: Notion, objective: Objective) -> Array:
    """Return ``q[m, k] = P_k e^-epsilon`` beside the diagonal ``1 - (1 - P_m) e^-epsilon``."""
    prior, low = problem.prior_of_secret, np.exp(-notion.parameter)
    assert prior is not None, "inputs() refuses a problem without one"
    return np.asarray(low * prior + (1.0 - low) * np.eye(problem.n))


def share_of_variance(problem: Problem, notion: Notion, objective: Objective) -> float | None:
    """Return ``Var a (2 e^-epsilon - e^-2 epsilon)``, the error of `closed_form`."""
    if not isinstance(objective, MMSE):
        return None
    low = float(np.exp(-notion.parameter))
    return objective.offset(problem) * low * (2.0 - low)


def _least_prior(problem: Problem, notion: Notion, objective: Objective) -> tuple[float, float]:
    prior, low = problem.prior_of_secret, float(np.exp(-notion.parameter))
    assert prior is not None, "inputs() refuses a problem without one"
    return float(prior.min()), low / (1.0 + low)


#: The printed mechanism is private exactly here: for a rarer input its own column carries too much.
COMMON_ENOUGH = Condition("min prior", "1/(1 + e^epsilon)", _least_prior)

T2 = Theorem(
    key="jiang_lip/T2",
    place="Theorem 2",
    kind="exact optimum",
    words=(
        "For two inputs and every epsilon, Pr(Y=1 | X=0) = P_1 e^-epsilon and Pr(Y=0 | X=1) = P_0 e^-epsilon minimise "
        "the mean squared error under LIP, which is Var X (2 e^-epsilon - e^-2 epsilon)."
    ),
    # Inside the domain every private mechanism is post-processing of this one: it serves every sublinear utility.
    form=Form(LIP, Separable, "utilities that are sums over outputs", inputs=2),
    confirmed=(COMMON_ENOUGH,),
    printed=closed_form,
    matrix=closed_form,
    value=share_of_variance,
)

T3 = Theorem(
    key="jiang_lip/T3",
    place="Theorem 3",
    kind="exact optimum",
    words=(
        "For n inputs and every epsilon, q[m, k] = P_k e^-epsilon with the diagonal 1 - (1 - P_m) e^-epsilon minimises "
        "the mean squared error under LIP, which is Var X (2 e^-epsilon - e^-2 epsilon)."
    ),
    form=Form(LIP, Separable, "utilities that are sums over outputs"),
    confirmed=(COMMON_ENOUGH,),
    printed=closed_form,
    matrix=closed_form,
    value=share_of_variance,
)
