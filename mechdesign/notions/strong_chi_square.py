"""Strong privacy in chi-square: a ball around the prior, a second-order cone of columns."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from mechdesign.catalogue import Card, Rule, of_level
from mechdesign.catalogue.drawn import random_problem
from mechdesign.catalogue.edge import Edge, fair, quarter_off
from mechdesign.catalogue.subject import Subject
from mechdesign.displays.numbers import in_full
from mechdesign.exact import Integers, product
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.chi_square_ball import behind_largest, of_ball
from mechdesign.notions.cone import Cone, Support, raised, rounding_unit
from mechdesign.notions.cone_program import minimise, of_each
from mechdesign.notions.dual import Shown, numbers_of, own_of, shares_of_secret
from mechdesign.notions.ldp import LDP
from mechdesign.parameters.checks import Array
from mechdesign.problem import Problem

if TYPE_CHECKING:
    import cvxpy as cp

#: By how much a deviation passes what any column has, as a share: more than rounding.
BEYOND = 1e-9
#: From this reach on cones hold the columns themselves, below it their deviations: those have no interior of their own,
#: and Clarabel fails or stops early; where they are small, the columns would have lost their digits.
LARGE = 0.3


def _promise(notion: Any, problem: Problem, of: Subject) -> str:
    return (
        f"For every report, the chi-square divergence of what is believed of {of.it} with it from what is believed "
        f"without it is at most {in_full(notion.epsilon)} squared."
    )


@dataclass(frozen=True)
class StrongChiSquare(Notion):
    r"""sum_s pi_s (Pr(y | s) / Pr(y) - 1)^2 <= epsilon^2 for every output y; epsilon is a number.

    The sum is the chi-square divergence of ``Pr(s | y)`` from the prior ``pi_s``.

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
    The columns are a second-order cone: the routes `convex`, `columns`, `directions` and `near_prior` answer.
    LIP(epsilon) implies StrongChiSquare(2 sinh(epsilon / 2)), and not StrongChiSquare(epsilon).

    References
    ----------
    A. Zamani, P. Sadeghi, M. Skoglund, "An Information Geometric Approach to Local Information Privacy with
    Applications to Max-lift and Local Differential Privacy", arXiv 2501.11757 (2025), Section I (strong chi-square
    privacy).

    Examples
    --------
    >>> import mechdesign as md
    >>> problem = md.Problem(prior=[0.5, 0.5])
    >>> md.StrongChiSquare(1.0).level([[0.75, 0.25], [0.25, 0.75]], problem).value
    0.5
    """

    card = Card(
        "strong privacy in chi-square divergence",
        r"\sum_s \pi_s \left(\frac{\Pr(y \mid s)}{\Pr(y)} - 1\right)^2 \le \epsilon^2 \quad \text{for all } y",
        works=("zamani",),
        promise=_promise,
        implied_by=(
            Rule(
                "LIP",
                of_level(lambda level: 2 * math.sinh(level / 2)),
                "Zamani, Sadeghi, Skoglund 2025, Section V-D, corrected",
            ),
            Rule(
                "LDP",
                of_level(lambda level: math.sinh(level / 2)),
                "an extreme column has two values, and their mass is best at 1 / (1 + e^epsilon)",
            ),
        ),
        stronger=lambda notion, problem: LDP(2.0 * math.asinh(notion.epsilon)),
        examples=(
            lambda rng: (StrongChiSquare(0.5), random_problem(3, rng)),
            lambda rng: (StrongChiSquare(1.5), random_problem(4, rng, skew=2.0)),
            lambda rng: (StrongChiSquare(0.3), random_problem(4, rng, secrets=3)),
        ),
        sized=lambda problem, rng: StrongChiSquare(0.5),
        # The divergence is exactly 1/4.
        edge=lambda: Edge(StrongChiSquare(0.5), fair(), *quarter_off()),
    )

    epsilon: float
    needs_prior = True
    around_mass = True
    level_unit = ""
    polyhedral = False

    def plain(self, problem: Problem) -> Notion:
        """Return LDP(0) at epsilon 0: nothing may be disclosed."""
        return LDP(0.0) if self.epsilon == 0 else self

    def cone(self, problem: Problem) -> Cone:
        """Return the orthant, which holds the second-order cone of `constraints`."""
        return Cone.of_rows(np.zeros((0, problem.n)))

    def constraints(self, Q: cp.Variable, problem: Problem) -> list[cp.Constraint]:
        """Return ``Q >= 0``, the masses, and ``|| sqrt(pi) (v - m) || <= epsilon m`` (``v = m`` at epsilon 0).

        Where epsilon is large, ``|| sqrt(pi) v || <= sqrt(1 + epsilon^2) m``, which is the same set of columns.
        """
        import cvxpy as cp

        inputs = self.inputs(problem)
        if self.epsilon == 0:
            return [Q >= 0, _spread(inputs)[0] @ Q == 0]
        # With variables for the masses a row of the cone has two numbers, and a whole column otherwise.
        prior, masses, reach = inputs.required_prior_of_secret, cp.Variable(Q.shape[1]), self.reach(problem)
        seen, most = inputs.channel @ Q, reach
        if reach < LARGE:
            seen = seen - masses[None, :]
        else:
            most = math.hypot(1.0, reach)
        sizes = cp.norm(cp.multiply(np.sqrt(prior)[:, None], seen), 2, axis=0)
        return [Q >= 0, masses == (prior @ inputs.channel) @ Q, sizes <= most * masses]

    def reach(self, problem: Problem) -> float:
        """Return epsilon, or a number that no column's deviation passes where that is less: its square is finite."""
        return min(self.epsilon, (1.0 + BEYOND) / math.sqrt(float(problem.required_prior_of_secret.min())))

    def level(self, matrix: Array, problem: Problem) -> Level:
        """Return the root of the largest divergence over outputs; columns of zeros count nothing."""
        seen = problem.seen_by_secret(np.asarray(matrix, dtype=float))
        prior = problem.required_prior_of_secret
        mass = prior @ seen
        used = mass > 0
        squares = np.zeros_like(seen)
        squares[:, used] = prior[:, None] * (seen[:, used] / mass[used] - 1.0) ** 2
        worst = int(squares.sum(axis=0).argmax())
        return Level(float(np.sqrt(squares[:, worst].sum())), (int(squares[:, worst].argmax()),), worst)

    def holds_exactly(self, numerators: Integers, problem: Problem) -> bool:
        """Return whether each column's sum of squares is at most ``epsilon^2``, in exact arithmetic."""
        return self.exactly(numerators, problem)(self.epsilon)

    def exactly(self, numerators: Integers, problem: Problem) -> Callable[[float], bool]:
        """Return the exact check as a function of epsilon; the sums of squares that it uses are computed once."""
        squares, mass = _exact_sums(numerators, problem)
        return lambda level: bool(np.all(_at_most(squares, mass, Fraction(level) ** 2)))

    def columns_hold_exactly(self, numerators: Integers, problem: Problem) -> npt.NDArray[np.bool_]:
        """Return for each column whether its sum of squares is at most ``epsilon^2``, in exact arithmetic."""
        return _at_most(*_exact_sums(numerators, problem), Fraction(self.epsilon) ** 2)

    def nonnegative_exactly(
        self, functionals: Integers, problem: Problem, shown: Shown | None = None
    ) -> npt.NDArray[np.bool_] | None:
        """Return for each functional whether multipliers of ``v >= 0``, one for each secret, prove it nonnegative.

        With ``u_s = (w_s - y_s) / pi_s``, the least value at mass one is ``E[u] - epsilon deviation(u)``.
        """
        own = own_of(shown, len(functionals))
        prior, epsilon = shares_of_secret(problem), Fraction(self.epsilon)

        def is_shown(functional: Integers, given: Mapping[int, int]) -> bool:
            left = [Fraction(entry - given.get(s, 0)) for s, entry in enumerate(functional)]
            mean = sum(left)
            variance = sum(share * (rest / share - mean) ** 2 for rest, share in zip(left, prior, strict=True))
            return min(given.values(), default=0) >= 0 and mean >= 0 and mean**2 >= epsilon**2 * variance

        return np.array([is_shown(w, each) for w, each in zip(functionals, own, strict=True)])

    def own_numbers(self, functional: Array, problem: Problem, multipliers: Array, nu: Array) -> dict[int, float]:
        """Return by how much the functional passes the share of the prior beyond which entries are zero."""
        prior = problem.required_prior_of_secret
        shares = functional / prior
        kept = shares.min() + float(behind_largest(-shares[None, :], prior, self.reach(problem))[0])
        return numbers_of(prior * np.maximum(shares - kept, 0.0))

    def normal(self, problem: Problem) -> Array:
        """Return the prior: on its slice every column has mass one."""
        return super().normal(problem) if problem.is_hidden else problem.required_prior_of_secret

    def support(self, functionals: Array, problem: Problem, nu: Array) -> Support:
        """Return ``min over theta of mean + epsilon * deviation`` of ``max(h / P, theta)`` under the prior P.

        Each theta gives a bound, by duality; the best one solves a quadratic equation. With a hidden secret the
        dual is a small program, and the bound is rebuilt from what the solver says.
        """
        if not problem.is_hidden:
            prior = problem.required_prior_of_secret
            return of_ball(functionals / prior, prior, self.reach(problem))
        spread, mass = _spread(problem)
        normal, (k, n), reach = self.normal(problem), spread.shape, self.reach(problem)
        found = of_each(functionals, lambda h: _by_dual(h, spread, mass, normal, reach), (n + k + 1) * (k + 2))
        values, rounding = np.array([numbers for numbers, _ in found]).T
        return raised(values, rounding, np.array([column for _, column in found]).T)


