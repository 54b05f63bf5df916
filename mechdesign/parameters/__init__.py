"""Domains of parameters as data: what a value is checked against, and every way in which it can lie outside.

>>> part = Real(low=0.0, high=1.0)
>>> part.check("delta", 2)
Traceback (most recent call last):
mechdesign.errors.DomainError: delta is 2, but it has to be at least 0 and at most 1; choose one in that range.
>>> [value for why, value in part.outer()]
[nan, -inf, inf, -5e-324, -1.0, 1.0000000000000002, 2.0]
"""

from mechdesign.parameters.arrays import ColumnStochastic, Distribution, Matrix, Stochastic, Vector
from mechdesign.parameters.base import Cases, Checked, Domain
from mechdesign.parameters.compound import Each, Maybe, NameOr
from mechdesign.parameters.indices import Blocks, Edges, Indices
from mechdesign.parameters.scalars import Choice, Instance, Real, Truth

__all__ = [
    "Blocks",
    "Cases",
    "Checked",
    "Choice",
    "ColumnStochastic",
    "Distribution",
    "Domain",
    "Each",
    "Edges",
    "Indices",
    "Instance",
    "Matrix",
    "Maybe",
    "NameOr",
    "Real",
    "Stochastic",
    "Truth",
    "Vector",
]
