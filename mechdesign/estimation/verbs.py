"""What one does with a mechanism: draw reports, estimate from them, and say what they betray."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.errors import DomainError
from mechdesign.estimation import accounting, planning, renyi_accounting, renyi_capacity, sampling
from mechdesign.estimation.estimate_verb import EstimateVerb
from mechdesign.estimation.posterior import Posterior, posterior
from mechdesign.estimation.records import By, indices
from mechdesign.estimation.sampling import Indices
from mechdesign.parameters.checks import Array

if TYPE_CHECKING:
    from mechdesign.plotting.canvas import Axes, Figure


class Verbs(EstimateVerb):
    """The verbs of a `Mechanism`, which has a `matrix` and says which `inputs` it takes."""

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

    def people_needed(self, error: float, level: float = 0.95, *, theta: npt.ArrayLike | None = None) -> int:
        """Return how many people have to report so that the interval of every share is within an error.

        It is ``ceil(z^2 max_x C[x, x] / error^2)``, z the normal quantile of the level and C the covariance of the best
        unbiased estimate from one report: intervals of that many reports have about this half-width, most of them less.

        Parameters
        ----------
        error : float
            The half-width that the widest interval of a share may have; above 0 and below 1.
        level : float
            Of the intervals, above 0 and below 1.
        theta : array_like, shape (n,), optional
            The population that is planned for: without it the prior, or equal frequencies where there is none.

        Returns
        -------
        int
            At least 1.

        Raises
        ------
        DomainError
            An error or level outside of its range; a theta that is no distribution over the inputs.
        UnsupportedError
            No number of reports identifies all frequencies.

        Examples
        --------
        >>> import mechdesign as md
        >>> survey = md.Problem(labels=["no", "yes"])
        >>> md.baselines.randomised_response(survey, 1.0).people_needed(error=0.01)
        44971
        """
        return planning.people_needed(self, error, level, theta)

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

    def privacy_profile(self, epsilons: npt.ArrayLike) -> Array:
        """Return the least delta with which (epsilon, delta)-LDP of the input holds, for each epsilon, rounded up.

        Parameters
        ----------
        epsilons : array_like, shape (k,)
            Nats, at least 0.

        Returns
        -------
        ndarray, shape (k,)
            ``max over x, z of sum_y max(0, Q[x, y] - e^epsilon Q[z, y])``, computed in fractions.

        Raises
        ------
        DomainError
            An epsilon that is negative or not finite.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"]).privacy_profile([0.0, 2.0]).tolist()
        [0.5, 0.0]
        """
        return accounting.privacy_profile(self.numerators, epsilons)

    def renyi_profile(self, orders: npt.ArrayLike) -> Array:
        """Return the least epsilon of Renyi LDP of the input at each order, in nats, rounded up.

        Divergences of the reports of one person add up, order by order.

        Parameters
        ----------
        orders : array_like, shape (k,)
            From 1, where it is the Kullback-Leibler divergence, to 10,000, or infinite, where it is the level of LDP.

        Returns
        -------
        ndarray, shape (k,)
            ``max over x, z of ln(sum_y Q[x, y]^a Q[z, y]^(1 - a)) / (a - 1)``; infinite where an output rules out an
            input.

        Raises
        ------
        DomainError
            An order below 1, or above 10,000 and finite.

        Examples
        --------
        >>> import mechdesign as md
        >>> md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"]).renyi_profile([1.0, 2.0]).round(6).tolist()
        [0.549306, 0.847298]
        """
        return renyi_accounting.renyi_profile(self.numerators, orders)

    def renyi_capacity(self, orders: npt.ArrayLike) -> Array:
        """Return the largest Sibson mutual information over all priors of the input, in nats, rounded up.

        This is maximal alpha-leakage for orders alpha above 1: the most, over all attributes of the input and all
        adversaries with the alpha-loss, that a report adds to what they know. At order 1 it is the capacity of the
        mechanism as a channel, at an infinite order maximal leakage.

        Parameters
        ----------
        orders : array_like, shape (k,)
            From 1 to 10,000, or infinite.

        Returns
        -------
        ndarray, shape (k,)
            ``min_q max_x ln(sum_y Q[x, y]^a q_y^(1 - a)) / (a - 1)``; what is returned is the bound of one q, that is,
            never less. It grows with the order, and is at most what `renyi_profile` has at the same order.

        Raises
        ------
        DomainError
            An order below 1, or above 10,000 and finite.

        References
        ----------
        J. Liao, O. Kosut, L. Sankar, F. P. Calmon, "Tunable Measures for Information Leakage and Applications to
        Privacy-Utility Tradeoffs", IEEE Transactions on Information Theory 65 (2019).

        Examples
        --------
        >>> import mechdesign as md
        >>> mechanism = md.Mechanism([[0.75, 0.25], [0.25, 0.75]], ["0", "1"])
        >>> mechanism.renyi_capacity([1.0, 2.0, float("inf")]).round(6).tolist()
        [0.130812, 0.223144, 0.405465]
        """
        return renyi_capacity.renyi_capacity(self.numerators, orders)

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
