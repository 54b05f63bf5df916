"""The published optimum of local information privacy, and where it is private."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mechdesign.notions import LIP
from mechdesign.objectives import MMSE, HistogramMMSE
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Form, Theorem
from mechdesign.theorems.checks import Check, Equal, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real, Vector, Whole


def asked(point: Point) -> Question:
    """Return the question of the least squared error under LIP."""
    return Question(Problem(prior=point.prior, values=point.values), LIP(point.epsilon), MMSE())


def closed_form(question: Question) -> Published:
    """Return ``q[m, k] = P_k e^-epsilon`` beside the diagonal ``1 - (1 - P_m) e^-epsilon``, and its squared error.

    The error is ``Var a (2 e^-epsilon - e^-2 epsilon)``, a the values.
    """
    problem = question.problem
    prior, low = problem.required_prior_of_secret, float(np.exp(-question.notion.parameter))
    value = question.objective.offset(problem) * low * (2.0 - low) if isinstance(question.objective, MMSE) else None
    return Published(np.asarray(low * prior + (1.0 - low) * np.eye(problem.n)), value)


def _least_prior(question: Question) -> tuple[float, float]:
    prior, low = question.problem.required_prior_of_secret, float(np.exp(-question.notion.parameter))
    return float(prior.min()), low / (1.0 + low)


#: The printed mechanism is private exactly here: for a rarer input its own column carries too much.
COMMON_ENOUGH = Condition("min prior", "1/(1 + e^epsilon)", _least_prior)

_LATEX = r"q_{mk} = P_k e^{-\epsilon}, \quad q_{mm} = 1 - (1 - P_m) e^{-\epsilon}"

T2 = Theorem(
    key="jiang_lip/T2",
    place="Theorem 2",
    kind="exact optimum",
    words=(
        "For two inputs and every epsilon, Pr(Y=1 | X=0) = P_1 e^-epsilon and Pr(Y=0 | X=1) = P_0 e^-epsilon minimise "
        "the mean squared error under LIP, which is Var X (2 e^-epsilon - e^-2 epsilon)."
    ),
    latex=r"q_0 = P_1 e^{-\epsilon}, \quad q_1 = P_0 e^{-\epsilon}",
    family=Family(
        {"epsilon": Real(0.05, 4.0), "prior": Distribution(2), "values": Vector(2, 0.0, 5.0)},
        subject=asked,
    ),
    printed=closed_form,
    test=is_optimal,
    narrower=(COMMON_ENOUGH,),
    form=Form(LIP, MMSE, "the mean squared error", inputs=2),
)

T3 = Theorem(
    key="jiang_lip/T3",
    place="Theorem 3",
    kind="exact optimum",
    words=(
        "For n inputs and every epsilon, q[m, k] = P_k e^-epsilon with the diagonal 1 - (1 - P_m) e^-epsilon minimises "
        "the mean squared error under LIP, which is Var X (2 e^-epsilon - e^-2 epsilon)."
    ),
    latex=_LATEX,
    family=Family(
        {"n": Whole(2, 4), "epsilon": Real(0.05, 5.0), "prior": Distribution("n"), "values": Vector("n", 0.0, 5.0)},
        subject=asked,
    ),
    printed=closed_form,
    test=is_optimal,
    narrower=(COMMON_ENOUGH,),
    form=Form(LIP, MMSE, "the mean squared error"),
)


T5 = Theorem(
    key="jiang_lip/T5",
    place="Theorem 5",
    kind="exact optimum",
    words=(
        "For every epsilon, the mechanism of Theorem 3 minimises the squared error of the histogram, summed over the "
        "data, under LIP."
    ),
    latex=_LATEX,
    family=Family(
        {"n": Whole(2, 4), "epsilon": Real(0.05, 5.0), "prior": Distribution("n")},
        subject=lambda point: Question(Problem(prior=point.prior), LIP(point.epsilon), HistogramMMSE()),
    ),
    printed=closed_form,
    test=is_optimal,
    narrower=(COMMON_ENOUGH,),
    form=Form(LIP, HistogramMMSE, "the squared error of the histogram"),
)


def tight_at_two(question: Question) -> Published:
    """Return the flips at which ``lambda_0/q_1 = lambda_1/q_0 = e^epsilon``: two linear equations."""
    prior, exp = question.problem.required_prior, float(np.exp(question.notion.parameter))
    common, rare = prior
    q_zero, q_one = np.linalg.solve([[common, exp - rare], [exp - common, rare]], [common, rare])
    return Published(np.array([[1.0 - q_zero, q_zero], [q_one, 1.0 - q_one]]))


T2R = Theorem(
    key="jiang_lip/T2r",
    place="Section IV-A, after Theorem 2",
    kind="exact optimum",
    words=(
        "The optimum of two inputs is where F_1 = F_4 = e^epsilon: the flips are as unlikely as the constraints allow "
        "(while q_0 + q_1 is at most 0.5)."
    ),
    latex=r"\frac{\lambda_0}{q_1} = \frac{\lambda_1}{q_0} = e^{\epsilon}",
    family=Family({"epsilon": Real(0.05, 4.0), "prior": Distribution(2), "values": Vector(2, 0.0, 5.0)}, subject=asked),
    # The error grows with the flips while q_0 + q_1 is at most 1; at the printed optimum that sum is e^-epsilon.
    printed=tight_at_two,
    test=is_optimal,
    narrower=(COMMON_ENOUGH,),
)


def _output_masses(point: Point) -> Array:
    """Return ``lambda_0`` and ``lambda_1`` of the published optimum, as they are displayed."""
    p_one, exp = point.prior[1], point.E
    zero = p_one * (1 - p_one) / exp + (1 - p_one) * (1 - p_one / exp)
    one = p_one * (1 - (1 - p_one) / exp) + (1 - p_one) * p_one / exp
    return np.array([zero, one])


def _are_output_masses(point: Point, given: Array) -> Iterable[Check]:
    flips = np.array([point.prior[1], point.prior[0]]) / point.E
    matrix = np.array([[1 - flips[0], flips[0]], [flips[1], 1 - flips[1]]])
    yield Equal(given, point.prior @ matrix, "the probabilities of the outputs")
    yield Equal(given, point.prior, "they are the prior")


LAMBDA = Theorem(
    key="jiang_lip/lambda",
    place="Section IV-A, after Proposition 3",
    kind="identity",
    words="Under the published optimum of two inputs the output has the distribution of the input.",
    latex=r"\lambda_0 = 1 - P_1, \quad \lambda_1 = P_1",
    family=Family({"prior": Distribution(2), "E": Real(1.0, 50.0)}, exact=True),
    printed=_output_masses,
    test=_are_output_masses,
)


def _mass_of_output(point: Point) -> Array:
    """Return ``lambda_k`` as it stands in the text: the parentheses close before the division by ``e^epsilon``."""
    p = point.prior
    return np.asarray(p * (1 - (1 - p)) / point.E + (1 - p) * p / point.E)


def _mended_mass(point: Point) -> Array:
    p = point.prior
    return np.asarray(p * (1 - (1 - p) / point.E) + (1 - p) * p / point.E)


LAMBDA_K = Theorem(
    key="jiang_lip/lambda-k",
    place="Section IV-B, after Theorem 3",
    kind="identity",
    words=(
        "Under the published optimum of n inputs lambda_k = P_k (1 - (1 - P_k))/e^epsilon + sum_{j != k} P_j "
        "P_k/e^epsilon, which is P_k."
    ),
    latex=r"\lambda_k = \frac{P_k (1 - (1 - P_k))}{e^{\epsilon}} + \sum_{j \ne k} \frac{P_j P_k}{e^{\epsilon}} = P_k",
    family=Family({"n": Whole(2, 4), "prior": Distribution("n", 0.02), "E": Real(1.05, 50.0)}, exact=True),
    printed=_mass_of_output,
    test=lambda point, given: (Equal(given, point.prior, "the probabilities of the outputs"),),
    corrected=_mended_mass,
    correction="P_k (1 - (1 - P_k)/e^epsilon) in the first term; as printed it is P_k/e^epsilon",
)


def example(question: Question) -> Published:
    """Return the matrix of the worked example, with epsilon for ``e^epsilon`` as printed."""
    scale = question.notion.parameter
    return Published(
        np.array(
            [
                [1.0 - 0.9 / scale, 0.2 / scale, 0.7 / scale],
                [0.1 / scale, 1.0 - 0.8 / scale, 0.7 / scale],
                [0.1 / scale, 0.2 / scale, 1.0 - 0.3 / scale],
            ]
        )
    )


T3EX = Theorem(
    key="jiang_lip/T3ex",
    place="Section IV-B, example after Theorem 3",
    kind="exact optimum",
    words=(
        "For the values 1, 2, 3 with priors 0.1, 0.2, 0.7 the optimum is q_11 = 1 - 0.9/epsilon, q_22 = 1 - "
        "0.8/epsilon, q_33 = 1 - 0.3/epsilon, and 0.1/epsilon, 0.2/epsilon, 0.7/epsilon beside the diagonal."
    ),
    latex=r"q_{11} = 1 - \frac{0.9}{\epsilon}, \quad q_{21} = q_{31} = \frac{0.1}{\epsilon}",
    family=Family(
        {"epsilon": Real(0.05, 5.0)},
        subject=lambda point: Question(
            Problem(prior=[0.1, 0.2, 0.7], values=[1.0, 2.0, 3.0]), LIP(point.epsilon), MMSE()
        ),
    ),
    printed=example,
    test=is_optimal,
    corrected=closed_form,
    correction="the denominators are e^epsilon; the mechanism is then private from epsilon = ln 9 on",
    corrected_domain=(COMMON_ENOUGH,),
)
