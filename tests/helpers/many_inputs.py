"""Random questions of 30 to 100 inputs, each put in several ways: what other routes, and smaller questions, answer too.

No brute force reaches so many inputs. What is the same by definition has to have the same optimum: inputs of one ratio
merged, inputs of no mass left out, a notion written as another, a divergence as a loss of two decisions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import mechdesign as md
from tests.helpers import random_instances as instances
from tests.helpers.random_instances import DECISIONS, RATIO_TYPE, Draw, variation

#: Mass of all inputs that are next to none, and how much they can change of a utility that is a share of one mass.
RARE, RARELY = 1e-15, 1e-13
#: Inputs that an enumeration of rays is made for, at most.
FEW = 8
#: Inputs and level up to which HiGHS takes a continuum of decisions, and bands of all priors are asked.
PACKAGED, MILD = 40, 3.0


@dataclass(frozen=True)
class Way:
    """A question whose answer is that of another, `shift` more by utility; its matrix has to be `spread` over it."""

    label: str
    problem: md.Problem
    notion: md.Notion
    objective: md.Objective
    shift: float = 0.0
    #: The row of its matrix that each input takes.
    rows: np.ndarray | None = None
    #: By how much the optimum may differ, in utility.
    slack: float = 0.0
    #: The routes that are asked, those that have to answer, and solvers that are not named.
    routes: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    without: tuple[str, ...] = ()


@dataclass(frozen=True)
class Asked:
    """The ways of one question, and what is true of it by definition."""

    ways: list[Way]
    #: From a matrix to its utility, by definition.
    utility: Callable[[np.ndarray], float]
    private: Callable[[np.ndarray], bool]
    span: float
    #: Questions of a wider or a narrower cone: their optimum has to be no less, or no more.
    wider: list[Way] = field(default_factory=list)
    narrower: list[Way] = field(default_factory=list)
    #: Up to how many outputs the search among so few is asked.
    few: int = 0
    #: Whether each output stands for one decision, which need not be the best of all by rounding.
    decided: bool = False


# Draws ------------------------------------------------------------------------------------------------------------


def size(seed: int, most: int = 100) -> int:
    """Return 30 or more inputs."""
    return int(np.random.default_rng([seed, most]).integers(30, most + 1))


class Clones(Draw):
    """Many inputs that are few: each of a small draw's is several, which share its masses and have its values."""

    def __init__(self, seed: int, n: int, few: int) -> None:
        self.small, rng = Draw(seed, size=few), np.random.default_rng([seed, n])
        self.at = rng.permutation(np.concatenate([np.arange(few), rng.integers(0, few, size=n - few)]))
        share = rng.uniform(0.1, 1.0, size=n)
        self.share = share / np.bincount(self.at, share)[self.at]
        super().__init__(seed, size=n)
        self.epsilon, self.prior, self.values = self.small.epsilon, self._spread(self.small.prior), self._own()

    def _spread(self, masses: np.ndarray) -> np.ndarray:
        found = masses[self.at] * self.share
        return np.asarray(found / found.sum())

    def _own(self) -> np.ndarray:
        return np.asarray(self.small.values[self.at])

    def distribution(self, kind: int) -> np.ndarray:
        return self._spread(self.small.distribution(kind)) if hasattr(self, "prior") else super().distribution(kind)

    def scores(self) -> np.ndarray:
        return np.asarray(self.small.scores()[self.at])


def rare(seed: int, n: int, few: int) -> tuple[Draw, Draw, np.ndarray]:
    """Return a draw whose inputs but a few have no mass to speak of, the draw of the few, and whose row each takes."""
    small, draw = Draw(seed, size=few), Draw(seed, size=n)
    draw.prior = np.concatenate([small.prior * (1.0 - RARE), np.full(n - few, RARE / (n - few))])
    draw.epsilon = small.epsilon
    return draw, small, np.concatenate([np.arange(few), np.zeros(n - few, dtype=int)])


# Notions, each with what it says of a matrix --------------------------------------------------------------------------

