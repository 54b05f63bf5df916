"""The Smooth Categorical mechanism, k-ary randomised response beside it, and the experiment on three profiles."""

from __future__ import annotations

import numpy as np

from mechdesign.baselines.response_matrix import response_matrix
from mechdesign.notions import LDP, ProfileDP
from mechdesign.objectives import MaxOffDiagonal
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Condition, Form, Theorem
from mechdesign.theorems.checks import AtMost, Check, Equal, Optimum, Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.geumlek.programs import (
    asked,
    categorical_program,
    chain,
    least,
    of_graph,
    reported,
    smooth_flips,
    smooth_matrices,
)
from mechdesign.theorems.variables import Channel, Real, Seed, Whole


def smooth_categorical(question: Question) -> Published:
    """Return an optimum of program (6) with its value."""
    notion = question.notion
    assert isinstance(notion, ProfileDP), "its family asks of ProfileDP"
    matrix = smooth_matrices(notion.profiles, notion.edges, notion.epsilon)
    return Published(matrix, question.objective.value(matrix, question.problem))


def _solves(question: Question, given: Published) -> list[Check]:
    notion = question.notion
    assert isinstance(notion, ProfileDP), "its family asks of ProfileDP"
    found = list(is_optimal(question, given))
    if notion.profiles.shape[1] == 2:
        flips = smooth_flips(notion.profiles[:, 1], notion.edges, notion.epsilon)
        found.append(AtMost(Optimum(question), flips.max(), "(6) against (5), which flips both bits alike", scale=1.0))
    return found


T8 = Theorem(
    key="geumlek/T8",
    place="Theorem 8, Algorithm 4",
    kind="exact optimum",
    words=(
        "The Smooth Categorical mechanism, a matrix for each profile by program (6), is private and has the least "
        "largest off-diagonal entry. For one bit it does no worse than the Smooth One Bit mechanism."
    ),
    latex=r"P_i A^i \le e^{\epsilon} P_j A^j",
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
    printed=smooth_categorical,
    test=_solves,
)

#: Table 1: the profiles of Categorical-Chain-3.
TABLE = np.array([[0.2, 0.3, 0.4, 0.1], [0.3, 0.3, 0.3, 0.1], [0.4, 0.4, 0.1, 0.1]])


def in_the_chain(point: Point, table: Array = TABLE) -> Question:
    """Return the question of (6) for a chain of three profiles."""
    return asked(ProfileDP(point.epsilon, table, chain(3)))


def of_local(point: Point) -> Question:
    """Return the question of the least largest off-diagonal entry under LDP."""
    return Question(Problem(n=point.n), LDP(point.epsilon), MaxOffDiagonal())


def k_ary(question: Question) -> Published:
    """Return k-ary randomised response; beside the diagonal it has ``1/(e^epsilon + d - 1)``."""
    n, low = question.problem.n, float(np.exp(-question.notion.parameter))
    return Published(response_matrix(n, question.notion.parameter), low / (1.0 + (n - 1) * low))


def costs(profiles: Array, matrices: list[Array]) -> Array:
    """Return (8): for each category the largest error of its probability over profiles."""
    made = np.array([profile @ matrix for profile, matrix in zip(profiles, matrices, strict=True)])
    return np.asarray(np.abs(profiles - made).max(axis=0))


def _baseline(question: Question, given: Published) -> list[Check]:
    found = list(is_optimal(question, given))
    if question.problem.n == 4 and given.value is not None:
        # |d P_j - 1| is 0.6 at most, in every category.
        found.append(Equal(costs(TABLE, [given.matrix] * 3), np.full(4, 0.6 * given.value), "the costs for Table 1"))
    return found


KRR = Theorem(
    key="geumlek/kRR",
    place="Section 6.1, baselines",
    kind="exact optimum",
    words=(
        "The baseline, k-ary randomised response, has the least largest off-diagonal entry under LDP. For Table 1 it "
        "costs 0.6/(e^epsilon + 3) in every category: it exploits no structure."
    ),
    latex=r"\frac{1}{e^{\epsilon} + d - 1}",
    # From 1 = Q[y, y] + sum of the others <= (e^epsilon + d - 1) max over the others.
    family=Family({"n": Whole(2, 5), "epsilon": Real(0.05, 4.0)}, subject=of_local),
    printed=k_ary,
    test=_baseline,
    form=Form(LDP, MaxOffDiagonal, "the largest probability of a wrong report"),
)


def baseline_costs(point: Point) -> Array:
    """Return the costs of k-ary randomised response for Table 1: ``max_i |4 P_ij - 1| / (e^epsilon + 3)``."""
    return np.asarray(np.abs(4.0 * TABLE - 1.0).max(axis=0) / (np.exp(point.epsilon) + 3.0))


def _cheaper(point: Point, given: Array) -> list[Check]:
    entries, off, rows, limits, sums = categorical_program(TABLE, chain(3), point.epsilon)
    question = in_the_chain(point)
    largest = question.objective.value(smooth_matrices(TABLE, chain(3), point.epsilon), question.problem)
    # Among the optima of (6), the least of the largest cost, then the least cost of category 3.
    error = reported(TABLE).reshape(12, entries)
    wide = np.hstack([np.vstack([rows, np.eye(entries)[off]]), np.zeros((len(rows) + len(off), 1))])
    most = np.concatenate([limits, np.full(len(off), largest)])
    found = []
    for chosen in (np.arange(12), np.arange(2, 12, 4)):
        above, target = np.hstack([error[chosen], -np.ones((len(chosen), 1))]), TABLE.ravel()[chosen]
        below = np.hstack([-error[chosen], -np.ones((len(chosen), 1))])
        solved = least(
            np.eye(entries + 1)[-1],
            np.vstack([wide, above, below]),
            np.concatenate([most, target, -target]),
            np.hstack([sums, np.zeros((12, 1))]),
        )
        found.append(float(solved[-1]))
    rarest = TABLE[:, 3]
    return [
        Equal(costs(TABLE, [response_matrix(4, point.epsilon)] * 3), given, "the baseline's costs"),
        AtMost(found[0], given.min(), "the largest cost of the best optimum of (6) against the baseline's", scale=0.1),
        # What flows into and out of category 4, at the largest off-diagonal entry.
        AtMost(
            largest * np.maximum(1.0 - rarest, 3.0 * rarest).max(),
            found[1],
            "category 4 costs no more than category 3",
            scale=0.1,
        ),
    ]


def _late(point: Point) -> tuple[float, float]:
    grown = float(np.exp(point.epsilon))
    return 2.0 * grown**3 + 15.0 * grown**2 - 8.0 * grown, 12.0


COST = Theorem(
    key="geumlek/cost",
    place="eq. (8), Figures 2(b) and 2(c)",
    kind="comparison",
    words=(
        "For Table 1 the category that reveals least of the profile costs no more than the one that reveals most, and "
        "the baseline, k-ary randomised response, costs at least as much as an optimum of program (6) in every "
        "category."
    ),
    latex=r"cost_j = \max_i |P^i_j - (P^i A^i)_j|",
    family=Family({"epsilon": Real(0.05, 1.5)}),
    printed=baseline_costs,
    test=_cheaper,
    # In category 3 every optimum t of (6) costs 1.2 t at least, and 1.2 t is the baseline's cost at this edge.
    narrower=(Condition("2 e^(3 epsilon) + 15 e^(2 epsilon) - 8 e^epsilon", "12", _late),),
)
