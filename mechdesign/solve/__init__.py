"""From a question to a matrix and its proof, for `designing`: routes to optima, exact repair, certificates."""
