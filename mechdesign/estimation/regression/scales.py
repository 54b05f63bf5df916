"""Covariates as columns without correlation: Newton's steps are then the same in whichever units they are measured."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.errors import DomainError
from mechdesign.estimation.regression.covariates import INTERCEPT, Covariates
from mechdesign.parameters.checks import Array

#: A column of which less than this share is no combination of the columns before it is one.
COLLINEAR = 1e-9
#: Weights of a combination below this are rounding.
WEIGHED = 1e-6


@dataclass(frozen=True, eq=False)
class Scales:
    """Columns whose products have the mean 0, and squares the mean 1, and how coefficients are brought to them.

    Attributes
    ----------
    columns : ndarray, shape (p, k)
        ``U`` with ``U T = Z``, Z the covariates.
    triangle : ndarray, shape (k, k)
        ``T``, upper triangular.
    spreads : ndarray, shape (k,)
        The standard deviation of each covariate; 1 of a constant one.
    """

    columns: Array
    triangle: Array
    spreads: Array

    def forth(self, coefficients: Array) -> Array:
        """Return the coefficients of U for coefficients of Z, shape (n - 1, k)."""
        return np.asarray(coefficients @ self.triangle.T)

    def back(self, coefficients: Array) -> Array:
        """Return the coefficients of Z for coefficients of U, shape (n - 1, k)."""
        return np.asarray(np.linalg.solve(self.triangle, coefficients.T).T)

    def covariance_back(self, covariance: Array) -> Array:
        """Return the covariance of coefficients of Z for one of coefficients of U, shape (d, d)."""
        kinds = len(covariance) // len(self.triangle)
        turn = np.kron(np.eye(kinds), np.linalg.inv(self.triangle))
        return np.asarray(turn @ covariance @ turn.T)


def scaled(columns: Array, weights: Array, known: Covariates) -> Scales:
    """Return the columns without correlation.

    Parameters
    ----------
    columns : ndarray, shape (p, k)
    weights : ndarray, shape (p,)
        How many people each row stands for.
    known : Covariates
        The names of the columns.

    Raises
    ------
    DomainError
        A column that is a combination of those before it, a constant one beside the intercept among them.

    Examples
    --------
    >>> known, columns = Covariates.of([1.0, 2.0, 6.0], intercept=True)
    >>> made = scaled(columns, np.ones(3), known)
    >>> bool(np.allclose(made.columns.T @ made.columns / 3, np.eye(2)))
    True
    """
    sizes = np.abs(columns).max(axis=0)
    sizes[sizes == 0.0] = 1.0
    shares = weights / weights.sum()
    rooted = columns / sizes * np.sqrt(shares)[:, None]
    triangle = np.asarray(np.linalg.qr(np.vstack([rooted, np.zeros((columns.shape[1],) * 2)]), mode="r"))
    _require_independent(triangle, columns, known)
    signed = triangle * np.sign(np.diag(triangle))[:, None]
    made = np.linalg.solve(signed.T, (columns / sizes).T).T
    centred = columns / sizes - shares @ (columns / sizes)
    spreads = sizes * np.sqrt(shares @ centred**2)
    return Scales(made, signed * sizes, np.where(np.ptp(columns, axis=0) > 0.0, spreads, 1.0))


def _require_independent(triangle: Array, columns: Array, known: Covariates) -> None:
    lengths = np.linalg.norm(triangle, axis=0)
    dependent = np.flatnonzero(np.abs(np.diag(triangle)) <= COLLINEAR * lengths)
    if not dependent.size:
        return
    j = int(dependent[0])
    term = known.terms[j]
    if np.ptp(columns[:, j]) == 0.0:
        rule, remedy = "a column of zeros has no coefficient", "leave it out"
        if columns[0, j] != 0.0:
            rule = "the intercept is such a column already" if known.intercept else "another column is constant already"
            remedy += ", or give intercept=False" if known.intercept else ""
        raise DomainError(f'covariates["{term}"]', f"{columns[0, j]:g} for everybody", rule, remedy)
    shares = np.linalg.lstsq(triangle[:, :j], triangle[:, j], rcond=None)[0]
    others = [name for name, share in zip(known.terms[:j], shares, strict=True) if abs(share) > WEIGHED]
    named = ", ".join(others or [INTERCEPT])
    rule = "its coefficient is not determined beside theirs"
    raise DomainError(f'covariates["{term}"]', f"a combination of {named}", rule, "leave one of them out")
