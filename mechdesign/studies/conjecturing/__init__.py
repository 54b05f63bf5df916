"""Closed forms found from exact optima of small questions, for the referee to rule on."""
