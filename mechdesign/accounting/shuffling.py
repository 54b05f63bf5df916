"""The central privacy of shuffled reports: delta and epsilon for one person among many, from above and from below."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations_with_replacement, permutations

import numpy as np

from mechdesign.accounting.positive_part import UNIT, positive_part
from mechdesign.accounting.privacy_curve import PrivacyCurve
from mechdesign.accounting.privacy_loss import largest_ratio, rules_out
from mechdesign.accounting.privacy_profile import privacy_profile
from mechdesign.errors import DomainError
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array
from mechdesign.tolerances import LARGEST_EXPONENT

#: Pairs of rows that are compared, of more a mechanism is refused; and inputs of the others that are tried for each.
MOST_PAIRS, TRIED = 2000, 4
#: Entries of a matrix of several reports of a person, and the bits of its numbers.
MOST_ENTRIES, LONGEST = 200_000, 1000
#: Counts up to so many standard deviations from the mean are looked at; the margin for the rounding of their laws.
REACH, MARGIN = 12.0, 1e-9
#: A loss that outweighs any gain, and the exponent whose power can be squared.
LARGEST_LOSS, SQUARED = 1e200, 300.0


@dataclass(frozen=True, eq=False)
class Shuffled(PrivacyCurve):
    r"""What the multiset of many people's reports betrays of one of them.

    Whatever the others hold, each of their reports comes from the blanket :math:`\omega(y) = \min_z Q[z, y] / \gamma`
    with the probability :math:`\gamma = \sum_y \min_z Q[z, y]`, and is otherwise given away. So for n people and M
    binomial with n and gamma

    .. math:: \delta(\epsilon) \le \max_{x, z} \frac{1}{\gamma n} E \Bigl(\sum_{i \le M}
        \frac{Q[x, Y_i] - e^\epsilon Q[z, Y_i]}{\omega(Y_i)}\Bigr)_+,

    :math:`Y_i` being drawn from the blanket, and no more than for reports that are not shuffled. If all others hold the
    same input w, the divergence is exactly this with :math:`\omega = Q[w, \cdot]` and M = n: the lower bound.

    Several reports of each person are one report in the upper bound, the multiset of them: shuffling all reports hides
    at least as much. The lower bound counts the reports in a set of outputs, all others holding the same input.

    Attributes
    ----------
    compared : tuple of ndarray
        All rows as integers of one sum, or two rows for each sort of pair of inputs, of all reports of a person.
    least : tuple of ndarray
        What no row is below, beside each of them.
    people : int
        How many people follow the protocol, the one who is attacked among them.
    single : tuple of ndarray
        The rows of one report.
    reports : int
        How many reports each person makes.

    References
    ----------
    B. Balle, J. Bell, A. Gascon, K. Nissim, "The Privacy Blanket of the Shuffle Model", CRYPTO 2019.

    P. Su, H. Cheng, P. Wang, "Decomposition-Based Optimal Bounds for Privacy Amplification via Shuffling", arXiv 2025:
    of all decompositions of what others send, clones among them, the blanket's has the least delta.

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
    single: tuple[Integers, ...]
    reports: int = 1

    @cached_property
    def _pairs(self) -> list[tuple[Array, Array, Array, Array]]:
        """The rows of each pair of inputs, the least of all rows, and the rows that others may have."""
        found = []
        for rows, least in zip(self.compared, self.least, strict=True):
            total = sum(rows[0].tolist())
            matrix, low = (rows / total).astype(float), (least / total).astype(float)
            found += [(matrix[x], matrix[z], low, matrix) for x, z in _distinct(rows, least)]
        return found

    def above(self, epsilon: float) -> float:
        """Return an upper bound on the least delta at a level, whatever the others hold."""
        found = max((self._above(*pair[:3], epsilon) for pair in self._pairs), default=0.0)
        alone = max(float(privacy_profile(rows, [epsilon])[0]) for rows in self.compared)
        return min(found, alone, 1.0)

    def _above(self, first: Array, second: Array, least: Array, epsilon: float) -> float:
        gap = first * (1.0 + 4.0 * UNIT) - _factor(epsilon) * (1.0 - 4.0 * UNIT) * second
        seen = least > 0
        outside = float(np.maximum(gap[~seen], 0.0).sum())
        if not seen.any():
            return outside
        share = float(least.sum())
        losses = np.append(_floored(gap[seen] / least[seen], self.people), 0.0)
        found = positive_part(losses, np.append(least[seen], 1.0 - share), self.people, upward=True)
        return (outside + found / self.people) * (1.0 + 64.0 * UNIT * len(least))

    def below(self, epsilon: float) -> float:
        """Return a delta that some data of the others need at a level."""
        if self.reports > 1:
            return max(
                self._below_of_counts((rows / sum(rows[0].tolist())).astype(float), epsilon) for rows in self.single
            )
        found = [
            self._below(first, second, others, epsilon)
            for first, second, _, matrix in self._pairs
            for others in matrix[_most_varying(first, second, matrix, epsilon)]
        ]
        return max(found, default=0.0)

    def _below(self, first: Array, second: Array, others: Array, epsilon: float) -> float:
        gap = first * (1.0 - 4.0 * UNIT) - _factor(epsilon) * (1.0 + 4.0 * UNIT) * second
        if epsilon > LARGEST_EXPONENT:
            # Then only what the second input cannot give is sure to count.
            gap[second > 0] = -LARGEST_LOSS
        seen = others > 0
        outside = float(np.maximum(gap[~seen], 0.0).sum())
        losses = _floored(gap[seen] / others[seen], self.people)
        found = positive_part(losses, others[seen], self.people, upward=False)
        return (outside + found / self.people) * (1.0 - 64.0 * UNIT * len(others))

    def _below_of_counts(self, matrix: Array, epsilon: float) -> float:
        """Return a lower bound by the law of how many reports are in a set of outputs, for the sets of two inputs."""
        found = 0.0
        for x, z in permutations(range(len(matrix)), 2):
            inside = matrix @ (matrix[x] > matrix[z])
            for others in {float(inside.min()), float(inside.max())}:
                found = max(found, self._of_count(float(inside[x]), float(inside[z]), others, epsilon))
        return found

    def _of_count(self, first: float, second: float, others: float, epsilon: float) -> float:
        """Return the divergence of two counts: a person's reports are in a set with two shares, others' with theirs."""
        from scipy.stats import binom

        if epsilon > LARGEST_EXPONENT:
            return 0.0
        count, own = self.reports * (self.people - 1), self.reports
        middle, reach = count * others, REACH * math.sqrt(count * others * (1.0 - others)) + REACH**2
        low, high = max(0, int(middle - reach)), min(count, int(middle + reach) + 1)
        crowd = binom.pmf(np.arange(low, high + 1), count, others)
        two = [np.convolve(crowd, binom.pmf(np.arange(own + 1), own, share)) for share in (first, second)]
        # Counts that are left out only lower it; the laws have a relative rounding below the margin.
        return float(np.maximum(two[0] * (1.0 - MARGIN) - _factor(epsilon) * (1.0 + MARGIN) * two[1], 0.0).sum())

    @property
    def is_infinite(self) -> bool:
        """Whether a report rules an input out."""
        return any(rules_out(rows) for rows in self.compared)

    @cached_property
    def largest(self) -> float:
        """The largest logarithm of a ratio of two positive entries of a column, rounded upward."""
        return math.log(max(largest_ratio(rows) for rows in self.compared)) * (1.0 + 1e-12)

    def __repr__(self) -> str:
        return f"Shuffled({self.people} people, {len(self._pairs)} pairs of inputs)"


