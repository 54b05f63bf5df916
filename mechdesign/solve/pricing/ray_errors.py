"""How far enumerated rays may be from the true rays of their cone: rows that nearly agree leave them uncertain."""

from __future__ import annotations

import numpy as np

from mechdesign.parameters.checks import Array

#: A row is tight on a ray where its value is below this share of the terms that are added up for it: rounding leaves
#: up to about 1e-15.
TIGHT = 1e-13
#: What a row of the cone may miss the true one by, beside the size of its terms.
EPS = float(np.finfo(float).eps)
ROW_ROUNDING = 8.0 * EPS
#: A squared singular value below this has lost its digits: it is found again without squaring.
POOR = 1e-10
#: Entries of tight rows that are looked at together.
AT_ONCE = 1 << 20


def ray_errors(rays: Array, rows: Array, sizes: Array) -> Array:
    """Return bounds on the errors of rays' entries, shape (rays, n), relative to true rays with equal tight rows.

    With the ray's own entries as units, and each tight row divided by the size of its terms, the shares z satisfy
    ``A z = rho``: rho is what the row is off on the ray, and what its own entries are. So z is at most the sizes of
    A's pseudoinverse times rho, A without the ray's largest entry, which is 1 for both.
    """
    errors = np.empty_like(rays)
    each = max(1, AT_ONCE // max(rows.size, 1))
    for start in range(0, len(rays), each):
        part = rays[start : start + each]
        terms = part @ sizes.T
        tight = (np.abs(part @ rows.T) <= TIGHT * terms) & (terms > 0)
        scaled = np.where(tight[:, :, None], rows[None] * part[:, None, :], 0.0)
        scaled /= np.where(tight, terms, 1.0)[:, :, None]
        off = np.abs(scaled.sum(axis=2)) + np.where(tight, ROW_ROUNDING, 0.0)
        free = part > 0
        free[np.arange(len(part)), part.argmax(axis=1)] = False
        scaled *= free[:, None, :]
        # Entries that are not free are left out, with 1 in their place.
        gram = np.einsum("rkx,rky->rxy", scaled, scaled) + np.einsum("rx,xy->rxy", ~free, np.eye(part.shape[1]))
        entries = np.abs(np.linalg.pinv(gram, hermitian=True) @ scaled.transpose(0, 2, 1)) @ off[:, :, None]
        for index in np.flatnonzero(np.linalg.eigvalsh(gram)[:, 0] < POOR):
            entries[index, free[index], 0] = _poor(scaled[index][:, free[index]], off[index])
        errors[start : start + each] = 2.0 * part * (np.where(free, entries[:, :, 0], 0.0) + EPS)
    return errors


def _poor(rows: Array, off: Array) -> Array:
    """Bound the error of each entry of one ray by its tight rows; infinite where they leave it free."""
    left, values, right = np.linalg.svd(rows, full_matrices=False)
    if len(values) < rows.shape[1] or values[-1] == 0:
        return np.full(rows.shape[1], np.inf)
    return np.asarray(np.abs((right.T / values) @ left.T) @ off)
