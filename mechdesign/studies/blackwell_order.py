"""Blackwell's order: whether one mechanism is more informative than another in every decision problem."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from mechdesign.errors import DomainError, UnsupportedError
from mechdesign.exact import ONE, Fractions, Integers, float_above, float_below, integer_rows, product, round_rows
from mechdesign.exact.linear_systems import solution_of
from mechdesign.mechanism import Mechanism
from mechdesign.parameters.checks import Array
from mechdesign.parameters.labels import Names, in_order_of
from mechdesign.problem.given_matrix import given_matrix
from mechdesign.solve.repair.stochastic_rows import stochastic_rows
from mechdesign.solve.solvers.linear import solve_linear
from mechdesign.solve.solvers.linear_program import LinearProgram
from mechdesign.tolerances import ROUNDING

#: A processing with so many positive entries is sought in fractions; elimination takes their cube.
MOST_UNKNOWNS = 120
#: A linear program of more nonzeros is not built.
MOST_NONZEROS = 10_000_000
#: Gains are multiples of this share of the largest: sums of them are exact.
UNIT = 1 << 40
#: Entries of a vertex below this are taken for zero.
POSITIVE = 1e-9


@dataclass(frozen=True, eq=False)
class BlackwellOrder:
    """Whether a mechanism A is more informative than B: ``B = A R`` for a stochastic R, and why.

    Attributes
    ----------
    answer : {"yes", "up to rounding", "no", "not known"}
        "yes" and "no" are proved in exact arithmetic. "up to rounding": the deficiency is at most 1e-10, and no R was
        found in fractions.
    deficiency : float
        At least the deficiency ``min_R max_x TV((A R)_x, B_x)``: 0 where A is more informative.
    least_deficiency : float
        At most the deficiency; above 0 it proves "no".
    processing : ndarray, shape (m, k)
        R, from the m outputs of A to the k outputs of B, with that deficiency.
    gains : ndarray, shape (n, k), or None
        A decision problem that proves "no": what each of k actions earns at each input, from 0 on, the most of an input
        1 on average. At equally likely inputs B earns `least_deficiency` more than A.
    """

    answer: str
    deficiency: float
    least_deficiency: float
    processing: Array
    gains: Array | None = None

    def __bool__(self) -> bool:
        return self.answer in ("yes", "up to rounding")


def more_informative(first: Any, second: Any) -> BlackwellOrder:
    r"""Return whether `first` is more informative than `second`: the second's reports follow from the first's.

    B is a degraded version of A where ``B = A R`` for a stochastic R. By Blackwell's theorem this is so if and only if
    A earns at least as much as B in every decision problem. A linear program gives the deficiency

    .. math:: \delta(A, B) = \min_R \max_x \tfrac12 \sum_y |(A R)_{xy} - B_{xy}|,

    its solution R is confirmed in fractions, and its multipliers are a decision problem that proves the contrary.

    Parameters
    ----------
    first, second : Mechanism, Design, or matrix, shapes (n, m) and (n, k)
        A and B, of the same n inputs; matrices of floats or fractions, their rows divided by their exact sums.

    Returns
    -------
    BlackwellOrder
        True as a condition where the answer is "yes" or "up to rounding".

    Raises
    ------
    DomainError
        No stochastic matrix, or other inputs.
    UnsupportedError
        The linear program would have more than 10,000,000 nonzeros.
    SolverError
        The linear program was not solved.

    References
    ----------
    D. Blackwell, "Equivalent Comparisons of Experiments", The Annals of Mathematical Statistics 24 (1953).

    L. Le Cam, "Sufficiency and Approximate Sufficiency", The Annals of Mathematical Statistics 35 (1964).

    Examples
    --------
    >>> import mechdesign as md
    >>> strong, weak = [[0.75, 0.25], [0.25, 0.75]], [[0.625, 0.375], [0.375, 0.625]]
    >>> shown = md.more_informative(strong, weak)
    >>> shown.answer, shown.processing.tolist()
    ('yes', [[0.75, 0.25], [0.25, 0.75]])
    >>> shown = md.more_informative(weak, strong)
    >>> shown.answer, shown.deficiency, shown.least_deficiency
    ('no', 0.125, 0.125)
    """
    (a, labels), (b, others) = _exactly("first", first), _exactly("second", second)
    if len(a.entries) != len(b.entries):
        rule = f"the first has {len(a.entries)}"
        raise DomainError("second", f"of {len(b.entries)} inputs", rule, "compare mechanisms of the same inputs")
    if labels is not None and others is not None and labels != others:
        b = Exact(b.entries[in_order_of("second", others, labels, "first")], b.total)
    processing, multipliers = _least(a.floats, b.floats)
    rounded = Exact(round_rows(processing).astype(object), ONE)
    most = _distance(a, b, rounded)
    proved = rounded if most == 0 else _in_fractions(a, b, processing)
    if proved is not None:
        return BlackwellOrder("yes", 0.0, 0.0, proved.floats)
    least, gains = _earned(a, b, multipliers)
    answer = "up to rounding" if most <= ROUNDING else "no" if least > 0 else "not known"
    shown = (float_below(least), gains) if least > 0 else (0.0, None)
    return BlackwellOrder(answer, float_above(most), shown[0], rounded.floats, shown[1])


class Exact(NamedTuple):
    """A stochastic matrix as integers whose rows have one sum."""

    entries: Integers
    total: int

    @property
    def floats(self) -> Array:
        """The nearest floats."""
        return np.array([[float(Fraction(int(entry), self.total)) for entry in row] for row in self.entries])


def _exactly(argument: str, given: Any) -> tuple[Exact, Names | None]:
    """Return the matrix of a mechanism, of a design or of numbers, and the labels of its rows."""
    found = getattr(given, "mechanism", given)
    try:
        table = None if isinstance(found, Mechanism) else given_matrix(found, None)
        known, rows = (found.numerators, found.inputs.labels) if table is None else (table.numerators, table.rows)
    except DomainError as error:
        place = error.argument.replace("matrix", argument, 1)
        raise DomainError(place, error.value, error.rule, error.remedy) from None
    entries = known.astype(object)
    return Exact(entries, int(entries[0].sum())), rows


def _least(a: Array, b: Array) -> tuple[Array, Array]:
    """Return a processing R of the least deficiency, shape (m, k), and the multipliers W, shape (n, k).

    The variables are R, the shortfalls ``s >= B - A R`` and their largest sum t over an input, which is minimised.
    """
    from scipy.sparse import block_array, csr_array, eye_array, kron

    (n, m), k = a.shape, b.shape[1]
    if n * m * k > MOST_NONZEROS:
        what = f"{n} inputs, {m} and {k} outputs: a linear program of more than {MOST_NONZEROS:,} nonzeros"
        raise UnsupportedError(f"The mechanisms have {what}; merge outputs, or compare them on fewer inputs.")
    each, sums = eye_array(k), np.ones((1, k))
    ones = csr_array(np.ones((n, 1)))
    rows = block_array(
        [
            [kron(csr_array(a), each), eye_array(n * k), None],
            [kron(eye_array(m), sums), None, None],
            [None, -kron(eye_array(n), sums), ones],
        ],
        format="csr",
    )
    free = np.full(n, np.inf)
    low = np.concatenate([b.ravel(), np.ones(m), np.zeros(n)])
    high = np.concatenate([np.full(n * k, np.inf), np.ones(m), free])
    cost = np.zeros(rows.shape[1])
    cost[-1] = 1.0
    solved = solve_linear(LinearProgram(cost, rows, low, high))
    processing = solved.point[: m * k].reshape(m, k)
    return stochastic_rows(processing), solved.multipliers[: n * k].reshape(n, k)


def _distance(a: Exact, b: Exact, processing: Exact) -> Fraction:
    """Return ``max_x TV((A R)_x, B_x)``, exactly."""
    unit = a.total * processing.total
    apart = np.abs(product(a.entries, processing.entries) * b.total - b.entries * unit).sum(axis=1)
    return Fraction(int(apart.max()), 2 * unit * b.total)


def _in_fractions(a: Exact, b: Exact, processing: Array) -> Exact | None:
    """Return the R of ``A R = B`` whose positive entries are at the positive entries of `processing`, or None."""
    places = {place: i for i, place in enumerate(map(tuple, np.argwhere(processing > POSITIVE).tolist()))}
    if len(places) > MOST_UNKNOWNS:
        return None
    (n, m), k = a.entries.shape, b.entries.shape[1]
    rows = [
        {places[z, y]: Fraction(int(a.entries[x, z]), a.total) for z in range(m) if (z, y) in places}
        for x in range(n)
        for y in range(k)
    ]
    rows += [{places[z, y]: Fraction(1) for y in range(k) if (z, y) in places} for z in range(m)]
    right = [Fraction(int(entry), b.total) for entry in b.entries.ravel()] + [Fraction(1)] * m
    found = solution_of(rows, right)
    if found is None or min(found.values()) < 0:
        return None
    exact: Fractions = np.full((m, k), Fraction(), dtype=object)
    for place, i in places.items():
        exact[place] = found[i]
    entries = integer_rows(exact)
    return Exact(entries, int(entries[0].sum()))


def _earned(a: Exact, b: Exact, multipliers: Array) -> tuple[Fraction, Array]:
    """Return a number at most the deficiency, exactly, and the gains that show it, shape (n, k).

    Who sees output y of B takes action y, who sees one of A the best action. With gains from 0 to g_x at the input x,
    what B earns more, summed over the inputs, is at most ``sum(g)`` times the deficiency.
    """
    largest = float(np.abs(multipliers).max())
    gains = np.rint(multipliers / (largest or 1.0) * UNIT).astype(np.int64).astype(object)
    gains -= gains.min(axis=1)[:, None]
    length = int(gains.max(axis=1).sum()) or 1
    by_first = Fraction(int(product(a.entries.T, gains).max(axis=1).sum()), a.total)
    more = Fraction(int((gains * b.entries).sum()), b.total) - by_first
    return more / length, Exact(gains * len(gains), length).floats
