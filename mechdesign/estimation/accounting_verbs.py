"""What reports of a mechanism betray of the person who sent them, at every level and order."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mechdesign.estimation import accounting, renyi_accounting, renyi_capacity
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array, frozen


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
        return _worst([accounting.privacy_profile(rows, epsilons) for rows in self.compared_rows])

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
        return _worst([renyi_accounting.renyi_profile(rows, orders) for rows in self.compared_rows])

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
