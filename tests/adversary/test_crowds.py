"""Accounts of random mechanisms beside exact laws; and liars, which the judge notices."""

from __future__ import annotations

import pytest

from mechdesign.accounting import Composition, Shuffled
from tests.adversary.crowds import failures


@pytest.mark.parametrize("seed", range(12))
def test_no_bound_is_false(seed):
    assert list(failures(f"crowds/{seed}")) == []


@pytest.mark.parametrize(("kind", "bound", "by"), [(Shuffled, "above", 0.9), (Composition, "above", 0.99)])
def test_an_upper_bound_that_is_too_small_is_noticed(monkeypatch, kind, bound, by):
    honest = getattr(kind, bound)
    monkeypatch.setattr(kind, bound, lambda self, epsilon: by * honest(self, epsilon))
    assert any(list(failures(f"crowds/{seed}")) for seed in range(12))


@pytest.mark.parametrize("kind", [Shuffled, Composition])
def test_a_lower_bound_that_is_too_large_is_noticed(monkeypatch, kind):
    honest = kind.below
    monkeypatch.setattr(kind, "below", lambda self, epsilon: 1.1 * honest(self, epsilon))
    assert any(list(failures(f"crowds/{seed}")) for seed in range(12))
