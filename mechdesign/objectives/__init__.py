"""What has to stay useful: the objectives, one file each, and what an objective of your own is derived from."""

from mechdesign.objectives.absolute_error import AbsoluteError
from mechdesign.objectives.base import Linear, Objective, PiecewiseLinear, Separable
from mechdesign.objectives.chernoff_exponent import ChernoffExponent
from mechdesign.objectives.chi_square import ChiSquare
from mechdesign.objectives.divergence_generators import (
    ChiSquareGenerator,
    HellingerGenerator,
    JensenShannonGenerator,
    KLGenerator,
    Square,
    TotalVariationGenerator,
)
from mechdesign.objectives.error_probability import ErrorProbability
from mechdesign.objectives.expected_loss import ExpectedLoss
from mechdesign.objectives.f_divergence import FDivergence
from mechdesign.objectives.fisher_information import FisherInformation
from mechdesign.objectives.generator import Generator
from mechdesign.objectives.hamming_loss import HammingLoss
from mechdesign.objectives.han_kobayashi_exponent import HanKobayashiExponent
from mechdesign.objectives.hellinger import Hellinger
from mechdesign.objectives.histogram_mmse import HistogramMMSE
from mechdesign.objectives.hoeffding_exponent import HoeffdingExponent
from mechdesign.objectives.information_design import InformationDesign
from mechdesign.objectives.information_over_priors import MeanInformation, WorstCaseInformation
from mechdesign.objectives.jensen_shannon import JensenShannon
from mechdesign.objectives.kl_divergence import KLDivergence
from mechdesign.objectives.label_information import LabelInformation
from mechdesign.objectives.label_mmse import LabelMMSE
from mechdesign.objectives.leakage_loss import LeakageLoss
from mechdesign.objectives.max_off_diagonal import MaxOffDiagonal
from mechdesign.objectives.mmse import MMSE
from mechdesign.objectives.mutual_information import MutualInformation
from mechdesign.objectives.power_generator import PowerGenerator
from mechdesign.objectives.ratio import Ratio, RatioType
from mechdesign.objectives.renyi_divergence import RenyiDivergence
from mechdesign.objectives.total_variation import TotalVariation
from mechdesign.objectives.unbiased_mean import UnbiasedMean
from mechdesign.objectives.worst_case_loss import WorstCaseLoss

__all__ = [
    "MMSE",
    "AbsoluteError",
    "ChernoffExponent",
    "ChiSquare",
    "ChiSquareGenerator",
    "ErrorProbability",
    "ExpectedLoss",
    "FDivergence",
    "FisherInformation",
    "Generator",
    "HammingLoss",
    "HanKobayashiExponent",
    "Hellinger",
    "HellingerGenerator",
    "HistogramMMSE",
    "HoeffdingExponent",
    "InformationDesign",
    "JensenShannon",
    "JensenShannonGenerator",
    "KLDivergence",
    "KLGenerator",
    "LabelInformation",
    "LabelMMSE",
    "LeakageLoss",
    "Linear",
    "MaxOffDiagonal",
    "MeanInformation",
    "MutualInformation",
    "Objective",
    "PiecewiseLinear",
    "PowerGenerator",
    "Ratio",
    "RatioType",
    "RenyiDivergence",
    "Separable",
    "Square",
    "TotalVariation",
    "TotalVariationGenerator",
    "UnbiasedMean",
    "WorstCaseInformation",
    "WorstCaseLoss",
]
