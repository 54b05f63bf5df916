"""From a solver's matrix to an exactly private one of few outputs."""
