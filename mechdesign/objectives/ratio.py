"""Utilities of ratio type: ``mu(v) = (b . v) f(a . v / b . v)`` with convex f, whose decisions are one number."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from mechdesign.domains import Array, EqualByContent
from mechdesign.errors import DomainError
from mechdesign.objectives.base import Separable
from mechdesign.objectives.generators import Generator
from mechdesign.problem import Problem


@dataclass(frozen=True, eq=False)
class Ratio(EqualByContent):
    """``mu(v) = (b . v) f(a . v / b . v)`` with convex f: supported by ``g_t = f'(t) a + (f(t) - t f'(t)) b``."""

    a: Array
    b: Array
    f: Generator

    def functionals(self, t: Array) -> Array:
        """Return ``g_t`` for each t, shape (len(t), n); t is moved into the range where f has finite tangents."""
        t = np.clip(t, self.f.least, self.f.most)
        return np.outer(self.f.derivative(t), self.a) + np.outer(self.f.intercept(t), self.b)

    def chords(self, low: Array, high: Array) -> Array:
        """Return the functional of f's chord over each ``[low, high]``: where the tangents at both ends cross."""
        if np.isfinite(self.f.least):
            low, high = np.maximum(low, 0.0), np.maximum(high, 0.0)
        values, width = self.values(low), high - low
        slope = self.f.derivative(np.maximum(low, self.f.least))
        wide = width > 0
        slope[wide] = (self.values(high) - values)[wide] / width[wide]
        return np.outer(slope, self.a) + np.outer(values - low * slope, self.b)

    def values(self, t: Array) -> Array:
        """Return ``f(t)``, with its limit at 0."""
        return np.where(t < self.f.least, self.f.at_zero, self.f.value(np.maximum(t, self.f.least)))

    def at(self, columns: Array) -> Array:
        """Return the ratio ``a . v / b . v`` of each column, at most f's largest; of the ones vector where both are 0.

        Raises DomainError where the utility is infinite.
        """
        return self.between(np.asarray(self.a @ columns), np.asarray(self.b @ columns))

    def between(self, first: Array, second: Array) -> Array:
        """Return the same from the columns' ``a . v`` and ``b . v``."""
        if np.all(second > 0) and not (np.isinf(self.f.at_zero) and np.any(first == 0)):
            return np.asarray(first / second)
        alone = (second <= 0) & (first != 0)
        unbounded = (alone & np.isinf(self.f.slope_at_infinity)) | (
            (second > 0) & (first == 0) & np.isinf(self.f.at_zero)
        )
        if unbounded.any():
            raise DomainError(
                "objective",
                f"a sum with the generator {self.f.name}",
                "it is infinite on an output that only one of its two distributions can give",
                "give distributions without zeros, or a notion under which every input can give every output",
            )
        ratios = np.full(first.shape, self.a.sum() / self.b.sum())
        ratios[alone] = self.f.most
        return np.asarray(np.divide(first, second, out=ratios, where=second > 0))

    def utility(self, first: Array, second: Array) -> Array:
        """Return ``(b . v) f(a . v / b . v)`` from ``a . v`` and ``b . v``; f's slope at infinity where that is 0.

        Raises DomainError where that is infinite.
        """
        ratios = self.between(first, second)
        return np.where(second > 0, second * self.values(ratios), first * _finite(self.f.slope_at_infinity))


class RatioType(Separable):
    """A separable objective of ratio type: its decisions are one scalar, so columns are priced exactly."""

    kind = "sublinear"

    @abstractmethod
    def ratio(self, problem: Problem) -> Ratio:
        """Return a, b and f."""

    def column_utility(self, columns: Array, problem: Problem) -> Array:
        """Return ``(b . v) f(a . v / b . v)``, with f's slope at infinity where ``b . v`` is 0.

        Raises DomainError where that is infinite.
        """
        r = self.ratio(problem)
        return r.utility(np.asarray(r.a @ columns), np.asarray(r.b @ columns))

    def no_privacy(self, problem: Problem) -> float:
        """Return the value of the identity, whose columns need not be made."""
        r = self.ratio(problem)
        told = r.utility(np.asarray(r.a, dtype=float), np.asarray(r.b, dtype=float))
        return self.from_utility(float(told.sum()), problem)

    def magnitude(self, columns: Array, problem: Problem) -> Array:
        """Return ``|f'(t)| |a| . v + |f(t) - t f'(t)| |b| . v`` at the ratio t of each column."""
        r = self.ratio(problem)
        t = np.clip(r.at(columns), r.f.least, r.f.most)
        on_first, on_second = np.abs(r.f.derivative(t)), np.abs(r.f.intercept(t))
        return np.asarray(on_first * (np.abs(r.a) @ columns) + on_second * (np.abs(r.b) @ columns))

    def supporting(self, columns: Array, problem: Problem) -> Array:
        """Return ``g_t`` at the ratio t of each column."""
        r = self.ratio(problem)
        return r.functionals(r.at(columns)).T


def _finite(slope: float) -> float:
    # An infinite slope is refused where it would count, so elsewhere it multiplies 0.
    return slope if np.isfinite(slope) else 0.0
