"""The definitions of privacy, their equivalent forms, and which implies which."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mechdesign.notions import LDP, LIP
from mechdesign.objectives import MutualInformation
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, OnRays, Optimum, Remainder
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Channel, Distribution, Real, Whole


def _apart(ratios: Array) -> float:
    return float(np.abs(np.log(ratios)).max())


def _definitions(point: Point) -> tuple[float, ...]:
    """Return the level of (1), the information of (2), and the levels of (3), (4), (5) and (7), each as printed."""
    prior, matrix = point.prior, point.matrix
    joint = prior[:, None] * matrix
    output = joint.sum(axis=0)
    posterior = joint / output
    return (
        float(np.log((matrix[:, None, :] / matrix[None, :, :]).max())),
        float(np.sum(joint * np.log(joint / (prior[:, None] * output)))),
        _apart(prior[:, None] / posterior),
        _apart(joint / (prior[:, None] * output)),
        _apart(output / matrix),
        _apart(matrix / output),
    )


def _are_the_levels(point: Point, given: tuple[float, ...]) -> Iterable[Check]:
    problem = Problem(prior=point.prior)
    yield Equal(given[0], LDP(1.0).level(point.matrix, problem).value, "the level of LDP by (1)")
    yield Equal(given[1], MutualInformation().value(point.matrix, problem), "the information by (2)")
    level = LIP(1.0).level(point.matrix, problem).value
    for place, found in zip(("(3)", "(4)", "(5)", "(7)"), given[2:], strict=True):
        yield Equal(found, level, f"the level of LIP by {place}")


DEF = Theorem(
    key="jiang_lip/Def1-3",
    place="Definitions 1 to 3, eqs. (1) to (5) and (7)",
    kind="definition",
    words=(
        "LDP bounds the ratios of an output's probabilities, MIP the mutual information, LIP the ratios of prior and "
        "posterior, which are those of joint and product, and of the output's probability with and without the input."
    ),
    latex=r"e^{-\epsilon} \le \frac{\Pr(X=x)}{\Pr(X=x \mid Y=y)} = \frac{\Pr(Y=y)}{\Pr(Y=y \mid X=x)} \le e^{\epsilon}",
    # A prior without zeros, and outputs that occur: the ratios are not defined otherwise.
    family=Family(
        {
            "n": Whole(2, 4),
            "outputs": Whole(2, 4),
            "prior": Distribution("n"),
            "matrix": Channel("n", "outputs", least=1e-3),
        }
    ),
    printed=_definitions,
    test=_are_the_levels,
)


def _information_bound(point: Point, given: float) -> Iterable[Check]:
    question = Question(Problem(prior=point.prior), LIP(point.epsilon), MutualInformation())
    yield AtMost(Optimum(question), given, "the largest information under LIP")


P1 = Theorem(
    key="jiang_lip/P1",
    place="Proposition 1",
    kind="implication",
    words="Under epsilon-LIP the mutual information of input and output is at most epsilon.",
    latex=r"I(X; Y) \le \epsilon",
    family=Family({"n": Whole(2, 4), "epsilon": Real(0.05, 4.0), "prior": Distribution("n")}),
    printed=lambda point: point.epsilon,
    test=_information_bound,
    loose="the information is at most epsilon tanh(epsilon/2): the chord of r ln r over the ratios r, at their mean 1",
)


def _of_ldp(columns: Array) -> Array:
    return np.asarray(np.log(columns.max(axis=0) / columns.min(axis=0)))


def _levels(notion: LDP | LIP, prior: Array) -> OnRays:
    """Return the largest level of LIP of the notion's extreme columns."""
    return OnRays(notion, Problem(prior=prior), lambda columns: np.abs(np.log(columns / (prior @ columns))).max(axis=0))


