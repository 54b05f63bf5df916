"""Predicted probabilities of answers, with standard errors by the delta method."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from mechdesign.displays import Block, Displayed, Lines, Table
from mechdesign.errors import DomainError
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
    """

    inputs: tuple[str, ...]
    probabilities: Array
    standard_errors: Array

    def interval(self, level: float = LEVEL) -> Array:
        """Return a confidence interval of each probability, shape (people, n, 2), within 0 and 1.

        It is symmetric about the log-odds ``ln(p / (1 - p))``, whose standard error is the one of p over ``p (1 - p)``.

        Raises
        ------
        DomainError
            A level that is not between 0 and 1.
        """
        p = np.clip(self.probabilities, np.finfo(float).tiny, 1.0 - np.finfo(float).epsneg)
        odds = np.log(p) - np.log1p(-p)
        reach = quantile_of(level) * self.standard_errors / (p * (1.0 - p))
        return frozen(np.stack([1.0 / (1.0 + np.exp(-(odds + sign * reach))) for sign in (-1.0, 1.0)], axis=-1))

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
    return NormalDist().inv_cdf(0.5 + near / 2.0)


def predicted(columns: Array, coefficients: Array, covariance: Array) -> tuple[Array, Array]:
    """Return probabilities of the reference and of the other answers, with standard errors, shape (people, n) each.

    Parameters
    ----------
    columns : ndarray, shape (people, k)
    coefficients : ndarray, shape (n - 1, k)
    covariance : ndarray, shape (d, d), d = (n - 1) k
    """
    scores = np.column_stack([np.zeros(len(columns)), columns @ coefficients.T])
    found = np.exp(scores - scores.max(axis=1, keepdims=True))
    found /= found.sum(axis=1, keepdims=True)
    step = max(AT_ONCE // (found.shape[1] * len(covariance)), 1)
    parts = [slice(start, start + step) for start in range(0, len(columns), step)]
    return found, np.vstack([_errors(columns[rows], found[rows], covariance) for rows in parts])


def _errors(columns: Array, law: Array, covariance: Array) -> Array:
    moved = law[:, :, None] * (np.eye(law.shape[1])[None, :, 1:] - law[:, None, 1:])
    slopes = (moved[:, :, :, None] * columns[:, None, None, :]).reshape(*law.shape, -1)
    return np.asarray(np.sqrt(np.maximum(((slopes @ covariance) * slopes).sum(axis=-1), 0.0)))
