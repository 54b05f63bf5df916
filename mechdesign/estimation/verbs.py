"""What one does with a mechanism: plan a survey, draw reports, and estimate from them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.estimation import estimating, sampling
from mechdesign.estimation.estimating import Estimate, Method
from mechdesign.estimation.identifiability import Identifiability, identifiability
from mechdesign.estimation.planning_verbs import PlanningVerbs
from mechdesign.estimation.posterior import Posterior, posterior
from mechdesign.estimation.records import By, counted, in_order_of_outputs, indices, require_one_order, whole_counts
from mechdesign.estimation.regression import Family, Regression, fitting
from mechdesign.estimation.sampling import Indices
from mechdesign.estimation.weighted import WeightedEstimate
from mechdesign.estimation.weighted_reports import weighted
from mechdesign.exact import Integers, dyadic

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure


class Verbs(PlanningVerbs):
    """The verbs of a `Mechanism`, which has a `matrix` and says which `inputs` it takes."""

    outputs: tuple[str, ...]

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

    def sample(self, records: Any, *, by: By | None = None, missing: Any = None) -> Indices:
        """Return a report for each record, drawn from its row of the matrix to the last bit.

        The randomness is the operating system's; each report takes the same number of operations. Draw one report for
        each person and keep it: several reports of one person say more, and their mean says nearly everything.

        Parameters
        ----------
        records : object, sequence or array of any shape
            Labels, each matched by its ``str``; of a problem without labels the values, matched as numbers; of one
            without either the indices of inputs.
        by : {"label", "index"}, optional
            What the records are, where it is not as above: "index" for indices; "label" for labels or values.
        missing : str, number or sequence, optional
            Codes of a missing answer, beside None and NaN, for a mechanism that has the answer ``"missing"``
            (`Problem.from_records`).

        Returns
        -------
        ndarray of int
            Numbers of outputs, in the shape of `records`; of a single record a single number.

        Raises
        ------
        DomainError
            Missing records, labels that the problem does not have, indices out of range, texts among numbers.
        RandomnessError
            The operating system gave no randomness, or too little; then nothing is returned.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
        >>> response.sample(["no", "yes", "no"]).shape
        (3,)
        """
        return self._drawn(indices(records, self.inputs, by, missing))[()]

    def simulate(
        self, records: Any, seed: int | np.random.Generator, *, by: By | None = None, missing: Any = None
    ) -> Indices:
        """Return a simulated report for each record, drawn by numpy's generator: for experiments, never for release.

        Parameters
        ----------
        records : object, sequence or array of any shape
            As `sample` takes them.
        seed : int or numpy.random.Generator
            Whoever knows it knows the noise.
        by : {"label", "index"}, optional
            As `sample` takes it.
        missing : str, number or sequence, optional
            As `sample` takes it.

        Returns
        -------
        ndarray of int
            Numbers of outputs, in the shape of `records`; of a single record a single number.

        Raises
        ------
        DomainError
            What `sample` refuses; a seed that is no whole number of at least 0 and no generator.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
        >>> bool((response.simulate(["no"] * 9, seed=1) == response.simulate(["no"] * 9, seed=1)).all())
        True
        """
        generator = seed if isinstance(seed, np.random.Generator) else np.random.default_rng(_seed(seed))
        return self._drawn(indices(records, self.inputs, by, missing), generator)[()]

    @overload
    def estimate(
        self,
        reports: Any = None,
        *,
        counts: npt.ArrayLike | None = None,
        method: Method = "likelihood",
        weights: None = None,
    ) -> Estimate: ...

    @overload
    def estimate(self, reports: Any, *, weights: npt.ArrayLike) -> WeightedEstimate: ...

    def estimate(
        self,
        reports: Any = None,
        *,
        counts: npt.ArrayLike | None = None,
        method: Method = "likelihood",
        weights: npt.ArrayLike | None = None,
    ) -> Estimate | WeightedEstimate:
        """Return estimates of the population's frequencies from its reports, with covariance and confidence intervals.

        Parameters
        ----------
        reports : array_like of int, optional
            The number of an output for each person, of any shape.
        counts : array_like of int of shape (m,), mapping or Series, optional
            The reports of each output, in place of `reports`: by the names of outputs where it carries labels, such as
            ``answers.value_counts()``; an output without a label there has none.
        method : {"likelihood", "unbiased"}
            "likelihood": the distribution that makes the reports likeliest, with a proof of how nearly it does.
            "unbiased": the best linear estimate by the covariance at that one; its frequencies may be negative.
        weights : array_like, optional
            The survey weight of each report, in their order: how many people of the population the person stands for.
            The estimate is then the linear one, with the variance of unequal weights.

        Returns
        -------
        Estimate or WeightedEstimate
            ``frequencies``, ``interval(level)``, ``functional(weights)``, ``mean(values)``, ``total(size)``; what the
            reports do not identify is refused there, with what to design instead.

        Raises
        ------
        DomainError
            Neither or both of reports and counts; reports that are missing, no integers or no outputs of this
            mechanism; counts of another length, negative or fractional; nothing at all; another method; weights beside
            counts, of another length, negative or all zero.

        Warns
        -----
        FitWarning
            The reports do not fit the design: no population gives such reports, but with a probability below 0.001.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
        >>> reports = response.simulate(["no"] * 8000 + ["yes"] * 2000, seed=1)
        >>> low, high = response.estimate(reports).interval(0.95)[1]
        >>> bool(low < 0.2 < high < 0.25)
        True
        """
        if (reports is None) == (counts is None):
            given = "neither of them" if reports is None else "both of them"
            rule = "an estimate takes one"
            raise DomainError("reports and counts", given, rule, "give reports, or the counts of each output")
        outputs = self.matrix.shape[1]
        if weights is not None:
            if reports is None:
                rule = "counts do not say whose report is whose"
                raise DomainError("weights", "given beside counts", rule, "give reports, one for each weight")
            require_one_order(reports, weights)
            return weighted(self.numerators, reports, weights, self.inputs, self.identifiability)
        found = (
            whole_counts(in_order_of_outputs(counts, self.outputs), outputs)
            if reports is None
            else counted(reports, outputs)
        )
        return estimating.estimated(self.numerators, found, self.inputs, method, self.identifiability)

    def posterior(self, prior: npt.ArrayLike | None = None) -> Posterior:
        """Return the distribution of the input given each output, under `prior` or that of the problem.

        Parameters
        ----------
        prior : array_like, shape (n,), optional
            Probabilities of the inputs.

        Returns
        -------
        Posterior
            ``probabilities``, ``of(reports)``, ``guess(reports)``, ``mean(reports)``.

        Raises
        ------
        DomainError
            No prior, or one that is no distribution over the inputs.

        Examples
        --------
        >>> import mechdesign as md
        >>> mechanism = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"])
        >>> mechanism.posterior([0.5, 0.5]).guess([0, 1, 1]).tolist()
        [0, 1, 1]
        """
        return posterior(self.matrix, self.inputs, prior)

    def regression(
        self,
        reports: Any,
        covariates: Any,
        family: Family = "logistic",
        *,
        intercept: bool = True,
        reference: Any = None,
        weights: npt.ArrayLike | None = None,
    ) -> Regression:
        """Return the regression of the hidden answers on covariates, by maximum likelihood through the matrix.

        It maximises ``sum_i ln sum_x Pr(x | z_i) Q[x, y_i]`` with ``Pr(x | z) = exp(z'b_x) / sum_v exp(z'b_v)`` by
        Newton's method, from the estimated population on, and proves how near a maximum it ended.

        Parameters
        ----------
        reports : array_like of int, shape (people,)
            The number of an output for each person.
        covariates : array_like of shape (people,) or (people, k), column, table, mapping of columns, or None
            What is known of each person: numbers, truths, or texts and categories, which become an indicator of each
            level but the first. None is the regression on the intercept alone.
        family : {"logistic", "multinomial"}
            "logistic" for two answers, "multinomial" for any number.
        intercept : bool
            Whether a column of ones is put before the covariates.
        reference : str or int, optional
            The answer whose coefficients are 0; the first one by default.
        weights : array_like, shape (people,), optional
            The survey weight of each report; covariances are then the sandwich of Hessian and scores.

        Returns
        -------
        Regression
            ``coefficients``, ``covariance``, ``interval(level)``, ``wald(term)``, ``likelihood_ratio(other)``,
            ``predict(covariates)``, ``odds_ratios``, ``to_pandas()``.

        Raises
        ------
        DomainError
            Reports that are no outputs; covariates that are missing, of another length or another index, constant
            beside the intercept, or collinear; a coefficient that runs to infinity, as the covariate separates
            reports; another family or reference.
        UnsupportedError
            The reports do not identify all frequencies.
        SolverError
            No maximum was proved.

        Warns
        -----
        FitWarning
            The reports do not fit the design, whatever the population.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 4.0)
        >>> ages = [20, 30, 40, 50] * 100
        >>> reports = response.simulate([0, 0, 0, 1, 0, 1, 1, 1] * 50, seed=1, by="index")
        >>> found = response.regression(reports, {"age": ages})
        >>> found.terms, bool(found.coefficients[0, 1] > 0), found.gap < 1e-6
        (('intercept', 'age'), True, True)
        """
        return fitting.regression(self, reports, covariates, family, intercept, reference, weights)

    def plot(
        self, ax: Axes | Figure | None = None, *, rows: Any = None, columns: Any = None, largest: Any = None
    ) -> Figure:
        """Draw the matrix as a heat map, and return the figure.

        As `mechdesign.plotting.heat_map` does, which says what the parameters are and what is refused.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"]).plot().axes[0].get_xlabel()
        'output y'
        """
        from mechdesign.plotting import heat_map

        return heat_map(self, ax, rows=rows, columns=columns, largest=largest)

    def _drawn(self, records: Indices, generator: np.random.Generator | None = None) -> Indices:
        """Return an output for each record: exactly, or from numpy's generator."""
        if generator is None:
            return sampling.sample(self.numerators, records)
        return sampling.simulate(self.numerators, records, generator)


def _seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise DomainError("seed", seed, "it has to be a whole number of at least 0, or a generator", "give an int")
    return int(seed)
