"""Runs of solvers, each in a process of its own, and the file that holds their results."""
