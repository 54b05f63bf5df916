"""Anyone's matrix into a notion: the nearest exactly private one that was found, and its distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mechdesign.errors import CertificateError, InfeasibleError
from mechdesign.exact import ONE, Integers, dyadic, round_rows
from mechdesign.mechanism import Mechanism
from mechdesign.mechanism.audit import require_asked, require_rows
from mechdesign.mechanism.mechanism import output_texts, require_order_of_heads
from mechdesign.notions import Notion
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.problem.given_matrix import given_matrix
from mechdesign.solve.repair.equal_secrets import equalised
from mechdesign.solve.repair.exactly_private import repair
from mechdesign.tolerances import DENOMINATOR_BITS

#: A repair that moves an entry further is for matrices that were nearly private; others are mixed by halving.
FAR = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Rounded(Mechanism):
    """A mechanism from a matrix of someone's own, which says how far that was moved: both numbers are rounded up.

    Attributes
    ----------
    matrix, outputs, question, certificate, problem, notion
        As of a `Mechanism`.
    moved : float
        The largest change of an entry.
    distance : float
        The largest total variation between a row and what became of it: of so many reports one may differ.
    """

    moved: float = field(default=0.0, kw_only=True)
    distance: float = field(default=0.0, kw_only=True)


def rounded(
    matrix: Any, notion: Notion, problem: Problem | None = None, *, outputs: Sequence[object] | None = None
) -> Rounded:
    """Return a mechanism near a matrix that is exactly private under a notion, and its distance from the matrix.

    What misses by the rounding of floats moves by about as much. A matrix far outside the notion is mixed with noise
    until it is private: private, but no optimum; `moved` says so, and ``md.design`` finds the best one.

    Parameters
    ----------
    matrix : array_like of shape (n, m), DataFrame, Mechanism or Design
        Floats, fractions or strings of fractions; rows sum to one within 1e-9 and are normalised exactly.
    notion : Notion
        What it has to satisfy.
    problem : Problem, optional
        Who may hold what; needed where the notion knows the prior.
    outputs : sequence, optional
        Names of the m outputs; by default a table's columns, or those of the mechanism, or numbers.

    Returns
    -------
    Rounded
        A `Mechanism` with `moved`, the largest change of an entry, and `distance`, the largest total variation of a
        row. Its columns are those of the matrix; one of negligible mass is emptied into another.

    Raises
    ------
    DomainError
        What `md.audit` refuses; another number of names than columns.
    InfeasibleError
        No mechanism satisfies the notion.

    Examples
    --------
    >>> import numpy as np
    >>> import mechdesign as md
    >>> truth = np.e / (np.e + 1)
    >>> response = [[truth, 1 - truth], [1 - truth, truth]]
    >>> print(md.audit(response, md.LDP(1.0)).remark[:42])
    1 is asked, 1.0000000000000002 measured: r
    >>> mended = md.rounded(response, md.LDP(1.0))
    >>> md.audit(mended, md.LDP(1.0)).holds, mended.moved < 1e-12
    (True, True)
    """
    known = getattr(matrix, "mechanism", matrix)
    if isinstance(known, Mechanism):
        problem, outputs = problem or known.inputs, outputs or known.outputs
        matrix = known.over(problem).matrix if isinstance(problem, Problem) else known.matrix
    require_asked(notion, problem)
    given = given_matrix(matrix, problem)
    n, m = given.floats.shape
    data = problem or Problem(n=n, labels=given.rows)
    inputs = notion.inputs(data)
    require_rows(given.floats, inputs)
    if not notion.holds_exactly(np.full((n, 1), ONE), inputs):
        raise InfeasibleError(f"No mechanism satisfies {notion}: not even one that ignores its input.")
    names = output_texts(outputs if outputs is not None else given.columns or range(m), m)
    require_order_of_heads(names, given.columns)
    tried = _private(given.floats, notion, inputs)
    apart = [given.moved(numerators) for numerators in tried]
    best = min(range(len(tried)), key=lambda place: apart[place][0])
    made, (moved, distance) = frozen(_floats(tried[best])), apart[best]
    return Rounded(made, names, problem=data, notion=notion, moved=moved, distance=distance)


def _private(matrix: Array, notion: Notion, inputs: Problem) -> list[Integers]:
    """Return a private matrix near the given one: rounded, repaired, with nearly equal rows made equal, mixed."""
    alike = equalised(matrix, inputs)
    tried = [repair(each, notion, inputs, keep_outputs=True).matrix for each in (matrix, alike) if each is not None]
    plain = round_rows(matrix)
    if notion.holds_exactly(plain, inputs):
        tried.append(_floats(plain))
    elif np.abs(tried[0] - matrix).max() > FAR:
        tried.append(_mixed(matrix, notion, inputs))
    private = []
    for found in tried:
        numerators = dyadic(found)
        if numerators is None or not notion.holds_exactly(numerators, inputs):
            raise CertificateError(f"The rounded matrix does not satisfy {notion}; please report this matrix.")
        private.append(numerators)
    return private


def _mixed(matrix: Array, notion: Notion, inputs: Problem) -> Array:
    """Return the matrix with the least share of the constant mechanism of the same masses that makes it private."""
    stochastic = matrix / matrix.sum(axis=1, keepdims=True)
    constant = notion.columns(inputs).normal @ stochastic
    private, low, high = round_rows(np.tile(constant, (inputs.n, 1)), constant=True), 0.0, 1.0
    for _ in range(DENOMINATOR_BITS):
        share = (low + high) / 2.0
        numerators = round_rows((1.0 - share) * stochastic + share * constant)
        if notion.holds_exactly(numerators, inputs):
            private, high = numerators, share
        else:
            low = share
    return _floats(private)


def _floats(numerators: Integers) -> Array:
    return np.asarray(np.ldexp(numerators.astype(float), -DENOMINATOR_BITS))
