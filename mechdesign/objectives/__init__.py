"""Objectives, one file each."""

from mechdesign.objectives.base import Linear, Objective, PiecewiseLinear, Ratio, RatioType, Separable
from mechdesign.objectives.expected_loss import ExpectedLoss
from mechdesign.objectives.generators import Generator
from mechdesign.objectives.mmse import MMSE

__all__ = [
    "MMSE",
    "ExpectedLoss",
    "Generator",
    "Linear",
    "Objective",
    "PiecewiseLinear",
    "Ratio",
    "RatioType",
    "Separable",
]
