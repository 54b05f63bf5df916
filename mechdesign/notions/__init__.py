"""What has to stay private: the notions, one file each, and what a notion of your own is derived from."""

from mechdesign.columns import Band, Budget, Cone, Rays, SmoothBudget, Support
from mechdesign.notions.approximate_ldp import ApproximateLDP
from mechdesign.notions.asymmetric_lip import AsymmetricLIP
from mechdesign.notions.base import Level, Notion
from mechdesign.notions.block_ldp import BlockLDP
from mechdesign.notions.bounded_prior_lip import BoundedPriorLIP
from mechdesign.notions.centralized_ip import CentralizedIP
from mechdesign.notions.g_leakage import GLeakage
from mechdesign.notions.interior_pml import InteriorPML
from mechdesign.notions.intersection import Intersection
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lip import LIP
from mechdesign.notions.max_lift import MaxLift, PointwiseMaximalLeakage
from mechdesign.notions.maximal_leakage import MaximalLeakage
from mechdesign.notions.metric_dp import MetricDP
from mechdesign.notions.mutual_information_privacy import MutualInformationPrivacy
from mechdesign.notions.near_prior_lip import NearPriorLIP
from mechdesign.notions.pairwise_ldp import PairwiseLDP
from mechdesign.notions.profile_dp import ProfileDP
from mechdesign.notions.sibson_leakage import SibsonLeakage
from mechdesign.notions.strong_chi_square import StrongChiSquare
from mechdesign.notions.strong_l1 import StrongL1
from mechdesign.notions.utility_optimized_ldp import UtilityOptimizedLDP
from mechdesign.notions.weighted_tv import WeightedTV
from mechdesign.notions.worst_case_lip import WorstCaseLIP

__all__ = [
    "LDP",
    "LIP",
    "ApproximateLDP",
    "AsymmetricLIP",
    "Band",
    "BlockLDP",
    "BoundedPriorLIP",
    "Budget",
    "CentralizedIP",
    "Cone",
    "GLeakage",
    "InteriorPML",
    "Intersection",
    "Level",
    "MaxLift",
    "MaximalLeakage",
    "MetricDP",
    "MutualInformationPrivacy",
    "NearPriorLIP",
    "Notion",
    "PairwiseLDP",
    "PointwiseMaximalLeakage",
    "ProfileDP",
    "Rays",
    "SibsonLeakage",
    "SmoothBudget",
    "StrongChiSquare",
    "StrongL1",
    "Support",
    "UtilityOptimizedLDP",
    "WeightedTV",
    "WorstCaseLIP",
]
