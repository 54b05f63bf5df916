"""The published works that this package builds on, and the terms of the field that are no notion or objective."""

from mechdesign.literature.terms import Term, terms
from mechdesign.literature.works import Work, bibtex, cited, source_of, works

__all__ = ["Term", "Work", "bibtex", "cited", "source_of", "terms", "works"]
