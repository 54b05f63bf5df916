"""Statements that `md.conjecture` found from exact optima, each with a proof or the word conjecture."""
