"""What a caller says of a hidden secret ``S``, checked and completed: ``W[s, x] = R[s, x] P[x] / Pr(S = s)``.

There is one reading of ``secret_given_data`` (R), ``data_given_secret`` (W) and ``secret_prior``, whether they reach a
problem by its constructor, by `hidden`, by a file or by `dataclasses.replace`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.parameters.labels import Names, aligned, carried, in_order_of
from mechdesign.problem.labelled import table
from mechdesign.tolerances import SUM_TO_ONE


@dataclass(frozen=True)
class GivenSecret:
    """The description of a hidden secret, as it was given or completed.

    Attributes
    ----------
    secret_given_data : array_like, shape (k, n), or None
        ``Pr(S = s | X = x)``.
    data_given_secret : array_like, shape (k, n), or None
        ``Pr(X = x | S = s)``; None where no secret is hidden.
    secret_prior : array_like, shape (k,), or None
        ``Pr(S = s)``.
    labels : sequence or None
        Names of the secret's values; by default those of the rows of a DataFrame.
    """

    secret_given_data: Any
    data_given_secret: Any
    secret_prior: Any
    labels: Any

    @property
    def data(self) -> int | None:
        """How many data the first channel is for; None without a channel of columns."""
        for channel in (self.secret_given_data, self.data_given_secret):
            try:
                shape: tuple[int, ...] = () if channel is None else np.shape(channel)
            except ValueError:
                # Ragged rows are refused by the check of the channel.
                return len(channel[0]) or None
            if len(shape) == 2 and shape[1]:
                return int(shape[1])
        return None

    def completed(self, prior: Array | None, count: int, data: Names) -> GivenSecret:
        """Return the secret of a problem of `count` data of these names, with all that follows from what is given.

        Raises
        ------
        DomainError
            A part that is no channel or distribution, or that contradicts another.
        """
        said = self._in_order(data)
        if said.secret_given_data is not None:
            return _backward(said, prior, count)
        if said.data_given_secret is not None:
            return _forward(said, prior, count)
        if said.secret_prior is not None:
            rule = "it needs the data that each secret gives"
            remedy = "give data_given_secret too, or leave it out: without a channel the input is the secret"
            raise DomainError("secret_prior", said.secret_prior, rule, remedy)
        return said

    def _in_order(self, data: Names) -> GivenSecret:
        """Return channels and prior as arrays, in the order of the data's names and of the secret's labels."""
        found: dict[str, Array | None] = {"secret_given_data": None, "data_given_secret": None}
        names = None if self.labels is None else domains.names("secret_labels", self.labels)
        prior = self.secret_prior
        for name in found:
            if getattr(self, name) is not None:
                channel, rows, columns = table(name, getattr(self, name))
                names = rows if names is None else names
                if columns is not None:
                    channel = channel[:, in_order_of(name, columns, data, "problem")]
                if rows is not None and names is not None and len(names) == len(rows):
                    channel = channel[in_order_of(name, rows, names, "secret")]
                found[name] = channel
        if prior is not None and carried("secret_prior", prior, 1).rows is not None:
            secrets = next((len(channel) for channel in found.values() if channel is not None), 0)
            prior = aligned("secret_prior", prior, names, secrets, whose="secret")
        return GivenSecret(**found, secret_prior=prior, labels=names)


def mixed(W: Array, secret_prior: Array) -> Array:
    """Return ``Pr(X = x)``, the rows of the channel mixed by the secret's prior.

    Examples
    --------
    >>> mixed(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([0.5, 0.5]))
    array([0.75, 0.25])
    """
    found: Array = secret_prior @ (W / W.sum(axis=1, keepdims=True))
    return found


def _backward(said: GivenSecret, prior: Array | None, count: int) -> GivenSecret:
    R = domains.matrix("secret_given_data", said.secret_given_data, columns=count)
    domains.stochastic_rows("secret_given_data (columns)", R.T)
    if prior is None:
        raise DomainError("prior", None, "secret_given_data needs the prior of the data", "give Problem(prior=...)")
    joint = R / R.sum(axis=0) * prior
    marginal = joint.sum(axis=1)
    if np.any(marginal == 0):
        at = int(np.argmin(marginal))
        raise DomainError(f"secret_given_data[{at}]", "all zero", "every secret has to be possible", "drop that secret")
    W, secret_prior = domains.frozen(joint / marginal[:, None]), domains.frozen(marginal / marginal.sum())
    source = "the prior and secret_given_data"
    _require_same("data_given_secret", said.data_given_secret, W, source)
    _require_same("secret_prior", said.secret_prior, secret_prior, source)
    return GivenSecret(R, W, secret_prior, said.labels)


def _forward(said: GivenSecret, prior: Array | None, count: int) -> GivenSecret:
    W = domains.stochastic_rows("data_given_secret", said.data_given_secret, columns=count)
    if said.secret_prior is None:
        return GivenSecret(None, W, None, said.labels)
    secret_prior = domains.positive_distribution("secret_prior", said.secret_prior, len(W))
    mixture = mixed(W, secret_prior)
    if prior is not None and np.max(np.abs(mixture - prior)) > SUM_TO_ONE:
        at = int(np.argmax(np.abs(mixture - prior)))
        rule = f"secret_prior @ data_given_secret gives {float(mixture[at])!r} there"
        remedy = "leave the prior out, it follows from the secret"
        raise DomainError(f"prior[{at}]", float(prior[at]), rule, remedy)
    return GivenSecret(None, W, secret_prior, said.labels)


def _require_same(name: str, given: Any, derived: Array, source: str) -> None:
    """Raise unless an array that was given beside those it follows from agrees with them within 1e-9."""
    if given is None:
        return
    array = domains.numbers(name, given, derived.ndim)
    if array.shape != derived.shape:
        rule = f"{source} give the shape {derived.shape}"
        raise DomainError(name, f"of shape {array.shape}", rule, "leave it out, it follows from them")
    # A NaN compares as false.
    apart = ~(np.abs(array - derived) <= SUM_TO_ONE)
    if apart.any():
        place, entry = domains.first_of(name, array, apart)
        at = tuple(np.argwhere(apart)[0])
        rule = f"{source} give {float(derived[at])!r} there"
        raise DomainError(place, entry, rule, "leave it out (None), it follows from them")