Private = Callable[[np.ndarray], bool]
SLIP = 1e-12


def within(low: np.ndarray, high: np.ndarray) -> bool:
    """Tell whether what is to be less is, up to rounding."""
    return bool(np.all(low <= high * (1.0 + SLIP)))


def ldp(d: Draw, epsilon: float) -> tuple[md.Notion, Private]:
    return md.LDP(epsilon), lambda q: within(q.max(axis=0), math.exp(epsilon) * q.min(axis=0))


def _band(d: Draw, notion: md.Notion, low: float, high: float) -> tuple[md.Notion, Private]:
    return notion, lambda q: within(low * (d.prior @ q), q) and within(q, high * (d.prior @ q))


def lip(d: Draw, epsilon: float) -> tuple[md.Notion, Private]:
    return _band(d, md.LIP(epsilon), math.exp(-epsilon), math.exp(epsilon))


def max_lift(d: Draw, epsilon: float) -> tuple[md.Notion, Private]:
    return _band(d, md.MaxLift(epsilon), 0.0, math.exp(epsilon))


def asymmetric(d: Draw, epsilon: float) -> tuple[md.Notion, Private]:
    lower, upper = 0.7 * epsilon, 1.3 * epsilon
    return _band(d, md.AsymmetricLIP(lower, upper), math.exp(-lower), math.exp(upper))


def metric(d: Draw, epsilon: float) -> tuple[md.Notion, Private]:
    """Distances on a line or in a plane."""
    places = d.rng.normal(size=(d.n, 2)) if d.seed % 2 else np.arange(float(d.n))[:, None]
    distance = np.abs(places[:, None] - places).sum(axis=2)
    distance /= distance.max()
    level = min(4.0 * epsilon, 8.0)
    most = np.exp(level * distance)[:, :, None]
    return md.MetricDP(level, distance), lambda q: within(q[:, None], most * q)


def blocks(d: Draw, epsilon: float) -> tuple[md.Notion, Private]:
    ends = np.sort(d.rng.choice(np.arange(2, d.n - 1), size=2, replace=False))
    parts = np.split(d.rng.permutation(d.n), ends)
    private = [np.asarray(part) for part in parts]
    notion = md.BlockLDP(epsilon, [tuple(map(int, part)) for part in parts])
    return notion, lambda q: all(within(q[p].max(axis=0), math.exp(epsilon) * q[p].min(axis=0)) for p in private)


def bounded(d: Draw, epsilon: float) -> tuple[md.Notion, Private]:
    """Priors in a box about the problem's: the least and the largest mass of a column fill the box greedily."""
    lower, upper = 0.7 * d.prior, np.minimum(1.0, 1.4 * d.prior)

    def mass(q: np.ndarray) -> float:
        order = np.argsort(-q)
        room = (upper - lower)[order]
        taken = np.clip(1.0 - lower.sum() - (room.cumsum() - room), 0.0, room)
        return float(lower @ q + taken @ q[order])

    def private(matrix: np.ndarray) -> bool:
        most = np.array([mass(q) for q in matrix.T])
        least = -np.array([mass(-q) for q in matrix.T])
        return within(matrix.max(axis=0), math.exp(epsilon) * least) and within(
            math.exp(-epsilon) * most, matrix.min(axis=0)
        )

    return md.BoundedPriorLIP(epsilon, lower, upper), private


def leakage(d: Draw, epsilon: float) -> tuple[md.Notion, Private]:
    level = min(epsilon, 0.9 * math.log(d.small.n if isinstance(d, Clones) else min(d.n, FEW)))
    return md.MaximalLeakage(level), lambda q: within(q.max(axis=0).sum(), np.exp(level))


BANDS = (lip, max_lift, asymmetric)
CONES = (ldp, lip, max_lift, asymmetric, metric, blocks, bounded, leakage)


# Questions ----------------------------------------------------------------------------------------------------------


