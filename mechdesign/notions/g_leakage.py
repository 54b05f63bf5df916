"""g-leakage: what an adversary with a stated gain learns of a secret; its simplest case is min-entropy leakage."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, same_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, largest_entries
from mechdesign.catalogue.promises import factor, rare
from mechdesign.catalogue.subject import Subject
from mechdesign.columns import Masses, Shape
from mechdesign.columns.peaks import GainPeaks, weighted_gains
from mechdesign.displays.numbers import in_full
from mechdesign.errors import DomainError
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.notions.max_lift import lifted_or_ldp
from mechdesign.parameters import Matrix, Real
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

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

    def shape(self, problem: Problem) -> Shape:
        """Return the vectors with a bound on the sum of what the best actions gain."""
        return GainPeaks(problem.secrets, Masses.of(problem), self.epsilon, self.gain)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return ``ln(V / V_0)`` of the mean gains V with and V_0 without the output; its witness adds most.

        Against the best action without the output, whose gain is V_0 for every mechanism: next to no leakage is not
        lost in rounding.
        """
        weighted, least = weighted_gains(self.gain, problem.required_prior_of_secret)
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        apart = weighted - weighted[int(weighted.sum(axis=1).argmax())]
        excess = np.maximum((apart @ seen).max(axis=0), 0.0)
        output = int(excess.argmax())
        action = int((apart @ seen)[:, output].argmax())
        secret = int((apart[action] * seen[:, output]).argmax())
        return Level(math.log1p(math.fsum(excess) / least), (secret,), output)

    def __str__(self) -> str:
        return f"{self.name}(epsilon={in_full(self.epsilon)}, gain of {len(self.gain)} actions)"
