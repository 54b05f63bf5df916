"""Families of mechanisms under LDP without a matrix: probabilities by formula, samplers, and covers by transforms."""

from mechdesign.families.block_design import BlockDesign
from mechdesign.families.family import Family
from mechdesign.families.few_answers import FewAnswers
from mechdesign.families.hadamard import Hadamard
from mechdesign.families.k_ary_response import KaryResponse
from mechdesign.families.local_hashing import LocalHashing
from mechdesign.families.projective_geometry import ProjectiveGeometry
from mechdesign.families.pure_protocol import PureProtocol
from mechdesign.families.subset_selection import SubsetSelection
from mechdesign.families.two_groups import TwoGroups
from mechdesign.families.unary_encoding import OptimisedUnaryEncoding, SymmetricUnaryEncoding, UnaryEncoding

#: Every family, by which files name them.
FAMILIES: tuple[type[Family], ...] = (
    FewAnswers,
    Hadamard,
    KaryResponse,
    LocalHashing,
    OptimisedUnaryEncoding,
    ProjectiveGeometry,
    SubsetSelection,
    SymmetricUnaryEncoding,
    TwoGroups,
)

__all__ = [
    "FAMILIES",
    "BlockDesign",
    "Family",
    "FewAnswers",
    "Hadamard",
    "KaryResponse",
    "LocalHashing",
    "OptimisedUnaryEncoding",
    "ProjectiveGeometry",
    "PureProtocol",
    "SubsetSelection",
    "SymmetricUnaryEncoding",
    "TwoGroups",
    "UnaryEncoding",
]
