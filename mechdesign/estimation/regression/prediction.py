"""Predicted probabilities of answers, with standard errors by the delta method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.errors import DomainError
from mechdesign.estimation.intervals import quantile
from mechdesign.files.tables import Tabular
from mechdesign.parameters.checks import Array, frozen, real

#: The columns of the table, whose intervals have this level.
COLUMNS = ("person", "input", "probability", "standard_error", "low", "high")
LEVEL = 0.95
#: Entries of derivatives that are held at once.
AT_ONCE = 1 << 22


@dataclass(frozen=True, eq=False)
class Prediction(Tabular, Displayed):
    """The probability of each answer of people with given covariates, as `Regression.predict` returns it.

    Attributes
    ----------
    inputs : tuple of str
        The names of the answers.
    probabilities : ndarray, shape (people, n)
        Each row sums to one.
    standard_errors : ndarray, shape (people, n)
        By the delta method.
    log_odds, log_odds_errors : ndarray, shape (people, n)
        ``ln(p / (1 - p))`` of each, with its standard error: both are right where p is 0 or 1 up to rounding.
    """

    inputs: tuple[str, ...]
    probabilities: Array
    standard_errors: Array
    log_odds: Array
    log_odds_errors: Array

    def interval(self, level: float = LEVEL) -> Array:
        """Return a confidence interval of each probability, shape (people, n, 2), within 0 and 1.

        It is symmetric about the log-odds ``ln(p / (1 - p))``.

        Raises
        ------
        DomainError
            A level that is not between 0 and 1.
        """
        from scipy.special import expit

        reach = quantile_of(level) * self.log_odds_errors
        return frozen(np.stack([expit(self.log_odds + sign * reach) for sign in (-1.0, 1.0)], axis=-1))

    def _columns(self) -> tuple[str, ...]:
        return COLUMNS

    def _records(self) -> list[dict[str, Any]]:
        ends = self.interval().reshape(-1, 2)
        numbers = np.column_stack([self.probabilities.reshape(-1), self.standard_errors.reshape(-1), ends]).tolist()
        heads = [(person, name) for person in range(len(self.probabilities)) for name in self.inputs]
        return [dict(zip(COLUMNS, (*head, *row), strict=True)) for head, row in zip(heads, numbers, strict=True)]

    def __repr__(self) -> str:
        return "Prediction(people={}, n={})".format(*self.probabilities.shape)

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return a row for each person and answer."""
        rows = self._records()

        def row(k: int) -> tuple[str, ...]:
            return (str(rows[k]["person"]), str(rows[k]["input"]), *(f"{rows[k][name]:.6f}" for name in COLUMNS[2:]))

        heads = ("person", "input", "probability", "standard error", "95 % from", "to")
        said = "Probabilities of answers by covariates, standard errors by the delta method."
        return (Lines("Prediction", (said,)), Table.of("", heads, len(rows), row, ("input",)))


def quantile_of(level: Any) -> float:
    """Return the normal quantile of the two-sided intervals of a level.

    Raises
    ------
    DomainError
        A level that is not between 0 and 1.

    Examples
    --------
    >>> round(quantile_of(0.95), 4)
    1.96
    """
    near = real("level", level, 0.0, 1.0)
    if not 0.0 < near < 1.0:
        raise DomainError("level", level, "it has to be between 0 and 1", "give 0.95, say")
    return quantile(near)


def predicted(columns: Array, coefficients: Array, covariance: Array) -> tuple[Array, Array, Array, Array]:
    """Return probabilities of the reference and of the other answers, and their log-odds, with standard errors of both.

    Parameters
    ----------
    columns : ndarray, shape (people, k)
    coefficients : ndarray, shape (n - 1, k)
    covariance : ndarray, shape (d, d), d = (n - 1) k

    Returns
    -------
    probabilities, standard_errors, log_odds, log_odds_errors : ndarray, shape (people, n)
    """
    with np.errstate(over="ignore", invalid="ignore"):
        scores = np.column_stack([np.zeros(len(columns)), columns @ coefficients.T])
    if not np.isfinite(scores).all():
        at = int(np.argmin(np.isfinite(scores).all(axis=1)))
        rule, remedy = "the scores of its answers are beyond floats", "give covariates like those that were fitted"
        raise DomainError(f"covariates, row {at}", "too large", rule, remedy)
    step = max(AT_ONCE // (scores.shape[1] * max(len(covariance), scores.shape[1])), 1)
    parts = [slice(start, start + step) for start in range(0, len(columns), step)]
    found = [_of_people(columns[rows], scores[rows], covariance) for rows in parts]
    law, odds, errors = (np.vstack(each) for each in zip(*found, strict=True))
    return law, law * np.exp(_log_of_rest(law, odds)) * errors, odds, errors


def _log_of_rest(law: Array, odds: Array) -> Array:
    """Return ``ln(1 - p)``, by the log-odds where p is nearly 1."""
    return np.where(law < 0.5, np.log1p(-np.minimum(law, 0.5)), -np.logaddexp(0.0, odds))


def _of_people(columns: Array, scores: Array, covariance: Array) -> tuple[Array, Array, Array]:
    """Return the probabilities, their log-odds, and the standard errors of these, shape (people, n) each."""
    n = scores.shape[1]
    # Of each answer the law of the others among themselves, in which nothing cancels: shape (people, n, n).
    others = np.where(np.eye(n, dtype=bool), -np.inf, scores[:, None, :])
    most = others.max(axis=2, keepdims=True)
    weights = np.exp(others - most)
    total = weights.sum(axis=2, keepdims=True)
    odds = scores - (most + np.log(total))[:, :, 0]
    moved = (np.eye(n) - weights / total)[:, :, 1:]
    slopes = (moved[:, :, :, None] * columns[:, None, None, :]).reshape(*scores.shape, -1)
    # By their sizes, so that squares neither overflow nor vanish.
    sizes = np.maximum(np.abs(slopes).max(axis=-1), np.finfo(float).tiny)
    slopes = slopes / sizes[:, :, None]
    errors = sizes * np.sqrt(np.maximum(((slopes @ covariance) * slopes).sum(axis=-1), 0.0))
    return np.exp(-np.logaddexp(0.0, -odds)), odds, errors