def _sandwich(point: Point, given: tuple[float, float]) -> Iterable[Check]:
    epsilon = point.epsilon
    lip = LIP(epsilon)
    yield AtMost(OnRays(lip, Problem(prior=point.prior), _of_ldp), given[0], "the level of LDP under LIP")
    yield AtMost(_levels(LDP(epsilon), point.prior), given[1], "the level of LIP under LDP")
    # Neither can be less: the first is reached where one of two inputs has the prior 1/(1 + e^epsilon), the second
    # in the limit where one has none.
    rare = float(1.0 / (1.0 + np.exp(epsilon)))
    reached = OnRays(lip, Problem(prior=[rare, 1.0 - rare]), _of_ldp)
    yield Equal(reached, given[0], "the largest level of LDP under LIP")

    def nearly(rare: float) -> tuple[OnRays, float]:
        return _levels(LDP(epsilon), np.array([rare, 1.0 - rare])), given[1]

    yield Remainder(nearly, 1.0, 0.01, "the level of LIP under LDP, one input being rare")


T1 = Theorem(
    key="jiang_lip/T1",
    place="Theorem 1",
    kind="implication",
    words="Every epsilon-LIP mechanism is 2 epsilon-LDP, and every epsilon-LDP mechanism is epsilon-LIP.",
    latex=r"\epsilon\text{-LDP} \Rightarrow \epsilon\text{-LIP} \Rightarrow 2\epsilon\text{-LDP}",
    family=Family({"n": Whole(2, 4), "epsilon": Real(0.05, 4.0), "prior": Distribution("n")}),
    printed=lambda point: (2.0 * point.epsilon, point.epsilon),
    # The levels of a mechanism are the largest of its columns', and every private column is a sum of extreme ones.
    test=_sandwich,
)


def _ratios(p_one: float, matrix: Array) -> Array:
    """Return prior over posterior of two inputs and two outputs."""
    joint = np.array([[1.0 - p_one], [p_one]]) * matrix
    return np.asarray(np.array([[1.0 - p_one], [p_one]]) / (joint / joint.sum(axis=0)))


def strictest(p_one: float, matrix: Array) -> float:
    """Return the least epsilon at which two responses are LIP, from the posteriors."""
    return _apart(_ratios(p_one, matrix))


def band(p_one: float, q_zero: float, q_one: float) -> tuple[Array, float, float]:
    """Return the ratios F_1 to F_4 of two flips with the bounds ``e^-epsilon`` and ``e^epsilon`` at their own level."""
    zero = (1.0 - p_one) * (1.0 - q_zero) + p_one * q_one
    one = (1.0 - p_one) * q_zero + p_one * (1.0 - q_one)
    ratios = np.array([zero / q_one, one / (1.0 - q_one), zero / (1.0 - q_zero), one / q_zero])
    level = strictest(p_one, np.array([[1.0 - q_zero, q_zero], [q_one, 1.0 - q_one]]))
    return ratios, float(np.exp(-level)), float(np.exp(level))


def in_band(p_one: float, matrix: Array, given: tuple[Array, float, float]) -> Iterable[Check]:
    """Return the checks of constraints (ratios, low, high) that two responses just meet at their own level."""
    ratios, low, high = given
    yield Equal(np.sort(ratios), np.sort(_ratios(p_one, matrix), axis=None), "the ratios of prior and posterior")
    widest = float(max(ratios.max() / high, low / ratios.min()))
    yield Equal(widest, 1.0, "the widest ratio over its bound, at the level of the responses")


EQ19 = Theorem(
    key="jiang_lip/eq19",
    place="eq. (19)",
    kind="definition",
    words="Two flips q_0 and q_1 are epsilon-LIP where four ratios lie between e^-epsilon and e^epsilon.",
    latex=(
        r"e^{-\epsilon} \le \frac{\lambda_0}{q_1}, \frac{\lambda_1}{1 - q_1}, \frac{\lambda_0}{1 - q_0}, "
        r"\frac{\lambda_1}{q_0} \le e^{\epsilon}"
    ),
    family=Family({"p_one": Real(0.02, 0.98), "q_zero": Real(0.02, 0.98), "q_one": Real(0.02, 0.98)}),
    printed=lambda point: band(point.p_one, point.q_zero, point.q_one),
    test=lambda point, given: in_band(
        point.p_one, np.array([[1.0 - point.q_zero, point.q_zero], [point.q_one, 1.0 - point.q_one]]), given
    ),
)
