"""Objectives, one file each."""

from mechdesign.objectives.absolute_error import AbsoluteError
from mechdesign.objectives.base import Linear, Objective, PiecewiseLinear, Ratio, RatioType, Separable
from mechdesign.objectives.chi_square import ChiSquare
from mechdesign.objectives.expected_loss import ExpectedLoss
from mechdesign.objectives.f_divergence import FDivergence
from mechdesign.objectives.fisher_information import FisherInformation
from mechdesign.objectives.generators import (
    ChiSquareGenerator,
    Generator,
    HellingerGenerator,
    KLGenerator,
    Square,
    TotalVariationGenerator,
)
from mechdesign.objectives.hamming_loss import HammingLoss
from mechdesign.objectives.hellinger import Hellinger
from mechdesign.objectives.kl_divergence import KLDivergence
from mechdesign.objectives.max_off_diagonal import MaxOffDiagonal
from mechdesign.objectives.mmse import MMSE
from mechdesign.objectives.mutual_information import MutualInformation
from mechdesign.objectives.total_variation import TotalVariation
from mechdesign.objectives.worst_case_loss import WorstCaseLoss

__all__ = [
    "MMSE",
    "AbsoluteError",
    "ChiSquare",
    "ChiSquareGenerator",
    "ExpectedLoss",
    "FDivergence",
    "FisherInformation",
    "Generator",
    "HammingLoss",
    "Hellinger",
    "HellingerGenerator",
    "KLDivergence",
    "KLGenerator",
    "Linear",
    "MaxOffDiagonal",
    "MutualInformation",
    "Objective",
    "PiecewiseLinear",
    "Ratio",
    "RatioType",
    "Separable",
    "Square",
    "TotalVariation",
    "TotalVariationGenerator",
    "WorstCaseLoss",
]
