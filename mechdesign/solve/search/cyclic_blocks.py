"""Block designs with few blocks, by exchanges: sets whose cyclic shifts identify all frequencies nearly equally."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mechdesign.parameters.checks import Array
from mechdesign.runtime.deadline import is_late

Bits = npt.NDArray[np.bool_]

#: The search ends this near to the optimum, as a share, after so many exchanges in vain, or so many in all.
NEAR, IN_VAIN, MOST = 2e-4, 400, 20_000
#: Elements on either side whose exchange is tried: the best by the gradient, or half of them at random.
TRIED = 6
#: Eigenvalues are taken as no less than this.
_TINY = 1e-12


def cyclic_blocks(n: int, size: int, count: int, seed: int = 0) -> Bits:
    """Return `count` sets of `size` of n inputs whose cyclic shifts have a nearly flat spectrum: `flat_blocks`.

    Examples
    --------
    >>> spectrum(cyclic_blocks(7, 3, 1)).round(6).tolist()  # the seven lines of the Fano plane
    [2.0, 2.0, 2.0]
    """
    return flat_blocks(n, np.full(count, size), np.ones(count), seed)


def flat_blocks(n: int, sizes: npt.NDArray[np.int64], loads: Array, seed: int = 0, beside: Sequence[Bits] = ()) -> Bits:
    r"""Return sets of given sizes whose cyclic shifts, weighted by their loads, have a nearly flat spectrum.

    With B_i the indicator of set i, all ``n`` shifts of each together have the circulant Gram matrix whose eigenvalues
    are ``l(f) = sum_i load_i |DFT(B_i)(f)|^2``. The sum of the variances of all frequencies is in proportion to
    ``sum_f 1 / l(f)`` over f from 1 to n - 1, which is least where all l(f) are the same: then the shifts are a block
    design (each pair of inputs is in as many sets as any other).

    Parameters
    ----------
    n : int
        Inputs, at least 3.
    sizes : ndarray of int, shape (count,)
        Elements of each set; sets of none or all are never changed.
    loads : ndarray, shape (count,)
        What the shifts of each set weigh, at least 0.
    seed : int
        Of the sets that the search starts from.
    beside : sequence of ndarray of bool, each of shape (count, a multiple of n)
        Sets of other inputs that are shifted together with these. The variances are then those of all of them.

    Returns
    -------
    ndarray of bool, shape (count, n)
        The sets as rows.

    Notes
    -----
    An exchange of two elements changes ``DFT(B_i)`` by the difference of two roots of unity, so 36 exchanges are valued
    exactly in O(n) each; which are tried follows the gradient, an inverse DFT. The same seed gives the same sets.
    """
    rng = np.random.default_rng(seed)
    blocks = np.zeros((len(sizes), n))
    for block, size in zip(blocks, sizes, strict=True):
        block[rng.choice(n, size, replace=False)] = 1.0
    movable = np.flatnonzero((sizes > 0) & (sizes < n))
    copies, others = _copies(n), _Beside.of(n, loads, beside)
    transform, level = np.fft.rfft(blocks), spectrum(blocks.astype(bool), loads)
    shared = others.shared(transform, loads)
    value, in_vain = float(others.criterion(copies, level, shared)), 0
    least = copies.sum() ** 2 / float(copies @ level) if len(movable) else np.inf
    for _ in range(MOST):
        if in_vain > IN_VAIN or value < least * (1.0 + NEAR) or is_late():
            break
        i = movable[rng.integers(len(movable))]
        slope = np.fft.irfft(np.concatenate([[0.0], -transform[i, 1:] / np.maximum(level, _TINY) ** 2]), n)
        take, give = _offered(blocks[i], slope, rng)
        changed = transform[i] + _roots(n, give)[None] - _roots(n, take)[:, None]
        levels = level + loads[i] * (np.abs(changed) ** 2 - np.abs(transform[i]) ** 2)[..., 1:]
        both = shared + others.shared_by(i, changed - transform[i], loads[i])
        values = others.criterion(copies, levels, both)
        a, b = np.unravel_index(int(np.argmin(values)), values.shape)
        if values[a, b] < value * (1.0 - 1e-9):
            value, level, transform[i], in_vain = float(values[a, b]), levels[a, b], changed[a, b], 0
            shared = both[a, b]
            blocks[i, take[a]], blocks[i, give[b]] = 0.0, 1.0
        else:
            in_vain += 1
    return blocks.astype(bool)


@dataclass(frozen=True)
class _Beside:
    """Other sets that are shifted together, by their transforms at the frequencies that they have in common with n.

    With H the Gram matrix of theirs at a frequency, c what they share with l, the inverse of the whole matrix has the
    trace ``trace(H^-1) + (1 + c' H^-2 c) / (l - c' H^-1 c)``.
    """

    transforms: npt.NDArray[np.complex128]
    inverse: npt.NDArray[np.complex128]

    @classmethod
    def of(cls, n: int, loads: Array, beside: Sequence[Bits]) -> _Beside:
        """Return the transforms, shape (count, groups, n // 2), the frequencies of n inputs."""
        found = [np.fft.rfft(each.astype(float))[:, :: each.shape[1] // n] for each in beside]
        scaled = [each[:, 1 : n // 2 + 1] * np.sqrt(n / len(sets[0])) for each, sets in zip(found, beside, strict=True)]
        transforms = np.stack(scaled, axis=1) if scaled else np.zeros((len(loads), 0, n // 2), dtype=complex)
        gram = np.einsum("i,ikf,ilf->fkl", loads, transforms, transforms.conj())
        return cls(transforms, np.linalg.inv(gram + _TINY * np.eye(len(beside))))

    def shared(self, transform: npt.NDArray[np.complex128], loads: Array) -> npt.NDArray[np.complex128]:
        """Return c, shape (groups, n // 2)."""
        return np.asarray(np.einsum("i,if,ikf->kf", loads, transform[:, 1:], self.transforms.conj()))

    def shared_by(self, i: int, change: npt.NDArray[np.complex128], load: float) -> npt.NDArray[np.complex128]:
        """Return by how much c changes with the transform of set i, shape (..., groups, n // 2)."""
        return np.asarray(load * change[..., None, 1:] * self.transforms[i].conj())

    def criterion(self, copies: Array, levels: Array, shared: npt.NDArray[np.complex128]) -> Array:
        """Return the traces of the inverses less the trace of H^-1, shape (...), for levels of shape (..., n // 2)."""
        seen = np.einsum("fkl,...lf->...kf", self.inverse.conj(), shared)
        taken = np.einsum("...kf,...kf->...f", shared.conj(), seen).real
        more = 1.0 + (np.abs(seen) ** 2).sum(axis=-2)
        return np.asarray((copies * more / np.maximum(levels - taken, _TINY)).sum(axis=-1))


def spectrum(blocks: Bits, loads: Array | None = None) -> Array:
    """Return ``l(f) = sum_i load_i |DFT(B_i)(f)|^2``, shape (n // 2,), for f from 1 on; ``l(n - f) = l(f)``.

    Loads are 1 where none are given.

    Examples
    --------
    >>> spectrum(np.array([[True, False, False]])).tolist()
    [1.0]
    """
    squares = np.abs(np.fft.rfft(blocks.astype(float))[:, 1:]) ** 2
    return np.asarray((squares if loads is None else loads[:, None] * squares).sum(axis=0))


def shifts(blocks: Bits) -> Bits:
    """Return all cyclic shifts of the sets, shape (n, count n): each input is in equally many.

    Examples
    --------
    >>> shifts(np.array([[True, True, False]])).astype(int).tolist()
    [[1, 0, 1], [1, 1, 0], [0, 1, 1]]
    """
    n = blocks.shape[1]
    places = (np.arange(n)[:, None] - np.arange(n)) % n
    return np.hstack([block[places] for block in blocks])


def _copies(n: int) -> Array:
    """Return how many of the frequencies f and n - f there are, for f from 1 to n // 2."""
    copies = np.full(n // 2, 2.0)
    if n % 2 == 0:
        copies[-1] = 1.0
    return copies


def _roots(n: int, elements: npt.NDArray[np.intp]) -> npt.NDArray[np.complex128]:
    """Return the transforms of single elements, a row each."""
    return np.asarray(np.exp(-2j * np.pi * (np.arange(n // 2 + 1) * elements[:, None] % n) / n))


def _offered(block: Array, slope: Array, rng: np.random.Generator) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return elements that may leave the set, and others that may enter it."""
    inside, outside = np.flatnonzero(block > 0), np.flatnonzero(block == 0)
    take, give = inside[np.argsort(-slope[inside])[:TRIED]], outside[np.argsort(slope[outside])[:TRIED]]
    if rng.random() < 0.5:
        half = TRIED // 2
        take = np.concatenate([take[:half], rng.choice(inside, half)])
        give = np.concatenate([give[:half], rng.choice(outside, half)])
    return take, give
