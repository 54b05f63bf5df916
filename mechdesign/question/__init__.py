"""The question: a problem, a notion and an objective, and its form as plain data."""

from mechdesign.question.question import Question

__all__ = [
    "Question",
]
