"""A report for people: one page that says what a mechanism guarantees, how good it is, and how it is used."""

from mechdesign.reports.page import page
from mechdesign.reports.writing import report

__all__ = ["page", "report"]
