"""The published works that this package builds on, and the words under which its members are known elsewhere."""

from mechdesign.literature.words import Word, search, vocabulary
from mechdesign.literature.works import Work, bibtex, cited, source_of, works

__all__ = ["Word", "Work", "bibtex", "cited", "search", "source_of", "vocabulary", "works"]
