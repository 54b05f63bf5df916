r"""Replicate weights: the sample weighed anew many times, by which its agency says how estimates vary.

``V(e) = scale sum_r rscale_r (e_r - c)^2``, e_r the estimate by the weights of replicate r, c the mean of the e_r or,
with ``mse=True``, the estimate itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.surveys.survey import Part
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array, EqualByContent

Kind = Literal["brr", "fay", "jk1", "jkn", "bootstrap"]

#: Directions of the weights in which less than this share of their squares lies are rounding.
ROUNDING = 1e-10


@dataclass(frozen=True, eq=False)
class Replicates(EqualByContent):
    """How replicate weights were made, and with it what the squares of their deviations count for.

    The scales are the ones of R's `svrepdesign`: of R replicates "brr" has 1 / R, "fay" ``1 / (R (1 - rho)^2)``, "jk1"
    (R - 1) / R, "bootstrap" 1 / (R - 1), and "jkn" the ``rscales`` that its agency publishes, ``(n_h - 1) / n_h`` of
    the stratum that a replicate leaves a cluster of out.

    Parameters
    ----------
    kind : {"brr", "fay", "jk1", "jkn", "bootstrap"}
        Balanced repeated replication, the same by Fay's method, the jackknife without and with strata, the bootstrap.
    rho : float
        Of Fay's method: what the weights of the half that is left out are multiplied by, at least 0 and below 1.
    scale : float, optional
        In place of the one above.
    rscales : array_like, shape (R,), optional
        A scale of each replicate, at least 0.
    mse : bool
        Whether deviations are taken from the estimate itself, and not from the mean of the replicates.

    Raises
    ------
    DomainError
        Another kind; "fay" without a rho; "jkn" without rscales; scales that are negative, not finite or all zero.

    References
    ----------
    T. Lumley, "Complex Surveys: A Guide to Analysis Using R", Wiley 2010, section 2.3.

    Examples
    --------
    >>> Replicates("fay", rho=0.3).scales(80)[0].round(6)
    np.float64(0.02551)
    """

    kind: Kind
    rho: float = 0.0
    scale: float | None = None
    rscales: npt.ArrayLike | None = None
    mse: bool = False

    def __post_init__(self) -> None:
        """Raise where the parameters do not fit together."""
        if self.kind not in get_args(Kind):
            rule = f"it has to be one of {', '.join(get_args(Kind))}"
            raise DomainError("kind", self.kind, rule, "the survey's documentation says which one it is")
        rho = domains.real("rho", self.rho, 0.0)
        if (self.kind == "fay") != (0.0 < rho < 1.0):
            rule = 'it is above 0 and below 1 for "fay", and 0 for all others'
            raise DomainError("rho", rho, rule, 'give Replicates("fay", rho=0.5), say, or "brr" without it')
        if self.scale is not None:
            _require_some("scale", np.array([domains.real("scale", self.scale, 0.0)]))
        domains.truth("mse", self.mse)
        if self.rscales is not None:
            given = domains.vector("rscales", self.rscales)
            if (given < 0.0).any():
                place, wrong = domains.first_of("rscales", given, given < 0.0)
                raise DomainError(place, wrong, "a scale is at least 0", "give the published scales")
            _require_some("rscales", given)
            object.__setattr__(self, "rscales", given)
        elif self.kind == "jkn":
            rule = "a jackknife with strata has a scale for each replicate"
            raise DomainError("rscales", None, rule, "give (n_h - 1) / n_h of the stratum of each replicate")

    def scales(self, count: int) -> Array:
        """Return what the square of the deviation of each of `count` replicates counts for, shape (count,)."""
        usual = {
            "brr": 1.0 / count,
            "fay": 1.0 / (count * (1.0 - self.rho) ** 2),
            "jk1": (count - 1.0) / count,
            "jkn": 1.0,
            "bootstrap": 1.0 / (count - 1.0),
        }[self.kind]
        scale = usual if self.scale is None else float(self.scale)
        return scale * (np.ones(count) if self.rscales is None else np.asarray(self.rscales))


@dataclass(frozen=True, eq=False)
class ReplicateWeights:
    """The weights of each replicate, shape (N, R), with what they count for.

    Parameters
    ----------
    numbers : ndarray, shape (N, R)
        The weight of each report in each replicate.
    how : Replicates
        How they were made.
    """

    numbers: Array
    how: Replicates

    @property
    def count(self) -> int:
        """How many replicates there are."""
        return int(self.numbers.shape[1])

    @property
    def words(self) -> str:
        """How many replicates there are, as it is printed."""
        return f"{self.count} replicates ({self.how.kind})"

    def parts(self, reports: Indices, sums: Array, members: Any) -> tuple[tuple[Part, ...], float]:
        """Return the covariance of the shares of outputs, and its degrees of freedom, among some of the people.

        Raises
        ------
        DomainError
            A replicate in which none of them has a weight.
        """
        given = self.numbers[members]
        count = given.shape[1]
        held = np.stack([np.bincount(reports, given[:, r], minlength=len(sums)) for r in range(count)])
        totals = held.sum(axis=1)
        if (empty := np.flatnonzero(totals <= 0.0)).size:
            rule = "all of these people weigh nothing in it, so that it has no estimate"
            raise DomainError(f"replicate_weights[:, {empty[0]}]", "all zero", rule, "leave the group or replicate out")
        shares, scales = held / totals[:, None], self.how.scales(count)
        centre = sums / sums.sum() if self.how.mse else shares[scales > 0.0].mean(axis=0)
        degrees = float(_rank(given) - 1)
        return (Part(shares - centre, scales, np.arange(count)),), degrees


def _require_some(argument: str, scales: Array) -> None:
    """Raise if no deviation counts for anything."""
    if not scales.any():
        raise DomainError(argument, "0", "no deviation of a replicate would count", "give the published scales")


def _rank(weights: Array) -> int:
    """Return the rank of the weights, shape (N, R): that many replicates say something of their own."""
    squares = np.linalg.eigvalsh(weights.T @ weights)
    return int(np.count_nonzero(squares > ROUNDING * squares[-1]))
