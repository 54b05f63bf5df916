"""The question's data: who may hold which value, how likely, and what of it is secret."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign import domains
from mechdesign.columns import require_one_index
from mechdesign.domains import Array, EqualByContent
from mechdesign.errors import DomainError
from mechdesign.exact import Integers, integer_rows, integers, product
from mechdesign.observed import FromData
from mechdesign.tolerances import SUM_TO_ONE


@dataclass(frozen=True, eq=False)
class Problem(FromData, EqualByContent):
    """Inputs ``x = 0..n-1`` of a mechanism: prior ``P[x] = Pr(X = x)``, numeric values, labels, hidden secret.

    Parameters
    ----------
    prior : array_like, shape (n,), optional
        Positive probabilities that sum to one within 1e-9, kept as given.
    values : array_like, shape (n,), optional
        The number that each input stands for, in the user's unit.
    labels : sequence of str, optional
        Distinct names of the inputs.
    n : int, optional
        Number of inputs, where none of the others gives it.
    prior_source : str, optional
        Where the prior comes from. A prior estimated from private data leaks, so audits say whose it is.
    data_given_secret, secret_prior, secret_given_data : array_like, optional
        What `hidden` sets.
    data_of_input : array_like of int, optional
        The datum that each input carries, set by a notion whose mechanism sees more than the datum.

    Raises
    ------
    DomainError
        Lengths that disagree, a prior that is no distribution or has a zero, values that are not finite.

    Examples
    --------
    >>> import mechdesign as md
    >>> md.Problem(prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    Problem(n=3, prior=[0.1, 0.2, 0.7], values=[0, 1, 2])
    """

    prior: Array | None = None
    values: Array | None = None
    labels: tuple[str, ...] | None = None
    n: int = field(default=0, kw_only=True)
    prior_source: str | None = field(default=None, kw_only=True)
    #: ``W[s, x] = Pr(X = x | S = s)``, and the secret's prior; None where the secret is the input itself.
    data_given_secret: Array | None = field(default=None, kw_only=True, repr=False)
    secret_prior: Array | None = field(default=None, kw_only=True, repr=False)
    #: ``R[s, x] = Pr(S = s | X = x)`` where the secret was given so: the exact check starts from it.
    secret_given_data: Array | None = field(default=None, kw_only=True, repr=False)
    #: The datum that each input carries, where a notion widened the inputs; None means each its own.
    data_of_input: npt.NDArray[np.int64] | None = field(default=None, kw_only=True, repr=False)

    if TYPE_CHECKING:
        # What the constructor takes is wider than what is kept: lists become read-only arrays.
        def __init__(
            self,
            prior: npt.ArrayLike | None = None,
            values: npt.ArrayLike | None = None,
            labels: Sequence[object] | None = None,
            *,
            n: int = 0,
            prior_source: str | None = None,
            data_given_secret: Array | None = None,
            secret_prior: Array | None = None,
            secret_given_data: Array | None = None,
            data_of_input: npt.NDArray[np.int64] | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        require_one_index(prior=self.prior, values=self.values)
        given = [v for v in (self.prior, self.values, self.labels) if v is not None]
        if not given and self.n == 0:
            raise DomainError("n", self.n, "there has to be at least one input", "give prior, values, labels or n")
        count = domains.whole("n", self.n or self._inputs(), 1)
        check = domains.positive_distribution if self.data_of_input is None else domains.distribution
        store = {
            "n": count,
            "prior": None if self.prior is None else check("prior", self.prior, count),
            "values": None if self.values is None else domains.vector("values", self.values, count),
            "data_given_secret": None
            if self.data_given_secret is None
            else domains.stochastic_rows("data_given_secret", self.data_given_secret, columns=count),
            "labels": None if self.labels is None else domains.names("labels", self.labels, count),
        }
        for name, value in store.items():
            object.__setattr__(self, name, value)
        if self.prior_source is not None and not isinstance(self.prior_source, str):
            raise DomainError("prior_source", self.prior_source, "it has to be a text", "say whose data the prior is")

    def _inputs(self) -> int:
        """Return how many inputs the first of prior, values and labels is for."""
        name = next(name for name in ("prior", "values", "labels") if getattr(self, name) is not None)
        given: Any = getattr(self, name)
        try:
            count = len(given)
        except TypeError:
            rule = "it has to be a sequence with an entry for each input"
            raise DomainError(name, given, rule, "give a list, even for one input") from None
        if not count:
            raise DomainError(name, "empty", "there has to be at least one input", "give an entry for each")
        return count

    def hidden(
        self,
        secret_given_data: npt.ArrayLike | None = None,
        *,
        data_given_secret: npt.ArrayLike | None = None,
        secret_prior: npt.ArrayLike | None = None,
    ) -> Problem:
        """Return the problem whose secret ``S`` is not the input itself but correlated with it.

        Parameters
        ----------
        secret_given_data : array_like, shape (k, n)
            ``R[s, x] = Pr(S = s | X = x)``: columns are distributions. Needs the prior.
        data_given_secret : array_like, shape (k, n)
            ``W[s, x] = Pr(X = x | S = s)``: rows are distributions.
        secret_prior : array_like, shape (k,)
            ``Pr(S = s)``, beside `data_given_secret`; its mixture has to be the prior within 1e-9.

        Returns
        -------
        Problem
            A new problem; notions look at the secret, objectives at the data.
        """
        if (secret_given_data is None) == (data_given_secret is None):
            raise DomainError(
                "hidden",
                "given both or neither channel",
                "one of secret_given_data and data_given_secret describes the secret",
                "give exactly one",
            )
        if data_given_secret is not None:
            return self._hidden_forward(data_given_secret, secret_prior)
        if secret_prior is not None:
            raise DomainError(
                "secret_prior", "given", "it follows from the prior and secret_given_data", "leave it out"
            )
        given = domains.matrix("secret_given_data", secret_given_data, columns=self.n)
        domains.stochastic_rows("secret_given_data (columns)", given.T)
        if self.prior is None:
            raise DomainError("prior", None, "secret_given_data needs the prior of the data", "give Problem(prior=...)")
        joint = given / given.sum(axis=0) * self.prior
        marginal = joint.sum(axis=1)
        if np.any(marginal == 0):
            at = int(np.argmin(marginal))
            raise DomainError(
                f"secret_given_data[{at}]", "all zero", "every secret has to be possible", "drop that secret"
            )
        return replace(
            self,
            secret_given_data=given,
            data_given_secret=domains.frozen(joint / marginal[:, None]),
            secret_prior=domains.frozen(marginal / marginal.sum()),
        )

    def _hidden_forward(self, channel: npt.ArrayLike, secret_prior: npt.ArrayLike | None) -> Problem:
        W = domains.stochastic_rows("data_given_secret", channel, columns=self.n)
        if secret_prior is None:
            return replace(self, data_given_secret=W, secret_prior=None, secret_given_data=None)
        pi = domains.positive_distribution("secret_prior", secret_prior, len(W))
        mixture = pi @ (W / W.sum(axis=1, keepdims=True))
        if self.prior is None:
            return replace(self, prior=mixture / mixture.sum(), data_given_secret=W, secret_prior=pi)
        if np.max(np.abs(mixture - self.prior)) > SUM_TO_ONE:
            at = int(np.argmax(np.abs(mixture - self.prior)))
            raise DomainError(
                f"prior[{at}]",
                float(self.prior[at]),
                f"secret_prior @ data_given_secret gives {float(mixture[at])!r} there",
                "leave the prior out, it follows from the secret",
            )
        return replace(self, data_given_secret=W, secret_prior=pi, secret_given_data=None)

    @property
    def is_hidden(self) -> bool:
        """Whether the secret is something else than the input."""
        return self.data_given_secret is not None

    @property
    def secrets(self) -> int:
        """Number of values of the secret."""
        return self.n if self.data_given_secret is None else len(self.data_given_secret)

    @property
    def channel(self) -> Array:
        """``W[s, x] = Pr(X = x | S = s)``, rows of sum one; the identity where the secret is the input."""
        return np.eye(self.n) if self.data_given_secret is None else self._normalised

    @property
    def prior_of_secret(self) -> Array | None:
        """``Pr(S = s)``, summing to one in floating point; None where no prior is known."""
        known = self.secret_prior if self.is_hidden else self.prior
        return None if known is None else known / math.fsum(known)

    def seen_by_secret(self, columns: Array) -> Array:
        """Return ``W @ columns``, shape (k, m)."""
        return columns if self.data_given_secret is None else self._normalised @ columns

    def exactly_seen_by_secret(self, numerators: Integers) -> Integers:
        """Return integers proportional to ``W @ numerators``, all rows still of one sum."""
        if self.data_given_secret is None:
            return numerators
        return product(self._exact_channel, numerators)

    @cached_property
    def _normalised(self) -> Array:
        """The channel of a hidden secret, each row divided by its sum: as the exact check has it, but for rounding."""
        assert self.data_given_secret is not None, "the secret is hidden"
        sums = np.array([math.fsum(row) for row in self.data_given_secret])
        return domains.frozen(self.data_given_secret / sums[:, None])

    @cached_property
    def exact_prior_of_secret(self) -> list[int]:
        """Integers proportional to ``Pr(S = s)``."""
        if self.secret_given_data is not None:
            return [int(total) for total in self._exact_joint.sum(axis=1)]
        known = self.secret_prior if self.is_hidden else self.prior
        if known is None:
            raise DomainError("prior", None, "the exact check needs it", "give Problem(prior=...)")
        return integers(known)

    @cached_property
    def _exact_joint(self) -> Integers:
        assert self.secret_given_data is not None and self.prior is not None
        columns = integer_rows(self.secret_given_data.T)
        joint: Integers = (columns * np.array(integers(self.prior), dtype=object)[:, None]).T
        return joint

    @cached_property
    def _exact_channel(self) -> Integers:
        rows = self._exact_joint if self.secret_given_data is not None else self.data_given_secret
        assert rows is not None
        return integer_rows(rows)

    def named(self, x: int) -> str:
        """Return the label of input `x`, or its index."""
        return self.labels[x] if self.labels is not None else str(x)

    @cached_property
    def centred(self) -> tuple[Array, Array]:
        """The prior and the values less their mean; the values' spread counts as none where it is rounding."""
        if self.prior is None or self.values is None:
            raise DomainError(
                "problem", self, "it has to have a prior and values", "give Problem(prior=..., values=...)"
            )
        prior = self.prior / self.prior.sum()
        # Each value less the exact mean, rounded once: the spread may be far smaller than the values.
        weights, exact_values = integers(self.prior), [Fraction(value) for value in self.values.tolist()]
        common = math.lcm(*(value.denominator for value in exact_values))
        whole, total = [int(value * common) for value in exact_values], sum(weights)
        mean = sum(weight * value for weight, value in zip(weights, whole, strict=True))
        values = np.array([(value * total - mean) / (total * common) for value in whole])
        # What is left of equal values is the rounding of their mean.
        rounding = 8.0 * np.finfo(float).eps * float(np.abs(self.values).max())
        spread = values if float(np.abs(values).max()) > rounding else np.zeros_like(values)
        return domains.frozen(prior), domains.frozen(spread)

    def __repr__(self) -> str:
        shown = [f"n={self.n}"]
        for name in ("prior", "values", "labels"):
            given = getattr(self, name)
            if given is not None:
                shown.append(f"{name}={_short(given)}")
        if self.is_hidden:
            shown.append(f"hidden secret of {self.secrets} values")
        return f"Problem({', '.join(shown)})"


def _short(entries: Sequence[Any] | Array) -> str:
    texts = [f"{e:.6g}" if isinstance(e, float) else repr(e) for e in entries[:4]]
    return f"[{', '.join(texts)}{', ...' if len(entries) > 4 else ''}]"
