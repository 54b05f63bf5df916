"""The report of a benchmark: in words, tables, profiles, and against earlier results."""
