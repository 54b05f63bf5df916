"""Privacy notions, one file each."""

from mechdesign.notions.base import Band, Budget, Cone, Level, Notion, Rays, Support
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lip import LIP
from mechdesign.notions.profile_dp import ProfileDP
from mechdesign.notions.weighted_tv import WeightedTV

__all__ = [
    "LDP",
    "LIP",
    "Band",
    "Budget",
    "Cone",
    "Level",
    "Notion",
    "ProfileDP",
    "Rays",
    "Support",
    "WeightedTV",
]
