"""Mixtures of exponential kernels: columns ``e^-d(s, x)`` about points s of a metric, weighed by a linear program.

Where d is ``epsilon`` times a distance, every kernel is private under metric DP, and so is every mixture of them whose
rows sum to one. Points may lie among the inputs and, where these are points of a line, a plane or a space, beside them:
without some outside few mixtures have even sums at the border.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from mechdesign.parameters.checks import Array
from mechdesign.solve.interior_point.map_program import MapProgram
from mechdesign.solve.programs.column_weights import ColumnWeights
from mechdesign.solve.repair.private_map import closed_columns, private_map

#: Dimensions in which inputs are taken for points, and the share of the largest exponent that those may miss one by.
MOST_DIMENSIONS, MISSED = 3, 1e-9
#: How far the lattice reaches beyond the inputs: in units of the median distance of neighbours, and in nats at least.
BESIDE, LEAST_BESIDE = 4, 1.0
#: Points of the lattice at most for each input, and besides: twice as many lower the cost of 1,024 places by .05 %.
FOR_EACH_INPUT, BESIDES = 1, 200
#: An entry of a kernel is at least this: solvers refuse entries like 1e-40.
NEGLIGIBLE = 1e-12


@dataclass(frozen=True)
class Mixture:
    """A mechanism of the best weights, and the multipliers of its rows in the program of the kernels.

    Attributes
    ----------
    columns : ndarray, shape (m, n)
        Of each output, private.
    value : float
        Scaled, as are the multipliers.
    multipliers : ndarray, shape (n,)
    """

    columns: Array
    value: float
    multipliers: Array


def best_mixture(program: MapProgram, solver: str, also: Array | None = None) -> Mixture:
    """Return the mixture of kernels of least cost, each kernel with its best output.

    Parameters
    ----------
    program : MapProgram
    solver : str
        Of linear programs.
    also : ndarray, shape (k, n), optional
        Columns that are weighed beside the kernels, after they are closed: the smallest private ones above them.

    Raises
    ------
    SolverError
        The solver failed, or the time limit passed.
    """
    kernels = kernels_of(program.exponents)
    if also is not None:
        closed = closed_columns(program, also[also.max(axis=1) > NEGLIGIBLE])
        kernels = np.hstack([kernels, (closed / closed.max(axis=1, keepdims=True)).T])
    costs = program.cost @ kernels
    best = costs.argmin(axis=0)
    weighing = ColumnWeights.of(kernels, np.ones(program.inputs), np.zeros((0, kernels.shape[1])), np.zeros(0))
    found = weighing.best(-costs.min(axis=0), solver)
    columns = np.zeros_like(program.cost)
    np.add.at(columns, best, (kernels * found.weights).T)
    private = private_map(program, columns)
    return Mixture(private, program.value(private), -found.of_sums)


def kernels_of(exponents: Array) -> Array:
    """Return the kernels, each at most 1, shape (n, kernels): about the inputs, beside them, and the constant column.

    Parameters
    ----------
    exponents : ndarray, shape (n, n)
        ``d[s, x]`` in nats, with the triangle inequality.

    Examples
    --------
    >>> kernels_of(np.array([[0.0, 1.0, 3.0], [1.0, 0.0, 3.0], [2.0, 3.0, 0.0]])).round(3)
    array([[1.   , 1.   , 0.368, 0.135],
           [1.   , 0.368, 1.   , 0.05 ],
           [1.   , 0.05 , 0.05 , 1.   ]])
    """
    from scipy.spatial.distance import cdist

    found = [np.zeros((1, len(exponents))), exponents]
    points = coordinates(exponents)
    if points is not None:
        beside = _lattice(points, exponents)
        away = cdist(beside, points)
        found.append(away - away.min(axis=1, keepdims=True))
    # The smallest private column above the cut one: entries far from the point are constant.
    return np.asarray(np.maximum(np.exp(-np.vstack(found)), NEGLIGIBLE).T)


def coordinates(exponents: Array) -> Array | None:
    """Return points whose Euclidean distances are the exponents, shape (n, dimensions); None if there are none.

    Classical multidimensional scaling, in at most three dimensions.

    Examples
    --------
    >>> coordinates(np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))).shape
    (3, 1)
    >>> coordinates(1.0 - np.eye(5)) is None
    True
    """
    from scipy.linalg import eigh
    from scipy.spatial.distance import cdist

    count = len(exponents)
    squares = exponents**2
    centred = -0.5 * (squares - squares.mean(axis=0) - squares.mean(axis=1)[:, None] + squares.mean())
    first = max(count - MOST_DIMENSIONS, 0)
    sizes, axes = eigh(centred, subset_by_index=(first, count - 1))
    kept = sizes > MISSED * max(float(sizes[-1]), 0.0)
    if not kept.any():
        return None
    points = np.asarray(axes[:, kept] * np.sqrt(sizes[kept]))
    return points if np.abs(cdist(points, points) - exponents).max() <= MISSED * exponents.max() else None


def _lattice(points: Array, exponents: Array) -> Array:
    """Return the points of a lattice over a box around the inputs that are no inputs themselves."""
    from scipy.spatial.distance import cdist

    count, dimensions = points.shape
    near = float(np.median((exponents + np.diag(np.full(count, np.inf))).min(axis=1)))
    low, high = points.min(axis=0), points.max(axis=0)
    beyond = max(BESIDE * near, LEAST_BESIDE)
    most = (FOR_EACH_INPUT * count + BESIDES) ** (1.0 / dimensions)
    sides = np.minimum(np.ceil((high - low) / near) + 2 * BESIDE + 1, np.floor(most)).astype(int)
    ends = zip(low - beyond, high + beyond, sides, strict=True)
    made = np.array(list(product(*(np.linspace(start, stop, size) for start, stop, size in ends))))
    return np.asarray(made[cdist(made, points).min(axis=1) > MISSED * near])
