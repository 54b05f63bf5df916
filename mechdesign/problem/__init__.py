"""The problem: who may hold which value, how likely, what of it is secret; for everybody who asks."""

from mechdesign.problem.exact_parts import ExactParts
from mechdesign.problem.known_vocabulary import KnownVocabulary
from mechdesign.problem.problem import Problem

__all__ = [
    "ExactParts",
    "KnownVocabulary",
    "Problem",
]
