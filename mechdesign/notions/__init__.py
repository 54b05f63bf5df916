"""Privacy notions, one file each."""

from mechdesign.notions.base import Budget, Cone, Level, Notion, Rays, Support
from mechdesign.notions.ldp import LDP
from mechdesign.notions.lip import LIP

__all__ = [
    "LDP",
    "LIP",
    "Budget",
    "Cone",
    "Level",
    "Notion",
    "Rays",
    "Support",
]
