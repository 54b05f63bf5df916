"""Profile-based privacy: the secret is which distribution the data come from."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card
from mechdesign.catalogue.drawn import random_prior, random_problem, random_profiles
from mechdesign.catalogue.edge import Edge, randomised_response
from mechdesign.catalogue.odds import between_two
from mechdesign.catalogue.promises import factor
from mechdesign.catalogue.subject import PROFILE, PROFILE_SEEN, Subject
from mechdesign.columns import Shape
from mechdesign.columns.pair_ratios import EdgeRatios
from mechdesign.errors import DomainError
from mechdesign.exact import integer_rows, integers
from mechdesign.notions.base import EPSILON, Level, Notion
from mechdesign.parameters import Distribution, Edges, Maybe, Stochastic, Truth
from mechdesign.parameters import checks as domains
from mechdesign.parameters.checks import Array
from mechdesign.problem import ExactParts, Problem

_RELATIVE_TO = (
    "is relative to the profiles that it states: how the answers of people of each profile are distributed. "
    "Where those are wrong, or where others know more of a person's answer, they may learn more from a report "
    "than it says."
)


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"No report is more than {factor(notion.epsilon)} times as likely from people of one profile as from those of "
        "another, where the two are joined by an edge. The profile is protected, and not the answer itself."
    )


def _odds(notion: Any, problem: Problem, of: Subject) -> str:
    joined = {frozenset(edge) for edge in notion.edges}
    whole = len(notion.profiles) * (len(notion.profiles) - 1) // 2
    return between_two(notion.epsilon if len(joined) == whole else math.inf, of)


def _edge() -> Edge:
    """Return randomised response of the profile itself, which its data identify."""
    notion = ProfileDP(1.0, np.eye(2), ((0, 1),), sees_profile=False)
    return Edge(notion, Problem(n=2), *randomised_response(1.0))


@dataclass(frozen=True)
class ProfileDP(Notion):
    r"""Pr(y | profile i) <= e^epsilon Pr(y | profile j) for every edge (i, j), both ways; epsilon in nats.

    Data of somebody with profile i are drawn from ``profiles[i]``. Where the mechanism sees the profile, its input
    is the pair (profile i, datum x), row ``i * n + x`` of the matrix, and
    ``Pr(y | i) = sum_x profiles[i, x] Q[i * n + x, y]``; otherwise ``Pr(y | i) = sum_x profiles[i, x] Q[x, y]``.

    Parameters
    ----------
    epsilon : float
        At least 0 nats, finite.
    profiles : array_like, shape (k, n)
        Rows are distributions over the data, kept as given.
    edges : sequence of pairs of int
        Which profiles are to be hard to distinguish; undirected, kept sorted and without repetition.
    sees_profile : bool
        Whether the mechanism may use the profile besides the datum.
    profile_prior : array_like, shape (k,), optional
        ``Pr(profile = i) > 0``. With it, inputs have the prior ``profile_prior[i] * profiles[i, x]``; without it,
        a mechanism that sees the profile has none, and objectives that need one refuse.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; rows that are no distributions; edges that name no profile, join one to
        itself, or are none at all; a problem of another size, with a hidden secret of its own, or whose prior is
        not ``profile_prior @ profiles``.

    Notes
    -----
    An input whose datum the profile never has is not constrained: no secret makes it.

    References
    ----------
    J. Geumlek, K. Chaudhuri, "Profile-Based Privacy for Locally Private Computations", IEEE ISIT 2019, Definition 2.

    Examples
    --------
    >>> import mechdesign as md
    >>> notion = md.ProfileDP(1.0, profiles=[[0.5, 0.5], [0.25, 0.75]], edges=[(0, 1)], sees_profile=False)
    >>> problem = notion.inputs(md.Problem(n=2))
    >>> level = notion.level([[1, 0], [0, 1]], problem)
    >>> round(level.value, 6), level.inputs, level.output
    (0.693147, (0, 1), 0)
    """

    card = Card(
        "profile-based differential privacy",
        r"\Pr(y \mid \text{profile } i) \le e^{\epsilon} \Pr(y \mid \text{profile } j) \quad "
        r"\text{for every edge } (i, j), \text{ both ways}",
        search=("Blowfish",),
        works=("geumlek",),
        promise=_promise,
        odds=_odds,
        protects=lambda notion: PROFILE_SEEN if notion.sees_profile else PROFILE,
        relative_to=_RELATIVE_TO,
        examples=(
            lambda rng: (ProfileDP(1.0, random_profiles(rng), ((0, 1), (1, 2))), random_problem(2, rng)),
            lambda rng: (
                ProfileDP(0.5, random_profiles(rng, 3, 3), ((0, 1), (0, 2)), sees_profile=False),
                Problem(n=3),
            ),
            lambda rng: (
                ProfileDP(0.7, random_profiles(rng, 2), ((0, 1),), profile_prior=random_prior(2, rng)),
                Problem(values=np.array([0.0, 1.0])),
            ),
        ),
        sized=lambda problem, rng: ProfileDP(
            1.0, random_profiles(rng, 2, problem.n), ((0, 1),), profile_prior=random_prior(2, rng)
        ),
        edge=_edge,
    )

    epsilon: float
    profiles: Array
    edges: tuple[tuple[int, int], ...]
    sees_profile: bool = True
    profile_prior: Array | None = None
    domains = {
        "epsilon": EPSILON,
        "profiles": Stochastic(),
        "edges": Edges("profiles"),
        "sees_profile": Truth(),
        "profile_prior": Maybe(Distribution(positive=True)),
    }
    axes = {"profiles": ("profiles", "data"), "profile_prior": ("profiles",)}

    if TYPE_CHECKING:

        def __init__(
            self,
            epsilon: float,
            profiles: npt.ArrayLike,
            edges: Sequence[tuple[int, int]],
            sees_profile: bool = True,
            profile_prior: npt.ArrayLike | None = None,
        ) -> None: ...

    def check_together(self) -> None:
        """Refuse edges to profiles that are not there, and a prior of another number of profiles."""
        profiles = len(self.profiles)
        for index, edge in enumerate(self.edges):
            if max(edge) >= profiles:
                rule = f"profiles are numbered from 0 to {profiles - 1}"
                raise DomainError(f"edges[{index}]", edge, rule, "correct the index or add the profile")
        if self.profile_prior is not None and len(self.profile_prior) != profiles:
            rule = f"it has to have one entry for each of the {profiles} profiles"
            raise DomainError("profile_prior", f"of length {len(self.profile_prior)}", rule, "correct it")

    def wrong_together(self) -> Iterator[tuple[str, Mapping[str, Any]]]:
        """Yield an edge to a profile that is not there, and a prior of more profiles."""
        profiles = len(self.profiles)
        yield "an edge to no profile", {"edges": [*self.edges, (0, profiles)]}
        yield "a prior of more profiles", {"profile_prior": np.full(profiles + 1, 1.0 / (profiles + 1))}

    def inputs(self, problem: Problem) -> Problem:
        """Return the problem whose hidden secret is the profile, over pairs (profile, datum) where both are seen."""
        if self._made(problem):
            return problem.with_exact_parts(self._exact_parts())
        self._refuse_hidden(problem, "the secret of ProfileDP is the profile")
        if problem.n != self.profiles.shape[1]:
            raise DomainError(
                "profiles",
                f"of shape {self.profiles.shape}",
                f"it has to have one column for each of the {problem.n} inputs",
                "check whether it is transposed",
            )
        hidden = problem.hidden(data_given_secret=self.profiles, secret_prior=self.profile_prior)
        made = self._widened(problem) if self.sees_profile else hidden
        return super().inputs(made.with_exact_parts(self._exact_parts()))

    def _made(self, problem: Problem) -> bool:
        """Return whether `problem` is what `inputs` returned: its secret is these profiles."""
        width = len(self.profiles) if self.sees_profile else 1
        channel = _blocks(self.profiles) if self.sees_profile else self.profiles
        return (
            problem.n == width * self.profiles.shape[1]
            and (problem.data_of_input is not None) == self.sees_profile
            and _same(problem.data_given_secret, channel)
            and _same(problem.secret_prior, self.profile_prior)
        )

    def _exact_parts(self) -> ExactParts | None:
        """Return the prior of the inputs, which follows from the profiles and theirs."""
        if self.profile_prior is None:
            return None
        joint = integer_rows(self.profiles) * np.array(integers(self.profile_prior), dtype=object)[:, None]
        return ExactParts(prior=tuple((joint.ravel() if self.sees_profile else joint.sum(axis=0)).tolist()))

    def _widened(self, problem: Problem) -> Problem:
        k, n = self.profiles.shape
        prior = None
        if self.profile_prior is not None:
            rows = self.profiles / self.profiles.sum(axis=1, keepdims=True)
            prior = (self.profile_prior / self.profile_prior.sum())[:, None] * rows
        datum = np.tile(np.arange(n), k)
        datum.setflags(write=False)
        return replace(
            problem,
            n=k * n,
            prior=None if prior is None else prior.ravel(),
            values=None if problem.values is None else np.tile(problem.values, k),
            labels=tuple(f"{i}/{problem.named(x)}" for i in range(k) for x in range(n)),
            data_given_secret=domains.frozen(_blocks(self.profiles)),
            secret_prior=self.profile_prior,
            data_of_input=datum,
        )

    def shape(self, problem: Problem) -> Shape:
        """Return ``v_i <= e^epsilon v_j`` both ways of each edge."""
        return EdgeRatios(problem.secrets, self.epsilon, self.edges)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest ``|ln v_i(y) - ln v_j(y)|`` over edges; where both are zero it counts nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        worst = Level(0.0, self.edges[0], 0)
        for i, j in self.edges:
            used = np.flatnonzero((seen[i] > 0) | (seen[j] > 0))
            if not used.size:
                continue
            with np.errstate(divide="ignore"):
                ratios = np.log(seen[i, used]) - np.log(seen[j, used])
            at = int(np.abs(ratios).argmax())
            if abs(ratios[at]) > worst.value:
                witness = (i, j) if ratios[at] > 0 else (j, i)
                worst = Level(float(abs(ratios[at])), witness, int(used[at]))
        return worst


def _blocks(profiles: Array) -> Array:
    k, n = profiles.shape
    channel = np.zeros((k, k, n))
    channel[np.arange(k), np.arange(k)] = profiles
    return channel.reshape(k, k * n)


def _same(known: Array | None, asked: Array | None) -> bool:
    if known is None or asked is None:
        return known is asked
    return bool(np.array_equal(known, asked))
