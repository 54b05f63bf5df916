"""Which functionals ``weights . theta`` of a population reports identify: those in the span of the columns."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from mechdesign.errors import UnsupportedError
from mechdesign.estimation.k_ary_response import KaryResponse
from mechdesign.exact import Integers
from mechdesign.parameters.checks import Array, frozen
from mechdesign.problem import Problem
from mechdesign.runtime.memory import GIGABYTE, TRIFLE, ceiling
from mechdesign.runtime.threads import blas_limited
from mechdesign.tolerances import ROUNDING

#: Weights may have this share of their size in directions that are not identified, which are cut at 1e-10.
RESOLVED_SHARE = 1e-8

#: Bytes for each pair of inputs: the directions that are identified or not, and the factors that they come from.
OF_PAIR = 32.0
#: A row is written out as a combination of up to so many others.
TERMS = 3


@dataclass(frozen=True, eq=False)
class Identifiability:
    """The directions along which populations are distinguished by reports of a matrix, and those along which not.

    The law of the reports is ``theta Q`` for a population ``theta``: two populations that differ by ``v`` with
    ``v Q = 0`` give the same reports, however many there are.
    """

    #: Orthonormal vectors that sum to zero, shape (n, rank - 1): these differences are identified.
    directions: Array
    #: Orthonormal basis of ``v Q = 0``, shape (n, n - rank): these are not.
    null_space: Array
    #: The matrix itself, as integers whose rows have one sum.
    numerators: Integers

    @property
    def rank(self) -> int:
        """The rank that counts: differences of rows below 1e-10 are taken for rounding."""
        return int(self.directions.shape[1]) + 1

    @cached_property
    def exact_rank(self) -> int:
        """The rank in exact arithmetic."""
        return rank_of(self.numerators)

    def identifies(self, weights: Array) -> npt.NDArray[np.bool_]:
        """Return for each line of `weights` whether ``weights . theta`` is determined by the law of the reports.

        It does where the weights are perpendicular to the null space, within 1e-8 of their size.
        """
        lines = np.atleast_2d(np.asarray(weights, dtype=float))
        seen = np.abs((lines - lines.mean(axis=1, keepdims=True)) @ self.null_space).max(axis=1, initial=0.0)
        return np.asarray(seen <= RESOLVED_SHARE * np.abs(lines).max(axis=1))


@blas_limited(1)
def identifiability(numerators: Integers) -> Identifiability:
    """Return what reports of a stochastic matrix identify; the matrix is given as integers whose rows have one sum.

    Raises
    ------
    UnsupportedError
        So many inputs that there is no memory for a number for each pair of them.

    Examples
    --------
    >>> found = identifiability(np.array([[3, 1], [1, 3], [2, 2]]))
    >>> found.rank, found.exact_rank, found.identifies(np.eye(3)).tolist(), found.identifies([1.0, -1.0, 0.0]).tolist()
    (2, 2, [False, False, False], [True])
    """
    _require_memory(len(numerators))
    matrix = numerators.astype(float) / float(sum(numerators[0].tolist()))
    response = KaryResponse.of(matrix)
    if response is not None:
        return Identifiability(frozen(response.directions()), frozen(np.empty((len(matrix), 0))), numerators)
    # What all rows have in common carries no information on the input; the rest is perpendicular to ones.
    # The triangle of its transpose has its left singular vectors, and no more columns than rows.
    _, triangle = np.linalg.qr((matrix - matrix.mean(axis=0)).T)
    left, sizes, _ = np.linalg.svd(triangle.T, full_matrices=True)
    kept = int(np.count_nonzero(sizes[: len(matrix) - 1] > ROUNDING))
    rest = left[:, kept:]
    turned, _ = np.linalg.qr(np.column_stack([rest.sum(axis=0), np.eye(rest.shape[1])]))
    return Identifiability(frozen(left[:, :kept]), frozen(rest @ turned[:, 1:]), numerators)


def _require_memory(n: int) -> None:
    """Raise unless there is memory for some numbers for each pair of n inputs."""
    needed = OF_PAIR * float(n) ** 2
    allowed = None if needed <= TRIFLE else ceiling()
    if allowed is not None and needed > allowed.bytes:
        raise UnsupportedError(
            f"What reports of {n} inputs identify takes a number for each pair of them, about {needed / GIGABYTE:.3g} "
            f"GB, more than {allowed.source}; merge inputs into fewer categories."
        )


def rank_of(numerators: Integers) -> int:
    """Return the rank of a matrix of integers, by elimination without fractions where floats leave it open.

    Examples
    --------
    >>> rank_of(np.array([[2**53, 1], [2**52, 2]])), rank_of(np.array([[2**53, 2], [2**52, 1]]))
    (2, 1)
    """
    rows = dict.fromkeys(map(tuple, numerators.tolist()))
    columns = [column for column in dict.fromkeys(zip(*rows, strict=True)) if any(column)]
    left = np.array(columns, dtype=object).T
    most = min(left.shape)
    floats = left.astype(float)
    sizes = np.linalg.svd(floats, compute_uv=False)
    # By Weyl's inequality: rounding moves no singular value by more than this.
    rounding = 8.0 * np.finfo(float).eps * max(left.shape) * sizes[0]
    return most if int(np.count_nonzero(sizes > rounding)) == most else _eliminated(left)


def _eliminated(left: Integers) -> int:
    """Return the rank by Bareiss's elimination, whose divisions leave no remainder."""
    rank, last = 0, 1
    while left.size and left.any():
        x, y = np.argwhere(left)[0]
        left[[0, x]] = left[[x, 0]]
        left[:, [0, y]] = left[:, [y, 0]]
        pivot = left[0, 0]
        left = (left[1:, 1:] * pivot - np.outer(left[1:, 0], left[0, 1:])) // last
        last, rank = int(pivot), rank + 1
    return rank


