"""The contracts that ship with the package, and that each of their clauses can fail."""
