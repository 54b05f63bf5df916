"""What a solver's answer is worth, from its numbers alone."""

from mechdesign.bench.judging.privacy import PrivacyScore, privacy_of
from mechdesign.bench.judging.score import Score, judged, judged_matrix

__all__ = ["PrivacyScore", "Score", "judged", "judged_matrix", "privacy_of"]
