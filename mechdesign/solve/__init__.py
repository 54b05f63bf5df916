"""Routes to certified optima, exact repair, certificates."""
