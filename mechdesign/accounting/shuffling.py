"""The central privacy of shuffled reports: delta and epsilon for one person among many, from above and from below."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from mechdesign.accounting.positive_part import UNIT, positive_part
from mechdesign.accounting.privacy_curve import PrivacyCurve
from mechdesign.accounting.privacy_profile import privacy_profile
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array

#: Pairs of rows that are compared, of more a mechanism is refused; and inputs of the others that are tried for each.
MOST_PAIRS, TRIED = 2000, 4


@dataclass(frozen=True, eq=False)
class Shuffled(PrivacyCurve):
    r"""What the multiset of many people's reports betrays of one of them, each person making one report.

    Whatever the others hold, each of their reports comes from the blanket :math:`\omega(y) = \min_z Q[z, y] / \gamma`
    with the probability :math:`\gamma = \sum_y \min_z Q[z, y]`, and is otherwise given away. So for n people and M
    binomial with n and gamma

    .. math:: \delta(\epsilon) \le \max_{x, z} \frac{1}{\gamma n} E \Bigl(\sum_{i \le M}
        \frac{Q[x, Y_i] - e^\epsilon Q[z, Y_i]}{\omega(Y_i)}\Bigr)_+,

    :math:`Y_i` being drawn from the blanket, and no more than for a report that is not shuffled. If all others hold the
    same input w, the divergence is exactly this with :math:`\omega = Q[w, \cdot]` and M = n: the lower bound.

    Attributes
    ----------
    people : int
        How many people report, the one who is attacked among them.

    References
    ----------
    B. Balle, J. Bell, A. Gascon, K. Nissim, "The Privacy Blanket of the Shuffle Model", CRYPTO 2019.

    Examples
    --------
    >>> import mechdesign as md
    >>> answer = md.baselines.randomised_response(md.Problem(n=10), 2.0)
    >>> crowd = answer.shuffled(100_000)
    >>> round(crowd.epsilon(1e-6), 4), crowd.epsilon_below(1e-6) <= crowd.epsilon(1e-6)
    (0.0231, True)
    """

    numerators: Integers
    people: int

    @cached_property
    def _matrix(self) -> Array:
        return self.numerators.astype(float) / float(sum(self.numerators[0].tolist()))

    @cached_property
    def _pairs(self) -> list[tuple[int, int]]:
        """Pairs of inputs, one of those that are alike up to the order of the outputs."""
        return _distinct(self.numerators)

    def above(self, epsilon: float) -> float:
        """Return an upper bound on the least delta at a level, whatever the others hold."""
        matrix = self._matrix
        least = matrix.min(axis=0)
        found = max(self._above(matrix[x], matrix[z], least, epsilon) for x, z in self._pairs)
        return min(found, float(privacy_profile(self.numerators, [epsilon])[0]), 1.0)

    def _above(self, first: Array, second: Array, least: Array, epsilon: float) -> float:
        gap = first * (1.0 + 4.0 * UNIT) - np.exp(epsilon) * (1.0 - 4.0 * UNIT) * second
        seen = least > 0
        outside = float(np.maximum(gap[~seen], 0.0).sum())
        if not seen.any():
            return outside
        share = float(least.sum())
        losses = np.append(gap[seen] / least[seen], 0.0)
        found = positive_part(losses, np.append(least[seen], 1.0 - share), self.people, upward=True)
        return (outside + found / self.people) * (1.0 + 64.0 * UNIT * len(least))

    def below(self, epsilon: float) -> float:
        """Return a delta that some data of the others need at a level."""
        matrix = self._matrix
        return max(
            self._below(matrix[x], matrix[z], matrix[w], epsilon)
            for x, z in self._pairs
            for w in self._others(x, z, epsilon)
        )

    def _others(self, x: int, z: int, epsilon: float) -> list[int]:
        """Return the inputs under which the losses of a pair vary most: the others are supposed to hold one of them."""
        matrix = self._matrix
        gap = matrix[x] - np.exp(epsilon) * matrix[z]
        with np.errstate(divide="ignore", invalid="ignore"):
            squares = np.where(matrix > 0, gap**2 / matrix, 0.0).sum(axis=1)
        return [int(w) for w in np.argsort(-squares, kind="stable")[:TRIED]]

    def _below(self, first: Array, second: Array, others: Array, epsilon: float) -> float:
        gap = first * (1.0 - 4.0 * UNIT) - np.exp(epsilon) * (1.0 + 4.0 * UNIT) * second
        seen = others > 0
        outside = float(np.maximum(gap[~seen], 0.0).sum())
        found = positive_part(gap[seen] / others[seen], others[seen], self.people, upward=False)
        return (outside + found / self.people) * (1.0 - 64.0 * UNIT * len(others))

    @property
    def is_infinite(self) -> bool:
        """Whether a report rules an input out."""
        return bool(((self._matrix == 0.0) & (self._matrix > 0.0).any(axis=0)).any())

    @cached_property
    def largest(self) -> float:
        """The largest logarithm of a ratio of two positive entries of a column, rounded upward."""
        columns = [column[column > 0] for column in self._matrix.T]
        return max(float(np.log(column.max() / column.min())) for column in columns if len(column)) * (1.0 + 1e-12)

    def __repr__(self) -> str:
        return f"Shuffled({self.people} people, {len(self.numerators)} inputs)"


def _distinct(numerators: Integers) -> list[tuple[int, int]]:
    """Return pairs of rows, one of those that are alike beside the least of all rows, up to the order of the outputs.

    Raises
    ------
    DomainError
        So many pairs that are not alike that they take too long.
    """
    rows, least = numerators.tolist(), numerators.min(axis=0).tolist()
    found: dict[object, tuple[int, int]] = {}
    for x, z in permutations(range(len(rows)), 2):
        found.setdefault(tuple(sorted(zip(rows[x], rows[z], least, strict=True))), (x, z))
        if len(found) > MOST_PAIRS:
            rule = f"it has more than {MOST_PAIRS} pairs of inputs that are not alike"
            raise DomainError("mechanism", f"of {len(rows)} inputs", rule, "merge inputs")
    return list(found.values())
