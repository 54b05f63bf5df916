"""A question as plain data, and the exact world it speaks of: inputs, what the secret sees, priors, values."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from flint import fmpq

from tests.adversary.numbers import ONE, ZERO, Column, dot, exact, shares, vector

#: A notion or an objective: its name and its parameters, plain numbers and lists. An intersection is several.
Member = tuple[str, dict[str, Any]]


@dataclass(frozen=True)
class Question:
    """What is asked, in floats and lists alone."""

    n: int
    notions: tuple[Member, ...]
    objective: Member
    prior: list[float] | None = None
    values: list[float] | None = None
    #: The keywords of ``Problem.hidden``.
    hidden: dict[str, Any] | None = None
    #: Other keywords of ``md.design``.
    keywords: dict[str, Any] = field(default_factory=dict)

    @property
    def outputs(self) -> int | None:
        return self.keywords.get("outputs")


@dataclass(frozen=True)
class World:
    """The mechanism's inputs: what each secret sees of them, their prior, the datum that each carries."""

    #: Rows are distributions over the inputs; None where the secret is the input.
    channel: list[Column] | None
    secret_prior: Column | None
    prior: Column | None
    datum: list[int]
    #: Of the data, not of the inputs.
    values: Column | None
    data: int

    @property
    def n(self) -> int:
        return len(self.datum)

    @property
    def secrets(self) -> int:
        return self.n if self.channel is None else len(self.channel)

    def seen(self, column: Column) -> Column:
        """Return ``Pr(y | s)`` of one output for each secret."""
        return column if self.channel is None else [dot(row, column) for row in self.channel]

    def carrying(self, datum: int) -> list[int]:
        return [x for x in range(self.n) if self.datum[x] == datum]


def world_of(question: Question) -> World:
    """Return the exact world, every distribution divided by its exact sum."""
    name, given = question.notions[0]
    values = None if question.values is None else vector(question.values)
    own = list(range(question.n))
    prior = None if question.prior is None else shares(question.prior)
    if name == "CentralizedIP":
        channel, secret_prior, sums = _records(given["priors"])
        return World(channel, secret_prior, sums, own, values, question.n)
    if name == "ProfileDP":
        return _profiles(question, given, prior, values)
    if question.hidden is None:
        return World(None, prior, prior, own, values, question.n)
    if "secret_given_data" in question.hidden:
        assert prior is not None
        columns = [shares(column) for column in zip(*question.hidden["secret_given_data"], strict=True)]
        joint = [[column[s] * p for column, p in zip(columns, prior, strict=True)] for s in range(len(columns[0]))]
        sums = [sum(row, ZERO) for row in joint]
        channel = [[entry / total for entry in row] for row, total in zip(joint, sums, strict=True)]
        return World(channel, sums, prior, own, values, question.n)
    channel = [shares(row) for row in question.hidden["data_given_secret"]]
    secret_prior = question.hidden.get("secret_prior")
    weights = None if secret_prior is None else shares(secret_prior)
    return World(channel, weights, _mixed(prior, weights, channel), own, values, question.n)


def _mixed(prior: Column | None, weights: Column | None, rows: list[Column]) -> Column | None:
    """Return the prior that was given, or the one that follows from the secret's."""
    if prior is not None or weights is None:
        return prior
    return [dot(weights, list(column)) for column in zip(*rows, strict=True)]


def _profiles(question: Question, given: dict[str, Any], prior: Column | None, values: Column | None) -> World:
    rows = [shares(row) for row in given["profiles"]]
    weights = None if given.get("profile_prior") is None else shares(given["profile_prior"])
    n, own = question.n, list(range(question.n))
    if not given.get("sees_profile", True):
        return World(rows, weights, _mixed(prior, weights, rows), own, values, n)
    empty = [ZERO] * n
    channel = [[entry for j in range(len(rows)) for entry in (rows[i] if i == j else empty)] for i in range(len(rows))]
    wide = None if weights is None else [w * p for w, row in zip(weights, rows, strict=True) for p in row]
    return World(channel, weights, wide, own * len(rows), values, n)


def _records(priors: list[list[float]]) -> tuple[list[Column], Column, Column]:
    """Return what each pair (record, value) sees of the sum, its prior, and the prior of the sum."""
    records = [shares(row) for row in priors]
    everything = [ONE]
    for record in records:
        everything = _convolved(everything, record)
    rows, weights = [], []
    for i, record in enumerate(records):
        others = [ONE]
        for j, other in enumerate(records):
            others = others if i == j else _convolved(others, other)
        for value, probability in enumerate(record):
            rows.append([ZERO] * value + others + [ZERO] * (len(record) - 1 - value))
            weights.append(probability / len(records))
    return rows, weights, everything


def _convolved(left: Column, right: Column) -> Column:
    total = [ZERO] * (len(left) + len(right) - 1)
    for i, a in enumerate(left):
        for j, b in enumerate(right):
            total[i + j] += a * b
    return total


def finite(number: float) -> fmpq | None:
    """Return the fraction, None where the number is infinite."""
    return None if math.isinf(number) else exact(number)
