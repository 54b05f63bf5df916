"""A test of a hypothesis about coefficients: its statistic, degrees of freedom and p-value."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.errors import DomainError
from mechdesign.parameters.checks import Array


@dataclass(frozen=True)
class HypothesisTest(Displayed):
    """A test whose statistic has a chi-square law if the hypothesis is true and reports are many.

    Attributes
    ----------
    hypothesis : str
        What is tested, in words.
    statistic : float
        Of Wald's test or of the likelihood ratio, at least 0.
    degrees : int
        Degrees of freedom.
    """

    hypothesis: str
    statistic: float
    degrees: int

    @property
    def p_value(self) -> float:
        """The probability of a statistic this large or larger if the hypothesis is true."""
        from scipy.special import chdtrc

        return float(chdtrc(self.degrees, self.statistic))

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return the test in a sentence."""
        freedom = f"{self.degrees} degree{'s' * (self.degrees != 1)} of freedom"
        said = f"{self.hypothesis}: chi-square {self.statistic:.4g} with {freedom}, p-value {self.p_value:.3g}."
        return (Lines("", (said,)),)


def wald(hypothesis: str, lines: Array, estimates: Array, covariance: Array) -> HypothesisTest:
    """Return Wald's test that ``lines @ estimates`` is 0.

    Raises
    ------
    DomainError
        Lines of which one is a combination of the others.

    Examples
    --------
    >>> test = wald("both are 0", np.eye(2), np.array([3.0, 4.0]), np.eye(2))
    >>> test.statistic, test.degrees
    (25.0, 2)
    """
    if np.linalg.matrix_rank(lines) < len(lines):
        rule = "a line of it is 0, or a combination of the others"
        raise DomainError("term", f"a matrix of {len(lines)} lines", rule, "leave that line out")
    moved = lines @ estimates
    statistic = moved @ np.linalg.solve(lines @ covariance @ lines.T, moved)
    return HypothesisTest(hypothesis, max(float(statistic), 0.0), len(lines))
