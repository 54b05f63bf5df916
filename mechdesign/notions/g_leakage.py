"""g-leakage: what an adversary with a stated gain learns of a secret; its simplest case is min-entropy leakage."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, largest_entries
from mechdesign.catalogue.promises import factor, rare
from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.exact import Fractions, Integers, exp_above, exp_below, exp_up, fractions, integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.cone import Budget, Cone, rounding_unit
from mechdesign.notions.dual import Shown, charges_of, numbers_of, own_of, shares_of_secret
from mechdesign.notions.max_lift import lifted_or_ldp
from mechdesign.parameters import Matrix, Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: By how much less than their charge the numbers of a proof add up to: they are rounded one by one.
SPARED = 1e-15
#: The domain of what an action earns.
GAINS = Matrix(Real(low=0.0, rule="it is a gain", remedy="add the same number to all gains of a secret"))


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    guess = notion.gain.tolist() == np.eye(len(notion.gain)).tolist()
    what = "the probability of guessing it at once" if guess else "the best mean gain of the stated actions"
    return (
        f"On average over reports, anyone who acts on {of.it} gains from a report at most a factor of "
        f"{factor(notion.epsilon)}: {what} grows by no more.{rare(notion, of)}"
    )


@dataclass(frozen=True)
class GLeakage(Notion):
    r"""ln of the best mean gain with the report over that without it is at most epsilon, in nats.

    .. math:: \ln \frac{\sum_y \max_w \sum_s \pi_s g(w, s) \Pr(y \mid s)}{\max_w \sum_s \pi_s g(w, s)} \le \epsilon

    under the prior of the secret. With the identity as gain it is min-entropy leakage: by what factor the report raises
    the probability of guessing the secret at the first try.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite. At 0 the action that is best without a report stays best after each.
    gain : array_like, shape (actions, k)
        ``g(w, s)``: what an action earns where the secret is s of k, at least 0, and not 0 for all.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; gains that are negative or all 0; other secrets than the gain has columns.

    Notes
    -----
    One budget, linear where one action is best; at 0 a cone of its own. For no prior and no gain is it more than
    maximal leakage.

    References
    ----------
    M. S. Alvim, K. Chatzikokolakis, C. Palamidessi, G. Smith, "Measuring Information Leakage Using Generalized Gain
    Functions", IEEE CSF 2012.

    Examples
    --------
    >>> import mechdesign as md
    >>> survey = md.Problem(prior=[0.4, 0.6])
    >>> round(md.GLeakage(1.0, [[1, 0], [0, 1]]).level([[0.75, 0.25], [0.25, 0.75]], survey).value, 6)
    0.223144
    """

    card = Card(
        "g-leakage",
        r"\ln \frac{\sum_y \max_w \sum_s \pi_s g(w, s) \Pr(y \mid s)}{\max_w \sum_s \pi_s g(w, s)} \le \epsilon",
        means="By what factor a report raises the best mean gain of someone who acts on the secret; with the "
        "identity as gain, the probability of guessing it.",
        search=(
            "g-vulnerability",
            "min-entropy leakage",
            "Bayes vulnerability",
            "gain function",
            "quantitative information flow",
        ),
        works=("alvim2012",),
        promise=_promise,
        implied_by=(
            Rule(
                "MaximalLeakage", same_level, "Alvim et al. 2012: no action earns more than the largest entries allow"
            ),
            Rule("MaxLift", same_level, "no action earns more than e^epsilon times its gain without the output"),
            Rule("LIP", same_level, "no action earns more than e^epsilon times its gain without the output"),
            Rule("LDP", same_level, "no action earns more than e^epsilon times its gain without the output"),
        ),
        stronger=lifted_or_ldp,
        examples=(
            lambda rng: (GLeakage(0.3, np.eye(4)), random_problem(4, rng)),
            lambda rng: (GLeakage(0.2, rng.random((5, 4))), random_problem(4, rng)),
            lambda rng: (GLeakage(0.1, rng.random((2, 3))), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: GLeakage(0.1, np.eye(problem.n) + 0.2),
        # The largest entries add up to e^epsilon, twice what a guess earns.
        edge=lambda: Edge(GLeakage(0.5, np.eye(2)), fair(), *largest_entries(0.5)),
    )

    epsilon: float
    gain: Array
    domains = {"epsilon": EPSILON, "gain": GAINS}
    axes = {"gain": ("actions", "secrets")}
    needs_prior = True
    asks_for_multipliers = True

    if TYPE_CHECKING:

        def __init__(self, epsilon: float, gain: npt.ArrayLike) -> None: ...

    def check_together(self) -> None:
        """Refuse gains that are all 0: there is nothing to gain from a report."""
        if not np.any(self.gain > 0):
            raise DomainError("gain", "0 everywhere", "some action has to earn something", "give np.eye(k) for a guess")

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield gains that are all 0."""
        yield "it is 0 everywhere", {"gain": np.zeros_like(self.gain)}

    def inputs(self, problem: Problem) -> Problem:
        """Refuse a secret of another number of values than the gain has columns."""
        inputs = super().inputs(problem)
        if inputs.secrets != self.gain.shape[1]:
            rule = f"the secret has {inputs.secrets} values"
            raise DomainError("gain", f"of shape {self.gain.shape}", rule, "give a column for each of them")
        return inputs

    def cone(self, problem: Problem) -> Cone:
        """Return the whole orthant, as only a sum over columns is bounded; at 0 where the best action stays best."""
        if self.epsilon > 0:
            return Cone.of_rows(np.zeros((0, problem.n)))
        weighted, _ = self._weighted(problem)
        best = int(weighted.sum(axis=1).argmax())
        others = np.delete(weighted, best, axis=0)
        return Cone.at_least(np.tile(weighted[best] @ problem.channel, (len(others), 1)), others @ problem.channel)

    def budget(self, problem: Problem) -> Budget:
        """Return ``sum_y max_w G_w . q_y <= e^epsilon max_w G_w . 1`` with ``G_ws = pi_s g(w, s)``, rounded up."""
        if self.epsilon == 0:
            return Budget.none(problem.n)
        weighted, least = self._weighted(problem)
        # No mechanism gains more than the best action for each secret; a limit far beyond is all that a solver sees.
        most = 2.0 * float(weighted.max(axis=0).sum())
        limit = min(exp_up(self.epsilon) * least * (1.0 + rounding_unit(problem.secrets)), most)
        return Budget((weighted @ problem.channel)[None, :, :], np.array([limit]))

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return for each functional w whether numbers ``y >= 0`` of the actions, at most its charge, make up for it.

        ``w + sum_a y_a G_a`` is nowhere negative then, and no mean of actions is more than the best.
        """
        if self.epsilon == 0:
            return None
        actions = self._exactly_weighted(problem)

        def is_shown(functional: Integers, own: Mapping[int, int], charge: int) -> bool:
            if min(own.values(), default=0) < 0 or sum(own.values()) > charge or max(own, default=0) >= len(actions):
                return False
            made_up = sum((y * actions[action] for action, y in own.items()), np.zeros(len(functional), dtype=object))
            return bool(np.all(functional + made_up >= 0))

        own, charges = own_of(shown, len(functionals)), charges_of(shown, len(functionals), 1)[:, 0]
        return np.array([is_shown(*each) for each in zip(functionals, own, charges, strict=True)])

    def own_numbers(self, functional: Array, problem: Problem, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return the multiplier of each action, a little less where they add up to more than the charge."""
        total, most = float(multipliers.sum()), float(nu[0]) * (1.0 - SPARED)
        return numbers_of(multipliers * (most / total if total > most else 1.0))

    def exact_limits(self, problem: Problem) -> tuple[Fraction, ...]:
        """Return ``e^epsilon`` times what the best action earns without any output, rounded up."""
        if self.epsilon == 0:
            return ()
        return (exp_above(self.epsilon) * max(sum(action) for action in self._exactly_weighted(problem)),)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return ``ln(V / V_0)`` of the mean gains V with and V_0 without the output; its witness adds most.

        Against the best action without the output, whose gain is V_0 for every mechanism: next to no leakage is not
        lost in rounding.
        """
        weighted, least = self._weighted(problem)
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        apart = weighted - weighted[int(weighted.sum(axis=1).argmax())]
        excess = np.maximum((apart @ seen).max(axis=0), 0.0)
        output = int(excess.argmax())
        action = int((apart @ seen)[:, output].argmax())
        secret = int((apart[action] * seen[:, output]).argmax())
        return Level(math.log1p(math.fsum(excess) / least), (secret,), output)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether the mean gain is at most ``e^epsilon``, rounded down, times that without, exactly."""
        seen = problem.exactly_seen_by_secret(numerators).astype(object)
        gains = np.array(integers(self.gain.ravel()), dtype=object).reshape(self.gain.shape)
        weighted = gains * np.array(problem.exact_prior_of_secret, dtype=object)
        without = int(weighted.sum(axis=1).max()) * int(seen[0].sum())
        ratio: Fraction = exp_below(self.epsilon)
        return bool((weighted @ seen).max(axis=0).sum() * ratio.denominator <= ratio.numerator * without)

    def _weighted(self, problem: Problem) -> tuple[Array, float]:
        """Return ``pi_s g(w, s)``, shape (actions, k), and the most that an action earns without any output."""
        prior = problem.required_prior_of_secret
        weighted = self.gain * (prior / prior.sum())
        return weighted, float(weighted.sum(axis=1).max())

    def _exactly_weighted(self, problem: Problem) -> Fractions:
        """Return ``pi_s g(w, s)`` in exact arithmetic, shape (actions, k)."""
        return np.array(fractions(self.gain) * np.array(shares_of_secret(problem), dtype=object))

    def __str__(self) -> str:
        return f"{self.name}(epsilon={in_full(self.epsilon)}, gain of {len(self.gain)} actions)"
