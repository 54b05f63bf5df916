"""Proofs in integers: emitted from a design's multipliers in floating point, and checked exactly."""

from mechdesign.proofs.checking import checked, refusal
from mechdesign.proofs.deriving import derived_again
from mechdesign.proofs.emission import proved

__all__ = ["checked", "derived_again", "proved", "refusal"]
