"""What reports of a mechanism betray of the person who sent them, at every level and order."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.accounting import (
    Composition,
    PrivacyLoss,
    Shuffled,
    composition,
    privacy_profile,
    renyi_capacity,
    renyi_profile,
)
from mechdesign.accounting.dominating_pair import dominating_loss
from mechdesign.accounting.dp_accounting import to_dp_accounting
from mechdesign.accounting.privacy_loss import privacy_loss
from mechdesign.accounting.shuffling import repeated
from mechdesign.errors import DomainError
from mechdesign.estimation.records import By, indices
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array, frozen, real, whole
from mechdesign.problem import Problem


class AccountingVerbs:
    """The verbs of a `Mechanism` that say what its reports betray; its matrix is given as integers."""

    @property
    def numerators(self) -> Integers:
        """The matrix as integers whose rows have one sum."""
        # `Verbs` makes them of the matrix.
        raise NotImplementedError

    @property
    def compared_rows(self) -> tuple[Integers, ...]:
        """Sets of rows among whose pairs the worst one is, as integers of one sum: all rows of a matrix."""
        return (self.numerators,)

    def least_rows(self, reports: int) -> tuple[Integers, ...]:
        """Return what no row of several reports is below, beside each of `compared_rows`, as integers."""
        return tuple(repeated(rows, reports).min(axis=0) for rows in self.compared_rows)

    @property
    def inputs(self) -> Problem:
        """The inputs of the mechanism, and their labels."""
        # A mechanism says which.
        raise NotImplementedError

    def two_rows(self, x: int, z: int) -> Integers:
        """Return the rows of two inputs by number as integers of one sum, shape (2, k)."""
        return self.numerators[[x, z]]

    def privacy_loss(self, x: Any, z: Any, *, by: By | None = None) -> PrivacyLoss:
        """Return the law of the privacy loss of a report of input x that is compared with input z.

        Parameters
        ----------
        x, z : object
            Two inputs, by label, by value or by number, as `sample` takes records.
        by : {"label", "index"}, optional
            As `sample` takes it.

        Returns
        -------
        PrivacyLoss
            ``losses``, ascending, and their ``probabilities`` under x.

        Raises
        ------
        DomainError
            What is no input of the mechanism.

        Examples
        --------
        >>> import mechdesign as md
        >>> mechanism = md.baselines.randomised_response(md.Problem(labels=["no", "maybe", "yes"]), 1.0)
        >>> mechanism.privacy_loss("no", "yes").losses.round(9).tolist()
        [-1.0, 0.0, 1.0]
        """
        first, second = (int(indices(one, self.inputs, by)) for one in (x, z))
        rows = self.two_rows(first, second)
        return privacy_loss(rows[0].tolist(), rows[1].tolist())

    def composed(self, times: int) -> Composition:
        """Return the privacy of several independent reports of one person together.

        Parameters
        ----------
        times : int
            How many reports each person makes of the same input.

        Returns
        -------
        Composition
            ``delta(epsilon)`` and ``epsilon(delta)``, from above, ``delta_below`` and ``epsilon_below``.

        Raises
        ------
        DomainError
            Fewer than one report.

        Examples
        --------
        >>> import mechdesign as md
        >>> daily = md.baselines.randomised_response(md.Problem(n=2), 0.1).composed(365)
        >>> round(daily.epsilon(1e-6), 3), round(daily.epsilon(0.0), 3)
        (10.314, 36.5)
        """
        return composition([(self.compared_rows, whole("times", times, 1))])

    def to_dp_accounting(self, interval: float = 1e-4) -> Any:
        """Return a report's privacy loss distribution for the library dp-accounting (extra ``accounting``).

        `md.composed` takes such a distribution of another mechanism in turn.

        Parameters
        ----------
        interval : float
            Nats: losses are rounded up to multiples of it.

        Returns
        -------
        dp_accounting.pld.privacy_loss_distribution.PrivacyLossDistribution
            Of one pair of laws that dominates all pairs of inputs.

        Raises
        ------
        UnsupportedError
            The library is not installed.
        DomainError
            An interval that is not positive.
        """
        step = real("interval", interval, 0.0)
        if step == 0.0:
            raise DomainError("interval", interval, "it has to be above 0", "give 1e-4, say")
        pairs = self.composed(1).dominating
        loss = pairs[0][0][0] if len(pairs) == 1 else dominating_loss(self.compared_rows)
        return to_dp_accounting(loss, step)

    def shuffled(self, people: int, *, honest: int | None = None, reports: int = 1) -> Shuffled:
        """Return the privacy of one person among many whose reports are shuffled.

        Parameters
        ----------
        people : int
            At least 2, the one who is attacked among them.
        honest : int, optional
            How many of the people follow the protocol, the one who is attacked among them; all of them without it. What
            the others send may be known to the attacker, and hides nobody.
        reports : int
            How many independent reports each person makes of the same input; all reports are shuffled.

        Returns
        -------
        Shuffled
            ``delta(epsilon)`` and ``epsilon(delta)``, from above, ``delta_below`` and ``epsilon_below``.

        Raises
        ------
        DomainError
            Fewer than two people, or honest ones, or more honest people than people; more reports than can be listed.

        Examples
        --------
        >>> import mechdesign as md
        >>> answer = md.baselines.randomised_response(md.Problem(n=10), 2.0)
        >>> round(answer.shuffled(100_000).epsilon(1e-6), 4)
        0.0231
        >>> round(answer.shuffled(100_000, honest=50_000).epsilon(1e-6), 4)
        0.0336
        """
        crowd = whole("people", people, 2)
        following = crowd if honest is None else whole("honest", honest, 2)
        if following > crowd:
            rule = f"there are {crowd} people"
            raise DomainError("honest", honest, rule, "give the number of people who follow the protocol")
        times, single = whole("reports", reports, 1), self.compared_rows
        joint = tuple(repeated(rows, times) for rows in single)
        return Shuffled(joint, self.least_rows(times), following, single, times)

    def zcdp(self) -> float:
        r"""Return a rho with which a report satisfies rho-zCDP of the input, within .1 % of the least one.

        Returns
        -------
        float
            At least the supremum over orders a above 1 of :math:`D_a / a`, :math:`D_a` being `renyi_profile`; infinite
            where a report rules out an input. The rho of several reports add up.

        References
        ----------
        M. Bun, T. Steinke, "Concentrated Differential Privacy: Simplifications, Extensions, and Lower Bounds", TCC
        2016.

        Examples
        --------
        >>> import mechdesign as md
        >>> response = md.baselines.randomised_response(md.Problem(n=2), 0.5)
        >>> 0.1222 < response.zcdp() <= 0.5**2 / 2
        True
        """
        return renyi_profile.zcdp(self.renyi_profile)

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
        return _worst([privacy_profile.privacy_profile(rows, epsilons) for rows in self.compared_rows])

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
        return _worst([renyi_profile.renyi_profile(rows, orders) for rows in self.compared_rows])

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


def _worst(found: list[Array]) -> Array:
    """Return the largest number of each place, of the profiles of several sets of rows."""
    return frozen(np.max(found, axis=0))
