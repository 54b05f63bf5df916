"""The problem: who may hold which value, how likely, what of it is secret; from data and from labels."""

from mechdesign.problem.problem import Problem

__all__ = [
    "Problem",
]