def _by_dual(
    functional: Array, spread: Array, mass: Array, normal: Array, epsilon: float
) -> tuple[tuple[float, float], Array]:
    """Minimise ``max_x (h - spread' w + epsilon |w| mass)_x / normal_x`` over w: each w gives a bound."""
    k, n = spread.shape
    scale = max(float(np.abs(functional).max()), 1e-300)
    # Variables (t, z, w): t normal + spread' w - epsilon z mass >= h, and |w| <= z.
    above = np.hstack([-normal[:, None], epsilon * mass[:, None], -spread.T])
    ball = np.hstack([np.zeros((k + 1, 1)), -np.eye(k + 1)])
    right = np.concatenate([-functional / scale, np.zeros(k + 1)])
    cost = np.concatenate([[1.0], np.zeros(k + 1)])
    point, multipliers = minimise(cost, np.vstack([above, ball]), right, nonnegative=n, second_order=k + 1)
    weights, column = point[2:] * scale, np.maximum(multipliers[:n], 0.0)
    if not (np.all(np.isfinite(weights)) and np.all(np.isfinite(column)) and normal @ column > 0):
        weights, column = np.zeros(k), np.ones(n)
    length = float(np.linalg.norm(weights))
    lifted = functional - spread.T @ weights + epsilon * length * mass
    terms = np.abs(spread).T @ np.abs(weights) + epsilon * length * mass
    blur = rounding_unit(n + k) * (np.abs(functional) + terms)
    most = float((lifted / normal).max())
    return (most, float(((lifted + blur) / normal).max()) - most), column / float(normal @ column)


def _spread(problem: Problem) -> tuple[Array, Array]:
    """Return the rows ``sqrt(pi_s) (v_s - m)`` and m as functionals of a column."""
    prior = problem.required_prior_of_secret
    apart = problem.deviations if problem.is_hidden else np.eye(problem.n) - prior
    return np.sqrt(prior)[:, None] * apart, prior @ problem.channel


def _exact_sums(numerators: Integers, problem: Problem) -> tuple[Integers, Integers]:
    """Return ``sum_s pi_s (v_s - m)^2`` and ``m^2`` of each column, as integers in one unit."""
    seen = problem.exactly_seen_by_secret(numerators)
    prior = np.array(problem.exact_prior_of_secret, dtype=object)
    total, mass = int(sum(prior)), product(prior, seen)
    # Less the square of the mean: shorter numbers than squares of what is apart.
    return total * (total * product(prior, seen.astype(object) ** 2) - mass**2), total * mass**2


def _at_most(sums: Integers, mass: Integers, limit: Fraction) -> npt.NDArray[np.bool_]:
    return np.asarray(sums * limit.denominator <= mass * limit.numerator, dtype=bool)
