"""The optimum of local information privacy where one input has most of the prior."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, HistogramMMSE, MutualInformation, Separable
from mechdesign.parameters.checks import Array
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Form, Theorem
from mechdesign.theorems.checks import Check, Equal, OnRays, Published, is_optimal
from mechdesign.theorems.family import Family
from mechdesign.theorems.ours.lip_vertices import levels, mechanism
from mechdesign.theorems.ours.published_lip import asked
from mechdesign.theorems.variables import Choice, Distribution, Real, Vector, Whole

#: The utilities that are sums over the inputs of convex functions of their posteriors, and the squared error.
COVERED = (MMSE, HistogramMMSE, MutualInformation)


def dominated(question: Question) -> Published:
    """Return an output at which all rare inputs are as likely as they may be, and one at which none is.

    The first has mass tau. For the squared error, inputs of larger and of smaller values than the dominant one's are
    likely at two different outputs, of mass tau each.
    """
    prior, low, tau = levels(question)
    dominant = int(prior.argmax())
    rare = np.arange(len(prior)) != dominant
    squares = (1.0 - low) ** 2
    groups, value = [rare], None
    if isinstance(question.objective, MMSE):
        values = question.problem.required_values
        above = values - values[dominant]
        groups = [group for group in (above > 0, above < 0) if group.any()]
        up, down = (float(prior @ np.maximum(sign * above, 0.0)) for sign in (1.0, -1.0))
        value = question.objective.offset(question.problem)
        value -= squares / low * (up**2 + down**2) + 2.0 * squares * up * down
    if isinstance(question.objective, HistogramMMSE):
        spread = float(prior[rare] @ prior[rare] + (1.0 - prior[dominant]) ** 2)
        value = 1.0 - float(prior @ prior) - squares / low * spread
    parts = np.stack([np.where(group, prior / tau, 0.0) for group in [*groups, np.zeros_like(rare)]], axis=1)
    parts[dominant] = 1.0 - parts.sum(axis=0)
    masses = np.array([tau] * len(groups) + [1.0 - tau * len(groups)])
    return Published(mechanism(question, parts, masses), value)


def _largest(question: Question) -> tuple[float, float]:
    prior, _, tau = levels(question)
    return float(prior.max()), 1.0 - tau


def _further(question: Question) -> str | None:
    if isinstance(question.objective, COVERED):
        return None
    return f"it is about {', '.join(kind.__name__ for kind in COVERED)}, not {question.objective.name}"


def _is_cube(question: Question, given: Published) -> Iterator[Check]:
    yield from is_optimal(question, given)
    prior, low, tau = levels(question)
    rare = np.arange(len(prior)) != int(prior.argmax())

    def shares(rays: Array) -> Array:
        lifts = rays / (prior @ rays)
        return np.asarray((lifts[rare] - low) / (1.0 - low) * tau)

    def off_corner(rays: Array) -> Array:
        found = shares(rays)
        return np.asarray(np.abs(found - np.rint(found)).max(axis=0))

    def corners(rays: Array) -> Array:
        return np.full(rays.shape[1], np.unique(np.rint(shares(rays)), axis=1).shape[1])

    what = "at each vertex every rare input is as likely as it may be, or as unlikely"
    yield Equal(OnRays(question.notion, question.problem, off_corner), 0.0, what, scale=1.0)
    yield Equal(OnRays(question.notion, question.problem, corners), 2.0 ** int(rare.sum()), "in all combinations")


# All rare inputs together stay within tau, so the dominant one takes what each of them leaves: their shares
# t = (p/P - 1/E)/(E - 1/E) fill the cube. At a vertex each share is 0 or 1, and 1 with probability tau. Utilities see
# the marginals, and beyond them a convex function of the sum of the shares, largest where they move together; or of
# a sum with both signs, largest where those of one sign move together and those of two signs exclude each other.
M7 = Theorem(
    key="ours/M7",
    place="optimum of LIP with a dominant input",
    origin="not published, as far as we know",
    kind="exact optimum",
    words=(
        "Where one input has probability e^epsilon/(1 + e^epsilon) or more, the likelihoods of the others fill a cube. "
        "Two outputs are optimal for every sum over inputs of convex functions of the posterior, one at which all rare "
        "inputs are as likely as they may be; for the squared error three are, one for the rare inputs of larger and "
        "one for those of smaller values than the dominant one's."
    ),
    latex=(
        r"\text{squared error: } \text{Var} a - \frac{(E-1)^2}{E} (w_+^2 + w_-^2) - \frac{2 (E-1)^2}{E^2} w_+ w_-, "
        r"\quad w_\pm = \sum_j P_j (a_j - a_d)_\pm; \quad \text{histogram: } 1 - \sum_j P_j^2 "
        r"- \frac{(E-1)^2}{E} \left[\sum_{j \ne d} P_j^2 + (1 - P_d)^2\right]"
    ),
    family=Family(
        {
            "n": Whole(2, 5),
            "epsilon": Real(0.05, 3.0),
            "prior": Distribution("n", least=1e-3),
            "values": Vector("n", 0.0, 5.0),
            "objective": Choice((MMSE(), HistogramMMSE(), MutualInformation())),
        },
        subject=asked,
    ),
    printed=dominated,
    test=_is_cube,
    claimed=(Condition("max prior", "e^epsilon/(1 + e^epsilon)", _largest),),
    form=Form(LIP, Separable, "utilities that are sums over outputs", further=_further),
)