def require_identifiable(found: Identifiability, weights: Array, what: str, problem: Problem) -> None:
    """Raise unless ``weights . theta`` is identified by the reports for each line of `weights`.

    Raises
    ------
    UnsupportedError
        With the rank, an example of inputs that cannot be distinguished, and what to design instead.
    """
    if not found.identifies(weights).all():
        raise UnsupportedError(
            f"The reports do not identify {what}: {words(found, problem)}; design with "
            'md.InformationDesign("A") instead, whose optimum identifies every frequency, or ask for '
            "functional(weights) of weights that this mechanism identifies."
        )


def words(found: Identifiability, problem: Problem) -> str:
    """Return the rank of the matrix and an example of populations that reports do not distinguish, as a clause."""
    inputs = len(found.null_space)
    if found.rank == 1:
        return f"all {inputs} inputs give reports of one law"
    if found.rank == inputs:
        return f"the matrix has full rank {inputs}"
    clause = f"the matrix has rank {found.rank} for {inputs} inputs"
    if found.exact_rank > found.rank:
        clause += f" (up to differences below {ROUNDING:g}, which no number of reports shows)"
    return f"{clause}, and {_alike(found, problem)}"


def sentence(found: Identifiability, problem: Problem) -> str:
    """Return what reports of the mechanism can estimate without bias, and which objective asks for more."""
    inputs = found.null_space.shape[0]
    if found.rank == inputs:
        return f"Reports identify the population's frequencies: the matrix has full rank {inputs}."
    of_data = problem.values is not None and len(problem.values) == inputs
    mean = of_data and bool(found.identifies(np.asarray(problem.values))[0])
    if mean:
        which = "identify the population's mean, but not its frequencies"
    else:
        which = "do not identify the population's frequencies" + (", nor its mean" if of_data else "")
    remedy = 'InformationDesign("A") is the objective for all frequencies.'
    return f"Reports {which}: {words(found, problem)}. {remedy}"


def _alike(found: Identifiability, problem: Problem) -> str:
    """Return an example of populations that give the same reports: a row and the combination of others that it is."""
    matrix = found.numerators.astype(float) / float(sum(found.numerators[0].tolist()))
    chosen, rest = _pivots(matrix, found.rank)
    x = rest[0]
    shares = np.linalg.lstsq(matrix[chosen].T, matrix[x], rcond=None)[0]
    terms = [(share, problem.named(y)) for share, y in zip(shares, chosen, strict=True) if abs(share) > ROUNDING]
    if len(terms) == 1:
        return f'"{problem.named(x)}" gives the reports of "{terms[0][1]}"'
    if len(terms) > TERMS:
        return f'"{problem.named(x)}" gives the reports of a combination of {len(terms)} other inputs'
    mixture = " and ".join(f'{share:.3g} of "{name}"' for share, name in terms)
    return f'"{problem.named(x)}" gives the reports of {mixture}'


def _pivots(matrix: Array, rank: int) -> tuple[list[int], list[int]]:
    """Return a number of rows that are far from each other's span, and the other rows, the nearest first."""
    left, chosen = matrix - matrix.mean(axis=0), list[int]()
    for step in range(rank):
        if step == 1:
            # Combinations of rows have weights that sum to one: spans are taken from the first row.
            left = matrix - matrix[chosen[0]]
        elif step > 1:
            unit = left[chosen[-1]] / np.linalg.norm(left[chosen[-1]])
            left = left - np.outer(left @ unit, unit)
        chosen.append(int(np.argmax((left**2).sum(axis=1))))
    rest = [x for x in range(len(matrix)) if x not in chosen]
    return chosen, rest
