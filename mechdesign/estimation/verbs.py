"""What one does with a mechanism: plan a survey, draw reports, and estimate from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.estimation import sampling
from mechdesign.estimation.estimate_verb import EstimateVerb
from mechdesign.estimation.planning_verbs import PlanningVerbs
from mechdesign.estimation.posterior import Posterior, posterior
from mechdesign.estimation.random_rounding import inputs_of
from mechdesign.estimation.records import By, indices
from mechdesign.estimation.regression import Family, Regression, fitting
from mechdesign.estimation.sampling import Indices

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure


class Verbs(EstimateVerb, PlanningVerbs):
    """The verbs of a `Mechanism`, which has a `matrix` and says which `inputs` it takes."""

    def sample(self, records: Any, *, by: By | None = None, missing: Any = None) -> Indices:
        """Return a report for each record, drawn from its row of the matrix to the last bit.

        The randomness is the operating system's; each report takes the same number of operations. Draw one report for
        each person and keep it: several reports of one person say more, and their mean says nearly everything.

        Parameters
        ----------
        records : object, sequence or array of any shape
            Labels, each matched by its ``str``; of a problem without labels the values, matched as numbers; of one
            without either the indices of inputs. Of a problem over an interval any of its numbers, each rounded at
            random to one of the two points beside it.
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
            Missing records, labels that the problem does not have, indices out of range, texts among numbers, a number
            outside the interval.
        RandomnessError
            The operating system gave no randomness, or too little; then nothing is returned.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(labels=["no", "yes"]), 1.0)
        >>> response.sample(["no", "yes", "no"]).shape
        (3,)
        """
        over = self.inputs.interval is not None
        found = inputs_of(records, self.inputs, by, missing) if over else indices(records, self.inputs, by, missing)
        return self._drawn(found)[()]

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
        if self.inputs.interval is not None:
            return self._drawn(inputs_of(records, self.inputs, by, missing, generator.bytes), generator)[()]
        return self._drawn(indices(records, self.inputs, by, missing), generator)[()]

    def posterior(self, prior: npt.ArrayLike | None = None) -> Posterior:
        """Return the distribution of the input given each output, under `prior` or the problem's prior.

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
        return posterior(self.matrix, self.inputs, prior, self.outputs)

    def regression(
        self,
        reports: Any,
        covariates: Any,
        family: Family = "logistic",
        *,
        intercept: bool = True,
        reference: Any = None,
        weights: npt.ArrayLike | None = None,
        strata: Any = None,
        clusters: Any = None,
        by: By | None = None,
        missing: Any = None,
        drop_missing: bool = False,
    ) -> Regression:
        """Return the regression of the hidden answers on covariates, by maximum likelihood through the matrix.

        It maximises ``sum_i ln sum_x Pr(x | z_i) Q[x, y_i]`` with ``Pr(x | z) = exp(z'b_x) / sum_v exp(z'b_v)`` by
        Newton's method, from the estimated population on, and proves how near a maximum it ended.

        Parameters
        ----------
        reports : array_like, shape (people,)
            A report of each person, as `estimate` takes them.
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
        strata, clusters : sequence of labels, optional
            The stratum and the cluster that each person was drawn from, clusters numbered within strata: scores are
            then added up by cluster, as `estimate` does with reports.
        by : {"label", "index"}, optional
            What the reports are, as for `estimate`.
        missing : str, number or sequence, optional
            Codes of a missing report, as for `estimate`.
        drop_missing : bool
            Whether people without a report are left out; covariates and weights are still of all people.

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
        return fitting.regression(
            self,
            reports,
            covariates,
            family,
            intercept=intercept,
            reference=reference,
            survey={"weights": weights, "strata": strata, "clusters": clusters},
            by=by,
            missing=missing,
            drop_missing=drop_missing,
        )

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
