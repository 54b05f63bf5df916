"""A parameter of one's own whose axes are secrets has an entry for each of them, or is refused."""

from dataclasses import dataclass

import numpy as np
import pytest

import mechdesign as md
from mechdesign.parameters import Matrix, Real


@dataclass(frozen=True)
class ByPairs(md.Notion):
    """Pr(y | s) <= e^(epsilon weight[s, t]) Pr(y | t); it compares only the secrets that the weight has rows for."""

    epsilon: float
    weight: np.ndarray
    domains = {"epsilon": Real(low=0.0), "weight": Matrix(Real(low=0.0), square=True, hollow=True)}
    axes = {"weight": ("secrets", "secrets")}

    def _pairs(self):
        return [(s, t) for s in range(len(self.weight)) for t in range(len(self.weight)) if s != t]

    def cone(self, problem):
        rows = [
            np.exp(self.epsilon * self.weight[s, t]) * problem.channel[t] - problem.channel[s] for s, t in self._pairs()
        ]
        return md.Cone.of_rows(np.array(rows))

    def level(self, matrix, problem):
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        found = max(float(np.log(seen[s] / seen[t]).max()) / self.weight[s, t] for s, t in self._pairs())
        return md.Level(found, (0, 1), 0)

    def holds_exactly(self, numerators, problem):
        return self.level(numerators / numerators.sum(axis=1, keepdims=True), problem).value <= self.epsilon


@pytest.mark.parametrize("weight", [[[0, 1], [1, 0]], np.ones((5, 5)) - np.eye(5)])
def test_a_weight_of_other_secrets_is_refused(weight):
    survey = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    with pytest.raises(md.DomainError, match=r"weight is of shape .* one column for each of the 3 secrets"):
        md.design(survey, ByPairs(0.5, weight), md.MMSE())


def test_a_weight_of_all_secrets_is_designed_for():
    survey = md.Problem(prior=[0.2, 0.3, 0.5], values=[0, 1, 2])
    made = md.design(survey, ByPairs(0.5, np.ones((3, 3)) - np.eye(3)), md.MMSE())
    assert made.value == pytest.approx(md.design(survey, md.LDP(0.5), md.MMSE()).value, abs=1e-7)
