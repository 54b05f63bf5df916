"""The package as a whole: its import, distributions, docstrings, documents, literature and benchmarks."""