def _asked(d: Draw, private: Private, utility: Any, ways: list[Way], **keywords: Any) -> Asked:
    def total(matrix: np.ndarray) -> float:
        return float(utility(matrix[:, matrix.max(axis=0) > 0]).sum())

    span = abs(total(np.eye(d.n)) - total(np.ones((d.n, 1))))
    return Asked(ways, total, private, span, **keywords)


def _ratio(seed: int, d: Draw, notion: Any, needed: tuple[str, ...]) -> Asked:
    """Ask about a ratio; where the draw is of few inputs many times over, about those few, too."""
    kind = (*RATIO_TYPE, variation)[(seed + seed // 4) % 4]
    (asked, private), (objective, utility) = notion(d, d.epsilon), kind(d)
    without = () if d.n <= PACKAGED and d.epsilon <= MILD else ("HIGHS",)
    ways = [Way("", d.problem, asked, objective, needed=needed, without=without)]
    if isinstance(d, Clones):
        few = Draw(seed, size=d.small.n)
        ways.append(_rays(few, notion(few, few.epsilon)[0], kind(few)[0], d.at))
    if isinstance(objective, md.TotalVariation):
        # 1 - TV is the least loss where the two decisions cost what either distribution weighs.
        given = np.array([objective.second, objective.first]).T / d.prior[:, None]
        two = ("columns", "convex", "few_outputs")
        ways.append(Way("two decisions", d.problem, asked, md.ExpectedLoss(given), 1.0, routes=two, needed=two[:2]))
    return _asked(d, private, utility, ways, few=3)


def _rays(small: Draw, notion: md.Notion, objective: md.Objective, rows: np.ndarray, slack: float = 0.0) -> Way:
    rays = ("rays",)
    return Way("of few inputs", small.problem, notion, objective, rows=rows, slack=slack, routes=rays, needed=rays)


def _draw(seed: int) -> Draw:
    n = size(seed, 100 if seed % 5 == 4 else PACKAGED)
    return Draw(seed, size=n) if seed % 3 == 2 else Clones(seed, n, 4 + seed % (FEW - 3))


def ratio_under_ldp(seed: int) -> Asked:
    """Cells and their bound, columns, the theorem, and LDP written as a notion of blocks or of all priors."""
    d = _draw(seed)
    asked = _ratio(seed, d, ldp, ("quantised", "columns", "closed_form"))
    others = [md.BlockLDP(d.epsilon, [tuple(range(d.n))]), md.BoundedPriorLIP(d.epsilon, np.zeros(d.n), np.ones(d.n))]
    asked.ways.extend(_otherwise(d, asked, others[: 1 + (d.n <= PACKAGED)]))
    return asked


def _otherwise(d: Draw, asked: Asked, notions: list[md.Notion]) -> list[Way]:
    """Return the same question under notions that are the same by definition."""
    columns, objective = ("columns",), asked.ways[0].objective
    return [Way(type(n).__name__, d.problem, n, objective, routes=columns, needed=columns) for n in notions]


def ratio_under_bands(seed: int) -> Asked:
    """Columns by each solver, rays where inputs are few many times over, and LIP written as two other notions."""
    d, notion = _draw(seed), BANDS[seed // 2 % 3]
    asked = _ratio(seed, d, notion, ("columns",))
    if notion is lip:
        others = [md.AsymmetricLIP(d.epsilon, d.epsilon), md.BoundedPriorLIP(d.epsilon, d.prior, d.prior)]
        asked.ways.extend(_otherwise(d, asked, others))
    return asked


def ratio_under_leakage(seed: int) -> Asked:
    """Directions, and rays where inputs are few many times over or two decisions where the ratio is a variation's."""
    return _ratio(seed, Clones(seed, size(seed), 4 + seed % (FEW - 3)), leakage, ("directions",))


def ratio_of_even_priors(seed: int) -> Asked:
    """LIP whose level passes what an even prior asks for: the theorem's mechanism beside the columns'."""
    d = Draw(seed, size=size(seed, 60 if seed % 5 == 4 else PACKAGED))
    d.epsilon = float(d.rng.uniform(math.log(d.n - 1) + 0.05, 5.0))
    least = 1.0 / (1.0 + math.exp(d.epsilon))
    d.prior = least + (1.0 - d.n * least) * d.prior
    return _ratio(seed, d, lip, ("closed_form", "columns"))


def sets(seed: int) -> Asked:
    """Information and histograms: sets under LDP beside rays of the inputs that have mass, and bounds by lifts."""
    # Histograms under a low level with more masses of one size are a search of ten seconds.
    d, small, rows = rare(seed, size(seed), 4 + seed % 4)
    posed = (instances.information, instances.histogram)[seed % 2]
    (notion, private), (objective, utility) = ldp(d, d.epsilon), posed(d)
    few = _rays(small, ldp(small, d.epsilon)[0], posed(small)[0], rows, RARELY)
    ways = [Way("", d.problem, notion, objective, needed=("subsets",)), few]
    # A lift beyond e^epsilon is a ratio beyond it, and a ratio beyond e^(2 epsilon) needs such a lift.
    wider = [Way("LIP", d.problem, md.LIP(d.epsilon), objective, needed=("lifts",))]
    narrower = [Way("LIP", d.problem, md.LIP(d.epsilon / 2.0), objective, needed=("lifts",))]
    return _asked(d, private, utility, ways, wider=wider, narrower=narrower)


def lifts(seed: int) -> Asked:
    """Information and histograms under bounds of the lift: chords beside rays of the inputs that have mass."""
    d, small, rows = rare(seed, size(seed), 4 + seed % 5)
    posed, notion = (instances.information, instances.histogram)[seed % 2], BANDS[seed // 2 % 3]
    (asked, private), (objective, utility) = notion(d, d.epsilon), posed(d)
    few = _rays(small, notion(small, d.epsilon)[0], posed(small)[0], rows, RARELY)
    ways = [Way("", d.problem, asked, objective, needed=("lifts",)), few]
    return _asked(d, private, utility, ways)


def decisions(seed: int) -> Asked:
    """Finitely many decisions: arrays and one program over Q by their solvers, and the search among few outputs."""
    d = Draw(seed, size=size(seed, 60 if seed % 4 == 3 else PACKAGED))
    posed = DECISIONS[(seed // len(CONES) + seed) % 3](d)
    notion, private = CONES[seed % len(CONES)](d, d.epsilon)
    needed = ("columns", "convex")
    return _asked(d, private, posed[1], [Way("", d.problem, notion, posed[0], needed=needed)], few=5, decided=True)


def worst_case(seed: int) -> Asked:
    """The largest of several sums: one program by several solvers, and the search among as many outputs."""
    d = Draw(seed, size=size(seed, PACKAGED))
    notion, private = CONES[seed // 2 % 4](d, d.epsilon)
    if seed % 2:
        given = d.rng.exponential(size=(d.n, 3))
        objective: md.Objective = md.WorstCaseLoss(given)
        return _worst(d, private, notion, objective, lambda q: -float((q * given).sum(axis=1).max()), 3)
    return _worst(d, private, notion, md.MaxOffDiagonal(), lambda q: -float((q * (1.0 - np.eye(d.n))).max()), 0)


def _worst(d: Draw, private: Private, notion: md.Notion, objective: Any, utility: Any, few: int) -> Asked:
    ways = [Way("", d.problem, notion, objective, needed=("convex",))]
    span = abs(utility(np.eye(d.n)[:, : few or d.n]))
    return Asked(ways, utility, private, span or 1.0, few=few)


#: What is asked, by what the routes have in common.
MANY: dict[str, Callable[[int], Asked]] = {
    "a ratio under LDP": ratio_under_ldp,
    "a ratio under bounds of the lift": ratio_under_bands,
    "a ratio under maximal leakage": ratio_under_leakage,
    "a ratio under LIP of even priors": ratio_of_even_priors,
    "information and histograms under LDP": sets,
    "information and histograms under bounds of the lift": lifts,
    "finitely many decisions": decisions,
    "a worst case": worst_case,
}
