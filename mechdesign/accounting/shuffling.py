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
    compared : tuple of ndarray
        All rows as integers of one sum, or two rows for each sort of pair of inputs.
    least : tuple of ndarray
        The least of all rows, beside each of them.
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

    compared: tuple[Integers, ...]
    least: tuple[Integers, ...]
    people: int

    @cached_property
    def _pairs(self) -> list[tuple[Array, Array, Array, Array]]:
        """The rows of each pair of inputs, the least of all rows, and the rows that others may have."""
        found = []
        for rows, least in zip(self.compared, self.least, strict=True):
            total = float(sum(rows[0].tolist()))
            matrix, low = rows.astype(float) / total, least.astype(float) / total
            found += [(matrix[x], matrix[z], low, matrix) for x, z in _distinct(rows, least)]
        return found

    def above(self, epsilon: float) -> float:
        """Return an upper bound on the least delta at a level, whatever the others hold."""
        found = max(self._above(first, second, least, epsilon) for first, second, least, _ in self._pairs)
        alone = max(float(privacy_profile(rows, [epsilon])[0]) for rows in self.compared)
        return min(found, alone, 1.0)

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
        return max(
            self._below(first, second, others, epsilon)
            for first, second, _, matrix in self._pairs
            for others in matrix[_most_varying(first, second, matrix, epsilon)]
        )

    def _below(self, first: Array, second: Array, others: Array, epsilon: float) -> float:
        gap = first * (1.0 - 4.0 * UNIT) - np.exp(epsilon) * (1.0 + 4.0 * UNIT) * second
        seen = others > 0
        outside = float(np.maximum(gap[~seen], 0.0).sum())
        found = positive_part(gap[seen] / others[seen], others[seen], self.people, upward=False)
        return (outside + found / self.people) * (1.0 - 64.0 * UNIT * len(others))

    @property
    def is_infinite(self) -> bool:
        """Whether a report rules an input out."""
        return any(bool(((rows == 0) & (rows > 0).any(axis=0)).any()) for rows in self.compared)

    @cached_property
    def largest(self) -> float:
        """The largest logarithm of a ratio of two positive entries of a column, rounded upward."""
        columns = [column[column > 0].astype(float) for rows in self.compared for column in rows.T]
        return max(float(np.log(column.max() / column.min())) for column in columns if len(column)) * (1.0 + 1e-12)

    def __repr__(self) -> str:
        return f"Shuffled({self.people} people, {len(self._pairs)} pairs of inputs)"


def _most_varying(first: Array, second: Array, matrix: Array, epsilon: float) -> list[int]:
    """Return the rows under which the losses of a pair vary most: the others are supposed to have one of them."""
    gap = first - np.exp(epsilon) * second
    with np.errstate(divide="ignore", invalid="ignore"):
        squares = np.where(matrix > 0, gap**2 / matrix, 0.0).sum(axis=1)
    return [int(w) for w in np.argsort(-squares, kind="stable")[:TRIED]]


def _distinct(numerators: Integers, low: Integers) -> list[tuple[int, int]]:
    """Return pairs of rows, one of those that are alike beside the least of all rows, up to the order of the outputs.

    Raises
    ------
    DomainError
        So many pairs that are not alike that they take too long.
    """
    rows, least = numerators.tolist(), low.tolist()
    found: dict[object, tuple[int, int]] = {}
    for x, z in permutations(range(len(rows)), 2):
        found.setdefault(tuple(sorted(zip(rows[x], rows[z], least, strict=True))), (x, z))
        if len(found) > MOST_PAIRS:
            rule = f"it has more than {MOST_PAIRS} pairs of inputs that are not alike"
            raise DomainError("mechanism", f"of {len(rows)} inputs", rule, "merge inputs")
    return list(found.values())
