"""Proofs in integers: emitted from a design's multipliers in floating point, and checked exactly."""

from mechdesign.proofs.checking import checked, refusal
from mechdesign.proofs.emission import proved

__all__ = ["checked", "proved", "refusal"]
