"""Routes to certified optima, and what they are made of."""
