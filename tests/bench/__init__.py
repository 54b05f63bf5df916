"""Tests of the benchmark of solvers."""
