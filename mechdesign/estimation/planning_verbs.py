"""The verbs of a mechanism by which a survey is planned: sample size and power."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.estimation import planning
from mechdesign.estimation.identifiability import Identifiability, require_identifiable
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


class PlanningVerbs:
    """The verbs of a `Mechanism` by which a survey is planned; they ask for its matrix and its inputs."""

    matrix: Array

    @property
    def shape(self) -> tuple[int, int]:
        """How many inputs and outputs it has."""
        # `Mechanism` knows it.
        raise NotImplementedError

    @property
    def inputs(self) -> Problem:
        """The problem over the rows of the matrix."""
        # `Mechanism` has the problem.
        raise NotImplementedError

    @property
    def identifiability(self) -> Identifiability:
        """Which linear functionals of the population's frequencies are identified by reports, and which are not."""
        # `Verbs` finds it in the matrix.
        raise NotImplementedError

    def variances_planned(self, theta: Array, lines: Array | None = None) -> Array:
        """Return the variance of each estimated share of a population, or of other lines, times the number of reports.

        Raises
        ------
        UnsupportedError
            The reports do not identify all frequencies.
        """
        if lines is None:
            n = self.inputs.n
            require_identifiable(self.identifiability, np.eye(n), "the frequencies", self.inputs)
            lines = np.eye(n) - 1.0 / n
        return planning.planned(self, theta, planning.MOST).variances(lines) * planning.MOST

    def people_needed(
        self,
        error: float | None = None,
        level: float = 0.95,
        *,
        difference: float | None = None,
        power: float | None = None,
        theta: npt.ArrayLike | None = None,
        of: Any = None,
        queries: Any = None,
    ) -> int:
        """Return how many people have to report so that intervals of shares are short, or a difference is found.

        For an error it is ``ceil(z^2 max_x C[x, x] / error^2)``, z the normal quantile of the level and C the
        covariance of the best unbiased estimate from one report: intervals of that many reports have about this
        half-width, most of them less. For a difference it is the least number in each of two groups with that `power`.

        Parameters
        ----------
        error : float, optional
            The half-width that the widest interval of a share may have, above 0 and below 1; or that of a query.
        level : float
            Of the intervals or of the test, above 0 and below 1.
        difference : float, optional
            In place of `error`: by how much a share differs between two groups; see `power`.
        power : float, optional
            The probability that the test finds the difference; 0.8 by default.
        theta : array_like, shape (n,), optional
            The population that is planned for: without it the prior, or equal frequencies where there is none.
        of : str or int, optional
            The answer whose share differs; see `power`.
        queries : array_like of shape (p, n), or {"prefix", "ranges"}, optional
            Linear queries, as `estimate.queries` takes them, whose intervals are planned for in place of shares.

        Returns
        -------
        int
            At least 1; for a difference the people in each group.

        Raises
        ------
        DomainError
            Neither or both of error and difference; an error, difference, power or level outside of its range; a theta
            that is no distribution over the inputs; queries beside a difference, or all constant.
        UnsupportedError
            No number of reports identifies all frequencies, or all queries.

        Examples
        --------
        >>> import mechdesign as md
        >>> survey = md.Problem(labels=["no", "yes"])
        >>> response = md.baselines.randomised_response(survey, 1.0)
        >>> response.people_needed(error=0.01), response.people_needed(difference=0.1, power=0.9)
        (44971, 2450)
        """
        if queries is not None:
            refused = {"difference": difference, "power": power, "of": of}
            return planning.people_for_queries(self, error, level, queries, theta, refused)
        return planning.people_needed(self, error, level, difference=difference, power=power, theta=theta, of=of)

    def power(
        self,
        difference: float,
        people: int,
        level: float = 0.95,
        *,
        theta: npt.ArrayLike | None = None,
        of: Any = None,
    ) -> float:
        """Return the power of a test that a share differs between two groups, of `people` reports each.

        The test is two-sided, and finds a difference whose estimate is farther from 0 than z of its standard errors:
        ``Phi(d / s - z) + Phi(-d / s - z)``, with ``s^2 = (C_1[x, x] + C_2[x, x]) / people`` of the covariances of the
        best unbiased estimate from one report of either group.

        Parameters
        ----------
        difference : float
            How much larger the share is in the second group, not 0; its other shares are smaller by one factor.
        people : int
            Who report in each group.
        level : float
            Of the test, above 0 and below 1: 0.95 finds a difference where there is none in 5 of 100 surveys.
        theta : array_like, shape (n,), optional
            The population of the first group: without it the prior, or equal frequencies where there is none.
        of : str or int, optional
            The answer whose share differs; by default the one that is estimated worst, of several the last.

        Returns
        -------
        float
            Between ``1 - level`` and 1.

        Raises
        ------
        DomainError
            A difference that is 0 or leaves no share in the second group; people below 1; a level outside of its
            range; a theta that is no distribution over the inputs; another answer.
        UnsupportedError
            No number of reports identifies all frequencies.

        References
        ----------
        R. Ulrich, H. Schröter, H. Striegel, P. Simon, "Asking Sensitive Questions: A Statistical Power Analysis of
        Randomized Response Models", Psychological Methods 17 (2012).

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
        >>> round(response.power(0.1, 2450), 4)
        0.9
        """
        count = domains.whole("people", people, 1, domains.MOST_PEOPLE)
        return planning.planned_test(self, difference, level, theta, of).power(count)
