"""The programs that routes hand to solvers."""
