"""What many independent reports of one person betray together: delta and epsilon, from above and from below."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import permutations

import numpy as np

from mechdesign.accounting.dominating_pair import dominating_loss
from mechdesign.accounting.loss_grid import UNIT, LossGrid
from mechdesign.accounting.privacy_curve import PrivacyCurve
from mechdesign.accounting.privacy_loss import PrivacyLoss, privacy_loss
from mechdesign.accounting.privacy_profile import Pair, sorted_pair
from mechdesign.errors import DomainError
from mechdesign.exact import Integers

#: The finest grid on which all losses are searched for, and how near to it they have to be.
FINEST, NEAR = 64, 1e-12
#: On a coarser grid, the standard deviations that it covers, its most multiples, and the fewest of the largest loss.
WIDTH, MOST, LEAST_PARTS = 26.0, 1 << 14, 4.0
#: Pairs of rows that are composed, and pairs among which these are searched for exactly.
MOST_PAIRS, MOST_LISTED = 24, 20_000
#: By what share the split of a loss is raised, beyond its rounding.
ROUNDED = 1e-12

#: The loss of each mechanism for one pair of inputs, with how many reports it makes.
Losses = tuple[tuple[PrivacyLoss, int], ...]


@dataclass(frozen=True, eq=False)
class Composition(PrivacyCurve):
    r"""The privacy of independent reports of one person's input, from upper and lower bounds.

    For a pair of inputs, ``delta(epsilon) = E[(1 - e^(epsilon - S))_+]``, S being the sum of the losses of the reports.
    Losses are split between two multiples of a step so that both probabilities stay what they are, for the upper bound,
    and rounded down for the lower one; sums are convolutions of nonnegative numbers, whose rounding is bounded.

    Attributes
    ----------
    reports : int
        How many reports there are.
    pairs : tuple
        The losses of each pair of inputs that was composed: for each mechanism its loss, and how many reports it makes.
    dominating : tuple
        Pairs of which one betrays at least as much as each pair of inputs: the same ones if there are few, or else one
        pair of laws whose divergence is at least the largest one of all pairs of inputs, at every ratio.

    References
    ----------
    P. Kairouz, S. Oh, P. Viswanath, "The Composition Theorem for Differential Privacy", IEEE Transactions on
    Information Theory 63 (2017).

    V. Doroshenko, B. Ghazi, P. Kamath, R. Kumar, P. Manurangsi, "Connect the Dots: Tighter Discrete Approximations of
    Privacy Loss Distributions", PoPETs 2022.

    Examples
    --------
    >>> import mechdesign as md
    >>> answer = md.baselines.randomised_response(md.Problem(n=2), 0.1)
    >>> sixteen = answer.composed(16)
    >>> f"{sixteen.delta(0.8):.12f}", sixteen.delta(0.8) - sixteen.delta_below(0.8) < 1e-12
    ('0.003817143340', True)
    >>> f"{sixteen.epsilon(1e-6):.6f}"
    '1.569498'
    """

    reports: int
    pairs: tuple[Losses, ...]
    dominating: tuple[Losses, ...]

    @cached_property
    def _upper(self) -> list[LossGrid]:
        return [_sum(losses, upward=True) for losses in self.dominating]

    @cached_property
    def _lower(self) -> list[LossGrid]:
        return [_sum(losses, upward=False) for losses in self.pairs]

    @property
    def covers_all(self) -> bool:
        """Whether the upper bound is of pairs of inputs, and not of one pair of laws that dominates them."""
        return self.pairs == self.dominating

    def above(self, epsilon: float) -> float:
        """Return an upper bound on the least delta at a level."""
        return max(law.delta(epsilon, NEAR * self.reports * law.step) for law in self._upper)

    def below(self, epsilon: float) -> float:
        """Return a lower bound on the least delta at a level."""
        return max(law.delta(epsilon, NEAR * self.reports * law.step) for law in self._lower)

    @property
    def is_infinite(self) -> bool:
        """Whether a report rules an input out."""
        return any(loss.infinite for losses in self.dominating for loss, _ in losses)

    @cached_property
    def largest(self) -> float:
        """The sum of the largest finite losses of the worst pair, rounded upward: the level with delta 0."""
        sums = (sum(count * _largest(loss) for loss, count in losses) for losses in self.dominating)
        return float(max(sums)) * (1.0 + 1e-12)

    def __repr__(self) -> str:
        return f"Composition({self.reports} reports, {len(self.pairs)} pairs of inputs)"


def _largest(loss: PrivacyLoss) -> float:
    finite = loss.losses[np.isfinite(loss.losses)]
    return max(float(finite[-1]), 0.0) if len(finite) else 0.0


def composition(
    made: Sequence[tuple[tuple[Integers, ...], int]], beside: Sequence[tuple[PrivacyLoss, int]] = ()
) -> Composition:
    """Return what mechanisms betray together, from their rows as integers and the number of reports of each.

    Parameters
    ----------
    made : sequence of (tuple of ndarray, int)
        Of each mechanism one matrix of all inputs, or two rows for each sort of pair of inputs, as integers of one sum;
        and how many reports it makes.
    beside : sequence of (PrivacyLoss, int)
        What else is published of the person: the loss of a pair that dominates it, and how often. Nothing is known of
        it from below.

    Raises
    ------
    DomainError
        Mechanisms of other inputs than the first one, or several of which one has several sorts of pairs.

    Examples
    --------
    >>> rows = np.array([[3, 1], [1, 3]], dtype=object)
    >>> composition([((rows,), 10)])
    Composition(10 reports, 1 pairs of inputs)
    """
    reports = sum(count for _, count in (*made, *beside))
    sorts = max(len(rows) for rows, _ in made)
    inputs = {len(rows[0]) for rows, _ in made}
    if len(made) > 1 and (sorts > 1 or len(inputs) > 1):
        rule = "mechanisms that are composed take the same inputs"
        raise DomainError("mechanisms", f"of {sorted(inputs)} inputs", rule, "compose mechanisms of one problem")
    counts = [count for _, count in made]
    matrices = [[rows[at] for rows, _ in made] for at in range(sorts)]
    number = sum(len(of[0]) * (len(of[0]) - 1) for of in matrices)
    distinct = _distinct(matrices) if number <= MOST_LISTED else None
    if distinct is not None:
        every = tuple(_losses(pair, counts) for pair in distinct)
        return Composition(reports, every, tuple((*losses, *beside) for losses in every) if beside else every)
    worst = dict.fromkeys(pair for of in matrices for pair in _worst(of))
    dominating = [(dominating_loss(rows), count) for rows, count in made]
    return Composition(reports, tuple(_losses(pair, counts) for pair in worst), ((*dominating, *beside),))


def _distinct(matrices: Sequence[Sequence[Integers]]) -> list[tuple[Pair, ...]] | None:
    """Return the pairs of rows of all mechanisms, up to the order of the outputs, or None if there are many."""
    found: dict[tuple[Pair, ...], None] = {}
    for of in matrices:
        lists = [rows.tolist() for rows in of]
        alone = [(0, 0)] if len(lists[0]) == 1 else []
        for x, z in alone or permutations(range(len(lists[0])), 2):
            found.setdefault(tuple(sorted_pair(rows[x], rows[z]) for rows in lists))
            if len(found) > MOST_PAIRS:
                return None
    return list(found)


def _worst(matrices: Sequence[Integers]) -> Iterator[tuple[Pair, ...]]:
    """Yield the pairs of rows of the largest sums of losses, and of the largest means of them, in floating point."""
    n = len(matrices[0])
    most, means = np.zeros((n, n)), np.zeros((n, n))
    for rows in matrices:
        floats = rows.astype(float) / float(sum(rows[0].tolist()))
        logs = np.log(np.maximum(floats, np.finfo(float).tiny))
        means += (floats * logs).sum(axis=1)[:, None] - floats @ logs.T
        most += np.array(
            [np.where(row > 0, own - logs, -np.inf).max(axis=1) for row, own in zip(floats, logs, strict=True)]
        )
    lists = [rows.tolist() for rows in matrices]
    for scores in (most, means):
        for at in np.argsort(-scores, axis=None, kind="stable")[: MOST_PAIRS // 2].tolist():
            x, z = divmod(at, n)
            yield tuple(sorted_pair(rows[x], rows[z]) for rows in lists)


def _losses(pair: tuple[Pair, ...], counts: Sequence[int]) -> Losses:
    parts = (privacy_loss([p for p, _ in of], [q for _, q in of]) for of in pair)
    return tuple(zip(parts, counts, strict=True))


def _sum(losses: Losses, *, upward: bool) -> LossGrid:
    """Return the law of the sum of all losses."""
    step = _step(losses)
    return reduce(LossGrid.plus, [_on_grid(loss, step, upward=upward).times(count) for loss, count in losses])


def _step(losses: Losses) -> float:
    """Return a step of which all losses are multiples, if there is one, or one with not too many multiples."""
    finite = [loss.losses[np.isfinite(loss.losses)] for loss, _ in losses]
    every = np.concatenate(finite)
    most = float(np.abs(every).max(initial=0.0))
    if most == 0.0:
        return float(np.finfo(float).tiny)
    for parts in range(1, FINEST + 1):
        multiples = every / (most / parts)
        if np.abs(multiples - np.rint(multiples)).max() < NEAR:
            return most / parts
    spread, widest = 0.0, 0.0
    for (loss, count), values in zip(losses, finite, strict=True):
        weights = loss.probabilities[: len(values)]
        spread += count * float(weights @ (values - weights @ values) ** 2)
        widest += count * float(np.ptp(values)) if len(values) else 0.0
    # Of many reports the grid becomes coarser as sums grow: one that is coarse from the start adds to their spread.
    return min(min(WIDTH * math.sqrt(spread) + 4.0 * most, widest) / MOST, most / LEAST_PARTS)


def _on_grid(loss: PrivacyLoss, step: float, *, upward: bool) -> LossGrid:
    """Return the law of one loss on multiples of the step: split between two of them, or rounded down.

    A loss l between multiples j and j + 1 goes to the second with the share ``(1 - e^(j step - l)) / (1 - e^-step)``,
    which keeps its probabilities under both inputs.
    """
    finite = np.isfinite(loss.losses)
    values, masses = loss.losses[finite], loss.probabilities[finite]
    at = values / step
    lower = np.floor(at + NEAR)
    on = np.abs(at - lower) < NEAR
    share = np.where(on, 0.0, -np.expm1(lower * step - values) / -math.expm1(-step)) if upward else np.zeros(len(at))
    share = np.clip(share * (1.0 + ROUNDED) + np.where(share > 0.0, ROUNDED, 0.0), 0.0, 1.0)
    first = int(lower.min(initial=0.0))
    found = np.zeros(int(lower.max(initial=0.0)) - first + 2)
    place = lower.astype(int) - first
    np.add.at(found, place, masses * (1.0 - share))
    np.add.at(found, place + 1, masses * share)
    return LossGrid(first, found, loss.infinite, 8.0 * UNIT * (len(values) + 1), upward, step)
