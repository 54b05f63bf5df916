"""Strong privacy in the l1 norm: given any output, the posterior of the secret is close to its prior."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, of_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, quarter_off
from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full
from mechdesign.exact import Integers, float_above, product
from mechdesign.notions import ball_vertices
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.cone import Cone, Rays, Support, difference, raised, rounding_unit
from mechdesign.notions.dual import Shown, numbers_of, own_of, shares_of_secret
from mechdesign.notions.ldp import LDP
from mechdesign.notions.mass_band import NEXT_TO, prior_shares
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

#: More secrets than this have too many sets for an enumeration of rays.
MOST_SECRETS = 7


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"For every report, the probabilities of the {of.values} with it and without it differ by at most "
        f"{in_full(notion.epsilon)} in sum."
    )


@dataclass(frozen=True)
class StrongL1(Notion):
    r"""sum_s pi_s abs(Pr(y | s) / Pr(y) - 1) <= epsilon for every output y; epsilon is a number, 2 says nothing.

    That sum is ``sum_s abs(Pr(s | y) - Pr(s))``, the l1 distance between what is known of the secret with y and
    without it.

    Parameters
    ----------
    epsilon : float
        At least 0, finite.

    Raises
    ------
    DomainError
        epsilon negative, NaN or infinite; a problem without a prior of the secret.

    Notes
    -----
    Half of the sum lies above the mass m, so the cone is ``2 sum_s pi_s max(v_s - m, 0) <= epsilon m``. With direct
    access its rays move up to epsilon / 2 of the prior onto one input: all from a set, and a part of another input.
    LIP(epsilon) implies StrongL1(2 tanh(epsilon / 2)).

    References
    ----------
    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), Section I (strong l1-privacy).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> md.StrongL1(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value
    0.5
    """

    card = Card(
        "strong privacy in l1 distance",
        r"\sum_s \pi_s \left|\frac{\Pr(y \mid s)}{\Pr(y)} - 1\right| \le \epsilon \quad \text{for all } y",
        works=("zamani",),
        promise=_promise,
        implied_by=(
            Rule(
                "LIP",
                of_level(lambda level: 2 * math.tanh(level / 2)),
                "Zamani, Sadeghi, Skoglund 2025, Section V-D, sharp constant",
            ),
            Rule(
                "LDP",
                of_level(lambda level: 2 * math.tanh(level / 4)),
                "an extreme column has two values, and their mass is best at 1 / (1 + e^(epsilon / 2))",
            ),
        ),
        stronger=lambda notion, problem: LDP(4.0 * math.atanh(notion.epsilon / 2.0)) if notion.epsilon < 2.0 else None,
        examples=(
            lambda rng: (StrongL1(0.5), random_problem(3, rng)),
            lambda rng: (StrongL1(1.2), random_problem(4, rng, skew=2.0)),
            lambda rng: (StrongL1(0.3), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: StrongL1(0.5),
        # The distance is exactly 1/2.
        edge=lambda: Edge(StrongL1(0.5), fair(), *quarter_off()),
    )

    epsilon: float
    needs_prior = True
    around_mass = True
    level_unit = ""

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def cone(self, problem: Problem) -> Cone:
        """Return ``t_s >= pi_s (v_s - m)``, ``2 sum(t) <= epsilon m``, ``m = mass . v`` with auxiliary t and m."""
        joint = problem.required_prior_of_secret[:, None] * problem.channel
        mass, k = problem.required_prior_of_secret @ problem.channel, len(joint)
        # m is a variable of its own, ``mass . v``: rows that hold it are sparse, rows of all v dense.
        on_column = np.vstack([-joint, np.zeros((1, problem.n)), mass, -mass])
        on_t = np.vstack([np.eye(k), -np.ones((1, k)), np.zeros((2, k))])
        on_mass = np.concatenate([problem.required_prior_of_secret, [self.epsilon / 2.0, -1.0, 1.0]])
        # pi_s v_s is at most m, and m at most n on the slice.
        return Cone(on_column, np.column_stack([on_t, on_mass]), float(problem.n))

    def deviation(self, problem: Problem) -> float | None:
        """Return epsilon, raised by what the prior of floats misses the exact one; None where the secret is hidden."""
        return None if problem.is_hidden else 2.0 * _half(problem, self.epsilon)

    def facets(self, problem: Problem) -> Cone | None:
        """Return one row for each set of secrets, without auxiliary variables."""
        weighted, mass = _excesses(problem)
        k = len(weighted)
        if k > MOST_SECRETS:
            return None
        member = ((np.arange(1, 2**k - 1)[:, None] >> np.arange(k)) & 1).astype(float)
        prior = problem.required_prior_of_secret
        joint = prior[:, None] * problem.channel
        # In the order that keeps the cancellation at epsilon / 2 + pi(S) = 1 exact.
        kept = (self.epsilon / 2 + member @ prior)[:, None] * mass
        return Cone.at_least(kept, member @ joint)

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the largest distance over outputs; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        prior = problem.required_prior_of_secret
        mass = prior @ seen
        used = mass > 0
        moved = np.zeros_like(seen)
        moved[:, used] = prior[:, None] * np.abs(seen[:, used] / mass[used] - 1.0)
        worst = int(moved.sum(axis=0).argmax())
        return Level(float(moved[:, worst].sum()), (int(moved[:, worst].argmax()),), worst)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether each column's distance is at most epsilon, in integers; the float epsilon counts as exact."""
        return self.exactly(numerators, problem)(self.epsilon)

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of epsilon; the sums that it uses are computed once."""
        moved, mass = _exact_sums(numerators, problem)
        return lambda level: bool(np.all(_at_most(moved, mass, Fraction(level))))

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Return for each column whether its distance is at most epsilon, in exact arithmetic."""
        return _at_most(*_exact_sums(numerators, problem), Fraction(self.epsilon))

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether theta and beta, multipliers of mass and distance, prove it nonnegative.

        At mass one ``w . v`` is at least ``theta - beta epsilon`` plus, for each secret, the least of ``pi_s beta``
        and ``w_s - theta pi_s``, which is not below ``-pi_s beta``.
        """
        own = own_of(shown, len(functionals))
        prior, epsilon = shares_of_secret(problem), Fraction(self.epsilon)

        def is_shown(functional: Integers, theta: int, beta: int) -> bool:
            rests = [entry - theta * share for entry, share in zip(functional, prior, strict=True)]
            moved = [beta * share for share in prior]
            if beta < 0 or any(rest < -most for rest, most in zip(rests, moved, strict=True)):
                return False
            return bool(theta - beta * epsilon + sum(map(min, rests, moved)) >= 0)

        return np.array([is_shown(w, x.get(0, 0), x.get(1, 0)) for w, x in zip(functionals, own, strict=True)])

    def own_numbers(self, functional: Array, problem: Problem, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return theta and beta: half the sum and half the difference of two shares ``w_s / pi_s``.

        The least column takes mass from the inputs of the largest shares, down to one of the two, and gives it to the
        input of the least share, the other.
        """
        prior = problem.required_prior_of_secret
        shares = functional / prior
        order = np.argsort(-shares, kind="stable")
        # At most half the distance can be moved.
        last = min(int(np.searchsorted(prior[order].cumsum(), self.epsilon / 2.0)), len(order) - 1)
        taken, given = shares[order[last]], shares.min()
        # A little lower: what is left of the least share may not be below minus the distance's multiplier.
        lower = NEXT_TO * (abs(taken) + abs(given))
        return numbers_of(np.array([(taken + given) / 2.0 - lower, (taken - given) / 2.0]))

    def normal(self, problem: Problem) -> Array:
        """Return the prior: on its slice every column has mass one."""
        return super().normal(problem) if problem.is_hidden else problem.required_prior_of_secret

    def ray_count(self, problem: Problem) -> float | None:
        """Return at most how many sets lose all there are, with an input that gains and one that loses a part."""
        if problem.is_hidden:
            return None
        return ball_vertices.ray_count(problem.required_prior_of_secret, _half(problem, self.epsilon))

    def rays(self, problem: Problem) -> Rays | None:
        """Return the vertices of the ball around the prior, cut with the simplex."""
        if problem.is_hidden:
            return None
        return ball_vertices.rays(problem.required_prior_of_secret, _half(problem, self.epsilon))

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support | None:
        """Return the value if the input of largest ``h_x / P_x`` gains the mass that the inputs of least ratio lose."""
        if problem.is_hidden:
            return None
        prior = problem.required_prior_of_secret
        gains = functionals / prior
        order = np.argsort(gains, axis=1, kind="stable")
        sizes = prior[order]
        before = sizes.cumsum(axis=1) - sizes
        half = _half(problem, self.epsilon)
        # Where half is more than all but the largest gain have, they lose it all: no input loses more than it has.
        lost = np.clip(half - before, 0.0, sizes)
        lost[:, -1] = 0.0
        ratios = 1.0 - lost / sizes
        ratios[:, -1] += lost.sum(axis=1) / sizes[:, -1]
        columns = np.empty_like(functionals)
        np.put_along_axis(columns, order, ratios, axis=1)
        # By the dual, at any theta up to the largest gain: half gains the difference, and less than theta is lost.
        most = gains.max(axis=1)
        last = np.maximum((before < half).sum(axis=1) - 1, 0)
        theta = np.take_along_axis(gains, np.take_along_axis(order, last[:, None], axis=1), axis=1)[:, 0]
        theta = np.where(half < sizes[:, :-1].sum(axis=1), theta, most)
        short = theta[:, None] * prior - functionals
        values = functionals.sum(axis=1) + half * (most - theta) + np.maximum(short, 0.0).sum(axis=1)
        blur = np.abs(theta)[:, None] * prior + np.abs(functionals)
        terms = np.abs(functionals).sum(axis=1) + half * (np.abs(most) + np.abs(theta))
        terms += np.where(short > -rounding_unit(1) * blur, blur, 0.0).sum(axis=1)
        return raised(values, rounding_unit(problem.n) * terms, columns.T)


@lru_cache(maxsize=64)
def _half(problem: Problem, epsilon: float) -> float:
    """Return half of epsilon, rounded up by what the prior of floats misses the exact one."""
    least, most = prior_shares(problem)
    missed = max(most - 1, 1 - least)
    return float_above((Fraction(epsilon) * (1 + 3 * missed)) / 2 + 2 * missed) if epsilon > 0 else 0.0


def _excesses(problem: Problem) -> tuple[Array, Array]:
    """Return the rows ``pi_s (v_s - m)`` and m as functionals of a column."""
    prior = problem.required_prior_of_secret
    mass = prior @ problem.channel
    return prior[:, None] * difference(problem.channel, np.broadcast_to(mass, problem.channel.shape)), mass


def _exact_sums(numerators: Integers, problem: Problem) -> tuple[Integers, Integers]:
    """Return ``sum_s pi_s |v_s - m|`` and m of each column, as integers in one unit."""
    seen = problem.exactly_seen_by_secret(numerators)
    prior = np.array(problem.exact_prior_of_secret, dtype=object)
    total, mass = int(sum(prior)), product(prior, seen)
    # What is above the mass is as much as what is below it: products of short numbers, and no table of long ones.
    above = seen > mass // total
    raised = total * product(prior, np.where(above, seen, 0)) - mass * product(prior, above.astype(np.int64))
    return 2 * raised, total * mass


def _at_most(sums: Integers, mass: Integers, limit: Fraction) -> npt.NDArray[np.bool_]:
    found: npt.NDArray[np.bool_] = (sums * limit.denominator <= mass * limit.numerator).astype(bool)
    return found
