"""Certificates of mechanisms: the value, a bound, and the multipliers from which the bound is recomputed."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, fields

import numpy as np

from mechdesign.displays import Block, Displayed, Lines
from mechdesign.displays.numbers import rounded_up
from mechdesign.parameters.checks import Array, EqualByContent

#: The route that answers what no other does: its bound may be the value without privacy.
LAST_RESORT = "known"
#: How a bound is shown.
PROVED, CERTIFIED = "proved in integers", "certified in floating point"


@dataclass(frozen=True, eq=False)
class Multipliers(EqualByContent):
    """Dual multipliers from which a bound is recomputed: any give a valid bound, optimal ones a tight bound.

    ``rows[x]`` belongs to ``sum_y Q[x, y] = 1``, `budget` (each at least 0) to the notion's budgets,
    ``weights`` to the pieces of a piecewise-linear objective. A user's own constraints add
    ``sum(own_cost * Q) + own_constant`` to the cost: the bound is then over the mechanisms that satisfy those too,
    which the file does not hold.

    Attributes
    ----------
    rows : ndarray, shape (n,)
        One for each input.
    budget : ndarray, shape (k,)
        One for each budget of the notion, at least 0.
    weights : ndarray, optional
        One for each piece of a piecewise-linear objective; of frequencies of many inputs the slope by cells of them.
    own_cost : ndarray, shape (n, m), optional
        What a user's own constraints add to the cost.
    own_constant : float
        The constant that those constraints add.
    by_order : ndarray, optional
        For an exponent a line for each order: the order, its `rows` and its `budget`.
    tree : ndarray, optional
        Where the question bounds the number of outputs: choices among the decisions, a line for each node.
    leaves : ndarray, optional
        A line of multipliers for each leaf of the tree.
    flows : ndarray, shape (k, 4), optional
        Under metric DP: output, sink, source and amount of what an output's inputs lend each other.
    """

    rows: Array
    budget: Array = field(default_factory=lambda: np.zeros(0))
    weights: Array | None = None
    own_cost: Array | None = None
    own_constant: float = 0.0
    by_order: Array | None = None
    tree: Array | None = None
    leaves: Array | None = None
    flows: Array | None = None

    @property
    def of_own_constraints(self) -> bool:
        """Whether a user's own constraints count in the bound."""
        return self.own_cost is not None or self.own_constant != 0.0

    def __repr__(self) -> str:
        held = {field.name: getattr(self, field.name) for field in fields(self)}
        shapes = [f"{name}: {given.shape}" for name, given in held.items() if isinstance(given, np.ndarray)]
        return f"<Multipliers of {', '.join(shapes)}>"


@dataclass(frozen=True, eq=False)
class Proof(EqualByContent):
    """A proof in integers of a bound: numbers that any reader checks with sums and a few exponentials.

    ``mu(v) <= rows . v`` for every column v that the notion allows, so that no utility is more than the sum of `rows`.
    ``python -m mechdesign_check FILE`` checks a file's proof without the package.

    Attributes
    ----------
    rows : ndarray, shape (n,)
        One for each input; each float stands for the fraction that it is.
    ends : ndarray
        For a utility of ratio type, the ends of the intervals over which chords bound it; else empty.
    budget : ndarray
        One for each budget of the notion, at least 0: the bound is the sum of `rows` and of these times their limits.
    on_secrets : ndarray, shape (functionals, parts, secrets)
        With a hidden secret or several notions, for each functional and notion a functional of what the secrets see:
        ``mu(v) <= rows . v - sum_p on_secrets[p] . W v`` where each of them is nonnegative under its notion.
    own : ndarray, shape (t, 4)
        Other numbers that a notion's test needs: functional, part, place, number.
    weights : ndarray
        For a maximum of functionals of the matrix, the weight of each in the mean that the rows bound; else empty.
    lines : ndarray, shape (n, n)
        For the covariance of estimated frequencies, line x is about its row x: it bounds the variance of that frequency
        from both sides. Else empty.
    decisions : ndarray
        Where outputs stand for finitely many decisions, that of each output; else empty.
    """

    rows: Array
    ends: Array = field(default_factory=lambda: np.zeros(0))
    budget: Array = field(default_factory=lambda: np.zeros(0))
    on_secrets: Array = field(default_factory=lambda: np.zeros((0, 0, 0)))
    own: Array = field(default_factory=lambda: np.zeros((0, 4)))
    weights: Array = field(default_factory=lambda: np.zeros(0))
    lines: Array = field(default_factory=lambda: np.zeros((0, 0)))
    decisions: Array = field(default_factory=lambda: np.zeros(0))

    def __repr__(self) -> str:
        return f"<Proof of {len(self.rows)} rows, {max(len(self.ends) - 1, 0)} chords>"


@dataclass(frozen=True)
class Certificate(Displayed):
    """The certificate of a mechanism: its value, a bound for all mechanisms, and the multipliers that show the bound.

    Attributes
    ----------
    value : float
        The objective in its own sense.
    bound : float
        No mechanism that satisfies the notion, and has no more outputs than the question allows, does better than this.
    gap : float
        ``|value - bound| / max(|value|, |bound|, 1e-6 span)``, rounded up; the span is between the values without
        information and without privacy.
    route : str
        The route that found the mechanism.
    multipliers : Multipliers
        What the bound is rebuilt from.
    gap_of_gain : float
        ``|value - bound|`` over what the value gains on a mechanism that ignores its input, rounded up; infinite where
        that is nothing and the bound allows something. Files leave it out: it follows from the rest.
    proof : Proof, optional
        The proof in integers, where one was asked for and found: value, bound and gaps are then what it shows, rounded
        outward. Without it they are floating point, with an estimate of their rounding.
    """

    value: float
    bound: float
    gap: float
    route: str
    multipliers: Multipliers
    gap_of_gain: float = math.inf
    proof: Proof | None = None

    def among(self, outputs: int | None) -> str:
        """Return which private mechanisms the bound is about, as words after "nothing private"; empty if all of them.

        Parameters
        ----------
        outputs : int or None
            How many outputs the question allows.
        """
        few = "" if outputs is None else f" with at most {outputs} output{'s' * (outputs > 1)}"
        return few + " that satisfies subject_to" * self.multipliers.of_own_constraints

    @property
    def proved(self) -> bool:
        """Whether the bound is proved in integers."""
        return self.proof is not None

    @property
    def manner(self) -> str:
        """How the bound was shown, in words."""
        return PROVED if self.proved else CERTIFIED

    def __str__(self) -> str:
        return self._printed()

    def display(self) -> tuple[Block, ...]:
        """Return value, bound and gaps, rounded outward."""
        return (self.shown("Certificate"),)

    def shown(self, title: str) -> Lines:
        """Return value, bound and gaps under a title."""
        gained = f"{rounded_up(self.gap_of_gain, 2)} of what is gained over a mechanism that ignores its input"
        lines = (
            f"value  {self.value!r}",
            f"bound  {self.bound!r}, {self.manner}",
            f"gap    {rounded_up(self.gap, 2)} relative; {gained}",
        )
        return Lines(f"{title} (route {self.route})", lines)
