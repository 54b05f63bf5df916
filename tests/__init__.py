"""Tests, in rooms that are called like the package's."""
