"""Criteria of the covariance of estimated frequencies, from ``J = sum_y q_y q_y' / (theta . q_y)`` in fractions."""

from __future__ import annotations

from flint import arb, fmpq, fmpq_mat

from tests.adversary.numbers import ZERO, Column, dot

INFINITE = arb("inf")
STEPS = 200


def information(matrix: list[Column], theta: Column) -> fmpq_mat:
    """Return ``B' J B`` over the contrasts ``B = e_i - e_last``."""
    n = len(theta)
    total = [[ZERO] * (n - 1) for _ in range(n - 1)]
    for column in matrix:
        mass = dot(theta, column)
        if mass != 0:
            told = [entry - column[-1] for entry in column[:-1]]
            for i, a in enumerate(told):
                for j, b in enumerate(told):
                    total[i][j] += a * b / mass
    return fmpq_mat(n - 1, n - 1, [entry for row in total for entry in row])


def design_criterion(matrix: list[Column], criterion: str, theta: Column, weights: Column) -> tuple[arb, arb]:
    """Return the criterion and the size of its terms: its condition number times the value."""
    n = len(theta)
    found = information(matrix, theta)
    determinant = found.det()
    if determinant == 0:
        return INFINITE, arb(1)
    inner = found.inv()
    condition = arb(sum(inner.entries()[::n], ZERO)) * arb(sum(found.entries()[::n], ZERO))
    if criterion == "D":
        return -(arb(determinant) / n).log(), arb(1) * condition
    contrasts = fmpq_mat(n, n - 1, [fmpq(int(i == j) - int(i == n - 1)) for i in range(n) for j in range(n - 1)])
    covariance = contrasts * inner * contrasts.transpose()
    if criterion == "A":
        total = arb(sum((weights[i] * covariance[i, i] for i in range(n)), ZERO))
        return total, total * condition
    largest = _largest_root(covariance)
    return largest, largest * condition


def _largest_root(matrix: fmpq_mat) -> arb:
    """Return the largest eigenvalue of a symmetric matrix of fractions as a ball, by halving."""
    polynomial = matrix.charpoly().numer()
    # Roots that occur twice change no sign: each is kept once.
    simple = polynomial // polynomial.gcd(polynomial.derivative())
    near = sorted(float(root.real.mid()) for root, _ in simple.complex_roots())
    beside = near[-2] if len(near) > 1 else min(0.0, 2 * near[-1])
    low, high = fmpq(*((beside + near[-1]) / 2).as_integer_ratio()), fmpq(*(2 * abs(near[-1])).as_integer_ratio())
    sign = simple(high) > 0
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if (simple(middle) > 0) == sign else (middle, high)
    return arb(low).union(arb(high))
