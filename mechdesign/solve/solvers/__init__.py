"""Solvers by name: which one takes a program, how it is called, and what it answers."""
