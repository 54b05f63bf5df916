"""Leakage to whoever acts on a secret with a stated gain: g-leakage, and min-entropy leakage as its simplest case."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Integers, exp_below, exp_up, integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.cone import Budget, Cone, rounding_unit
from mechdesign.parameters import Matrix, Real
from mechdesign.parameters.checks import Array, EqualByContent
from mechdesign.problem import Problem

#: The domain of what an action earns.
GAINS = Matrix(Real(low=0.0, rule="it is a gain", remedy="add the same number to all gains of a secret"))


@dataclass(frozen=True, eq=False)
class GLeakage(EqualByContent, Notion):
    r"""ln of the best mean gain with the report over that without it is at most epsilon, in nats.

    .. math:: \ln \frac{\sum_y \max_w \sum_s \pi_s g(w, s) \Pr(y \mid s)}{\max_w \sum_s \pi_s g(w, s)} \le \epsilon

    under the prior of the secret. With the identity as gain it is min-entropy leakage: by what factor the report raises
    the probability of guessing the secret at the first try.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. At 0 the action that is best without a report stays best after each.
    gain : array_like, shape (actions, k)
        ``g(w, s)``: what an action earns where the secret is s of k, at least 0, and not 0 for all.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; gains that are negative or all 0; other secrets than the gain has columns.

    Notes
    -----
    One budget, linear where one action is best; at 0 a cone of its own. For no prior and no gain is it more than
    maximal leakage.

    References
    ----------
    M. S. Alvim, K. Chatzikokolakis, C. Palamidessi, G. Smith, "Measuring Information Leakage Using Generalized Gain
    Functions", IEEE CSF 2012.

    Examples
    --------
    >>> import mechdesign as md
    >>> survey = md.Problem(prior=[0.4, 0.6])
    >>> round(md.GLeakage(1.0, [[1, 0], [0, 1]]).level([[0.75, 0.25], [0.25, 0.75]], survey).value, 6)
    0.223144
    """

    epsilon: float
    gain: Array
    domains = {"epsilon": EPSILON, "gain": GAINS}
    needs_prior = True

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, gain: npt.ArrayLike) -> None: ...

    def check_together(self) -> None:
        """Refuse gains that are all 0: there is nothing to gain from a report."""
        if not np.any(self.gain > 0):
            raise DomainError("gain", "0 everywhere", "some action has to earn something", "give np.eye(k) for a guess")

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield gains that are all 0."""
        yield "it is 0 everywhere", {"gain": np.zeros_like(self.gain)}

    def inputs(self, problem: Problem) -> Problem:
        """Refuse a secret of another number of values than the gain has columns."""
        inputs = super().inputs(problem)
        if inputs.secrets != self.gain.shape[1]:
            rule = f"the secret has {inputs.secrets} values"
            raise DomainError("gain", f"of shape {self.gain.shape}", rule, "give a column for each of them")
        return inputs

    def cone(self, problem: Problem) -> Cone:
        """Return the whole orthant, as only a sum over columns is bounded; at 0 where the best action stays best."""
        if self.epsilon > 0:
            return Cone.of_rows(np.zeros((0, problem.n)))
        weighted, _ = self._weighted(problem)
        best = int(weighted.sum(axis=1).argmax())
        others = np.delete(weighted, best, axis=0)
        return Cone.at_least(np.tile(weighted[best] @ problem.channel, (len(others), 1)), others @ problem.channel)

    def budget(self, problem: Problem) -> Budget:
        """Return ``sum_y max_w G_w . q_y <= e^epsilon max_w G_w . 1`` with ``G_ws = pi_s g(w, s)``, rounded up."""
        if self.epsilon == 0:
            return Budget.none(problem.n)
        weighted, least = self._weighted(problem)
        # No mechanism gains more than the best action for each secret; a limit far beyond is all that a solver sees.
        most = 2.0 * float(weighted.max(axis=0).sum())
        limit = min(exp_up(self.epsilon) * least * (1.0 + rounding_unit(problem.secrets)), most)
        return Budget((weighted @ problem.channel)[None, :, :], np.array([limit]))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return ``ln(V / V_0)`` of the mean gains V with and V_0 without the output; its witness adds most.

        Against the best action without the output, whose gain is V_0 for every mechanism: next to no leakage is not
        lost in rounding.
        """
        weighted, least = self._weighted(problem)
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        apart = weighted - weighted[int(weighted.sum(axis=1).argmax())]
        excess = np.maximum((apart @ seen).max(axis=0), 0.0)
        output = int(excess.argmax())
        action = int((apart @ seen)[:, output].argmax())
        secret = int((apart[action] * seen[:, output]).argmax())
        return Level(math.log1p(math.fsum(excess) / least), (secret,), output)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether the mean gain is at most ``e^epsilon``, rounded down, times that without, exactly."""
        seen = problem.exactly_seen_by_secret(numerators).astype(object)
        gains = np.array(integers(self.gain.ravel()), dtype=object).reshape(self.gain.shape)
        weighted = gains * np.array(problem.exact_prior_of_secret, dtype=object)
        without = int(weighted.sum(axis=1).max()) * int(seen[0].sum())
        ratio: Fraction = exp_below(self.epsilon)
        return bool((weighted @ seen).max(axis=0).sum() * ratio.denominator <= ratio.numerator * without)

    def _weighted(self, problem: Problem) -> tuple[Array, float]:
        """Return ``pi_s g(w, s)``, shape (actions, k), and the most that an action earns without any output."""
        prior = problem.prior_of_secret
        assert prior is not None, "inputs() refuses a problem without one"
        weighted = self.gain * (prior / prior.sum())
        return weighted, float(weighted.sum(axis=1).max())

    def __str__(self) -> str:
        return f"{self.name}(epsilon={in_full(self.epsilon)}, gain of {len(self.gain)} actions)"
