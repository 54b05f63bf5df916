"""What of a `Problem` is secret: the input itself, or something that the input is only correlated with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.exact import Integers, integers, product, rounded_rows
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.parameters.labels import named
from mechdesign.problem.exact_parts import ExactParts
from mechdesign.problem.required import required


class HiddenSecret:
    """The secret of a `Problem`, which has the fields below."""

    n: int
    prior: Array | None
    labels: tuple[str, ...] | None
    data_given_secret: Array | None
    secret_prior: Array | None
    secret_given_data: Array | None
    secret_labels: tuple[str, ...] | None
    exact_parts: ExactParts | None

    @cached_property
    def answers(self) -> tuple[str, ...]:
        """What people answer, by name; a `Problem` has labels or values for it."""
        raise NotImplementedError

    def hidden(
        self,
        secret_given_data: npt.ArrayLike | None = None,
        *,
        data_given_secret: npt.ArrayLike | None = None,
        secret_prior: npt.ArrayLike | None = None,
        secret_labels: Sequence[object] | None = None,
    ) -> Self:
        """Return the problem whose secret ``S`` is not the input itself but correlated with it.

        Parameters
        ----------
        secret_given_data : array_like, shape (k, n)
            ``R[s, x] = Pr(S = s | X = x)``: columns are distributions. Needs the prior.
        data_given_secret : array_like, shape (k, n)
            ``W[s, x] = Pr(X = x | S = s)``: rows are distributions.
        secret_prior : array_like, shape (k,)
            ``Pr(S = s)``, beside `data_given_secret`; its mixture has to be the prior within 1e-9.
        secret_labels : sequence of length k, optional
            Distinct names of the secret's values; by default those of the rows of a DataFrame, whose columns are put
            in the order of the problem's labels.

        Returns
        -------
        Problem
            A new problem; notions look at the secret, objectives at the data.

        Notes
        -----
        Exact checks take the numbers given as they are, and divide out the sums of rows and columns. Where that takes
        integers of more than 4096 bits, as beyond some dozens of inputs, entries are rounded by a share of ``2**-128``.
        """
        if (secret_given_data is None) == (data_given_secret is None):
            raise DomainError(
                "hidden",
                "given both or neither channel",
                "one of secret_given_data and data_given_secret describes the secret",
                "give exactly one",
            )
        if data_given_secret is None and secret_prior is not None:
            raise DomainError(
                "secret_prior", "given", "it follows from the prior and secret_given_data", "leave it out"
            )
        return self._with(
            secret_given_data=secret_given_data,
            data_given_secret=data_given_secret,
            secret_prior=secret_prior,
            secret_labels=secret_labels,
        )

    def _with(self, **changes: Any) -> Self:
        return replace(self, **changes)  # type: ignore[type-var] # a problem is a dataclass

    def with_exact_parts(self, parts: ExactParts | None) -> Self:
        """Return the problem with the integers that its distributions are rounded from."""
        if self.exact_parts == parts:
            return self
        made = self._with()
        object.__setattr__(made, "exact_parts", parts)
        return made

    @property
    def is_hidden(self) -> bool:
        """Whether the secret is something else than the input."""
        return self.data_given_secret is not None

    @property
    def secret_is_input(self) -> bool:
        """Whether each value of the secret is one input, in their order, with the same probability: none is hidden."""
        W = self.data_given_secret
        if W is None:
            return True
        if W.shape != (self.n, self.n) or np.count_nonzero(W) != self.n or not np.diag(W).all():
            return False
        if self.prior_of_secret is None or self.prior is None:
            return True
        hidden, own = (np.array(known, dtype=object) for known in (self.exact_prior_of_secret, self.exact_prior))
        return bool(np.all(hidden * own.sum() == own * hidden.sum()))

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

    @property
    def required_prior_of_secret(self) -> Array:
        """``Pr(S = s)``, shape (k,), summing to one in floating point; a DomainError where no prior is known."""
        return required("prior", self.prior_of_secret, "give Problem(prior=...), or hidden(..., secret_prior=...)")

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
        if not self.is_hidden:
            return self.exact_prior
        if self.exact_parts is not None and self.exact_parts.secret_prior is not None:
            return list(self.exact_parts.secret_prior)
        return _integers(self.secret_prior)

    @cached_property
    def exact_prior(self) -> list[int]:
        """Integers proportional to ``Pr(X = x)``."""
        if self.exact_parts is not None and self.exact_parts.prior is not None:
            return list(self.exact_parts.prior)
        return _integers(self.prior)

    @cached_property
    def _exact_joint(self) -> Integers:
        assert self.secret_given_data is not None and self.prior is not None
        columns = rounded_rows(self.secret_given_data.T)
        joint: Integers = (columns * np.array(self.exact_prior, dtype=object)[:, None]).T
        return joint

    @cached_property
    def _exact_channel(self) -> Integers:
        if self.exact_parts is not None and self.exact_parts.channel is not None:
            return np.array(self.exact_parts.channel, dtype=object)
        rows = self._exact_joint if self.secret_given_data is not None else self.data_given_secret
        assert rows is not None, "the secret is hidden"
        return rounded_rows(rows)

    @cached_property
    def deviations(self) -> Array:
        """``W[s, x] - Pr(X = x)``, shape (k, n): each entry is rounded once, however nearly the two agree."""
        channel = self.exactly_seen_by_secret(np.eye(self.n, dtype=int).astype(object))
        prior = np.array(self.exact_prior_of_secret, dtype=object)
        whole = int(prior.sum())
        apart = whole * channel - (prior @ channel)[None, :]
        # Python divides integers of any size.
        return domains.frozen((apart / (whole * int(channel[0].sum()))).astype(float))

    @property
    def secret_letter(self) -> str:
        """The letter for a value of the secret: s, or x if the secret is the input."""
        return "s" if self.is_hidden else "x"

    def of_secrets(self) -> Self:
        """Return the problem in which the values of the secret are the inputs."""
        if not self.is_hidden:
            return self
        return type(self)(n=self.secrets, prior=self.prior_of_secret)  # type: ignore[call-arg] # a problem is a dataclass

    def named_secret(self, s: int) -> str:
        """Return the label of the secret's value `s`, or its index: the input's where the input is the secret."""
        known = named(self.secret_labels, self.secrets) if self.is_hidden else self.answers
        return known[s]

    def checked_secret_labels(self) -> tuple[str, ...] | None:
        """Return the names of a hidden secret's values.

        Raises
        ------
        DomainError
            Names that are missing or not distinct, another number of them, no hidden secret.
        """
        if self.secret_labels is None:
            return None
        if not self.is_hidden:
            rule = "there is no hidden secret: labels name the inputs"
            raise DomainError("secret_labels", self.secret_labels, rule, "give hidden(..., secret_labels=...)")
        found = domains.names("secret_labels", self.secret_labels)
        if len(found) != self.secrets:
            rule = f"it has to have one entry for each of the {self.secrets} secrets"
            raise DomainError("secret_labels", f"of length {len(found)}", rule, "name every secret")
        return found


def _integers(known: Array | None) -> list[int]:
    if known is None:
        raise DomainError("prior", None, "the exact check needs it", "give Problem(prior=...)")
    return integers(known)
