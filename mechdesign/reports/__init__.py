"""A report for people: one page that says what a mechanism guarantees, how good it is, and how it is used."""

from mechdesign.reports.page import page

__all__ = ["page"]
