"""The problem: who may hold which value, how likely, and which part is secret."""

from mechdesign.problem.exact_parts import ExactParts
from mechdesign.problem.known_vocabulary import KnownVocabulary
from mechdesign.problem.problem import Problem

__all__ = [
    "ExactParts",
    "KnownVocabulary",
    "Problem",
]
