"""Centralized information privacy: a curator sees the sum of the records, the secret is one record."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import random_prior
from mechdesign.catalogue.edge import Edge, both_sides, integers_of
from mechdesign.catalogue.promises import factor
from mechdesign.catalogue.subject import RECORD, Subject
from mechdesign.columns import Masses, Shape
from mechdesign.columns.cone import Cone
from mechdesign.columns.mass_band import MassBand
from mechdesign.errors import DomainError
from mechdesign.exact import Integers, integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lip import LIP
from mechdesign.parameters import Distribution, Each
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import ExactParts, Problem
from mechdesign.tolerances import SUM_TO_ONE

_RELATIVE_TO = (
    "is relative to the priors of the records that it states, and to records that are independent. Anyone who "
    "knows more of a record, or how records are related, may learn more from an output than it says."
)


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        "No output makes any value of any one record more probable or less probable by more than a factor of "
        f"{factor(notion.epsilon)}, for anyone who has the stated priors of the records."
    )


def _edge() -> Edge:
    """Return a matrix over the sum of two coins whose smallest lift is ``e^-epsilon``."""

    def matrix(ratio: Fraction) -> Integers:
        # Entries (h, (h + 1) / 2, 1): a coin sees (3 h + 1) / 4 or (h + 3) / 4, the mass is (h + 1) / 2.
        high = (3 * ratio - 2) / (2 - ratio)
        middle = (high + 1) / 2
        return integers_of([[high, Fraction(1)], [middle, middle], [Fraction(1), high]])

    return Edge(CentralizedIP(0.25, ((0.5, 0.5), (0.5, 0.5))), Problem(n=3), *both_sides(0.25, matrix))


@dataclass(frozen=True)
class CentralizedIP(Notion):
    r"""e^-epsilon <= Pr(y | record i = j) / Pr(y) <= e^epsilon for all i, j and y; epsilon in nats.

    The data X are the sum of N independent records; record i takes the value ``j = 0..d_i - 1`` with the probability
    ``priors[i][j]``. The problem is over the sums ``0..sum(d_i - 1)``. Secrets are the pairs (record, value), counted
    record by record, each with the prior ``priors[i][j] / N``.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    priors : sequence of sequences of float
        One distribution for each record, without zeros, kept as given and normalised exactly.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; priors that are no distributions or have a zero; a problem over another
        number of sums, with a hidden secret of its own, or whose prior is not that of the sum within 1e-9.

    Notes
    -----
    ``Pr(X = x | record i = j)`` is the convolution of the other records' priors, shifted by j. The exact check works
    on its integers, not on the floats that the problem carries.

    References
    ----------
    B. Jiang, M. Li, R. Tandon, "Context-aware Data Aggregation with Localized Information Privacy", IEEE CNS 2018,
    Definition 4 and Section IV-D.

    Examples
    --------
    >>> import mechdesign as md
    >>> notion = md.CentralizedIP(1.0, priors=[[0.5, 0.5], [0.5, 0.5]])
    >>> problem = notion.inputs(md.Problem(n=3))
    >>> problem.prior.tolist(), problem.channel[1].tolist()
    ([0.25, 0.5, 0.25], [0.0, 0.5, 0.5])
    >>> notion.level([[1, 0], [0, 1], [1, 0]], problem).value
    0.0
    """

    card = Card(
        "centralized information privacy",
        r"e^{-\epsilon} \le \frac{\Pr(y \mid \text{record } i = j)}{\Pr(y)} \le e^{\epsilon} \quad "
        r"\text{for all } i, j, y",
        works=("jiang_lip",),
        promise=_promise,
        protects=lambda notion: RECORD,
        relative_to=_RELATIVE_TO,
        examples=(
            lambda rng: (CentralizedIP(0.5, ((0.3, 0.7),) * 3), Problem(values=np.arange(4.0))),
            lambda rng: (CentralizedIP(1.0, (tuple(random_prior(2, rng)), tuple(random_prior(3, rng)))), Problem(n=4)),
        ),
        sized=lambda problem, rng: CentralizedIP(1.0, ((0.4, 0.6),) * (problem.n - 1)),
        edge=_edge,
    )

    epsilon: float
    priors: tuple[tuple[float, ...], ...]
    domains = {
        "epsilon": EPSILON,
        "priors": Each(
            Distribution(positive=True), "it has to be a sequence of distributions", "give a prior for each record"
        ),
    }

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, priors: Sequence[npt.ArrayLike]) -> None: ...

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "priors", tuple(tuple(np.asarray(row).tolist()) for row in self.priors))

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem whose hidden secret is one record with its value."""
        sums = 1 + sum(len(row) - 1 for row in self.priors)
        channel, secret_prior, prior = _floats(self.priors)
        known = problem.data_given_secret, problem.secret_prior
        if _same(known, (channel, secret_prior)):
            return problem.with_exact_parts(_exact_parts(self.priors))
        self._refuse_hidden(problem, "the secret of CentralizedIP is one record")
        if problem.n != sums:
            raise DomainError(
                "problem",
                f"over {problem.n} inputs",
                f"the records add up to {sums} different sums",
                f"give Problem(n={sums}, ...)",
            )
        if problem.prior is not None and np.abs(problem.prior - prior).max() > SUM_TO_ONE:
            at = int(np.abs(problem.prior - prior).argmax())
            raise DomainError(
                f"prior[{at}]",
                float(problem.prior[at]),
                f"the records add up to {at} with probability {float(prior[at])!r}",
                "leave the prior out, it follows from the records",
            )
        hidden = problem.hidden(data_given_secret=channel, secret_prior=secret_prior)
        return super().inputs(hidden.with_exact_parts(_exact_parts(self.priors)))

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed of any record."""
        return LDP(0.0) if self.epsilon == 0 else self

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors within a band of their mass, by rows without repetition."""
        return _DistinctBand(problem.secrets, Masses.of(problem), self.epsilon, self.epsilon)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``|ln v_s(y) - ln m(y)|``, the secret counted record by record."""
        return LIP(self.epsilon).level(matrix, problem)


@dataclass(frozen=True, eq=False)
class _DistinctBand(MassBand):
    """A band of the mass whose channel gives many secrets the same entries: rows that repeat are left out."""

    def cone_of(self, seen: Array) -> Cone:
        """Return the rows of the band, each once."""
        band = super().cone_of(seen)
        count = len(seen)
        kept = np.sort(np.unique(seen, axis=0, return_index=True)[1])
        rows = np.concatenate([kept, count + kept, [2 * count, 2 * count + 1]])
        return Cone(band.on_column[rows], band.on_auxiliary[rows], band.ceiling)


def _same(known: tuple[Array | None, Array | None], made: tuple[Array, Array]) -> bool:
    return all(one is not None and np.array_equal(one, other) for one, other in zip(known, made, strict=True))


@lru_cache(maxsize=16)
def _exact(priors: tuple[tuple[float, ...], ...]) -> tuple[Integers, Integers]:
    """Return integers proportional to ``Pr(X = x | record i = j)`` and to ``Pr(X = x)``, all of one sum."""
    records = [np.array(integers(row), dtype=object) for row in priors]
    before: list[Any] = [np.array([1], dtype=object)]
    after: list[Any] = [np.array([1], dtype=object)]
    for record in records:
        before.append(np.convolve(before[-1], record))
    for record in reversed(records):
        after.append(np.convolve(after[-1], record))
    rows: list[list[int]] = []
    for i, record in enumerate(records):
        others = np.convolve(before[i], after[len(records) - 1 - i]) * int(sum(record))
        free = len(record) - 1
        rows += [[0] * j + others.tolist() + [0] * (free - j) for j in range(free + 1)]
    return np.array(rows, dtype=object), before[-1]


@lru_cache(maxsize=16)
def _distinct(priors: tuple[tuple[float, ...], ...]) -> Integers:
    """Return the rows of the exact channel, equal rows of several records once."""
    return np.array(list(dict.fromkeys(map(tuple, _exact(priors)[0].tolist()))), dtype=object)


def _weights(priors: tuple[tuple[float, ...], ...]) -> list[Fraction]:
    """Return the prior of each secret, a record with its value."""
    return [Fraction(entry, sum(row) * len(priors)) for row in map(integers, priors) for entry in row]


@lru_cache(maxsize=16)
def _exact_parts(priors: tuple[tuple[float, ...], ...]) -> ExactParts:
    channel, sums = _exact(priors)
    rows = tuple(tuple(row) for row in channel.tolist())
    return ExactParts(tuple(sums.tolist()), tuple(integers(_weights(priors))), rows)


@lru_cache(maxsize=16)
def _floats(priors: tuple[tuple[float, ...], ...]) -> tuple[Array, Array, Array]:
    """Return the channel, the prior of the secrets and the prior of the sums, each entry the nearest float."""
    channel, sums = _exact(priors)
    total = int(sum(sums))
    nearest = np.vectorize(lambda entry: float(Fraction(entry, total)), otypes=[float])
    weights = [float(weight) for weight in _weights(priors)]
    parts = (nearest(channel), np.array(weights), nearest(sums))
    return domains.frozen(parts[0]), domains.frozen(parts[1]), domains.frozen(parts[2])
