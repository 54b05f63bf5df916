"""The estimate of a mechanism: from reports or their counts, of a simple sample or of a survey."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, overload

import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.estimation.estimating import Estimate
from mechdesign.estimation.from_reports import estimated, with_warning
from mechdesign.estimation.given_reports import given_reports
from mechdesign.estimation.identifiability import Identifiability, identifiability
from mechdesign.estimation.numbers_of_people import Method
from mechdesign.estimation.records import By, counted, in_order_of_outputs, whole_counts
from mechdesign.estimation.surveys.entry import of_survey
from mechdesign.estimation.surveys.grouped import GroupedEstimate
from mechdesign.estimation.surveys.reading import Drawn
from mechdesign.estimation.surveys.replicates import Replicates
from mechdesign.exact import Integers, dyadic
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem


class EstimateVerb:
    """A matrix of which reports are drawn, and `estimate` by it; a `Mechanism` has the matrix and its `inputs`."""

    matrix: Array
    outputs: tuple[str, ...]

    @property
    def inputs(self) -> Problem:
        """The problem over the rows of the matrix."""
        # `Mechanism` has the problem.
        raise NotImplementedError

    @cached_property
    def numerators(self) -> Integers:
        """The matrix as integers over ``2**53``: each row sums to exactly that.

        Raises
        ------
        DomainError
            The matrix is not of that kind.
        """
        found = dyadic(self.matrix)
        if found is None:
            rule = "its entries have to be multiples of 2**-53 whose rows sum to exactly 1"
            raise DomainError(
                "matrix", "another one", rule, "design the mechanism, so that it can be drawn from exactly"
            )
        return found

    @cached_property
    def identifiability(self) -> Identifiability:
        """Which linear functionals of the population's frequencies are identified by reports, and which are not."""
        return identifiability(self.numerators)

    @overload
    def estimate(
        self,
        reports: Any = None,
        *,
        counts: Any = None,
        method: Method = "likelihood",
        weights: npt.ArrayLike | None = None,
        strata: Any = None,
        clusters: Any = None,
        population: Any = None,
        replicate_weights: npt.ArrayLike | None = None,
        replicates: Replicates | str | None = None,
        groups: None = None,
        by: By | None = None,
        missing: Any = None,
        drop_missing: bool = False,
    ) -> Estimate: ...

    @overload
    def estimate(
        self,
        reports: Any,
        *,
        counts: None = None,
        method: Method = "likelihood",
        weights: npt.ArrayLike | None = None,
        strata: Any = None,
        clusters: Any = None,
        population: Any = None,
        replicate_weights: npt.ArrayLike | None = None,
        replicates: Replicates | str | None = None,
        groups: Any,
        by: By | None = None,
        missing: Any = None,
        drop_missing: bool = False,
    ) -> GroupedEstimate: ...

    def estimate(
        self,
        reports: Any = None,
        *,
        counts: Any = None,
        method: Method = "likelihood",
        weights: npt.ArrayLike | None = None,
        strata: Any = None,
        clusters: Any = None,
        population: Any = None,
        replicate_weights: npt.ArrayLike | None = None,
        replicates: Replicates | str | None = None,
        groups: Any = None,
        by: By | None = None,
        missing: Any = None,
        drop_missing: bool = False,
    ) -> Estimate | GroupedEstimate:
        """Return estimates of the population's frequencies from its reports, with covariance and confidence intervals.

        Parameters
        ----------
        reports : array_like, Series or mapping, optional
            A report of each person: integers are numbers of outputs, as `sample` returns them; texts, true and false,
            and categories are names of outputs. A mapping has counts.
        counts : array_like of int of shape (m,), mapping or Series, optional
            The reports of each output, in place of `reports`: by the names of outputs where it carries labels, such as
            ``answers.value_counts()``; an output without a label there has none.
        method : {"likelihood", "unbiased"}
            "likelihood": the distribution that makes the reports likeliest, with a proof of how nearly it does.
            "unbiased": the best linear estimate by the covariance at that one; its frequencies may be negative. With
            any of the following but `groups` it is the linear one, with the variance of the sampling design.
        weights : array_like, optional
            The survey weight of each report, in their order: how many people of the population the person stands for.
        strata : sequence of labels, optional
            The stratum that each person was drawn from.
        clusters : sequence of labels, optional
            The cluster that each person was drawn with (school, village, household), numbered within strata.
        population : number, mapping or Series, optional
            How many units (clusters if there are some, else people) the population has: a size for each stratum by its
            label, or a number without strata. The part of the variance that is due to drawing people is then less by
            the share that was drawn; the mechanism's own noise stays.
        replicate_weights : array_like, shape (reports, R), optional
            The weight of each report in each replicate, in place of strata and clusters.
        replicates : {"brr", "jk1", "bootstrap"} or Replicates, optional
            How replicate weights were made.
        groups : sequence of labels, optional
            The group of each person, such as a region that is known anyway: an estimate for each.
        by : {"label", "index"}, optional
            What the reports are, if it is not as above: names of outputs, or their numbers from 0.
        missing : str, number or sequence, optional
            Codes of a missing report, beside None and NaN, which `drop_missing` leaves out.
        drop_missing : bool
            Whether missing reports are left out. The estimate is then of the people who reported: it is one of all
            people only if refusing to report does not depend on the answer. People who refuse before their answer is
            randomised are another matter: ``Problem.from_records(missing=...)`` makes refusing an answer.

        Returns
        -------
        Estimate or GroupedEstimate
            ``frequencies``, ``interval(level)``, ``functional(weights)``, ``mean(values)``, ``total(size)``; what the
            reports do not identify is refused there, with what to design instead. With `groups` a mapping from each
            group to its estimate.

        Raises
        ------
        DomainError
            Neither or both of reports and counts; reports that are missing or no outputs of this mechanism, a code of
            missing ones that is an output; counts of another length, negative or fractional; nothing at all; another
            method; weights, strata, clusters or groups beside counts, of another length or with missing entries;
            weights that are negative or all zero; a stratum of which one cluster was drawn; a population smaller than
            the sample; replicate weights without their kind, or beside strata.

        Warns
        -----
        FitWarning
            The reports do not fit the design: no population gives such reports, but with a probability below 0.001.
        DataWarning
            Integers that were taken for numbers of outputs and are names of other outputs; missing reports were left
            out.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
        >>> reports = response.simulate(["no"] * 8000 + ["yes"] * 2000, seed=1)
        >>> low, high = response.estimate(reports).interval(0.95)[1]
        >>> bool(low < 0.2 < high < 0.25)
        True
        >>> [round(float(share), 2) for share in response.estimate(["no"] * 60 + ["yes"] * 40).frequencies]
        [0.72, 0.28]
        """
        if isinstance(reports, Mapping) and counts is None:
            reports, counts = None, reports
        if (reports is None) == (counts is None):
            given = "neither of them" if reports is None else "both of them"
            rule = "an estimate takes one"
            raise DomainError("reports and counts", given, rule, "give reports, or the counts of each output")
        drawn = Drawn(weights, strata, clusters, population, replicate_weights, replicates)
        columns = (*drawn.given, *([] if groups is None else ["groups"]))
        drawn.require_one_order(reports, groups)
        if columns and reports is None:
            rule = "counts do not say whose report is whose"
            raise DomainError(columns[0], "given beside counts", rule, "give reports, one for each entry")
        numerators, known = self.numerators, self.identifiability
        if reports is None:
            found = whole_counts(in_order_of_outputs(counts, self.outputs), len(self.outputs))
            return with_warning(estimated(numerators, found, self.inputs, method, known))
        read = given_reports(reports, self.outputs, by, missing, drop_missing)
        if not columns:
            return with_warning(
                estimated(numerators, counted(read.outputs, len(self.outputs)), self.inputs, method, known)
            )
        people = (reports, read.outputs.reshape(-1))
        if read.present is not None:
            drawn, groups, people = drawn.of(read, reports), read.beside("groups", groups, reports), (None, people[1])
        return of_survey(numerators, people, drawn, groups, problem=self.inputs, method=method, known=known)