def _factor(epsilon: float) -> float:
    """Return ``e^epsilon``, of levels beyond floats the largest factor: a delta falls with the level."""
    return math.exp(min(epsilon, LARGEST_EXPONENT))


def _floored(losses: Array, people: int) -> Array:
    """Return losses raised to a floor at which one of them still makes the sum over all people negative."""
    return np.maximum(losses, -2.0 * people * max(float(losses.max(initial=0.0)), 1.0))


def repeated(rows: Integers, times: int) -> Integers:
    """Return the rows of the multiset of independent reports of one person, as integers of one sum.

    Raises
    ------
    DomainError
        More multisets than can be listed, or numbers beyond floats.

    Examples
    --------
    >>> repeated(np.array([[3, 1], [1, 3]], dtype=object), 2).tolist()
    [[9, 6, 1], [1, 6, 9]]
    """
    if times == 1:
        return rows
    n, outputs = rows.shape
    number = math.comb(outputs + times - 1, times)
    if number * n > MOST_ENTRIES or sum(rows[0].tolist()).bit_length() * times > LONGEST:
        rule = f"{times} reports of {outputs} outputs are {number:,} multisets, too many for a matrix of {n} inputs"
        raise DomainError("reports", times, rule, "ask for fewer, or merge outputs")
    columns = []
    for chosen in combinations_with_replacement(range(outputs), times):
        orders = math.factorial(times) // math.prod(map(math.factorial, Counter(chosen).values()))
        columns.append(orders * rows[:, list(chosen)].astype(object).prod(axis=1))
    return np.stack(columns, axis=1)


def _most_varying(first: Array, second: Array, matrix: Array, epsilon: float) -> list[int]:
    """Return the rows under which the losses of a pair vary most: the others are supposed to have one of them."""
    gap = first - _factor(min(epsilon, SQUARED)) * second
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
