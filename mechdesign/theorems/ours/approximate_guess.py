"""The least probability of a wrong guess under (epsilon, delta)-LDP: delta discloses, the rest is the optimum of LDP.

Let ``s_k`` be the sum of the k largest probabilities, k the best number and ``V = E s_k / (E + k - 1)``. Then
``lambda_x = (E P_x - V)^+ / (E - 1)`` add up to V, and ``lambda <= P`` as ``V >= P_x``. The notion at the event "y = x"
gives ``Q[x, x] <= E Q[x', x] + delta``. With ``f_xx' >= 0`` that add up to ``P_x - lambda_x`` over x' and are at most
``lambda_x' / E``, which exist as ``P_x - lambda_x <= (V - lambda_x) / E``, the sum of ``P_x Q[x, x]`` is at most
``sum_xy lambda_x Q[x, y] + delta sum_x (P_x - lambda_x) = V + delta (1 - V)``.
"""

from __future__ import annotations

import numpy as np

from mechdesign.notions import ApproximateLDP
from mechdesign.objectives import ErrorProbability
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem
from mechdesign.question import Question
from mechdesign.theorems.base import Form, Theorem
from mechdesign.theorems.checks import Published, is_optimal
from mechdesign.theorems.family import Family, Point
from mechdesign.theorems.variables import Distribution, Real, Whole


def response_among(prior: Array, ratio: float) -> tuple[Array, float]:
    """Return the best randomised response among the likeliest inputs, shape (n, n), and how often it is the input.

    Parameters
    ----------
    prior : ndarray, shape (n,)
    ratio : float
        ``e^epsilon``.
    """
    n, order = len(prior), np.argsort(-prior, kind="stable")
    right = ratio * np.cumsum(prior[order]) / (ratio + np.arange(n))
    k = int(np.argmax(right)) + 1
    matrix = np.zeros((n, n))
    # An input that is never reported has an output at random.
    matrix[:, order[:k]] = 1.0 / k
    matrix[order[:k, None], order[:k]] = (1.0 + (ratio - 1.0) * np.eye(k)) / (ratio + k - 1.0)
    return matrix, float(right[k - 1])


def guessed(question: Question) -> Published:
    """Return the mixture of disclosure and randomised response, with its probability of error."""
    assert isinstance(question.notion, ApproximateLDP), "the form is about ApproximateLDP"
    prior, delta = question.problem.required_prior, question.notion.delta
    matrix, right = response_among(prior / prior.sum(), float(np.exp(question.notion.epsilon)))
    return Published(delta * np.eye(len(prior)) + (1.0 - delta) * matrix, (1.0 - delta) * (1.0 - right))


def asked(point: Point) -> Question:
    """Return the point's question."""
    return Question(Problem(prior=point.prior), ApproximateLDP(point.epsilon, point.delta), ErrorProbability())


def _of_inputs(question: Question) -> str | None:
    if question.problem.prior is None:
        return "it is about a prior"
    return None if question.problem.data_of_input is None else "it is about inputs that are the data themselves"


APPROXIMATE_GUESS = Theorem(
    key="ours/approximate-guess",
    place="wrong guesses under (epsilon, delta)-LDP",
    kind="exact optimum",
    words=(
        "Under (epsilon, delta)-LDP the least probability that the input is guessed wrongly is (1 - delta) times that "
        "under epsilon-LDP, (1 - delta) (1 - max_k E s_k / (E + k - 1)), with s_k the sum of the k largest "
        "probabilities: disclose the input with probability delta, and else respond at random among the k likeliest."
    ),
    latex=r"(1 - \delta) \left(1 - \max_k \frac{E s_k}{E + k - 1}\right)",
    origin="not published, as far as we know; proved at the head of its file",
    family=Family(
        {
            "n": Whole(2, 5),
            "epsilon": Real(0.02, 4.0),
            "delta": Real(0.01, 0.95),
            "prior": Distribution("n", least=0.002),
        },
        subject=asked,
    ),
    printed=guessed,
    test=is_optimal,
    form=Form(ApproximateLDP, ErrorProbability, "the probability of a wrong guess", further=_of_inputs),
)
