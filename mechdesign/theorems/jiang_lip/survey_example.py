"""The worked example of a survey of 100 people, one in ten infected."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.notions import LDP, LIP
from mechdesign.objectives import MMSE, InformationDesign
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Private, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.jiang_lip.context_free import unbiased_error
from mechdesign.theorems.jiang_lip.lip_optimum import COMMON_ENOUGH
from mechdesign.theorems.jiang_lip.privacy_notions import band, in_band, strictest
from mechdesign.theorems.variables import Real

PEOPLE = 100
SURVEY = Problem(prior=[0.9, 0.1], values=[0.0, 1.0])
PRIOR = np.array([0.9, 0.1])

_EPSILON = Family({"epsilon": Real(0.05, 4.0)})


def response(p: float, q: float) -> Array:
    """Return the channel that reports 1 for 0 with probability q, and 0 for 1 with probability p."""
    return np.array([[1.0 - q, q], [p, 1.0 - p]])


def survey_error(matrix: Array) -> float:
    """Return the expected squared error of the unbiased estimate of how many people are infected."""
    return float(PEOPLE * PRIOR @ unbiased_error(matrix))


def _response_error(point: Point) -> tuple[float, float]:
    """Return the two sides as printed: with equal flips the first divides by zero."""
    exp = float(np.exp(point.epsilon))
    p = q = 1.0 / (exp + 1.0)
    return PEOPLE * p * (1.0 - p) / (p - q) ** 2, 100.0 * exp / (exp + 1.0) ** 2


def _response_error_corrected(point: Point) -> tuple[float, float]:
    exp = float(np.exp(point.epsilon))
    p = q = 1.0 / (exp + 1.0)
    return PEOPLE * p * (1.0 - p) / (1.0 - p - q) ** 2, 100.0 * exp / (exp - 1.0) ** 2


def _is_response_error(point: Point, given: tuple[float, float]) -> Iterable[Check]:
    found = survey_error(response_matrix(2, point.epsilon))
    yield Equal(given[0], found, "the error in p and q")
    yield Equal(given[1], found, "the error in epsilon")


EX1A = Theorem(
    key="jiang_lip/Ex1a",
    place="Example 1, E_LDP",
    kind="identity",
    words=(
        "With p = q = 1/(e^epsilon + 1) the unbiased estimate of the number of infected among 100 people has the error "
        "N p (1 - p)/(p - q)^2 = 100 e^epsilon/(e^epsilon + 1)^2."
    ),
    latex=r"\frac{N p (1 - p)}{(p - q)^2} = \frac{100 e^{\epsilon}}{(e^{\epsilon} + 1)^2}",
    family=_EPSILON,
    printed=_response_error,
    test=_is_response_error,
    corrected=_response_error_corrected,
    correction="the denominators are (1 - p - q)^2 and (e^epsilon - 1)^2: p and q are probabilities of a flip",
)


def _half(point: Point) -> Published:
    exp = float(np.exp(point.epsilon))
    return Published(response(0.5, 1.0 - exp / 2.0), 25.0 / (0.5 - exp / 2.0) ** 2)


def _is_best_survey(point: Point, given: Published) -> Iterable[Check]:
    notion = LDP(point.epsilon)
    yield Private(given.matrix, SURVEY, notion, "the responses are private")
    if given.matrix.min() < 0:
        return
    yield Equal(given.value or 0.0, survey_error(given.matrix), "the error of the responses")
    # Both frequencies have one variance, and that of one report is its error about the input and the input's own.
    least = Optimum(Question(SURVEY, notion, InformationDesign("A")))
    yield Equal(2.0 * ((given.value or 0.0) / PEOPLE + PRIOR.prod()), least, "the error is the least")
    plain = survey_error(response_matrix(2, point.epsilon))
    yield AtMost(given.value or 0.0, plain, "it is smaller than that of randomised response", strictly=True)


EX1B = Theorem(
    key="jiang_lip/Ex1b",
    place="Example 1, E_Opt-LDP",
    kind="exact optimum",
    words=(
        "Under LDP the error of the unbiased estimate is least at p = 0.5 and q = 1 - e^epsilon/2, where it is "
        "25/(0.5 - e^epsilon/2)^2, less than that of randomised response."
    ),
    latex=r"q^* = 1 - \frac{e^{\epsilon}}{2}, \quad p^* = 0.5, \quad \frac{25}{(0.5 - e^{\epsilon}/2)^2}",
    family=_EPSILON,
    # q is negative beyond epsilon = ln 2, and before that (1 - p)/q is above e^epsilon. Randomised response is optimal:
    # every private pair is post-processing of it.
    printed=_half,
    test=_is_best_survey,
)


def _channel(point: Point) -> Array:
    return response(point.p, point.q)


def _example_band(point: Point) -> tuple[Array, float, float]:
    """Return the four ratios and their bounds as printed."""
    zero, one = np.array([1.0 - point.infected, point.infected]) @ _channel(point)
    epsilon = strictest(point.infected, _channel(point))
    return np.array([zero / (1 - point.q), zero / point.q, one / (1 - point.p), one / point.p]), -epsilon, epsilon


def _is_band(point: Point, given: tuple[Array, float, float]) -> Iterable[Check]:
    return in_band(point.infected, _channel(point), given)


EX1C = Theorem(
    key="jiang_lip/Ex1c",
    place="Example 1, constraints of LIP",
    kind="definition",
    words=(
        "Responses are epsilon-LIP where Pr(Y=0)/(1-q), Pr(Y=0)/q, Pr(Y=1)/(1-p) and Pr(Y=1)/p lie between -epsilon "
        "and epsilon."
    ),
    latex=(
        r"-\epsilon \le \frac{\Pr(Y=0)}{1-q}, \frac{\Pr(Y=0)}{q}, \frac{\Pr(Y=1)}{1-p}, \frac{\Pr(Y=1)}{p} \le \epsilon"
    ),
    family=Family({"infected": Real(0.02, 0.98), "p": Real(0.02, 0.98), "q": Real(0.02, 0.98)}),
    printed=_example_band,
    test=_is_band,
    corrected=lambda point: band(point.infected, point.q, point.p),
    correction=(
        "the bounds are e^-epsilon and e^epsilon; and the ratios of the flips are Pr(Y=0)/p and Pr(Y=1)/q, as p is the "
        "probability of the output 0"
    ),
)


def _lip_survey(question: Question) -> Published:
    exp = float(np.exp(question.notion.parameter))
    return Published(response(0.9 / exp, 0.1 / exp), (10.0 * exp - 1.0) / 0.64 / PEOPLE)


def _lip_survey_corrected(question: Question) -> Published:
    exp = float(np.exp(question.notion.parameter))
    return Published(response(0.9 / exp, 0.1 / exp), 9.0 * (2.0 * exp - 1.0) / exp**2 / PEOPLE)


def _is_best_estimate(question: Question, given: Published) -> Iterable[Check]:
    yield from is_optimal(question, given)
    plain = survey_error(response_matrix(2, question.notion.parameter))
    yield AtMost(PEOPLE * (given.value or 0.0), plain, "it is smaller than that of randomised response", strictly=True)


EX1D = Theorem(
    key="jiang_lip/Ex1d",
    place="Example 1, E_LIP",
    kind="exact optimum",
    words=(
        "Under LIP q = P_1 e^-epsilon and p = P_0 e^-epsilon minimise the mean squared error of the number of "
        "infected, which is (10 e^epsilon - 1)/0.64, much less than under LDP."
    ),
    latex=r"q^* = P_1/e^{\epsilon}, \quad p^* = P_0/e^{\epsilon}, \quad \frac{10 e^{\epsilon} - 1}{0.64}",
    family=Family({"epsilon": Real(0.05, 4.0)}, subject=lambda point: Question(SURVEY, LIP(point.epsilon), MMSE())),
    # The print is N q (1 - q)/(p - q)^2, which grows with epsilon. Below epsilon = ln 9 the printed responses are not
    # private; the least error there is 9 - (E - 1)^2/E, E = e^epsilon.
    printed=_lip_survey,
    test=_is_best_estimate,
    corrected=_lip_survey_corrected,
    is_another=True,
    correction="the mean squared error is 9 (2 e^epsilon - 1) e^-2 epsilon, and that from epsilon = ln 9 on",
    corrected_domain=(COMMON_ENOUGH,),
)
