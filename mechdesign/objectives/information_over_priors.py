"""Mutual information between the datum and the output under several priors: in their mean, and at the least."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.anchor import Anchor
from mechdesign.catalogue.digits import LOWERED, ColumnUtility, logarithm, mass_of
from mechdesign.catalogue.drawn import random_pairs
from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.exact import fractions
from mechdesign.objectives.base import Objective, Separable, unit
from mechdesign.objectives.convex_weights import convex_shares
from mechdesign.objectives.decisions import data_count, datum_of_input
from mechdesign.objectives.label import Seen
from mechdesign.objectives.label_information import INFORMATION, rounding_of_seen
from mechdesign.parameters import Distribution, Maybe, Stochastic
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp


class InformationOverPriors(Objective):
    """The information between the datum and the output under each of several priors, made one number by a subclass."""

    priors: Array
    kind = "sublinear"
    sense = "maximise"
    unit = "nats"
    lowest = 0.0
    #: Whether the value is the least of all; otherwise it is a mean.
    is_least: ClassVar[bool] = False

    @abstractmethod
    def at(self, weights: npt.ArrayLike | None) -> MeanInformation:
        """Return the mean information at any `weights` of the priors, shape (K,); None for the usual ones."""

    @property
    @abstractmethod
    def shares(self) -> Array:
        """The weights of the priors in a mean, shape (K,), with the sum one."""

    def check(self, problem: Problem) -> None:
        """Refuse priors over other inputs."""
        super().check(problem)
        domains.vector("priors[0]", self.priors[0], problem.n)

    def uninformative(self, problem: Problem) -> float:
        """Return 0."""
        return 0.0

    def no_privacy(self, problem: Problem) -> float:
        """Return the value of the identity: the entropies of the datum."""
        return self.value(np.eye(problem.n), problem)

    def improvement(self, matrix: Array, problem: Problem) -> tuple[float, float]:
        """Return the information, and its rounding: a constant mechanism has none."""
        return self.value(matrix, problem), self.rounding(matrix, problem)

    def of_each(self, matrix: Array, problem: Problem) -> Array:
        """Return the information under each prior, shape (K,), of a matrix of shape (n, m)."""
        given = np.asarray(matrix, dtype=float)
        return np.array([INFORMATION.value(law.channel @ given, law.problem) for law in self.laws(problem)])

    def rounding_of_each(self, matrix: Array, problem: Problem) -> Array:
        """Return some units in the last place of the terms under each prior, shape (K,)."""
        return np.array([rounding_of_seen(law, matrix) for law in self.laws(problem)])

    def utility_under(self, places: npt.NDArray[np.intp], columns: Array, problem: Problem) -> Array:
        """Return what columns, shape (n, m), add to the information under the priors at some places, shape (k, m)."""
        every = self.laws(problem)
        laws = [every[place] for place in places]
        return np.array([INFORMATION.column_utility(law.channel @ columns, law.problem) for law in laws])

    def laws(self, problem: Problem) -> tuple[Seen, ...]:
        """Return for each prior how the data that it gives any mass see a column, and their masses."""
        return tuple(_seen(tuple(prior.tolist()), problem) for prior in np.asarray(self.priors, dtype=float))


def _exact_utility(objective: MeanInformation, problem: Problem) -> ColumnUtility | None:
    """Return ``sum_k w_k sum_x p_kx v_x ln(v_x / m_k)``, lowered by what logarithms miss; None of shared data."""
    if problem.data_of_input is not None:
        return None
    priors, weights = fractions(objective.priors), fractions(objective.shares)
    priors, weights = priors / priors.sum(axis=1)[:, None], weights / weights.sum()

    def utility(column: list[Fraction]) -> Fraction:
        total = Fraction(0)
        for weight, prior in zip(weights, priors, strict=True):
            mass = mass_of(list(prior), column)
            terms = [p * v * logarithm(v / mass) for p, v in zip(prior, column, strict=True) if p and v]
            total += weight * (sum(terms, Fraction(0)) - LOWERED * mass)
        return total

    return utility


def _random_mean(problem: Problem, rng: np.random.Generator, count: int = 3) -> MeanInformation:
    return MeanInformation(rng.dirichlet(np.ones(problem.n), size=count), rng.dirichlet(np.ones(count)))


def _random_least(problem: Problem, rng: np.random.Generator, count: int = 3) -> WorstCaseInformation:
    return WorstCaseInformation(rng.dirichlet(np.ones(problem.n), size=count))


@dataclass(frozen=True)
class MeanInformation(InformationOverPriors, Separable):
    r"""sum_k w_k I(X; Y | group k) in nats, X distributed as the k-th of several priors; maximised.

    The information that an output carries for somebody who knows the group of each person and the distribution of the
    answers in each group: regions, years or ages. The problem's prior is not used.

    Parameters
    ----------
    priors : array_like, shape (K, n)
        Distributions over the inputs, as rows; zeros are allowed.
    weights : array_like, shape (K,), optional
        The share of each group; equal ones by default.

    Raises
    ------
    DomainError
        Rows that are no distributions, or of another length than the mechanism has inputs; weights that are no
        distribution, or not one for each prior.

    Notes
    -----
    Each term is convex and homogeneous in the columns of the matrix, and so is the mean: some optimum uses extreme rays
    alone. At any weights it bounds the information under the least favourable prior, `WorstCaseInformation`.

    References
    ----------
    T. M. Cover, J. A. Thomas, "Elements of Information Theory", Wiley 2006, section 2.5: conditional information.

    Examples
    --------
    >>> import mechdesign as md
    >>> mean = md.MeanInformation([[0.5, 0.5], [1, 0]])
    >>> round(mean.value([[0.75, 0.25], [0.25, 0.75]], md.Problem(n=2)), 6)
    0.065406
    """

    card = Card(
        "mean over groups of the mutual information between datum and output",
        latex=r"\sum_k w_k \sum_y \sum_x p_{kx} Q_{xy} \ln \frac{Q_{xy}}{p_k \cdot q_y}",
        search=("conditional mutual information", "strata", "side information"),
        works=("cover2006",),
        examples=(
            lambda rng: (_random_mean(Problem(n=4), rng), Problem(n=4)),
            lambda rng: (MeanInformation([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]), Problem(n=3)),
            lambda rng: (_random_mean(pair := random_pairs(rng), rng, 2), pair),
        ),
        sized=_random_mean,
        anchor=lambda: Anchor(
            MeanInformation([[0.5, 0.5]]), 0.75 * math.log(3) - math.log(2), "(3/4) ln(3/2) + (1/4) ln(1/2) nats"
        ),
        exact_utility=_exact_utility,
    )

    priors: Array
    weights: Array | None = None
    domains = {"priors": Stochastic(), "weights": Maybe(Distribution())}
    axes = {"priors": ("laws", "inputs"), "weights": ("laws",)}

    if TYPE_CHECKING:

        def __init__(self, priors: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> None: ...

    def check_together(self) -> None:
        """Refuse weights that are not one for each prior."""
        if self.weights is not None and len(self.weights) != len(self.priors):
            rule = f"it has to have one entry for each of the {len(self.priors)} priors"
            raise DomainError("weights", f"of length {len(self.weights)}", rule, "correct it, or leave it out")

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield a weight too many."""
        yield "a weight too many", {"weights": np.full(len(self.priors) + 1, 1.0 / (len(self.priors) + 1))}

    @property
    def shares(self) -> Array:
        """The weights, or equal ones, shape (K,), divided by their sum."""
        return convex_shares(self.weights, len(self.priors))

    def at(self, weights: npt.ArrayLike | None) -> MeanInformation:
        """Return the mean at other weights, shape (K,); its own for None."""
        return self if weights is None else replace(self, weights=convex_shares(weights, len(self.priors)))

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the weighted sum of the information under each prior."""
        return float(self.shares @ self.of_each(matrix, problem))

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return the mean of the rounding under each prior, and of their sum."""
        each = self.rounding_of_each(matrix, problem) + unit(len(self.priors)) * self.of_each(matrix, problem)
        return float(self.shares @ each)

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Return the mean information, convex in `Q`: no convex program maximises it."""
        import cvxpy as cp

        total = 0.0
        for weight, law in self._weighed(problem):
            joint = law.problem.required_prior[:, None] * law.channel
            mass = cp.reshape(joint.sum(axis=0) @ Q, (1, Q.shape[1]), order="C")
            total += weight * cp.sum(cp.rel_entr(joint @ Q, joint.sum(axis=1)[:, None] @ mass))
        return total

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return the weighted sum of what each column adds under each prior."""
        total = np.zeros(columns.shape[1])
        for weight, law in self._weighed(problem):
            total += weight * INFORMATION.column_utility(law.channel @ columns, law.problem)
        return total

    def magnitude(self, columns: Array, problem: Problem) -> Array:
        """Return the weighted sum of the sizes of the terms under each prior."""
        total = np.zeros(columns.shape[1])
        for weight, law in self._weighed(problem):
            total += weight * INFORMATION.magnitude(law.channel @ columns, law.problem)
        return total

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return the weighted sum of the functionals under each prior."""
        total = np.zeros(columns.shape)
        for weight, law in self._weighed(problem):
            total += weight * (law.channel.T @ INFORMATION.supporting(law.channel @ columns, law.problem))
        return total

    def _weighed(self, problem: Problem) -> Iterator[tuple[float, Seen]]:
        """Yield the priors that have a weight."""
        met = self.shares > 0
        some = self if met.all() else replace(self, priors=self.priors[met], weights=self.shares[met])
        yield from zip(some.shares.tolist(), some.laws(problem), strict=True)


@dataclass(frozen=True)
class WorstCaseInformation(InformationOverPriors):
    r"""min_p I(X; Y) in nats, over the mixtures p of listed priors; maximised.

    The information that an output carries, whichever of the priors the population has. It is concave in the prior, so
    the least over all mixtures is the least over the list. The problem's prior is not used.

    Parameters
    ----------
    priors : array_like, shape (K, n)
        Distributions over the inputs, as rows; zeros are allowed. `md.priors_near` lists the extreme priors within a
        distance of a stated one.

    Raises
    ------
    DomainError
        Rows that are no distributions, or of another length than the mechanism has inputs.

    Notes
    -----
    For any weights of the priors the mean information is a sum over columns, convex and homogeneous, and no mechanism's
    least information is larger than the largest mean. The weights of the extreme rays that are best solve a linear
    program, and its multipliers are weights of the priors at which the two are equal (minimax). It has no cvxpy
    expression: a least of convex functions is neither convex nor concave in the matrix.

    References
    ----------
    T. M. Cover, J. A. Thomas, "Elements of Information Theory", Wiley 2006, Theorem 2.7.4: information is concave in
    the prior.

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(n=2)
    >>> coin = [[0.75, 0.25], [0.25, 0.75]]
    >>> round(md.WorstCaseInformation([[0.5, 0.5], [1, 0]]).value(coin, problem), 6)
    0.0
    >>> robust = md.WorstCaseInformation([[0.5, 0.3, 0.2], [0.2, 0.3, 0.5]])
    >>> round(md.design(md.Problem(n=3), md.LDP(1.0), robust).value, 4)
    0.1141
    """

    card = Card(
        "mutual information between datum and output under the least favourable prior",
        latex=r"\min_p \sum_y \sum_x p_x Q_{xy} \ln \frac{Q_{xy}}{p \cdot q_y} \quad \text{over priors } p",
        search=("minimax", "unknown prior", "robust information"),
        works=("cover2006",),
        examples=(
            lambda rng: (_random_least(Problem(n=4), rng), Problem(n=4)),
            lambda rng: (WorstCaseInformation([[0.5, 0.5, 0.0], [0.0, 0.25, 0.75]]), Problem(n=3)),
            lambda rng: (_random_least(pair := random_pairs(rng), rng, 2), pair),
        ),
        sized=_random_least,
        anchor=lambda: Anchor(
            WorstCaseInformation([[0.5, 0.5]]), 0.75 * math.log(3) - math.log(2), "(3/4) ln(3/2) + (1/4) ln(1/2) nats"
        ),
    )

    priors: Array
    domains = {"priors": Stochastic()}
    axes = {"priors": ("laws", "inputs")}

    if TYPE_CHECKING:

        def __init__(self, priors: npt.ArrayLike) -> None: ...

    has_expression = False
    is_least = True

    @property
    def shares(self) -> Array:
        """Equal weights, shape (K,)."""
        return convex_shares(None, len(self.priors))

    def at(self, weights: npt.ArrayLike | None) -> MeanInformation:
        """Return the mean information at any weights, shape (K,): clipped and scaled, equal ones for None."""
        return MeanInformation(self.priors, convex_shares(weights, len(self.priors)))

    def value(self, matrix: Array, problem: Problem) -> float:
        """Return the least information under a prior of the list."""
        return float(self.of_each(matrix, problem).min())

    def rounding(self, matrix: Array, problem: Problem) -> float:
        """Return how far the least may be from what it would be without the rounding of each."""
        each, blur = self.of_each(matrix, problem), self.rounding_of_each(matrix, problem)
        least = float(each.min())
        return max(float((each + blur).min()) - least, least - max(float((each - blur).min()), 0.0))

    def expression(self, Q: cp.Variable, problem: Problem) -> cp.Expression:
        """Refuse: neither convex nor concave in `Q`, it is no expression of a convex program."""
        raise UnsupportedError(
            f"{self.name} is neither convex nor concave in the matrix, so it has no cvxpy form: use the route priors."
        )


def is_least(objective: Any) -> TypeGuard[InformationOverPriors]:
    """Return whether the value is the least information over listed priors.

    Examples
    --------
    >>> is_least(WorstCaseInformation([[0.5, 0.5]])), is_mean(WorstCaseInformation([[0.5, 0.5]]))
    (True, False)
    """
    return isinstance(objective, InformationOverPriors) and objective.is_least


def is_mean(objective: Any) -> TypeGuard[InformationOverPriors]:
    """Return whether the value is the mean information over listed priors."""
    return isinstance(objective, InformationOverPriors) and not objective.is_least


@lru_cache(maxsize=4096)
def _seen(prior: tuple[float, ...], problem: Problem) -> Seen:
    joint = np.zeros((data_count(problem), problem.n))
    joint[datum_of_input(problem), np.arange(problem.n)] = np.array(prior) / np.sum(prior)
    masses = joint.sum(axis=1)
    # The reciprocal of a subnormal mass is no number, and its datum is worth nothing.
    met = masses >= np.finfo(float).tiny
    return Seen(joint[met] / masses[met, None], Problem(prior=masses[met] / masses[met].sum()))
