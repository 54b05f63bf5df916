"""Families of mechanisms under LDP without a matrix: probabilities by formula, samplers, and covers by transforms."""

from mechdesign.families.family import Family
from mechdesign.families.hadamard import Hadamard
from mechdesign.families.k_ary_response import KaryResponse
from mechdesign.families.local_hashing import LocalHashing
from mechdesign.families.projective_geometry import ProjectiveGeometry

#: Every family, by which files name them.
FAMILIES: tuple[type[Family], ...] = (Hadamard, KaryResponse, LocalHashing, ProjectiveGeometry)

__all__ = ["FAMILIES", "Family", "Hadamard", "KaryResponse", "LocalHashing", "ProjectiveGeometry"]
